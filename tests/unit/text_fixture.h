/* tests/unit/text_fixture.h
 *
 * Texts as if they were files, shipped files, and messages that must say something. */
#ifndef DM_TESTS_TEXT_FIXTURE_H
#define DM_TESTS_TEXT_FIXTURE_H

#include "assert_close.h"

#include <stdlib.h>
#include <string.h>

#include "util/err.h"

static inline dm_source text_source(const char *path, const char *text)
{
    return (dm_source){path, text, strlen(text)};
}

static inline dm_slice slice_of(const char *text)
{
    return (dm_slice){text, strlen(text)};
}

static inline void expect_says(const dm_err *err, const char *part)
{
    if (strstr(err->message, part) == NULL)
        fail_msg("'%s' does not say '%s'", err->message, part);
}

static inline void expect_at(const dm_err *err, int line, int col)
{
    if (err->line != line || err->col != col)
        fail_msg("'%s' is at %d:%d, %d:%d is wanted", err->message, err->line, err->col, line, col);
}

/* The files that the program ships, wherever the test runs. */
static inline const char *shipped_root(void)
{
    const char *root = getenv("DORMER_DATA");

    return root != NULL ? root : ".";
}

#endif
