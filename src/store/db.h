/* src/store/db.h
 *
 * Inside the store only: statements, transactions and ids on top of SQLite.
 *
 * A dm_stmt remembers the first thing that went wrong (preparing, binding), does nothing from then on, and reports it
 * when it is run: so a caller binds a row's columns one after the other and looks once. */
#ifndef DM_STORE_DB_H
#define DM_STORE_DB_H

#include <sqlite3.h>

#include "store/store.h"

struct dm_store {
    sqlite3 *db;
    int64_t session_id; /* 0: none begun */
    char path[];
};

typedef struct dm_stmt {
    const dm_store *store;
    const char *doing; /* literal, for messages: "storing a run" */
    sqlite3_stmt *handle;
    int bound_n; /* parameters bound so far; the next one goes behind them */
    int rc;
} dm_stmt;

/* For SQLite's result code `rc`: DM_ERR_STORE with path, what was being done and the reason; DM_ERR_MEMORY if that
 * was it. */
dm_status dm_db_fail(const dm_store *store, const char *doing, int rc, dm_err *err);

/* A statement without parameters and rows. */
dm_status dm_db_exec(const dm_store *store, const char *doing, const char *sql, dm_err *err);

/* Takes the write lock at once: a reader that wants to write later could find it taken, and could not wait. */
dm_status dm_db_begin(const dm_store *store, dm_err *err);
/* Commits if all went well, rolls back otherwise; returns `status`, or why it could not commit. */
dm_status dm_db_end(const dm_store *store, dm_status status, dm_err *err);

dm_stmt dm_stmt_start(const dm_store *store, const char *doing, const char *sql);
void dm_stmt_text(dm_stmt *stmt, const char *text); /* NULL binds NULL; the text must live until the run */
void dm_stmt_int(dm_stmt *stmt, int64_t value);
void dm_stmt_real(dm_stmt *stmt, double value); /* NaN binds NULL */

/* Runs a statement that gives no rows, and makes it ready for the next row's columns. */
dm_status dm_stmt_run(dm_stmt *stmt, dm_err *err);
/* Steps to the next row; *found is false behind the last. */
dm_status dm_stmt_next(dm_stmt *stmt, bool *found, dm_err *err);
/* A number of the present row; NaN if it is NULL. */
double dm_stmt_get_real(const dm_stmt *stmt, int column);
void dm_stmt_end(dm_stmt *stmt);
/* dm_stmt_run, then dm_stmt_end. */
dm_status dm_stmt_finish(dm_stmt *stmt, dm_err *err);

/* Id of the row that these texts identify, from their SHA-256: 52 bits. NULL counts as "". */
dm_status dm_db_id(const char *const *texts, size_t text_n, int64_t *id, dm_err *err);

/* Stores an input that is not there yet. */
dm_status dm_db_input(const dm_store *store, const char *kind, const dm_input_record *input, dm_err *err);

/* Looks for a stored result: `select` has its parameters bound, and one column. False if there is none; DM_ERR_STORE
 * if there is one and it is not `wanted`. */
dm_status dm_db_find_same(dm_stmt *select, double wanted, bool *found, dm_err *err);

#endif
