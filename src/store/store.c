/* src/store/store.c
 *
 * Opening a results database: is it ours, how old is it, what does it need. */
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/db.h"
#include "store/schema.h"
#include "util/err.h"

enum { BUSY_TIMEOUT_MS = 5000, WAL_RETRY_MS = 10 };

/* What a file says about itself before anything is written to it. */
typedef struct file_header {
    double application_id, version, table_n;
} file_header;

static dm_status read_header(const dm_store *store, file_header *out, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "opening",
                                 "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)\n"
                                 "FROM pragma_application_id, pragma_user_version");
    bool found;
    const dm_status status = dm_stmt_next(&stmt, &found, err);

    if (status == DM_OK)
        *out = (file_header){dm_stmt_get_real(&stmt, 0), dm_stmt_get_real(&stmt, 1), dm_stmt_get_real(&stmt, 2)};
    dm_stmt_end(&stmt);
    return status;
}

/* Other programs keep their data in SQLite too: adding our tables to a browser's history would help nobody. */
static dm_status check_header(const dm_store *store, const file_header *header, dm_err *err)
{
    const bool empty = header->application_id == 0 && header->version == 0 && header->table_n == 0;

    if (!empty && header->application_id != DM_SCHEMA_APPLICATION_ID)
        return dm_fail(err, DM_ERR_STORE,
                       "%s: is a database of another program; a new file or one of dormer's is wanted", store->path);
    if (header->version > DM_SCHEMA_VERSION)
        return dm_fail(err, DM_ERR_STORE,
                       "%s: was written by a newer dormer (format %.0f, this one knows up to %d); update dormer or "
                       "use another file",
                       store->path, header->version, DM_SCHEMA_VERSION);
    return DM_OK;
}

static dm_status apply(const dm_store *store, const dm_migration *migration, dm_err *err)
{
    dm_status status = DM_OK;

    for (size_t i = 0; i < migration->statement_n && status == DM_OK; i++)
        status = dm_db_exec(store, "bringing it up to date", migration->statements[i], err);
    return status;
}

/* A pragma takes no parameter, so the version is part of the text. */
static dm_status set_version(const dm_store *store, int version, dm_err *err)
{
    char sql[64];

    (void)sqlite3_snprintf((int)sizeof sql, sql, "PRAGMA user_version = %d", version);
    return dm_db_exec(store, "bringing it up to date", sql, err);
}

/* All steps in one transaction. The version is read again inside it: another process may have been faster. */
static dm_status migrate(const dm_store *store, dm_err *err)
{
    file_header header = {0};
    dm_status status = dm_db_begin(store, err);

    if (status != DM_OK)
        return status;
    status = read_header(store, &header, err);
    if (status == DM_OK)
        status = check_header(store, &header, err);
    for (int i = (int)header.version; i < DM_SCHEMA_VERSION && status == DM_OK; i++)
        status = apply(store, &dm_migrations[i], err);
    if (status == DM_OK)
        status = set_version(store, DM_SCHEMA_VERSION, err);
    return dm_db_end(store, status, err);
}

static dm_status check_file(const dm_store *store, file_header *header, dm_err *err)
{
    const dm_status status = read_header(store, header, err);

    if (status != DM_OK)
        return status;
    /* SQLite falls back to reading a file that it may not write, and would complain only at the first row. */
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return dm_fail(err, DM_ERR_STORE, "%s: is read-only; a file that can be written is wanted", store->path);
    return check_header(store, header, err);
}

/* Of two processes that switch a new file at the same moment, each would wait for the other to let go: SQLite then
 * refuses one at once, whatever the timeout. So the waiting is done here. */
static dm_status use_wal(const dm_store *store, dm_err *err)
{
    int rc = SQLITE_BUSY;

    (void)sqlite3_busy_timeout(store->db, 0);
    for (int waited_ms = 0; rc == SQLITE_BUSY && waited_ms <= BUSY_TIMEOUT_MS; waited_ms += WAL_RETRY_MS) {
        if (waited_ms > 0)
            (void)sqlite3_sleep(WAL_RETRY_MS);
        rc = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    (void)sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    return rc == SQLITE_OK ? DM_OK : dm_db_fail(store, "opening", rc, err);
}

static dm_status set_up(const dm_store *store, dm_err *err)
{
    file_header header;
    dm_status status;

    (void)sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    status = check_file(store, &header, err);
    if (status == DM_OK)
        status = dm_db_exec(store, "opening", "PRAGMA foreign_keys = ON", err);
    if (status == DM_OK)
        status = use_wal(store, err);
    if (status == DM_OK && header.version < DM_SCHEMA_VERSION)
        status = migrate(store, err);
    return status;
}

dm_status dm_store_open(const char *path, dm_store **out, dm_err *err)
{
    const size_t path_size = strlen(path) + 1;

    /* SQLite would make a nameless file that is gone at the end. */
    if (path[0] == '\0')
        return dm_fail(err, DM_ERR_STORE, "the path of the results database is empty");
    dm_store *store = calloc(1, sizeof *store + path_size);
    if (store == NULL)
        return dm_fail_memory(err);
    memcpy(store->path, path, path_size);

    const int rc = sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    const dm_status status = rc == SQLITE_OK ? set_up(store, err) : dm_db_fail(store, "opening", rc, err);
    if (status == DM_OK)
        *out = store;
    else
        dm_store_close(store);
    return status;
}

void dm_store_close(dm_store *store)
{
    if (store == NULL)
        return;
    (void)sqlite3_close(store->db);
    free(store);
}

dm_status dm_store_session(dm_store *store, const char *command_line, const char *started_utc, const char *host,
                           int64_t *session_id, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing a session",
                                 "INSERT INTO session (started_utc, host, process_id, command_line)\n"
                                 "VALUES (?, ?, ?, ?)");

    dm_stmt_text(&stmt, started_utc);
    dm_stmt_text(&stmt, host);
    dm_stmt_int(&stmt, (int64_t)getpid());
    dm_stmt_text(&stmt, command_line);
    const dm_status status = dm_stmt_finish(&stmt, err);
    if (status == DM_OK) {
        store->session_id = sqlite3_last_insert_rowid(store->db);
        *session_id = store->session_id;
    }
    return status;
}
