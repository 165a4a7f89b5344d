/* src/lower/matmul.c
 *
 * A library's heuristic ranks tiles with a small time model; so do we, and take the best.
 *
 * Sources: the loop structure of CUTLASS (thread-block tile, k-steps through a ring of shared-memory stages, split-K);
 * Little's law for the feed: bytes in flight / latency; wave quantisation as in NVIDIA's "Matrix Multiplication
 * Background" guide, section "Wave Quantization"; fractional waves: Osama et al., "Stream-K", PPoPP 2023. */
#include "lower/matmul.h"

#include <math.h>

static const int64_t tile_sizes[] = {8, 16, 32, 64, 96, 128, 192, 256};
static const int64_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

enum {
    SIZE_N = sizeof tile_sizes / sizeof tile_sizes[0],
    SPLIT_N = sizeof splits / sizeof splits[0],
    STEP_BYTES = 128,     /* one row of a k-step: one cache line, the width of a swizzled shared-memory row */
    SPLIT_STEPS_MIN = 4,  /* fewer k-steps than this leave a pipeline that never fills */
    SPLIT_WAVES_MAX = 4,  /* more CTAs than this many waves gain nothing from a split */
    STAGES_ASYNC = 4,     /* CUTLASS' usual ring where copies are asynchronous */
    STAGES_SYNC = 2,      /* double buffering through registers elsewhere */
    PARTIAL_B = 4         /* partial sums are fp32 */
};

/* What candidates are judged by. Inverse rates, for a division costs as much as all else in the loop. */
typedef struct pricing {
    double core_spFLOP, core_l2_spB, l2_spB; /* seconds per unit, of one core or the device */
    double busy_latency_s, dram_s, fill_s;   /* under load; of all DRAM bytes; of one wave */
    double reduce_s, out_B;
    double core_spn; /* 1 / cores */
    int64_t core_n;
    bool fractional;
} pricing;

typedef struct candidate {
    int64_t m, n, split, cta_n, stages, per_core, step_n;
    double step_FLOP, step_B, inflight_B, l2_frac;
    double time_s;
} candidate;

int64_t dm_matmul_k_step(double a_B, double w_B)
{
    const double wide_B = dm_num_max(a_B, w_B);
    const int64_t step = (int64_t)floor((double)STEP_BYTES / wide_B);

    return step < 8 ? 8 : step / 8 * 8;
}

static bool tile_allowed(const dm_hw *hw, int64_t bm, int64_t bn)
{
    return bm >= hw->tile_m_min && bm <= hw->tile_m_max && bn >= hw->tile_n_min && bn <= hw->tile_n_max &&
           bm * bn >= hw->tile_area_min && bm * bn <= hw->tile_area_max;
}

/* A tile half of which lies outside the matrix is never better than the same tile halved, where that is allowed. */
static bool tile_wasteful(const dm_hw *hw, int64_t bm, int64_t bn, int64_t m, int64_t n)
{
    return (bm / 2 >= m && tile_allowed(hw, bm / 2, bn)) || (bn / 2 >= n && tile_allowed(hw, bm, bn / 2));
}

static pricing price(const dm_matmul *p, const dm_machine *machine, const dm_params *params)
{
    const double rate = p->tensor ? machine->tensor_FLOPps[p->math] * params->tensor_efficiency_frac
                                  : machine->vector_FLOPps[p->math] * params->vector_efficiency_frac;
    const double latency_s = p->dram_frac * machine->dram_latency_s + (1 - p->dram_frac) * machine->l2_latency_s;
    const double l2_Bps = machine->l2_Bps * params->l2_efficiency_frac;

    return (pricing){
        .core_spFLOP = machine->core_count / rate,
        .core_l2_spB = machine->core_count / l2_Bps,
        .l2_spB = 1 / l2_Bps,
        .busy_latency_s = latency_s * params->loaded_latency_ratio,
        .dram_s = p->dram_B / (machine->dram_Bps * params->dram_efficiency_frac),
        .fill_s = params->wave_latency_n * latency_s,
        .reduce_s = params->reduce_latency_n * machine->l2_latency_s,
        .out_B = (double)p->batch * (double)p->m * (double)p->n * PARTIAL_B,
        .core_spn = 1 / machine->core_count,
        .core_n = machine->core_n,
        .fractional = (machine->hw->features & DM_FEATURE_FRACTIONAL_WAVES) != 0,
    };
}

/* Partial sums of a split, each written and read back through L2. */
static double reduce_B(int64_t split, double out_B)
{
    return split > 1 ? 2.0 * out_B * (double)split : 0;
}

