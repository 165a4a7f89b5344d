/* src/model/analytic.c
 *
 * Analytic time of a launch descriptor. A kernel is a number of CTAs on a number of cores; each CTA computes, is fed
 * through L2, and all of them share DRAM and links. The four overlap, but not perfectly.
 *
 *   T = launch + latency x (waves x fill + chain) + (compute^p + feed^p + dram^p + link^p)^(1/p) + reduction
 *
 * Sources: waves and tail as in Hong & Kim, ISCA 2009 (warp parallelism against memory latency), with Little's law for
 * the feed (J. Little, Operations Research 9(3), 1961; Volkov, PhD thesis, Berkeley 2016, chapter 4 for GPUs);
 * p-norm for partial overlap: the blending form of Churchill & Usagi, AIChE J. 18(6), 1972. */
#include <math.h>

#include "model/model.h"
#include "util/num.h"

enum part_kind {
    PART_LAUNCH,
    PART_LATENCY,
    PART_TENSOR,
    PART_VECTOR,
    PART_SPECIAL,
    PART_FEED,
    PART_DRAM,
    PART_LINK,
    PART_OVERLAP,
    PART_REDUCE,
    PART_N
};

static const char *const part_names[PART_N] = {
    [PART_LAUNCH] = "launch",   [PART_LATENCY] = "latency", [PART_TENSOR] = "tensor",   [PART_VECTOR] = "vector",
    [PART_SPECIAL] = "special", [PART_FEED] = "feed",       [PART_DRAM] = "dram",       [PART_LINK] = "link",
    [PART_OVERLAP] = "overlap", [PART_REDUCE] = "reduce",
};

_Static_assert((int)PART_N <= (int)DM_PARTS_MAX, "a result holds every kind of part");

double dm_blend_s(const double *time_s, int n, double exponent)
{
    double most_s = 0, sum = 0;

    for (int i = 0; i < n; i++)
        most_s = fmax(most_s, time_s[i]);
    if (!(most_s > 0))
        return 0;
    /* Zeros and the longest itself need no power, and pow is most of what this costs. */
    for (int i = 0; i < n; i++)
        if (time_s[i] > 0)
            sum += time_s[i] < most_s ? pow(time_s[i] / most_s, exponent) : 1;
    return most_s * pow(sum, 1 / exponent);
}

double dm_feed_Bps(double inflight_B, double latency_s, double l2_core_Bps)
{
    const double little_Bps = inflight_B / latency_s;

    return l2_core_Bps < little_Bps ? l2_core_Bps : little_Bps;
}

