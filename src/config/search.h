/* src/config/search.h
 *
 * Finding a shipped file by its bare name. */
#ifndef DM_CONFIG_SEARCH_H
#define DM_CONFIG_SEARCH_H

#include "util/arena.h"
#include "util/err.h"
#include "util/file.h"
#include "util/str.h"

/* A kind of file: what it is called, where it lies below a search folder, how it ends. Lists end with NULL. */
typedef struct dm_search_kind {
    const char *what;
    const char *folders[4], *endings[3];
} dm_search_kind;

extern const dm_search_kind dm_search_hw, dm_search_workload, dm_search_calibration;

/* Path of a file: `name` itself if it has a '/' or ends like a file of its kind; else looked up in the search
 * folders. Fails with the nearest name. The path belongs to the arena. */
dm_status dm_search_find(const dm_search *search, const dm_search_kind *kind, const char *name, dm_arena *arena,
                         const char **out, dm_err *err);

/* The same beside a file first; *out is NULL if there is none, with `nearest` offered what there is. */
dm_status dm_search_beside(const dm_search *search, const dm_search_kind *kind, const char *name,
                           const char *beside_path, dm_arena *arena, const char **out, dm_nearest *nearest, dm_err *err);

/* Names (without ending) of all files of a kind, sorted, each once; *names and its strings belong to the arena. */
dm_status dm_search_list(const dm_search *search, const dm_search_kind *kind, dm_arena *arena, const char ***names,
                         size_t *n, dm_err *err);

#endif
