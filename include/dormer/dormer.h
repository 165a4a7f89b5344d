/* include/dormer/dormer.h
 *
 * dormer's public C interface: describe a machine and an operator, get a time and the reason for it.
 *
 * Ownership. A `*_load` function hands out a heap object that its `*_free` releases; each object owns one
 * arena, and every `const char *` read from it lives as long as the object. Result structs are plain values that
 * the caller owns; the strings in them are string literals or belong to the object named in the comment.
 *
 * Units. SI throughout: seconds, bytes, FLOP, hertz, watts. The unit is the last part of a name (`time_s`).
 *
 * Errors. A function that can fail returns dm_status and fills the dm_err it was given; on failure its outputs
 * are untouched, on success the record is untouched. The library prints nothing and never exits. */
#ifndef DORMER_DORMER_H
#define DORMER_DORMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ------------------------------------------------------------------------------------- */

/* One row a status: name and what it says when nothing more exact is known. */
#define DM_STATUS_LIST(X)                                                                                    \
    X(DM_OK, "done")                                                                                         \
    X(DM_ERR_USAGE, "the command line is wrong")                                                             \
    X(DM_ERR_INPUT, "an input file is wrong")                                                                \
    X(DM_ERR_MISSING, "the device does not state a field that this needs")                                   \
    X(DM_ERR_UNSUPPORTED, "not modelled")                                                                    \
    X(DM_ERR_IO, "reading or writing failed")                                                                \
    X(DM_ERR_MEMORY, "out of memory")                                                                        \
    X(DM_ERR_STORE, "the results database could not be used")

#define DM_STATUS_ENUM(name, text) name,
typedef enum dm_status { DM_STATUS_LIST(DM_STATUS_ENUM) DM_STATUS_N } dm_status;
#undef DM_STATUS_ENUM

/* Where something went wrong and what was wanted. line and col count from 1; 0 means "not tied to a place". */
typedef struct dm_err {
    dm_status status;
    char path[512];
    int line, col, width;
    char message[640];
    char excerpt[256]; /* the offending line, cut to fit; empty if there is none */
    int excerpt_col;   /* where the caret goes in the excerpt, from 1 */
} dm_err;

/* The general text of a status; never NULL. */
const char *dm_status_text(dm_status status);

/* ---- results ------------------------------------------------------------------------------------ */

enum { DM_PARTS_MAX = 16, DM_KERNELS_MAX = 6 };

typedef enum dm_fidelity { DM_ROOFLINE, DM_ANALYTIC, DM_FIDELITY_N } dm_fidelity;

/* Name on the command line and in JSON; "roofline", "analytic". */
const char *dm_fidelity_name(dm_fidelity fidelity);

/* One additive share of a time. The shares of a result add up to its time_s. `name` is a literal. */
typedef struct dm_part {
    const char *name;
    double time_s;
} dm_part;

/* How one kernel was laid out on the machine. Zero where a kernel has no such thing. */
typedef struct dm_kernel_info {
    const char *name;                          /* literal */
    int64_t tile_m, tile_n, tile_k;            /* elements */
    int64_t split_k, stages, ctas, ctas_per_core;
    double waves;                              /* CTAs / (cores x CTAs per core) */
    double time_s;                             /* its share of the operator's time; analytic only */
} dm_kernel_info;

/* Predicted time of one execution of one operator, and why. */
typedef struct dm_result {
    double time_s;
    double time_lo_s, time_hi_s; /* interval; NaN where no validated rows support one */
    const char *limiter;         /* literal: dram, l2, tensor, vector, special, feed, launch, link, latency */
    double work_FLOP;            /* useful FLOP: padding is not counted */
    double dram_B;               /* bytes that cross the DRAM interface */
    double link_B;               /* bytes that leave through the scale-up or scale-out links */
    double bound_s;              /* roofline at the same residency and clock */
    const char *emulated;        /* the rate class that stood in for one the device lacks; NULL if none */
    int part_n, kernel_n;
    dm_part part[DM_PARTS_MAX]; /* only the first part_n and kernel_n are set */
    dm_kernel_info kernel[DM_KERNELS_MAX];
} dm_result;

