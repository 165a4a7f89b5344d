/* src/workload/recipe.h
 *
 * Dtype recipes: what an operator's `dtype` names. One row says how weights, activations and outputs are stored, what
 * multiplies them, and whether the activation is quantised inside the operator. */
#ifndef DM_WORKLOAD_RECIPE_H
#define DM_WORKLOAD_RECIPE_H

#include "util/dtype.h"
#include "util/err.h"

typedef struct dm_recipe {
    const char *name;
    dm_dtype weight, activation, output; /* as the multipliers read them; output as stored */
    dm_dtype input;                      /* activation as it arrives; differs where it is quantised inside */
    dm_math math;
    double weight_scale_B;     /* bytes of scale per weight element beyond the storage type's own blocks */
    double activation_scale_B; /* the same for the activation */
    const char *help;
} dm_recipe;

extern const dm_recipe dm_recipes[];
extern const size_t dm_recipe_n;

const dm_recipe *dm_recipe_find(dm_slice name);

/* Find or fail at a place with the nearest name. */
dm_status dm_recipe_parse(dm_slice name, const dm_source *source, dm_place place, const dm_recipe **out, dm_err *err);

/* Bytes of one weight or activation element, scales included. */
double dm_recipe_weight_B(const dm_recipe *recipe);
double dm_recipe_activation_B(const dm_recipe *recipe);

/* Is the activation converted inside the operator, in a kernel of its own? */
bool dm_recipe_quantises(const dm_recipe *recipe);

#endif
