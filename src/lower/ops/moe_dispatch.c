/* src/lower/ops/moe_dispatch.c
 *
 * Expert-parallel exchange: dispatch sends every token to its experts' ranks, combine brings the results back and sums
 * them. Low-latency form: one message a pair of token and expert, each straight to its rank.
 *
 * Source: DeepEP (github.com/deepseek-ai/DeepEP), low-latency kernels: fp8 payload with one fp32 scale for 128 columns
 * on the way out, bf16 on the way back; experts are spread evenly over the ranks, so (ranks - 1) / ranks of the
 * messages leave the device. */
#include "lower/ops/ops.h"

typedef struct dispatch_args {
    int64_t tokens, hidden, topk, experts, ranks, sms;
} dispatch_args;

_Static_assert(sizeof(dispatch_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

typedef struct direction {
    bool gathers; /* results come back and are summed, else tokens go out */
} direction;

static const direction gathering = {true};

static const dm_variant variants[] = {
    {"moe_combine", &gathering, "experts' results back to their tokens, summed"},
    {NULL, NULL, NULL},
};

#define ARG(member) offsetof(dispatch_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("tokens", ARG(tokens), "tokens of this rank"),
    DM_DIM("hidden", ARG(hidden), "columns of a token"),
    DM_DIM("topk", ARG(topk), "experts a token"),
    DM_DIM("experts", ARG(experts), "experts, over all ranks"),
    DM_DIM("ranks", ARG(ranks), "devices that share the experts"),
    DM_DIM_OPTIONAL("sms", ARG(sms), "cores given to the exchange; absent: all"),
};
/* clang-format on */

static bool gathers(const dm_op_call *call)
{
    return call->variant != NULL && ((const direction *)call->variant->constants)->gathers;
}

static const char *check(const dm_op_call *call)
{
    const dispatch_args *a = (const void *)call->args;

    if (a->topk > a->experts)
        return "topk is above experts; a token goes to an expert at most once";
    if (a->experts % a->ranks != 0)
        return "experts is no multiple of ranks; every rank holds the same number of experts";
    return NULL;
}

/* One column of a message: results return as they left the experts, tokens go out as the recipe multiplies them. */
static double payload_B(const dm_op_call *call)
{
    const dm_recipe *r = call->recipe;
    const double block_scale_B = 4.0 / 128;

    if (gathers(call))
        return dm_dtype_B(r->output);
    if (!dm_recipe_quantises(r) || r->activation_scale_B > 0)
        return dm_recipe_activation_B(r);
    return dm_recipe_activation_B(r) + block_scale_B;
}

/* Balanced load: as many messages arrive as leave. */
static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const dispatch_args *a = (const void *)call->args;
    const double token_n = (double)a->tokens * (double)a->hidden, pair_n = token_n * (double)a->topk;
    const double message_all_B = pair_n * payload_B(call), ranks = (double)a->ranks;

    (void)err;
    if (gathers(call)) {
        out->vector_FLOP = 2 * pair_n;
        dm_work_read(out, "results", message_all_B);
        dm_work_write(out, "tokens", token_n * dm_dtype_B(call->recipe->output));
    } else {
        dm_work_read(out, "tokens", token_n * dm_dtype_B(call->recipe->input));
        dm_work_write(out, "received", message_all_B);
    }
    out->link = a->ranks > 1 ? DM_LINK_SCALE_UP : DM_LINK_NONE;
    out->link_B = message_all_B * (ranks - 1) / ranks;
    out->link_step_n = a->ranks > 1 ? 1 : 0;
    out->link_device_n = a->ranks;
    return DM_OK;
}

/* One kernel: a CTA a message, two dependent trips (count and data, then the wait for the peers' flags). */
static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const dispatch_args *a = (const void *)call->args;
    int64_t message_n;

    (void)err;
    if (!dm_num_mul(a->tokens, a->topk, &message_n))
        message_n = (int64_t)DM_DIM_MAX;
    if (a->sms > 0 && a->sms < message_n)
        message_n = a->sms;
    dm_stream_lower(out, gathers(call) ? "combine" : "dispatch", message_n, 2, machine, params);
    return DM_OK;
}

const dm_op dm_op_moe_dispatch = {
    .name = "moe_dispatch",
    .fields = DM_FIELDS(rows),
    .variants = variants,
    .check = check,
    .work = work,
    .plan = plan,
    .help = "tokens to the ranks of their experts",
};
