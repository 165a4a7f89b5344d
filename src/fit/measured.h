/* src/fit/measured.h
 *
 * Measured-time tables: CSV rows, each an operator call with its time and how it was taken. */
#ifndef DM_FIT_MEASURED_H
#define DM_FIT_MEASURED_H

#include "util/names.h"
#include "workload/op.h"

typedef struct dm_measured_row {
    dm_op_call call;
    const char *device; /* interned: equal names are equal pointers; belongs to the set's arena */
    double time_s;
    double power_W; /* NaN: not measured */
} dm_measured_row;

typedef struct dm_measured_bad {
    const char *reason;
    int64_t n;
} dm_measured_bad;

typedef struct dm_measured {
    dm_arena arena;
    dm_measured_row *row;
    size_t row_n, room;
    dm_names names; /* devices and stacks, interned */
    const char **ignored; /* columns that nothing reads */
    size_t ignored_n;
    int64_t bad_n; /* rows that were counted instead of stopping; only with keep_going */
} dm_measured;

enum { DM_MEASURED_CAP_B = 1 << 30 };

/* Add a file's rows. The first bad line stops with its place, unless keep_going counts it. */
dm_status dm_measured_read(dm_measured *set, const char *path, const dm_op_table *table, bool keep_going, dm_err *err);

/* The same from a text in memory, which must outlive the set. */
dm_status dm_measured_parse(dm_measured *set, const dm_source *source, const dm_op_table *table, bool keep_going,
                            dm_err *err);
void dm_measured_fini(dm_measured *set);

#endif
