/* tests/unit/test_field.c: a table with one row of each kind, read, refused, and written again. */
#include "text_fixture.h"

#include "config/field.h"
#include "util/dtype.h"

typedef struct pair {
    int64_t first, second;
} pair;

typedef struct thing {
    double rate_Bps, share;
    int64_t count, fixed;
    bool on;
    const char *label;
    int shape;
    uint32_t flags;
    dm_dtype dtype;
    pair own;
} thing;

static const dm_choice shapes[] = {{"round", "no corners"}, {"square", "four corners"}, {NULL, NULL}};
static const dm_choice colours[] = {{"red", ""}, {"green", ""}, {"blue", ""}, {NULL, NULL}};

/* An OWN field: a list of two whole numbers. */
static dm_status parse_pair(const dm_field *field, const dm_node *node, const dm_reader *reader, void *at)
{
    (void)field;
    if (node->kind != DM_NODE_LIST || node->n != 2)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place, "own: a pair is wanted");
    pair *out = at;
    out->first = node->first->text.at[0] - '0';
    out->second = node->first->next->text.at[0] - '0';
    return DM_OK;
}

static void print_pair(const void *at, dm_str *out)
{
    const pair *p = at;

    if (p->first != 0)
        dm_str_addf(out, "[%d, %d]", (int)p->first, (int)p->second);
}

#define AT(member) offsetof(thing, member)
/* clang-format off */
static const dm_field rows[] = {
    {"memory.rate", DM_KIND_REAL, DM_UNIT_BYTE_PER_S, AT(rate_Bps), 1e9, 1e12, true, NULL, NULL, NULL, NULL, "rate"},
    {"memory.share", DM_KIND_REAL, DM_UNIT_NONE, AT(share), 0, 1, false, "0.5", NULL, NULL, NULL, "how much"},
    {"memory.count", DM_KIND_INT, DM_UNIT_NONE, AT(count), 2, 1e6, false, "7", NULL, NULL, NULL, "how many"},
    {"fixed", DM_KIND_INT, DM_UNIT_NONE, AT(fixed), 1, 1, false, NULL, NULL, NULL, NULL, "always one"},
    {"on", DM_KIND_BOOL, DM_UNIT_NONE, AT(on), 0, 0, false, "true", NULL, NULL, NULL, "whether"},
    {"label", DM_KIND_TEXT, DM_UNIT_NONE, AT(label), 0, 0, false, NULL, NULL, NULL, NULL, "what"},
    {"shape", DM_KIND_CHOICE, DM_UNIT_NONE, AT(shape), 0, 0, false, "square", shapes, NULL, NULL, "which"},
    {"flags", DM_KIND_FLAGS, DM_UNIT_NONE, AT(flags), 0, 0, false, NULL, colours, NULL, NULL, "which ones"},
    {"dtype", DM_KIND_DTYPE, DM_UNIT_NONE, AT(dtype), 0, 0, false, "bf16", NULL, NULL, NULL, "stored how"},
    {"own", DM_KIND_OWN, DM_UNIT_NONE, AT(own), 0, 0, false, NULL, NULL, parse_pair, print_pair, "two of them"},
};
/* clang-format on */
static const dm_fields fields = DM_FIELDS(rows);

static dm_status read(const char *text, dm_arena *arena, thing *out, dm_err *err)
{
    const dm_source source = text_source("x.yaml", text);
    const dm_reader reader = {&source, arena, err};
    dm_node *root;
    dm_status status = dm_doc_parse(&source, arena, &root, err);

    memset(out, 0, sizeof *out);
    dm_fields_init(fields, out);
    if (status == DM_OK)
        status = dm_fields_read(fields, root, &reader, out, NULL, NULL);
    return status == DM_OK ? dm_fields_require(fields, out, root, &reader) : status;
}

static void expect_refused(const char *text, int line, int col, const char *says)
{
    dm_arena arena = {0};
    thing t;
    dm_err err;

    if (read(text, &arena, &t, &err) != DM_ERR_INPUT)
        fail_msg("'%s' is accepted", text);
    expect_says(&err, says);
    expect_at(&err, line, col);
    dm_arena_free(&arena);
}

static void fields_start_as_their_defaults_or_absent(void **state)
{
    thing t = {.count = 99};

    (void)state;
    dm_fields_init(fields, &t);
    assert_true(isnan(t.rate_Bps));
    assert_close(t.share, 0.5, 0);
    assert_int_equal(t.count, 7);
    assert_int_equal(t.fixed, 0);
    assert_true(t.on);
    assert_null(t.label);
    assert_int_equal(t.shape, 1);
    assert_int_equal(t.flags, 0);
    assert_int_equal(t.dtype, DM_BF16);
    for (size_t i = 0; i < fields.n; i++) {
        const char *path = fields.row[i].path;
        const bool absent = strcmp(path, "memory.rate") == 0 || strcmp(path, "fixed") == 0 ||
                            strcmp(path, "label") == 0 || strcmp(path, "flags") == 0 || strcmp(path, "own") == 0;
        assert_int_equal(dm_field_is_set(&fields.row[i], &t), !absent);
    }
}

