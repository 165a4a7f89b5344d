/* src/config/csv.h
 *
 * Comma-separated tables: a header line, then rows, each cell with its place. RFC 4180 quoting within a line.
 * A reader walks a text that somebody else keeps; it allocates only the header and one row. */
#ifndef DM_CONFIG_CSV_H
#define DM_CONFIG_CSV_H

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"

typedef struct dm_cell {
    dm_slice text; /* trimmed and unquoted; empty when blank */
    dm_place place;
} dm_cell;

enum { DM_CSV_COLUMNS_MAX = 256 };

typedef struct dm_csv {
    const dm_source *source;
    dm_arena *arena; /* header and unquoted cells */
    const char *at, *end;
    int line;
    dm_cell *header;
    dm_cell *row; /* as many cells as the header */
    size_t column_n;
    dm_place row_place;
} dm_csv;

/* Read the header. Fails on what is not plain text, an empty file, a blank or repeated column name, too many columns.
 * Errors quote the line from `source`; a caller that only counts them may put one without a text in its place, since
 * finding a line costs a walk through the file. */
dm_status dm_csv_open(dm_csv *csv, const dm_source *source, dm_arena *arena, dm_err *err);

/* The column of that name; false if there is none. */
bool dm_csv_find(const dm_csv *csv, const char *name, size_t *index);

/* Next row that is not blank; *more is false at the end. A row with too few or too many cells is an error; the
 * reader then stands behind it, so that a caller that only counts bad rows can go on. */
dm_status dm_csv_next(dm_csv *csv, bool *more, dm_err *err);

#endif
