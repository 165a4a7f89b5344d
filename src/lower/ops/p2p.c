/* src/lower/ops/p2p.c
 *
 * One buffer from one device to another, on the same node or over the network. The sender reads it, the receiver
 * writes it; the descriptor is that of one of the two. */
#include "lower/ops/ops.h"

typedef struct p2p_args {
    int64_t bytes, ranks, ranks_per_node;
} p2p_args;

_Static_assert(sizeof(p2p_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

#define ARG(member) offsetof(p2p_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("bytes", ARG(bytes), "bytes sent"),
    DM_DIM_DEFAULT("ranks", ARG(ranks), "2", "sender and receiver: 2"),
    DM_DIM_DEFAULT("ranks_per_node", ARG(ranks_per_node), "2", "1: on different nodes, over the scale-out link"),
};
/* clang-format on */

static const char *check(const dm_op_call *call)
{
    const p2p_args *a = (const void *)call->args;

    return a->ranks != 2 ? "ranks is not 2; a message has one sender and one receiver" : NULL;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const p2p_args *a = (const void *)call->args;

    (void)err;
    dm_work_read(out, "buffer", (double)a->bytes);
    out->link = a->ranks_per_node < a->ranks ? DM_LINK_SCALE_OUT : DM_LINK_SCALE_UP;
    out->link_B = (double)a->bytes;
    out->link_step_n = 1;
    out->link_device_n = a->ranks;
    return DM_OK;
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const p2p_args *a = (const void *)call->args;

    (void)err;
    dm_stream_lower(out, "send", dm_stream_blocks((double)a->bytes), 0, machine, params);
    return DM_OK;
}

const dm_op dm_op_p2p = {
    .name = "p2p",
    .fields = DM_FIELDS(rows),
    .check = check,
    .work = work,
    .plan = plan,
    .help = "a buffer from one device to another",
};
