/* src/lower/ops/attention.c
 *
 * Softmax attention of the heads of one device: prefill (a prompt, causal), decode (new tokens against a cache) and
 * encoder (everything sees everything).
 *
 * FLOP: 2 a pair of query and key for each of the qk_dim and v_dim columns, counted over the pairs that the mask
 * leaves. Bytes: Q and O in the recipe's arriving and leaving types, K and V in kv_dtype, each once, and of K and V
 * only what a window lets a query see. The cache append is a kernel of prefill and decode, but no work of the roofline: its
 * tokens are counted as K and V already. */
#include "lower/ops/attention.h"

typedef struct attention_args {
    int64_t batch, q_len, kv_len, heads_q, heads_kv, head_dim, window;
    dm_dtype kv_dtype;
    bool causal;
} attention_args;

_Static_assert(sizeof(attention_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

#define ARG(member) offsetof(attention_args, member)

/* q_len and kv_len are given as rows; kv_len and heads_kv that are absent are those of the queries. */
/* clang-format off */
#define ROWS(q_len_row, kv_len_row, causal_initial)                                                          \
    DM_DIM("batch", ARG(batch), "sequences, equally long"),                                                  \
    q_len_row,                                                                                               \
    kv_len_row,                                                                                              \
    DM_DIM("heads_q", ARG(heads_q), "query heads on this device"),                                           \
    DM_DIM_OPTIONAL("heads_kv", ARG(heads_kv), "key and value heads on this device; absent: heads_q"),       \
    DM_DIM("head_dim", ARG(head_dim), "columns of a head"),                                                  \
    {"kv_dtype", DM_KIND_DTYPE, DM_UNIT_NONE, ARG(kv_dtype), 0, 0, false, "bf16", NULL, NULL, NULL, "storage type of keys and values"}, \
    DM_DIM_OPTIONAL("window", ARG(window), "keys that a query sees at most; 0: all"),                        \
    {"causal", DM_KIND_BOOL, DM_UNIT_NONE, ARG(causal), 0, 0, false, causal_initial, NULL, NULL, NULL, "a query sees no later key"}

static const dm_field self_rows[] = {
    ROWS(DM_DIM("q_len", ARG(q_len), "new tokens a sequence"),
         DM_DIM_OPTIONAL("kv_len", ARG(kv_len), "tokens a sequence, cached and new; absent: q_len"), "true"),
};
static const dm_field decode_rows[] = {
    ROWS(DM_DIM_DEFAULT("q_len", ARG(q_len), "1", "new tokens a sequence"),
         DM_DIM("kv_len", ARG(kv_len), "tokens a sequence, cached and new"), "true"),
};
static const dm_field encoder_rows[] = {
    ROWS(DM_DIM("q_len", ARG(q_len), "tokens a sequence"),
         DM_DIM_OPTIONAL("kv_len", ARG(kv_len), "keys a sequence; absent: q_len"), "false"),
};
/* clang-format on */

static dm_attention shape_of(const dm_op_call *call, bool cached)
{
    const attention_args *a = (const void *)call->args;
    const int64_t heads_kv = a->heads_kv > 0 ? a->heads_kv : a->heads_q;

    return (dm_attention){
        .batch = a->batch,
        .q_len = a->q_len,
        .kv_len = a->kv_len > 0 ? a->kv_len : a->q_len,
        .heads_q = a->heads_q,
        .heads_kv = heads_kv,
        .qk_dim = a->head_dim,
        .v_dim = a->head_dim,
        .window = a->window,
        .causal = a->causal,
        .q_B = dm_dtype_B(call->recipe->input),
        .kv_B = dm_dtype_B(a->kv_dtype),
        .o_B = dm_dtype_B(call->recipe->output),
        .cache_B = dm_dtype_B(a->kv_dtype),
        .append_n = cached ? 2 * (double)heads_kv * (double)a->head_dim : 0,
        .reads_appended = cached,
    };
}

static const char *check(const dm_op_call *call)
{
    const dm_attention a = shape_of(call, false);

    if (a.heads_q % a.heads_kv != 0)
        return "heads_q is no multiple of heads_kv; every key head serves the same number of query heads";
    if (a.causal && a.q_len > a.kv_len)
        return "q_len is above kv_len; causal queries are the last of the kv_len tokens";
    if (!a.causal && a.window > 0)
        return "a window needs causal: true; a window to both sides is not modelled";
    return NULL;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const dm_attention a = shape_of(call, false);

    (void)err;
    dm_attention_work(&a, out);
    return DM_OK;
}

static dm_status plan_prefill(const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                              dm_launch *out, dm_err *err)
{
    const dm_attention a = shape_of(call, true);

    return dm_attention_plan_prefill(&a, machine, params, out, err);
}

static dm_status plan_decode(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                             dm_err *err)
{
    const dm_attention a = shape_of(call, true);

    return dm_attention_plan_decode(&a, machine, params, out, err);
}

static dm_status plan_encoder(const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                              dm_launch *out, dm_err *err)
{
    const dm_attention a = shape_of(call, false);

    return dm_attention_plan_prefill(&a, machine, params, out, err);
}

const dm_op dm_op_attention_prefill = {
    .name = "attention_prefill",
    .fields = DM_FIELDS(self_rows),
    .check = check,
    .work = work,
    .plan = plan_prefill,
    .help = "attention of a prompt, cache append included",
};

const dm_op dm_op_attention_decode = {
    .name = "attention_decode",
    .fields = DM_FIELDS(decode_rows),
    .check = check,
    .work = work,
    .plan = plan_decode,
    .help = "attention of new tokens against a cache, cache append included",
};

const dm_op dm_op_attention_encoder = {
    .name = "attention_encoder",
    .fields = DM_FIELDS(encoder_rows),
    .check = check,
    .work = work,
    .plan = plan_encoder,
    .help = "attention without a mask or a cache",
};
