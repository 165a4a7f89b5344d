/* src/model/model.h
 *
 * Time of a launch descriptor, in two closed forms: a bound, and a prediction. */
#ifndef DM_MODEL_MODEL_H
#define DM_MODEL_MODEL_H

#include "lower/launch.h"
#include "lower/params.h"
#include "lower/residency.h"

/* Lower bound of a kernel's time from one pipe and one memory level. Both rates are > 0. */
double dm_roofline_time_s(double work_FLOP, double traffic_B, double peak_FLOPps, double bw_Bps);

/* Soft maximum of n times: (a^p + b^p + ...)^(1/p). p -> infinity is perfect overlap, p = 1 none. */
double dm_blend_s(const double *time_s, int n, double exponent);

/* Rate at which one core is fed: bytes in flight over latency (Little's law), at most its share of the L2. */
double dm_feed_Bps(double inflight_B, double latency_s, double l2_core_Bps);

/* The bound of a whole operator at the residency of `hits`: the slowest pipe or level. Fills time, limiter, counts. */
void dm_roofline(const dm_launch *launch, const dm_machine *machine, dm_hits hits, dm_result *out);

/* The prediction. Each kernel: launch + fill + blend(compute, feed, DRAM, link) + reduction; kernels add up. */
void dm_analytic(const dm_launch *launch, const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                 dm_result *out);

/* One operator at one fidelity. `machine` must outlive nothing: it is only read. */
dm_status dm_predict_call(const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                          dm_fidelity fidelity, dm_result *out, dm_err *err);

#endif
