/* tests/unit/test_units.c: what each unit is worth, how quantities are written, and what is refused. */
#include "text_fixture.h"

#include "util/num.h"
#include "util/rng.h"
#include "util/units.h"

static dm_status parse(dm_unit unit, const char *text, double *out, dm_err *err)
{
    const dm_source source = text_source("x.yaml", text);

    return dm_units_parse(unit, slice_of(text), "key", &source, (dm_place){1, 1, (int)strlen(text)}, out, err);
}

static double parsed(dm_unit unit, const char *text)
{
    double value;
    dm_err err;

    if (parse(unit, text, &value, &err) != DM_OK)
        fail_msg("%s: %s", text, err.message);
    return value;
}

/* In each row, three of the unit, in SI units. */
static void every_unit_is_worth_its_prefix(void **state)
{
    static const struct {
        dm_unit unit;
        const char *text;
        double value;
    } rows[] = {
        {DM_UNIT_HZ, "3 Hz", 3},
        {DM_UNIT_HZ, "3 kHz", 3e3},
        {DM_UNIT_HZ, "3 MHz", 3e6},
        {DM_UNIT_HZ, "3 GHz", 3e9},
        {DM_UNIT_S, "3 fs", 3e-15},
        {DM_UNIT_S, "3 ps", 3e-12},
        {DM_UNIT_S, "3 ns", 3e-9},
        {DM_UNIT_S, "3 us", 3e-6},
        {DM_UNIT_S, "3 \xc2\xb5s", 3e-6}, /* micro sign */
        {DM_UNIT_S, "3 \xce\xbcs", 3e-6}, /* Greek mu */
        {DM_UNIT_S, "3 ms", 3e-3},
        {DM_UNIT_S, "3 s", 3},
        {DM_UNIT_BYTE, "3 B", 3},
        {DM_UNIT_BYTE, "3 kB", 3e3},
        {DM_UNIT_BYTE, "3 KB", 3e3},
        {DM_UNIT_BYTE, "3 MB", 3e6},
        {DM_UNIT_BYTE, "3 GB", 3e9},
        {DM_UNIT_BYTE, "3 TB", 3e12},
        {DM_UNIT_BYTE, "3 KiB", 3072.0},
        {DM_UNIT_BYTE, "3 MiB", 3145728.0},
        {DM_UNIT_BYTE, "3 GiB", 3221225472.0},
        {DM_UNIT_BYTE, "3 TiB", 3298534883328.0},
        {DM_UNIT_BYTE_PER_S, "3 B/s", 3},
        {DM_UNIT_BYTE_PER_S, "3 kB/s", 3e3},
        {DM_UNIT_BYTE_PER_S, "3 MB/s", 3e6},
        {DM_UNIT_BYTE_PER_S, "3 GB/s", 3e9},
        {DM_UNIT_BYTE_PER_S, "3 TB/s", 3e12},
        {DM_UNIT_BYTE_PER_S, "3 PB/s", 3e15},
        {DM_UNIT_BYTE_PER_S, "3 MiB/s", 3145728.0},
        {DM_UNIT_BYTE_PER_S, "3 GiB/s", 3221225472.0},
        {DM_UNIT_BYTE_PER_S, "3 TiB/s", 3298534883328.0},
        {DM_UNIT_BYTE_PER_S, "3 Mbit/s", 375e3},
        {DM_UNIT_BYTE_PER_S, "3 Gbit/s", 375e6},
        {DM_UNIT_BYTE_PER_S, "3 Tbit/s", 375e9},
        {DM_UNIT_BYTE_PER_CLK, "3 B/clk", 3},
        {DM_UNIT_BYTE_PER_CLK, "3 kB/clk", 3e3},
        {DM_UNIT_BYTE_PER_CLK_CORE, "3 B/clk/core", 3},
        {DM_UNIT_FLOP, "3 FLOP", 3},
        {DM_UNIT_OP, "3 op", 3},
        {DM_UNIT_FLOP_PER_S, "3 FLOP/s", 3},
        {DM_UNIT_FLOP_PER_S, "3 MFLOP/s", 3e6},
        {DM_UNIT_FLOP_PER_S, "3 GFLOP/s", 3e9},
        {DM_UNIT_FLOP_PER_S, "3 TFLOP/s", 3e12},
        {DM_UNIT_FLOP_PER_S, "3 PFLOP/s", 3e15},
        {DM_UNIT_FLOP_PER_S, "3 TOP/s", 3e12},
        {DM_UNIT_W, "3 mW", 3e-3},
        {DM_UNIT_W, "3 W", 3},
        {DM_UNIT_W, "3 kW", 3e3},
        {DM_UNIT_W, "3 MW", 3e6},
        {DM_UNIT_J_PER_FLOP, "3 fJ/FLOP", 3e-15},
        {DM_UNIT_J_PER_FLOP, "3 pJ/FLOP", 3e-12},
        {DM_UNIT_J_PER_FLOP, "3 nJ/FLOP", 3e-9},
        {DM_UNIT_J_PER_BYTE, "3 pJ/bit", 24e-12}, /* a byte is 8 bits */
        {DM_UNIT_J_PER_BYTE, "3 pJ/B", 3e-12},
        {DM_UNIT_J_PER_BYTE, "3 nJ/B", 3e-9},
        {DM_UNIT_V, "3 V", 3},
        {DM_UNIT_V, "3 mV", 3e-3},
        {DM_UNIT_M2, "3 mm2", 3e-6},
        {DM_UNIT_M2, "3 cm2", 3e-4},
        {DM_UNIT_USD, "3 USD", 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double value = parsed(rows[i].unit, rows[i].text);
        if (!(fabs(value - rows[i].value) <= 1e-15 * rows[i].value))
            fail_msg("'%s' is %.17g, %.17g is wanted", rows[i].text, value, rows[i].value);
    }
}

static void a_kB_is_1000_and_a_KiB_1024_bytes(void **state)
{
    (void)state;
    assert_close(parsed(DM_UNIT_BYTE, "1 kB"), 1000, 0);
    assert_close(parsed(DM_UNIT_BYTE, "1 KiB"), 1024, 0);
}

static void blanks_around_number_and_unit_are_free(void **state)
{
    (void)state;
    assert_close(parsed(DM_UNIT_BYTE_PER_S, "  3.35TB/s "), 3.35e12, 1e-15);
    assert_close(parsed(DM_UNIT_BYTE_PER_S, "3.35   TB/s"), 3.35e12, 1e-15);
    assert_close(parsed(DM_UNIT_HZ, "+1.83e3 MHz"), 1.83e9, 1e-15);
}

static void a_bare_number_has_no_unit(void **state)
{
    double value = -1;
    dm_err err;

    (void)state;
    assert_close(parsed(DM_UNIT_NONE, " 0.66 "), 0.66, 0);
    assert_int_equal(parse(DM_UNIT_NONE, "0.66 s", &value, &err), DM_ERR_INPUT);
    expect_says(&err, "key: '0.66 s' has a unit");
    assert_close(value, -1, 0);
}

/* Each message says what was found, what is wanted and an example; the output stays as it was. */
static void what_is_not_such_a_quantity_is_refused(void **state)
{
    static const struct {
        dm_unit unit;
        const char *text, *says[3];
    } rows[] = {
        {DM_UNIT_BYTE_PER_S, "16 TB", {"key: '16 TB' is a size", "a rate is wanted", "16 TB/s"}},
        {DM_UNIT_BYTE, "16 TB/s", {"'16 TB/s' is a rate", "a size is wanted", "50 MiB"}},
        {DM_UNIT_S, "1.5 GHz", {"is a frequency", "a time is wanted", "340 ns"}},
        {DM_UNIT_HZ, "3 ns", {"is a time", "a frequency is wanted", "1.83 GHz"}},
        {DM_UNIT_BYTE_PER_CLK,
         "3 B/clk/core",
         {"is bytes per clock and core", "bytes per clock is wanted", "128 B/clk"}},
        {DM_UNIT_FLOP, "989 TFLOP/s", {"is a rate of work", "work per clock and core is wanted", "4096 FLOP"}},
        {DM_UNIT_HZ, "3", {"'3' has no unit", "a frequency is wanted", "1.83 GHz"}},
        {DM_UNIT_W, "many", {"'many' is not a number", "a power is wanted", "700 W"}},
        {DM_UNIT_HZ, "3 ghz", {"unknown unit 'ghz'", "a frequency is wanted", "did you mean 'GHz'?"}},
        {DM_UNIT_BYTE_PER_S, "3 TBs", {"unknown unit 'TBs'", "a rate is wanted", "did you mean 'TB/s'?"}},
        {DM_UNIT_S, "nan s", {"is not a number", "a time is wanted", "340 ns"}},
        {DM_UNIT_S, "inf s", {"is not a number", "a time is wanted", "340 ns"}},
        {DM_UNIT_S, "0x10 s", {"is not a number", "a time is wanted", "340 ns"}},
        {DM_UNIT_S, "3,5 s", {"is not a number", "a time is wanted", "340 ns"}},
        {DM_UNIT_S, "", {"'' is not a number", "a time is wanted", "340 ns"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = -1;
        dm_err err;
        assert_int_equal(parse(rows[i].unit, rows[i].text, &value, &err), DM_ERR_INPUT);
        for (int j = 0; j < 3; j++)
            expect_says(&err, rows[i].says[j]);
        assert_close(value, -1, 0);
    }
}

/* Each example in a message is a quantity that the message's reader accepts. */
static void every_example_is_accepted(void **state)
{
    (void)state;
    for (int unit = DM_UNIT_NONE + 1; unit < DM_UNIT_N; unit++)
        assert_true(parsed((dm_unit)unit, dm_units_example((dm_unit)unit)) > 0);
    assert_string_equal(dm_units_example(DM_UNIT_NONE), "");
}

static void a_quantity_is_shown_in_the_largest_unit_that_leaves_one(void **state)
{
    static const struct {
        dm_unit unit;
        double value;
        const char *text;
    } rows[] = {
        {DM_UNIT_BYTE_PER_S, 3.35e12, "3.35 TB/s"},
        {DM_UNIT_BYTE_PER_S, 1e12, "1 TB/s"},
        {DM_UNIT_BYTE_PER_S, 999e9, "999 GB/s"},
        {DM_UNIT_S, 340e-9, "340 ns"},
        {DM_UNIT_S, 0.5e-12, "0.5 ps"},
        {DM_UNIT_S, 61.0, "61 s"},
        {DM_UNIT_S, 0, "0 ps"},
        {DM_UNIT_BYTE, 52428800.0, "52.4288 MB"},
        {DM_UNIT_HZ, 1.98e9, "1.98 GHz"},
        {DM_UNIT_W, 700, "700 W"},
        {DM_UNIT_J_PER_BYTE, 48e-12, "6 pJ/bit"},
        {DM_UNIT_FLOP, 4096, "4096 FLOP"},
        {DM_UNIT_M2, 814e-6, "814 mm2"},
        {DM_UNIT_NONE, 0.66, "0.66"},
        {DM_UNIT_FLOP_PER_S, 989e12, "989 TFLOP/s"},
    };
    char text[DM_UNITS_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dm_units_format(rows[i].unit, rows[i].value, text);
        assert_string_equal(text, rows[i].text);
    }
}

/* Fifteen digits are written: what is read back is within half a unit of the fifteenth, and is written the same again.
 */
static void what_is_written_reads_back(void **state)
{
    dm_rng *rng = dm_rng_new(1);

    (void)state;
    assert_non_null(rng);
    for (int i = 0; i < 20000; i++) {
        const dm_unit unit = (dm_unit)dm_rng_int(rng, DM_UNIT_NONE, DM_UNIT_N - 1);
        const double value = pow(10, dm_rng_uniform(rng, -15, 18));
        char text[DM_UNITS_TEXT_MAX], again[DM_UNITS_TEXT_MAX];
        dm_units_format(unit, value, text);
        const double back = parsed(unit, text);
        assert_close(back, value, 5.1e-15);
        dm_units_format(unit, back, again);
        assert_string_equal(again, text);
    }
    dm_rng_free(rng);
}

static void a_short_form_has_the_digits_asked_for(void **state)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } rows[] = {
        {1.23456e-6, 4, "1.235 us"}, {12.3456e-6, 4, "12.35 us"}, {123.456e-6, 4, "123.5 us"},
        {1.5e-3, 4, "1.500 ms"},     {123.456e-6, 2, "123 us"},   {0, 4, "0.000 ps"},
    };
    char text[DM_UNITS_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dm_units_format_short(DM_UNIT_S, rows[i].value, rows[i].digits, text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_is_worth_its_prefix),
        cmocka_unit_test(a_kB_is_1000_and_a_KiB_1024_bytes),
        cmocka_unit_test(blanks_around_number_and_unit_are_free),
        cmocka_unit_test(a_bare_number_has_no_unit),
        cmocka_unit_test(what_is_not_such_a_quantity_is_refused),
        cmocka_unit_test(every_example_is_accepted),
        cmocka_unit_test(a_quantity_is_shown_in_the_largest_unit_that_leaves_one),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_short_form_has_the_digits_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
