/* tests/unit/test_op_gemm.c */
#include "op_fixture.h"

/* m=16, n=4096, k=4096 bf16: 2*16*4096*4096 = 536 870 912 FLOP; A 16*4096*2 = 131 072 B, W 4096*4096*2 = 33 554 432 B,
 * C 16*4096*2 = 131 072 B. */
static void bf16_gemm_counts_each_operand_once(void **state)
{
    (void)state;
    const dm_work w = work_of("gemm", "m=16,n=4096,k=4096", "bf16");

    assert_close(w.tensor_FLOP, 536870912.0, 0);
    assert_close(operand_B(&w, "a"), 131072.0, 0);
    assert_close(operand_B(&w, "w"), 33554432.0, 0);
    assert_close(operand_B(&w, "c"), 131072.0, 0);
    assert_close(dm_work_unique_B(&w), 33816576.0, 0);
}

/* nvfp4: 4 bits and an 8-bit scale for 16 elements = 0.5625 B. W 64*128*0.5625 = 4 608 B; A arrives in bf16:
 * 32*128*2 = 8 192 B. */
static void nvfp4_weights_carry_their_scales(void **state)
{
    (void)state;
    const dm_work w = work_of("gemm", "m=32,n=64,k=128", "nvfp4");

    assert_close(operand_B(&w, "w"), 4608.0, 0);
    assert_close(operand_B(&w, "a"), 8192.0, 0);
}

/* batch=3 triples everything; groups=4 multiplies the weights alone. 2*3*8*16*32 = 24 576 FLOP;
 * A 3*8*32*2 = 1 536, W 3*4*16*32*2 = 12 288. */
static void batch_and_groups_multiply_what_they_own(void **state)
{
    (void)state;
    const dm_work w = work_of("gemm", "m=8,n=16,k=32,batch=3,groups=4", "fp16");

    assert_close(w.tensor_FLOP, 24576.0, 0);
    assert_close(operand_B(&w, "a"), 1536.0, 0);
    assert_close(operand_B(&w, "w"), 12288.0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bf16_gemm_counts_each_operand_once),
        cmocka_unit_test(nvfp4_weights_carry_their_scales),
        cmocka_unit_test(batch_and_groups_multiply_what_they_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
