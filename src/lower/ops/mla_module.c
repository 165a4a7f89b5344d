/* src/lower/ops/mla_module.c
 *
 * A whole latent-attention block of one device's heads: down-projections of query and key-value, their expansion (or,
 * in decode, the absorbed products), attention, output projection. No all-reduce.
 *
 * Sources: DeepSeek-V3 report, arXiv:2412.19437, section 4.2 (hidden 7168, query rank 1536, latent 512 + 64, heads of
 * 128 + 64 and 128); DeepSeek-V2, arXiv:2405.04434, section 2.1 for the absorption. Norms and rotary positions are a
 * few FLOP a column against thousands, and are left out. So far a roofline only. */
#include "lower/ops/attention.h"

typedef enum module_phase { PHASE_PREFILL, PHASE_DECODE } module_phase;

static const dm_choice phases[] = {
    {"prefill", "expanded: a key and a value for each head, causal"},
    {"decode", "absorbed: one latent key and value for all heads"},
    {NULL, NULL},
};

/* A model's sizes; in the order of `models`. */
typedef struct model_dims {
    double hidden, q_lora;
    int64_t kv_lora, rope, nope, v;
} model_dims;

static const dm_choice models[] = {
    {"deepseek_v3", "DeepSeek-V3 and -R1"},
    {NULL, NULL},
};
static const model_dims model_table[] = {
    {.hidden = 7168, .q_lora = 1536, .kv_lora = 512, .rope = 64, .nope = 128, .v = 128},
};
_Static_assert(sizeof model_table / sizeof model_table[0] == sizeof models / sizeof models[0] - 1, "a row a model");

typedef struct module_args {
    int64_t batch, q_len, kv_len, heads;
    const dm_recipe *gemm;
    int phase, model; /* module_phase; index in model_table */
    dm_dtype kv_dtype;
} module_args;

_Static_assert(sizeof(module_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

static dm_status parse_recipe(const dm_field *field, const dm_node *node, const dm_reader *reader, void *at)
{
    (void)field;
    if (node->kind != DM_NODE_SCALAR)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                          "gemm_dtype: %s where a name is wanted", dm_doc_kind_text(node));
    return dm_recipe_parse(node->text, reader->source, node->place, (const dm_recipe **)at, reader->err);
}

static void print_recipe(const void *at, dm_str *out)
{
    const dm_recipe *recipe = *(const dm_recipe *const *)at;

    if (recipe != NULL)
        dm_str_add(out, recipe->name);
}

#define ARG(member) offsetof(module_args, member)

/* clang-format off */
static const dm_field rows[] = {
    {"phase", DM_KIND_CHOICE, DM_UNIT_NONE, ARG(phase), 0, 0, false, "decode", phases, NULL, NULL, "form of the attention"},
    {"model", DM_KIND_CHOICE, DM_UNIT_NONE, ARG(model), 0, 0, false, "deepseek_v3", models, NULL, NULL, "whose dimensions"},
    DM_DIM("batch", ARG(batch), "sequences, equally long"),
    DM_DIM_DEFAULT("q_len", ARG(q_len), "1", "new tokens a sequence"),
    DM_DIM_OPTIONAL("kv_len", ARG(kv_len), "tokens a sequence, cached and new; absent: q_len"),
    DM_DIM("heads", ARG(heads), "heads on this device"),
    {"kv_dtype", DM_KIND_DTYPE, DM_UNIT_NONE, ARG(kv_dtype), 0, 0, false, "bf16", NULL, NULL, NULL, "storage type of the latent cache"},
    {"gemm_dtype", DM_KIND_OWN, DM_UNIT_NONE, ARG(gemm), 0, 0, false, "bf16", NULL, parse_recipe, print_recipe, "recipe of the projections"},
};
/* clang-format on */

static int64_t kv_len_of(const module_args *a)
{
    return a->kv_len > 0 ? a->kv_len : a->q_len;
}

static const char *check(const dm_op_call *call)
{
    const module_args *a = (const void *)call->args;

    return a->q_len > kv_len_of(a) ? "q_len is above kv_len; the queries are the last of the kv_len tokens" : NULL;
}

/* Elements of all projection weights. Absorbed or not, the key-value expansion is the same matrix, and every token
 * passes through it once. */
static double weight_n(const module_args *a, const model_dims *d)
{
    const double heads = (double)a->heads, latent = (double)d->kv_lora + (double)d->rope;
    const double down = d->hidden * (d->q_lora + latent);
    const double q_up = d->q_lora * heads * ((double)d->nope + (double)d->rope);
    const double kv_up = (double)d->kv_lora * heads * ((double)d->nope + (double)d->v);
    const double output = heads * (double)d->v * d->hidden;

    return down + q_up + kv_up + output;
}

/* The attention inside, for its FLOP alone: its operands but the cache are intermediates here. */
static dm_work core_work(const module_args *a, const model_dims *d)
{
    const bool decode = a->phase == PHASE_DECODE;
    const dm_attention core = {
        .batch = a->batch,
        .q_len = a->q_len,
        .kv_len = kv_len_of(a),
        .heads_q = a->heads,
        .heads_kv = decode ? 1 : a->heads,
        .qk_dim = (decode ? d->kv_lora : d->nope) + d->rope,
        .v_dim = decode ? d->kv_lora : d->v,
        .causal = true,
        .latent = decode,
    };
    dm_work work = {.operand_n = 0};

    dm_attention_work(&core, &work);
    return work;
}

/* One rate class bounds the sum of both kinds of product: the narrower, which is the faster. */
static dm_math faster_math(const dm_recipe *attention, const dm_recipe *gemm)
{
    return dm_dtype_B(gemm->activation) < dm_dtype_B(attention->activation) ? gemm->math : attention->math;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const module_args *a = (const void *)call->args;
    const model_dims *d = &model_table[a->model];
    const double tokens = (double)a->batch * (double)a->q_len, weights = weight_n(a, d);
    const double latent_B = ((double)d->kv_lora + (double)d->rope) * dm_dtype_B(a->kv_dtype);
    const double cached_n = (double)a->batch * (double)(kv_len_of(a) - a->q_len);
    const dm_work core = core_work(a, d);

    (void)err;
    out->math = faster_math(call->recipe, a->gemm);
    out->tensor_FLOP = 2 * tokens * weights + core.tensor_FLOP;
    out->vector_FLOP = core.vector_FLOP;
    out->special_op = core.special_op;
    dm_work_read(out, "hidden", tokens * d->hidden * dm_dtype_B(a->gemm->input));
    dm_work_read_weight(out, "w", weights * dm_recipe_weight_B(a->gemm));
    dm_work_read(out, "cache", cached_n * latent_B);
    dm_work_write(out, "latent", tokens * latent_B);
    dm_work_write(out, "output", tokens * d->hidden * dm_dtype_B(a->gemm->output));
    return DM_OK;
}

const dm_op dm_op_mla_module = {
    .name = "mla_module",
    .fields = DM_FIELDS(rows),
    .check = check,
    .work = work,
    .help = "multi-head latent attention with its projections",
};
