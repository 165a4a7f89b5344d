/* src/lower/ops/ops.h
 *
 * What operator files share: field rows for dimensions, and kernels that several operators run. Each operator's file
 * exports one const dm_op; src/lower/op_table.c lists them. */
#ifndef DM_LOWER_OPS_OPS_H
#define DM_LOWER_OPS_OPS_H

#include "lower/launch.h"
#include "lower/matmul.h"
#include "lower/params.h"
#include "lower/residency.h"
#include "lower/stream.h"

/* No dimension of a real operator is larger, and products of four of them still fit a double exactly enough. */
#define DM_DIM_MAX 1e12

#define DM_DIM(path, at, help)                                                                               \
    {path, DM_KIND_INT, DM_UNIT_NONE, at, 1, DM_DIM_MAX, true, NULL, NULL, NULL, NULL, help}
#define DM_DIM_DEFAULT(path, at, initial, help)                                                              \
    {path, DM_KIND_INT, DM_UNIT_NONE, at, 1, DM_DIM_MAX, false, initial, NULL, NULL, NULL, help}
/* 0 stands for "none" and may be written. */
#define DM_DIM_OPTIONAL(path, at, help)                                                                      \
    {path, DM_KIND_INT, DM_UNIT_NONE, at, 0, DM_DIM_MAX, false, NULL, NULL, NULL, NULL, help}

typedef struct dm_gemm_args {
    int64_t m, n, k, batch, groups;
} dm_gemm_args;

/* A product inside an operator, in elements; storage types come from the call's recipe. */
typedef struct dm_product {
    int64_t batch, m, n, k;
} dm_product;

/* Class of the vector work on elements of this recipe: narrow types are widened to fp32, as libraries do. */
dm_math dm_vector_math(const dm_recipe *recipe);

/* The activation's conversion as a kernel of its own: rows x cols read in the arriving type, written in the
 * multiplied one. Under a microsecond of bytes, but two dependent passes. */
void dm_plan_quantise(dm_launch *launch, const dm_recipe *recipe, double rows, double cols, const dm_machine *machine,
                      const dm_params *params);

/* One matrix kernel for a product whose operands are those of launch->work. */
dm_status dm_plan_product(dm_launch *launch, const dm_op_call *call, const char *name, const dm_product *product,
                          const dm_machine *machine, const dm_params *params, dm_err *err);

#endif
