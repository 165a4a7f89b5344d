/* tests/unit/test_doc.c: YAML into nodes with their places, and what YAML allows and we do not. */
#include "text_fixture.h"

#include <stdio.h>

#include "config/doc.h"

/* The tree of a good text; it belongs to the arena. */
static const dm_node *tree(const char *text, dm_arena *arena)
{
    const dm_source source = text_source("x.yaml", text);
    dm_node *root = NULL;
    dm_err err;

    if (dm_doc_parse(&source, arena, &root, &err) != DM_OK)
        fail_msg("%d:%d: %s", err.line, err.col, err.message);
    return root;
}

static dm_err refused(const char *text, size_t len)
{
    const dm_source source = {"x.yaml", text, len};
    dm_arena arena = {0};
    dm_node *root = NULL;
    dm_err err;

    if (dm_doc_parse(&source, &arena, &root, &err) != DM_ERR_INPUT)
        fail_msg("'%s' is accepted", text);
    assert_null(root);
    dm_arena_free(&arena);
    return err;
}

static void expect_refused(const char *text, int line, int col, const char *says)
{
    const dm_err err = refused(text, strlen(text));

    expect_says(&err, says);
    expect_at(&err, line, col);
}

static void expect_place(dm_place got, int line, int col, int width)
{
    assert_int_equal(got.line, line);
    assert_int_equal(got.col, col);
    assert_int_equal(got.width, width);
}

static void a_text_becomes_a_tree(void **state)
{
    dm_arena arena = {0};

    (void)state;
    const dm_node *root = tree("a: 1\nb: [x, 'y z', \"q\"]\nc: {d: {e: f}}\n", &arena);
    assert_int_equal(root->kind, DM_NODE_MAP);
    assert_int_equal(root->n, 3);
    assert_true(dm_slice_is(dm_doc_get(root, "a")->text, "1"));

    const dm_node *b = dm_doc_get(root, "b");
    assert_int_equal(b->kind, DM_NODE_LIST);
    assert_int_equal(b->n, 3);
    assert_true(dm_slice_is(b->first->text, "x"));
    assert_false(b->first->quoted);
    assert_true(dm_slice_is(b->first->next->text, "y z"));
    assert_true(b->first->next->quoted);
    assert_true(b->first->next->next->quoted);
    assert_null(b->first->next->next->next);

    assert_true(dm_slice_is(dm_doc_get(dm_doc_get(dm_doc_get(root, "c"), "d"), "e")->text, "f"));
    assert_null(dm_doc_get(root, "d"));
    dm_arena_free(&arena);
}

/*   1234567890123456789
 * 1 name: "gr\u00f6"
 * 2 memory:
 * 3   ö: {bw: 16 TB/s}
 * 4   none:                 (a value that is not there stands where its key does) */
static void every_node_knows_its_place(void **state)
{
    dm_arena arena = {0};

    (void)state;
    const dm_node *root = tree("name: \"gr\xc3\xb6\"\nmemory:\n  \xc3\xb6: {bw: 16 TB/s}\n  none:\n", &arena);
    const dm_node *name = dm_doc_get(root, "name"), *memory = dm_doc_get(root, "memory");
    const dm_node *bw = dm_doc_get(dm_doc_get(memory, "\xc3\xb6"), "bw");

    expect_place(name->key_place, 1, 1, 4);
    expect_place(name->place, 1, 7, 5);
    expect_place(memory->key_place, 2, 1, 6);
    expect_place(memory->place, 3, 3, 1);
    expect_place(bw->key_place, 3, 7, 2);
    expect_place(bw->place, 3, 11, 7);
    expect_place(dm_doc_get(memory, "none")->place, 4, 3, 4);
    dm_arena_free(&arena);
}

static void the_byte_order_mark_is_not_text(void **state)
{
    dm_arena arena = {0};

    (void)state;
    const dm_node *a = dm_doc_get(tree("\xef\xbb\xbf"
                                       "a: 1\r\nb: 2\r\n",
                                       &arena),
                                  "a");
    assert_non_null(a);
    expect_place(a->key_place, 1, 1, 1);
    assert_true(dm_slice_is(a->text, "1"));
    dm_arena_free(&arena);
}

