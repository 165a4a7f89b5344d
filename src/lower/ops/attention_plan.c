/* src/lower/ops/attention_plan.c
 *
 * Work and kernels of softmax attention: see the header.
 *
 * Sources: FlashAttention-2, Dao, arXiv:2307.08691 (one CTA a tile of queries, K and V streamed through it, blocks of
 * {64, 128} x {64, 128}); FlashDecoding, Dao et al., PyTorch blog, October 2023 (the cache is split over CTAs until
 * they fill the machine, a second kernel combines); online softmax: Milakov & Gimelshein, arXiv:1805.02867. */
#include "lower/ops/attention.h"

#include <math.h>

enum {
    TILE_Q = 128,           /* queries of a CTA; FlashAttention-2, section 3.3 */
    TILE_Q_SHORT = 64,      /* the smaller of its two sizes, for sequences that fit it */
    TILE_KV = 64,           /* keys of one step of the ring, the same section */
    STAGES = 2,             /* the next step's K and V are under way while this one multiplies */
    CTA_PER_CORE_MAX = 2,   /* accumulators of 128 queries fill half of the registers */
    ROWS_MIN = 16,          /* rows of the smallest matrix instruction where a device states no tile (mma.m16n8k16) */
    SPLIT_WAVES = 2,        /* CTAs a core that FlashDecoding's split aims at: two fit, see above */
    SPLIT_KV_MIN = 256      /* keys under which a split costs more than it gains: the library's largest decode block */
};

/* Online softmax, a pair: maximum, one FMA that scales and subtracts it, and the sum. */
static const double softmax_FLOP = 4;
static const double partial_B = 4; /* partial outputs and their log-sum-exp are fp32 */

double dm_attention_pairs(int64_t q_len, int64_t kv_len, int64_t window, bool causal)
{
    const double q = (double)q_len, kv = (double)kv_len, limit = (double)window;

    if (!causal)
        return q * kv;
    /* Query i of 1..q sees the keys up to its own position, kv - q + i: a sum of consecutive numbers, cut at the
     * window. */
    const double first = kv - q + 1;
    if (window == 0 || limit >= kv)
        return q * (first + kv) / 2;
    if (limit <= first)
        return q * limit;
    return (limit - first + 1) * (first + limit) / 2 + (kv - limit) * limit;
}

/* Keys that at least one query sees. */
static int64_t seen(const dm_attention *a)
{
    const int64_t reach = a->window + a->q_len - 1;

    return a->causal && a->window > 0 && reach < a->kv_len ? reach : a->kv_len;
}

static double column_B(const dm_attention *a)
{
    return (double)(a->latent ? a->qk_dim : a->qk_dim + a->v_dim) * a->kv_B;
}

static double rows_all(const dm_attention *a)
{
    return (double)a->batch * (double)a->heads_q * (double)a->q_len;
}

/* K and V of `columns` positions of every sequence. */
static double kv_all_B(const dm_attention *a, double columns)
{
    return (double)a->batch * (double)a->heads_kv * columns * column_B(a);
}

static void add_arithmetic(const dm_attention *a, dm_work *out)
{
    const double heads = (double)a->batch * (double)a->heads_q;
    const double pairs = heads * dm_attention_pairs(a->q_len, a->kv_len, a->window, a->causal);

    out->tensor_FLOP += 2 * pairs * (double)(a->qk_dim + a->v_dim);
    out->vector_FLOP += softmax_FLOP * pairs;
    out->special_op += pairs;
}

void dm_attention_work(const dm_attention *a, dm_work *out)
{
    const double columns = (double)a->batch * (double)a->heads_kv * (double)seen(a);

    add_arithmetic(a, out);
    dm_work_read(out, "q", rows_all(a) * (double)a->qk_dim * a->q_B);
    if (a->latent) {
        dm_work_read(out, "kv", columns * column_B(a));
    } else {
        dm_work_read(out, "k", columns * (double)a->qk_dim * a->kv_B);
        dm_work_read(out, "v", columns * (double)a->v_dim * a->kv_B);
    }
    dm_work_write(out, "o", rows_all(a) * (double)a->v_dim * a->o_B);
}

