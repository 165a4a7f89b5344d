/* src/lower/ops/shared.c
 *
 * Kernels that several operators run: see ops.h. */
#include "lower/ops/ops.h"

dm_math dm_vector_math(const dm_recipe *recipe)
{
    return recipe->math == DM_MATH_FP64 ? DM_MATH_FP64 : DM_MATH_FP32;
}

void dm_plan_quantise(dm_launch *launch, const dm_recipe *recipe, double rows, double cols, const dm_machine *machine,
                      const dm_params *params)
{
    dm_kernel *kernel = dm_launch_add(launch, "quantise");
    const double element_n = rows * cols;

    kernel->work.vector_FLOP = 3 * element_n; /* absolute maximum, scale, round */
    dm_work_read(&kernel->work, "activation", element_n * dm_dtype_B(recipe->input));
    dm_work_pass(&kernel->work, "quantised", element_n * dm_recipe_activation_B(recipe), true);
    dm_stream_plan(kernel, rows < DM_DIM_MAX ? (int64_t)rows : (int64_t)DM_DIM_MAX, params->quantise_latency_n,
                   machine, params);
}

/* The product reads the quantised copy that the kernel before it wrote. */
static void take_quantised(dm_work *work, const dm_recipe *recipe)
{
    for (int i = 0; i < work->operand_n; i++) {
        dm_operand *operand = &work->operand[i];
        if (operand->written || operand->rotated)
            continue;
        operand->unique_B *= dm_recipe_activation_B(recipe) / dm_dtype_B(recipe->input);
        operand->between = true;
    }
}

dm_status dm_plan_product(dm_launch *launch, const dm_op_call *call, const char *name, const dm_product *product,
                          const dm_machine *machine, const dm_params *params, dm_err *err)
{
    const dm_recipe *recipe = call->recipe;
    dm_kernel *kernel = dm_launch_add(launch, name);

    kernel->work = launch->work;
    if (dm_recipe_quantises(recipe))
        take_quantised(&kernel->work, recipe);
    const dm_hits hits =
        dm_residency_kernel_hits(&launch->work, &kernel->work, &call->conditions, machine, params);
    const double dram_B = dm_residency_dram_B(&kernel->work, hits);
    const dm_matmul problem = {
        .batch = product->batch,
        .m = product->m,
        .n = product->n,
        .k = product->k,
        .a_B = dm_recipe_activation_B(recipe),
        .w_B = dm_recipe_weight_B(recipe),
        .c_B = dm_dtype_B(recipe->output),
        .math = launch->math,
        .tensor = launch->tensor,
        .dram_B = dram_B,
        .dram_frac = dram_B / dm_work_unique_B(&kernel->work),
    };
    return dm_matmul_plan(&problem, machine, params, kernel, err);
}
