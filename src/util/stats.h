/* src/util/stats.h
 *
 * Mean and quantiles of a column of errors; GSL inside. */
#ifndef DM_UTIL_STATS_H
#define DM_UTIL_STATS_H

#include <stddef.h>

/* Mean of n > 0 values. */
double dm_stats_mean(const double *values, size_t n);

/* Sort ascending, in place. */
void dm_stats_sort(double *values, size_t n);

/* Quantile q in [0, 1] of n > 0 sorted values, linear between neighbours. */
double dm_stats_quantile(const double *sorted, size_t n, double q);

#endif
