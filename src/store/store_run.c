/* src/store/store_run.c
 *
 * Storing one run: its inputs, its totals, its operators and their parts. */
#include "store/db.h"

static dm_status run_id_of(const dm_run_record *record, int64_t *id, dm_err *err)
{
    const char *const key[] = {
        record->hw.hash,
        record->workload.hash,
        record->calibration != NULL ? record->calibration->hash : NULL,
        record->version,
        record->fidelity,
        record->clock,
        record->residency,
        record->settings,
    };

    return dm_db_id(key, sizeof key / sizeof key[0], id, err);
}

/* The first nine parameters of both statements below: who the run is. */
static void bind_key(dm_stmt *stmt, int64_t id, const dm_run_record *record)
{
    dm_stmt_int(stmt, id);
    dm_stmt_text(stmt, record->hw.hash);
    dm_stmt_text(stmt, record->workload.hash);
    dm_stmt_text(stmt, record->calibration != NULL ? record->calibration->hash : NULL);
    dm_stmt_text(stmt, record->version);
    dm_stmt_text(stmt, record->fidelity);
    dm_stmt_text(stmt, record->clock);
    dm_stmt_text(stmt, record->residency);
    dm_stmt_text(stmt, record->settings);
}

static const char select_run[] =
    "SELECT time_s FROM run\n"
    "WHERE id = ? AND hw_hash = ? AND workload_hash = ? AND calibration_hash IS ? AND version = ?\n"
    "  AND fidelity = ? AND clock = ? AND residency = ? AND settings = ?";

static dm_status find_run(const dm_store *store, int64_t id, const dm_run_record *record, bool *found, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing a run", select_run);

    bind_key(&stmt, id, record);
    const dm_status status = dm_db_find_same(&stmt, record->time_s, found, err);
    dm_stmt_end(&stmt);
    return status;
}

static const char insert_run[] =
    "INSERT INTO run (id, hw_hash, workload_hash, calibration_hash, version, fidelity, clock, residency, settings,\n"
    "                 time_s, energy_J, avg_power_W, cost_usd, work_flop, dram_bytes, limiter)\n"
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static dm_status write_totals(const dm_store *store, int64_t id, const dm_run_record *record, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing a run", insert_run);

    bind_key(&stmt, id, record);
    dm_stmt_real(&stmt, record->time_s);
    dm_stmt_real(&stmt, record->energy_J);
    dm_stmt_real(&stmt, record->avg_power_W);
    dm_stmt_real(&stmt, record->cost_usd);
    dm_stmt_real(&stmt, record->work_FLOP);
    dm_stmt_real(&stmt, record->dram_B);
    dm_stmt_text(&stmt, record->limiter);
    return dm_stmt_finish(&stmt, err);
}

static const char insert_op[] =
    "INSERT INTO run_op (run_id, seq, name, op, shape, dtype, stream, count, time_s, total_s, limiter,\n"
    "                    work_flop, dram_bytes, link_bytes, bound_s, tile)\n"
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static dm_status write_op(dm_stmt *stmt, int64_t id, const dm_run_op_record *op, dm_err *err)
{
    dm_stmt_int(stmt, id);
    dm_stmt_int(stmt, op->seq);
    dm_stmt_text(stmt, op->name);
    dm_stmt_text(stmt, op->op);
    dm_stmt_text(stmt, op->shape);
    dm_stmt_text(stmt, op->dtype);
    dm_stmt_int(stmt, op->stream);
    dm_stmt_int(stmt, op->count);
    dm_stmt_real(stmt, op->time_s);
    dm_stmt_real(stmt, op->total_s);
    dm_stmt_text(stmt, op->limiter);
    dm_stmt_real(stmt, op->work_FLOP);
    dm_stmt_real(stmt, op->dram_B);
    dm_stmt_real(stmt, op->link_B);
    dm_stmt_real(stmt, op->bound_s);
    dm_stmt_text(stmt, op->tile);
    return dm_stmt_run(stmt, err);
}

/* Several kernels of one operator may each have a part of the same name. */
static const char insert_part[] =
    "INSERT INTO run_part (run_id, seq, part, time_s) VALUES (?, ?, ?, ?)\n"
    "ON CONFLICT (run_id, seq, part) DO UPDATE SET time_s = time_s + excluded.time_s";

static dm_status write_parts(dm_stmt *stmt, int64_t id, const dm_run_op_record *op, dm_err *err)
{
    dm_status status = DM_OK;

    for (size_t i = 0; i < op->part_n && status == DM_OK; i++) {
        dm_stmt_int(stmt, id);
        dm_stmt_int(stmt, op->seq);
        dm_stmt_text(stmt, op->parts[i].name);
        dm_stmt_real(stmt, op->parts[i].time_s);
        status = dm_stmt_run(stmt, err);
    }
    return status;
}

static dm_status write_ops(const dm_store *store, int64_t id, const dm_run_record *record, dm_err *err)
{
    dm_stmt op_stmt = dm_stmt_start(store, "storing an operator of a run", insert_op);
    dm_stmt part_stmt = dm_stmt_start(store, "storing a part of an operator", insert_part);
    dm_status status = DM_OK;

    for (size_t i = 0; i < record->op_n && status == DM_OK; i++) {
        status = write_op(&op_stmt, id, &record->ops[i], err);
        if (status == DM_OK)
            status = write_parts(&part_stmt, id, &record->ops[i], err);
    }
    dm_stmt_end(&part_stmt);
    dm_stmt_end(&op_stmt);
    return status;
}

static dm_status write_inputs(const dm_store *store, const dm_run_record *record, dm_err *err)
{
    dm_status status = dm_db_input(store, "hardware", &record->hw, err);

    if (status == DM_OK)
        status = dm_db_input(store, "workload", &record->workload, err);
    if (status == DM_OK && record->calibration != NULL)
        status = dm_db_input(store, "calibration", record->calibration, err);
    return status;
}

static dm_status write_run(const dm_store *store, int64_t id, const dm_run_record *record, dm_err *err)
{
    dm_status status = write_totals(store, id, record, err);

    if (status == DM_OK)
        status = write_ops(store, id, record, err);
    return status;
}

static dm_status link_session(const dm_store *store, int64_t id, dm_err *err)
{
    if (store->session_id == 0)
        return DM_OK;

    dm_stmt stmt = dm_stmt_start(store, "storing a run",
                                 "INSERT OR IGNORE INTO session_run (session_id, run_id) VALUES (?, ?)");
    dm_stmt_int(&stmt, store->session_id);
    dm_stmt_int(&stmt, id);
    return dm_stmt_finish(&stmt, err);
}

dm_status dm_store_run(dm_store *store, const dm_run_record *record, int64_t *run_id, dm_err *err)
{
    bool found = false;
    int64_t id;
    dm_status status = run_id_of(record, &id, err);

    if (status == DM_OK)
        status = dm_db_begin(store, err);
    if (status != DM_OK)
        return status;

    status = write_inputs(store, record, err);
    if (status == DM_OK)
        status = find_run(store, id, record, &found, err);
    if (status == DM_OK && !found)
        status = write_run(store, id, record, err);
    if (status == DM_OK)
        status = link_session(store, id, err);
    status = dm_db_end(store, status, err);
    if (status == DM_OK)
        *run_id = id;
    return status;
}
