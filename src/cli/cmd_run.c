/* src/cli/cmd_run.c
 *
 * dormer run: a workload on a device. */
#include "cli/common.h"
#include "cli/record.h"
#include "report/report.h"

static const char *const options_taken[] = {"hw",  "workload", "fidelity", "calibration", "set",
                                            "clock", "db",      "json",     "help",        NULL};

static int show(const dm_options *options, const dm_run *run, int64_t id)
{
    if (options->json) {
        dm_json json = {0};
        dm_report_run_json(run, &json);
        return dm_cli_print_json(&json);
    }
    dm_str text = {0};
    dm_report_run_text(run, &text);
    if (options->db != NULL)
        dm_str_addf(&text, "kept as run %lld in %s\n", (long long)id, options->db);
    return dm_cli_print(&text);
}

static int run_on(const dm_options *options, const dm_hw *hw, const dm_workload *workload)
{
    const dm_fidelity fidelity = options->fidelity < 0 ? DM_ANALYTIC : (dm_fidelity)options->fidelity;
    dm_run run;
    dm_err err;
    int64_t id = 0;

    if (dm_run_workload(hw, workload, fidelity, (dm_clock)options->clock, &run, &err) != DM_OK)
        return dm_cli_fail(&err);
    int code = DM_EXIT_DONE;
    if (options->db != NULL && dm_cli_record_run(options, hw, workload, &run, &id, &err) != DM_OK)
        code = dm_cli_fail(&err);
    if (code == DM_EXIT_DONE)
        code = show(options, &run, id);
    dm_run_fini(&run);
    return code;
}

static int load_and_run(const dm_options *options, dm_arena *arena)
{
    const dm_override *overrides;
    dm_hw *hw = NULL;
    dm_workload *workload = NULL;
    dm_err err;

    if (dm_cli_check_calibration(options, &err) != DM_OK || dm_cli_overrides(options, arena, &overrides, &err) != DM_OK ||
        dm_hw_load(dm_cli_search(), options->hw, overrides, options->overrides.n, &hw, &err) != DM_OK)
        return dm_cli_fail(&err);
    const int code = dm_workload_load(dm_cli_search(), options->workload, &workload, &err) == DM_OK
                         ? run_on(options, hw, workload)
                         : dm_cli_fail(&err);
    dm_workload_free(workload);
    dm_hw_free(hw);
    return code;
}

static int run_verb(const dm_options *options)
{
    dm_arena arena = {0};

    if (options->hw == NULL || options->workload == NULL)
        return dm_cli_usage("run wants --hw and --workload (dormer list hw, dormer list workloads)");
    const int code = load_and_run(options, &arena);
    dm_arena_free(&arena);
    return code;
}

const dm_verb dm_verb_run = {
    "run",
    "predict a workload on a device",
    "--hw DEVICE --workload WORKLOAD [options]",
    options_taken,
    NULL,
    "  dormer run --hw h200_sxm --workload llama3_8b_decode_b16\n"
    "  dormer run --hw b200_sxm --workload llama3_8b_decode_b16 --set memory.dram.bandwidth='10 TB/s'\n",
    run_verb,
};
