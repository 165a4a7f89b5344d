/* tests/unit/test_folder.h
 *
 * A fresh folder for a test's files, removed with all that the test put there. */
#ifndef DM_TESTS_TEST_FOLDER_H
#define DM_TESTS_TEST_FOLDER_H

#include "text_fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_PATHS_MAX = 64 };

/* What was made, in that order, to be removed from the end; one test at a time. */
static struct test_folder {
    char root[64];
    char path[FOLDER_PATHS_MAX][192];
    bool is_dir[FOLDER_PATHS_MAX];
    size_t n;
} test_folder;

static inline int folder_make(void **state)
{
    (void)state;
    test_folder.n = 0;
    (void)snprintf(test_folder.root, sizeof test_folder.root, "/tmp/dormer-unit-XXXXXX");
    return mkdtemp(test_folder.root) != NULL ? 0 : -1;
}

static inline int folder_remove(void **state)
{
    (void)state;
    while (test_folder.n-- > 0) {
        const char *path = test_folder.path[test_folder.n];
        if ((test_folder.is_dir[test_folder.n] ? rmdir(path) : unlink(path)) != 0)
            return -1;
    }
    return rmdir(test_folder.root);
}

static inline const char *folder_path(const char *name)
{
    static char path[4][192]; /* the last four asked for */
    static size_t next;
    char *at = path[next++ % 4];

    (void)snprintf(at, sizeof path[0], "%s/%s", test_folder.root, name);
    return at;
}

static inline const char *folder_note(const char *name, bool is_dir)
{
    assert_in_range(test_folder.n, 0, FOLDER_PATHS_MAX - 1);
    test_folder.is_dir[test_folder.n] = is_dir;
    (void)snprintf(test_folder.path[test_folder.n], sizeof test_folder.path[0], "%s", folder_path(name));
    return test_folder.path[test_folder.n++];
}

static inline void folder_add_dir(const char *name)
{
    assert_int_equal(mkdir(folder_note(name, true), 0700), 0);
}

static inline const char *folder_add(const char *name, const char *text)
{
    const char *path = folder_note(name, false);
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

#endif