/* The kernel that writes new keys and values into the cache; all three serving stacks run it inside the operator. */
static void plan_append(const dm_attention *a, const dm_machine *machine, const dm_params *params, dm_launch *out)
{
    const double element_n = (double)a->batch * (double)a->q_len * a->append_n;

    if (!(element_n > 0))
        return;
    dm_kernel *kernel = dm_launch_add(out, "append");
    dm_work_read(&kernel->work, "new kv", element_n * a->q_B);
    dm_work_write(&kernel->work, "cache", element_n * a->cache_B);
    dm_stream_plan(kernel, dm_stream_blocks(element_n * a->q_B), 0, machine, params);
}

/* What the attention kernel itself reads; new columns start in L2 if the append kernel's writes fit it. */
static void add_inputs(const dm_attention *a, dm_work *out)
{
    const double columns = (double)seen(a);
    const double fresh = a->append_n > 0 && a->reads_appended ? dm_num_min((double)a->q_len, columns) : 0;

    add_arithmetic(a, out);
    dm_work_read(out, "q", rows_all(a) * (double)a->qk_dim * a->q_B);
    dm_work_read(out, "kv", kv_all_B(a, columns - fresh));
    dm_work_pass(out, "new kv", kv_all_B(a, fresh), false);
}

static dm_status need_machine(const dm_machine *machine, dm_err *err)
{
    const dm_hw *hw = machine->hw;
    const double *const needed[] = {&hw->dram_latency_s, &hw->l2_latency_s, &hw->l2_Bpclk};

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const dm_status status = dm_hw_need(hw, needed[i], "an attention kernel", err);
        if (status != DM_OK)
            return status;
    }
    return DM_OK;
}

static dm_status fail_size(dm_err *err)
{
    return dm_fail(err, DM_ERR_INPUT, "attention: the shape is too large, its CTAs do not fit a count");
}

/* Fill in the kernel's CTA: `rows` padded queries against `columns` keys. */
static void fill_cta(const dm_attention *a, const dm_machine *machine, int64_t rows, double columns, dm_kernel *kernel)
{
    const double pairs = (double)rows * columns, q_tile_B = (double)rows * (double)a->qk_dim * a->q_B;
    const double step_B = TILE_KV * column_B(a), ring_B = STAGES * step_B;
    const double fit = machine->hw->shared_B > 0 ? floor(machine->hw->shared_B / (q_tile_B + ring_B)) : 1;

    kernel->matrix = true;
    kernel->tile_m = rows;
    kernel->tile_n = TILE_KV;
    kernel->tile_k = a->qk_dim;
    kernel->stages = STAGES;
    kernel->cta_per_core = fit >= CTA_PER_CORE_MAX ? CTA_PER_CORE_MAX : 1;
    kernel->cta_tensor_FLOP = 2 * pairs * (double)(a->qk_dim + a->v_dim);
    kernel->cta_vector_FLOP = softmax_FLOP * pairs;
    kernel->cta_special_op = pairs;
    kernel->cta_read_B = columns * column_B(a) + q_tile_B;
    kernel->inflight_B = dm_num_min(ring_B, machine->hw->shared_B > 0 ? machine->hw->shared_B : ring_B);
}

/* Keys that the mean CTA goes through. Masked tiles are skipped, half-masked ones are not: the pair count of the mask
 * in units of tiles. Causal CTAs differ in length; libraries launch the longest first, so that cores end together
 * within one tile, and the mean decides. */
static double mean_columns(const dm_attention *a, int64_t tile, int64_t q_tile_n)
{
    const int64_t kv_tile_n = dm_num_ceil_div(a->kv_len, tile);
    const int64_t window_tile_n = a->window > 0 ? dm_num_ceil_div(a->window - 1, tile) + 1 : 0;
    const double tiles = dm_attention_pairs(q_tile_n, kv_tile_n, window_tile_n, a->causal);
    const double padded = tiles * (double)tile / (double)q_tile_n;
    /* Where kv_len - q_len is no multiple of the tile the count may fall short: never below the pairs themselves. */
    const double least = dm_attention_pairs(a->q_len, a->kv_len, a->window, a->causal) /
                         ((double)q_tile_n * (double)tile);

    return dm_num_max(padded, least);
}

