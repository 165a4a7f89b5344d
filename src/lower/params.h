/* src/lower/params.h
 *
 * How well software uses a machine: dimensionless efficiencies and latencies counted in the machine's own. With
 * `--calibration none` these defaults hold; `dormer calibrate` will write others. */
#ifndef DM_LOWER_PARAMS_H
#define DM_LOWER_PARAMS_H

#include <stddef.h>

typedef struct dm_params {
    double dram_efficiency_frac;
    double tensor_efficiency_frac;
    double vector_efficiency_frac;
    double l2_efficiency_frac;
    double link_efficiency_frac;
    double in_network_latency_n;
    double loaded_latency_ratio;
    double blend_exponent;
    double wave_latency_n;
    double reduce_latency_n;
    double launch_latency_n;
    double stream_latency_n;
    double stream_inflight_B;
    double eager_launch_s;
    double quantise_latency_n;
    double resident_frac;
    double resident_exponent;
} dm_params;

/* One row a parameter: the manual, the bounds and the prior of a calibration. */
typedef struct dm_param_row {
    const char *name, *unit;
    size_t offset;
    double initial, min, max;
    const char *meaning, *source;
} dm_param_row;

extern const dm_param_row dm_param_rows[];
extern const size_t dm_param_n;

extern const dm_params dm_params_default;

#endif
