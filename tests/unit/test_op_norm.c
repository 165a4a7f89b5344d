/* tests/unit/test_op_norm.c
 *
 * Row kernels and the other streaming ones: norms, softmax, rope, embedding, quantisation, copy. */
#include "op_plan.h"

/* 4 x 1 024 in fp16: 8 192 B in and out; scale and shift 2*1024*2 = 4 096 B; 7 FLOP x 4 096 = 28 672; 4 roots. */
static void layernorm_reads_scale_and_shift(void **state)
{
    (void)state;
    const dm_work w = work_of("layernorm", "rows=4,cols=1024", "fp16");

    assert_close(operand_B(&w, "x"), 8192.0, 0);
    assert_close(operand_B(&w, "y"), 8192.0, 0);
    assert_close(operand_B(&w, "parameters"), 4096.0, 0);
    assert_close(w.vector_FLOP, 28672.0, 0);
    assert_close(w.special_op, 4.0, 0);
}

/* Scale alone: 1024*2 = 2 048 B; 4 FLOP x 4 096 = 16 384. With fp8 the norm stays bf16. */
static void rmsnorm_reads_its_scale(void **state)
{
    (void)state;
    const dm_work w = work_of("rmsnorm", "rows=4,cols=1024", "bf16");
    const dm_work fp8 = work_of("rmsnorm", "rows=4,cols=1024", "fp8");

    assert_close(operand_B(&w, "parameters"), 2048.0, 0);
    assert_close(w.vector_FLOP, 16384.0, 0);
    assert_close(dm_work_unique_B(&w), 18432.0, 0);
    assert_close(dm_work_unique_B(&fp8), 18432.0, 0);
}

/* 32 x 4 096 = 131 072 elements in fp32: 524 288 B in and out, 4 FLOP each, an exponential each and 32 reciprocals. */
static void softmax_counts_an_exponential_an_element(void **state)
{
    (void)state;
    const dm_work w = work_of("softmax", "rows=32,cols=4096", "fp32");

    assert_close(operand_B(&w, "x"), 524288.0, 0);
    assert_close(operand_B(&w, "y"), 524288.0, 0);
    assert_close(w.vector_FLOP, 524288.0, 0);
    assert_close(w.special_op, 131104.0, 0);
}

/* 16 tokens, 40 heads of 128: 81 920 elements, 163 840 B in and out in bf16, 3 FLOP each. */
static void rope_turns_pairs_in_place(void **state)
{
    (void)state;
    const dm_work w = work_of("rope", "rows=16,cols=5120", "bf16");

    assert_close(operand_B(&w, "heads"), 163840.0, 0);
    assert_close(operand_B(&w, "rotated"), 163840.0, 0);
    assert_close(w.vector_FLOP, 245760.0, 0);
    expect_shape_refused("rope", "rows=16,cols=5121", "bf16", "cols is odd");
}

/* 3 rows of 1 024 from a large table: 3*1024*2 = 6 144 B of it, 12 B of indices, 6 144 B out. From a table of two rows
 * only those: 4 096 B. */
static void embedding_reads_each_table_row_once(void **state)
{
    (void)state;
    const dm_work large = work_of("embedding", "rows=3,cols=1024,vocab=30522", "bf16");
    const dm_work small = work_of("embedding", "rows=3,cols=1024,vocab=2", "bf16");

    assert_close(operand_B(&large, "table"), 6144.0, 0);
    assert_close(operand_B(&large, "indices"), 12.0, 0);
    assert_close(operand_B(&large, "output"), 6144.0, 0);
    assert_close(operand_B(&small, "table"), 4096.0, 0);
    assert_close(large.vector_FLOP + large.tensor_FLOP + large.special_op, 0.0, 0);
}

/* 300 rows from a table of two: the cores still ask for 300 rows, 2 048 B and an index of 4 B each. */
static void a_repeated_table_row_is_asked_for_again(void **state)
{
    (void)state;
    const dm_hw hw = toy_hw();
    const dm_launch launch = plan_of(&hw, "embedding", "rows=300,cols=1024,vocab=2", "bf16");
    const dm_kernel *k = &launch.kernel[0];

    assert_close((double)k->cta_n * k->cta_read_B, 300.0 * 2052, 1e-14);
}

/* 64 x 256 = 16 384 elements from bf16, 32 768 B, to fp8, 16 384 B; scale and round: 2 FLOP each, and the maximum where
 * the scale is not given. mxfp8: 8 bits and 8 bits of scale for 32 elements, 1.03125 B each: 16 896 B. */