static const char full[] = "memory: {rate: 3.35 GB/s, share: 0.25, count: 4e3}\n"
                           "fixed: 1\n"
                           "on: false\n"
                           "label: a text with a 'quote'\n"
                           "shape: round\n"
                           "flags: [blue, red]\n"
                           "dtype: fp8\n"
                           "own: [3, 4]\n";

static void each_kind_is_read(void **state)
{
    dm_arena arena = {0};
    thing t;
    dm_err err;

    (void)state;
    assert_int_equal(read(full, &arena, &t, &err), DM_OK);
    assert_close(t.rate_Bps, 3.35e9, 1e-15);
    assert_close(t.share, 0.25, 0);
    assert_int_equal(t.count, 4000);
    assert_int_equal(t.fixed, 1);
    assert_false(t.on);
    assert_string_equal(t.label, "a text with a 'quote'");
    assert_int_equal(t.shape, 0);
    assert_int_equal(t.flags, 1 << 2 | 1 << 0);
    assert_int_equal(t.dtype, DM_FP8_E4M3);
    assert_int_equal(t.own.first, 3);
    assert_int_equal(t.own.second, 4);
    dm_arena_free(&arena);
}

/* What is printed, put behind the path in a file, reads as the same thing, and prints the same. */
static void what_is_printed_reads_back(void **state)
{
    static const char *const printed[] = {
        "3.35 GB/s", "0.25",        "4000",     "1",     "false", "a text with a 'quote'",
        "round",     "[red, blue]", "fp8_e4m3", "[3, 4]"};
    dm_arena arena = {0};
    dm_str text = {0}, again = {0};
    thing t;
    dm_err err;

    (void)state;
    assert_int_equal(read(full, &arena, &t, &err), DM_OK);
    for (size_t i = 0; i < fields.n; i++) {
        dm_str one = {0};
        dm_field_print(&fields.row[i], &t, &one);
        assert_string_equal(one.text, printed[i]);
        const char *dot = strchr(fields.row[i].path, '.');
        if (dot != NULL)
            dm_str_addf(&text, "%s%s: %s", i == 0 ? "memory: {" : ", ", dot + 1, one.text);
        else
            dm_str_addf(&text, "%s%s: %s", i == 3 ? "}\n" : "\n", fields.row[i].path, one.text);
        dm_str_fini(&one);
    }
    assert_int_equal(read(text.text, &arena, &t, &err), DM_OK);
    for (size_t i = 0; i < fields.n; i++) {
        const size_t from = again.len;
        dm_field_print(&fields.row[i], &t, &again);
        assert_string_equal(again.text + from, printed[i]);
    }
    dm_str_fini(&text);
    dm_str_fini(&again);
    dm_arena_free(&arena);
}

static void what_is_absent_prints_as_nothing(void **state)
{
    dm_str out = {0};
    thing t = {0};

    (void)state;
    dm_fields_init(fields, &t);
    dm_field_print(&rows[0], &t, &out);
    dm_field_print(&rows[5], &t, &out);
    dm_field_print(&rows[7], &t, &out);
    dm_field_print(&rows[9], &t, &out);
    assert_int_equal(out.len, 0);
    dm_str_fini(&out);
}

static void both_ends_of_a_range_are_allowed_and_no_more(void **state)
{
    dm_arena arena = {0};
    thing t;
    dm_err err;

    (void)state;
    assert_int_equal(read("memory: {rate: 1 GB/s, share: 1, count: 2}", &arena, &t, &err), DM_OK);
    assert_int_equal(read("memory: {rate: 1 TB/s, share: 0, count: 1000000}", &arena, &t, &err), DM_OK);
    dm_arena_free(&arena);
    expect_refused("memory: {rate: 999 MB/s}", 1, 16, "rate: '999 MB/s' is out of range, between 1 GB/s and 1 TB/s");
    expect_refused("memory: {rate: 1.001 TB/s}", 1, 16, "out of range");
    expect_refused("memory: {share: 1.5}", 1, 17, "share: '1.5' is out of range, between 0 and 1");
    expect_refused("memory: {share: 1e999}", 1, 17, "out of range");
    expect_refused("memory: {count: 1}", 1, 17, "count: '1' is out of range, between 2 and 1000000");
    expect_refused("fixed: 2", 1, 8, "fixed: '2' where 1 is wanted");
}

