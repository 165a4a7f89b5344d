/* src/lower/ops/elementwise.c
 *
 * Operators that look at one element at a time: [rows, cols] in, once or several times, [rows, cols] out.
 *
 * FLOP an element, an addition, multiplication or comparison being one each, and special functions (exp, tanh,
 * reciprocal) counted apart. Each is the cheapest form that we know, since the roofline must not be beaten:
 *   sigmoid x = 1/2 + 1/2 tanh(x / 2): halve, tanh, multiply-add; silu x = x sigmoid x costs the same: with h = x / 2
 *       it is h + h tanh h (Elfwing et al., arXiv:1702.03118, section 2);
 *   gelu x = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (Hendrycks & Gimpel, arXiv:1606.08415, section 2): square,
 *       multiply-add, multiply, tanh, halve, multiply-add;
 *   exp x = 2^(x log2 e): a multiplication and the power of two; x^y = 2^(y log2 x): one more special function;
 *   x / y = x times a reciprocal; by a scalar the reciprocal is known; x^scalar: a square at the least.
 * Bytes: each input and the output once, in the recipe's arriving and leaving types. */
#include "lower/ops/ops.h"

typedef struct elementwise_args {
    int64_t rows, cols, inputs;
} elementwise_args;

_Static_assert(sizeof(elementwise_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

/* Work for one element of the output. */
typedef struct element {
    int64_t input_n; /* elements read */
    double vector_FLOP, special_op;
} element;

/* name, elements read, FLOP, special functions, meaning */
/* clang-format off */
#define KINDS(X)                                                                                             \
    X(relu,       1, 1, 0, "max(x, 0)")                                                                      \
    X(gelu,       1, 7, 1, "Gaussian error linear unit")                                                     \
    X(silu,       1, 3, 1, "x sigmoid x")                                                                    \
    X(sigmoid,    1, 3, 1, "1 / (1 + exp -x)")                                                               \
    X(tanh,       1, 0, 1, "hyperbolic tangent")                                                             \
    X(exp,        1, 1, 1, "exponential")                                                                    \
    X(add_scalar, 1, 1, 0, "x plus a number")                                                                \
    X(mul_scalar, 1, 1, 0, "x times a number")                                                               \
    X(div_scalar, 1, 1, 0, "x by a number")                                                                  \
    X(pow_scalar, 1, 1, 0, "x to the power of a number")                                                     \
    X(add,        2, 1, 0, "x + y")                                                                          \
    X(mul,        2, 1, 0, "x y")                                                                            \
    X(div,        2, 1, 1, "x / y")                                                                          \
    X(pow,        2, 1, 2, "x to the power of y")                                                            \
    X(add3,       3, 2, 0, "x + y + z")                                                                      \
    X(silu_mul,   2, 4, 1, "silu x times y, both halves of an input that is 2 cols wide")
/* clang-format on */

#define CONSTANTS(name, input_n, flop, special, help) static const element name##_element = {input_n, flop, special};
KINDS(CONSTANTS)
#undef CONSTANTS

#define VARIANT(name, input_n, flop, special, help) {#name, &name##_element, help},
static const dm_variant variants[] = {KINDS(VARIANT){NULL, NULL, NULL}};
#undef VARIANT

#define ARG(member) offsetof(elementwise_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("rows", ARG(rows), "rows of the output"),
    DM_DIM("cols", ARG(cols), "columns of the output"),
    DM_DIM_OPTIONAL("inputs", ARG(inputs), "tensors read (elementwise alone; the named ones know theirs); absent: 1"),
};
/* clang-format on */

/* The operator without a name of its own: one operation joins each further input, and there is at least one. */
static element unnamed(const elementwise_args *a)
{
    const int64_t input_n = a->inputs > 0 ? a->inputs : 1;

    return (element){input_n, input_n > 1 ? (double)(input_n - 1) : 1, 0};
}

static const char *check(const dm_op_call *call)
{
    const elementwise_args *a = (const void *)call->args;

    if (call->variant != NULL && a->inputs > 0)
        return "inputs belongs to the operator 'elementwise'; this one knows its own";
    return NULL;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const elementwise_args *a = (const void *)call->args;
    const element e = call->variant != NULL ? *(const element *)call->variant->constants : unnamed(a);
    const double element_n = (double)a->rows * (double)a->cols;

    (void)err;
    out->vector_math = dm_vector_math(call->recipe);
    out->vector_FLOP = e.vector_FLOP * element_n;
    out->special_op = e.special_op * element_n;
    dm_work_read(out, "inputs", (double)e.input_n * element_n * dm_dtype_B(call->recipe->input));
    dm_work_write(out, "output", element_n * dm_dtype_B(call->recipe->output));
    return DM_OK;
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    (void)call;
    (void)err;
    dm_stream_lower(out, "elementwise", dm_stream_blocks(dm_work_read_B(&out->work)), 0, machine, params);
    return DM_OK;
}

const dm_op dm_op_elementwise = {
    .name = "elementwise",
    .fields = DM_FIELDS(rows),
    .variants = variants,
    .check = check,
    .work = work,
    .plan = plan,
    .help = "any operation of one element at a time, on one or several inputs",
};
