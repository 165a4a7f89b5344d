/* src/util/hash.h
 *
 * SHA-256 of a text: the name under which an input is known, whatever its file is called. */
#ifndef DM_UTIL_HASH_H
#define DM_UTIL_HASH_H

#include <stddef.h>

/* 64 lower-case hexadecimal digits and the NUL. */
enum { DM_HASH_TEXT_MAX = 65 };

/* `text` may hold any byte, and be NULL when len is 0. */
void dm_hash_text(const char *text, size_t len, char out[DM_HASH_TEXT_MAX]);

#endif
