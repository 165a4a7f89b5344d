/* tests/unit/test_matmul.c: the tile search on machines where the answer is plain. */
#include "op_plan.h"

#include "lower/matmul.h"

static const dm_kernel *gemm_of(const dm_hw *hw, const char *shape, dm_launch *launch)
{
    *launch = plan_of(hw, "gemm", shape, "bf16");
    return &launch->kernel[launch->kernel_n - 1];
}

/* 128 B of the wider operand: 64 bf16, 128 fp8, 32 fp32; of fp64 16; never less than 8. */
static void a_k_step_is_a_cache_line_of_the_wider_operand(void **state)
{
    (void)state;
    assert_int_equal(dm_matmul_k_step(2, 2), 64);
    assert_int_equal(dm_matmul_k_step(1, 1), 128);
    assert_int_equal(dm_matmul_k_step(2, 0.5), 64);
    assert_int_equal(dm_matmul_k_step(4, 4), 32);
    assert_int_equal(dm_matmul_k_step(8, 8), 16);
}

/* A large square product wants the largest tile: the fewest bytes a FLOP. 4096 / 128 = 32; 32 x 32 = 1,024 CTAs. */
static void a_large_product_takes_the_largest_tile_unsplit(void **state)
{
    const dm_hw hw = toy_hw();
    dm_launch launch;
    const dm_kernel *k = gemm_of(&hw, "m=4096,n=4096,k=4096", &launch);

    (void)state;
    assert_int_equal(k->tile_m, 128);
    assert_int_equal(k->tile_n, 128);
    assert_int_equal(k->split_k, 1);
    assert_int_equal(k->cta_n, 1024);
    assert_false(k->reduces);
    /* One CTA: 2 * 128 * 128 * 4096 FLOP, and 4096 columns of 128 + 128 rows of 2 B. */
    assert_close(k->cta_tensor_FLOP, 2.0 * 128 * 128 * 4096, 0);
    assert_close(k->cta_read_B, 4096.0 * 256 * 2, 0);
}

/* One tile of output and a long k: without a split nine of ten cores would idle. */
static void a_deep_small_product_is_split_along_k(void **state)
{
    const dm_hw hw = toy_hw();
    dm_launch launch;
    const dm_kernel *k = gemm_of(&hw, "m=16,n=64,k=65536", &launch);

    (void)state;
    assert_true(k->split_k > 1);
    assert_true(k->reduces);
    assert_close(k->reduce_B, 2.0 * 4 * 16 * 64 * (double)k->split_k, 0);
}

/* No tile half of which is padding: m = 20 takes 32 rows, not 64 or 128. */
static void a_tile_is_no_larger_than_the_matrix_needs(void **state)
{
    const dm_hw hw = toy_hw();
    dm_launch launch;
    const dm_kernel *k = gemm_of(&hw, "m=20,n=4096,k=4096", &launch);

    (void)state;
    assert_true(k->tile_m <= 32);
}

/* Where the fewest accumulators ask for more than the matrix has, the smallest tile allowed still serves. */
static void the_smallest_product_still_gets_a_tile(void **state)
{
    dm_hw hw = toy_hw();
    dm_launch launch;

    (void)state;
    hw.tile_area_min = 1024;
    const dm_kernel *k = gemm_of(&hw, "m=1,n=1,k=1", &launch);
    assert_int_equal(k->cta_n, 1);
    assert_true(k->tile_m * k->tile_n >= 1024);
}

/* Four CTAs in 2 x 2 fetch each operand once a pair: half the bytes from L2. Two share the larger operand: of 128 x 128,
 * 128 + 64 in 256 rows. A single column of tiles can share only W. */
static void a_cluster_shares_its_operands(void **state)
{
    dm_hw hw = toy_hw();
    dm_launch launch;

    (void)state;
    hw.tile_m_min = hw.tile_n_min = 128;
    hw.tile_cluster_n = 4;
    assert_close(gemm_of(&hw, "m=4096,n=4096,k=4096", &launch)->l2_frac, 0.5, 1e-12);
    hw.tile_cluster_n = 2;
    assert_close(gemm_of(&hw, "m=4096,n=4096,k=4096", &launch)->l2_frac, 0.75, 1e-12);
    hw.tile_cluster_n = 4;
    assert_close(gemm_of(&hw, "m=4096,n=128,k=4096", &launch)->l2_frac, (1 + 0.25) / 2, 1e-12);
    hw.tile_cluster_n = 1;
    assert_close(gemm_of(&hw, "m=4096,n=4096,k=4096", &launch)->l2_frac, 1, 0);
}

static void a_product_beyond_counting_is_refused(void **state)
{
    dm_hw hw = toy_hw();
    dm_result r;

    (void)state;
    assert_int_equal(predict(&hw, "gemm", "m=1e12,n=1e12,k=1", "bf16", DM_ANALYTIC, &r), DM_ERR_UNSUPPORTED);
    assert_int_equal(predict(&hw, "gemm", "m=1e12,n=1,k=1,batch=1e12,groups=1e12", "bf16", DM_ANALYTIC, &r), DM_ERR_INPUT);
}

static void a_device_without_tiles_names_the_field(void **state)
{
    dm_hw hw = toy_hw();
    dm_op_call *call;
    dm_result r;
    dm_err err;

    (void)state;
    hw.tile_m_max = 0;
    assert_int_equal(dm_op_call_parse("gemm", "m=1,n=1,k=1", "bf16", NULL, &call, &err), DM_OK);
    assert_int_equal(dm_predict(&hw, call, DM_ANALYTIC, DM_CLOCK_BOOST, &r, &err), DM_ERR_MISSING);
    assert_non_null(strstr(err.message, "compute.tile"));
    dm_op_call_free(call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_k_step_is_a_cache_line_of_the_wider_operand),
        cmocka_unit_test(a_large_product_takes_the_largest_tile_unsplit),
        cmocka_unit_test(a_deep_small_product_is_split_along_k),
        cmocka_unit_test(a_tile_is_no_larger_than_the_matrix_needs),
        cmocka_unit_test(the_smallest_product_still_gets_a_tile),
        cmocka_unit_test(a_cluster_shares_its_operands),
        cmocka_unit_test(a_product_beyond_counting_is_refused),
        cmocka_unit_test(a_device_without_tiles_names_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
