/* tests/unit/test_op_linear_attention.c */
#include "op_fixture.h"

/* 2 sequences of 10 tokens, 32 channels, 4 taps: 640 elements of 2*4+3 FLOP = 7 040, one exponential each.
 * x and y 640*2 = 1 280 B; taps 32*4*2 = 256 B; last 3 inputs 2*32*3*2 = 384 B. */
static void convolution_is_depthwise(void **state)
{
    (void)state;
    const dm_work w = work_of("causal_conv1d_fn", "batch=2,seq_len=10,d_model=32", "bf16");

    assert_close(w.vector_FLOP, 7040.0, 0);
    assert_close(w.special_op, 640.0, 0);
    assert_close(dm_work_unique_B(&w), 1280.0 + 256 + 1280 + 384, 0);
}

/* A step reads its state as well: 2*32*3*2 = 384 B. */
static void convolution_step_reads_its_state(void **state)
{
    (void)state;
    const dm_work w = work_of("causal_conv1d_update", "phase=generation,batch=2,d_model=32", "bf16");

    assert_close(operand_B(&w, "state"), 384.0, 0);
    assert_close(operand_B(&w, "x"), 128.0, 0);
}

/* Chunks of 2 over 4 tokens: 2*3 = 6 pairs. 1 key head of 8, 2 value heads of 4 columns.
 * Key head: 2 products * 6*2*8 = 192. Value head: T K 6*2*8 = 96, T V and masked product 2 * 6*2*4 = 96, inverse
 * 6*2*2/3 = 8, state 4*6*8*4 = 768; 968. In all 192 + 2*968 = 2 128 FLOP.
 * q and k 4*8*2 = 64 B each; v and o 4*2*4*2 = 64 B; gates 2*4*2*4 = 64 B; state 2*8*4*4 = 256 B. */
static void chunked_delta_rule_counts_causal_products(void **state)
{
    (void)state;
    const dm_work w = work_of("chunk_gated_delta_rule",
                              "batch=1,seq_len=4,heads_k=1,head_k_dim=8,heads_v=2,head_v_dim=4,chunk=2", "bf16");

    assert_close(w.tensor_FLOP, 2128.0, 1e-15);
    assert_close(operand_B(&w, "q"), 64.0, 0);
    assert_close(operand_B(&w, "v"), 64.0, 0);
    assert_close(operand_B(&w, "gates"), 64.0, 0);
    assert_close(operand_B(&w, "new state"), 256.0, 0);
    assert_close(dm_work_unique_B(&w), 5 * 64.0 + 256, 0);
}

/* One step of 3 sequences: 3*2 states of 8*4 cells, 7 FLOP a cell = 1 344; each fp32 state is read and written:
 * 6*32*4 = 768 B. */
static void delta_step_moves_its_state_twice(void **state)
{
    (void)state;
    const dm_work w = work_of("fused_recurrent_gated_delta_rule",
                              "phase=generation,batch=3,heads_k=1,head_k_dim=8,heads_v=2,head_v_dim=4", "bf16");

    assert_close(w.vector_FLOP, 1344.0, 0);
    assert_close(operand_B(&w, "state"), 768.0, 0);
    assert_close(operand_B(&w, "new state"), 768.0, 0);
}

/* 4 tokens in chunks of 2: 6 pairs. 1 group of 8 state columns, 2 heads of 4: C B' 2*6*8 = 96; a head 2*6*4 = 48 with
 * X, and 4*4*8*4 = 512 with the states. 96 + 2*560 = 1 216 FLOP. x and y 64 B, B and C 64 B, dt 4*2*2 = 16 B,
 * state 2*4*8*4 = 256 B. */
static void mamba_scan_shares_a_group_among_heads(void **state)
{
    (void)state;
    const dm_work w = work_of("mamba_chunk_scan_combined",
                              "batch=1,seq_len=4,heads_k=1,head_k_dim=8,heads_v=2,head_v_dim=4,chunk=2", "bf16");

    assert_close(w.tensor_FLOP, 1216.0, 0);
    assert_close(dm_work_unique_B(&w), 4 * 64.0 + 16 + 256, 0);
}

/* A rest of 1 token after a chunk of 3: 3*4/2 + 1 = 7 pairs. Mamba-2 with one column of everything: 2*7 + 2*7 + 4*4. */
static void last_chunk_may_be_short(void **state)
{
    (void)state;
    const dm_work w = work_of("mamba_chunk_scan_combined",
                              "batch=1,seq_len=4,heads_k=1,head_k_dim=1,heads_v=1,head_v_dim=1,chunk=3", "bf16");

    assert_close(w.tensor_FLOP, 44.0, 0);
}

static void missing_heads_are_named(void **state)
{
    dm_op_call *call;
    dm_err err;

    (void)state;
    assert_int_equal(dm_op_call_parse("chunk_gated_delta_rule", "batch=1", "bf16", NULL, &call, &err), DM_ERR_INPUT);
    assert_non_null(strstr(err.message, "head_v_dim"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolution_is_depthwise),
        cmocka_unit_test(convolution_step_reads_its_state),
        cmocka_unit_test(chunked_delta_rule_counts_causal_products),
        cmocka_unit_test(delta_step_moves_its_state_twice),
        cmocka_unit_test(mamba_scan_shares_a_group_among_heads),
        cmocka_unit_test(last_chunk_may_be_short),
        cmocka_unit_test(missing_heads_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
