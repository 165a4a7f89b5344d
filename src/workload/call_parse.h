/* src/workload/call_parse.h
 *
 * The keys that every operator takes beside its own fields, one table row each: for workload files, CSV tables and the
 * command line alike. */
#ifndef DM_WORKLOAD_CALL_PARSE_H
#define DM_WORKLOAD_CALL_PARSE_H

#include "config/csv.h"
#include "workload/op.h"

/* Fields of dm_op_call itself: name, count, stream, stack, launch, weight_copies … (not op, dtype, after). */
extern const dm_fields dm_call_fields;

/* Set one key of a call: "dtype", one of dm_call_fields, or one of the operator's own. `known` is false, and nothing
 * is done, when no such key exists. */
dm_status dm_op_call_set(dm_op_call *call, dm_slice key, const dm_node *value, const dm_reader *reader, bool *known);

/* Fail with the nearest key that this operator takes. */
dm_status dm_op_call_fail_key(const dm_op_call *call, dm_slice key, dm_place place, const dm_reader *reader);

/* Is a key (a column of a table) one that some operator takes? */
bool dm_op_call_any_takes(const dm_op_table *table, dm_slice key);
/* Fail with the nearest that one does. */
dm_status dm_op_call_fail_column(const dm_op_table *table, dm_slice key, dm_place place, const dm_reader *reader);

/* dm_op_call_check for a row of a table: what is missing is shown at its blank cell. */
dm_status dm_op_call_check_row(const dm_op_call *call, const dm_csv *csv, const dm_reader *reader);

/* "m=16,n=4096" into the operator's own fields. */
dm_status dm_op_call_parse_shape(dm_op_call *call, const char *shape, dm_arena *arena, dm_err *err);

#endif
