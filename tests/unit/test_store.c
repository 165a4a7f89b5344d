/* tests/unit/test_store.c
 *
 * Each test has a fresh folder for its databases; what was written is read back through SQLite itself. */
#include "assert_close.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/store.h"
#include "util/hash.h"
#include "util/str.h"

/* ---- a fresh folder per test ---------------------------------------------------------------------- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/dormer-store-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static const char *path_of(const char *name)
{
    static char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.db", "b.db", "ro/a.db"};
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char name[64];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t j = 0; j < sizeof endings / sizeof endings[0]; j++) {
            (void)snprintf(name, sizeof name, "%s%s", names[i], endings[j]);
            (void)remove(path_of(name));
        }
    (void)rmdir(path_of("ro"));
    return rmdir(folder);
}

/* ---- records -------------------------------------------------------------------------------------- */

/* An input whose hash belongs to its text; lives until the next two dozen have been made. */
static dm_input_record input(const char *name, const char *text)
{
    enum { SLOTS = 24 };
    static char hashes[SLOTS][DM_HASH_TEXT_MAX];
    static size_t next;
    char *hash = hashes[next++ % SLOTS];

    dm_hash_text(text, strlen(text), hash);
    return (dm_input_record){hash, name, text};
}

static const dm_part gemm_parts[] = {{"launch", 1e-6}, {"tensor", 3e-6}};

/* 10 x 4 us of gemm and 10 x 1 us of softmax: 50 us, 80 % and 20 %. */
static const dm_run_op_record two_ops[] = {
    {.seq = 0, .name = "qkv", .op = "gemm", .shape = "m=16,n=64,k=64", .dtype = "bf16", .count = 10, .time_s = 4e-6,
     .total_s = 40e-6, .limiter = "tensor", .work_FLOP = 131072, .dram_B = 12288, .bound_s = 3e-6,
     .tile = "64x64x32", .parts = gemm_parts, .part_n = 2},
    {.seq = 1, .name = "softmax", .op = "softmax", .shape = "rows=16,cols=64", .dtype = "bf16", .count = 10,
     .time_s = 1e-6, .total_s = 10e-6, .limiter = "dram", .work_FLOP = 5120, .dram_B = 4096, .bound_s = 5e-7},
};

static dm_run_record run_on(const char *hw, double time_s)
{
    return (dm_run_record){
        .hw = input(hw, hw), .workload = input("layer", "ops: [qkv, softmax]"), .version = "0.1.0+abc1234",
        .fidelity = "analytic", .clock = "boost", .residency = "cold", .settings = "", .time_s = time_s,
        .energy_J = (double)NAN, .avg_power_W = (double)NAN, .cost_usd = (double)NAN, .work_FLOP = 1361920,
        .dram_B = 163840, .limiter = "tensor", .ops = two_ops, .op_n = 2};
}

static const dm_validation_group_record two_groups[] = {
    {.op = "gemm", .device = "a100", .stack = "", .dtype = "bf16", .row_n = 30, .mape_pct = 9, .median_ape_pct = 7,
     .p90_ape_pct = 20, .bias_pct = -2, .within_10_pct = 60, .interval_coverage_pct = (double)NAN,
     .calibration_kind = "none", .power_mape_pct = (double)NAN},
    {.op = "softmax", .device = "a100", .stack = "torch", .dtype = "bf16", .row_n = 10, .mape_pct = 5,
     .median_ape_pct = 4, .p90_ape_pct = 11, .bias_pct = 1, .within_10_pct = 90, .interval_coverage_pct = 85,
     .calibration_kind = "device", .power_row_n = 4, .power_mape_pct = 12},
};
static const dm_validation_skipped_record one_skipped[] = {{"no rate for fp4", 3}};

/* (30 x 9 + 10 x 5) / 40 = 8 %. */
static dm_validation_record validation_of(const dm_input_record *files, size_t file_n)
{
    return (dm_validation_record){
        .measured = files, .measured_n = file_n, .calibration_label = "none", .version = "0.1.0+abc1234",
        .fidelity = "analytic", .settings = "", .row_n = 40, .mape_pct = 8, .groups = two_groups, .group_n = 2,
        .skipped = one_skipped, .skipped_n = 1};
}

/* ---- the database, from both sides ---------------------------------------------------------------- */