/* Clock that a prediction assumes. */
typedef enum dm_clock { DM_CLOCK_BOOST, DM_CLOCK_BASE, DM_CLOCK_DATASHEET } dm_clock;
const char *dm_clock_name(dm_clock clock);

/* ---- objects ------------------------------------------------------------------------------------ */

typedef struct dm_hw dm_hw;
typedef struct dm_workload dm_workload;
typedef struct dm_op_call dm_op_call;
typedef struct dm_conditions dm_conditions;

/* Folders in which a device or workload named without a path is looked up, in order. */
typedef struct dm_search {
    const char *const *dirs;
    size_t dir_n;
} dm_search;

/* One `--set path=value`. */
typedef struct dm_override {
    const char *text;
} dm_override;

/* Load a device: `name` is a path (it has a '/' or ends in .yaml) or the id of a file in configs/hw of a search
 * folder. Overrides are applied last. Fails with DM_ERR_INPUT or DM_ERR_IO. */
dm_status dm_hw_load(const dm_search *search, const char *name, const dm_override *overrides, size_t override_n,
                     dm_hw **out, dm_err *err);
void dm_hw_free(dm_hw *hw);
const char *dm_hw_name(const dm_hw *hw);

/* Load a workload (YAML, or CSV by its ending .csv) the same way, from workloads/. */
dm_status dm_workload_load(const dm_search *search, const char *name, dm_workload **out, dm_err *err);
void dm_workload_free(dm_workload *workload);
size_t dm_workload_op_n(const dm_workload *workload);
const char *dm_workload_title(const dm_workload *workload); /* NULL if it has none */

/* Parse one operator as `explain` does: shape is "m=16,n=4096,k=4096", dtype a recipe such as "bf16", launch one of
 * graph, stream, eager, kernel; any of the last two may be NULL for the defaults. The call belongs to the caller. */
dm_status dm_op_call_parse(const char *op, const char *shape, const char *dtype, const char *launch,
                           dm_op_call **out, dm_err *err);
void dm_op_call_free(dm_op_call *call);

/* One more key of a call: "dtype", "launch", "stack", "residency" (cold, measured), "weight_copies", "loop_s",
 * "power_limit_w". The text must live as long as the call. */
dm_status dm_op_call_option(dm_op_call *call, const char *key, const char *text, dm_err *err);
const char *dm_op_call_dtype(const dm_op_call *call);

/* Predict one operator on one device, cold unless the call says otherwise. Fails with DM_ERR_MISSING,
 * DM_ERR_UNSUPPORTED or DM_ERR_INPUT (a shape that overflows); never with a number that is not modelled. */
dm_status dm_predict(const dm_hw *hw, const dm_op_call *call, dm_fidelity fidelity, dm_clock clock, dm_result *out,
                     dm_err *err);

/* d ln(time) / d ln(field): by how many per cent the time moves when a hardware field moves by one per cent. */
typedef struct dm_elasticity {
    const char *field; /* dotted path; a literal */
    double dlnt_dlnx;
} dm_elasticity;

enum { DM_ELASTICITIES_MAX = 160 };

/* Every field that moves the time, the strongest first. Central differences over +-0.1 % (counts: one step); a time
 * that jumps there, as where a tile changes, shows as a large value. */
dm_status dm_elasticities(const dm_hw *hw, const dm_op_call *call, dm_fidelity fidelity, dm_clock clock,
                          dm_elasticity out[DM_ELASTICITIES_MAX], size_t *n, dm_err *err);

/* ---- whole workloads ---------------------------------------------------------------------------- */