/* A value, or what stands in for one that the device does not state. */
static double stated_or(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

/* Fixed cost of a kernel. Only the first of an operator pays the host; those behind it are queued already. */
static double launch_s(const dm_kernel *kernel, bool first, int launch, const dm_machine *machine, const dm_params *p)
{
    const dm_hw *hw = machine->hw;
    const double latency_s = stated_or(machine->dram_latency_s, 0);
    const double graph_s = kernel->matrix ? stated_or(hw->launch_graph_s, p->launch_latency_n * latency_s)
                                          : stated_or(hw->launch_node_s, p->stream_latency_n * latency_s);

    if (!first || launch == DM_LAUNCH_GRAPH || launch == DM_LAUNCH_KERNEL)
        return graph_s;
    if (launch == DM_LAUNCH_STREAM)
        return fmax(graph_s, stated_or(hw->launch_stream_s, graph_s));
    return graph_s + stated_or(hw->launch_eager_s, p->eager_launch_s);
}

typedef struct spent {
    double compute_s, feed_s, dram_s, link_s;
    enum part_kind compute_kind;
} spent;

/* Seconds that the busiest core computes, on the pipe that takes longest. */
static void compute_time(const dm_kernel *k, const dm_launch *launch, const dm_machine *m, const dm_params *p,
                         double busiest, spent *out)
{
    const double share = busiest * m->core_count;
    const double *matrix_rate = launch->tensor ? m->tensor_FLOPps : m->vector_FLOPps;
    const double matrix_eff = launch->tensor ? p->tensor_efficiency_frac : p->vector_efficiency_frac;
    const double tensor_s =
        k->cta_tensor_FLOP > 0 ? share * k->cta_tensor_FLOP / (matrix_rate[launch->math] * matrix_eff) : 0;
    const double vector_s =
        share * k->cta_vector_FLOP / (m->vector_FLOPps[k->work.vector_math] * p->vector_efficiency_frac);
    const double special_s = share * k->cta_special_op / (m->special_opps * p->vector_efficiency_frac);

    out->compute_s = tensor_s;
    out->compute_kind = launch->tensor ? PART_TENSOR : PART_VECTOR;
    if (vector_s > out->compute_s) {
        out->compute_s = vector_s;
        out->compute_kind = PART_VECTOR;
    }
    if (special_s > out->compute_s) {
        out->compute_s = special_s;
        out->compute_kind = PART_SPECIAL;
    }
}

static double busiest_ctas(const dm_kernel *k, const dm_machine *m)
{
    if (k->fractional_waves && k->cta_n > m->core_n)
        return (double)k->cta_n / m->core_count;
    return (double)dm_num_ceil_div(k->cta_n, m->core_n);
}

static double link_time_s(const dm_work *work, const dm_machine *m, const dm_params *p)
{
    const dm_hw_link *link = work->link == DM_LINK_SCALE_OUT ? &m->hw->scale_out : &m->hw->scale_up;

    if (work->link == DM_LINK_NONE)
        return 0;
    return work->link_step_n * stated_or(link->latency_s, 0) + work->link_B / (link->bw_Bps * p->link_efficiency_frac);
}

/* Room for the parts of all kernels of an operator. */
typedef struct tally {
    double part_s[PART_N];
} tally;

static void add_overlapped(const spent *s, double exponent, tally *t)
{
    const double time_s[] = {s->compute_s, s->feed_s, s->dram_s, s->link_s};
    const enum part_kind kinds[] = {s->compute_kind, PART_FEED, PART_DRAM, PART_LINK};
    enum { N = sizeof time_s / sizeof time_s[0] };
    int most = 0;

    for (int i = 1; i < N; i++)
        most = time_s[i] > time_s[most] ? i : most;
    t->part_s[kinds[most]] += time_s[most];
    t->part_s[PART_OVERLAP] += dm_blend_s(time_s, N, exponent) - time_s[most];
}

static void add_kernel(const dm_kernel *k, const dm_launch *launch, const dm_op_call *call, const dm_machine *m,
                       const dm_params *p, bool first, tally *t, double *dram_B)
{
    const dm_hits hits = dm_residency_kernel_hits(&launch->work, &k->work, &call->conditions, m, p);
    const double kernel_dram_B = dm_residency_dram_B(&k->work, hits), unique_B = dm_work_unique_B(&k->work);
    const double miss_frac = unique_B > 0 ? kernel_dram_B / unique_B : 0;
    const double dram_latency_s = stated_or(m->dram_latency_s, 0), l2_latency_s = stated_or(m->l2_latency_s, 0);
    const double latency_s = miss_frac * dram_latency_s + (1 - miss_frac) * l2_latency_s;
    const double busiest = busiest_ctas(k, m);
    const int64_t together = dm_num_ceil_div(k->cta_n, m->core_n);
    const double resident = (double)(together < k->cta_per_core ? together : k->cta_per_core);
    const double waves = k->matrix ? ceil((double)together / (double)k->cta_per_core) : 1;
    spent s = {0};

    compute_time(k, launch, m, p, busiest, &s);
    if (k->cta_read_B > 0)
        s.feed_s = busiest * k->cta_read_B /
                   dm_feed_Bps(resident * k->inflight_B, latency_s * p->loaded_latency_ratio,
                               m->l2_Bps * p->l2_efficiency_frac / m->core_count / k->l2_frac);
    s.dram_s = kernel_dram_B / (m->dram_Bps * p->dram_efficiency_frac);
    s.link_s = link_time_s(&k->work, m, p);

    add_overlapped(&s, p->blend_exponent, t);
    t->part_s[PART_LAUNCH] += launch_s(k, first, call->conditions.launch, m, p);
    t->part_s[PART_LATENCY] += p->wave_latency_n * latency_s * waves + k->chain_n * dram_latency_s;
    if (k->reduces)
        t->part_s[PART_REDUCE] +=
            p->reduce_latency_n * l2_latency_s + k->reduce_B / (m->l2_Bps * p->l2_efficiency_frac);
    *dram_B += kernel_dram_B;
}

static double total_s(const tally *t)
{
    double sum_s = 0;

    for (int i = 0; i < PART_N; i++)
        sum_s += t->part_s[i];
    return sum_s;
}

static dm_kernel_info describe(const dm_kernel *k, const dm_machine *m, double time_s)
{
    return (dm_kernel_info){
        .name = k->name,
        .tile_m = k->tile_m,
        .tile_n = k->tile_n,
        .tile_k = k->tile_k,
        .split_k = k->split_k,
        .stages = k->stages,
        .ctas = k->cta_n,
        .ctas_per_core = k->cta_per_core,
        .waves = (double)k->cta_n / (m->core_count * (double)k->cta_per_core),
        .time_s = time_s,
    };
}

/* The largest part names what holds the operator back. */
static void fill_parts(const tally *t, dm_result *out)
{
    double most_s = -1;

    for (int i = 0; i < PART_N; i++) {
        if (!(t->part_s[i] > 0))
            continue;
        out->part[out->part_n++] = (dm_part){part_names[i], t->part_s[i]};
        if (t->part_s[i] > most_s && i != PART_OVERLAP) {
            most_s = t->part_s[i];
            out->limiter = part_names[i];
        }
    }
}

void dm_analytic(const dm_launch *launch, const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                 dm_result *out)
{
    tally t = {{0}};
    double before_s = 0, dram_B = 0;

    dm_roofline(launch, machine, dm_residency_hits(&launch->work, &call->conditions, machine, params), out);
    out->part_n = 0;
    for (int i = 0; i < launch->kernel_n; i++) {
        add_kernel(&launch->kernel[i], launch, call, machine, params, i == 0, &t, &dram_B);
        const double now_s = total_s(&t);
        out->kernel[i] = describe(&launch->kernel[i], machine, now_s - before_s);
        before_s = now_s;
    }
    out->kernel_n = launch->kernel_n;
    fill_parts(&t, out);
    out->time_s = 0;
    for (int i = 0; i < out->part_n; i++)
        out->time_s += out->part[i].time_s;
    out->dram_B = dram_B;
}
