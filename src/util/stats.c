/* src/util/stats.c
 *
 * Thin wrappers: none of these GSL calls can raise an error for n > 0. */
#include "util/stats.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

double dm_stats_mean(const double *values, size_t n)
{
    return gsl_stats_mean(values, 1, n);
}

void dm_stats_sort(double *values, size_t n)
{
    gsl_sort(values, 1, n);
}

double dm_stats_quantile(const double *sorted, size_t n, double q)
{
    return gsl_stats_quantile_from_sorted_data(sorted, 1, n, q);
}
