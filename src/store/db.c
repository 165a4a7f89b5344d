/* src/store/db.c
 *
 * Statements, transactions and ids: see the header. */
#include "store/db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/hash.h"
#include "util/num.h"
#include "util/str.h"

dm_status dm_db_fail(const dm_store *store, const char *doing, int rc, dm_err *err)
{
    /* The connection knows more than the code says, unless another statement has succeeded since. */
    const char *reason = sqlite3_errcode(store->db) == rc ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc);
    const int os_error = sqlite3_system_errno(store->db);

    if (rc == SQLITE_NOMEM)
        return dm_fail_memory(err);
    /* "unable to open database file" alone does not tell a missing folder from a forbidden one. */
    if (rc == SQLITE_CANTOPEN && os_error != 0)
        return dm_fail(err, DM_ERR_STORE, "%s: %s: %s (%s)", store->path, doing, reason, strerror(os_error));
    return dm_fail(err, DM_ERR_STORE, "%s: %s: %s", store->path, doing, reason);
}

dm_status dm_db_exec(const dm_store *store, const char *doing, const char *sql, dm_err *err)
{
    const int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? DM_OK : dm_db_fail(store, doing, rc, err);
}

dm_status dm_db_begin(const dm_store *store, dm_err *err)
{
    return dm_db_exec(store, "starting a transaction", "BEGIN IMMEDIATE", err);
}

dm_status dm_db_end(const dm_store *store, dm_status status, dm_err *err)
{
    if (status == DM_OK)
        status = dm_db_exec(store, "committing", "COMMIT", err);
    /* Some errors have rolled back already; then there is nothing to do. A rollback's own failure changes nothing:
     * what was not committed is dropped when the file is closed. */
    if (status != DM_OK && !sqlite3_get_autocommit(store->db))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

dm_stmt dm_stmt_start(const dm_store *store, const char *doing, const char *sql)
{
    dm_stmt stmt = {.store = store, .doing = doing};

    stmt.rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt.handle, NULL);
    return stmt;
}

void dm_stmt_text(dm_stmt *stmt, const char *text)
{
    if (stmt->rc == SQLITE_OK)
        stmt->rc = sqlite3_bind_text(stmt->handle, ++stmt->bound_n, text, -1, SQLITE_STATIC);
}

void dm_stmt_int(dm_stmt *stmt, int64_t value)
{
    if (stmt->rc == SQLITE_OK)
        stmt->rc = sqlite3_bind_int64(stmt->handle, ++stmt->bound_n, value);
}

void dm_stmt_real(dm_stmt *stmt, double value)
{
    if (stmt->rc == SQLITE_OK)
        stmt->rc = sqlite3_bind_double(stmt->handle, ++stmt->bound_n, value);
}

dm_status dm_stmt_next(dm_stmt *stmt, bool *found, dm_err *err)
{
    if (stmt->rc == SQLITE_OK) {
        const int rc = sqlite3_step(stmt->handle);
        if (rc == SQLITE_ROW || rc == SQLITE_DONE) {
            *found = rc == SQLITE_ROW;
            return DM_OK;
        }
        stmt->rc = rc;
    }
    return dm_db_fail(stmt->store, stmt->doing, stmt->rc, err);
}

dm_status dm_stmt_run(dm_stmt *stmt, dm_err *err)
{
    bool found;
    const dm_status status = dm_stmt_next(stmt, &found, err);

    if (status == DM_OK) {
        stmt->rc = sqlite3_reset(stmt->handle);
        stmt->bound_n = 0;
    }
    return status;
}

double dm_stmt_get_real(const dm_stmt *stmt, int column)
{
    if (sqlite3_column_type(stmt->handle, column) == SQLITE_NULL)
        return (double)NAN;
    return sqlite3_column_double(stmt->handle, column);
}

void dm_stmt_end(dm_stmt *stmt)
{
    (void)sqlite3_finalize(stmt->handle);
    stmt->handle = NULL;
}

dm_status dm_stmt_finish(dm_stmt *stmt, dm_err *err)
{
    const dm_status status = dm_stmt_run(stmt, err);

    dm_stmt_end(stmt);
    return status;
}

/* 13 hexadecimal digits are 52 bits: exact in a double, and among a million rows two share an id once in 9000
 * databases. Then the second is refused, since an id is a primary key. */
enum { ID_DIGITS = 13 };

dm_status dm_db_id(const char *const *texts, size_t text_n, int64_t *id, dm_err *err)
{
    dm_str key = {0};
    char hash[DM_HASH_TEXT_MAX];

    /* Each with its NUL, so that "a", "bc" and "ab", "c" differ. */
    for (size_t i = 0; i < text_n; i++)
        dm_str_add_n(&key, texts[i] != NULL ? texts[i] : "", texts[i] != NULL ? strlen(texts[i]) + 1 : 1);
    if (!key.failed) {
        dm_hash_text(key.text, key.len, hash);
        hash[ID_DIGITS] = '\0';
        *id = (int64_t)strtoull(hash, NULL, 16);
    }
    const bool failed = key.failed;
    dm_str_fini(&key);
    return failed ? dm_fail_memory(err) : DM_OK;
}

/* The same text under two names keeps the first of them in the alphabet, whichever was stored first. */
static const char insert_input[] =
    "INSERT INTO input (hash, kind, name, text) VALUES (?, ?, ?, ?)\n"
    "ON CONFLICT (hash) DO UPDATE SET kind = min(kind, excluded.kind), name = min(name, excluded.name)\n"
    "WHERE excluded.kind < kind OR excluded.name < name";

dm_status dm_db_input(const dm_store *store, const char *kind, const dm_input_record *input, dm_err *err)
{
    dm_stmt stmt = dm_stmt_start(store, "storing an input", insert_input);

    dm_stmt_text(&stmt, input->hash);
    dm_stmt_text(&stmt, kind);
    dm_stmt_text(&stmt, input->name);
    dm_stmt_text(&stmt, input->text);
    return dm_stmt_finish(&stmt, err);
}

/* Two machines' mathematical libraries may differ in the last bits; two models differ in more. */
static const double same_rel = 1e-9;

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= same_rel * fabs(a);
}

dm_status dm_db_find_same(dm_stmt *select, double wanted, bool *found, dm_err *err)
{
    const dm_status status = dm_stmt_next(select, found, err);
    if (status != DM_OK || !*found)
        return status;

    const double stored = dm_stmt_get_real(select, 0);
    if (is_same(stored, wanted))
        return DM_OK;

    char stored_text[DM_NUM_TEXT_MAX], wanted_text[DM_NUM_TEXT_MAX];
    dm_num_format(stored, stored_text);
    dm_num_format(wanted, wanted_text);
    return dm_fail(err, DM_ERR_STORE,
                   "%s: %s: the result of these inputs and this version is stored as %s and is now %s: another build "
                   "wrote it under the same version; use another file",
                   select->store->path, select->doing, stored_text, wanted_text);
}