static void quantising_narrows_the_activation(void **state)
{
    (void)state;
    const dm_work given = work_of("quantize_static", "m=64,k=256", "fp8");
    const dm_work found = work_of("quantize_dynamic", "m=64,k=256", "mxfp8");

    assert_close(operand_B(&given, "activation"), 32768.0, 0);
    assert_close(operand_B(&given, "quantised"), 16384.0, 0);
    assert_close(given.vector_FLOP, 32768.0, 0);
    assert_close(operand_B(&found, "quantised"), 16896.0, 0);
    assert_close(found.vector_FLOP, 49152.0, 0);
    expect_shape_refused("quantize_static", "m=64,k=256", "bf16", "one that quantises is wanted");
}

static void a_found_scale_costs_latency(void **state)
{
    (void)state;
    const dm_hw hw = toy_hw();
    const dm_launch given = plan_of(&hw, "quantize_static", "m=64,k=256", "fp8");
    const dm_launch found = plan_of(&hw, "quantize_dynamic", "m=64,k=256", "fp8");

    assert_close(given.kernel[0].chain_n, 0.0, 0);
    assert_close(found.kernel[0].chain_n, dm_params_default.quantise_latency_n, 0);
}

static void copy_reads_and_writes(void **state)
{
    (void)state;
    const dm_work w = work_of("copy", "bytes=1000", NULL);

    assert_close(operand_B(&w, "source"), 1000.0, 0);
    assert_close(operand_B(&w, "destination"), 1000.0, 0);
    assert_close(w.vector_FLOP, 0.0, 0);
    expect_shape_refused("copy", "bytes=0", "bf16", "bytes");
}

/* A row of 4 096 B has a CTA to itself; of rows of 64 B 32 share one, so 1 000 rows are 32 CTAs (31.25). */
static void short_rows_share_a_cta(void **state)
{
    (void)state;
    const dm_hw hw = toy_hw();
    const dm_launch wide = plan_of(&hw, "softmax", "rows=1000,cols=1024", "fp32");
    const dm_launch narrow = plan_of(&hw, "softmax", "rows=1000,cols=16", "fp32");

    assert_int_equal(wide.kernel[0].cta_n, 1000);
    assert_int_equal(narrow.kernel[0].cta_n, 32);
}

/* Every dtype, the smallest and the largest shape: finite times above zero. */
static void any_recipe_and_size_has_a_time(void **state)
{
    static const char *const shapes[][3] = {
        {"layernorm", "rows=1,cols=1", "rows=1e12,cols=1e12"},
        {"rmsnorm", "rows=1,cols=1", "rows=1,cols=1e12"},
        {"softmax", "rows=1,cols=1", "rows=1e12,cols=1"},
        {"rope", "rows=1,cols=2", "rows=1e12,cols=1e12"},
        {"embedding", "rows=1,cols=1,vocab=1", "rows=1e12,cols=1e12,vocab=1e12"},
        {"relu", "rows=1,cols=1", "rows=1e12,cols=1e12"},
        {"copy", "bytes=1", "bytes=1e12"},
    };
    const dm_hw hw = toy_hw();

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t r = 0; r < dm_recipe_n; r++)
            for (int j = 1; j <= 2; j++) {
                const char *op = shapes[i][0], *shape = shapes[i][j], *dtype = dm_recipes[r].name;
                dm_result bound, result;
                assert_int_equal(predict(&hw, op, shape, dtype, DM_ROOFLINE, &bound), DM_OK);
                assert_int_equal(predict(&hw, op, shape, dtype, DM_ANALYTIC, &result), DM_OK);
                assert_true(bound.time_s > 0 && bound.time_s <= result.time_s && isfinite(result.time_s));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layernorm_reads_scale_and_shift),
        cmocka_unit_test(rmsnorm_reads_its_scale),
        cmocka_unit_test(softmax_counts_an_exponential_an_element),
        cmocka_unit_test(rope_turns_pairs_in_place),
        cmocka_unit_test(embedding_reads_each_table_row_once),
        cmocka_unit_test(a_repeated_table_row_is_asked_for_again),
        cmocka_unit_test(quantising_narrows_the_activation),
        cmocka_unit_test(a_found_scale_costs_latency),
        cmocka_unit_test(copy_reads_and_writes),
        cmocka_unit_test(short_rows_share_a_cta),
        cmocka_unit_test(any_recipe_and_size_has_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
