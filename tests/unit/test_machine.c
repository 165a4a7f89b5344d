/* tests/unit/test_machine.c: rates of a device at a clock. */
#include "op_plan.h"
#include "text_fixture.h"

static dm_machine machine_of(const dm_hw *hw, dm_clock clock)
{
    dm_machine machine;
    dm_err err;

    if (dm_machine_init(&machine, hw, clock, &err) != DM_OK)
        fail_msg("%s", err.message);
    return machine;
}

static dm_hw *load_h200(void)
{
    const char *const dirs[] = {shipped_root()};
    dm_hw *hw = NULL;
    dm_err err;

    if (dm_hw_load(&(dm_search){dirs, 1}, "h200_sxm", NULL, 0, &hw, &err) != DM_OK)
        fail_msg("%s", err.message);
    return hw;
}

/* h200_sxm: 132 cores. Boost 1.98 GHz: 261.36e9 core clocks/s; bf16 4096 FLOP: 1.07053056e15 FLOP/s; fp8 twice that;
 * fp32 256 FLOP: 66.90816e12; special 16: 4.18176e12 op/s; L2 37 B: 9.67032e12 B/s; shared 128 B: 33.45408e12 B/s. */
static void rates_are_per_clock_and_core_times_both(void **state)
{
    dm_hw *hw = load_h200();
    const dm_machine m = machine_of(hw, DM_CLOCK_BOOST);

    (void)state;
    assert_close(m.clock_Hz, 1.98e9, 0);
    assert_close(m.tensor_FLOPps[DM_MATH_BF16], 1.07053056e15, 1e-14);
    assert_close(m.tensor_FLOPps[DM_MATH_FP8], 2.14106112e15, 1e-14);
    assert_close(m.vector_FLOPps[DM_MATH_FP32], 66.90816e12, 1e-14);
    assert_close(m.special_opps, 4.18176e12, 1e-14);
    assert_close(m.l2_Bps, 9.67032e12, 1e-14);
    assert_close(m.shared_Bps, 33.45408e12, 1e-14);
    assert_true(isnan(m.tensor_FLOPps[DM_MATH_FP4]));
    dm_hw_free(hw);
}

/* At the 1.83 GHz of the data sheet bf16 is 132 * 4096 * 1.83e9 = 989.43e12, which is printed as 989 TFLOP/s. DRAM
 * keeps its rate at any clock. */
static void clock_bound_rates_follow_the_clock_and_dram_does_not(void **state)
{
    dm_hw *hw = load_h200();
    const dm_machine sheet = machine_of(hw, DM_CLOCK_DATASHEET), base = machine_of(hw, DM_CLOCK_BASE);

    (void)state;
    assert_close(sheet.tensor_FLOPps[DM_MATH_BF16], 989.42976e12, 1e-14);
    assert_close(sheet.tensor_FLOPps[DM_MATH_BF16], hw->datasheet_FLOPps[DM_MATH_BF16], 1e-3);
    assert_close(base.tensor_FLOPps[DM_MATH_BF16], 132 * 4096 * 1.5e9, 1e-14);
    assert_close(base.dram_Bps, 4.8e12, 0);
    assert_close(sheet.dram_Bps, 4.8e12, 0);
    dm_hw_free(hw);
}

/* Near 141.6 ns, far 251 ns: half of the hits each, 196.3 ns. 0.66 of 50 MiB = 52 428 800 B hold distinct data:
 * 34 603 008 B. */
static void l2_is_the_mean_of_its_partitions(void **state)
{
    dm_hw *h200 = load_h200(), toy = toy_hw();
    const dm_machine m = machine_of(h200, DM_CLOCK_BOOST), near = machine_of(&toy, DM_CLOCK_BOOST);

    (void)state;
    assert_close(m.l2_latency_s, 196.3e-9, 1e-14);
    assert_close(m.l2_effective_B, 34603008.0, 1e-14);
    assert_close(near.l2_latency_s, 100e-9, 0);
    assert_close(near.l2_effective_B, 1e6, 0);
    dm_hw_free(h200);
}

