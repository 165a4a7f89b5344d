/* src/workload/names.h
 *
 * Operators by name, for `after`: a trace of 10^5 rows that wait for far ones must not be searched from the start each
 * time. The table belongs to the arena it grows in. */
#ifndef DM_WORKLOAD_NAMES_H
#define DM_WORKLOAD_NAMES_H

#include "workload/op.h"

typedef struct dm_names {
    uint32_t *slot; /* open addressing: index of a call, plus one; 0 is free */
    size_t size, used;
} dm_names;

/* Make call[index] the one that its name stands for from now on. Does nothing for a call without a name. */
dm_status dm_names_add(dm_names *names, const dm_op_call *call, size_t index, dm_arena *arena, dm_err *err);

/* The latest call of that name; false if there is none. */
bool dm_names_find(const dm_names *names, const dm_op_call *call, dm_slice name, size_t *index);

#endif