static dm_store *open_store(const char *name)
{
    dm_store *store = NULL;
    dm_err err;

    if (dm_store_open(path_of(name), &store, &err) != DM_OK)
        fail_msg("%s", err.message);
    return store;
}

static int64_t store_run(dm_store *store, dm_run_record record)
{
    int64_t id = -1;
    dm_err err;

    if (dm_store_run(store, &record, &id, &err) != DM_OK)
        fail_msg("%s", err.message);
    return id;
}

static int64_t store_validation(dm_store *store, dm_validation_record record)
{
    int64_t id = -1;
    dm_err err;

    if (dm_store_validation(store, &record, &id, &err) != DM_OK)
        fail_msg("%s", err.message);
    return id;
}

static void begin_session(dm_store *store, const char *command_line)
{
    int64_t id;
    dm_err err;

    if (dm_store_session(store, command_line, "2030-01-01T00:00:00Z", "host", &id, &err) != DM_OK)
        fail_msg("%s", err.message);
}

static sqlite3 *open_raw(const char *name)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path_of(name), &db), SQLITE_OK);
    return db;
}

static void exec_raw(const char *name, const char *sql)
{
    sqlite3 *db = open_raw(name);

    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    (void)sqlite3_close(db);
}

/* Every row of a query as lines, columns separated by '|'; NULL is "null". */
static void add_rows(dm_str *out, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(stmt) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const unsigned char *text = sqlite3_column_text(stmt, i);
            dm_str_addf(out, "%s%s", text != NULL ? (const char *)text : "null",
                        i + 1 < sqlite3_column_count(stmt) ? "|" : "\n");
        }
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
}

static void assert_rows(const char *name, const char *sql, const char *want)
{
    sqlite3 *db = open_raw(name);
    dm_str got = {0};

    add_rows(&got, db, sql);
    (void)sqlite3_close(db);
    assert_string_equal(got.text != NULL ? got.text : "", want);
    dm_str_fini(&got);
}

/* All tables but the sessions', each in the order of its primary key. */
static dm_str dump(const char *name)
{
    sqlite3 *db = open_raw(name);
    dm_str tables = {0}, out = {0};
    char *rest = NULL;

    add_rows(&tables, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'session%'\n"
                          "AND name NOT LIKE 'sqlite%' ORDER BY name");
    for (char *table = strtok_r(tables.text, "\n", &rest); table != NULL; table = strtok_r(NULL, "\n", &rest)) {
        char sql[128];
        (void)snprintf(sql, sizeof sql, "SELECT '%s', * FROM \"%s\"", table, table);
        add_rows(&out, db, sql);
    }
    (void)sqlite3_close(db);
    dm_str_fini(&tables);
    return out;
}

static void assert_open_refused(const char *name, const char *wanted_text)
{
    dm_store *store = NULL;
    dm_err err;

    assert_int_equal(dm_store_open(path_of(name), &store, &err), DM_ERR_STORE);
    assert_null(store);
    assert_non_null(strstr(err.message, path_of(name)));
    if (strstr(err.message, wanted_text) == NULL)
        fail_msg("'%s' does not say '%s'", err.message, wanted_text);
}

static void assert_run_refused(dm_store *store, dm_run_record record, const char *wanted_text)
{
    int64_t id = -1;
    dm_err err;

    assert_int_equal(dm_store_run(store, &record, &id, &err), DM_ERR_STORE);
    assert_int_equal(id, -1);
    if (strstr(err.message, wanted_text) == NULL)
        fail_msg("'%s' does not say '%s'", err.message, wanted_text);
}

static const char count_all[] = "SELECT (SELECT count(*) FROM input), (SELECT count(*) FROM run),\n"
                                "(SELECT count(*) FROM run_op), (SELECT count(*) FROM run_part),\n"
                                "(SELECT count(*) FROM session_run)";

/* ---- opening -------------------------------------------------------------------------------------- */

static void a_new_file_is_at_version_1_and_ours(void **state)
{
    (void)state;
    dm_store_close(open_store("a.db"));
    assert_rows("a.db", "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id",
                "1|1685025389\n");
    assert_rows("a.db", "PRAGMA journal_mode", "wal\n");
    assert_rows("a.db", "PRAGMA integrity_check", "ok\n");
    assert_rows("a.db", "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND NOT strict\n"
                        "AND name NOT LIKE 'sqlite%'",
                "0\n");
}

