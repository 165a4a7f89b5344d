/* src/util/dtype.h
 *
 * Storage types (what a byte of memory holds) and rate classes (which rate of the machine multiplies them). */
#ifndef DM_UTIL_DTYPE_H
#define DM_UTIL_DTYPE_H

#include "util/str.h"

typedef enum dm_dtype {
    DM_FP64,
    DM_FP32,
    DM_TF32,
    DM_FP16,
    DM_BF16,
    DM_FP8_E4M3,
    DM_FP8_E5M2,
    DM_INT8,
    DM_MXFP8,
    DM_MXFP4,
    DM_NVFP4,
    DM_INT4,
    DM_DTYPE_N
} dm_dtype;

/* A class of multipliers with a rate of its own in a hardware file (compute.tensor.*, compute.vector.*). */
typedef enum dm_math {
    DM_MATH_FP64,
    DM_MATH_FP32,
    DM_MATH_TF32,
    DM_MATH_FP16,
    DM_MATH_BF16,
    DM_MATH_FP8,
    DM_MATH_INT8,
    DM_MATH_FP4,
    DM_MATH_INT4,
    DM_MATH_N
} dm_math;

const char *dm_dtype_name(dm_dtype dtype);
const char *dm_math_name(dm_math math);

/* Bytes an element occupies, its share of the scale block included: mxfp4 is 4 bits and 8 bits for each 32. */
double dm_dtype_B(dm_dtype dtype);

/* The type named `text`; "fp8" means fp8_e4m3. False if there is none. */
bool dm_dtype_find(dm_slice text, dm_dtype *out);

#endif
