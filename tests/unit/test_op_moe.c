/* tests/unit/test_op_moe.c */
#include "op_fixture.h"

#define SMALL "tokens=4,hidden=32,inter=16,experts=16,topk=2"

/* 4 tokens to 2 of 16 experts: 8 pairs on 8 experts. An expert holds 32*(2*16+16) = 1 536 weights.
 * 2*8*1536 = 24 576 FLOP; 8*1536*2 = 24 576 B of weights; tokens in and out 4*32*2 = 256 B each;
 * 8*16 = 128 exponentials. */
static void balanced_tokens_hit_distinct_experts(void **state)
{
    (void)state;
    const dm_work w = work_of("moe", SMALL, "bf16");

    assert_close(w.tensor_FLOP, 24576.0, 0);
    assert_close(operand_B(&w, "experts"), 24576.0, 0);
    assert_close(operand_B(&w, "tokens"), 256.0, 0);
    assert_close(operand_B(&w, "output"), 256.0, 0);
    assert_close(w.special_op, 128.0, 0);
}

/* Two ranks share the experts, two the columns: 4 pairs, 4 experts of 32*(2*8+8) = 768 weights here.
 * 2*4*768 = 6 144 FLOP; 4*768*2 = 6 144 B; all tokens come in and leave. */
static void ranks_share_experts_and_columns(void **state)
{
    (void)state;
    const dm_work w = work_of("moe", SMALL ",ep=2,tp=2", "bf16");

    assert_close(w.tensor_FLOP, 6144.0, 0);
    assert_close(operand_B(&w, "experts"), 6144.0, 0);
    assert_close(operand_B(&w, "tokens"), 256.0, 0);
}

/* A hundred tokens hit all 16 experts, not 200: 16*1536*2 = 49 152 B. */
static void no_more_experts_than_there_are(void **state)
{
    (void)state;
    const dm_work w = work_of("moe", "tokens=100,hidden=32,inter=16,experts=16,topk=2", "bf16");

    assert_close(operand_B(&w, "experts"), 49152.0, 0);
}

/* n = 8 of E = 16: 8*(1 - 0.45*(0.5 - 0.15)/0.85) = 6.517 647 experts. n = 32: 16*(1 - 0.45/2) = 12.4. */
static void power_law_hits_fewer_experts(void **state)
{
    (void)state;
    const dm_work few = work_of("moe", SMALL ",distribution=power_law_1.2", "bf16");
    const dm_work many =
        work_of("moe", "tokens=16,hidden=32,inter=16,experts=16,topk=2,distribution=power_law_1.01", "bf16");

    assert_close(operand_B(&few, "experts"), 8 * (1 - 0.45 * 0.35 / 0.85) * 3072, 1e-14);
    assert_close(operand_B(&many, "experts"), 12.4 * 3072, 1e-14);
    assert_close(few.tensor_FLOP, 24576.0, 0);
}

/* Without a gate two matrices: 32*(16+16) = 1 024 weights, 2*8*1024 = 16 384 FLOP; mxfp4 weights 4.25 bits:
 * 8*1024*0.53125 = 4 352 B. */
static void ungated_experts_have_two_matrices(void **state)
{
    (void)state;
    const dm_work w = work_of("moe", SMALL ",gated=0", "w4a16_mxfp4");

    assert_close(w.tensor_FLOP, 16384.0, 0);
    assert_close(operand_B(&w, "experts"), 4352.0, 0);
    assert_close(w.special_op, 0.0, 0);
}

static void expect_refused(const char *shape, const char *message)
{
    dm_op_call *call;
    dm_err err;

    assert_int_equal(dm_op_call_parse("moe", shape, "bf16", NULL, &call, &err), DM_ERR_INPUT);
    assert_non_null(strstr(err.message, message));
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    expect_refused("tokens=1,hidden=8,inter=8,experts=4,topk=5", "topk is above experts");
    expect_refused(SMALL ",ep=3", "multiple of ep");
    expect_refused(SMALL ",tp=3", "multiple of tp");
    expect_refused(SMALL ",distribution=power_law_", "power_law_1.2");
    expect_refused(SMALL ",distribution=power_law_1.2x", "power_law_1.2");
    expect_refused(SMALL ",distribution=power_law_0", "power_law_1.2");
}

/* 4 tokens of 256 columns to 2 experts each: 2 048 columns sent, in fp8 with 4 / 128 B of scale 2 112 B; 7 of 8 ranks
 * are elsewhere: 1 848 B leave. Tokens arrive in bf16: 4*256*2 = 2 048 B. */
static void dispatch_sends_a_message_a_pair(void **state)
{
    (void)state;
    const dm_work w = work_of("moe_dispatch", "tokens=4,hidden=256,topk=2,experts=16,ranks=8", "fp8");

    assert_close(operand_B(&w, "tokens"), 2048.0, 0);
    assert_close(operand_B(&w, "received"), 2112.0, 0);
    assert_close(w.link_B, 1848.0, 0);
    assert_int_equal(w.link, DM_LINK_SCALE_UP);
}

/* Back in bf16: 2 048 columns are 4 096 B, 3 584 B of them over the link; the sum is 4*256*2 = 2 048 B. */
static void combine_returns_bf16(void **state)
{
    (void)state;
    const dm_work w = work_of("moe_combine", "tokens=4,hidden=256,topk=2,experts=16,ranks=8", "bf16");

    assert_close(operand_B(&w, "results"), 4096.0, 0);
    assert_close(operand_B(&w, "tokens"), 2048.0, 0);
    assert_close(w.link_B, 3584.0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balanced_tokens_hit_distinct_experts), cmocka_unit_test(ranks_share_experts_and_columns),
        cmocka_unit_test(no_more_experts_than_there_are),       cmocka_unit_test(power_law_hits_fewer_experts),
        cmocka_unit_test(ungated_experts_have_two_matrices),    cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(dispatch_sends_a_message_a_pair),      cmocka_unit_test(combine_returns_bf16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
