/* tests/unit/test_dtype.c */
#include "text_fixture.h"

#include "util/dtype.h"

/* mx: 8 bits of scale for 32 elements are 0.25 bit an element; nvfp4: for 16, 0.5 bit. */
static void an_element_carries_its_share_of_the_scale(void **state)
{
    static const struct {
        dm_dtype dtype;
        double bits;
    } rows[] = {
        {DM_FP64, 64},    {DM_FP32, 32}, {DM_TF32, 32},    {DM_FP16, 16},    {DM_BF16, 16},   {DM_FP8_E4M3, 8},
        {DM_FP8_E5M2, 8}, {DM_INT8, 8},  {DM_MXFP8, 8.25}, {DM_MXFP4, 4.25}, {DM_NVFP4, 4.5}, {DM_INT4, 4},
    };

    (void)state;
    assert_int_equal(sizeof rows / sizeof rows[0], DM_DTYPE_N);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_close(8 * dm_dtype_B(rows[i].dtype), rows[i].bits, 0);
}

static void every_type_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < DM_DTYPE_N; i++) {
        dm_dtype found = DM_DTYPE_N;
        assert_true(dm_dtype_find(slice_of(dm_dtype_name((dm_dtype)i)), &found));
        assert_int_equal(found, i);
    }
}

static void fp8_means_e4m3_and_strangers_are_refused(void **state)
{
    dm_dtype found = DM_DTYPE_N;

    (void)state;
    assert_true(dm_dtype_find(slice_of("fp8"), &found));
    assert_int_equal(found, DM_FP8_E4M3);
    assert_false(dm_dtype_find(slice_of("fp9"), &found));
    assert_false(dm_dtype_find(slice_of("BF16"), &found));
    assert_false(dm_dtype_find(slice_of(""), &found));
    assert_int_equal(found, DM_FP8_E4M3);
}

static void rate_classes_have_names(void **state)
{
    (void)state;
    assert_string_equal(dm_math_name(DM_MATH_FP64), "fp64");
    assert_string_equal(dm_math_name(DM_MATH_FP4), "fp4");
    for (int i = 0; i < DM_MATH_N; i++)
        assert_non_null(dm_math_name((dm_math)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_carries_its_share_of_the_scale),
        cmocka_unit_test(every_type_is_found_by_its_name),
        cmocka_unit_test(fp8_means_e4m3_and_strangers_are_refused),
        cmocka_unit_test(rate_classes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
