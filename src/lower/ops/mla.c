/* src/lower/ops/mla.c
 *
 * The attention core of multi-head latent attention, without its projections.
 *
 * Source: DeepSeek-V2, arXiv:2405.04434, section 2.1: the cache holds kv_lora + rope_dim numbers a token. Prefill
 * expands them to a key and a value for each head; decode absorbs the expansion into the projections, so that all heads
 * share one latent key whose first kv_lora columns are the value. */
#include "lower/ops/attention.h"

typedef enum mla_phase { MLA_PREFILL, MLA_DECODE } mla_phase;

static const dm_choice phases[] = {
    {"prefill", "expanded: a key and a value for each head, causal"},
    {"decode", "absorbed: one latent key and value for all heads"},
    {NULL, NULL},
};

typedef struct mla_args {
    int64_t batch, q_len, kv_len, heads, kv_lora, rope_dim, nope_dim, v_dim;
    int phase; /* mla_phase */
    dm_dtype kv_dtype;
} mla_args;

_Static_assert(sizeof(mla_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

#define ARG(member) offsetof(mla_args, member)

/* Defaults: DeepSeek-V2 and -V3. */
/* clang-format off */
static const dm_field rows[] = {
    {"phase", DM_KIND_CHOICE, DM_UNIT_NONE, ARG(phase), 0, 0, false, "decode", phases, NULL, NULL, "form of the attention"},
    DM_DIM("batch", ARG(batch), "sequences, equally long"),
    DM_DIM_DEFAULT("q_len", ARG(q_len), "1", "new tokens a sequence"),
    DM_DIM_OPTIONAL("kv_len", ARG(kv_len), "tokens a sequence, cached and new; absent: q_len"),
    DM_DIM("heads", ARG(heads), "heads on this device"),
    {"kv_dtype", DM_KIND_DTYPE, DM_UNIT_NONE, ARG(kv_dtype), 0, 0, false, "bf16", NULL, NULL, NULL, "storage type of the latent cache"},
    DM_DIM_DEFAULT("kv_lora", ARG(kv_lora), "512", "latent columns of a token"),
    DM_DIM_DEFAULT("rope_dim", ARG(rope_dim), "64", "columns with a rotary position, shared by the heads"),
    DM_DIM_DEFAULT("nope_dim", ARG(nope_dim), "128", "columns of a head's key without a position"),
    DM_DIM_DEFAULT("v_dim", ARG(v_dim), "128", "columns of a head's value"),
};
/* clang-format on */

static double latent_n(const mla_args *a)
{
    return (double)a->kv_lora + (double)a->rope_dim;
}

static dm_attention shape_of(const dm_op_call *call)
{
    const mla_args *a = (const void *)call->args;
    const bool decode = a->phase == MLA_DECODE;

    return (dm_attention){
        .batch = a->batch,
        .q_len = a->q_len,
        .kv_len = a->kv_len > 0 ? a->kv_len : a->q_len,
        .heads_q = a->heads,
        .heads_kv = decode ? 1 : a->heads,
        .qk_dim = (decode ? a->kv_lora : a->nope_dim) + a->rope_dim,
        .v_dim = decode ? a->kv_lora : a->v_dim,
        .causal = true,
        .latent = decode,
        .q_B = dm_dtype_B(call->recipe->input),
        /* Expanded keys and values come from a projection, in its type. */
        .kv_B = dm_dtype_B(decode ? a->kv_dtype : call->recipe->input),
        .o_B = dm_dtype_B(call->recipe->output),
        .cache_B = dm_dtype_B(a->kv_dtype),
        .append_n = latent_n(a),
        .reads_appended = decode,
    };
}

static const char *check(const dm_op_call *call)
{
    const dm_attention a = shape_of(call);

    return a.q_len > a.kv_len ? "q_len is above kv_len; the queries are the last of the kv_len tokens" : NULL;
}

static bool fp8_cache(const mla_args *a)
{
    return a->kv_dtype == DM_FP8_E4M3 || a->kv_dtype == DM_FP8_E5M2;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const mla_args *a = (const void *)call->args;
    const dm_attention shape = shape_of(call);

    (void)err;
    dm_attention_work(&shape, out);
    if (a->phase == MLA_PREFILL)
        dm_work_write(out, "latent",
                      (double)a->batch * (double)a->q_len * latent_n(a) * dm_dtype_B(a->kv_dtype));
    /* Absorbed kernels multiply an fp8 cache as it lies there, whatever type the query arrives in. */
    else if (fp8_cache(a))
        out->math = DM_MATH_FP8;
    return DM_OK;
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const mla_args *a = (const void *)call->args;
    const dm_attention shape = shape_of(call);

    if (a->phase == MLA_DECODE)
        return dm_attention_plan_decode(&shape, machine, params, out, err);
    return dm_attention_plan_prefill(&shape, machine, params, out, err);
}

const dm_op dm_op_mla = {
    .name = "mla",
    .fields = DM_FIELDS(rows),
    .check = check,
    .work = work,
    .plan = plan,
    .help = "multi-head latent attention, without projections",
};
