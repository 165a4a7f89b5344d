/* tests/unit/op_plan.h
 *
 * An operator lowered on a toy machine with round numbers, and shapes that must be refused. */
#ifndef DM_TESTS_OP_PLAN_H
#define DM_TESTS_OP_PLAN_H

#include "op_fixture.h"

#include "lower/params.h"

/* 10 cores at 1 GHz, a tensor unit, an L2, DRAM at 100 GB/s. Links: 10 GB/s and 1 us within a switch that cannot add,
 * 1 GB/s and 10 us beyond it. */
static inline dm_hw toy_hw(void)
{
    dm_hw hw = {.name = "toy"};

    dm_fields_init(dm_hw_fields, &hw);
    hw.name = "toy";
    hw.clock_boost_Hz = 1e9;
    hw.core_n = 10;
    hw.vector_FLOP[DM_MATH_FP32] = 100;
    hw.tensor_FLOP[DM_MATH_FP16] = hw.tensor_FLOP[DM_MATH_BF16] = 1000;
    hw.special_op = 10;
    hw.tile_m_min = hw.tile_n_min = 16;
    hw.tile_m_max = hw.tile_n_max = 128;
    hw.tile_area_min = 256;
    hw.tile_area_max = 16384;
    hw.shared_B = 65536;
    hw.l2_B = 1e6;
    hw.l2_Bpclk = 50;
    hw.l2_latency_s = 100e-9;
    hw.dram_bw_Bps = 100e9;
    hw.dram_latency_s = 500e-9;
    hw.scale_up.bw_Bps = 10e9;
    hw.scale_up.latency_s = 1e-6;
    hw.scale_out.bw_Bps = 1e9;
    hw.scale_out.latency_s = 10e-6;
    return hw;
}

static inline dm_launch plan_of(const dm_hw *hw, const char *op, const char *shape, const char *dtype)
{
    dm_machine machine;
    dm_op_call *call = NULL;
    dm_launch launch;
    dm_err err;

    if (dm_machine_init(&machine, hw, DM_CLOCK_BOOST, &err) != DM_OK ||
        dm_op_call_parse(op, shape, dtype, NULL, &call, &err) != DM_OK)
        fail_msg("%s %s: %s", op, shape, err.message);
    if (dm_lower(call, &machine, &dm_params_default, &launch, &err) != DM_OK)
        fail_msg("%s %s: %s", op, shape, err.message);
    dm_op_call_free(call);
    return launch;
}

static inline dm_status predict(const dm_hw *hw, const char *op, const char *shape, const char *dtype,
                                dm_fidelity fidelity, dm_result *out)
{
    dm_op_call *call = NULL;
    dm_err err;

    if (dm_op_call_parse(op, shape, dtype, NULL, &call, &err) != DM_OK)
        fail_msg("%s %s: %s", op, shape, err.message);
    const dm_status status = dm_predict(hw, call, fidelity, DM_CLOCK_BOOST, out, &err);
    dm_op_call_free(call);
    return status;
}

/* Both fidelities refuse it with this status. */
static inline void expect_unserved(const dm_hw *hw, const char *op, const char *shape, dm_status want)
{
    dm_result result;

    assert_int_equal(predict(hw, op, shape, "bf16", DM_ROOFLINE, &result), want);
    assert_int_equal(predict(hw, op, shape, "bf16", DM_ANALYTIC, &result), want);
}

static inline void expect_shape_refused(const char *op, const char *shape, const char *dtype, const char *message)
{
    dm_op_call *call = NULL;
    dm_err err;

    assert_int_equal(dm_op_call_parse(op, shape, dtype, NULL, &call, &err), DM_ERR_INPUT);
    if (strstr(err.message, message) == NULL)
        fail_msg("%s %s: '%s' does not say '%s'", op, shape, err.message, message);
}

#endif
