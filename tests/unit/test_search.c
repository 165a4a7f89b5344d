/* tests/unit/test_search.c: two search folders, a and b, with some names in one, some in the other, some in both. */
#include "test_folder.h"

#include "config/search.h"

static char dir_a[192], dir_b[192];
static const char *const dirs[] = {dir_a, dir_b};
static const dm_search search = {dirs, 2};
static dm_arena arena;

static int make(void **state)
{
    static const char *const folders[] = {"a",           "a/configs", "a/configs/hw", "a/configs/hw/roadmap",
                                          "a/workloads", "b",         "b/hw",         "b/workloads"};
    static const char *const files[] = {
        "a/configs/hw/h100.yaml", "a/configs/hw/roadmap/next.yaml", "b/hw/h100.yaml",
        "b/hw/b200.yaml",         "a/configs/hw/notes.txt",         "a/configs/hw/.hidden.yaml",
        "a/workloads/llm.csv",    "b/workloads/llm.yaml",           "b/workloads/net.yaml"};

    if (folder_make(state) != 0)
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        folder_add_dir(folders[i]);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        (void)folder_add(files[i], "");
    (void)snprintf(dir_a, sizeof dir_a, "%s", folder_path("a"));
    (void)snprintf(dir_b, sizeof dir_b, "%s", folder_path("b"));
    return 0;
}

static int clear(void **state)
{
    dm_arena_free(&arena);
    return folder_remove(state);
}

static void expect_found(const dm_search_kind *kind, const char *name, const char *want)
{
    const char *path = NULL;
    dm_err err;

    if (dm_search_find(&search, kind, name, &arena, &path, &err) != DM_OK)
        fail_msg("%s: %s", name, err.message);
    assert_string_equal(path, want);
}

static void the_first_folder_that_has_it_wins(void **state)
{
    (void)state;
    expect_found(&dm_search_hw, "h100", folder_path("a/configs/hw/h100.yaml"));
    expect_found(&dm_search_hw, "next", folder_path("a/configs/hw/roadmap/next.yaml"));
    expect_found(&dm_search_hw, "b200", folder_path("b/hw/b200.yaml"));
    expect_found(&dm_search_workload, "llm", folder_path("a/workloads/llm.csv"));
    expect_found(&dm_search_workload, "net", folder_path("b/workloads/net.yaml"));
}

/* A path is taken as it is, whether the file exists or not. */
static void a_path_is_not_searched(void **state)
{
    (void)state;
    expect_found(&dm_search_hw, "./h100", "./h100");
    expect_found(&dm_search_hw, "h100.yaml", "h100.yaml");
    expect_found(&dm_search_workload, "llm.csv", "llm.csv");
    expect_found(&dm_search_hw, "/nowhere/x", "/nowhere/x");
}

static void expect_unfound(const dm_search_kind *kind, const char *name, const char *says)
{
    const char *path = NULL;
    dm_err err;

    assert_int_equal(dm_search_find(&search, kind, name, &arena, &path, &err), DM_ERR_INPUT);
    expect_says(&err, says);
}

static void an_unknown_name_is_told_the_nearest(void **state)
{
    (void)state;
    expect_unfound(&dm_search_hw, "h10", "no hardware file called 'h10'; did you mean 'h100'?");
    expect_unfound(&dm_search_hw, "nxt", "did you mean 'next'?");
    expect_unfound(&dm_search_workload, "lm", "no workload called 'lm'; did you mean 'llm'?");
    expect_unfound(&dm_search_hw, "", "no hardware file called ''");
    expect_unfound(&dm_search_hw, "llm", "no hardware file called 'llm'");
    expect_unfound(&dm_search_hw, "notes", "no hardware file called 'notes'");
}

static void every_name_is_listed_once_and_sorted(void **state)
{
    static const char *const hw[] = {"b200", "h100", "next"}, *const workloads[] = {"llm", "net"};
    const char **names;
    size_t n;
    dm_err err;

    (void)state;
    assert_int_equal(dm_search_list(&search, &dm_search_hw, &arena, &names, &n, &err), DM_OK);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(names[i], hw[i]);
    assert_int_equal(dm_search_list(&search, &dm_search_workload, &arena, &names, &n, &err), DM_OK);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(names[i], workloads[i]);
}

/* A hundred times two names: the list grows on the way, and each is kept once. */
static void the_same_folder_twice_changes_nothing(void **state)
{
    enum { N = 100 };
    const char *many[N];
    const char **names;
    size_t n;
    dm_err err;

    (void)state;
    for (int i = 0; i < N; i++)
        many[i] = dir_b;
    assert_int_equal(dm_search_list(&(dm_search){many, N}, &dm_search_hw, &arena, &names, &n, &err), DM_OK);
    assert_int_equal(n, 2);
    assert_string_equal(names[0], "b200");
    assert_string_equal(names[1], "h100");
}

static void folders_that_are_not_there_hold_nothing(void **state)
{
    static const char *const nowhere[] = {"/nowhere/at/all"};
    const char **names;
    size_t n = 99;
    dm_err err;

    (void)state;
    assert_int_equal(dm_search_list(&(dm_search){nowhere, 1}, &dm_search_hw, &arena, &names, &n, &err), DM_OK);
    assert_int_equal(n, 0);
    assert_int_equal(dm_search_list(&(dm_search){NULL, 0}, &dm_search_hw, &arena, &names, &n, &err), DM_OK);
    assert_int_equal(n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_folder_that_has_it_wins, make, clear),
        cmocka_unit_test_setup_teardown(a_path_is_not_searched, make, clear),
        cmocka_unit_test_setup_teardown(an_unknown_name_is_told_the_nearest, make, clear),
        cmocka_unit_test_setup_teardown(every_name_is_listed_once_and_sorted, make, clear),
        cmocka_unit_test_setup_teardown(the_same_folder_twice_changes_nothing, make, clear),
        cmocka_unit_test_setup_teardown(folders_that_are_not_there_hold_nothing, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
