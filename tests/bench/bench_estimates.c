/* tests/bench/bench_estimates.c
 *
 * Rates of the hot paths, one line a figure, the best and the median of several runs. Nothing is asserted: a rate says
 * something about a machine. GEMM estimates walk through 1,024 different shapes, so that no branch predictor learns
 * them by heart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lower/launch.h"
#include "model/model.h"
#include "util/rng.h"
#include "util/stats.h"

enum { CALL_N = 1024, RUN_N = 7 };

static double now_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(const char *what, double *rates, const char *unit)
{
    dm_stats_sort(rates, RUN_N);
    (void)printf("%-40s %10.3g %s (median of %d; best %.3g)\n", what, rates[RUN_N / 2], unit, RUN_N, rates[RUN_N - 1]);
}

static void make_calls(const dm_op *op, dm_op_call *calls)
{
    dm_rng *rng = dm_rng_new(1);

    for (int i = 0; i < CALL_N; i++) {
        dm_op_call_init(&calls[i], op, NULL);
        for (size_t j = 0; j < 3; j++) /* m, n, k */
            *(int64_t *)(void *)(calls[i].args + op->fields.row[j].offset) = dm_rng_log_int(rng, j == 0 ? 1 : 64, 16384);
    }
    dm_rng_free(rng);
}

static void bench_predictions(const dm_machine *machine, dm_op_call *calls, dm_fidelity fidelity, int rounds)
{
    double rates[RUN_N], sum_s = 0;
    char what[64];
    dm_result result;
    dm_err err;

    for (int run = 0; run < RUN_N; run++) {
        const double start_s = now_s();
        for (int round = 0; round < rounds; round++)
            for (int i = 0; i < CALL_N; i++)
                if (dm_predict_call(&calls[i], machine, &dm_params_default, fidelity, &result, &err) == DM_OK)
                    sum_s += result.time_s;
        rates[run] = (double)rounds * CALL_N / (now_s() - start_s);
    }
    (void)snprintf(what, sizeof what, "%s GEMM estimates", dm_fidelity_name(fidelity));
    report(what, rates, sum_s > 0 ? "/s" : "/s (all refused)");
}

static void bench_validation(const dm_search *search, const char *path, int jobs)
{
    double rates[RUN_N];
    char what[64];
    int64_t row_n = 0;
    dm_err err;

    for (int run = 0; run < RUN_N; run++) {
        const dm_validate_options options = {
            .measured = &path, .measured_n = 1, .fidelity = DM_ANALYTIC, .jobs = jobs, .keep_going = true};
        dm_validation v;
        const double start_s = now_s();
        if (dm_validate(search, &options, &v, &err) != DM_OK) {
            (void)printf("validation of %s: %s\n", path, err.message);
            return;
        }
        row_n = v.row_n;
        rates[run] = (double)row_n / (now_s() - start_s);
        dm_validation_fini(&v);
    }
    (void)snprintf(what, sizeof what, "validation, %lld rows, %d threads", (long long)row_n, jobs);
    report(what, rates, "rows/s");
    (void)printf("%-40s %10.3g s\n", "  the whole table", (double)row_n / rates[RUN_N / 2]);
}

/* From exec to exit of `dormer --version`. */
static void bench_start(const char *program)
{
    enum { STARTS = 200 };
    char command[1024];

    (void)snprintf(command, sizeof command, "i=0; while [ $i -lt %d ]; do '%s' --version >/dev/null; i=$((i+1)); done", STARTS,
                   program);
    const double start_s = now_s();
    if (system(command) != 0)
        return;
    (void)printf("%-40s %10.3g ms (mean of %d)\n", "start and end of the program", 1e3 * (now_s() - start_s) / STARTS, STARTS);
}

int main(int argc, char **argv)
{
    static dm_op_call calls[CALL_N];
    const char *root = getenv("DORMER_DATA"), *dirs[] = {root != NULL ? root : "."};
    const dm_search search = {dirs, 1};
    const dm_op *gemm;
    const dm_variant *variant;
    dm_machine machine;
    dm_hw *hw;
    dm_err err;

    if (argc < 3 || !dm_op_find(&dm_ops, (dm_slice){"gemm", 4}, &gemm, &variant) ||
        dm_hw_load(&search, "h200_sxm", NULL, 0, &hw, &err) != DM_OK)
        return EXIT_FAILURE;
    if (dm_machine_init(&machine, hw, DM_CLOCK_BOOST, &err) != DM_OK)
        return EXIT_FAILURE;
    make_calls(gemm, calls);
    bench_predictions(&machine, calls, DM_ROOFLINE, 1000);
    bench_predictions(&machine, calls, DM_ANALYTIC, 100);
    bench_validation(&search, argv[2], 1);
    bench_validation(&search, argv[2], 2);
    bench_start(argv[1]);
    dm_hw_free(hw);
    return EXIT_SUCCESS;
}
