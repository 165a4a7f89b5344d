/* src/lower/params.c
 *
 * The parameters, one row each. Defaults are priors from public measurements of several devices, none fitted to any
 * one of them; `dormer list params` prints this table. */
#include "lower/params.h"

/* Name, unit, default, bounds, meaning, source. Expanded twice: as rows, and as the struct of defaults. */
/* clang-format off */
#define PARAMS(X)                                                                                            \
    X(dram_efficiency_frac, "", 0.87, 0.3, 1, "share of the DRAM peak that a long stream reaches", "bf16 GEMV over >= 300 MB of weights: 0.82-0.94 of peak on A100, H200, B200, L40S, RTX PRO 6000 (aiconfigurator tables)") \
    X(tensor_efficiency_frac, "", 0.90, 0.2, 1, "share of the tensor peak that a full main loop reaches at the clock in force", "best-shape GEMM, 0.79-0.97 of peak (ml-engineering, maximum achievable FLOPS)") \
    X(vector_efficiency_frac, "", 0.90, 0.2, 1, "share of the vector and special-function peaks", "FMA-bound kernels, 0.95 on A100 (gpu-benches)") \
    X(l2_efficiency_frac, "", 0.95, 0.2, 1, "share of the measured L2 rate that tile loads reach", "derived: staged copies against gpu-l2-cache") \
    X(link_efficiency_frac, "", 0.80, 0.1, 1, "share of a link's rate that a large message reaches", "nccl-tests bus bandwidth, 0.76-0.82 of the link on NVLink rings (ml-engineering)") \
    X(in_network_latency_n, "link latencies", 8, 1, 60, "an all-reduce that the network adds, beyond its bytes", "NCCL leaves 2 log2 n exchanges for NVLS at 2 MiB on 8 H200 (ml-engineering): there 0.625 x 2 MiB less at 0.8 x 450 GB/s, 3.6 us, pay for 2 latencies of 1.9 us more than 6") \
    X(loaded_latency_ratio, "", 2.0, 1, 6, "latency under load over idle latency", "loaded against idle latency of HBM, about 2 near saturation (Little's law on gpu-stream occupancy curves)") \
    X(blend_exponent, "", 4.0, 1, 16, "p of the soft maximum over compute, feed and DRAM: how well a kernel overlaps them", "derived; infinity is perfect overlap") \
    X(wave_latency_n, "DRAM latencies", 2.0, 0, 20, "fill and drain of one wave of CTAs: first tile in, last tile out", "derived: one latency in, one out") \
    X(reduce_latency_n, "L2 latencies", 12, 0, 60, "semaphore and partial sums of a split-K reduction", "derived: write, flag, read, read back through L2, three round trips each") \
    X(launch_latency_n, "DRAM latencies", 6.0, 1, 30, "smallest captured matrix kernel where the device does not state launch.graph", "smallest captured GEMM against DRAM latency on A100, H200, L40S: 6.3-7.0") \
    X(stream_latency_n, "DRAM latencies", 3.5, 1, 30, "smallest captured streaming kernel where the device does not state launch.node", "graph node of a small copy kernel against DRAM latency: 3.4-3.7 on A100, H200, L40 (gpu-benches gpu-small-kernels)") \
    X(stream_inflight_B, "B", 32768, 1024, 1048576, "bytes that one core keeps in flight in a streaming kernel", "2,048 threads with 16 B each") \
    X(eager_launch_s, "s", 10e-6, 1e-7, 1e-2, "host cost of one framework operator where the device does not state launch.eager", "PyTorch operator dispatch, 5-10 us") \
    X(quantise_latency_n, "DRAM latencies", 6.0, 0, 100, "dynamic quantisation of an activation beyond its bytes: absolute maximum, scale, cast", "derived: two dependent passes over a row") \
    X(resident_frac, "", 0.85, 0.1, 1, "share of the effective L2 that a loop's tensors can hold", "footprint at which gpu-l2-cache falls off its plateau") \
    X(resident_exponent, "", 4.0, 1, 16, "steepness of that fall", "derived from the same curves")
/* clang-format on */

#define ROW(name, unit, initial, min, max, meaning, source)                                                  \
    {#name, unit, offsetof(dm_params, name), initial, min, max, meaning, source},
const dm_param_row dm_param_rows[] = {PARAMS(ROW)};
#undef ROW
const size_t dm_param_n = sizeof dm_param_rows / sizeof dm_param_rows[0];

#define VALUE(name, unit, initial, min, max, meaning, source) .name = initial,
const dm_params dm_params_default = {PARAMS(VALUE)};
#undef VALUE