static void nothing_is_blank_and_quoted_text_is_not(void **state)
{
    dm_arena arena = {0};

    (void)state;
    const dm_node *root = tree("a:\nb: ~\nc: null\nd: ''\ne: 'null'\nf: []\n", &arena);
    assert_true(dm_doc_is_blank(dm_doc_get(root, "a")));
    assert_true(dm_doc_is_blank(dm_doc_get(root, "b")));
    assert_true(dm_doc_is_blank(dm_doc_get(root, "c")));
    assert_false(dm_doc_is_blank(dm_doc_get(root, "d")));
    assert_false(dm_doc_is_blank(dm_doc_get(root, "e")));
    assert_false(dm_doc_is_blank(dm_doc_get(root, "f")));
    assert_string_equal(dm_doc_kind_text(dm_doc_get(root, "a")), "nothing");
    assert_string_equal(dm_doc_kind_text(dm_doc_get(root, "e")), "a value");
    assert_string_equal(dm_doc_kind_text(dm_doc_get(root, "f")), "a list");
    assert_string_equal(dm_doc_kind_text(root), "a map");
    dm_arena_free(&arena);
}

static void the_nearest_block_on_a_path_is_found(void **state)
{
    dm_arena arena = {0};

    (void)state;
    const dm_node *root = tree("memory:\n  l2: {capacity: 1 B}\nmem: 5\n", &arena);
    const dm_node *l2 = dm_doc_get(dm_doc_get(root, "memory"), "l2");
    assert_ptr_equal(dm_doc_nearest(root, "memory.l2.capacity"), dm_doc_get(l2, "capacity"));
    assert_ptr_equal(dm_doc_nearest(root, "memory.l2.latency"), l2);
    assert_ptr_equal(dm_doc_nearest(root, "memory.dram.latency"), dm_doc_get(root, "memory"));
    assert_ptr_equal(dm_doc_nearest(root, "mem.l2"), dm_doc_get(root, "mem"));
    assert_ptr_equal(dm_doc_nearest(root, "clocks.base"), root);
    dm_arena_free(&arena);
}

static void a_repeated_key_is_refused_where_it_stands_again(void **state)
{
    (void)state;
    expect_refused("a: 1\nb: 2\na: 3\n", 3, 1, "'a' is given twice; it stands already in line 1");
    expect_refused("x: {b: 1, 'b': 2}\n", 1, 11, "'b' is given twice");
    expect_refused("c: 1\nb: 1\nb: 2\nc: 2\n", 3, 1, "'b' is given twice; it stands already in line 2");
    expect_refused("{b: 1, a: 2, b: 3, a: 4}\n", 1, 14, "'b' is given twice");
}

static void the_same_key_in_two_maps_is_fine(void **state)
{
    dm_arena arena = {0};

    (void)state;
    assert_int_equal(tree("a: {k: 1}\nb: {k: 1}\n", &arena)->n, 2);
    dm_arena_free(&arena);
}

static void aliases_anchors_and_tags_are_refused(void **state)
{
    (void)state;
    expect_refused("a: &x 1\nb: *x\n", 1, 4, "anchors and tags");
    expect_refused("a: 1\nb: *x\n", 2, 4, "aliases");
    expect_refused("a: !!str 1\n", 1, 4, "anchors and tags");
    expect_refused("a: !t [1]\n", 1, 4, "anchors and tags");
    expect_refused("a: &m {k: 1}\n", 1, 4, "anchors and tags");
}

static void a_second_document_is_refused(void **state)
{
    (void)state;
    expect_refused("a: 1\n---\nb: 2\n", 2, 1, "a second document");
}

