/* src/workload/names.c
 *
 * A hash table of names: see the header. */
#include "workload/names.h"

#include <string.h>

/* FNV-1a, 64 bit: http://www.isthe.com/chongo/tech/comp/fnv. */
static uint64_t hash_of(dm_slice name)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.at[i]) * 0x100000001b3u;
    return hash;
}

/* The slot that holds the name, or the free one where it would go. `size` is a power of two, never full. */
static uint32_t *slot_of(const dm_names *names, const dm_op_call *call, dm_slice name)
{
    size_t i = (size_t)hash_of(name) & (names->size - 1);

    while (names->slot[i] != 0 && !dm_slice_is(name, call[names->slot[i] - 1].name))
        i = (i + 1) & (names->size - 1);
    return &names->slot[i];
}

static bool grow(dm_names *names, const dm_op_call *call, dm_arena *arena)
{
    dm_names larger = {.size = names->size > 0 ? 2 * names->size : 64, .used = names->used};

    larger.slot = dm_arena_alloc_n(arena, larger.size, sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    for (size_t i = 0; i < names->size; i++)
        if (names->slot[i] != 0) {
            const char *name = call[names->slot[i] - 1].name;
            *slot_of(&larger, call, (dm_slice){name, strlen(name)}) = names->slot[i];
        }
    *names = larger;
    return true;
}

dm_status dm_names_add(dm_names *names, const dm_op_call *call, size_t index, dm_arena *arena, dm_err *err)
{
    const char *name = call[index].name;

    if (name == NULL)
        return DM_OK;
    if (2 * (names->used + 1) > names->size && !grow(names, call, arena))
        return dm_fail_memory(err);
    uint32_t *slot = slot_of(names, call, (dm_slice){name, strlen(name)});
    names->used += *slot == 0;
    *slot = (uint32_t)index + 1;
    return DM_OK;
}

bool dm_names_find(const dm_names *names, const dm_op_call *call, dm_slice name, size_t *index)
{
    const uint32_t *slot = names->size > 0 ? slot_of(names, call, name) : NULL;

    if (slot == NULL || *slot == 0)
        return false;
    *index = *slot - 1;
    return true;
}
