/* src/model/roofline.c
 *
 * Roofline bound: what no schedule can beat.
 *
 * Source: Williams, Waterman & Patterson, CACM 52(4), 2009, doi:10.1145/1498765.1498785, where
 * rate = min(peak, intensity * bandwidth). Solved here for time, finite even at zero traffic, and with one roof for
 * each pipe and each level. A rate that the device does not state bounds nothing. */
#include <math.h>

#include "model/model.h"

double dm_roofline_time_s(double work_FLOP, double traffic_B, double peak_FLOPps, double bw_Bps)
{
    const double compute_s = work_FLOP / peak_FLOPps;
    const double memory_s = traffic_B / bw_Bps;

    return fmax(compute_s, memory_s);
}

typedef struct bound {
    double time_s;
    const char *limiter;
} bound;

/* NaN (an unstated rate) and 0/0 compare false, so they never bind. */
static void raise_bound(bound *b, double time_s, const char *limiter)
{
    if (time_s > b->time_s) {
        b->time_s = time_s;
        b->limiter = limiter;
    }
}

/* Special functions per second that no kernel exceeds: exp can also be a cubic polynomial on the vector pipe, which is
 * four FMA or 8 FLOP with its range reduction (FlashAttention-4 mixes both ways; Cody & Waite, 1980). */
static double special_opps(const dm_machine *machine)
{
    static const double emulated_FLOP = 8;

    return machine->special_opps + machine->vector_FLOPps[DM_MATH_FP32] / emulated_FLOP;
}

static double link_Bps(const dm_machine *machine, dm_link_domain domain)
{
    return domain == DM_LINK_SCALE_OUT ? machine->hw->scale_out.bw_Bps : machine->hw->scale_up.bw_Bps;
}

void dm_roofline(const dm_launch *launch, const dm_machine *machine, dm_hits hits, dm_result *out)
{
    const dm_work *work = &launch->work;
    const double dram_B = dm_residency_dram_B(work, hits);
    bound b = {0, "none"};

    if (work->tensor_FLOP > 0)
        raise_bound(&b,
                    work->tensor_FLOP / (launch->tensor ? machine->tensor_FLOPps : machine->vector_FLOPps)[launch->math],
                    launch->tensor ? "tensor" : "vector");
    raise_bound(&b, work->vector_FLOP / machine->vector_FLOPps[work->vector_math], "vector");
    raise_bound(&b, work->special_op / special_opps(machine), "special");
    raise_bound(&b, dm_work_read_B(work) / machine->l2_Bps, "l2");
    raise_bound(&b, dram_B / machine->dram_Bps, "dram");
    if (work->link != DM_LINK_NONE)
        raise_bound(&b, work->link_B / link_Bps(machine, work->link), "link");

    out->time_s = b.time_s;
    out->time_lo_s = NAN;
    out->time_hi_s = NAN;
    out->limiter = b.limiter;
    out->work_FLOP = work->tensor_FLOP + work->vector_FLOP;
    out->dram_B = dram_B;
    out->link_B = work->link_B;
    out->bound_s = b.time_s;
    out->emulated = launch->emulated ? dm_math_name(launch->math) : NULL;
    out->kernel_n = 0;
    out->part_n = 1;
    out->part[0] = (dm_part){b.limiter, b.time_s};
}
