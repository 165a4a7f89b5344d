/* src/util/file.c
 *
 * Reading files: see the header. */
#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool dm_file_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Grows in the arena by doubling, since a pipe does not tell its size beforehand. */
static dm_status read_all(FILE *file, const char *path, size_t cap_B, dm_arena *arena, size_t size_hint, dm_source *out,
                          dm_err *err)
{
    size_t size = size_hint + 1, len = 0;
    char *text = dm_arena_alloc(arena, size + 1);

    while (text != NULL) {
        len += fread(text + len, 1, size - len, file);
        if (len < size)
            break;
        if (len > cap_B)
            return dm_fail(err, DM_ERR_INPUT, "%s: larger than %zu MB, the most that is read", path, cap_B / 1000000);
        char *larger = dm_arena_alloc(arena, size * 2 + 1);
        if (larger != NULL)
            memcpy(larger, text, len);
        text = larger;
        size *= 2;
    }
    if (text == NULL)
        return dm_fail_memory(err);
    if (ferror(file))
        return dm_fail(err, DM_ERR_IO, "%s: %s", path, strerror(errno));

    text[len] = '\0';
    const char *name = dm_arena_copy(arena, path, strlen(path));
    if (name == NULL)
        return dm_fail_memory(err);
    *out = (dm_source){.path = name, .text = text, .len = len};
    return DM_OK;
}

dm_status dm_file_read(const char *path, size_t cap_B, dm_arena *arena, dm_source *out, dm_err *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return dm_fail(err, DM_ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return dm_fail(err, DM_ERR_INPUT, "%s: is a folder, a file is wanted", path);
    if (st.st_size > 0 && (uint64_t)st.st_size > cap_B)
        return dm_fail(err, DM_ERR_INPUT, "%s: larger than %zu MB, the most that is read", path, cap_B / 1000000);

    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return dm_fail(err, DM_ERR_IO, "%s: %s", path, strerror(errno));
    const dm_status status =
        read_all(file, path, cap_B, arena, st.st_size > 0 ? (size_t)st.st_size : 4096, out, err);
    (void)fclose(file);
    return status;
}