static void an_empty_file_is_migrated(void **state)
{
    (void)state;
    FILE *file = fopen(path_of("a.db"), "wb");

    assert_non_null(file);
    (void)fclose(file);
    dm_store_close(open_store("a.db"));
    assert_rows("a.db", "PRAGMA user_version", "1\n");
}

/* The rows, and SQLite's own counter of changes to the schema. */
static dm_str whole_of(const char *name)
{
    dm_str out = dump(name);
    sqlite3 *db = open_raw(name);

    add_rows(&out, db, "SELECT user_version, schema_version FROM pragma_user_version, pragma_schema_version");
    (void)sqlite3_close(db);
    return out;
}

static void opening_again_changes_nothing(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");

    (void)store_run(store, run_on("a100", 50e-6));
    dm_store_close(store);
    dm_str before = whole_of("a.db");
    dm_store_close(open_store("a.db"));
    dm_str after = whole_of("a.db");
    assert_string_equal(before.text, after.text);
    dm_str_fini(&before);
    dm_str_fini(&after);
}

static void a_newer_file_is_refused_untouched(void **state)
{
    (void)state;
    dm_store_close(open_store("a.db"));
    exec_raw("a.db", "PRAGMA user_version = 2");
    assert_open_refused("a.db", "newer dormer (format 2, this one knows up to 1)");
    assert_rows("a.db", "PRAGMA user_version", "2\n");
}

static void another_programs_database_is_refused_untouched(void **state)
{
    (void)state;
    exec_raw("a.db", "CREATE TABLE bookmark (url TEXT)");
    assert_open_refused("a.db", "database of another program");
    assert_rows("a.db", "SELECT name FROM sqlite_schema", "bookmark\n");
    assert_rows("a.db", "PRAGMA journal_mode", "delete\n");
}

static void a_text_file_is_refused_untouched(void **state)
{
    (void)state;
    static const char text[] = "op,device,dtype,time_us\ngemm,a100,bf16,12.5\n";
    char again[sizeof text] = "";
    FILE *file = fopen(path_of("a.db"), "wb");

    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    assert_open_refused("a.db", "file is not a database");

    file = fopen(path_of("a.db"), "rb");
    assert_non_null(file);
    assert_int_equal(fread(again, 1, sizeof again, file), sizeof text - 1);
    (void)fclose(file);
    assert_string_equal(again, text);
}

static void a_missing_folder_is_refused_with_the_reason(void **state)
{
    (void)state;
    assert_open_refused("none/a.db", "unable to open database file (No such file or directory)");
}

static void an_empty_path_is_refused(void **state)
{
    (void)state;
    dm_store *store = NULL;
    dm_err err;

    assert_int_equal(dm_store_open("", &store, &err), DM_ERR_STORE);
    assert_null(store);
}

/* Permissions bind nobody, but not root: give root's up for the call. */
static void assert_open_refused_to_nobody(const char *name, const char *wanted_text)
{
    const uid_t before = geteuid();

    assert_int_equal(chmod(folder, 0777), 0);
    if (before == 0)
        assert_int_equal(seteuid(65534), 0);
    assert_open_refused(name, wanted_text);
    if (before == 0)
        assert_int_equal(seteuid(before), 0);
}

static void a_read_only_folder_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir(path_of("ro"), 0555), 0);
    assert_open_refused_to_nobody("ro/a.db", "unable to open database file");
}

static void a_read_only_file_is_refused(void **state)
{
    (void)state;
    dm_store_close(open_store("a.db"));
    assert_int_equal(chmod(path_of("a.db"), 0444), 0);
    assert_open_refused_to_nobody("a.db", "read-only");
}

/* ---- runs ----------------------------------------------------------------------------------------- */

