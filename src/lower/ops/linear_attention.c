/* src/lower/ops/linear_attention.c
 *
 * Kernels of linear attention: the short causal convolution before it, the gated delta rule in chunks and step by
 * step, and the Mamba-2 scan.
 *
 * Sources: Gated DeltaNet, Yang et al., arXiv:2412.06464, section 3 (recurrence, and the chunked form with the UT
 * transform); Mamba-2, Dao & Gu, arXiv:2405.21060, section 6 (state-space duality in blocks). Products of a chunk with
 * itself are causal, so half of their square counts. Recurrent states are fp32, as the reference kernels keep them
 * (flash-linear-attention, mamba). A prompt writes its last state; what continues from a state reads one too. */
#include "lower/ops/ops.h"

typedef enum linear_phase { PHASE_CONTEXT, PHASE_GENERATION } linear_phase;

static const dm_choice phases[] = {
    {"context", "a prompt from its start"},
    {"generation", "from the state of the tokens before"},
    {NULL, NULL},
};

typedef struct linear_args {
    int64_t batch, seq_len, d_model, d_conv, d_state, heads_k, head_k_dim, heads_v, head_v_dim, chunk;
    int phase; /* linear_phase */
} linear_args;

_Static_assert(sizeof(linear_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

#define ARG(member) offsetof(linear_args, member)

/* One table for the family, as one model sets them all; each kernel's check asks for those it needs. Chunk: 64, the
 * block of flash-linear-attention. */
/* clang-format off */
static const dm_field rows[] = {
    {"phase", DM_KIND_CHOICE, DM_UNIT_NONE, ARG(phase), 0, 0, false, "context", phases, NULL, NULL, "whether a state is read"},
    DM_DIM("batch", ARG(batch), "sequences, equally long"),
    DM_DIM_DEFAULT("seq_len", ARG(seq_len), "1", "tokens a sequence"),
    DM_DIM_OPTIONAL("d_model", ARG(d_model), "channels of the convolution"),
    DM_DIM_DEFAULT("d_conv", ARG(d_conv), "4", "taps of the convolution"),
    DM_DIM_OPTIONAL("d_state", ARG(d_state), "columns of the Mamba-2 state; absent: head_k_dim"),
    DM_DIM_OPTIONAL("heads_k", ARG(heads_k), "query and key heads; Mamba-2: groups"),
    DM_DIM_OPTIONAL("head_k_dim", ARG(head_k_dim), "columns of a query or key"),
    DM_DIM_OPTIONAL("heads_v", ARG(heads_v), "value heads, each with a state"),
    DM_DIM_OPTIONAL("head_v_dim", ARG(head_v_dim), "columns of a value"),
    DM_DIM_DEFAULT("chunk", ARG(chunk), "64", "tokens of a chunk"),
};
/* clang-format on */

static const double state_B = 4;

static double tokens_of(const linear_args *a)
{
    return (double)a->batch * (double)a->seq_len;
}

/* ---- short convolution ---- */

static const dm_variant conv_variants[] = {
    {"causal_conv1d_update", NULL, "one step of the convolution from its state"},
    {NULL, NULL, NULL},
};

static const char *conv_check(const dm_op_call *call)
{
    const linear_args *a = (const void *)call->args;

    return a->d_model > 0 ? NULL : "d_model is missing: channels of the convolution";
}

/* Depthwise: an FMA a tap, then SiLU (negate, add, divide and one exponential). The state is the last d_conv - 1
 * inputs of each channel. */
static dm_status conv_work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const linear_args *a = (const void *)call->args;
    const dm_recipe *r = call->recipe;
    const double channels = (double)a->d_model, taps = (double)a->d_conv, element_n = tokens_of(a) * channels;
    const double state_all_B = (double)a->batch * channels * (taps - 1) * dm_dtype_B(r->input);

    (void)err;
    out->vector_FLOP = (2 * taps + 3) * element_n;
    out->special_op = element_n;
    dm_work_read(out, "x", element_n * dm_dtype_B(r->input));
    dm_work_read_weight(out, "w", channels * taps * dm_recipe_weight_B(r));
    if (call->variant != NULL || a->phase == PHASE_GENERATION)
        dm_work_read(out, "state", state_all_B);
    dm_work_write(out, "y", element_n * dm_dtype_B(r->output));
    dm_work_write(out, "new state", state_all_B);
    return DM_OK;
}

static dm_status conv_plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                           dm_err *err)
{
    (void)call;
    (void)err;
    dm_stream_lower(out, "convolution", dm_stream_blocks(dm_work_read_B(&out->work)), 0, machine, params);
    return DM_OK;
}

