/* src/report/report.c
 *
 * Texts and JSON of results: see the header. Key names are the contract of the design. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

void dm_report_tile(const dm_result *result, char out[DM_TILE_TEXT_MAX])
{
    const dm_kernel_info *main = NULL;

    out[0] = '\0';
    for (int i = 0; i < result->kernel_n; i++)
        if (result->kernel[i].tile_m > 0 && (main == NULL || result->kernel[i].time_s > main->time_s))
            main = &result->kernel[i];
    if (main != NULL)
        (void)snprintf(out, DM_TILE_TEXT_MAX, "%lldx%lldx%lld", (long long)main->tile_m, (long long)main->tile_n,
                       (long long)main->tile_k);
}

/* A column of a table: the first characters of a text, and blanks up to its width and the next one. */
static void add_column(dm_str *out, const char *text, int width)
{
    const size_t size = strlen(text);
    size_t len = 0;
    int n = 0;

    for (; n < width && len < size; n++) {
        const size_t used = dm_utf8_len(text + len, size - len);
        len += used > 0 ? used : 1;
    }
    dm_str_addf(out, "%.*s%*s ", (int)len, text, width - n, "");
}

static const char *time_text(double time_s, char out[DM_UNITS_TEXT_MAX])
{
    dm_units_format_short(DM_UNIT_S, time_s, 4, out);
    return out;
}

/* Types without multipliers of their own, each said once. */
static void emulation_text(const dm_run *run, dm_str *out)
{
    for (size_t i = 0; i < run->op_n; i++) {
        const dm_run_op *op = &run->op[i];
        bool said = op->result.emulated == NULL;
        for (size_t j = 0; j < i && !said; j++)
            said = run->op[j].result.emulated == op->result.emulated && strcmp(run->op[j].dtype, op->dtype) == 0;
        if (!said)
            dm_str_addf(out, "%s has no multipliers for %s: computed as %s\n", run->hw, op->dtype, op->result.emulated);
    }
}

void dm_report_run_text(const dm_run *run, dm_str *out)
{
    char time[DM_UNITS_TEXT_MAX], all[DM_UNITS_TEXT_MAX];

    dm_str_addf(out, "%s on %s (%s)\n\n", run->title != NULL ? run->title : run->workload, run->hw,
                dm_fidelity_name(run->fidelity));
    dm_str_addf(out, "%-24s %-18s %8s %12s %12s %7s  %s\n", "operator", "kind", "count", "each", "all", "share",
                "limited by");
    for (size_t i = 0; i < run->op_n; i++) {
        const dm_run_op *op = &run->op[i];
        const double all_s = op->result.time_s * (double)op->count;
        add_column(out, op->name, 24);
        add_column(out, op->op, 18);
        dm_str_addf(out, "%8lld %12s %12s %6.1f%%  %s\n", (long long)op->count, time_text(op->result.time_s, time),
                    time_text(all_s, all), 100 * all_s / run->time_s, op->result.limiter);
    }
    dm_str_addf(out, "\ntotal %s, %.0f %% of it limited by %s\n", time_text(run->time_s, time),
                100 * run->limiter_frac, run->limiter);
    emulation_text(run, out);
}

static void run_op_json(const dm_run_op *op, dm_json *out)
{
    char tile[DM_TILE_TEXT_MAX];

    dm_report_tile(&op->result, tile);
    dm_json_open(out, NULL, '{');
    dm_json_text(out, "name", op->name);
    dm_json_text(out, "op", op->op);
    dm_json_text(out, "shape", op->shape);
    dm_json_text(out, "dtype", op->dtype);
    dm_json_int(out, "stream", op->stream);
    dm_json_int(out, "count", op->count);
    dm_json_number(out, "time_s", op->result.time_s);
    dm_json_text(out, "limiter", op->result.limiter);
    dm_json_number(out, "flops", op->result.work_FLOP);
    dm_json_number(out, "dram_bytes", op->result.dram_B);
    dm_json_text(out, "tile", tile[0] != '\0' ? tile : NULL);
    dm_json_number(out, "bound_s", op->result.bound_s);
    dm_json_text(out, "emulated", op->result.emulated);
    dm_json_close(out, '}');
}