static double candidate_time_s(const candidate *c, const pricing *at)
{
    const int64_t together = dm_num_ceil_div(c->cta_n, at->core_n);
    const bool cut = at->fractional && c->cta_n > at->core_n;
    const double steps = (cut ? (double)c->cta_n * at->core_spn : (double)together) * (double)c->step_n;
    const double resident = (double)(together < c->per_core ? together : c->per_core);
    const double little_s = c->step_B * at->busy_latency_s / (resident * c->inflight_B);
    const double compute = steps * c->step_FLOP * at->core_spFLOP;
    const double feed = steps * dm_num_max(little_s, c->step_B * c->l2_frac * at->core_l2_spB);
    const double c2 = compute * compute, f2 = feed * feed, d2 = at->dram_s * at->dram_s;
    /* The fourth-power mean needs two square roots and no pow: this is the innermost line of every sweep. */
    const double blended = sqrt(sqrt(c2 * c2 + f2 * f2 + d2 * d2));
    const int64_t waves = together <= c->per_core ? 1 : dm_num_ceil_div(together, c->per_core);

    return blended + at->fill_s * (double)waves;
}

/* `least_s`: what no split of this tile can beat, reduction apart. More splits only add to the reduction. */
static void try_splits(const pricing *at, candidate *c, int64_t tile_n, int64_t step_all_n, double least_s,
                       candidate *best)
{
    for (int i = 0; i < SPLIT_N; i++) {
        const double reduce_s = splits[i] > 1 ? at->reduce_s + reduce_B(splits[i], at->out_B) * at->l2_spB : 0;
        if (least_s + reduce_s >= best->time_s)
            break;
        c->split = splits[i];
        c->cta_n = tile_n * c->split;
        c->step_n = c->split > 1 ? dm_num_ceil_div(step_all_n, c->split) : step_all_n;
        if (c->split > 1 && (c->step_n < SPLIT_STEPS_MIN || c->cta_n > SPLIT_WAVES_MAX * at->core_n))
            break;
        c->time_s = candidate_time_s(c, at) + reduce_s;
        if (c->time_s < best->time_s)
            *best = *c;
    }
}

/* Share of a k-step's bytes that a CTA must ask L2 for, when neighbours in a cluster of rows x cols tiles fetch the
 * operand that they share once: CUTLASS' multicast over 2x1, 1x2 or 2x2 tiles. */
static double multicast_frac(int64_t cluster_n, int64_t rows, int64_t cols, double a_B, double w_B)
{
    double least_B = a_B + w_B;

    if (cluster_n == 1)
        return 1;
    for (int64_t cm = 1; cm <= cluster_n && cm <= rows; cm *= 2)
        for (int64_t cn = 1; cm * cn <= cluster_n && cn <= cols; cn *= 2)
            least_B = dm_num_min(least_B, a_B / (double)cn + w_B / (double)cm);
    return least_B / (a_B + w_B);
}

/* Tiles that cover the matrix: a grid of rows x cols. */
typedef struct cover {
    int64_t bm, bn, rows, cols;
} cover;

static candidate make_tile(const dm_matmul *p, const dm_machine *machine, const cover *grid, int64_t k_step)
{
    const int64_t bm = grid->bm, bn = grid->bn;
    const bool async = (machine->hw->features & DM_FEATURE_ASYNC_COPY) != 0;
    const double a_B = (double)bm * p->a_B * (double)k_step, w_B = (double)bn * p->w_B * (double)k_step;
    const double step_B = a_B + w_B;
    const double shared_B = machine->hw->shared_B > 0 ? machine->hw->shared_B : 65536.0;
    const int64_t room = (int64_t)(shared_B / step_B), wanted = async ? STAGES_ASYNC : STAGES_SYNC;
    const int64_t stages = room < 2 ? 2 : room < wanted ? room : wanted;
    const int64_t by_shared = room / stages, by_accumulators = machine->hw->tile_area_max / (bm * bn);
    const int64_t per_core = by_shared < by_accumulators ? by_shared : by_accumulators;

    return (candidate){
        .m = bm,
        .n = bn,
        .stages = stages,
        .per_core = per_core < 1 ? 1 : per_core,
        .step_FLOP = 2.0 * (double)bm * (double)bn * (double)k_step,
        .step_B = step_B,
        .inflight_B = (double)stages * step_B,
        .l2_frac = multicast_frac(machine->hw->tile_cluster_n, grid->rows, grid->cols, a_B, w_B),
    };
}

