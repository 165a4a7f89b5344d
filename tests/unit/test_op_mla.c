/* tests/unit/test_op_mla.c */
#include "op_fixture.h"

/* One token of 16 heads against 1000 latents of 512 + 64: 16*1000*2*(576+512) = 34 816 000 FLOP.
 * Latents once for all heads, 1000*576*2 = 1 152 000 B; Q 16*576*2 = 18 432 B; O 16*512*2 = 16 384 B. */
static void decode_shares_one_latent_among_heads(void **state)
{
    (void)state;
    const dm_work w = work_of("mla", "phase=decode,batch=1,kv_len=1000,heads=16", "bf16");

    assert_close(w.tensor_FLOP, 34816000.0, 0);
    assert_close(operand_B(&w, "kv"), 1152000.0, 0);
    assert_close(operand_B(&w, "q"), 18432.0, 0);
    assert_close(operand_B(&w, "o"), 16384.0, 0);
    assert_int_equal(w.math, DM_MATH_BF16);
}

/* An fp8 cache halves the latents, 576 000 B, and is multiplied at the fp8 rate. */
static void decode_multiplies_an_fp8_cache_as_it_lies(void **state)
{
    (void)state;
    const dm_work w = work_of("mla", "phase=decode,batch=1,kv_len=1000,heads=16,kv_dtype=fp8", "bf16");

    assert_close(operand_B(&w, "kv"), 576000.0, 0);
    assert_int_equal(w.math, DM_MATH_FP8);
}

/* 4 tokens, 2 heads, causal: 2*10 pairs * 2*(192+128) = 12 800 FLOP. K 4*2*192*2 = 3 072 B, V 4*2*128*2 = 2 048 B,
 * the latents that the prompt leaves behind 4*576*2 = 4 608 B. */
static void prefill_expands_keys_and_values(void **state)
{
    (void)state;
    const dm_work w = work_of("mla", "phase=prefill,batch=1,q_len=4,heads=2", "bf16");

    assert_close(w.tensor_FLOP, 12800.0, 0);
    assert_close(operand_B(&w, "k"), 3072.0, 0);
    assert_close(operand_B(&w, "v"), 2048.0, 0);
    assert_close(operand_B(&w, "latent"), 4608.0, 0);
}

/* One token, 128 heads, DeepSeek-V3. Weights: 7168*(1536+576) = 15 138 816, 1536*128*192 = 37 748 736,
 * 512*128*256 = 16 777 216, 128*128*7168 = 117 440 512; 187 105 280 in all, in bf16 374 210 560 B.
 * FLOP: 2*187 105 280 + attention 128*100*2*1088 = 374 210 560 + 27 852 800. Cache read: 99*576*2 = 114 048 B. */
static void module_adds_the_projections(void **state)
{
    (void)state;
    const dm_work w = work_of("mla_module", "phase=decode,batch=1,kv_len=100,heads=128", "bf16");

    assert_close(w.tensor_FLOP, 402063360.0, 0);
    assert_close(operand_B(&w, "w"), 374210560.0, 0);
    assert_close(operand_B(&w, "cache"), 114048.0, 0);
    assert_close(operand_B(&w, "latent"), 1152.0, 0);
    assert_close(operand_B(&w, "hidden"), 14336.0, 0);
}

/* fp8_block projections: a byte and 4 / 128^2 of scale a weight. The narrower class bounds the sum. */
static void module_takes_the_recipe_of_its_projections(void **state)
{
    (void)state;
    const dm_work w = work_of("mla_module",
                              "phase=decode,model=deepseek_v3,batch=1,kv_len=100,heads=128,gemm_dtype=fp8_block",
                              "bf16");

    assert_close(operand_B(&w, "w"), 187105280.0 * (1 + 4.0 / 16384), 1e-15);
    assert_int_equal(w.math, DM_MATH_FP8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_shares_one_latent_among_heads),
        cmocka_unit_test(decode_multiplies_an_fp8_cache_as_it_lies),
        cmocka_unit_test(prefill_expands_keys_and_values),
        cmocka_unit_test(module_adds_the_projections),
        cmocka_unit_test(module_takes_the_recipe_of_its_projections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