dm_status dm_attention_plan_prefill(const dm_attention *a, const dm_machine *machine, const dm_params *params,
                                    dm_launch *out, dm_err *err)
{
    const int64_t tile = a->q_len <= TILE_Q_SHORT ? TILE_Q_SHORT : TILE_Q;
    const int64_t q_tile_n = dm_num_ceil_div(a->q_len, tile);
    const dm_status status = need_machine(machine, err);
    int64_t cta_n;

    if (status != DM_OK)
        return status;
    if (!dm_num_mul(a->batch, a->heads_q, &cta_n) || !dm_num_mul(cta_n, q_tile_n, &cta_n))
        return fail_size(err);

    plan_append(a, machine, params, out);
    dm_kernel *kernel = dm_launch_add(out, "attention");
    add_inputs(a, &kernel->work);
    dm_work_write(&kernel->work, "o", rows_all(a) * (double)a->v_dim * a->o_B);
    kernel->cta_n = cta_n;
    fill_cta(a, machine, tile, mean_columns(a, tile, q_tile_n), kernel);
    return DM_OK;
}

/* Queries that share a KV head are rows of one CTA: the cache is read once a KV head. */
static int64_t packed_rows(const dm_hw *hw, int64_t rows)
{
    const int64_t step = hw->tile_m_min > ROWS_MIN ? hw->tile_m_min : ROWS_MIN;
    const int64_t padded = dm_num_ceil_div(rows, step) * step;

    return padded < TILE_Q ? padded : TILE_Q;
}

/* FlashDecoding's split: enough CTAs for every core, but no share under SPLIT_KV_MIN keys. */
static int64_t choose_split(int64_t unsplit_n, int64_t columns, int64_t core_n)
{
    const int64_t wanted = SPLIT_WAVES * core_n / unsplit_n, most = dm_num_ceil_div(columns, SPLIT_KV_MIN);

    return wanted < 1 ? 1 : wanted > most ? most : wanted;
}

static void plan_combine(const dm_attention *a, double partial_all_B, const dm_machine *machine,
                         const dm_params *params, dm_launch *out)
{
    dm_kernel *kernel = dm_launch_add(out, "combine");

    kernel->work.vector_FLOP = 2 * partial_all_B / partial_B; /* scale by the weight of the split, and add */
    dm_work_pass(&kernel->work, "partial", partial_all_B, false);
    dm_work_write(&kernel->work, "o", rows_all(a) * (double)a->v_dim * a->o_B);
    dm_stream_plan(kernel, (int64_t)dm_num_min(rows_all(a), DM_DIM_MAX), 1, machine, params);
}

dm_status dm_attention_plan_decode(const dm_attention *a, const dm_machine *machine, const dm_params *params,
                                   dm_launch *out, dm_err *err)
{
    const dm_status status = need_machine(machine, err);
    int64_t rows, unsplit_n, cta_n;

    if (status != DM_OK)
        return status;
    if (!dm_num_mul(a->heads_q / a->heads_kv, a->q_len, &rows) || !dm_num_mul(a->batch, a->heads_kv, &unsplit_n) ||
        !dm_num_mul(unsplit_n, dm_num_ceil_div(rows, TILE_Q), &unsplit_n))
        return fail_size(err);
    const int64_t split = choose_split(unsplit_n, seen(a), machine->core_n);
    if (!dm_num_mul(unsplit_n, split, &cta_n))
        return fail_size(err);

    plan_append(a, machine, params, out);
    dm_kernel *kernel = dm_launch_add(out, "attention");
    const int64_t share = dm_num_ceil_div(dm_num_ceil_div(seen(a), split), TILE_KV) * TILE_KV;
    const double partial_all_B = (double)split * rows_all(a) * (double)(a->v_dim + 1) * partial_B;
    add_inputs(a, &kernel->work);
    if (split > 1)
        dm_work_pass(&kernel->work, "partial", partial_all_B, true);
    else
        dm_work_write(&kernel->work, "o", rows_all(a) * (double)a->v_dim * a->o_B);
    kernel->split_k = split;
    kernel->cta_n = cta_n;
    fill_cta(a, machine, packed_rows(machine->hw, rows), (double)share, kernel);
    if (split > 1)
        plan_combine(a, partial_all_B, machine, params, out);
    return DM_OK;
}