/* Energy, power and cost are null until they are modelled. */
void dm_report_run_json(const dm_run *run, dm_json *out)
{
    dm_json_open(out, NULL, '{');
    dm_json_int(out, "schema", 1);
    dm_json_text(out, "hw", run->hw);
    dm_json_text(out, "workload", run->workload);
    dm_json_text(out, "fidelity", dm_fidelity_name(run->fidelity));
    dm_json_number(out, "time_s", run->time_s);
    dm_json_number(out, "energy_J", NAN);
    dm_json_number(out, "avg_power_W", NAN);
    dm_json_number(out, "cost_usd", NAN);
    dm_json_text(out, "limiter", run->limiter);
    dm_json_open(out, "ops", '[');
    for (size_t i = 0; i < run->op_n; i++)
        run_op_json(&run->op[i], out);
    dm_json_close(out, ']');
    dm_json_close(out, '}');
}

static void analytic_text(const dm_result *r, dm_str *out)
{
    char time[DM_UNITS_TEXT_MAX];

    dm_str_addf(out, "analytic  %12s  limited by %s\n", time_text(r->time_s, time), r->limiter);
    for (int i = 0; i < r->part_n; i++)
        dm_str_addf(out, "  %-10s %10s  %5.1f %%\n", r->part[i].name, time_text(r->part[i].time_s, time),
                    100 * r->part[i].time_s / r->time_s);
    dm_str_add(out, "\nkernel        tile          split   CTAs  per core  waves        time\n");
    for (int i = 0; i < r->kernel_n; i++) {
        const dm_kernel_info *k = &r->kernel[i];
        char tile[DM_TILE_TEXT_MAX] = "-";
        if (k->tile_m > 0)
            (void)snprintf(tile, sizeof tile, "%lldx%lldx%lld", (long long)k->tile_m, (long long)k->tile_n,
                           (long long)k->tile_k);
        dm_str_addf(out, "%-13s %-13s %5lld %6lld %9lld %6.2f %11s\n", k->name, tile, (long long)k->split_k,
                    (long long)k->ctas, (long long)k->ctas_per_core, k->waves, time_text(k->time_s, time));
    }
    if (r->emulated != NULL)
        dm_str_addf(out, "\nthis device has no such multipliers: computed as %s\n", r->emulated);
}

static void elasticities_text(const dm_explained *e, dm_str *out)
{
    enum { SHOWN_MAX = 8 };

    if (e->elasticity_n > 0)
        dm_str_add(out, "\none per cent more of this field moves the time by (per cent):\n");
    for (size_t i = 0; i < e->elasticity_n && i < SHOWN_MAX; i++)
        dm_str_addf(out, "  %-32s %+7.3f\n", e->elasticity[i].field, e->elasticity[i].dlnt_dlnx);
}

void dm_report_explain_text(const dm_explained *e, dm_str *out)
{
    char time[DM_UNITS_TEXT_MAX];

    dm_str_addf(out, "%s %s, %s, on %s\n\n", e->op, e->shape, e->dtype, e->hw);
    if (e->roofline != NULL)
        dm_str_addf(out, "roofline  %12s  limited by %s\n", time_text(e->roofline->time_s, time),
                    e->roofline->limiter);
    if (e->analytic != NULL)
        analytic_text(e->analytic, out);
    elasticities_text(e, out);
}