/* No split of this tile takes less: all cores busy to the end. It spares most tiles the loop over splits, and never
 * changes which one wins. */
static double least_time_s(const candidate *c, const pricing *at, double core_steps)
{
    const double compute = core_steps * c->step_FLOP * at->core_spFLOP;
    const double feed = core_steps * c->step_B * c->l2_frac * at->core_l2_spB;

    return dm_num_max(at->dram_s, dm_num_max(compute, feed)) + at->fill_s;
}

/* Large tiles first: they mostly win, and the better the first, the more of the rest are spared. */
static candidate search(const dm_matmul *p, const dm_machine *machine, const dm_params *params, int64_t k_step)
{
    const pricing at = price(p, machine, params);
    const dm_hw *hw = machine->hw;
    const int64_t step_all_n = dm_num_ceil_div(p->k, k_step);
    candidate best = {.time_s = INFINITY};
    int64_t cols[SIZE_N];

    for (int j = 0; j < SIZE_N; j++)
        cols[j] = dm_num_ceil_div(p->n, tile_sizes[j]);
    for (int i = SIZE_N - 1; i >= 0; i--) {
        const int64_t rows = dm_num_ceil_div(p->m, tile_sizes[i]);
        for (int j = SIZE_N - 1; j >= 0; j--) {
            const cover grid = {tile_sizes[i], tile_sizes[j], rows, cols[j]};
            if (!tile_allowed(hw, grid.bm, grid.bn) || tile_wasteful(hw, grid.bm, grid.bn, p->m, p->n))
                continue;
            candidate c = make_tile(p, machine, &grid, k_step);
            const int64_t tile_n = p->batch * rows * cols[j];
            const double core_steps = (double)tile_n * (double)step_all_n * at.core_spn;
            try_splits(&at, &c, tile_n, step_all_n, least_time_s(&c, &at, core_steps), &best);
        }
    }
    return best;
}

static dm_status need_machine(const dm_machine *machine, dm_err *err)
{
    const dm_hw *hw = machine->hw;
    dm_status status = dm_hw_need(hw, &hw->dram_latency_s, "a matrix kernel", err);

    if (status == DM_OK)
        status = dm_hw_need(hw, &hw->l2_latency_s, "a matrix kernel", err);
    if (status == DM_OK)
        status = dm_hw_need(hw, &hw->l2_Bpclk, "a matrix kernel", err);
    if (status == DM_OK && (hw->tile_m_max == 0 || hw->tile_n_max == 0 || hw->tile_area_max == 0))
        return dm_fail(err, DM_ERR_MISSING, "%s does not state compute.tile, which a matrix kernel needs", hw->name);
    return status;
}

dm_status dm_matmul_plan(const dm_matmul *problem, const dm_machine *machine, const dm_params *params,
                         dm_kernel *kernel, dm_err *err)
{
    const int64_t k_step = dm_matmul_k_step(problem->a_B, problem->w_B);
    const dm_status status = need_machine(machine, err);

    if (status != DM_OK)
        return status;
    /* Far below what int64_t holds, so that no count of CTAs or k-steps below can overflow. */
    if ((double)problem->batch * (double)problem->m * (double)problem->n > 1e16)
        return dm_fail(err, DM_ERR_UNSUPPORTED, "a product of more than 1e16 outputs is not one kernel");
    const candidate best = search(problem, machine, params, k_step);
    if (!isfinite(best.time_s))
        return dm_fail(err, DM_ERR_UNSUPPORTED, "%s: compute.tile allows none of the tile sizes that are tried",
                       machine->hw->name);

    kernel->matrix = true;
    kernel->tile_m = best.m;
    kernel->tile_n = best.n;
    kernel->tile_k = k_step;
    kernel->split_k = best.split;
    kernel->stages = best.stages;
    kernel->cta_n = best.cta_n;
    kernel->cta_per_core = best.per_core;
    kernel->fractional_waves = (machine->hw->features & DM_FEATURE_FRACTIONAL_WAVES) != 0;
    kernel->cta_tensor_FLOP = best.step_FLOP * (double)best.step_n;
    kernel->cta_read_B = best.step_B * (double)best.step_n;
    kernel->inflight_B = best.inflight_B;
    kernel->l2_frac = best.l2_frac;
    kernel->reduces = best.split > 1;
    kernel->reduce_B =
        reduce_B(best.split, (double)problem->batch * (double)problem->m * (double)problem->n * PARTIAL_B);
    return DM_OK;
}
