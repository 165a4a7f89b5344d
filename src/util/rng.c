/* src/util/rng.c
 *
 * Random numbers: see the header. */
#include "util/rng.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

struct dm_rng {
    gsl_rng *gsl;
};

dm_rng *dm_rng_new(uint32_t seed)
{
    dm_rng *rng = malloc(sizeof *rng);
    if (rng == NULL)
        return NULL;

    /* GSL's own handler aborts; here a failed allocation is a NULL. */
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    rng->gsl = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_set_error_handler(before);
    if (rng->gsl == NULL) {
        free(rng);
        return NULL;
    }
    gsl_rng_set(rng->gsl, seed);
    return rng;
}

void dm_rng_free(dm_rng *rng)
{
    if (rng == NULL)
        return;
    gsl_rng_free(rng->gsl);
    free(rng);
}

double dm_rng_uniform(dm_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * gsl_rng_uniform(rng->gsl);
}

int64_t dm_rng_log_int(dm_rng *rng, int64_t lo, int64_t hi)
{
    const double draw = exp(dm_rng_uniform(rng, log((double)lo), log((double)hi + 1.0)));
    const int64_t n = (int64_t)floor(draw);

    return n < lo ? lo : n > hi ? hi : n;
}

int64_t dm_rng_int(dm_rng *rng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)floor(dm_rng_uniform(rng, 0.0, 1.0) * ((double)(hi - lo) + 1.0));
}
