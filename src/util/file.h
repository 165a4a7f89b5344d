/* src/util/file.h
 *
 * Whole files into an arena, with a cap. */
#ifndef DM_UTIL_FILE_H
#define DM_UTIL_FILE_H

#include "util/arena.h"
#include "util/err.h"

/* Read all of `path`. The source's path and text belong to the arena. Refuses folders and files over cap_B. */
dm_status dm_file_read(const char *path, size_t cap_B, dm_arena *arena, dm_source *out, dm_err *err);

bool dm_file_exists(const char *path);

#endif
