/* src/store/store.h
 *
 * The results database: one SQLite file of runs, validations and the inputs they came from.
 *
 * Equal inputs give equal rows, in whatever order and by however many processes they were stored: a row's id is made
 * from what identifies it, never from a counter. Only the `session` tables hold what differs from one invocation to
 * the next (time, host, process, command line).
 *
 * Ownership. The store copies what it is given, so every pointer in a record need live only for the call. A store is
 * used by one thread at a time; several processes may have the same file open.
 *
 * Errors. A file that can't be opened, read, or written is DM_ERR_STORE, with its path and SQLite's reason; so is a
 * record with a number that is not finite or a text that is missing. A failed call leaves nothing behind in the file.
 * Of a record, only what is said to be may be NULL or NaN. */
#ifndef DM_STORE_STORE_H
#define DM_STORE_STORE_H

#include "dormer/dormer.h"

typedef struct dm_store dm_store;

/* One input: its SHA-256 in hexadecimal (util/hash.h) and its full text, which is stored once. */
typedef struct dm_input_record {
    const char *hash, *name, *text;
} dm_input_record;

/* One operator of a run. */
typedef struct dm_run_op_record {
    int64_t seq; /* its place in the workload; unique in the run */
    const char *name, *op, *shape, *dtype;
    int64_t stream, count;
    double time_s;  /* one execution */
    double total_s; /* all `count` of them */
    const char *limiter;
    double work_FLOP, dram_B, link_B; /* one execution */
    double bound_s;                   /* one execution */
    const char *tile;                 /* "128x256x64"; NULL where there is none */
    const dm_part *parts;             /* shares of time_s; those of one name are added */
    size_t part_n;
} dm_run_op_record;

/* One prediction of one workload on one device. All up to `settings` identifies it, and must be all that moves the
 * result: a run that is stored again adds no row. */
typedef struct dm_run_record {
    dm_input_record hw, workload;
    const dm_input_record *calibration; /* NULL: specification and defaults alone */
    const char *version, *fidelity, *clock, *residency;
    const char *settings; /* what else moves the result, such as the text of each --set; "" if nothing */

    double time_s;
    double energy_J, avg_power_W, cost_usd; /* NaN: not modelled */
    double work_FLOP, dram_B;
    const char *limiter;
    const dm_run_op_record *ops;
    size_t op_n;
} dm_run_record;

/* Predicted against measured, for the rows of one operator, device, stack ("" if none is named) and dtype. */
typedef struct dm_validation_group_record {
    const char *op, *device, *stack, *dtype;
    int64_t row_n;
    double mape_pct, median_ape_pct, p90_ape_pct, bias_pct, within_10_pct;
    double interval_coverage_pct; /* NaN: no intervals */
    const char *calibration_kind; /* device, architecture, cross, none */
    int64_t power_row_n;
    double power_mape_pct; /* NaN: no rows with a power */
} dm_validation_group_record;

/* Measured rows that could not be predicted, by reason. */
typedef struct dm_validation_skipped_record {
    const char *reason;
    int64_t row_n;
} dm_validation_skipped_record;

/* One comparison with measured files. All up to `settings` identifies it; the order of the files does not. */
typedef struct dm_validation_record {
    const dm_input_record *measured;
    size_t measured_n;
    const dm_input_record *calibration; /* NULL: none, or the label says all */
    const char *calibration_label;      /* "none", "nearest", a file's name */
    const char *version, *fidelity;
    const char *settings; /* what else moves the result: filters, residency, overrides; "" if nothing */

    int64_t row_n;   /* of all groups */
    double mape_pct; /* of all rows; NaN: no rows */
    const dm_validation_group_record *groups;
    size_t group_n;
    const dm_validation_skipped_record *skipped;
    size_t skipped_n;
} dm_validation_record;

/* Opens the file, creates it if it is absent or empty, and brings an older one up to date. Refuses, untouched, a file
 * that is not a dormer database or that a newer dormer wrote. Waits up to 5 s for another process. */
dm_status dm_store_open(const char *path, dm_store **out, dm_err *err);
void dm_store_close(dm_store *store); /* NULL is fine */

/* Begins a session: what is stored from now on is linked to it. Without one, nothing is linked. */
dm_status dm_store_session(dm_store *store, const char *command_line, const char *started_utc, const char *host,
                           int64_t *session_id, dm_err *err);

/* Each stores one record in one transaction, and gives its id: below 2^53, so that any JSON reader keeps it exact.
 * A record that is already there must have the same result; otherwise the version does not tell two builds apart,
 * and that is DM_ERR_STORE. */
dm_status dm_store_run(dm_store *store, const dm_run_record *record, int64_t *run_id, dm_err *err);
dm_status dm_store_validation(dm_store *store, const dm_validation_record *record, int64_t *validation_id,
                              dm_err *err);

#endif
