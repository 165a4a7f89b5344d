/* src/config/search.c
 *
 * Shipped files by name: see the header. */
#include "config/search.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const dm_search_kind dm_search_hw = {
    "hardware file", {"configs/hw", "configs/hw/roadmap", "hw", NULL}, {".yaml", NULL, NULL}};
const dm_search_kind dm_search_workload = {"workload", {"workloads", NULL, NULL, NULL}, {".yaml", ".csv", NULL}};
const dm_search_kind dm_search_calibration = {
    "calibration", {"configs/calibration", "calibration", NULL, NULL}, {".yaml", NULL, NULL}};

static const char *ending_of(const dm_search_kind *kind, const char *name)
{
    const size_t len = strlen(name);

    for (size_t i = 0; kind->endings[i] != NULL; i++) {
        const size_t n = strlen(kind->endings[i]);
        if (len > n && strcmp(name + len - n, kind->endings[i]) == 0)
            return kind->endings[i];
    }
    return NULL;
}

static char *join(dm_arena *arena, const char *dir, const char *folder, const char *name, const char *ending)
{
    const size_t size = strlen(dir) + strlen(folder) + strlen(name) + strlen(ending) + 3;
    char *path = dm_arena_alloc(arena, size);

    if (path != NULL)
        (void)snprintf(path, size, "%s%s%s%s%s%s", dir, dir[0] != '\0' ? "/" : "", folder,
                       folder[0] != '\0' ? "/" : "", name, ending);
    return path;
}

/* The file of that name in a folder; *out is NULL if there is none. */
static dm_status find_in(const char *dir, const char *folder, const dm_search_kind *kind, const char *name,
                         dm_arena *arena, const char **out, dm_err *err)
{
    *out = NULL;
    for (size_t i = 0; kind->endings[i] != NULL; i++) {
        const char *path = join(arena, dir, folder, name, kind->endings[i]);
        if (path == NULL)
            return dm_fail_memory(err);
        if (dm_file_exists(path)) {
            *out = path;
            break;
        }
    }
    return DM_OK;
}

static dm_status find_shipped(const dm_search *search, const dm_search_kind *kind, const char *name, dm_arena *arena,
                              const char **out, dm_err *err)
{
    *out = NULL;
    for (size_t d = 0; d < search->dir_n; d++)
        for (size_t f = 0; kind->folders[f] != NULL; f++) {
            const dm_status status = find_in(search->dirs[d], kind->folders[f], kind, name, arena, out, err);
            if (status != DM_OK || *out != NULL)
                return status;
        }
    return DM_OK;
}

static dm_status offer_all(const dm_search *search, const dm_search_kind *kind, dm_arena *arena, dm_nearest *nearest,
                           dm_err *err)
{
    const char **names;
    size_t n;
    const dm_status status = dm_search_list(search, kind, arena, &names, &n, err);

    if (status != DM_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        dm_nearest_offer(nearest, names[i]);
    return DM_OK;
}

dm_status dm_search_beside(const dm_search *search, const dm_search_kind *kind, const char *name,
                           const char *beside_path, dm_arena *arena, const char **out, dm_nearest *nearest, dm_err *err)
{
    const char *slash = strrchr(beside_path, '/');
    const size_t len = slash != NULL ? (size_t)(slash - beside_path) : 0;
    const char *dir = slash != NULL ? dm_arena_copy(arena, beside_path, len) : ".";

    if (dir == NULL)
        return dm_fail_memory(err);
    if (ending_of(kind, name) != NULL || strchr(name, '/') != NULL) {
        const char *path = name[0] == '/' ? name : join(arena, dir, "", name, "");
        *out = path != NULL && dm_file_exists(path) ? path : NULL;
        return path != NULL ? DM_OK : dm_fail_memory(err);
    }
    dm_status status = find_in(dir, "", kind, name, arena, out, err);
    if (status == DM_OK && *out == NULL)
        status = find_shipped(search, kind, name, arena, out, err);
    return status == DM_OK && *out == NULL ? offer_all(search, kind, arena, nearest, err) : status;
}

dm_status dm_search_find(const dm_search *search, const dm_search_kind *kind, const char *name, dm_arena *arena,
                         const char **out, dm_err *err)
{
    char hint[DM_NEAREST_TEXT_MAX];
    const char *path = NULL;
    dm_status status = DM_OK;

    if (strchr(name, '/') != NULL || ending_of(kind, name) != NULL || strcmp(name, "-") == 0) {
        path = dm_arena_copy(arena, name, strlen(name));
        if (path == NULL)
            return dm_fail_memory(err);
    } else if (name[0] != '\0') {
        status = find_shipped(search, kind, name, arena, &path, err);
    }
    if (status == DM_OK && path != NULL)
        *out = path;
    if (status != DM_OK || path != NULL)
        return status;

    dm_nearest nearest = dm_nearest_start((dm_slice){name, strlen(name)});
    status = offer_all(search, kind, arena, &nearest, err);
    if (status != DM_OK)
        return status;
    return dm_fail(err, DM_ERR_INPUT, "no %s called '%.80s'%s", kind->what, name, dm_nearest_text(&nearest, hint));
}

/* ---- listing ---- */

typedef struct name_list {
    dm_arena *arena;
    const char **names;
    size_t n, size;
    bool failed;
} name_list;

static void add_name(name_list *list, const char *name, size_t len)
{
    if (list->n == list->size) {
        const size_t size = list->size != 0 ? list->size * 2 : 64;
        const char **names = dm_arena_alloc_n(list->arena, size, sizeof *names);
        if (names == NULL) {
            list->failed = true;
            return;
        }
        if (list->n > 0)
            memcpy(names, list->names, list->n * sizeof *names);
        list->names = names;
        list->size = size;
    }
    const char *copy = dm_arena_copy(list->arena, name, len);
    if (copy == NULL)
        list->failed = true;
    else
        list->names[list->n++] = copy;
}

static void add_folder(name_list *list, const dm_search_kind *kind, const char *path)
{
    DIR *dir = opendir(path);

    if (dir == NULL)
        return;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const char *ending = ending_of(kind, entry->d_name);
        if (ending != NULL && entry->d_name[0] != '.')
            add_name(list, entry->d_name, strlen(entry->d_name) - strlen(ending));
    }
    (void)closedir(dir);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

dm_status dm_search_list(const dm_search *search, const dm_search_kind *kind, dm_arena *arena, const char ***names,
                         size_t *n, dm_err *err)
{
    name_list list = {.arena = arena};
    size_t kept = 0;

    for (size_t d = 0; d < search->dir_n; d++)
        for (size_t f = 0; kind->folders[f] != NULL; f++) {
            const char *path = join(arena, search->dirs[d], kind->folders[f], "", "");
            if (path == NULL)
                return dm_fail_memory(err);
            add_folder(&list, kind, path);
        }
    if (list.failed)
        return dm_fail_memory(err);
    if (list.n > 0)
        qsort(list.names, list.n, sizeof *list.names, compare_names);
    for (size_t i = 0; i < list.n; i++)
        if (i == 0 || strcmp(list.names[i], list.names[kept - 1]) != 0)
            list.names[kept++] = list.names[i];
    *names = list.names;
    *n = kept;
    return DM_OK;
}
