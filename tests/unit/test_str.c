/* tests/unit/test_str.c: slices, growing strings, and the nearest name. */
#include "text_fixture.h"

#include "util/str.h"

static void a_slice_is_a_text_when_every_byte_is(void **state)
{
    (void)state;
    assert_true(dm_slice_is((dm_slice){"gemm,", 4}, "gemm"));
    assert_false(dm_slice_is((dm_slice){"gemm,", 5}, "gemm"));
    assert_false(dm_slice_is((dm_slice){"gem", 3}, "gemm"));
    assert_true(dm_slice_is((dm_slice){"", 0}, ""));
    assert_false(dm_slice_is((dm_slice){"a\0b", 3}, "a"));
}

static void blanks_are_trimmed_at_both_ends(void **state)
{
    (void)state;
    assert_true(dm_slice_is(dm_slice_trim(slice_of(" \t a b \r\n")), "a b"));
    assert_true(dm_slice_is(dm_slice_trim(slice_of(" \t ")), ""));
}

/* The Unicode Standard, table 3-7: lengths of well-formed sequences, and the nearest that are not. */
static void utf8_is_taken_only_when_it_is_well_formed(void **state)
{
    static const struct {
        const char *text;
        size_t len, used;
    } rows[] = {
        {"a", 1, 1},
        {"\xc2\x80", 2, 2},
        {"\xc1\xbf", 2, 0}, /* two bytes; overlong */
        {"\xe0\xa0\x80", 3, 3},
        {"\xe0\x9f\xbf", 3, 0}, /* three; overlong */
        {"\xed\x9f\xbf", 3, 3},
        {"\xed\xa0\x80", 3, 0}, /* the last before the surrogates; the first of them */
        {"\xf0\x90\x80\x80", 4, 4},
        {"\xf0\x8f\xbf\xbf", 4, 0}, /* four; overlong */
        {"\xf4\x8f\xbf\xbf", 4, 4},
        {"\xf4\x90\x80\x80", 4, 0}, /* U+10FFFF; beyond */
        {"\x80", 1, 0},
        {"\xff", 1, 0},
        {"\xe2\x82\xac", 2, 0},
        {"\xe2\x82x", 3, 0}, /* cut; broken */
        {"", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(dm_utf8_len(rows[i].text, rows[i].len), rows[i].used);
}

/* At most 60 bytes are quoted. Twenty times the three bytes of the euro sign are 60; behind one letter only 19 fit. */
static void a_long_slice_is_shown_up_to_a_whole_character(void **state)
{
    char text[100] = "x";

    (void)state;
    for (int i = 0; i < 30; i++)
        memcpy(text + 1 + 3 * i, "\xe2\x82\xac", 3);
    assert_int_equal(dm_slice_shown((dm_slice){text + 1, 90}), 60);
    assert_int_equal(dm_slice_shown((dm_slice){text, 91}), 58);
    assert_int_equal(dm_slice_shown((dm_slice){text, 61}), 58);
    assert_int_equal(dm_slice_shown(slice_of("short")), 5);
}

static void a_string_grows_as_texts_are_added(void **state)
{
    dm_str str = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        dm_str_add(&str, "ab");
        dm_str_add_n(&str, "cXX", 1);
        dm_str_addf(&str, "%d", i % 10);
    }
    assert_false(str.failed);
    assert_int_equal(str.len, 4000);
    assert_int_equal(strlen(str.text), 4000);
    assert_memory_equal(str.text + 3996, "abc9", 5);
    dm_str_fini(&str);
    assert_null(str.text);
    assert_int_equal(str.len, 0);
}

/* In half steps: a letter inserted, deleted, changed or swapped with its neighbour is 2, a change of case 1. */
static void each_edit_costs_a_step_and_case_half_of_one(void **state)
{
    static const struct {
        const char *a, *b;
        int distance;
    } rows[] = {
        {"gemm", "gemm", 0},          {"gem", "gemm", 2},  {"gemmm", "gemm", 2},
        {"gemn", "gemm", 2},          {"gmem", "gemm", 2}, {"Gemm", "gemm", 1},
        {"GEMM", "gemm", 4},          {"", "gemm", 8},     {"gemm", "", 8},
        {"kitten", "sitting", 6},     {"ca", "abc", 6},    {"ghz", "GHz", 2},
        {"bandwith", "bandwidth", 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(dm_str_distance(slice_of(rows[i].a), rows[i].b), rows[i].distance);
        assert_int_equal(dm_str_distance(slice_of(rows[i].b), rows[i].a), rows[i].distance);
    }
}

static void names_over_64_bytes_are_far_from_all(void **state)
{
    char name[70];

    (void)state;
    memset(name, 'a', sizeof name);
    name[65] = '\0';
    assert_true(dm_str_distance(slice_of(name), name) > 128);
    name[64] = '\0';
    assert_int_equal(dm_str_distance(slice_of(name), name), 0);
}

static const char *nearest_of(const char *wanted, const char *const *names, size_t n)
{
    dm_nearest nearest = dm_nearest_start(slice_of(wanted));

    for (size_t i = 0; i < n; i++)
        dm_nearest_offer(&nearest, names[i]);
    return nearest.name;
}

static void the_nearest_name_is_offered_unless_none_is_near(void **state)
{
    static const char *const names[] = {"bandwidth", "latency", "capacity", "kind"};

    (void)state;
    assert_string_equal(nearest_of("bandwith", names, 4), "bandwidth");
    assert_string_equal(nearest_of("Latency", names, 4), "latency");
    assert_string_equal(nearest_of("kidn", names, 4), "kind");
    assert_null(nearest_of("wavelength", names, 4));
    assert_null(nearest_of("xy", names, 4));
}

static void a_tie_goes_to_the_first_and_case_breaks_it(void **state)
{
    static const char *const tied[] = {"mB", "MB"}, *const same[] = {"l1", "l2"};

    (void)state;
    assert_string_equal(nearest_of("Mb", tied, 2), "MB");
    assert_string_equal(nearest_of("l3", same, 2), "l1");
}

static void a_hint_is_ready_to_append(void **state)
{
    dm_nearest nearest = dm_nearest_start(slice_of("gem"));
    char text[DM_NEAREST_TEXT_MAX];

    (void)state;
    assert_string_equal(dm_nearest_text(&nearest, text), "");
    dm_nearest_offer(&nearest, "gemm");
    assert_string_equal(dm_nearest_text(&nearest, text), "; did you mean 'gemm'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_is_a_text_when_every_byte_is),
        cmocka_unit_test(blanks_are_trimmed_at_both_ends),
        cmocka_unit_test(utf8_is_taken_only_when_it_is_well_formed),
        cmocka_unit_test(a_long_slice_is_shown_up_to_a_whole_character),
        cmocka_unit_test(a_string_grows_as_texts_are_added),
        cmocka_unit_test(each_edit_costs_a_step_and_case_half_of_one),
        cmocka_unit_test(names_over_64_bytes_are_far_from_all),
        cmocka_unit_test(the_nearest_name_is_offered_unless_none_is_near),
        cmocka_unit_test(a_tie_goes_to_the_first_and_case_breaks_it),
        cmocka_unit_test(a_hint_is_ready_to_append),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
