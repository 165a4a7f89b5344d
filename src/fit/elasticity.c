/* src/fit/elasticity.c
 *
 * Which hardware fields a time hangs on: central differences of ln(time) over ln(field), one field at a time on a copy
 * of the device. Fields that a prediction does not read leave it equal to the last bit, and are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* Small enough to stay within one tile in nearly all cases, far above rounding. */
static const double step_frac = 1e-3;

typedef struct probe {
    dm_hw *hw; /* the copy */
    const dm_op_call *call;
    dm_fidelity fidelity;
    dm_clock clock;
} probe;

/* ln(time), or NaN where a changed field can't be predicted with. */
static double log_time(const probe *p)
{
    dm_result result;
    dm_err ignored;

    return dm_predict(p->hw, p->call, p->fidelity, p->clock, &result, &ignored) == DM_OK ? log(result.time_s) : (double)NAN;
}

static double of_real(const probe *p, double *field)
{
    const double value = *field;

    *field = value * (1 + step_frac);
    const double above = log_time(p);
    *field = value * (1 - step_frac);
    const double below = log_time(p);
    *field = value;
    return (above - below) / (log1p(step_frac) - log1p(-step_frac));
}

static double of_count(const probe *p, int64_t *field)
{
    const int64_t value = *field;

    *field = value + 1;
    const double above = log_time(p);
    *field = value - 1;
    const double below = value > 1 ? log_time(p) : (double)NAN;
    *field = value;
    if (isnan(below))
        return (above - log_time(p)) / (log((double)value + 1) - log((double)value));
    return (above - below) / (log((double)value + 1) - log((double)value - 1));
}

static double of_field(const probe *p, const dm_field *field)
{
    void *at = (char *)p->hw + field->offset;

    /* An absent field is NaN or 0. */
    if (field->kind == DM_KIND_REAL && *(double *)at > 0)
        return of_real(p, at);
    if (field->kind == DM_KIND_INT && *(int64_t *)at > 0)
        return of_count(p, at);
    return 0;
}

static int stronger_first(const void *a, const void *b)
{
    const dm_elasticity *x = a, *y = b;
    const double dx = fabs(x->dlnt_dlnx), dy = fabs(y->dlnt_dlnx);

    return dx != dy ? (dx < dy) - (dx > dy) : strcmp(x->field, y->field);
}

_Static_assert((int)DM_HW_FIELDS_MAX <= (int)DM_ELASTICITIES_MAX, "room for every hardware field");

dm_status dm_elasticities(const dm_hw *hw, const dm_op_call *call, dm_fidelity fidelity, dm_clock clock,
                          dm_elasticity out[DM_ELASTICITIES_MAX], size_t *n, dm_err *err)
{
    dm_result result;
    const dm_status status = dm_predict(hw, call, fidelity, clock, &result, err);

    if (status != DM_OK)
        return status;
    dm_hw *copy = malloc(sizeof *copy);
    if (copy == NULL)
        return dm_fail_memory(err);
    *copy = *hw;
    const probe p = {copy, call, fidelity, clock};
    *n = 0;
    for (size_t i = 0; i < dm_hw_fields.n; i++) {
        const double value = of_field(&p, &dm_hw_fields.row[i]);
        if (isfinite(value) && fabs(value) >= 1e-6)
            out[(*n)++] = (dm_elasticity){dm_hw_fields.row[i].path, value};
    }
    free(copy);
    qsort(out, *n, sizeof *out, stronger_first);
    return DM_OK;
}
