/* tests/unit/test_csv.c: RFC 4180 quoting within a line, and the place of every cell. */
#include "text_fixture.h"

#include <stdio.h>

#include "config/csv.h"

static dm_arena arena;

static int free_arena(void **state)
{
    (void)state;
    dm_arena_free(&arena);
    return 0;
}

static dm_csv open_good(const dm_source *source)
{
    dm_csv csv;
    dm_err err;

    if (dm_csv_open(&csv, source, &arena, &err) != DM_OK)
        fail_msg("%d:%d: %s", err.line, err.col, err.message);
    return csv;
}

/* The next row, which must be there, as "a|b|c". */
static const char *row_of(dm_csv *csv)
{
    static char text[256];
    size_t len = 0;
    bool more;
    dm_err err;

    if (dm_csv_next(csv, &more, &err) != DM_OK)
        fail_msg("%d:%d: %s", err.line, err.col, err.message);
    if (!more)
        return "end";
    text[0] = '\0';
    for (size_t i = 0; i < csv->column_n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", i > 0 ? "|" : "", (int)csv->row[i].text.len,
                                csv->row[i].text.at);
    return text;
}

static void expect_place(const dm_cell *cell, int line, int col, int width)
{
    assert_int_equal(cell->place.line, line);
    assert_int_equal(cell->place.col, col);
    assert_int_equal(cell->place.width, width);
}

static void rows_follow_a_header(void **state)
{
    const dm_source source = text_source("x.csv", "op, m ,n\ngemm,16, 4096\nrelu,,\n");

    (void)state;
    dm_csv csv = open_good(&source);
    assert_int_equal(csv.column_n, 3);
    assert_true(dm_slice_is(csv.header[1].text, "m"));
    assert_string_equal(row_of(&csv), "gemm|16|4096");
    assert_string_equal(row_of(&csv), "relu||");
    assert_string_equal(row_of(&csv), "end");
    assert_string_equal(row_of(&csv), "end");
}

static void quotes_hold_commas_and_doubled_quotes(void **state)
{
    const dm_source source = text_source("x.csv", "a,b,c\n\"x, y\",\"say \"\"hi\"\"\",\"\"\n\"\"\"\",z,\" w \"\n");

    (void)state;
    dm_csv csv = open_good(&source);
    assert_string_equal(row_of(&csv), "x, y|say \"hi\"|");
    assert_string_equal(row_of(&csv), "\"|z|w");
}

/* Line ends of both kinds, blank lines (also before the header), a byte-order mark, and no line end at the end. */
static void line_ends_and_blank_lines_do_not_matter(void **state)
{
    const dm_source source = text_source("x.csv", "\xef\xbb\xbf\r\n  \na,b\r\n\r\n1,2\r\n \t \n3,4");

    (void)state;
    dm_csv csv = open_good(&source);
    assert_true(dm_slice_is(csv.header[0].text, "a"));
    assert_int_equal(csv.header[0].place.line, 3);
    assert_string_equal(row_of(&csv), "1|2");
    assert_int_equal(csv.row_place.line, 5);
    assert_string_equal(row_of(&csv), "3|4");
    assert_int_equal(csv.row_place.line, 7);
    assert_string_equal(row_of(&csv), "end");
}

/* "ö, 12 ,"q"": columns count characters; the place of a quoted cell spans its quotes, that of a blank one its blanks.
 */
static void every_cell_knows_its_place(void **state)
{
    const dm_source source = text_source("x.csv", "a,b,c,d\n\xc3\xb6, 12 ,\"q\",  \n");

    (void)state;
    dm_csv csv = open_good(&source);
    expect_place(&csv.header[2], 1, 5, 1);
    assert_string_equal(row_of(&csv), "\xc3\xb6|12|q|");
    expect_place(&csv.row[0], 2, 1, 1);
    expect_place(&csv.row[1], 2, 4, 2);
    expect_place(&csv.row[2], 2, 8, 3);
    expect_place(&csv.row[3], 2, 12, 2);
    assert_int_equal(csv.row_place.line, 2);
    assert_int_equal(csv.row_place.width, 13);
}

