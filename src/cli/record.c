/* src/cli/record.c
 *
 * From results to records of the store: see the header. */
#include "cli/record.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fit/measured.h"
#include "hw/hw.h"
#include "report/report.h"
#include "util/file.h"
#include "util/hash.h"
#include "workload/workload.h"

/* An input with its hash; the text and name must outlive it. */
typedef struct named_input {
    dm_input_record record;
    char hash[DM_HASH_TEXT_MAX];
} named_input;

static void name_input(named_input *input, const char *name, const char *text, size_t len)
{
    dm_hash_text(text, len, input->hash);
    input->record = (dm_input_record){input->hash, name, text};
}

/* Open the database and begin a session in it. */
static dm_status begin(const dm_options *options, dm_store **store, dm_err *err)
{
    char started[32], host[256] = "";
    const time_t now = time(NULL);
    struct tm utc;
    int64_t session;

    dm_status status = dm_store_open(options->db, store, err);
    if (status != DM_OK)
        return status;
    if (gmtime_r(&now, &utc) == NULL || strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        started[0] = '\0';
    (void)gethostname(host, sizeof host - 1);
    status = dm_store_session(*store, dm_cli_command_line(), started, host, &session, err);
    if (status != DM_OK)
        dm_store_close(*store);
    return status;
}

/* ---- runs ---- */

static const dm_run_op_record *run_ops(const dm_run *run, dm_arena *arena)
{
    dm_run_op_record *ops = dm_arena_alloc_n(arena, run->op_n + 1, sizeof *ops);
    char(*tiles)[DM_TILE_TEXT_MAX] = dm_arena_alloc_n(arena, run->op_n + 1, sizeof *tiles);

    if (ops == NULL || tiles == NULL)
        return NULL;
    for (size_t i = 0; i < run->op_n; i++) {
        const dm_run_op *op = &run->op[i];
        const dm_result *r = &op->result;
        dm_report_tile(r, tiles[i]);
        ops[i] = (dm_run_op_record){
            .seq = (int64_t)i,
            .name = op->name,
            .op = op->op,
            .shape = op->shape,
            .dtype = op->dtype,
            .stream = op->stream,
            .count = op->count,
            .time_s = r->time_s,
            .total_s = r->time_s * (double)op->count,
            .limiter = r->limiter,
            .work_FLOP = r->work_FLOP,
            .dram_B = r->dram_B,
            .link_B = r->link_B,
            .bound_s = r->bound_s,
            .tile = tiles[i][0] != '\0' ? tiles[i] : NULL,
            .parts = r->part,
            .part_n = (size_t)r->part_n,
        };
    }
    return ops;
}

static dm_status record_run(dm_store *store, const dm_options *options, const dm_hw *hw, const dm_workload *workload,
                            const dm_run *run, dm_str *hw_text, dm_str *settings, dm_arena *arena, int64_t *id,
                            dm_err *err)
{
    named_input hw_input, workload_input;

    dm_hw_print(hw, false, hw_text);
    dm_cli_settings(options, settings);
    const char *text = dm_arena_copy(arena, workload->source.text, workload->source.len);
    const dm_run_op_record *ops = run_ops(run, arena);
    if (hw_text->failed || settings->failed || text == NULL || ops == NULL)
        return dm_fail_memory(err);
    name_input(&hw_input, run->hw, hw_text->text, hw_text->len);
    name_input(&workload_input, run->workload, text, strlen(text));
    const dm_run_record record = {
        .hw = hw_input.record,
        .workload = workload_input.record,
        .version = dm_version(),
        .fidelity = dm_fidelity_name(run->fidelity),
        .clock = dm_clock_name((dm_clock)options->clock),
        .residency = "workload",
        .settings = settings->text != NULL ? settings->text : "",
        .time_s = run->time_s,
        .energy_J = NAN,
        .avg_power_W = NAN,
        .cost_usd = NAN,
        .work_FLOP = run->work_FLOP,
        .dram_B = run->dram_B,
        .limiter = run->limiter,
        .ops = ops,
        .op_n = run->op_n,
    };
    return dm_store_run(store, &record, id, err);
}

dm_status dm_cli_record_run(const dm_options *options, const dm_hw *hw, const dm_workload *workload, const dm_run *run,
                            int64_t *id, dm_err *err)
{
    dm_str hw_text = {0}, settings = {0};
    dm_arena arena = {0};
    dm_store *store;
    dm_status status = begin(options, &store, err);

    if (status != DM_OK)
        return status;
    status = record_run(store, options, hw, workload, run, &hw_text, &settings, &arena, id, err);
    dm_store_close(store);
    dm_str_fini(&hw_text);
    dm_str_fini(&settings);
    dm_arena_free(&arena);
    return status;
}

/* ---- validations ---- */

/* Everything that was read: the measured tables, and the devices with all that their files state. */
static dm_status validation_inputs(const dm_options *options, const dm_validation *v, dm_arena *arena,
                                   const dm_input_record **out, dm_err *err)
{
    const size_t n = options->measured.n + v->device_n;
    named_input *inputs = dm_arena_alloc_n(arena, n + 1, sizeof *inputs);
    dm_input_record *records = dm_arena_alloc_n(arena, n + 1, sizeof *records);

    if (inputs == NULL || records == NULL)
        return dm_fail_memory(err);
    for (size_t i = 0; i < options->measured.n; i++) {
        const char *path = options->measured.at[i], *slash = strrchr(path, '/');
        dm_source source;
        const dm_status status = dm_file_read(path, DM_MEASURED_CAP_B, arena, &source, err);
        if (status != DM_OK)
            return status;
        const char *text = dm_arena_copy(arena, source.text, source.len);
        if (text == NULL)
            return dm_fail_memory(err);
        name_input(&inputs[i], slash != NULL ? slash + 1 : path, text, source.len);
    }
    for (size_t i = 0; i < v->device_n; i++)
        name_input(&inputs[options->measured.n + i], v->device_name[i], v->device_text[i], strlen(v->device_text[i]));
    for (size_t i = 0; i < n; i++)
        records[i] = inputs[i].record;
    *out = records;
    return DM_OK;
}

static const dm_validation_group_record *group_records(const dm_validation *v, dm_arena *arena)
{
    dm_validation_group_record *groups = dm_arena_alloc_n(arena, v->group_n + 1, sizeof *groups);

    if (groups == NULL)
        return NULL;
    for (size_t i = 0; i < v->group_n; i++) {
        const dm_validation_group *g = &v->group[i];
        groups[i] = (dm_validation_group_record){
            .op = g->op,
            .device = g->device,
            .stack = g->stack != NULL ? g->stack : "",
            .dtype = g->dtype,
            .row_n = g->row_n,
            .mape_pct = g->mape_pct,
            .median_ape_pct = g->median_ape_pct,
            .p90_ape_pct = g->p90_ape_pct,
            .bias_pct = g->bias_pct,
            .within_10_pct = g->within_10_pct,
            .interval_coverage_pct = g->interval_coverage_pct,
            .calibration_kind = g->calibration_kind,
            .power_row_n = g->power_row_n,
            .power_mape_pct = g->power_mape_pct,
        };
    }
    return groups;
}

static const dm_validation_skipped_record *skip_records(const dm_validation *v, dm_arena *arena)
{
    dm_validation_skipped_record *skipped = dm_arena_alloc_n(arena, v->skip_n + 1, sizeof *skipped);

    for (size_t i = 0; skipped != NULL && i < v->skip_n; i++)
        skipped[i] = (dm_validation_skipped_record){v->skip[i].reason, v->skip[i].row_n};
    return skipped;
}

static dm_status record_validation(dm_store *store, const dm_options *options, const dm_validation *v, dm_str *settings,
                                   dm_arena *arena, int64_t *id, dm_err *err)
{
    const dm_input_record *inputs = NULL;
    const dm_status status = validation_inputs(options, v, arena, &inputs, err);

    if (status != DM_OK)
        return status;
    dm_cli_settings(options, settings);
    const dm_validation_group_record *groups = group_records(v, arena);
    const dm_validation_skipped_record *skipped = skip_records(v, arena);
    if (settings->failed || groups == NULL || skipped == NULL)
        return dm_fail_memory(err);
    const dm_validation_record record = {
        .measured = inputs,
        .measured_n = options->measured.n + v->device_n,
        .calibration_label = v->calibration,
        .version = dm_version(),
        .fidelity = dm_fidelity_name(v->fidelity),
        .settings = settings->text != NULL ? settings->text : "",
        .row_n = v->row_n,
        .mape_pct = v->mape_pct,
        .groups = groups,
        .group_n = v->group_n,
        .skipped = skipped,
        .skipped_n = v->skip_n,
    };
    return dm_store_validation(store, &record, id, err);
}

dm_status dm_cli_record_validation(const dm_options *options, const dm_validation *validation, int64_t *id,
                                   dm_err *err)
{
    dm_str settings = {0};
    dm_arena arena = {0};
    dm_store *store;
    dm_status status = begin(options, &store, err);

    if (status != DM_OK)
        return status;
    status = record_validation(store, options, validation, &settings, &arena, id, err);
    dm_store_close(store);
    dm_str_fini(&settings);
    dm_arena_free(&arena);
    return status;
}
