/* src/lower/stream.c
 *
 * Streaming kernels: see the header. Few units leave cores idle; the rest is bytes in flight over latency. */
#include "lower/stream.h"

#include <math.h>

enum { BLOCK_B = 1024 * 16, ROW_CTA_B = 128 * 16 };

int64_t dm_stream_blocks(double bytes)
{
    const double blocks = ceil(bytes / BLOCK_B);

    return blocks < 1 ? 1 : blocks > 1e15 ? (int64_t)1e15 : (int64_t)blocks;
}

int64_t dm_stream_row_units(int64_t row_n, double row_B)
{
    const int64_t together = row_B > 0 && row_B < ROW_CTA_B ? (int64_t)(ROW_CTA_B / row_B) : 1;

    return dm_num_ceil_div(row_n, together);
}

void dm_stream_plan_asking(dm_kernel *kernel, int64_t unit_n, double asked_B, double latency_n,
                           const dm_machine *machine, const dm_params *params)
{
    const int64_t unit = unit_n < 1 ? 1 : unit_n;
    const double n = (double)unit;
    /* A long row occupies a whole core by itself; short ones share it, up to the bytes a core keeps in flight. */
    const double row_B = asked_B / n;
    const double fit = row_B > 0 ? floor(params->stream_inflight_B / row_B) : 1;
    const double by_limit = machine->hw->cta_n > 0 ? (double)machine->hw->cta_n : 32.0;
    const double per_core = fit < 1 ? 1 : fit > by_limit ? by_limit : fit;

    kernel->cta_n = unit;
    kernel->cta_per_core = (int64_t)per_core;
    kernel->cta_vector_FLOP = kernel->work.vector_FLOP / n;
    kernel->cta_special_op = kernel->work.special_op / n;
    kernel->cta_read_B = row_B;
    kernel->inflight_B = row_B > 0 ? dm_num_min(row_B, params->stream_inflight_B) : 1;
    kernel->chain_n = latency_n;
    kernel->fractional_waves = false;
}

void dm_stream_plan(dm_kernel *kernel, int64_t unit_n, double latency_n, const dm_machine *machine,
                    const dm_params *params)
{
    dm_stream_plan_asking(kernel, unit_n, dm_work_read_B(&kernel->work), latency_n, machine, params);
}

void dm_stream_lower(dm_launch *launch, const char *name, int64_t unit_n, double latency_n, const dm_machine *machine,
                     const dm_params *params)
{
    dm_kernel *kernel = dm_launch_add(launch, name);

    kernel->work = launch->work;
    dm_stream_plan(kernel, unit_n, latency_n, machine, params);
}
