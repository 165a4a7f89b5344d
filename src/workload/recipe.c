/* src/workload/recipe.c
 *
 * The labels of the measured tables and of the frameworks that made them, one row each.
 *
 * Scales: fp8 per tensor or per token are too few bytes to count; fp8_block keeps one fp32 for 128x128 weights and one
 * for 1x128 activations (DeepSeek-V3 report, arXiv:2412.19437, section 3.3); int4_wo one fp16 for 128 weights along k
 * (AWQ, arXiv:2306.00978); int8_wo and sq one fp16 or fp32 a channel, not counted. */
#include "workload/recipe.h"

/* clang-format off */
const dm_recipe dm_recipes[] = {
    /* name                weight        activation    output   input    math          scales: w, a */
    {"fp64",               DM_FP64,      DM_FP64,      DM_FP64, DM_FP64, DM_MATH_FP64, 0, 0, "double precision"},
    {"fp32",               DM_FP32,      DM_FP32,      DM_FP32, DM_FP32, DM_MATH_FP32, 0, 0, "single precision, no TF32"},
    {"tf32",               DM_TF32,      DM_TF32,      DM_FP32, DM_TF32, DM_MATH_TF32, 0, 0, "fp32 data, 19-bit products"},
    {"fp16",               DM_FP16,      DM_FP16,      DM_FP16, DM_FP16, DM_MATH_FP16, 0, 0, "half precision"},
    {"bf16",               DM_BF16,      DM_BF16,      DM_BF16, DM_BF16, DM_MATH_BF16, 0, 0, "bfloat16"},
    {"fp8",                DM_FP8_E4M3,  DM_FP8_E4M3,  DM_BF16, DM_BF16, DM_MATH_FP8,  0, 0, "fp8, activation quantised inside, per token or tensor"},
    {"fp8_static",         DM_FP8_E4M3,  DM_FP8_E4M3,  DM_BF16, DM_BF16, DM_MATH_FP8,  0, 0, "fp8, activation cast inside with a given scale"},
    {"fp8_block",          DM_FP8_E4M3,  DM_FP8_E4M3,  DM_BF16, DM_BF16, DM_MATH_FP8,  4.0 / (128 * 128), 4.0 / 128, "fp8, 128x128 weight blocks, 1x128 activation blocks, quantised inside"},
    {"fp8_e4m3",           DM_FP8_E4M3,  DM_FP8_E4M3,  DM_BF16, DM_FP8_E4M3, DM_MATH_FP8, 0, 0, "fp8 e4m3, activation arrives in fp8"},
    {"fp8_e5m2",           DM_FP8_E5M2,  DM_FP8_E5M2,  DM_BF16, DM_FP8_E5M2, DM_MATH_FP8, 0, 0, "fp8 e5m2, activation arrives in fp8"},
    {"int8",               DM_INT8,      DM_INT8,      DM_BF16, DM_INT8, DM_MATH_INT8, 0, 0, "int8, activation arrives in int8"},
    {"sq",                 DM_INT8,      DM_INT8,      DM_BF16, DM_BF16, DM_MATH_INT8, 0, 0, "SmoothQuant: int8, activation quantised inside"},
    {"int8_wo",            DM_INT8,      DM_BF16,      DM_BF16, DM_BF16, DM_MATH_BF16, 0, 0, "int8 weights, bf16 activation and products"},
    {"int4_wo",            DM_INT4,      DM_BF16,      DM_BF16, DM_BF16, DM_MATH_BF16, 2.0 / 128, 0, "int4 weights in groups of 128, bf16 activation and products"},
    {"int4",               DM_INT4,      DM_INT4,      DM_BF16, DM_INT4, DM_MATH_INT4, 0, 0, "int4 both"},
    {"mxfp8",              DM_MXFP8,     DM_MXFP8,     DM_BF16, DM_BF16, DM_MATH_FP8,  0, 0, "mxfp8, quantised inside"},
    {"mxfp4",              DM_MXFP4,     DM_MXFP4,     DM_BF16, DM_BF16, DM_MATH_FP4,  0, 0, "mxfp4, quantised inside"},
    {"nvfp4",              DM_NVFP4,     DM_NVFP4,     DM_BF16, DM_BF16, DM_MATH_FP4,  0, 0, "nvfp4, quantised inside"},
    {"w4a16_mxfp4",        DM_MXFP4,     DM_BF16,      DM_BF16, DM_BF16, DM_MATH_BF16, 0, 0, "mxfp4 weights, bf16 activation and products"},
    {"w4a8_mxfp4_mxfp8",   DM_MXFP4,     DM_MXFP8,     DM_BF16, DM_BF16, DM_MATH_FP8,  0, 0, "mxfp4 weights, mxfp8 activation quantised inside"},
    {"w4afp8",             DM_INT4,      DM_FP8_E4M3,  DM_BF16, DM_BF16, DM_MATH_FP8,  2.0 / 128, 0, "int4 weights in groups of 128, fp8 activation quantised inside"},
};
/* clang-format on */

const size_t dm_recipe_n = sizeof dm_recipes / sizeof dm_recipes[0];

const dm_recipe *dm_recipe_find(dm_slice name)
{
    for (size_t i = 0; i < dm_recipe_n; i++)
        if (dm_slice_is(name, dm_recipes[i].name))
            return &dm_recipes[i];
    return NULL;
}

dm_status dm_recipe_parse(dm_slice name, const dm_source *source, dm_place place, const dm_recipe **out, dm_err *err)
{
    const dm_recipe *recipe = dm_recipe_find(name);
    char hint[DM_NEAREST_TEXT_MAX];

    if (recipe != NULL) {
        *out = recipe;
        return DM_OK;
    }
    dm_nearest nearest = dm_nearest_start(name);
    for (size_t i = 0; i < dm_recipe_n; i++)
        dm_nearest_offer(&nearest, dm_recipes[i].name);
    return dm_fail_at(err, DM_ERR_INPUT, source, place, "dtype: unknown recipe '%.*s'%s (dormer list dtypes shows them)",
                      dm_slice_shown(name), name.at, dm_nearest_text(&nearest, hint));
}

double dm_recipe_weight_B(const dm_recipe *recipe)
{
    return dm_dtype_B(recipe->weight) + recipe->weight_scale_B;
}

double dm_recipe_activation_B(const dm_recipe *recipe)
{
    return dm_dtype_B(recipe->activation) + recipe->activation_scale_B;
}

bool dm_recipe_quantises(const dm_recipe *recipe)
{
    return recipe->input != recipe->activation;
}
