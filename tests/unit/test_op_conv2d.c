/* tests/unit/test_op_conv2d.c */
#include "op_plan.h"

/* ResNet-50's first layer, one image in fp16: (224 + 6 - 7) / 2 + 1 = 112 pixels a side (223 / 2 rounded down, + 1);
 * 2 * 112*112 * 64 * 3*49 = 236 027 904 FLOP. Input 3*224*224*2 = 301 056 B, weights 64*147*2 = 18 816 B, output
 * 64*12 544*2 = 1 605 632 B. */
static void first_layer_of_resnet(void **state)
{
    (void)state;
    const dm_work w = work_of("conv2d", "batch=1,c_in=3,c_out=64,kernel_size=7,in_size=224,stride=2,padding=3", "fp16");

    assert_close(w.tensor_FLOP, 236027904.0, 0);
    assert_close(operand_B(&w, "input"), 301056.0, 0);
    assert_close(operand_B(&w, "weights"), 18816.0, 0);
    assert_close(operand_B(&w, "output"), 1605632.0, 0);
}

/* 1 x 1 with stride 2 on 5 x 5: 3 x 3 windows of a pixel, so 9 of the 25 are read: 4*9*4 = 144 B in fp32. */
static void a_stride_above_the_kernel_skips_pixels(void **state)
{
    (void)state;
    const dm_work w = work_of("conv2d", "batch=1,c_in=4,c_out=2,kernel_size=1,in_size=5,stride=2", "fp32");

    assert_close(operand_B(&w, "input"), 144.0, 0);
    assert_close(operand_B(&w, "output"), 72.0, 0);
    assert_close(w.tensor_FLOP, 144.0, 0);
}

/* A side of 4, 3 x 3, stride 2: one window of 3 ((4 - 3) / 2 = 0.5), the fourth pixel is never seen: 9*4 = 36 B. With
 * padding 1: two windows from -1 and 1, pixels 0 to 3 all seen: 16*4 = 64 B. Stride 4, padding 1 on a side of 5:
 * windows [-1, 1] and [3, 5], pixels 0, 1, 3, 4: 4*4*4 = 64 B. */
#define ONE "batch=1,c_in=1,c_out=1,kernel_size=3"

static void only_touched_pixels_count(void **state)
{
    (void)state;
    const dm_work tail = work_of("conv2d", ONE ",in_size=4,stride=2", "fp32");
    const dm_work whole = work_of("conv2d", ONE ",in_size=4,stride=2,padding=1", "fp32");
    const dm_work gap = work_of("conv2d", ONE ",in_size=5,stride=4,padding=1", "fp32");

    assert_close(operand_B(&tail, "input"), 36.0, 0);
    assert_close(operand_B(&whole, "input"), 64.0, 0);
    assert_close(operand_B(&gap, "input"), 64.0, 0);
}

/* Two groups of 4 to 8 channels, 3 x 3 on 3 x 3 with padding 1: 9 pixels; 2*9*8*(2*9) = 2 592 FLOP, half of what one
 * group costs; weights 8*2*9*2 = 288 B in bf16. */
static void groups_do_not_mix(void **state)
{
    (void)state;
    const char *shape = "batch=1,c_in=4,c_out=8,kernel_size=3,in_size=3,padding=1,groups=2";
    const dm_work w = work_of("conv2d", shape, "bf16");

    assert_close(w.tensor_FLOP, 2592.0, 0);
    assert_close(operand_B(&w, "weights"), 288.0, 0);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
#define REFUSED(shape, message) expect_shape_refused("conv2d", "batch=1,c_in=6,c_out=9," shape, "fp16", message)
    REFUSED("kernel_size=3,in_size=8,stride=0", "stride");
    REFUSED("kernel_size=3,in_size=8,padding=3", "padding is not below kernel_size");
    REFUSED("kernel_size=7,in_size=4,padding=1", "not one window fits");
    REFUSED("kernel_size=3,in_size=8,groups=2", "multiples of groups");
    REFUSED("kernel_size=3,in_size=8,padding=-1", "padding");
    REFUSED("kernel_size=1,in_size=1e12", "too large");
    REFUSED("kernel_size=1e12,in_size=1e12", "too large");
    REFUSED("kernel_size=3", "'in_size' is missing");
#undef REFUSED
}

/* The smallest window fits exactly: one output pixel. */
static void a_kernel_as_large_as_the_padded_input_fits(void **state)
{
    (void)state;
    const dm_work w = work_of("conv2d", "batch=1,c_in=1,c_out=1,kernel_size=6,in_size=4,padding=1", "fp32");

    assert_close(w.tensor_FLOP, 72.0, 0);
    assert_close(operand_B(&w, "input"), 64.0, 0);
}

/* As a product: 2 images of 8 x 8 pixels are m = 128, n = 32 channels, k = 16*9 = 144 terms. CTAs cover m x n with the
 * tile, and their FLOP are at least the work's. With fp8 the activation is quantised before. */
static void the_product_is_planned_like_a_gemm(void **state)
{
    (void)state;
    const char *shape = "batch=2,c_in=16,c_out=32,kernel_size=3,in_size=8,padding=1";
    const dm_hw hw = toy_hw();
    const dm_launch launch = plan_of(&hw, "conv2d", shape, "fp16"), fp8 = plan_of(&hw, "conv2d", shape, "fp8");
    const dm_kernel *k = &launch.kernel[0];

    assert_int_equal(launch.kernel_n, 1);
    assert_true(k->matrix && k->tile_m > 0);
    assert_true((double)k->cta_n * k->cta_tensor_FLOP >= 2.0 * 128 * 32 * 144);
    assert_int_equal(fp8.kernel_n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_layer_of_resnet),
        cmocka_unit_test(a_stride_above_the_kernel_skips_pixels),
        cmocka_unit_test(only_touched_pixels_count),
        cmocka_unit_test(groups_do_not_mix),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(a_kernel_as_large_as_the_padded_input_fits),
        cmocka_unit_test(the_product_is_planned_like_a_gemm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