static void result_json(const char *key, const dm_result *r, dm_json *out)
{
    dm_json_open(out, key, '{');
    dm_json_number(out, "time_s", r->time_s);
    dm_json_number(out, "time_lo_s", r->time_lo_s);
    dm_json_number(out, "time_hi_s", r->time_hi_s);
    dm_json_text(out, "limiter", r->limiter);
    dm_json_open(out, "parts", '[');
    for (int i = 0; i < r->part_n; i++) {
        dm_json_open(out, NULL, '{');
        dm_json_text(out, "name", r->part[i].name);
        dm_json_number(out, "time_s", r->part[i].time_s);
        dm_json_close(out, '}');
    }
    dm_json_close(out, ']');
    dm_json_close(out, '}');
}

static void launch_json(const dm_result *r, dm_json *out)
{
    dm_json_open(out, "launch", '{');
    dm_json_number(out, "flops", r->work_FLOP); /* NOLINT(clang-analyzer-core.NullDereference): one is there */
    dm_json_number(out, "dram_bytes", r->dram_B);
    dm_json_number(out, "link_bytes", r->link_B);
    dm_json_text(out, "emulated", r->emulated);
    dm_json_open(out, "kernels", '[');
    for (int i = 0; i < r->kernel_n; i++) {
        const dm_kernel_info *k = &r->kernel[i];
        dm_json_open(out, NULL, '{');
        dm_json_text(out, "name", k->name);
        dm_json_int(out, "tile_m", k->tile_m);
        dm_json_int(out, "tile_n", k->tile_n);
        dm_json_int(out, "tile_k", k->tile_k);
        dm_json_int(out, "split_k", k->split_k);
        dm_json_int(out, "stages", k->stages);
        dm_json_int(out, "ctas", k->ctas);
        dm_json_int(out, "ctas_per_core", k->ctas_per_core);
        dm_json_number(out, "waves", k->waves);
        dm_json_number(out, "time_s", k->time_s);
        dm_json_close(out, '}');
    }
    dm_json_close(out, ']');
    dm_json_close(out, '}');
}

void dm_report_explain_json(const dm_explained *e, dm_json *out)
{
    dm_json_open(out, NULL, '{');
    dm_json_int(out, "schema", 1);
    dm_json_text(out, "hw", e->hw);
    dm_json_text(out, "op", e->op);
    dm_json_text(out, "shape", e->shape);
    dm_json_text(out, "dtype", e->dtype);
    if (e->roofline != NULL)
        result_json("roofline", e->roofline, out);
    if (e->analytic != NULL)
        result_json("analytic", e->analytic, out);
    launch_json(e->analytic != NULL ? e->analytic : e->roofline, out);
    if (e->elasticity != NULL) {
        dm_json_open(out, "elasticities", '[');
        for (size_t i = 0; i < e->elasticity_n; i++) {
            dm_json_open(out, NULL, '{');
            dm_json_text(out, "field", e->elasticity[i].field);
            dm_json_number(out, "dlnt_dlnx", e->elasticity[i].dlnt_dlnx);
            dm_json_close(out, '}');
        }
        dm_json_close(out, ']');
    }
    dm_json_close(out, '}');
}

void dm_report_validation_text(const dm_validation *v, dm_str *out)
{
    dm_str_addf(out, "%-24s %-20s %-18s %-17s %6s %7s %7s %7s %7s %7s\n", "operator", "device", "stack", "dtype", "rows",
                "MAPE", "median", "p90", "bias", "<10 %");
    for (size_t i = 0; i < v->group_n; i++) {
        const dm_validation_group *g = &v->group[i];
        add_column(out, g->op, 24);
        add_column(out, g->device, 20);
        add_column(out, g->stack != NULL ? g->stack : "", 18);
        add_column(out, g->dtype, 17);
        dm_str_addf(out, "%6lld %7.1f %7.1f %7.1f %+7.1f %7.1f\n", (long long)g->row_n, g->mape_pct, g->median_ape_pct,
                    g->p90_ape_pct, g->bias_pct, g->within_10_pct);
    }
    dm_str_addf(out, "\n%s, calibration %s: %lld rows", dm_fidelity_name(v->fidelity), v->calibration,
                (long long)v->row_n);
    if (v->row_n > 0)
        dm_str_addf(out, ", mean error %.1f %%", v->mape_pct);
    dm_str_add(out, "\n");
    for (size_t i = 0; i < v->skip_n; i++)
        dm_str_addf(out, "skipped %lld: %s\n", (long long)v->skip[i].row_n, v->skip[i].reason);
}

