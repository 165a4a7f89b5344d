/* src/hw/machine.c
 *
 * Rates in force: see the header. */
#include "hw/machine.h"

#include <math.h>

static const double *clock_field(const dm_hw *hw, dm_clock clock)
{
    switch (clock) {
    case DM_CLOCK_BASE:
        return &hw->clock_base_Hz;
    case DM_CLOCK_DATASHEET:
        return &hw->clock_datasheet_Hz;
    case DM_CLOCK_BOOST:
        break;
    }
    return &hw->clock_boost_Hz;
}

dm_status dm_machine_init(dm_machine *machine, const dm_hw *hw, dm_clock clock, dm_err *err)
{
    const double *clock_Hz = clock_field(hw, clock);
    const dm_status status = dm_hw_need(hw, clock_Hz, "every time", err);

    if (status != DM_OK)
        return status;

    const double cores = (double)hw->core_n, device_Hz = *clock_Hz * cores;
    *machine = (dm_machine){
        .hw = hw,
        .clock_Hz = *clock_Hz,
        .core_n = hw->core_n,
        .core_count = cores,
        .special_opps = hw->special_op * device_Hz,
        .dram_Bps = hw->dram_bw_Bps,
        .l2_Bps = hw->l2_Bpclk * device_Hz,
        .shared_Bps = hw->shared_Bpclk * device_Hz,
        .dram_latency_s = hw->dram_latency_s,
        .l2_latency_s = isnan(hw->l2_far_latency_s) ? hw->l2_latency_s : (hw->l2_latency_s + hw->l2_far_latency_s) / 2,
        .l2_effective_B = hw->l2_B * hw->l2_effective_frac,
    };
    for (int i = 0; i < DM_MATH_N; i++) {
        machine->tensor_FLOPps[i] = hw->tensor_FLOP[i] * device_Hz;
        machine->vector_FLOPps[i] = hw->vector_FLOP[i] * device_Hz;
    }
    return DM_OK;
}

/* What a narrower type is converted to where its own multipliers are missing. DM_MATH_N ends the chain. */
static const dm_math wider[DM_MATH_N] = {
    [DM_MATH_FP64] = DM_MATH_N,    [DM_MATH_FP32] = DM_MATH_N,    [DM_MATH_TF32] = DM_MATH_FP32,
    [DM_MATH_FP16] = DM_MATH_FP32, [DM_MATH_BF16] = DM_MATH_FP32, [DM_MATH_FP8] = DM_MATH_BF16,
    [DM_MATH_INT8] = DM_MATH_FP16, [DM_MATH_FP4] = DM_MATH_BF16,  [DM_MATH_INT4] = DM_MATH_INT8,
};

dm_status dm_machine_math(const dm_machine *machine, dm_math wanted, dm_math *out, bool *tensor, dm_err *err)
{
    for (dm_math math = wanted; math != DM_MATH_N; math = wider[math]) {
        const double tensor_rate = machine->tensor_FLOPps[math], vector_rate = machine->vector_FLOPps[math];
        if (!(tensor_rate > 0) && !(vector_rate > 0))
            continue;
        *out = math;
        *tensor = tensor_rate > 0;
        return DM_OK;
    }
    return dm_hw_need(machine->hw, &machine->hw->tensor_FLOP[wanted], "matrix work", err);
}

const char *dm_clock_name(dm_clock clock)
{
    static const char *const names[] = {"boost", "base", "datasheet"};

    return names[clock];
}
