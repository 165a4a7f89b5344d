/* src/lower/residency.h
 *
 * What starts in L2. Cold: nothing. Measured: what the timed loop left there, which depends on how much it touches
 * between two uses of a tensor. */
#ifndef DM_LOWER_RESIDENCY_H
#define DM_LOWER_RESIDENCY_H

#include "lower/launch.h"
#include "lower/params.h"

/* Fraction of a tensor still in a cache of capacity_B when distance_B distinct bytes are touched between two uses:
 * 1 / (1 + (distance / (share x capacity))^exponent). A smooth step, since replacement is not LRU to the line. */
double dm_residency_hit_frac(double distance_B, double capacity_B, double share_frac, double exponent);

/* Hit fractions of one operator in its loop: of tensors that rotate, of those that one of its kernels passes to the
 * next, and of all others. Zero when the machine does not state its L2. */
typedef struct dm_hits {
    double rotated_frac, between_frac, other_frac;
} dm_hits;

dm_hits dm_residency_hits(const dm_work *work, const dm_conditions *conditions, const dm_machine *machine,
                          const dm_params *params);

/* The same for one kernel of the operator `whole`: what the last round of the loop left depends on the whole operator;
 * what one kernel leaves to the next, on that kernel, and it is in L2 even when the operator starts cold. */
dm_hits dm_residency_kernel_hits(const dm_work *whole, const dm_work *kernel, const dm_conditions *conditions,
                                 const dm_machine *machine, const dm_params *params);

/* Bytes that must cross the DRAM interface, given the hits. */
double dm_residency_dram_B(const dm_work *work, dm_hits hits);

#endif