static void a_trailing_comma_is_harmless(void **state)
{
    const dm_source source = text_source("x.csv", "a,b\n1,2,\n3,4\n");

    (void)state;
    dm_csv csv = open_good(&source);
    assert_string_equal(row_of(&csv), "1|2");
    assert_string_equal(row_of(&csv), "3|4");
}

/* The reader then stands behind the bad row. */
static void a_row_with_another_number_of_cells_is_refused(void **state)
{
    const dm_source source = text_source("x.csv", "a,b,c\n1,2\n1,2,3,4\n1,\"2\n5,6,7\n1,\"2\" 3,4\n8,9,10\n");
    bool more;
    dm_err err;

    (void)state;
    dm_csv csv = open_good(&source);
    assert_int_equal(dm_csv_next(&csv, &more, &err), DM_ERR_INPUT);
    expect_says(&err, "2 cells, the header has 3 columns");
    expect_at(&err, 2, 1);
    assert_int_equal(dm_csv_next(&csv, &more, &err), DM_ERR_INPUT);
    expect_says(&err, "4 cells, the header has 3 columns");
    expect_at(&err, 3, 7);
    assert_int_equal(dm_csv_next(&csv, &more, &err), DM_ERR_INPUT);
    expect_says(&err, "a quote opens here and is not closed on this line");
    expect_at(&err, 4, 3);
    assert_string_equal(row_of(&csv), "5|6|7");
    assert_int_equal(dm_csv_next(&csv, &more, &err), DM_ERR_INPUT);
    expect_says(&err, "text follows a closing quote");
    expect_at(&err, 6, 6);
    assert_true(more);
    assert_string_equal(row_of(&csv), "8|9|10");
}

static void expect_unopened(const char *text, int line, int col, const char *says)
{
    const dm_source source = text_source("x.csv", text);
    dm_csv csv;
    dm_err err;

    assert_int_equal(dm_csv_open(&csv, &source, &arena, &err), DM_ERR_INPUT);
    expect_says(&err, says);
    expect_at(&err, line, col);
}

static void a_bad_header_is_refused(void **state)
{
    (void)state;
    expect_unopened("", 1, 1, "the file is empty");
    expect_unopened("\n \n", 1, 1, "the file is empty");
    expect_unopened("a,,c\n", 1, 3, "column 2 has no name");
    expect_unopened("a,b,\"a\"\n", 1, 5, "column 'a' is given twice");
    expect_unopened("a,b\n1,\xff\n", 2, 3, "not UTF-8");
    expect_unopened("a,b\n1,2\r3\n", 2, 4, "carriage return");
}

/* 256 columns fit; the 257th is named. */
static void columns_are_capped(void **state)
{
    dm_str text = {0};
    dm_csv csv;
    dm_err err;

    (void)state;
    for (int i = 0; i < DM_CSV_COLUMNS_MAX; i++)
        dm_str_addf(&text, "%sc%d", i > 0 ? "," : "", i);
    const dm_source fits = {"x.csv", text.text, text.len};
    assert_int_equal(dm_csv_open(&csv, &fits, &arena, &err), DM_OK);
    dm_str_add(&text, ",one_more");
    const dm_source over = {"x.csv", text.text, text.len};
    assert_int_equal(dm_csv_open(&csv, &over, &arena, &err), DM_ERR_INPUT);
    expect_says(&err, "257 columns, at most 256");
    dm_str_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_follow_a_header, free_arena),
        cmocka_unit_test_teardown(quotes_hold_commas_and_doubled_quotes, free_arena),
        cmocka_unit_test_teardown(line_ends_and_blank_lines_do_not_matter, free_arena),
        cmocka_unit_test_teardown(every_cell_knows_its_place, free_arena),
        cmocka_unit_test_teardown(a_trailing_comma_is_harmless, free_arena),
        cmocka_unit_test_teardown(a_row_with_another_number_of_cells_is_refused, free_arena),
        cmocka_unit_test_teardown(a_bad_header_is_refused, free_arena),
        cmocka_unit_test_teardown(columns_are_capped, free_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
