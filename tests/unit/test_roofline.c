/* tests/unit/test_roofline.c: bounds worked by hand, on paper machines with round numbers. */
#include "op_plan.h"

#include "model/model.h"

/* FP16, M=N=K=4096: 2*4096^3 = 137 438 953 472 FLOP; A, B, C once: 3*4096^2*2 = 100 663 296 B.
 * At 1e15 FLOP/s: 137.439 us. At 2e12 B/s: 50.332 us. The larger wins: compute bound. */
static void gemm_4096_is_compute_bound(void **state)
{
    (void)state;
    assert_close(dm_roofline_time_s(137438953472.0, 100663296.0, 1e15, 2e12), 137.438953472e-6, 1e-12);
}

/* The toy: 10 cores x 1000 FLOP x 1 GHz = 1e13 FLOP/s; 100 GB/s. m=16 n=1024 k=1024, bf16: 2*16*1024*1024 = 33 554 432
 * FLOP: 3.355 us. (16*1024 + 1024*1024 + 16*1024) * 2 B = 2 162 688 B: 21.627 us. Memory bound. */
static void a_skinny_gemm_is_bound_by_dram(void **state)
{
    const dm_hw hw = toy_hw();
    dm_result r;

    (void)state;
    assert_int_equal(predict(&hw, "gemm", "m=16,n=1024,k=1024", "bf16", DM_ROOFLINE, &r), DM_OK);
    assert_string_equal(r.limiter, "dram");
    assert_close(r.time_s, 21.62688e-6, 1e-12);
    assert_close(r.work_FLOP, 33554432.0, 0);
    assert_close(r.dram_B, 2162688.0, 0);
    assert_int_equal(r.part_n, 1);
    assert_close(r.part[0].time_s, r.time_s, 0);
}

/* m=n=k=1024: 2^31 FLOP at 1e13: 214.748 us; 3 * 2^20 * 2 B at 1e11: 62.9 us. */
static void a_square_gemm_is_bound_by_the_tensor_pipe(void **state)
{
    const dm_hw hw = toy_hw();
    dm_result r;

    (void)state;
    assert_int_equal(predict(&hw, "gemm", "m=1024,n=1024,k=1024", "bf16", DM_ROOFLINE, &r), DM_OK);
    assert_string_equal(r.limiter, "tensor");
    assert_close(r.time_s, 214.7483648e-6, 1e-12);
}

/* Without units for the type the product runs as a wider one, on the vector pipe: fp32 at 10 * 100 * 1e9 = 1e12. */
static void a_type_without_units_is_computed_as_a_wider_one(void **state)
{
    dm_hw hw = toy_hw();
    dm_result r;

    (void)state;
    hw.tensor_FLOP[DM_MATH_BF16] = hw.tensor_FLOP[DM_MATH_FP16] = NAN;
    assert_int_equal(predict(&hw, "gemm", "m=1024,n=1024,k=1024", "bf16", DM_ROOFLINE, &r), DM_OK);
    assert_string_equal(r.limiter, "vector");
    assert_string_equal(r.emulated, "fp32");
    assert_close(r.time_s, 2147.483648e-6, 1e-12);
}

/* exp of 1e6 fp32 elements: 8 MB at 1e11 B/s is 80 us. Special functions: 10 * 10 * 1e9 = 1e11 /s of the unit and 1e12 / 8
 * as polynomials, 2.25e11 /s together: 4.4 us. Slower units alone can't bind, for the vector pipe helps. */
static void special_functions_may_run_as_polynomials(void **state)
{
    dm_hw hw = toy_hw();
    dm_result r;

    (void)state;
    assert_int_equal(predict(&hw, "exp", "rows=1000,cols=1000", "fp32", DM_ROOFLINE, &r), DM_OK);
    assert_string_equal(r.limiter, "dram");
    assert_close(r.time_s, 80e-6, 1e-12);
    hw.dram_bw_Bps = 1e15;
    hw.l2_Bpclk = 1e6;
    assert_int_equal(predict(&hw, "exp", "rows=1000,cols=1000", "fp32", DM_ROOFLINE, &r), DM_OK);
    assert_string_equal(r.limiter, "special");
    assert_close(r.time_s, 1e6 / 2.25e11, 1e-12);
}

static void a_device_without_a_rate_for_it_names_the_field(void **state)
{
    dm_hw hw = toy_hw();
    dm_op_call *call;
    dm_result r;
    dm_err err;

    (void)state;
    hw.tensor_FLOP[DM_MATH_BF16] = hw.tensor_FLOP[DM_MATH_FP16] = hw.vector_FLOP[DM_MATH_FP32] = NAN;
    assert_int_equal(dm_op_call_parse("gemm", "m=1,n=1,k=1", "bf16", NULL, &call, &err), DM_OK);
    assert_int_equal(dm_predict(&hw, call, DM_ROOFLINE, DM_CLOCK_BOOST, &r, &err), DM_ERR_MISSING);
    assert_non_null(strstr(err.message, "compute.tensor.bf16"));
    dm_op_call_free(call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_4096_is_compute_bound),
        cmocka_unit_test(a_skinny_gemm_is_bound_by_dram),
        cmocka_unit_test(a_square_gemm_is_bound_by_the_tensor_pipe),
        cmocka_unit_test(a_type_without_units_is_computed_as_a_wider_one),
        cmocka_unit_test(special_functions_may_run_as_polynomials),
        cmocka_unit_test(a_device_without_a_rate_for_it_names_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
