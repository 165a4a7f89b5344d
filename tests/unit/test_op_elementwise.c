/* tests/unit/test_op_elementwise.c */
#include "op_plan.h"

/* 3 x 1 000 elements of relu in fp32: a comparison each, 3 000 FLOP; 4 B in, 4 B out: 12 000 B each. */
static void relu_compares_reads_and_writes_once(void **state)
{
    (void)state;
    const dm_work w = work_of("relu", "rows=3,cols=1000", "fp32");

    assert_close(w.vector_FLOP, 3000.0, 0);
    assert_close(w.special_op, 0.0, 0);
    assert_close(operand_B(&w, "inputs"), 12000.0, 0);
    assert_close(operand_B(&w, "output"), 12000.0, 0);
    assert_close(w.tensor_FLOP, 0.0, 0);
}

/* 2 x 500 elements in fp16. add: 2 inputs of 2 000 B, 1 000 FLOP. add3: 3 inputs, 2 000 FLOP. */
static void sums_read_every_input(void **state)
{
    (void)state;
    const dm_work two = work_of("add", "rows=2,cols=500", "fp16"), three = work_of("add3", "rows=2,cols=500", "fp16");

    assert_close(operand_B(&two, "inputs"), 4000.0, 0);
    assert_close(operand_B(&two, "output"), 2000.0, 0);
    assert_close(two.vector_FLOP, 1000.0, 0);
    assert_close(operand_B(&three, "inputs"), 6000.0, 0);
    assert_close(three.vector_FLOP, 2000.0, 0);
}

/* 16 x 14 336 = 229 376 elements out. In: twice as many in bf16, 917 504 B; out 458 752 B. Halve, multiply-add,
 * multiply by the other half: 4 FLOP, one tanh. */
static void silu_mul_reads_twice_its_columns(void **state)
{
    (void)state;
    const dm_work w = work_of("silu_mul", "rows=16,cols=14336", "bf16");

    assert_close(operand_B(&w, "inputs"), 917504.0, 0);
    assert_close(operand_B(&w, "output"), 458752.0, 0);
    assert_close(w.vector_FLOP, 917504.0, 0);
    assert_close(w.special_op, 229376.0, 0);
}

/* FLOP and special functions of one element, by the formulas above elementwise.c. */
static void each_name_has_its_own_count(void **state)
{
    static const struct {
        const char *name;
        double input_n, vector_FLOP, special_op;
    } want[] = {
        {"relu", 1, 1, 0},       {"gelu", 1, 7, 1},       {"silu", 1, 3, 1},       {"sigmoid", 1, 3, 1},
        {"tanh", 1, 0, 1},       {"exp", 1, 1, 1},        {"add_scalar", 1, 1, 0}, {"mul_scalar", 1, 1, 0},
        {"div_scalar", 1, 1, 0}, {"pow_scalar", 1, 1, 0}, {"add", 2, 1, 0},        {"mul", 2, 1, 0},
        {"div", 2, 1, 1},        {"pow", 2, 1, 2},        {"add3", 3, 2, 0},       {"silu_mul", 2, 4, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const dm_work w = work_of(want[i].name, "rows=1,cols=1", "fp32");
        assert_close(operand_B(&w, "inputs"), 4 * want[i].input_n, 0);
        assert_close(operand_B(&w, "output"), 4.0, 0);
        assert_close(w.vector_FLOP, want[i].vector_FLOP, 0);
        assert_close(w.special_op, want[i].special_op, 0);
    }
}

/* The unnamed one: 10 elements. One input: one operation, 10 FLOP. Four: three operations, 30 FLOP, 160 B in fp32. */
static void unnamed_operator_takes_any_number_of_inputs(void **state)
{
    (void)state;
    const dm_work one = work_of("elementwise", "rows=2,cols=5", "fp32");
    const dm_work four = work_of("elementwise", "rows=2,cols=5,inputs=4", "fp32");

    assert_close(one.vector_FLOP, 10.0, 0);
    assert_close(operand_B(&one, "inputs"), 40.0, 0);
    assert_close(four.vector_FLOP, 30.0, 0);
    assert_close(operand_B(&four, "inputs"), 160.0, 0);
}

/* 100 elements. fp64: 8 B, on the fp64 units. fp8_e4m3: 1 B in, bf16 out. fp8: arrives in bf16, 2 B. */
static void types_are_those_of_the_recipe(void **state)
{
    (void)state;
    const dm_work wide = work_of("mul", "rows=1,cols=100", "fp64");
    const dm_work narrow = work_of("relu", "rows=1,cols=100", "fp8_e4m3");
    const dm_work cast = work_of("relu", "rows=1,cols=100", "fp8");

    assert_close(operand_B(&wide, "inputs"), 1600.0, 0);
    assert_int_equal(wide.vector_math, DM_MATH_FP64);
    assert_close(operand_B(&narrow, "inputs"), 100.0, 0);
    assert_close(operand_B(&narrow, "output"), 200.0, 0);
    assert_int_equal(narrow.vector_math, DM_MATH_FP32);
    assert_close(operand_B(&cast, "inputs"), 200.0, 0);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    expect_shape_refused("relu", "rows=0,cols=4", "fp32", "rows");
    expect_shape_refused("relu", "rows=4", "fp32", "'cols' is missing");
    expect_shape_refused("relu", "rows=4,cols=4,inputs=2", "fp32", "inputs belongs to");
    expect_shape_refused("relu", "rows=1e13,cols=4", "fp32", "rows");
}

/* A streaming kernel does all of the operator's work: 2 B x 4 194 304 elements in blocks of 16 384 B are 512 CTAs, and
 * CTAs times the share of one give the work back. */
static void plan_spends_the_whole_work(void **state)
{
    (void)state;
    const dm_hw hw = toy_hw();
    const dm_launch launch = plan_of(&hw, "gelu", "rows=1024,cols=4096", "fp16");
    const dm_kernel *k = &launch.kernel[0];

    assert_int_equal(launch.kernel_n, 1);
    assert_int_equal(k->cta_n, 512);
    assert_close(512 * k->cta_vector_FLOP, 7 * 4194304.0, 1e-14);
    assert_close(512 * k->cta_special_op, 4194304.0, 1e-14);
    assert_close(512 * k->cta_read_B, 8388608.0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relu_compares_reads_and_writes_once),
        cmocka_unit_test(sums_read_every_input),
        cmocka_unit_test(silu_mul_reads_twice_its_columns),
        cmocka_unit_test(each_name_has_its_own_count),
        cmocka_unit_test(unnamed_operator_takes_any_number_of_inputs),
        cmocka_unit_test(types_are_those_of_the_recipe),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(plan_spends_the_whole_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
