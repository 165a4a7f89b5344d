/* src/lower/ops/copy.c
 *
 * Bytes from one place of device memory to another: read once, written once. The dtype does not matter. */
#include "lower/ops/ops.h"

typedef struct copy_args {
    int64_t bytes;
} copy_args;

_Static_assert(sizeof(copy_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("bytes", offsetof(copy_args, bytes), "bytes copied, counted once"),
};
/* clang-format on */

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const copy_args *a = (const void *)call->args;

    (void)err;
    dm_work_read(out, "source", (double)a->bytes);
    dm_work_write(out, "destination", (double)a->bytes);
    return DM_OK;
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const copy_args *a = (const void *)call->args;

    (void)err;
    dm_stream_lower(out, "copy", dm_stream_blocks((double)a->bytes), 0, machine, params);
    return DM_OK;
}

const dm_op dm_op_copy = {
    .name = "copy",
    .fields = DM_FIELDS(rows),
    .work = work,
    .plan = plan,
    .help = "a copy within device memory",
};
