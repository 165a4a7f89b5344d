/* src/util/arena.c
 *
 * A bump allocator in blocks that double, so that a big file costs few calls of malloc. */
#include "util/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 4096, BLOCK_MAX = 1 << 20 };

struct dm_arena_block {
    dm_arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

static dm_arena_block *add_block(dm_arena *arena, size_t need)
{
    size_t size = arena->head != NULL ? arena->head->size * 2 : BLOCK_MIN;

    if (size > BLOCK_MAX)
        size = BLOCK_MAX;
    if (size < need)
        size = need;

    dm_arena_block *block = calloc(1, sizeof *block + size);
    if (block == NULL)
        return NULL;
    block->size = size;
    block->next = arena->head;
    arena->head = block;
    return block;
}

void *dm_arena_alloc(dm_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + align - 1) / align * align;

    dm_arena_block *block = arena->head;
    if (block == NULL || block->size - block->used < size)
        block = add_block(arena, size);
    if (block == NULL)
        return NULL;
    void *at = block->bytes + block->used;
    block->used += size;
    return at;
}

void *dm_arena_alloc_n(dm_arena *arena, size_t n, size_t size)
{
    return size != 0 && n > SIZE_MAX / 2 / size ? NULL : dm_arena_alloc(arena, n * size);
}

char *dm_arena_copy(dm_arena *arena, const char *text, size_t len)
{
    char *copy = dm_arena_alloc(arena, len + 1);

    if (copy != NULL && len > 0)
        memcpy(copy, text, len);
    return copy;
}

void dm_arena_free(dm_arena *arena)
{
    while (arena->head != NULL) {
        dm_arena_block *block = arena->head;
        arena->head = block->next;
        free(block);
    }
}
