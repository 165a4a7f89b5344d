/* src/cli/cmd_validate.c
 *
 * dormer validate: predicted against measured, row by row. */
#include <string.h>
#include <unistd.h>

#include "cli/common.h"
#include "cli/record.h"
#include "report/report.h"

static const char *const options_taken[] = {
    "measured", "only-device", "only-op",    "only-stack", "only-dtype", "fidelity", "calibration", "residual", "residency",
    "clock",    "set",         "keep-going", "jobs",       "rows",       "db",         "json",     "help",        NULL};

static int jobs_of(const dm_options *options)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    if (options->jobs > 0)
        return (int)options->jobs;
    return online < 1 ? 1 : online > 64 ? 64 : (int)online;
}

/* Columns that nothing reads are said once, so that a misspelt one does not pass unnoticed. */
static void say_ignored(const dm_validation *v)
{
    for (size_t i = 0; i < v->ignored_column_n; i++)
        (void)fprintf(stderr, "%s%s", i == 0 ? "dormer: columns that nothing reads: " : ", ", v->ignored_column[i]);
    if (v->ignored_column_n > 0)
        (void)fputc('\n', stderr);
}

static int show(const dm_options *options, const dm_validation *v, int64_t id)
{
    if (options->json) {
        dm_json json = {0};
        dm_report_validation_json(v, &json);
        return dm_cli_print_json(&json);
    }
    dm_str text = {0};
    dm_report_validation_text(v, &text);
    if (options->db != NULL)
        dm_str_addf(&text, "kept as validation %lld in %s\n", (long long)id, options->db);
    return dm_cli_print(&text);
}

static int finish(const dm_options *options, const dm_validation *v)
{
    int64_t id = 0;
    dm_err err;

    say_ignored(v);
    if (options->rows != NULL) {
        dm_str rows = {0};
        dm_report_validation_rows(v, &rows);
        const int code = dm_cli_write(options->rows, &rows);
        if (code != DM_EXIT_DONE)
            return code;
    }
    if (options->db != NULL && dm_cli_record_validation(options, v, &id, &err) != DM_OK)
        return dm_cli_fail(&err);
    return show(options, v, id);
}

/* --residency: measured as the rows say (the default), or cold. */
static dm_status wants_cold(const dm_options *options, bool *cold, dm_err *err)
{
    *cold = options->residency != NULL && strcmp(options->residency, "cold") == 0;
    if (*cold || options->residency == NULL || strcmp(options->residency, "measured") == 0)
        return DM_OK;
    return dm_fail(err, DM_ERR_USAGE, "--residency: '%.60s' where measured or cold is wanted", options->residency);
}

static int validate_verb(const dm_options *options)
{
    dm_arena arena = {0};
    dm_validation v = {0};
    dm_validate_options o = {
        .measured = options->measured.at,
        .measured_n = options->measured.n,
        .device = options->devices.at,
        .device_n = options->devices.n,
        .op = options->ops.at,
        .op_n = options->ops.n,
        .stack = options->stacks.at,
        .stack_n = options->stacks.n,
        .dtype = options->dtypes.at,
        .dtype_n = options->dtypes.n,
        .override_n = options->overrides.n,
        .fidelity = options->fidelity < 0 ? DM_ANALYTIC : (dm_fidelity)options->fidelity,
        .clock = (dm_clock)options->clock,
        .keep_going = options->keep_going,
        .jobs = jobs_of(options),
    };
    dm_err err;

    if (options->measured.n == 0)
        return dm_cli_usage("validate wants --measured FILE... (measurements/quick.csv is shipped)");
    const bool ok = dm_cli_check_calibration(options, &err) == DM_OK && wants_cold(options, &o.cold, &err) == DM_OK &&
                    dm_cli_overrides(options, &arena, &o.override, &err) == DM_OK &&
                    dm_validate(dm_cli_search(), &o, &v, &err) == DM_OK;
    const int code = ok ? finish(options, &v) : dm_cli_fail(&err);
    dm_validation_fini(&v);
    dm_arena_free(&arena);
    return code;
}

const dm_verb dm_verb_validate = {
    "validate",
    "set predicted against measured times",
    "--measured FILE... [options]",
    options_taken,
    NULL,
    "  dormer validate --measured measurements/quick.csv --calibration none\n"
    "  dormer validate --measured measurements/gemm.csv --device h200_sxm --dtype bf16 --fidelity roofline --residency cold\n",
    validate_verb,
};