static void a_run_is_stored_in_full(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");
    const dm_input_record calibration = input("cublas", "wave_eff: 0.9");
    dm_run_record record = run_on("a100", 50e-6);

    record.calibration = &calibration;
    record.energy_J = 0.25;
    const int64_t id = store_run(store, record);
    dm_store_close(store);

    assert_in_range((uintmax_t)id, 0, ((uintmax_t)1 << 53) - 1);
    assert_rows("a.db", "SELECT kind, name, text FROM input ORDER BY kind",
                "calibration|cublas|wave_eff: 0.9\nhardware|a100|a100\nworkload|layer|ops: [qkv, softmax]\n");
    assert_rows("a.db", "SELECT hw, workload, calibration, fidelity, clock, residency, settings, version, time_s,\n"
                        "energy_J, avg_power_W, cost_usd, work_flop, dram_bytes, limiter FROM v_run",
                "a100|layer|cublas|analytic|boost|cold||0.1.0+abc1234|5.0e-05|0.25|null|null|1361920.0|163840.0|"
                "tensor\n");
    assert_rows("a.db", "SELECT seq, name, op, shape, dtype, stream, count, time_s, total_s, limiter, work_flop,\n"
                        "dram_bytes, link_bytes, bound_s, tile FROM run_op",
                "0|qkv|gemm|m=16,n=64,k=64|bf16|0|10|4.0e-06|4.0e-05|tensor|131072.0|12288.0|0.0|3.0e-06|64x64x32\n"
                "1|softmax|softmax|rows=16,cols=64|bf16|0|10|1.0e-06|1.0e-05|dram|5120.0|4096.0|0.0|5.0e-07|null\n");
    assert_rows("a.db", "SELECT seq, part, time_s FROM run_part", "0|launch|1.0e-06\n0|tensor|3.0e-06\n");
}

static void parts_of_one_name_are_added(void **state)
{
    (void)state;
    static const dm_part parts[] = {{"launch", 0.25}, {"dram", 1}, {"launch", 0.5}};
    dm_run_op_record op = two_ops[0];
    dm_run_record record = run_on("a100", 50e-6);
    dm_store *store = open_store("a.db");

    op.parts = parts;
    op.part_n = 3;
    record.ops = &op;
    record.op_n = 1;
    (void)store_run(store, record);
    dm_store_close(store);
    assert_rows("a.db", "SELECT part, time_s FROM run_part", "dram|1.0\nlaunch|0.75\n");
}

static void a_run_stored_twice_is_one_row(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");

    begin_session(store, "dormer run");
    const int64_t first = store_run(store, run_on("a100", 50e-6));
    assert_int_equal(store_run(store, run_on("a100", 50e-6)), first);
    begin_session(store, "dormer run again");
    assert_int_equal(store_run(store, run_on("a100", 50e-6)), first);
    dm_store_close(store);

    assert_rows("a.db", count_all, "2|1|2|2|2\n");
    assert_rows("a.db", "SELECT command_line, host, process_id > 0 FROM session ORDER BY id",
                "dormer run|host|1\ndormer run again|host|1\n");
}

/* One letter moved from one text to its neighbour gives another run, as does a calibration. */
static void whatever_identifies_a_run_tells_it_apart(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");
    const dm_input_record calibration = input("cublas", "wave_eff: 0.9");
    dm_run_record record = run_on("a100", 50e-6);

    (void)store_run(store, record);
    record.clock = "boos";
    record.residency = "tcold";
    (void)store_run(store, record);
    record.calibration = &calibration;
    (void)store_run(store, record);
    record.settings = "memory.dram.bandwidth=4.8 TB/s";
    (void)store_run(store, record);
    record.fidelity = "roofline";
    (void)store_run(store, record);
    record.version = "0.1.1";
    (void)store_run(store, record);
    dm_store_close(store);
    assert_rows("a.db", "SELECT count(*), count(DISTINCT id) FROM run", "6|6\n");
}

static void another_result_of_the_same_inputs_is_refused(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");

    (void)store_run(store, run_on("a100", 50e-6));
    (void)store_run(store, run_on("a100", 50e-6 * (1 + 1e-12)));
    assert_run_refused(store, run_on("a100", 51e-6), "is stored as 5e-05 and is now 5.1e-05");
    dm_store_close(store);
    assert_rows("a.db", "SELECT time_s FROM run", "5.0e-05\n");
}

static void one_text_under_two_names_is_one_input(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");
    dm_run_record record = run_on("a100", 50e-6);

    record.hw.name = "my_copy";
    const int64_t id = store_run(store, record);
    record.hw.name = "a100";
    assert_int_equal(store_run(store, record), id);
    dm_store_close(store);
    assert_rows("a.db", "SELECT name FROM input WHERE kind = 'hardware'", "a100\n");
}