const dm_op dm_op_causal_conv1d_fn = {
    .name = "causal_conv1d_fn",
    .fields = DM_FIELDS(rows),
    .variants = conv_variants,
    .check = conv_check,
    .work = conv_work,
    .plan = conv_plan,
    .help = "short causal convolution with SiLU over a prompt",
};

/* ---- gated delta rule ---- */

static const char *heads_check(const dm_op_call *call)
{
    const linear_args *a = (const void *)call->args;

    if (a->heads_k == 0 || a->heads_v == 0 || a->head_v_dim == 0 || (a->head_k_dim == 0 && a->d_state == 0))
        return "heads_k, head_k_dim, heads_v and head_v_dim are wanted";
    if (a->heads_v % a->heads_k != 0)
        return "heads_v is no multiple of heads_k; every key head serves the same number of value heads";
    return NULL;
}

static double key_dim(const linear_args *a)
{
    return (double)(a->head_k_dim > 0 ? a->head_k_dim : a->d_state);
}

/* q, k, v, gate and step size in; o and the states out. Gate and step size are one fp32 a token and head. */
static void delta_bytes(const linear_args *a, const dm_recipe *r, bool reads_state, dm_work *out)
{
    const double gate_B = 4, tokens = tokens_of(a), heads_v = (double)a->heads_v;
    const double key_n = tokens * (double)a->heads_k * key_dim(a), value_n = tokens * heads_v * (double)a->head_v_dim;
    const double state_all_B = (double)a->batch * heads_v * key_dim(a) * (double)a->head_v_dim * state_B;

    dm_work_read(out, "q", key_n * dm_dtype_B(r->input));
    dm_work_read(out, "k", key_n * dm_dtype_B(r->input));
    dm_work_read(out, "v", value_n * dm_dtype_B(r->input));
    dm_work_read(out, "gates", 2 * tokens * heads_v * gate_B);
    if (reads_state)
        dm_work_read(out, "state", state_all_B);
    dm_work_write(out, "o", value_n * dm_dtype_B(r->output));
    dm_work_write(out, "new state", state_all_B);
}

/* Pairs of a token and an earlier one or itself within the same chunk, over one sequence. */
static double chunk_pairs(const linear_args *a)
{
    const double full = (double)(a->seq_len / a->chunk), c = (double)a->chunk, rest = (double)(a->seq_len % a->chunk);

    return full * c * (c + 1) / 2 + rest * (rest + 1) / 2;
}

/* FLOP of one sequence. Within a chunk: K K' and Q K' a key head; T K, T V and the masked Q K' times values a value
 * head. Across chunks three products with the state a token: W S, Q S, K' U. Inverting the triangle of c tokens takes
 * c^3 / 3, by pairs 2 c / 3 each. */
static double delta_chunk_FLOP(const linear_args *a)
{
    const double dk = key_dim(a), dv = (double)a->head_v_dim, pairs = chunk_pairs(a);
    const double block = (double)(a->seq_len < a->chunk ? a->seq_len : a->chunk);
    const double within_k = 2 * pairs * 2 * dk, within_v = pairs * (2 * dk + 4 * dv + 2 * block / 3);

    return (double)a->heads_k * within_k + (double)a->heads_v * (within_v + (double)a->seq_len * 6 * dk * dv);
}

