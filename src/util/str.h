/* src/util/str.h
 *
 * Slices, a growing string, and the nearest name for "did you mean". */
#ifndef DM_UTIL_STR_H
#define DM_UTIL_STR_H

#include <stdbool.h>
#include <stddef.h>

/* Text that somebody else owns; not NUL-terminated. */
typedef struct dm_slice {
    const char *at;
    size_t len;
} dm_slice;

bool dm_slice_is(dm_slice slice, const char *text);
dm_slice dm_slice_trim(dm_slice slice);

/* Bytes of the well-formed UTF-8 code point at the front of a text; 0 if there is none. */
size_t dm_utf8_len(const char *text, size_t len);

/* Bytes of a slice to quote in a message ("%.*s"): all, or the first whole code points of a long one, so that what is
 * wanted still fits behind. */
int dm_slice_shown(dm_slice slice);

/* A growing string. After a failed append `failed` stays set and the rest is dropped: check it once, at the end. */
typedef struct dm_str {
    char *text;
    size_t len, size;
    bool failed;
} dm_str;

void dm_str_add(dm_str *str, const char *text);
void dm_str_add_n(dm_str *str, const char *text, size_t len);
void dm_str_addf(dm_str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dm_str_fini(dm_str *str);

/* Edit distance with insertions, deletions, substitutions and swaps of neighbours; case counts as half a step less
 * than a letter, so it never hides the intended name. Names over 64 bytes compare as far apart. */
int dm_str_distance(dm_slice a, const char *b);

/* Search for the nearest of several names: start with DM_NEAREST_INIT, offer each, read `name` (NULL: none near). */
typedef struct dm_nearest {
    dm_slice wanted;
    const char *name;
    int distance;
} dm_nearest;

dm_nearest dm_nearest_start(dm_slice wanted);
void dm_nearest_offer(dm_nearest *nearest, const char *name);

/* "; did you mean 'x'?" or "" in the caller's buffer, ready to append to a message. */
enum { DM_NEAREST_TEXT_MAX = 128 };
const char *dm_nearest_text(const dm_nearest *nearest, char out[DM_NEAREST_TEXT_MAX]);

#endif
