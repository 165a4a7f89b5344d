/* src/lower/ops/embedding.c
 *
 * Rows of a table by their indices.
 *
 * No FLOP. Bytes: the table rows that are hit, at most as many as there are (all rows distinct, as far as the table
 * allows), stored as the recipe stores weights; a 32-bit index a row; the output. */
#include "lower/ops/ops.h"

typedef struct embedding_args {
    int64_t rows, cols, vocab;
} embedding_args;

_Static_assert(sizeof(embedding_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

static const double index_B = 4;

#define ARG(member) offsetof(embedding_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("rows", ARG(rows), "rows wanted: tokens"),
    DM_DIM("cols", ARG(cols), "columns of a row"),
    DM_DIM("vocab", ARG(vocab), "rows of the table on this device"),
};
/* clang-format on */

static double row_B(const dm_op_call *call)
{
    const embedding_args *a = (const void *)call->args;

    return (double)a->cols * dm_recipe_weight_B(call->recipe);
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const embedding_args *a = (const void *)call->args;
    const double row_n = (double)a->rows;

    (void)err;
    dm_work_read_weight(out, "table", dm_num_min(row_n, (double)a->vocab) * row_B(call));
    dm_work_read(out, "indices", row_n * index_B);
    dm_work_write(out, "output", row_n * (double)a->cols * dm_dtype_B(call->recipe->output));
    return DM_OK;
}

/* Index, then row: one dependent trip. A row wanted twice is asked for twice. */
static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const embedding_args *a = (const void *)call->args;
    const double asked_B = row_B(call) + index_B;
    const int64_t unit_n = dm_stream_row_units(a->rows, asked_B);
    dm_kernel *kernel = dm_launch_add(out, "embedding");

    (void)err;
    kernel->work = out->work;
    dm_stream_plan_asking(kernel, unit_n, (double)a->rows * asked_B, 1, machine, params);
    return DM_OK;
}

const dm_op dm_op_embedding = {
    .name = "embedding",
    .fields = DM_FIELDS(rows),
    .work = work,
    .plan = plan,
    .help = "rows of a table by index",
};
