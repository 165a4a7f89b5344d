/* tests/unit/test_num.c: numbers from text and back. */
#include "text_fixture.h"

#include <float.h>

#include "util/num.h"
#include "util/rng.h"

/* Bytes used of a text that ends in a byte which is not part of it. */
static size_t parse(const char *text, double *out)
{
    return dm_num_parse(text, strlen(text), out);
}

static void a_number_is_digits_a_point_and_an_exponent(void **state)
{
    static const struct {
        const char *text;
        size_t used;
        double value;
    } rows[] = {
        {"0", 1, 0},
        {"42", 2, 42},
        {"-42", 3, -42},
        {"+4.5", 4, 4.5},
        {".5", 2, 0.5},
        {"5.", 2, 5},
        {"6.02e23", 7, 6.02e23},
        {"1E-9", 4, 1e-9},
        {"1e+3", 4, 1000},
        {"128_256", 7, 128256},
        {"1_000_000.5", 11, 1000000.5},
        {"3.35 TB/s", 4, 3.35},
        {"3.35TB/s", 4, 3.35},
        {"2e", 1, 2}, /* an exponent without digits is the start of a unit */
        {"2e+", 1, 2},
        {"12 34", 2, 12},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = -1;
        assert_int_equal(parse(rows[i].text, &value), rows[i].used);
        assert_close(value, rows[i].value, 0);
    }
}

static void what_C_calls_a_number_is_none_here(void **state)
{
    static const char *const texts[] = {"",      "-",        ".",    "e5",  "nan",   "NaN",  "inf",
                                        "-inf",  "infinity", "0x10", "0X1", "1.2.3", "1,5",  "_1",
                                        "1.5_0", "1e5_0",    " 1",   "--1", "+ 1",   "1e5.0"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = -1;
        const size_t used = parse(texts[i], &value);
        if (used != 0)
            fail_msg("'%s' is read as %g", texts[i], value);
        assert_close(value, -1, 0);
    }
}

static void the_text_need_not_end_where_the_number_does(void **state)
{
    double value;

    (void)state;
    assert_int_equal(dm_num_parse("1234", 2, &value), 2);
    assert_close(value, 12, 0);
    assert_int_equal(dm_num_parse("1234", 0, &value), 0);
}

/* So that a caller's range refuses it. */
static void what_is_beyond_a_double_becomes_the_largest(void **state)
{
    double value;

    (void)state;
    assert_int_equal(parse("1e999", &value), 5);
    assert_close(value, DBL_MAX, 0);
    assert_int_equal(parse("-1e999", &value), 6);
    assert_close(value, -DBL_MAX, 0);
    assert_int_equal(parse("1e-999", &value), 6);
    assert_close(value, 0, 0);
}

static void a_number_of_many_digits_is_out_of_every_range(void **state)
{
    enum { N = 1000 };
    char text[N + 1];
    double value;

    (void)state;
    memset(text, '9', N);
    text[N] = '\0';
    assert_int_equal(parse(text, &value), N);
    assert_close(value, DBL_MAX, 0);
}

static void whole_numbers_may_be_written_as_others(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"0", 0},
        {"-7", -7},
        {"4e6", 4000000},
        {"2.0", 2},
        {"1.5e1", 15},
        {"128_256", 128256},
        {"9007199254740992", 9007199254740992},
        {"1e300", 9007199254740992},
        {"-1e300", -9007199254740992},
        {"18446744073709551616", 9007199254740992},
    };
    int64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(dm_num_parse_int(rows[i].text, strlen(rows[i].text), &value));
        assert_true(value == rows[i].value);
    }
}

static void what_is_not_whole_or_goes_on_is_no_whole_number(void **state)
{
    static const char *const texts[] = {"", "0.5", "1e-1", "4 MB", "12a", "nan", "0x10", "1e6 ", "four"};
    int64_t value = -1;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(dm_num_parse_int(texts[i], strlen(texts[i]), &value));
    assert_int_equal(value, -1);
}

/* 3037000499^2 = 9223372030926249001 is below 2^63 - 1 = 9223372036854775807; 3037000500^2 is 9223372037000250000. */
static void a_product_that_does_not_fit_is_refused(void **state)
{
    int64_t value = -1;

    (void)state;
    assert_true(dm_num_mul(3037000499, 3037000499, &value));
    assert_true(value == 9223372030926249001);
    value = -1;
    assert_false(dm_num_mul(3037000500, 3037000500, &value));
    assert_false(dm_num_mul(INT64_MAX, 2, &value));
    assert_false(dm_num_mul(2, INT64_MAX, &value));
    assert_false(dm_num_mul(-1, 5, &value));
    assert_false(dm_num_mul(5, -1, &value));
    assert_int_equal(value, -1);
    assert_true(dm_num_mul(INT64_MAX, 1, &value));
    assert_true(value == INT64_MAX);
    assert_true(dm_num_mul(INT64_MAX, 0, &value));
    assert_int_equal(value, 0);
}

static void a_division_rounds_up(void **state)
{
    (void)state;
    assert_int_equal(dm_num_ceil_div(0, 7), 0);
    assert_int_equal(dm_num_ceil_div(1, 7), 1);
    assert_int_equal(dm_num_ceil_div(7, 7), 1);
    assert_int_equal(dm_num_ceil_div(8, 7), 2);
    assert_true(dm_num_ceil_div(INT64_MAX, 1) == INT64_MAX);
}

static void the_shortest_text_is_written_but_small_whole_numbers_in_full(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {20, "20"},
        {-100, "-100"},
        {300000, "300000"},
        {1e6, "1e+06"},
        {2097152, "2097152"},
        {1e300, "1e+300"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1.0 / 3, "0.3333333333333333"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {-DBL_MIN, "-2.2250738585072014e-308"},
    };
    char text[DM_NUM_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dm_num_format(rows[i].value, text);
        assert_string_equal(text, rows[i].text);
    }
}

/* Patterns of bits drawn at random, of which those that are finite numbers. */
static void random_doubles_read_back_equal(void **state)
{
    dm_rng *rng = dm_rng_new(2);
    int seen = 0;

    (void)state;
    assert_non_null(rng);
    while (seen < 20000) {
        const uint64_t bits = (uint64_t)dm_rng_int(rng, 0, UINT32_MAX) << 32 | (uint64_t)dm_rng_int(rng, 0, UINT32_MAX);
        char text[DM_NUM_TEXT_MAX];
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        seen++;
        dm_num_format(value, text);
        assert_int_equal(parse(text, &back), strlen(text));
        if (memcmp(&back, &value, sizeof value) != 0)
            fail_msg("%a is written as %s, which is %a", value, text, back);
    }
    dm_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_digits_a_point_and_an_exponent),
        cmocka_unit_test(what_C_calls_a_number_is_none_here),
        cmocka_unit_test(the_text_need_not_end_where_the_number_does),
        cmocka_unit_test(what_is_beyond_a_double_becomes_the_largest),
        cmocka_unit_test(a_number_of_many_digits_is_out_of_every_range),
        cmocka_unit_test(whole_numbers_may_be_written_as_others),
        cmocka_unit_test(what_is_not_whole_or_goes_on_is_no_whole_number),
        cmocka_unit_test(a_product_that_does_not_fit_is_refused),
        cmocka_unit_test(a_division_rounds_up),
        cmocka_unit_test(the_shortest_text_is_written_but_small_whole_numbers_in_full),
        cmocka_unit_test(random_doubles_read_back_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
