/* src/lower/ops/softmax.c
 *
 * Softmax of rows, exp(x - max) over its sum.
 *
 * FLOP an element: maximum, subtraction, sum, scaling by the reciprocal of the sum; one exponential an element and one
 * reciprocal a row. Bytes: in and out once, as a row that stays on the core needs (safe softmax, Milakov &
 * Gimelshein, arXiv:1805.02867, section 2, without its second and third reads). */
#include "lower/ops/ops.h"

typedef struct softmax_args {
    int64_t rows, cols;
} softmax_args;

_Static_assert(sizeof(softmax_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

#define ARG(member) offsetof(softmax_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("rows", ARG(rows), "rows, each normalised by itself"),
    DM_DIM("cols", ARG(cols), "columns of a row"),
};
/* clang-format on */

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const softmax_args *a = (const void *)call->args;
    const double element_n = (double)a->rows * (double)a->cols;

    (void)err;
    out->vector_math = dm_vector_math(call->recipe);
    out->vector_FLOP = 4 * element_n;
    out->special_op = element_n + (double)a->rows;
    dm_work_read(out, "x", element_n * dm_dtype_B(call->recipe->input));
    dm_work_write(out, "y", element_n * dm_dtype_B(call->recipe->output));
    return DM_OK;
}

/* Maximum and sum are one pass (online softmax), so one dependent trip. */
static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const softmax_args *a = (const void *)call->args;

    (void)err;
    dm_stream_lower(out, "softmax", dm_stream_row_units(a->rows, (double)a->cols * dm_dtype_B(call->recipe->input)), 1,
                    machine, params);
    return DM_OK;
}

const dm_op dm_op_softmax = {
    .name = "softmax",
    .fields = DM_FIELDS(rows),
    .work = work,
    .plan = plan,
    .help = "softmax of each row",
};
