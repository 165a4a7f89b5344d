/* src/report/report.h
 *
 * Results as text for people and as JSON for programs, into a string. Knows util and the public structs only. */
#ifndef DM_REPORT_REPORT_H
#define DM_REPORT_REPORT_H

#include "dormer/dormer.h"
#include "report/json.h"

void dm_report_run_text(const dm_run *run, dm_str *out);
void dm_report_run_json(const dm_run *run, dm_json *out);

/* One operator at each fidelity computed; a NULL result was not. */
typedef struct dm_explained {
    const char *hw, *op, *shape, *dtype;
    const dm_result *roofline, *analytic;
    const dm_elasticity *elasticity; /* of the finest fidelity computed; NULL: not computed */
    size_t elasticity_n;
} dm_explained;
void dm_report_explain_text(const dm_explained *explained, dm_str *out);
void dm_report_explain_json(const dm_explained *explained, dm_json *out);

void dm_report_validation_text(const dm_validation *validation, dm_str *out);
/* Every row as CSV: what was measured, what was predicted, or why not. */
void dm_report_validation_rows(const dm_validation *validation, dm_str *out);
void dm_report_validation_json(const dm_validation *validation, dm_json *out);

/* "128x256x64" or "" for a result's main matrix kernel. */
enum { DM_TILE_TEXT_MAX = 64 };
void dm_report_tile(const dm_result *result, char out[DM_TILE_TEXT_MAX]);

#endif
