/* tests/fuzz/fuzz_workload.h
 *
 * Both forms of workload files: parse, estimate each operator, run the whole. */
#ifndef DM_TESTS_FUZZ_WORKLOAD_H
#define DM_TESTS_FUZZ_WORKLOAD_H

#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "lower/launch.h"
#include "workload/workload.h"

static inline void fuzz_run(const dm_workload *workload)
{
    dm_run run;
    dm_err err = {.status = DM_OK};
    const dm_status status = dm_run_workload(fuzz_device(), workload, DM_ANALYTIC, DM_CLOCK_BOOST, &run, &err);

    fuzz_check_error(status, &err);
    if (status != DM_OK)
        return;
    if (!(isfinite(run.time_s) && run.time_s > 0 && isfinite(run.work_FLOP) && isfinite(run.dram_B)))
        abort();
    dm_run_fini(&run);
}

static inline int fuzz_workload(const uint8_t *data, size_t size, const char *path,
                                dm_status (*parse)(const dm_source *, const dm_op_table *, dm_workload *, dm_err *))
{
    char *text = fuzz_text(data, size);
    dm_workload workload = {.source = {path, text, size}};
    dm_err err = {.status = DM_OK};
    const dm_status status = parse(&workload.source, &dm_ops, &workload, &err);

    fuzz_check_error(status, &err);
    for (size_t i = 0; status == DM_OK && i < workload.call_n && i < FUZZ_CALLS_MAX; i++)
        fuzz_predict(fuzz_device(), &workload.call[i]);
    if (status == DM_OK && workload.call_n <= FUZZ_CALLS_MAX)
        fuzz_run(&workload);
    dm_arena_free(&workload.arena);
    free(text);
    return 0;
}

#endif
