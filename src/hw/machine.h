/* src/hw/machine.h
 *
 * A device at one clock: the rates of dm_hw, per clock and core, turned into rates per second of the whole machine.
 * Made once for a device, then read by every estimate. Unknown rates are NaN, as in dm_hw. */
#ifndef DM_HW_MACHINE_H
#define DM_HW_MACHINE_H

#include "hw/hw.h"

typedef struct dm_machine {
    const dm_hw *hw;
    double clock_Hz;
    int64_t core_n;
    double core_count; /* core_n as a double */
    double tensor_FLOPps[DM_MATH_N], vector_FLOPps[DM_MATH_N], special_opps;
    double dram_Bps, l2_Bps, shared_Bps;
    double dram_latency_s, l2_latency_s; /* L2: mean of near and far where both are stated */
    double l2_effective_B;               /* room for distinct data */
} dm_machine;

/* Fails with DM_ERR_MISSING when the device does not state the clock asked for. */
dm_status dm_machine_init(dm_machine *machine, const dm_hw *hw, dm_clock clock, dm_err *err);

/* The rate class that multiplies `wanted` on this machine: itself, or the nearest wider class that has a rate when the
 * operands are converted first (fp8 on a part without fp8 units runs as bf16). *tensor tells which pipe.
 * DM_ERR_MISSING if no class serves. */
dm_status dm_machine_math(const dm_machine *machine, dm_math wanted, dm_math *out, bool *tensor, dm_err *err);

#endif
