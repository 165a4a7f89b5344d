/* tests/unit/test_op_attention.c */
#include "op_fixture.h"

#include "lower/ops/attention.h"

/* Two sequences of 4 tokens, 4 query heads on 2 key heads of 8 columns, causal: 4*5/2 = 10 pairs a head, 80 in all.
 * 80*2*(8+8) = 2 560 FLOP; 80 exponentials. Q and O 2*4*4*8*2 = 512 B; K and V 2*4*2*8*2 = 256 B each. */
static void prefill_counts_the_lower_triangle(void **state)
{
    (void)state;
    const dm_work w = work_of("attention_prefill", "batch=2,q_len=4,heads_q=4,heads_kv=2,head_dim=8", "bf16");

    assert_close(w.tensor_FLOP, 2560.0, 0);
    assert_close(w.special_op, 80.0, 0);
    assert_close(w.vector_FLOP, 320.0, 0);
    assert_close(operand_B(&w, "q"), 512.0, 0);
    assert_close(operand_B(&w, "k"), 256.0, 0);
    assert_close(operand_B(&w, "v"), 256.0, 0);
    assert_close(operand_B(&w, "o"), 512.0, 0);
}

/* A chunk of 2 tokens behind 3 cached ones: the queries see 4 and 5 keys. (4+5)*2*(8+8) = 288 FLOP a head. */
static void queries_of_a_chunk_see_the_cache(void **state)
{
    (void)state;
    const dm_work w = work_of("attention_prefill", "batch=1,q_len=2,kv_len=5,heads_q=1,head_dim=8", "bf16");

    assert_close(w.tensor_FLOP, 288.0, 0);
    assert_close(operand_B(&w, "k"), 5 * 8 * 2.0, 0);
}

/* One token, 1000 keys, 8 query heads on 2 key heads of 128, fp8 cache: 8*1000*2*256 = 4 096 000 FLOP;
 * K 1000*2*128*1 = 256 000 B; Q and O stay bf16: 8*128*2 = 2 048 B. */
static void decode_reads_an_fp8_cache_once_a_key_head(void **state)
{
    (void)state;
    const dm_work w = work_of("attention_decode", "batch=1,kv_len=1000,heads_q=8,heads_kv=2,head_dim=128,kv_dtype=fp8",
                              "bf16");

    assert_close(w.tensor_FLOP, 4096000.0, 0);
    assert_close(operand_B(&w, "k"), 256000.0, 0);
    assert_close(operand_B(&w, "q"), 2048.0, 0);
    assert_close(dm_work_unique_B(&w), 2 * 256000.0 + 2 * 2048.0, 0);
}

/* A window of 128 leaves 128 of 1000 keys: 128*2*256 = 65 536 FLOP, K 128*128*2 = 32 768 B. */
static void decode_reads_only_its_window(void **state)
{
    (void)state;
    const dm_work w = work_of("attention_decode", "batch=1,kv_len=1000,heads_q=1,head_dim=128,window=128", "bf16");

    assert_close(w.tensor_FLOP, 65536.0, 0);
    assert_close(operand_B(&w, "k"), 32768.0, 0);
}

/* 16 tokens see each other: 16*16*2*(64+64) = 65 536 FLOP a head; heads_kv defaults to heads_q: K 16*3*64*2. */
static void encoder_sees_everything(void **state)
{
    (void)state;
    const dm_work w = work_of("attention_encoder", "batch=1,q_len=16,heads_q=3,head_dim=64", "bf16");

    assert_close(w.tensor_FLOP, 3 * 65536.0, 0);
    assert_close(operand_B(&w, "k"), 6144.0, 0);
}

static double counted_pairs(int64_t q_len, int64_t kv_len, int64_t window, bool causal)
{
    double n = 0;

    for (int64_t q = kv_len - q_len; q < kv_len; q++)
        for (int64_t k = 0; k < kv_len; k++)
            n += !causal || (k <= q && (window == 0 || q - k < window));
    return n;
}

static void pairs_agree_with_counting_them(void **state)
{
    (void)state;
    for (int64_t kv = 1; kv <= 9; kv++)
        for (int64_t q = 1; q <= kv; q++)
            for (int64_t window = 0; window <= 11; window++)
                assert_close(dm_attention_pairs(q, kv, window, true), counted_pairs(q, kv, window, true), 0);
    assert_close(dm_attention_pairs(3, 7, 0, false), counted_pairs(3, 7, 0, false), 0);
}

static void expect_refused(const char *op, const char *shape, const char *message)
{
    dm_op_call *call;
    dm_err err;

    assert_int_equal(dm_op_call_parse(op, shape, "bf16", NULL, &call, &err), DM_ERR_INPUT);
    assert_non_null(strstr(err.message, message));
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    expect_refused("attention_prefill", "batch=1,q_len=8,heads_q=6,heads_kv=4,head_dim=64", "multiple of heads_kv");
    expect_refused("attention_decode", "batch=1,q_len=2,kv_len=1,heads_q=1,head_dim=64", "above kv_len");
    expect_refused("attention_encoder", "batch=1,q_len=8,heads_q=1,head_dim=64,window=4", "needs causal");
}

/* The largest dimensions give a finite count. */
static void huge_shapes_stay_finite(void **state)
{
    (void)state;
    const dm_work w =
        work_of("attention_prefill", "batch=1e12,q_len=1e12,heads_q=1e12,head_dim=1e12,window=1e12", "bf16");

    assert_true(isfinite(w.tensor_FLOP) && w.tensor_FLOP > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefill_counts_the_lower_triangle),
        cmocka_unit_test(queries_of_a_chunk_see_the_cache),
        cmocka_unit_test(decode_reads_an_fp8_cache_once_a_key_head),
        cmocka_unit_test(decode_reads_only_its_window),
        cmocka_unit_test(encoder_sees_everything),
        cmocka_unit_test(pairs_agree_with_counting_them),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(huge_shapes_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
