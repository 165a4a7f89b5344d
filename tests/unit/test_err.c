/* tests/unit/test_err.c: error records, and the line with its caret. */
#include "text_fixture.h"

/* Byte where a caret below the excerpt would stand: excerpt_col counts code points. */
static const char *under_caret(const dm_err *err)
{
    const char *at = err->excerpt;

    for (int i = 1; i < err->excerpt_col; i++) {
        if (*at == '\0')
            fail_msg("the caret is at %d, behind the end of '%s'", err->excerpt_col, err->excerpt);
        at += dm_utf8_len(at, strlen(at));
    }
    return at;
}

static dm_err fail_in(const char *text, int line, int col)
{
    const dm_source source = text_source("dir/x.yaml", text);
    dm_err err;

    assert_int_equal(dm_fail_at(&err, DM_ERR_INPUT, &source, (dm_place){line, col, 2}, "found '%s'", "it"),
                     DM_ERR_INPUT);
    return err;
}

static void every_status_has_a_text(void **state)
{
    (void)state;
    for (int i = 0; i < DM_STATUS_N; i++)
        assert_true(strlen(dm_status_text((dm_status)i)) > 0);
    assert_string_equal(dm_status_text(DM_ERR_MEMORY), "out of memory");
    assert_string_equal(dm_status_text(DM_STATUS_N), "unknown status");
}

static void an_error_without_a_place_has_only_its_message(void **state)
{
    dm_err err;

    (void)state;
    memset(&err, 'x', sizeof err);
    assert_int_equal(dm_fail(&err, DM_ERR_MISSING, "no %d", 5), DM_ERR_MISSING);
    assert_int_equal(err.status, DM_ERR_MISSING);
    assert_string_equal(err.message, "no 5");
    assert_string_equal(err.path, "");
    assert_string_equal(err.excerpt, "");
    assert_int_equal(err.line, 0);
    assert_int_equal(dm_fail_memory(&err), DM_ERR_MEMORY);
    assert_string_equal(err.message, "out of memory");
}

static void an_error_quotes_its_line(void **state)
{
    (void)state;
    const dm_err err = fail_in("one\n  two: it\nthree\n", 2, 8);

    assert_string_equal(err.path, "dir/x.yaml");
    assert_string_equal(err.message, "found 'it'");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.col, 8);
    assert_int_equal(err.width, 2);
    assert_string_equal(err.excerpt, "  two: it");
    assert_string_equal(under_caret(&err), "it");
}

static void line_ends_and_the_byte_order_mark_are_not_quoted(void **state)
{
    (void)state;
    assert_string_equal(fail_in("a\r\nit\r\n", 2, 1).excerpt, "it");
    assert_string_equal(fail_in("\xef\xbb\xbfit", 1, 1).excerpt, "it");
    assert_string_equal(fail_in("a\n", 2, 1).excerpt, "");
    assert_string_equal(fail_in("a\n", 7, 1).excerpt, "");
    assert_string_equal(fail_in("", 1, 1).excerpt, "");
}

/* A tab becomes one blank, so that the caret below stays where the column says. */
static void tabs_and_controls_become_blanks(void **state)
{
    (void)state;
    const dm_err err = fail_in("\tkey:\t\x1b[31mit", 1, 12);

    assert_string_equal(err.excerpt, " key:  [31mit");
    assert_string_equal(under_caret(&err), "it");
}

static void a_caret_counts_characters_not_bytes(void **state)
{
    (void)state;
    const dm_err err = fail_in("gr\xc3\xb6\xc3\x9f\xe2\x82\xac: it", 1, 8);

    assert_string_equal(under_caret(&err), "it");
}

static void bytes_that_are_not_utf8_are_shown_as_question_marks(void **state)
{
    (void)state;
    assert_string_equal(fail_in("a\xff\xc3 b", 1, 1).excerpt, "a?? b");
}

/* Wherever "it" stands in a long line, it is in the excerpt with the caret below, and no character is cut. */
static void expect_in_view(const char *letter)
{
    enum { N = 700 };
    static char line[4 * N + 3];
    const size_t size = strlen(letter);

    for (int col = 1; col <= N; col++) {
        size_t len = 0;
        for (int i = 1; i < col; i++, len += size)
            memcpy(line + len, letter, size);
        memcpy(line + len, "it", 2);
        len += 2;
        for (int i = col; i < N; i++, len += size)
            memcpy(line + len, letter, size);
        line[len] = '\0';
        const dm_err err = fail_in(line, 1, col);
        if (strncmp(under_caret(&err), "it", 2) != 0)
            fail_msg("column %d: the caret of '%s' is at %d", col, err.excerpt, err.excerpt_col);
        assert_null(strchr(err.excerpt, '?'));
    }
}

static void the_caret_of_a_long_line_is_in_view(void **state)
{
    (void)state;
    expect_in_view("-");
    expect_in_view("\xc3\xb6");
    expect_in_view("\xe2\x82\xac");
    expect_in_view("\xf0\x9f\x98\x80");
}

static void a_long_message_or_path_is_cut(void **state)
{
    enum { N = 2000 };
    char text[N + 1];
    dm_err err;

    (void)state;
    memset(text, 'm', N);
    text[N] = '\0';
    (void)dm_fail(&err, DM_ERR_INPUT, "%s", text);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);

    const dm_source source = text_source(text, "it");
    (void)dm_fail_at(&err, DM_ERR_INPUT, &source, (dm_place){1, 1, 2}, "x");
    assert_int_equal(strlen(err.path), sizeof err.path - 1);
}

/* "ö=1": the value begins at the third character. */
static void a_place_in_a_text_counts_characters(void **state)
{
    (void)state;
    const char *text = "\xc3\xb6=\xe2\x82\xac\xe2\x82\xac";
    const dm_place place = dm_slice_place(text, (dm_slice){text + 3, 6});

    assert_int_equal(place.line, 1);
    assert_int_equal(place.col, 3);
    assert_int_equal(place.width, 2);
    assert_int_equal(dm_slice_place(text, (dm_slice){text + 9, 0}).width, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(an_error_without_a_place_has_only_its_message),
        cmocka_unit_test(an_error_quotes_its_line),
        cmocka_unit_test(line_ends_and_the_byte_order_mark_are_not_quoted),
        cmocka_unit_test(tabs_and_controls_become_blanks),
        cmocka_unit_test(a_caret_counts_characters_not_bytes),
        cmocka_unit_test(bytes_that_are_not_utf8_are_shown_as_question_marks),
        cmocka_unit_test(the_caret_of_a_long_line_is_in_view),
        cmocka_unit_test(a_long_message_or_path_is_cut),
        cmocka_unit_test(a_place_in_a_text_counts_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
