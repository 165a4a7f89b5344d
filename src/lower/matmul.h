/* src/lower/matmul.h
 *
 * Tiling a matrix product as a library would: the smallest estimated time over the tiles and k-splits that the
 * machine's matrix instructions and register file allow. */
#ifndef DM_LOWER_MATMUL_H
#define DM_LOWER_MATMUL_H

#include "lower/launch.h"
#include "lower/params.h"
#include "util/num.h"

/* C[m,n] = A[m,k] x W[n,k]^T, `batch` times over. Bytes are of one element as the multipliers read it. */
typedef struct dm_matmul {
    int64_t batch, m, n, k;
    double a_B, w_B, c_B;
    dm_math math;      /* class that multiplies on this machine, with its pipe: */
    bool tensor;
    double dram_B;     /* bytes that must come from or go to DRAM */
    double dram_frac;  /* share of the reads that miss L2 */
} dm_matmul;

/* Number of k elements in one step of the main loop: 128 bytes of the wider operand. */
int64_t dm_matmul_k_step(double a_B, double w_B);

/* Choose tile and split, and fill in the kernel's grid and its CTA. Needs L2 and DRAM latencies and L2 rate. */
dm_status dm_matmul_plan(const dm_matmul *problem, const dm_machine *machine, const dm_params *params,
                         dm_kernel *kernel, dm_err *err);

#endif
