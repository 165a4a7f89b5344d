/* src/lower/ops/norm.c
 *
 * Normalisation of rows: layernorm (mean and variance; scale and shift) and rmsnorm (mean square; scale).
 *
 * FLOP an element. layernorm (Ba et al., arXiv:1607.06450, section 3): sum 1, sum of squares 2, normalise as one
 * multiply-add 2, scale and shift 2. rmsnorm (Zhang & Sennrich, arXiv:1910.07467, section 4): sum of squares 2,
 * normalise 1, scale 1. A reciprocal square root a row. Bytes: the tensor in and out, and each of the row's
 * parameters once; parameters are stored as the output is, since no recipe narrows those of a norm. */
#include "lower/ops/ops.h"

typedef struct norm_args {
    int64_t rows, cols;
} norm_args;

_Static_assert(sizeof(norm_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

typedef struct norm_kind {
    double element_FLOP, parameter_n; /* parameters of a column */
} norm_kind;

static const norm_kind mean_and_variance = {7, 2}, mean_square = {4, 1};

static const dm_variant variants[] = {
    {"rmsnorm", &mean_square, "rows scaled to mean square 1"},
    {NULL, NULL, NULL},
};

#define ARG(member) offsetof(norm_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("rows", ARG(rows), "rows, each normalised by itself: tokens"),
    DM_DIM("cols", ARG(cols), "columns of a row"),
};
/* clang-format on */

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const norm_args *a = (const void *)call->args;
    const dm_recipe *r = call->recipe;
    const norm_kind *kind = call->variant != NULL ? call->variant->constants : &mean_and_variance;
    const double element_n = (double)a->rows * (double)a->cols;

    (void)err;
    out->vector_math = dm_vector_math(r);
    out->vector_FLOP = kind->element_FLOP * element_n;
    out->special_op = (double)a->rows;
    dm_work_read(out, "x", element_n * dm_dtype_B(r->input));
    dm_work_read_weight(out, "parameters", kind->parameter_n * (double)a->cols * dm_dtype_B(r->output));
    dm_work_write(out, "y", element_n * dm_dtype_B(r->output));
    return DM_OK;
}

/* A row's data wait in registers for its sum: one dependent trip. */
static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const norm_args *a = (const void *)call->args;

    (void)err;
    dm_stream_lower(out, "norm", dm_stream_row_units(a->rows, (double)a->cols * dm_dtype_B(call->recipe->input)), 1,
                    machine, params);
    return DM_OK;
}

const dm_op dm_op_layernorm = {
    .name = "layernorm",
    .fields = DM_FIELDS(rows),
    .variants = variants,
    .work = work,
    .plan = plan,
    .help = "rows shifted to mean 0 and scaled to variance 1",
};
