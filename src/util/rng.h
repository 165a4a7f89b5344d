/* src/util/rng.h
 *
 * Seeded random numbers that repeat on every machine (GSL's Mersenne twister inside). */
#ifndef DM_UTIL_RNG_H
#define DM_UTIL_RNG_H

#include <stdint.h>

typedef struct dm_rng dm_rng;

dm_rng *dm_rng_new(uint32_t seed); /* NULL: out of memory */
void dm_rng_free(dm_rng *rng);

double dm_rng_uniform(dm_rng *rng, double lo, double hi);
/* Uniform in the logarithm, for shapes: lo >= 1. */
int64_t dm_rng_log_int(dm_rng *rng, int64_t lo, int64_t hi);
int64_t dm_rng_int(dm_rng *rng, int64_t lo, int64_t hi); /* both ends included */

#endif