static void what_is_not_finite_or_missing_is_refused(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");
    dm_run_record record;

    assert_run_refused(store, run_on("a100", (double)NAN), "NOT NULL constraint failed: run.time_s");
    assert_run_refused(store, run_on("a100", (double)INFINITY), "CHECK constraint failed: time_s");
    assert_run_refused(store, run_on("a100", 0), "CHECK constraint failed: time_s");
    record = run_on("a100", 50e-6);
    record.energy_J = (double)INFINITY;
    assert_run_refused(store, record, "CHECK constraint failed: energy_J");
    record = run_on("a100", 50e-6);
    record.limiter = NULL;
    assert_run_refused(store, record, "NOT NULL constraint failed: run.limiter");
    record = run_on("a100", 50e-6);
    record.hw.hash = "abc";
    assert_run_refused(store, record, "CHECK constraint failed: length(hash) = 64");
    dm_store_close(store);
    assert_rows("a.db", count_all, "0|0|0|0|0\n");
}

/* The last part of the last operator is wrong: by then inputs, totals and the first operator have been written. */
static void a_failed_run_leaves_nothing(void **state)
{
    (void)state;
    static const dm_part wrong[] = {{"dram", 1e-6}, {"launch", (double)INFINITY}};
    dm_run_op_record ops[] = {two_ops[0], two_ops[1]};
    dm_run_record record = run_on("a100", 50e-6);
    dm_store *store = open_store("a.db");

    ops[1].parts = wrong;
    ops[1].part_n = 2;
    record.ops = ops;
    begin_session(store, "dormer run");
    assert_run_refused(store, record, "storing a part of an operator: CHECK constraint failed");
    assert_rows("a.db", count_all, "0|0|0|0|0\n");
    (void)store_run(store, run_on("a100", 50e-6));
    dm_store_close(store);
    assert_rows("a.db", count_all, "2|1|2|2|1\n");
}

/* A limit on file size stands for the full disk. */
static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    enum { TEXT_SIZE = 1 << 20 };
    char *text = malloc(TEXT_SIZE + 1);
    struct rlimit before;
    dm_store *store = open_store("a.db");
    dm_run_record record = run_on("a100", 50e-6);

    assert_non_null(text);
    memset(text, 'x', TEXT_SIZE);
    text[TEXT_SIZE] = '\0';
    record.workload = input("large", text);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    const struct rlimit tight = {.rlim_cur = TEXT_SIZE / 2, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    assert_run_refused(store, record, path_of("a.db"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_DFL);

    assert_rows("a.db", count_all, "0|0|0|0|0\n");
    (void)store_run(store, record);
    dm_store_close(store);
    free(text);
    assert_rows("a.db", count_all, "2|1|2|2|0\n");
}

static void foreign_keys_hold(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");

    begin_session(store, "dormer run");
    (void)store_run(store, run_on("a100", 50e-6));
    exec_raw("a.db", "DELETE FROM session"); /* this connection has foreign keys off, as SQLite's default is */
    assert_run_refused(store, run_on("h100", 25e-6), "FOREIGN KEY constraint failed");
    dm_store_close(store);
    assert_rows("a.db", "SELECT count(*) FROM run", "1\n");
}

/* ---- views ---------------------------------------------------------------------------------------- */

static void the_best_run_is_the_fastest_of_its_fidelity(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");
    dm_run_record bound = run_on("a100", 30e-6);

    bound.fidelity = "roofline";
    (void)store_run(store, run_on("a100", 50e-6));
    (void)store_run(store, run_on("h100", 25e-6));
    (void)store_run(store, bound);
    dm_store_close(store);
    assert_rows("a.db", "SELECT workload, fidelity, hw, time_s FROM v_best ORDER BY fidelity",
                "layer|analytic|h100|2.5e-05\nlayer|roofline|a100|3.0e-05\n");
}

/* By time and cost: b is slower and cheaper than a; c is slower and dearer than b; d is as slow as c, and nobody knows
 * its cost, so that a, b and c beat it; e is the fastest, but its unknown cost beats nobody whose cost is known. */
static void the_pareto_set_beats_only_with_what_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *hw;
        double time_s, cost_usd;
    } rows[] = {{"a", 2, 9}, {"b", 4, 5}, {"c", 5, 6}, {"d", 5, (double)NAN}, {"e", 1, (double)NAN}};
    dm_store *store = open_store("a.db");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dm_run_record record = run_on(rows[i].hw, rows[i].time_s);
        record.cost_usd = rows[i].cost_usd;
        (void)store_run(store, record);
    }
    dm_store_close(store);
    assert_rows("a.db", "SELECT hw FROM v_pareto ORDER BY hw", "a\nb\ne\n");
}

