/* src/workload/workload.h
 *
 * A list of operators in blocks: each block runs `repeat` times, one block after the other. Within a block the
 * operators of a stream follow each other, and `after` adds edges. Everything belongs to the workload's arena. */
#ifndef DM_WORKLOAD_WORKLOAD_H
#define DM_WORKLOAD_WORKLOAD_H

#include "util/names.h"
#include "workload/op.h"

typedef struct dm_block {
    int64_t repeat;
    size_t first, n; /* calls of this block */
} dm_block;

struct dm_workload {
    dm_arena arena;
    dm_source source;
    const char *name, *title;
    dm_op_call *call;
    size_t call_n;
    dm_block *block;
    size_t block_n;
    dm_names names; /* of the calls that are complete; the value is the latest call's index */
};

enum { DM_WORKLOAD_CALLS_MAX = 500000 };

/* Load with the operators of `table`. */
dm_status dm_workload_read(const dm_search *search, const char *name, const dm_op_table *table, dm_workload **out,
                           dm_err *err);

/* Parse a text that is already in memory, as YAML or as CSV; for tests and fuzzers too. On success the workload keeps
 * a copy of nothing: source must outlive it. */
dm_status dm_workload_parse_yaml(const dm_source *source, const dm_op_table *table, dm_workload *out, dm_err *err);
dm_status dm_workload_parse_csv(const dm_source *source, const dm_op_table *table, dm_workload *out, dm_err *err);

/* ---- for the two parsers ---- */

/* A zeroed call at the end of the list, which grows by doubling in the arena. */
dm_status dm_workload_add_call(dm_workload *workload, size_t *room, dm_op_call **out, dm_err *err);

/* A call is complete: its counts fit, and later ones may name it in `after`. */
dm_status dm_workload_end_call(dm_workload *workload, const dm_op_call *call, int64_t repeat, const dm_source *source,
                               dm_err *err);

/* Resolve the names that a call must wait for; they must stand before it in its block. Names are separated by
 * blanks or ';'. */
dm_status dm_workload_link_after(dm_workload *workload, size_t block_first, dm_op_call *call, const dm_slice *names,
                                 size_t name_n, const dm_place *places, const dm_source *source, dm_err *err);

#endif