static dm_status delta_chunk_work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const linear_args *a = (const void *)call->args;

    (void)err;
    out->tensor_FLOP = (double)a->batch * delta_chunk_FLOP(a);
    out->special_op = tokens_of(a) * (double)a->heads_v; /* exponential of the cumulated gate */
    delta_bytes(a, call->recipe, a->phase == PHASE_GENERATION, out);
    return DM_OK;
}

const dm_op dm_op_chunk_gated_delta_rule = {
    .name = "chunk_gated_delta_rule",
    .fields = DM_FIELDS(rows),
    .check = heads_check,
    .work = delta_chunk_work,
    .help = "gated delta rule over a prompt, in chunks",
};

/* One step of a head: decay the state (1 a cell), read it with k, update it with the outer product, read it with q
 * (2 a cell each). */
static dm_status delta_step_work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const linear_args *a = (const void *)call->args;
    const double step_n = tokens_of(a) * (double)a->heads_v;

    (void)err;
    out->vector_FLOP = 7 * step_n * key_dim(a) * (double)a->head_v_dim;
    out->special_op = step_n;
    delta_bytes(a, call->recipe, true, out);
    return DM_OK;
}

/* One CTA a sequence and head: its state is read once and stays in registers; one dependent trip a step. */
static dm_status delta_step_plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                                 dm_launch *out, dm_err *err)
{
    const linear_args *a = (const void *)call->args;
    int64_t state_n;

    (void)err;
    if (!dm_num_mul(a->batch, a->heads_v, &state_n))
        state_n = (int64_t)DM_DIM_MAX;
    dm_stream_lower(out, "recurrence", state_n, (double)a->seq_len, machine, params);
    return DM_OK;
}

const dm_op dm_op_fused_recurrent_gated_delta_rule = {
    .name = "fused_recurrent_gated_delta_rule",
    .fields = DM_FIELDS(rows),
    .check = heads_check,
    .work = delta_step_work,
    .plan = delta_step_plan,
    .help = "gated delta rule step by step from a state",
};

/* ---- Mamba-2 ---- */

/* FLOP of one sequence, N state columns and P head columns: C B' of a chunk a group; its product with X, the chunk's
 * state and the output from the state before (2 N P a token each) a head. */
static double mamba_FLOP(const linear_args *a)
{
    const double n = key_dim(a), p = (double)a->head_v_dim, pairs = chunk_pairs(a);

    return (double)a->heads_k * 2 * pairs * n + (double)a->heads_v * (2 * pairs * p + (double)a->seq_len * 4 * n * p);
}

static dm_status mamba_work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const linear_args *a = (const void *)call->args;
    const dm_recipe *r = call->recipe;
    const double tokens = tokens_of(a), heads = (double)a->heads_v, group_n = tokens * (double)a->heads_k * key_dim(a);
    const double x_n = tokens * heads * (double)a->head_v_dim;
    const double state_all_B = (double)a->batch * heads * (double)a->head_v_dim * key_dim(a) * state_B;

    (void)err;
    out->tensor_FLOP = (double)a->batch * mamba_FLOP(a);
    out->special_op = tokens * heads; /* decay of a step */
    dm_work_read(out, "x", x_n * dm_dtype_B(r->input));
    dm_work_read(out, "b", group_n * dm_dtype_B(r->input));
    dm_work_read(out, "c", group_n * dm_dtype_B(r->input));
    dm_work_read(out, "dt", tokens * heads * dm_dtype_B(r->input));
    if (a->phase == PHASE_GENERATION)
        dm_work_read(out, "state", state_all_B);
    dm_work_write(out, "y", x_n * dm_dtype_B(r->output));
    dm_work_write(out, "new state", state_all_B);
    return DM_OK;
}

const dm_op dm_op_mamba_chunk_scan_combined = {
    .name = "mamba_chunk_scan_combined",
    .fields = DM_FIELDS(rows),
    .check = heads_check,
    .work = mamba_work,
    .help = "Mamba-2 scan over a prompt, in chunks",
};
