/* src/util/arena.h
 *
 * One arena per loaded thing: parse, fill, hand out const, free once. Memory is zeroed and aligned for any type;
 * every function returns NULL when there is none left. */
#ifndef DM_UTIL_ARENA_H
#define DM_UTIL_ARENA_H

#include <stddef.h>

typedef struct dm_arena_block dm_arena_block;

typedef struct dm_arena {
    dm_arena_block *head;
} dm_arena;

void *dm_arena_alloc(dm_arena *arena, size_t size);
void *dm_arena_alloc_n(dm_arena *arena, size_t n, size_t size); /* overflow-checked */
char *dm_arena_copy(dm_arena *arena, const char *text, size_t len); /* NUL-terminated */
void dm_arena_free(dm_arena *arena);

#endif