static void a_clock_that_is_not_stated_is_missing(void **state)
{
    const dm_hw toy = toy_hw();
    dm_machine m = {.core_n = 99};
    dm_err err;

    (void)state;
    assert_int_equal(dm_machine_init(&m, &toy, DM_CLOCK_BASE, &err), DM_ERR_MISSING);
    expect_says(&err, "toy does not state clocks.base");
    assert_int_equal(dm_machine_init(&m, &toy, DM_CLOCK_DATASHEET, &err), DM_ERR_MISSING);
    expect_says(&err, "clocks.datasheet");
    assert_int_equal(m.core_n, 99);
}

static void clocks_have_names(void **state)
{
    (void)state;
    assert_string_equal(dm_clock_name(DM_CLOCK_BOOST), "boost");
    assert_string_equal(dm_clock_name(DM_CLOCK_BASE), "base");
    assert_string_equal(dm_clock_name(DM_CLOCK_DATASHEET), "datasheet");
}

static void expect_math(const dm_hw *hw, dm_math wanted, dm_math want, bool want_tensor)
{
    const dm_machine m = machine_of(hw, DM_CLOCK_BOOST);
    dm_math got;
    bool tensor;
    dm_err err;

    assert_int_equal(dm_machine_math(&m, wanted, &got, &tensor, &err), DM_OK);
    assert_string_equal(dm_math_name(got), dm_math_name(want));
    assert_int_equal(tensor, want_tensor);
}

/* The toy has tensor units for fp16 and bf16, and vector units for fp32. */
static void a_class_without_units_runs_as_the_nearest_wider_one(void **state)
{
    dm_hw hw = toy_hw();

    (void)state;
    expect_math(&hw, DM_MATH_BF16, DM_MATH_BF16, true);
    expect_math(&hw, DM_MATH_FP8, DM_MATH_BF16, true);
    expect_math(&hw, DM_MATH_FP4, DM_MATH_BF16, true);
    expect_math(&hw, DM_MATH_INT8, DM_MATH_FP16, true);
    expect_math(&hw, DM_MATH_INT4, DM_MATH_FP16, true);
    expect_math(&hw, DM_MATH_TF32, DM_MATH_FP32, false);
    expect_math(&hw, DM_MATH_FP32, DM_MATH_FP32, false);

    hw.vector_FLOP[DM_MATH_BF16] = 200; /* the tensor units go first */
    expect_math(&hw, DM_MATH_BF16, DM_MATH_BF16, true);
    hw.tensor_FLOP[DM_MATH_BF16] = NAN;
    expect_math(&hw, DM_MATH_BF16, DM_MATH_BF16, false);
    hw.vector_FLOP[DM_MATH_BF16] = NAN;
    expect_math(&hw, DM_MATH_BF16, DM_MATH_FP32, false);
    hw.tensor_FLOP[DM_MATH_INT8] = 2000;
    expect_math(&hw, DM_MATH_INT4, DM_MATH_INT8, true);
}

/* Nothing wider than fp64, and without fp32 nothing left for the others. */
static void a_class_that_nothing_serves_is_missing(void **state)
{
    dm_hw hw = toy_hw();
    dm_math math = DM_MATH_INT4;
    bool tensor = false;
    dm_err err;

    (void)state;
    hw.vector_FLOP[DM_MATH_FP32] = NAN;
    const dm_machine m = machine_of(&hw, DM_CLOCK_BOOST);
    assert_int_equal(dm_machine_math(&m, DM_MATH_FP64, &math, &tensor, &err), DM_ERR_MISSING);
    expect_says(&err, "compute.tensor.fp64");
    assert_int_equal(dm_machine_math(&m, DM_MATH_TF32, &math, &tensor, &err), DM_ERR_MISSING);
    expect_says(&err, "toy does not state compute.tensor.tf32");
    assert_int_equal(math, DM_MATH_INT4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_per_clock_and_core_times_both),
        cmocka_unit_test(clock_bound_rates_follow_the_clock_and_dram_does_not),
        cmocka_unit_test(l2_is_the_mean_of_its_partitions),
        cmocka_unit_test(a_clock_that_is_not_stated_is_missing),
        cmocka_unit_test(clocks_have_names),
        cmocka_unit_test(a_class_without_units_runs_as_the_nearest_wider_one),
        cmocka_unit_test(a_class_that_nothing_serves_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
