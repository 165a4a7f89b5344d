/* src/lower/stream.h
 *
 * Streaming kernels: rows or elements read once, a little arithmetic, written once. */
#ifndef DM_LOWER_STREAM_H
#define DM_LOWER_STREAM_H

#include "lower/launch.h"
#include "lower/params.h"
#include "util/num.h"

/* Fill in the grid of a kernel whose `work` is set: `unit_n` independent units (rows, or blocks of elements), each
 * given to one CTA; latency_n dependent trips to memory beyond the stream (0 for elementwise, 1 for a row
 * reduction that ends in shared memory). */
void dm_stream_plan(dm_kernel *kernel, int64_t unit_n, double latency_n, const dm_machine *machine,
                    const dm_params *params);

/* The same for a kernel that asks for asked_B in all, where that is not each operand once. */
void dm_stream_plan_asking(dm_kernel *kernel, int64_t unit_n, double asked_B, double latency_n,
                           const dm_machine *machine, const dm_params *params);

/* Units of an elementwise kernel: blocks of 1,024 threads with 16 B each. */
int64_t dm_stream_blocks(double bytes);

/* Units of a kernel that works row by row: the rows, or groups of rows too short for a CTA of 128 threads with 16 B
 * each (as in PyTorch's row kernels, where a warp takes a short row). */
int64_t dm_stream_row_units(int64_t row_n, double row_B);

/* A launch of one streaming kernel that does all of launch->work. */
void dm_stream_lower(dm_launch *launch, const char *name, int64_t unit_n, double latency_n, const dm_machine *machine,
                     const dm_params *params);

#endif
