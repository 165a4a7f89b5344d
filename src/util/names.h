/* src/util/names.h
 *
 * A table from names to numbers, for files of 10^5 rows that must not be searched from the start each time. It belongs
 * to the arena it grows in. Zeroed, it is empty. */
#ifndef DM_UTIL_NAMES_H
#define DM_UTIL_NAMES_H

#include <stdint.h>

#include "util/arena.h"
#include "util/str.h"

typedef struct dm_name {
    const char *text; /* NULL: a free slot */
    uint32_t value;
} dm_name;

typedef struct dm_names {
    dm_name *slot;
    size_t size, used;
} dm_names;

/* NULL if there is none. Stays where it is until the next dm_names_set. */
const dm_name *dm_names_find(const dm_names *names, dm_slice text);

/* Add a name, which must outlive the table, or give it another value. False: out of memory. */
bool dm_names_set(dm_names *names, const char *text, uint32_t value, dm_arena *arena);

#endif