static void bottlenecks_are_shares_of_the_time(void **state)
{
    (void)state;
    dm_store *store = open_store("a.db");

    (void)store_run(store, run_on("a100", 50e-6));
    dm_store_close(store);
    assert_rows("a.db", "SELECT hw, workload, limiter, ops, round(share_frac, 12) FROM v_bottleneck ORDER BY limiter",
                "a100|layer|dram|10|0.2\na100|layer|tensor|10|0.8\n");
}

/* ---- validations ---------------------------------------------------------------------------------- */

static void a_validation_is_stored_once_in_any_order_of_files(void **state)
{
    (void)state;
    const dm_input_record files[] = {input("gemm.csv", "op,device\ngemm,a100\n"),
                                     input("softmax.csv", "op\nsoftmax\n")};
    const dm_input_record swapped[] = {files[1], files[0]};
    dm_store *store = open_store("a.db");

    begin_session(store, "dormer validate");
    const int64_t id = store_validation(store, validation_of(files, 2));
    assert_int_equal(store_validation(store, validation_of(swapped, 2)), id);
    dm_store_close(store);

    assert_rows("a.db", "SELECT calibration, version, fidelity, settings, rows, mape_pct FROM validation",
                "none|0.1.0+abc1234|analytic||40|8.0\n");
    assert_rows("a.db", "SELECT measured, op, device, stack, dtype, rows, mape_pct, median_ape_pct, p90_ape_pct,\n"
                        "bias_pct, within_10_pct, interval_coverage_pct, calibration_kind, power_rows,\n"
                        "power_mape_pct FROM v_validation ORDER BY op",
                "gemm.csv softmax.csv|gemm|a100||bf16|30|9.0|7.0|20.0|-2.0|60.0|null|none|0|null\n"
                "gemm.csv softmax.csv|softmax|a100|torch|bf16|10|5.0|4.0|11.0|1.0|90.0|85.0|device|4|12.0\n");
    assert_rows("a.db", "SELECT reason, rows FROM validation_skipped", "no rate for fp4|3\n");
    assert_rows("a.db", "SELECT count(*) FROM session_validation", "1\n");
}

static void a_failed_validation_leaves_nothing(void **state)
{
    (void)state;
    const dm_input_record file = input("gemm.csv", "op,device\ngemm,a100\n");
    dm_validation_group_record groups[] = {two_groups[0], two_groups[1]};
    dm_validation_record record = validation_of(&file, 1);
    dm_store *store = open_store("a.db");
    int64_t id = -1;
    dm_err err;

    groups[1].calibration_kind = "guessed";
    record.groups = groups;
    assert_int_equal(dm_store_validation(store, &record, &id, &err), DM_ERR_STORE);
    assert_int_equal(id, -1);
    dm_store_close(store);
    assert_rows("a.db", "SELECT (SELECT count(*) FROM input), (SELECT count(*) FROM validation),\n"
                        "(SELECT count(*) FROM validation_input), (SELECT count(*) FROM validation_group)",
                "0|0|0|0\n");
}

