/* src/lower/ops/rope.c
 *
 * Rotary position embedding of the query and key heads, in place.
 *
 * A pair (x, y) becomes (x cos - y sin, y cos + x sin): 6 FLOP, 3 an element (Su et al., arXiv:2104.09864, section
 * 3.4.2). Bytes: the heads in and out. The table of cosines is left out: its size is that of one head, which the shape
 * does not tell, and a kernel may compute it from the position. */
#include "lower/ops/ops.h"

typedef struct rope_args {
    int64_t rows, cols;
} rope_args;

_Static_assert(sizeof(rope_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

#define ARG(member) offsetof(rope_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("rows", ARG(rows), "tokens"),
    DM_DIM("cols", ARG(cols), "columns of all query and key heads: (heads_q + heads_kv) x head_dim"),
};
/* clang-format on */

static const char *check(const dm_op_call *call)
{
    const rope_args *a = (const void *)call->args;

    return a->cols % 2 != 0 ? "cols is odd; columns are rotated in pairs" : NULL;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const rope_args *a = (const void *)call->args;
    const double element_n = (double)a->rows * (double)a->cols;

    (void)err;
    out->vector_math = dm_vector_math(call->recipe);
    out->vector_FLOP = 3 * element_n;
    dm_work_read(out, "heads", element_n * dm_dtype_B(call->recipe->input));
    dm_work_write(out, "rotated", element_n * dm_dtype_B(call->recipe->output));
    return DM_OK;
}

/* The position leads to its row of the table: one dependent trip. */
static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const rope_args *a = (const void *)call->args;

    (void)err;
    dm_stream_lower(out, "rope", dm_stream_row_units(a->rows, (double)a->cols * dm_dtype_B(call->recipe->input)), 1,
                    machine, params);
    return DM_OK;
}

const dm_op dm_op_rope = {
    .name = "rope",
    .fields = DM_FIELDS(rows),
    .check = check,
    .work = work,
    .plan = plan,
    .help = "rotary position embedding of queries and keys",
};
