/* src/workload/workload.c
 *
 * Workloads: loading, and what both file forms share. */
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

#include "config/search.h"
#include "util/num.h"

enum { WORKLOAD_CAP_B = 512 << 20 };

/* Above 2^53 a double no longer counts one by one. */
#define EXECUTIONS_MAX 9007199254740992

dm_status dm_workload_add_call(dm_workload *w, size_t *room, dm_op_call **out, dm_err *err)
{
    if (w->call_n == DM_WORKLOAD_CALLS_MAX)
        return dm_fail(err, DM_ERR_INPUT, "%s: more than %d operators", w->source.path, DM_WORKLOAD_CALLS_MAX);
    if (w->call_n == *room) {
        const size_t size = *room != 0 ? *room * 2 : 64;
        dm_op_call *calls = dm_arena_alloc_n(&w->arena, size, sizeof *calls);
        if (calls == NULL)
            return dm_fail_memory(err);
        if (w->call_n > 0)
            memcpy(calls, w->call, w->call_n * sizeof *calls);
        w->call = calls;
        *room = size;
    }
    *out = &w->call[w->call_n++];
    return DM_OK;
}

dm_status dm_workload_end_call(dm_workload *w, const dm_op_call *call, int64_t repeat, const dm_source *source,
                               dm_err *err)
{
    int64_t executions;

    if (!dm_num_mul(call->count, repeat, &executions) || executions > EXECUTIONS_MAX)
        return dm_fail_at(err, DM_ERR_INPUT, source, call->place,
                          "%.3g executions, its count times its block's; fewer than %.3g are wanted",
                          (double)call->count * (double)repeat, (double)EXECUTIONS_MAX);
    if (call->name != NULL && !dm_names_set(&w->names, call->name, (uint32_t)(call - w->call), &w->arena))
        return dm_fail_memory(err);
    return DM_OK;
}

static dm_status fail_after(const dm_workload *w, size_t from, size_t to, dm_slice name, dm_place place,
                            const dm_source *source, dm_err *err)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(name);

    for (size_t i = from; i < to; i++)
        if (w->call[i].name != NULL)
            dm_nearest_offer(&nearest, w->call[i].name);
    return dm_fail_at(err, DM_ERR_INPUT, source, place,
                      "after: no operator '%.*s' stands before this one in its block%s", dm_slice_shown(name), name.at,
                      dm_nearest_text(&nearest, hint));
}

dm_status dm_workload_link_after(dm_workload *w, size_t block_first, dm_op_call *call, const dm_slice *names,
                                 size_t name_n, const dm_place *places, const dm_source *source, dm_err *err)
{
    const size_t self = (size_t)(call - w->call);
    uint32_t *after = dm_arena_alloc_n(&w->arena, name_n, sizeof *after);

    if (after == NULL)
        return dm_fail_memory(err);
    for (size_t i = 0; i < name_n; i++) {
        const dm_name *found = dm_names_find(&w->names, names[i]);
        if (found == NULL || found->value < block_first)
            return fail_after(w, block_first, self, names[i], places[i], source, err);
        after[i] = found->value;
    }
    call->after = after;
    call->after_n = name_n;
    return DM_OK;
}

static bool is_csv(const char *path)
{
    const size_t len = strlen(path);

    return len > 4 && strcmp(path + len - 4, ".csv") == 0;
}

static dm_status read_into(const dm_search *search, const char *name, const dm_op_table *table, dm_workload *w,
                           dm_err *err)
{
    const char *path;
    dm_status status = dm_search_find(search, &dm_search_workload, name, &w->arena, &path, err);

    if (status == DM_OK)
        status = dm_file_read(path, WORKLOAD_CAP_B, &w->arena, &w->source, err);
    if (status != DM_OK)
        return status;
    return is_csv(path) ? dm_workload_parse_csv(&w->source, table, w, err)
                        : dm_workload_parse_yaml(&w->source, table, w, err);
}

dm_status dm_workload_read(const dm_search *search, const char *name, const dm_op_table *table, dm_workload **out,
                           dm_err *err)
{
    dm_workload *w = calloc(1, sizeof *w);

    if (w == NULL)
        return dm_fail_memory(err);
    const dm_status status = read_into(search, name, table, w, err);
    if (status != DM_OK) {
        dm_workload_free(w);
        return status;
    }
    *out = w;
    return DM_OK;
}

void dm_workload_free(dm_workload *workload)
{
    if (workload == NULL)
        return;
    dm_arena_free(&workload->arena);
    free(workload);
}

size_t dm_workload_op_n(const dm_workload *workload)
{
    return workload->call_n;
}

const char *dm_workload_title(const dm_workload *workload)
{
    return workload->title;
}
