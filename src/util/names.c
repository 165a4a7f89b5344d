/* src/util/names.c
 *
 * A hash table with open addressing: see the header. */
#include "util/names.h"

#include <string.h>

/* FNV-1a, 64 bit: http://www.isthe.com/chongo/tech/comp/fnv. */
static uint64_t hash_of(dm_slice text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.at[i]) * 0x100000001b3u;
    return hash;
}

/* The slot that holds the name, or the free one where it would go. The size is a power of two, never full. */
static dm_name *slot_of(const dm_names *names, dm_slice text)
{
    size_t i = (size_t)hash_of(text) & (names->size - 1);

    while (names->slot[i].text != NULL && !dm_slice_is(text, names->slot[i].text))
        i = (i + 1) & (names->size - 1);
    return &names->slot[i];
}

static bool grow(dm_names *names, dm_arena *arena)
{
    dm_names larger = {.size = names->size > 0 ? 2 * names->size : 64, .used = names->used};

    larger.slot = dm_arena_alloc_n(arena, larger.size, sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    for (size_t i = 0; i < names->size; i++) {
        const char *text = names->slot[i].text;
        if (text != NULL)
            *slot_of(&larger, (dm_slice){text, strlen(text)}) = names->slot[i];
    }
    *names = larger;
    return true;
}

const dm_name *dm_names_find(const dm_names *names, dm_slice text)
{
    const dm_name *slot = names->size > 0 ? slot_of(names, text) : NULL;

    return slot != NULL && slot->text != NULL ? slot : NULL;
}

bool dm_names_set(dm_names *names, const char *text, uint32_t value, dm_arena *arena)
{
    if (2 * (names->used + 1) > names->size && !grow(names, arena))
        return false;
    dm_name *slot = slot_of(names, (dm_slice){text, strlen(text)});
    names->used += slot->text == NULL;
    *slot = (dm_name){text, value};
    return true;
}