/* A validation of no rows has no error, and is stored all the same. */
static void a_validation_of_nothing_has_no_error(void **state)
{
    (void)state;
    dm_validation_record record = validation_of(NULL, 0);
    dm_store *store = open_store("a.db");

    record.row_n = 0;
    record.mape_pct = (double)NAN;
    record.group_n = 0;
    const int64_t id = store_validation(store, record);
    assert_int_equal(store_validation(store, record), id);
    dm_store_close(store);
    assert_rows("a.db", "SELECT rows, mape_pct FROM validation", "0|null\n");
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void equal_inputs_give_equal_tables_in_any_order(void **state)
{
    (void)state;
    const dm_input_record file = input("gemm.csv", "op,device\ngemm,a100\n");
    dm_run_record renamed = run_on("h100", 25e-6);
    dm_store *a = open_store("a.db"), *b = open_store("b.db");

    renamed.hw.name = "gpu";
    begin_session(a, "dormer sweep --jobs 1");
    (void)store_run(a, run_on("a100", 50e-6));
    (void)store_run(a, run_on("h100", 25e-6));
    (void)store_run(a, renamed);
    (void)store_validation(a, validation_of(&file, 1));

    begin_session(b, "dormer validate");
    (void)store_validation(b, validation_of(&file, 1));
    begin_session(b, "dormer sweep --shard 2/2");
    (void)store_run(b, renamed);
    (void)store_run(b, run_on("h100", 25e-6));
    begin_session(b, "dormer sweep --shard 1/2");
    (void)store_run(b, run_on("a100", 50e-6));
    (void)store_run(b, run_on("a100", 50e-6));
    dm_store_close(a);
    dm_store_close(b);

    dm_str dump_a = dump("a.db"), dump_b = dump("b.db");
    assert_non_null(dump_a.text);
    assert_string_equal(dump_a.text, dump_b.text);
    dm_str_fini(&dump_a);
    dm_str_fini(&dump_b);
}

/* SQLite's allocator, made to fail once and for all after a number of calls. */
static sqlite3_mem_methods real_memory;
static long calls_left = -1; /* below 0: never fails */

static bool may_allocate(void)
{
    if (calls_left > 0)
        calls_left--;
    return calls_left != 0;
}

static void *failing_malloc(int size)
{
    return may_allocate() ? real_memory.xMalloc(size) : NULL;
}

static void *failing_realloc(void *old, int size)
{
    return may_allocate() ? real_memory.xRealloc(old, size) : NULL;
}

static dm_status open_and_store(dm_err *err)
{
    const dm_run_record record = run_on("a100", 50e-6);
    dm_store *store = NULL;
    int64_t id;
    dm_status status = dm_store_open(path_of("a.db"), &store, err);

    if (status == DM_OK)
        status = dm_store_run(store, &record, &id, err);
    dm_store_close(store);
    return status;
}

static void running_out_of_memory_is_a_status_and_leaves_nothing_half_written(void **state)
{
    (void)state;
    for (long n = 1; n < 10000; n += 41) {
        dm_err err = {.status = DM_OK};
        (void)remove(path_of("a.db"));
        calls_left = n;
        const dm_status status = open_and_store(&err);
        calls_left = -1;
        if (status != DM_OK && status != DM_ERR_MEMORY)
            fail_msg("after %ld allocations: %s", n, err.message);
        dm_store_close(open_store("a.db")); /* what there is of the file can be used */
        assert_rows("a.db", count_all, status == DM_OK ? "2|1|2|2|0\n" : "0|0|0|0|0\n");
        if (status == DM_OK)
            return;
    }
    fail_msg("even 10000 allocations were too few");
}

static bool install_failing_memory(void)
{
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) != SQLITE_OK)
        return false;
    sqlite3_mem_methods failing = real_memory;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_is_at_version_1_and_ours),
        TEST(an_empty_file_is_migrated),
        TEST(opening_again_changes_nothing),
        TEST(a_newer_file_is_refused_untouched),
        TEST(another_programs_database_is_refused_untouched),
        TEST(a_text_file_is_refused_untouched),
        TEST(a_missing_folder_is_refused_with_the_reason),
        TEST(an_empty_path_is_refused),
        TEST(a_read_only_folder_is_refused),
        TEST(a_read_only_file_is_refused),
        TEST(a_run_is_stored_in_full),
        TEST(parts_of_one_name_are_added),
        TEST(a_run_stored_twice_is_one_row),
        TEST(whatever_identifies_a_run_tells_it_apart),
        TEST(another_result_of_the_same_inputs_is_refused),
        TEST(one_text_under_two_names_is_one_input),
        TEST(what_is_not_finite_or_missing_is_refused),
        TEST(a_failed_run_leaves_nothing),
        TEST(a_full_disk_leaves_nothing),
        TEST(foreign_keys_hold),
        TEST(the_best_run_is_the_fastest_of_its_fidelity),
        TEST(the_pareto_set_beats_only_with_what_is_known),
        TEST(bottlenecks_are_shares_of_the_time),
        TEST(a_validation_is_stored_once_in_any_order_of_files),
        TEST(a_failed_validation_leaves_nothing),
        TEST(a_validation_of_nothing_has_no_error),
        TEST(equal_inputs_give_equal_tables_in_any_order),
        TEST(running_out_of_memory_is_a_status_and_leaves_nothing_half_written),
    };

    if (!install_failing_memory())
        return EXIT_FAILURE;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
