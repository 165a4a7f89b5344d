/* src/store/store_validation.c
 *
 * Storing one validation: the measured files, a row a group, and what was skipped. */
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "util/err.h"
#include "util/hash.h"
#include "util/str.h"

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One hash for all measured files, whatever order they came in. */
static dm_status hash_measured(const dm_validation_record *record, char out[DM_HASH_TEXT_MAX], dm_err *err)
{
    dm_str all = {0};
    const char **sorted = calloc(record->measured_n + 1, sizeof *sorted); /* + 1: never of size 0 */
    bool failed = sorted == NULL;

    if (!failed) {
        for (size_t i = 0; i < record->measured_n; i++)
            sorted[i] = record->measured[i].hash != NULL ? record->measured[i].hash : "";
        qsort(sorted, record->measured_n, sizeof *sorted, compare_texts);
        for (size_t i = 0; i < record->measured_n; i++)
            dm_str_add(&all, sorted[i]);
        failed = all.failed;
    }
    if (!failed)
        dm_hash_text(all.text, all.len, out);
    dm_str_fini(&all);
    free(sorted);
    return failed ? dm_fail_memory(err) : DM_OK;
}

/* What identifies a validation, beside the record itself. */
typedef struct validation_key {
    int64_t id;
    char measured_hash[DM_HASH_TEXT_MAX];
    const char *calibration_hash; /* NULL: none */
} validation_key;

static dm_status key_of(const dm_validation_record *record, validation_key *out, dm_err *err)
{
    const dm_status status = hash_measured(record, out->measured_hash, err);
    if (status != DM_OK)
        return status;

    out->calibration_hash = record->calibration != NULL ? record->calibration->hash : NULL;
    const char *const texts[] = {
        out->measured_hash, out->calibration_hash, record->calibration_label,
        record->version,    record->fidelity,      record->settings,
    };
    return dm_db_id(texts, sizeof texts / sizeof texts[0], &out->id, err);
}

/* The first seven parameters of both statements below: which validation it is. */
static void bind_key(dm_stmt *stmt, const validation_key *key, const dm_validation_record *record)
{
    dm_stmt_int(stmt, key->id);
    dm_stmt_text(stmt, key->measured_hash);
    dm_stmt_text(stmt, key->calibration_hash);
    dm_stmt_text(stmt, record->calibration_label);
    dm_stmt_text(stmt, record->version);
    dm_stmt_text(stmt, record->fidelity);
    dm_stmt_text(stmt, record->settings);
}

static const char select_validation[] =
    "SELECT mape_pct FROM validation\n"
    "WHERE id = ? AND measured_hash = ? AND calibration_hash IS ? AND calibration = ? AND version = ?\n"
    "  AND fidelity = ? AND settings = ?";

static dm_status find_validation(const dm_store *store, const validation_key *key,
                                 const dm_validation_record *record, bool *found, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing a validation", select_validation);

    bind_key(&stmt, key, record);
    const dm_status status = dm_db_find_same(&stmt, record->mape_pct, found, err);
    dm_stmt_end(&stmt);
    return status;
}

static const char insert_validation[] =
    "INSERT INTO validation (id, measured_hash, calibration_hash, calibration, version, fidelity, settings,\n"
    "                        rows, mape_pct)\n"
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

static dm_status write_totals(const dm_store *store, const validation_key *key, const dm_validation_record *record,
                              dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing a validation", insert_validation);

    bind_key(&stmt, key, record);
    dm_stmt_int(&stmt, record->row_n);
    dm_stmt_real(&stmt, record->mape_pct);
    return dm_stmt_finish(&stmt, err);
}

/* A file that was named twice is one input. */
static dm_status write_files(const dm_store *store, int64_t id, const dm_validation_record *record, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing a validation",
                                 "INSERT OR IGNORE INTO validation_input (validation_id, hash) VALUES (?, ?)");
    dm_status status = DM_OK;

    for (size_t i = 0; i < record->measured_n && status == DM_OK; i++) {
        dm_stmt_int(&stmt, id);
        dm_stmt_text(&stmt, record->measured[i].hash);
        status = dm_stmt_run(&stmt, err);
    }
    dm_stmt_end(&stmt);
    return status;
}

