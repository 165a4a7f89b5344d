/* src/util/err.h
 *
 * Filling a dm_err: what was found, what was wanted, where. */
#ifndef DM_UTIL_ERR_H
#define DM_UTIL_ERR_H

#include <stdarg.h>

#include "dormer/dormer.h"
#include "util/str.h"

/* A text being read: its name for messages and its bytes for the excerpt. The text need not end in NUL. */
typedef struct dm_source {
    const char *path;
    const char *text;
    size_t len;
} dm_source;

/* A place in a source, both counted from 1; col and width count code points. */
typedef struct dm_place {
    int line, col, width;
} dm_place;

/* Place of a slice of a text of one line, such as an option's value. */
dm_place dm_slice_place(const char *text, dm_slice slice);

/* Each returns `status`, so that a caller can write `return dm_fail(...)`. */
dm_status dm_fail(dm_err *err, dm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
dm_status dm_fail_at(dm_err *err, dm_status status, const dm_source *source, dm_place place, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));

/* Out of memory, without needing any. */
dm_status dm_fail_memory(dm_err *err);

#endif