/* 23 lists in the map are 24 levels, the most; one more is refused at its bracket: column 4 + 23. */
static void nesting_is_capped(void **state)
{
    char text[80];
    dm_arena arena = {0};

    (void)state;
    assert_int_equal(DM_DOC_DEPTH_MAX, 24);
    (void)snprintf(text, sizeof text, "a: %.*s1%.*s\n", 23, "[[[[[[[[[[[[[[[[[[[[[[[[", 23, "]]]]]]]]]]]]]]]]]]]]]]]]");
    assert_int_equal(tree(text, &arena)->n, 1);
    dm_arena_free(&arena);
    (void)snprintf(text, sizeof text, "a: %.*s1%.*s\n", 24, "[[[[[[[[[[[[[[[[[[[[[[[[", 24, "]]]]]]]]]]]]]]]]]]]]]]]]");
    expect_refused(text, 1, 27, "nested more than 24 deep");
}

/* Closed or not, a hundred thousand brackets take no time. */
static void a_bomb_of_brackets_is_refused_at_once(void **state)
{
    enum { N = 100000 };
    char *text = malloc(N + 4);

    (void)state;
    assert_non_null(text);
    memcpy(text, "a: ", 3);
    memset(text + 3, '[', N);
    text[N + 3] = '\0';
    const dm_err err = refused(text, N + 3);
    expect_says(&err, "nested more than");
    free(text);
}

static void a_nul_is_refused_raw_and_escaped(void **state)
{
    (void)state;
    const dm_err raw = refused("a: x\0y\n", 7);
    expect_says(&raw, "byte 0x00");
    expect_at(&raw, 1, 5);
    expect_refused("a: \"x\\0y\"\n", 1, 4, "NUL");
}

static void what_is_not_plain_utf8_text_is_refused(void **state)
{
    (void)state;
    expect_refused("a: 1\nb: \xff\n", 2, 4, "byte 0xff is not UTF-8");
    expect_refused("a: \x1b[0m\n", 1, 4, "control character");
    expect_refused("a: 1\rb: 2\n", 1, 5, "carriage return");
    expect_refused("a: x\xe2\x80\xa8y\n", 1, 5, "control character"); /* LINE SEPARATOR */
    expect_refused("a: \xed\xa0\x80\n", 1, 4, "not UTF-8");           /* a surrogate */
    const dm_err utf16 = refused("\xff\xfe"
                                 "a\0",
                                 4);
    expect_says(&utf16, "UTF-16");
}

static void the_root_must_be_a_map(void **state)
{
    (void)state;
    expect_refused("", 1, 1, "the file is empty");
    expect_refused("# only a comment\n", 1, 1, "the file is empty");
    expect_refused("- a\n- b\n", 1, 1, "a list, a map");
    expect_refused("word\n", 1, 1, "a value, a map");
}

static void a_key_must_be_plain_text(void **state)
{
    (void)state;
    expect_refused("a: 1\n[b]: 2\n", 2, 1, "a key must be plain text");
    expect_refused("? {a: b}\n: c\n", 1, 3, "a key must be plain text");
}

static void broken_syntax_is_said_in_words(void **state)
{
    (void)state;
    expect_refused("a: [1, 2\nb: 3\n", 2, 2, "']' is missing");
    expect_refused("a: 'x\n", 1, 4, "a quote opens here and is never closed");
    expect_refused("a: {b: 1\n", 1, 4, "what opens here is not closed");
    expect_refused("a:\n\t- 1\n", 2, 1, "a tab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_becomes_a_tree),
        cmocka_unit_test(every_node_knows_its_place),
        cmocka_unit_test(the_byte_order_mark_is_not_text),
        cmocka_unit_test(nothing_is_blank_and_quoted_text_is_not),
        cmocka_unit_test(the_nearest_block_on_a_path_is_found),
        cmocka_unit_test(a_repeated_key_is_refused_where_it_stands_again),
        cmocka_unit_test(the_same_key_in_two_maps_is_fine),
        cmocka_unit_test(aliases_anchors_and_tags_are_refused),
        cmocka_unit_test(a_second_document_is_refused),
        cmocka_unit_test(nesting_is_capped),
        cmocka_unit_test(a_bomb_of_brackets_is_refused_at_once),
        cmocka_unit_test(a_nul_is_refused_raw_and_escaped),
        cmocka_unit_test(what_is_not_plain_utf8_text_is_refused),
        cmocka_unit_test(the_root_must_be_a_map),
        cmocka_unit_test(a_key_must_be_plain_text),
        cmocka_unit_test(broken_syntax_is_said_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