static void a_value_of_the_wrong_kind_is_refused(void **state)
{
    (void)state;
    expect_refused("memory: {rate: 16 GB}", 1, 16, "rate: '16 GB' is a size, a rate is wanted");
    expect_refused("memory: {rate: [1 GB/s]}", 1, 16, "rate: a list where one value is wanted");
    expect_refused("memory: {share: '0.5'}", 1, 17, "share: '0.5' in quotes is text");
    expect_refused("memory: {share: nan}", 1, 17, "share: 'nan' is not a number");
    expect_refused("memory: {count: 2.5}", 1, 17, "count: '2.5' is not a whole number");
    expect_refused("memory: {count: \"3\"}", 1, 17, "count: '3' in quotes is text");
    expect_refused("memory: {count: }", 1, 10, "count: has no value");
    expect_refused("on: yes", 1, 5, "on: 'yes' where true or false is wanted");
    expect_refused("label: [a]", 1, 8, "label: a list where one value is wanted");
    expect_refused("label: ''", 1, 8, "label: is empty");
    expect_refused("label: \"a\\nb\"", 1, 8, "label: a line break or control character");
    expect_refused("shape: rund", 1, 8, "shape: 'rund' is unknown, round or square is wanted; did you mean 'round'?");
    expect_refused("flags: blue", 1, 8, "flags: a value where a list is wanted");
    expect_refused("flags: [blue, gren]", 1, 15, "red, green or blue is wanted; did you mean 'green'?");
    expect_refused("flags: [[blue]]", 1, 9, "flags: a list where a name is wanted");
    expect_refused("dtype: bf17", 1, 8, "dtype: unknown storage type 'bf17'; did you mean 'bf16'?");
    expect_refused("own: [3]", 1, 6, "own: a pair is wanted");
    expect_refused("memory: 5", 1, 9, "memory: a value where a map of its fields is wanted");
}

static void quotes_around_a_quantity_change_nothing(void **state)
{
    dm_arena arena = {0};
    thing t;
    dm_err err;

    (void)state;
    assert_int_equal(read("memory: {rate: \"2 GB/s\"}", &arena, &t, &err), DM_OK);
    assert_close(t.rate_Bps, 2e9, 0);
    dm_arena_free(&arena);
}

static void an_unknown_key_is_told_the_nearest_at_its_level(void **state)
{
    (void)state;
    expect_refused("memory: {rat: 1 GB/s}", 1, 10, "unknown key 'rat' in memory; did you mean 'rate'?");
    expect_refused("memroy: {}", 1, 1, "unknown key 'memroy'; did you mean 'memory'?");
    expect_refused("rate: 1 GB/s", 1, 1, "unknown key 'rate'");
    expect_refused("memory.rate: 1 GB/s\nlabl: x", 2, 1, "did you mean 'label'?");
}

static void a_missing_field_is_shown_at_its_block(void **state)
{
    (void)state;
    expect_refused("on: true\nmemory: {share: 1}", 2, 1, "'memory.rate' is missing: rate (such as 16 TB/s)");
    expect_refused("on: true", 1, 1, "'memory.rate' is missing");
}

typedef struct seen_list {
    size_t index[16], n;
} seen_list;

static void note(void *context, size_t index)
{
    seen_list *list = context;

    list->index[list->n++] = index;
}

static void a_reader_is_told_which_fields_were_set(void **state)
{
    const dm_source source = text_source("x.yaml", "on: false\nmemory: {count: 3}\n");
    dm_arena arena = {0};
    dm_err err;
    const dm_reader reader = {&source, &arena, &err};
    seen_list seen = {{0}, 0};
    thing t = {0};
    dm_node *root;

    (void)state;
    assert_int_equal(dm_doc_parse(&source, &arena, &root, &err), DM_OK);
    assert_int_equal(dm_fields_read(fields, root, &reader, &t, note, &seen), DM_OK);
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.index[0], 4);
    assert_int_equal(seen.index[1], 2);
    dm_arena_free(&arena);
}

static void a_bare_text_sets_a_field(void **state)
{
    const dm_source source = text_source("--set", "5");
    dm_err err;
    const dm_reader reader = {&source, NULL, &err};
    thing t = {0};

    (void)state;
    assert_int_equal(dm_field_set_text(&rows[2], slice_of("5"), (dm_place){1, 1, 1}, &reader, &t), DM_OK);
    assert_int_equal(t.count, 5);
    assert_int_equal(dm_field_set_text(&rows[2], slice_of(""), (dm_place){1, 1, 1}, &reader, &t), DM_ERR_INPUT);
    expect_says(&err, "count: has no value");
    assert_int_equal(t.count, 5);
}

static void a_field_is_found_by_its_full_path(void **state)
{
    (void)state;
    assert_ptr_equal(dm_fields_find(fields, slice_of("memory.count")), &rows[2]);
    assert_null(dm_fields_find(fields, slice_of("memory")));
    assert_null(dm_fields_find(fields, slice_of("count")));
    assert_string_equal(dm_field_kind_text(&rows[0]), "quantity");
    assert_string_equal(dm_field_kind_text(&rows[1]), "number");
    assert_string_equal(dm_field_kind_text(&rows[7]), "list of names");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_start_as_their_defaults_or_absent),
        cmocka_unit_test(each_kind_is_read),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(what_is_absent_prints_as_nothing),
        cmocka_unit_test(both_ends_of_a_range_are_allowed_and_no_more),
        cmocka_unit_test(a_value_of_the_wrong_kind_is_refused),
        cmocka_unit_test(quotes_around_a_quantity_change_nothing),
        cmocka_unit_test(an_unknown_key_is_told_the_nearest_at_its_level),
        cmocka_unit_test(a_missing_field_is_shown_at_its_block),
        cmocka_unit_test(a_reader_is_told_which_fields_were_set),
        cmocka_unit_test(a_bare_text_sets_a_field),
        cmocka_unit_test(a_field_is_found_by_its_full_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
