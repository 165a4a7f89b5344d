/* src/store/schema.c
 *
 * The schema. A migration that has been released is never edited: a later one changes what it made.
 *
 * SQLite binds a NaN as NULL and stores an infinity as it is, so a result is NOT NULL and checked to be finite.
 * A column that is NULL says "not modelled", never "zero".
 *
 * Tables whose key is not one integer are WITHOUT ROWID, so that a plain dump is in primary-key order and two
 * databases with the same rows dump the same. */
#include "store/schema.h"

#define TEXT(col) col " TEXT NOT NULL"
#define HASH(col) col " TEXT NOT NULL CHECK (length(" col ") = 64)"
#define COUNT(col, min) col " INTEGER NOT NULL CHECK (" col " >= " min ")"
#define FINITE(col) col " REAL NOT NULL CHECK (abs(" col ") < 1e300)"
#define AT_LEAST_0(col) col " REAL NOT NULL CHECK (" col " >= 0 AND " col " < 1e300)"
#define ABOVE_0(col) col " REAL NOT NULL CHECK (" col " > 0 AND " col " < 1e300)"
#define PERCENT(col) col " REAL NOT NULL CHECK (" col " >= 0 AND " col " <= 100)"
#define MAYBE_AT_LEAST_0(col) col " REAL CHECK (" col " >= 0 AND " col " < 1e300)"
#define MAYBE_PERCENT(col) col " REAL CHECK (" col " >= 0 AND " col " <= 100)"
#define OF_RUN "run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE"
#define OF_VALIDATION "validation_id INTEGER NOT NULL REFERENCES validation (id) ON DELETE CASCADE"
#define OF_SESSION "session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE"