static const char insert_group[] =
    "INSERT INTO validation_group (validation_id, op, device, stack, dtype, rows, mape_pct, median_ape_pct,\n"
    "                              p90_ape_pct, bias_pct, within_10_pct, interval_coverage_pct,\n"
    "                              calibration_kind, power_rows, power_mape_pct)\n"
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static dm_status write_group(dm_stmt *stmt, int64_t id, const dm_validation_group_record *group, dm_err *err)
{
    dm_stmt_int(stmt, id);
    dm_stmt_text(stmt, group->op);
    dm_stmt_text(stmt, group->device);
    dm_stmt_text(stmt, group->stack);
    dm_stmt_text(stmt, group->dtype);
    dm_stmt_int(stmt, group->row_n);
    dm_stmt_real(stmt, group->mape_pct);
    dm_stmt_real(stmt, group->median_ape_pct);
    dm_stmt_real(stmt, group->p90_ape_pct);
    dm_stmt_real(stmt, group->bias_pct);
    dm_stmt_real(stmt, group->within_10_pct);
    dm_stmt_real(stmt, group->interval_coverage_pct);
    dm_stmt_text(stmt, group->calibration_kind);
    dm_stmt_int(stmt, group->power_row_n);
    dm_stmt_real(stmt, group->power_mape_pct);
    return dm_stmt_run(stmt, err);
}

static dm_status write_groups(const dm_store *store, int64_t id, const dm_validation_record *record, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing a group of a validation", insert_group);
    dm_status status = DM_OK;

    for (size_t i = 0; i < record->group_n && status == DM_OK; i++)
        status = write_group(&stmt, id, &record->groups[i], err);
    dm_stmt_end(&stmt);
    return status;
}

static dm_status write_skipped(const dm_store *store, int64_t id, const dm_validation_record *record, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing the skipped rows of a validation",
                                 "INSERT INTO validation_skipped (validation_id, reason, rows) VALUES (?, ?, ?)");
    dm_status status = DM_OK;

    for (size_t i = 0; i < record->skipped_n && status == DM_OK; i++) {
        dm_stmt_int(&stmt, id);
        dm_stmt_text(&stmt, record->skipped[i].reason);
        dm_stmt_int(&stmt, record->skipped[i].row_n);
        status = dm_stmt_run(&stmt, err);
    }
    dm_stmt_end(&stmt);
    return status;
}

static dm_status write_inputs(const dm_store *store, const dm_validation_record *record, dm_err *err)
{
    dm_status status = DM_OK;

    for (size_t i = 0; i < record->measured_n && status == DM_OK; i++)
        status = dm_db_input(store, "measured", &record->measured[i], err);
    if (status == DM_OK && record->calibration != NULL)
        status = dm_db_input(store, "calibration", record->calibration, err);
    return status;
}

static dm_status write_validation(const dm_store *store, const validation_key *key,
                                  const dm_validation_record *record, dm_err *err)
{
    dm_status status = write_totals(store, key, record, err);

    if (status == DM_OK)
        status = write_files(store, key->id, record, err);
    if (status == DM_OK)
        status = write_groups(store, key->id, record, err);
    if (status == DM_OK)
        status = write_skipped(store, key->id, record, err);
    return status;
}

static dm_status link_session(const dm_store *store, int64_t id, dm_err *err)
{
    if (store->session_id == 0)
        return DM_OK;

    dm_stmt stmt = dm_stmt_start(store, "storing a validation",
                                 "INSERT OR IGNORE INTO session_validation (session_id, validation_id)\n"
                                 "VALUES (?, ?)");
    dm_stmt_int(&stmt, store->session_id);
    dm_stmt_int(&stmt, id);
    return dm_stmt_finish(&stmt, err);
}

dm_status dm_store_validation(dm_store *store, const dm_validation_record *record, int64_t *validation_id,
                              dm_err *err)
{
    validation_key key;
    bool found = false;
    dm_status status = key_of(record, &key, err);

    if (status == DM_OK)
        status = dm_db_begin(store, err);
    if (status != DM_OK)
        return status;

    status = write_inputs(store, record, err);
    if (status == DM_OK)
        status = find_validation(store, &key, record, &found, err);
    if (status == DM_OK && !found)
        status = write_validation(store, &key, record, err);
    if (status == DM_OK)
        status = link_session(store, key.id, err);
    status = dm_db_end(store, status, err);
    if (status == DM_OK)
        *validation_id = key.id;
    return status;
}