/* A cell of a CSV table, in quotes where it must be. */
static void add_cell(dm_str *out, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        dm_str_add(out, text);
        return;
    }
    dm_str_add(out, "\"");
    for (const char *c = text; *c != '\0'; c++)
        dm_str_add_n(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    dm_str_add(out, "\"");
}

void dm_report_validation_rows(const dm_validation *v, dm_str *out)
{
    dm_str_add(out, "op,device,stack,dtype,shape,measured_us,predicted_us,error_pct,bound_us,limiter,skipped\n");
    for (size_t i = 0; i < v->all_row_n; i++) {
        dm_validation_row row;
        dm_validation_row_at(v, i, &row);
        const char *const cells[] = {row.op, row.device, row.stack != NULL ? row.stack : "", row.dtype, row.shape};
        for (size_t j = 0; j < sizeof cells / sizeof cells[0]; j++) {
            add_cell(out, cells[j]);
            dm_str_add(out, ",");
        }
        dm_str_addf(out, "%.12g", row.measured_s * 1e6); /* 50, not 49.99999999999999 */
        if (row.problem != NULL) {
            dm_str_add(out, ",,,,,");
            add_cell(out, row.problem);
            dm_str_add(out, "\n");
            continue;
        }
        dm_str_addf(out, ",%.6g,%.3f,%.6g,%s,\n", row.predicted_s * 1e6,
                    100 * (row.predicted_s - row.measured_s) / row.measured_s, row.bound_s * 1e6, row.limiter);
    }
}

static void group_json(const dm_validation_group *g, dm_json *out)
{
    dm_json_open(out, NULL, '{');
    dm_json_text(out, "op", g->op);
    dm_json_text(out, "device", g->device);
    dm_json_text(out, "stack", g->stack);
    dm_json_text(out, "dtype", g->dtype);
    dm_json_int(out, "rows", g->row_n);
    dm_json_number(out, "mape_pct", g->mape_pct);
    dm_json_number(out, "median_ape_pct", g->median_ape_pct);
    dm_json_number(out, "p90_ape_pct", g->p90_ape_pct);
    dm_json_number(out, "bias_pct", g->bias_pct);
    dm_json_number(out, "within_10_pct", g->within_10_pct);
    dm_json_number(out, "interval_coverage_pct", g->interval_coverage_pct);
    dm_json_text(out, "calibration_kind", g->calibration_kind);
    dm_json_int(out, "power_rows", g->power_row_n);
    dm_json_number(out, "power_mape_pct", g->power_mape_pct);
    dm_json_close(out, '}');
}

void dm_report_validation_json(const dm_validation *v, dm_json *out)
{
    dm_json_open(out, NULL, '{');
    dm_json_int(out, "schema", 1);
    dm_json_text(out, "fidelity", dm_fidelity_name(v->fidelity));
    dm_json_text(out, "calibration", v->calibration);
    dm_json_open(out, "groups", '[');
    for (size_t i = 0; i < v->group_n; i++)
        group_json(&v->group[i], out);
    dm_json_close(out, ']');
    dm_json_open(out, "overall", '{');
    dm_json_int(out, "rows", v->row_n);
    dm_json_number(out, "mape_pct", v->mape_pct);
    dm_json_close(out, '}');
    dm_json_open(out, "skipped", '[');
    for (size_t i = 0; i < v->skip_n; i++) {
        dm_json_open(out, NULL, '{');
        dm_json_text(out, "reason", v->skip[i].reason);
        dm_json_int(out, "rows", v->skip[i].row_n);
        dm_json_close(out, '}');
    }
    dm_json_close(out, ']');
    dm_json_close(out, '}');
}