/* One operator of a run. Strings belong to the run or to the workload that it was made from. */
typedef struct dm_run_op {
    const char *name, *op, *shape, *dtype;
    int64_t stream, count; /* executions in all: its own count times its block's */
    dm_result result;      /* of one execution */
} dm_run_op;

/* A workload on a device. The time is that of the longest chain: operators of a stream follow each other, streams run
 * side by side without disturbing each other (the simulator will know better), blocks follow each other. */
typedef struct dm_run {
    const char *hw, *workload, *title;
    dm_fidelity fidelity;
    double time_s;
    const char *limiter; /* that of most of the time */
    double limiter_frac;
    double work_FLOP, dram_B, link_B;
    dm_run_op *op;
    size_t op_n;
    void *owner; /* internal */
} dm_run;

/* The hardware and the workload must outlive the run. Fails as dm_predict does, naming the operator. */
dm_status dm_run_workload(const dm_hw *hw, const dm_workload *workload, dm_fidelity fidelity, dm_clock clock,
                          dm_run *out, dm_err *err);
void dm_run_fini(dm_run *run);

/* ---- predicted against measured ----------------------------------------------------------------- */

/* Errors of the rows that share operator, device, stack and dtype. APE = |predicted - measured| / measured. */
typedef struct dm_validation_group {
    const char *op, *device, *stack, *dtype;
    int64_t row_n, power_row_n;
    double mape_pct, median_ape_pct, p90_ape_pct, bias_pct, within_10_pct;
    double interval_coverage_pct, power_mape_pct; /* NaN: not modelled yet */
    const char *calibration_kind;                 /* literal: none, cross, architecture, device */
} dm_validation_group;

typedef struct dm_validation_skip {
    const char *reason;
    int64_t row_n;
} dm_validation_skip;

typedef struct dm_validation {
    dm_fidelity fidelity;
    const char *calibration; /* literal */
    dm_validation_group *group;
    size_t group_n;
    dm_validation_skip *skip;
    size_t skip_n;
    const char *const *ignored_column; /* columns of the tables that nothing read */
    size_t ignored_column_n;
    const char *const *device_name, *const *device_text; /* the devices used, each with all that its files state */
    size_t device_n;
    int64_t row_n;
    double mape_pct; /* of all rows; NaN: no rows */
    size_t all_row_n; /* for dm_validation_row_at: predicted and skipped, in the order of the tables */
    void *owner;      /* internal */
} dm_validation;

/* One measured row with its prediction. */
typedef struct dm_validation_row {
    const char *op, *device, *stack, *dtype; /* stack: NULL if the row names none */
    char shape[240];
    double measured_s, predicted_s, bound_s; /* predicted_s, bound_s: NaN where `problem` says why not */
    const char *limiter, *problem;
} dm_validation_row;

/* Which rows, and how to predict them. Each list is empty for "all". */
typedef struct dm_validate_options {
    const char *const *measured; /* paths of measured-time CSV files */
    size_t measured_n;
    const char *const *device, *const *op, *const *stack, *const *dtype;
    size_t device_n, op_n, stack_n, dtype_n;
    const dm_override *override;
    size_t override_n;
    dm_fidelity fidelity;
    dm_clock clock;
    bool cold;       /* charge DRAM for every operand, whatever the loop left in L2 */
    bool keep_going; /* count bad rows as skipped instead of stopping at the first */
    int jobs;        /* threads; the result is the same for any number */
} dm_validate_options;

/* Predict every row. What can't be predicted stands in `skip` with its reason; no row is left out in silence. */
dm_status dm_validate(const dm_search *search, const dm_validate_options *options, dm_validation *out, dm_err *err);
void dm_validation_row_at(const dm_validation *validation, size_t index, dm_validation_row *out);
void dm_validation_fini(dm_validation *validation);

/* Version of the library, "0.1.0+abc123" (with ".dirty" after uncommitted changes). */
const char *dm_version(void);

#ifdef __cplusplus
}
#endif

#endif