/* clang-format off */
static const char *const version_1[] = {
    "PRAGMA application_id = 1685025389", /* DM_SCHEMA_APPLICATION_ID */

    "CREATE TABLE session (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  " TEXT("started_utc") ",\n"
    "  " TEXT("host") ",\n"
    "  process_id INTEGER NOT NULL,\n"
    "  " TEXT("command_line") "\n"
    ") STRICT",

    "CREATE TABLE input (\n"
    "  " HASH("hash") " PRIMARY KEY,\n"
    "  kind TEXT NOT NULL CHECK (kind IN ('hardware', 'workload', 'calibration', 'measured')),\n"
    "  " TEXT("name") ",\n"
    "  " TEXT("text") "\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE run (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  hw_hash TEXT NOT NULL REFERENCES input (hash),\n"
    "  workload_hash TEXT NOT NULL REFERENCES input (hash),\n"
    "  calibration_hash TEXT REFERENCES input (hash),\n"
    "  " TEXT("version") ",\n"
    "  " TEXT("fidelity") ",\n"
    "  " TEXT("clock") ",\n"
    "  " TEXT("residency") ",\n"
    "  " TEXT("settings") ",\n"
    "  " ABOVE_0("time_s") ",\n"
    "  " MAYBE_AT_LEAST_0("energy_J") ",\n"
    "  " MAYBE_AT_LEAST_0("avg_power_W") ",\n"
    "  " MAYBE_AT_LEAST_0("cost_usd") ",\n"
    "  " AT_LEAST_0("work_flop") ",\n"
    "  " AT_LEAST_0("dram_bytes") ",\n"
    "  " TEXT("limiter") "\n"
    ") STRICT",

    /* In UNIQUE (...) two NULLs would differ, and a run without calibration would be stored twice. */
    "CREATE UNIQUE INDEX run_key ON run\n"
    "  (hw_hash, workload_hash, ifnull(calibration_hash, ''), version, fidelity, clock, residency, settings)",

    "CREATE INDEX run_workload ON run (workload_hash, fidelity, time_s)",

    "CREATE TABLE run_op (\n"
    "  " OF_RUN ",\n"
    "  " COUNT("seq", "0") ",\n"
    "  " TEXT("name") ",\n"
    "  " TEXT("op") ",\n"
    "  " TEXT("shape") ",\n"
    "  " TEXT("dtype") ",\n"
    "  " COUNT("stream", "0") ",\n"
    "  " COUNT("count", "1") ",\n"
    "  " ABOVE_0("time_s") ",\n"
    "  " ABOVE_0("total_s") ",\n"
    "  " TEXT("limiter") ",\n"
    "  " AT_LEAST_0("work_flop") ",\n"
    "  " AT_LEAST_0("dram_bytes") ",\n"
    "  " AT_LEAST_0("link_bytes") ",\n"
    "  " AT_LEAST_0("bound_s") ",\n"
    "  tile TEXT,\n"
    "  PRIMARY KEY (run_id, seq)\n"
    ") STRICT, WITHOUT ROWID",

    /* A share may be below zero: a correction that makes an operator faster is one. */
    "CREATE TABLE run_part (\n"
    "  run_id INTEGER NOT NULL,\n"
    "  seq INTEGER NOT NULL,\n"
    "  " TEXT("part") ",\n"
    "  " FINITE("time_s") ",\n"
    "  PRIMARY KEY (run_id, seq, part),\n"
    "  FOREIGN KEY (run_id, seq) REFERENCES run_op (run_id, seq) ON DELETE CASCADE\n"
    ") STRICT, WITHOUT ROWID",

    /* measured_hash is the SHA-256 of the files' hashes, sorted: see validation_input for the files. */
    "CREATE TABLE validation (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  " HASH("measured_hash") ",\n"
    "  calibration_hash TEXT REFERENCES input (hash),\n"
    "  " TEXT("calibration") ",\n"
    "  " TEXT("version") ",\n"
    "  " TEXT("fidelity") ",\n"
    "  " TEXT("settings") ",\n"
    "  " COUNT("rows", "0") ",\n"
    "  " MAYBE_AT_LEAST_0("mape_pct") "\n"
    ") STRICT",

    "CREATE UNIQUE INDEX validation_key ON validation\n"
    "  (measured_hash, ifnull(calibration_hash, ''), calibration, version, fidelity, settings)",

    "CREATE TABLE validation_input (\n"
    "  " OF_VALIDATION ",\n"
    "  hash TEXT NOT NULL REFERENCES input (hash),\n"
    "  PRIMARY KEY (validation_id, hash)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE validation_group (\n"
    "  " OF_VALIDATION ",\n"
    "  " TEXT("op") ",\n"
    "  " TEXT("device") ",\n"
    "  " TEXT("stack") ",\n"
    "  " TEXT("dtype") ",\n"
    "  " COUNT("rows", "1") ",\n"
    "  " AT_LEAST_0("mape_pct") ",\n"
    "  " AT_LEAST_0("median_ape_pct") ",\n"
    "  " AT_LEAST_0("p90_ape_pct") ",\n"
    "  " FINITE("bias_pct") ",\n"
    "  " PERCENT("within_10_pct") ",\n"
    "  " MAYBE_PERCENT("interval_coverage_pct") ",\n"
    "  calibration_kind TEXT NOT NULL CHECK (calibration_kind IN ('device', 'architecture', 'cross', 'none')),\n"
    "  " COUNT("power_rows", "0") ",\n"
    "  " MAYBE_AT_LEAST_0("power_mape_pct") ",\n"
    "  PRIMARY KEY (validation_id, op, device, stack, dtype)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE validation_skipped (\n"
    "  " OF_VALIDATION ",\n"
    "  " TEXT("reason") ",\n"
    "  " COUNT("rows", "1") ",\n"
    "  PRIMARY KEY (validation_id, reason)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE session_run (\n"
    "  " OF_SESSION ",\n"
    "  " OF_RUN ",\n"
    "  PRIMARY KEY (session_id, run_id)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE session_validation (\n"
    "  " OF_SESSION ",\n"
    "  " OF_VALIDATION ",\n"
    "  PRIMARY KEY (session_id, validation_id)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE VIEW v_run AS\n"
    "SELECT run.id AS run_id, hw.name AS hw, workload.name AS workload, calibration.name AS calibration,\n"
    "       fidelity, clock, residency, settings, version, time_s, energy_J, avg_power_W, cost_usd,\n"
    "       work_flop, dram_bytes, limiter, hw_hash, workload_hash, calibration_hash\n"
    "FROM run\n"
    "JOIN input AS hw ON hw.hash = hw_hash\n"
    "JOIN input AS workload ON workload.hash = workload_hash\n"
    "LEFT JOIN input AS calibration ON calibration.hash = calibration_hash",

    /* The fastest run of each workload. By fidelity, or the roofline, which is a bound, would always win. */
    "CREATE VIEW v_best AS\n"
    "SELECT run_id, workload, fidelity, hw, calibration, clock, residency, settings, version,\n"
    "       time_s, energy_J, avg_power_W, cost_usd, limiter\n"
    "FROM (SELECT *, row_number() OVER (PARTITION BY workload_hash, fidelity ORDER BY time_s, run_id) AS place\n"
    "      FROM v_run)\n"
    "WHERE place = 1",

    /* Runs that no other run of the workload beats. A run beats another when it is no worse in all that is known of
     * the other, and better in some of it: one whose own cost is unknown can't beat one whose cost is known. */
    "CREATE VIEW v_pareto AS\n"
    "SELECT a.run_id, a.workload, a.fidelity, a.hw, a.calibration, a.clock, a.residency, a.settings, a.version,\n"
    "       a.time_s, a.energy_J, a.cost_usd, a.limiter\n"
    "FROM v_run AS a\n"
    "WHERE NOT EXISTS (\n"
    "  SELECT 1 FROM run AS b\n"
    "  WHERE b.workload_hash = a.workload_hash AND b.fidelity = a.fidelity\n"
    "    AND b.time_s <= a.time_s\n"
    "    AND (a.energy_J IS NULL OR b.energy_J <= a.energy_J)\n"
    "    AND (a.cost_usd IS NULL OR b.cost_usd <= a.cost_usd)\n"
    "    AND (b.time_s < a.time_s OR b.energy_J < a.energy_J OR b.cost_usd < a.cost_usd))",

    /* Where a run's time goes. The shares of a run add up to 1, of the sum over its streams. */
    "CREATE VIEW v_bottleneck AS\n"
    "SELECT run_id, v_run.hw, v_run.workload, v_run.fidelity, run_op.limiter,\n"
    "       sum(run_op.count) AS ops, sum(total_s) AS total_s,\n"
    "       sum(total_s) / sum(sum(total_s)) OVER (PARTITION BY run_id) AS share_frac\n"
    "FROM run_op JOIN v_run USING (run_id)\n"
    "GROUP BY run_id, run_op.limiter",

    "CREATE VIEW v_validation AS\n"
    "SELECT validation_id,\n"
    "       (SELECT group_concat(name, ' ') FROM (\n"
    "          SELECT name FROM validation_input JOIN input USING (hash)\n"
    "          WHERE validation_input.validation_id = validation.id ORDER BY name)) AS measured,\n"
    "       fidelity, calibration, settings, version, op, device, stack, dtype, validation_group.rows AS rows,\n"
    "       validation_group.mape_pct AS mape_pct, median_ape_pct, p90_ape_pct, bias_pct, within_10_pct,\n"
    "       interval_coverage_pct, calibration_kind, power_rows, power_mape_pct\n"
    "FROM validation_group JOIN validation ON validation.id = validation_id",
};
/* clang-format on */

#define MIGRATION(statements)                                                                                \
    {                                                                                                        \
        statements, sizeof statements / sizeof statements[0]                                                 \
    }

const dm_migration dm_migrations[] = {MIGRATION(version_1)};

_Static_assert(sizeof dm_migrations / sizeof dm_migrations[0] == DM_SCHEMA_VERSION, "one migration a version");
