/* src/util/dtype.c
 *
 * One row a storage type.
 *
 * Source of the block formats: OCP Microscaling Formats (MX) Specification v1.0, section 5 (one 8-bit scale for each
 * 32 elements); nvfp4: one 8-bit scale for each 16 elements (NVIDIA cuBLAS documentation, "1D block scaling"). */
#include "util/dtype.h"

/* clang-format off */
static const struct {
    const char *name;
    double bits, scale_bits, block_n; /* block_n elements share scale_bits */
} types[DM_DTYPE_N] = {
    [DM_FP64] = {"fp64", 64, 0, 1},
    [DM_FP32] = {"fp32", 32, 0, 1},
    [DM_TF32] = {"tf32", 32, 0, 1}, /* 19 bits used, stored as 32 */
    [DM_FP16] = {"fp16", 16, 0, 1},
    [DM_BF16] = {"bf16", 16, 0, 1},
    [DM_FP8_E4M3] = {"fp8_e4m3", 8, 0, 1},
    [DM_FP8_E5M2] = {"fp8_e5m2", 8, 0, 1},
    [DM_INT8] = {"int8", 8, 0, 1},
    [DM_MXFP8] = {"mxfp8", 8, 8, 32},
    [DM_MXFP4] = {"mxfp4", 4, 8, 32},
    [DM_NVFP4] = {"nvfp4", 4, 8, 16},
    [DM_INT4] = {"int4", 4, 0, 1},
};

static const char *const maths[DM_MATH_N] = {
    [DM_MATH_FP64] = "fp64", [DM_MATH_FP32] = "fp32", [DM_MATH_TF32] = "tf32",
    [DM_MATH_FP16] = "fp16", [DM_MATH_BF16] = "bf16", [DM_MATH_FP8] = "fp8",
    [DM_MATH_INT8] = "int8", [DM_MATH_FP4] = "fp4",   [DM_MATH_INT4] = "int4",
};
/* clang-format on */

const char *dm_dtype_name(dm_dtype dtype)
{
    return types[dtype].name;
}

const char *dm_math_name(dm_math math)
{
    return maths[math];
}

double dm_dtype_B(dm_dtype dtype)
{
    return (types[dtype].bits + types[dtype].scale_bits / types[dtype].block_n) / 8.0;
}

bool dm_dtype_find(dm_slice text, dm_dtype *out)
{
    for (int i = 0; i < DM_DTYPE_N; i++)
        if (dm_slice_is(text, types[i].name)) {
            *out = (dm_dtype)i;
            return true;
        }
    if (!dm_slice_is(text, "fp8"))
        return false;
    *out = DM_FP8_E4M3;
    return true;
}
