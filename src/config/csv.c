/* src/config/csv.c
 *
 * CSV rows: see the header. */
#include "config/csv.h"

#include <string.h>

typedef struct line {
    const char *at, *end;
} line;

static bool next_line(dm_csv *csv, line *out)
{
    const char *end = csv->source->text + csv->source->len;

    if (csv->at >= end)
        return false;
    const char *nl = memchr(csv->at, '\n', (size_t)(end - csv->at));
    out->at = csv->at;
    out->end = nl != NULL ? nl : end;
    csv->at = nl != NULL ? nl + 1 : end;
    csv->line++;
    if (out->end > out->at && out->end[-1] == '\r')
        out->end--;
    return true;
}

static bool is_blank(line l)
{
    for (const char *c = l.at; c < l.end; c++)
        if (*c != ' ' && *c != '\t')
            return false;
    return true;
}

static int code_points(const char *from, const char *to)
{
    int n = 0;

    for (; from < to; from++)
        n += ((unsigned char)*from & 0xC0u) != 0x80u;
    return n;
}

static dm_place place_at(const dm_csv *csv, line l, const char *from, const char *to)
{
    const int width = code_points(from, to);

    return (dm_place){csv->line, code_points(l.at, from) + 1, width > 0 ? width : 1};
}

/* A cell in quotes: doubled quotes inside stand for one. *at is moved behind the closing quote. */
static dm_status quoted_cell(dm_csv *csv, line l, const char **at, dm_cell *cell, dm_err *err)
{
    const char *from = *at, *c = from + 1;
    char *copy = dm_arena_alloc(csv->arena, (size_t)(l.end - from) + 1);
    size_t n = 0;

    if (copy == NULL)
        return dm_fail_memory(err);
    for (;; c++) {
        if (c >= l.end)
            return dm_fail_at(err, DM_ERR_INPUT, csv->source, place_at(csv, l, from, l.end),
                              "a quote opens here and is not closed on this line");
        if (*c == '"' && !(c + 1 < l.end && c[1] == '"'))
            break;
        if (*c == '"')
            c++;
        copy[n++] = *c;
    }
    *at = c + 1;
    cell->text = (dm_slice){copy, n};
    cell->place = place_at(csv, l, from, *at);
    if (*at < l.end && **at != ',')
        return dm_fail_at(err, DM_ERR_INPUT, csv->source, cell->place, "text follows a closing quote");
    return DM_OK;
}

static void plain_cell(const dm_csv *csv, line l, const char **at, dm_cell *cell)
{
    const char *comma = memchr(*at, ',', (size_t)(l.end - *at));
    const char *to = comma != NULL ? comma : l.end;

    cell->text = dm_slice_trim((dm_slice){*at, (size_t)(to - *at)});
    cell->place = place_at(csv, l, cell->text.len > 0 ? cell->text.at : *at,
                           cell->text.len > 0 ? cell->text.at + cell->text.len : to);
    *at = to;
}

/* Split a line into at most max cells; *n is how many there are in all. */
static dm_status split(dm_csv *csv, line l, dm_cell *cells, size_t max, size_t *n, dm_err *err)
{
    const char *at = l.at;

    for (*n = 0;; (*n)++) {
        dm_cell spare, *cell = *n < max ? &cells[*n] : &spare;
        if (at < l.end && *at == '"') {
            const dm_status status = quoted_cell(csv, l, &at, cell, err);
            if (status != DM_OK)
                return status;
        } else {
            plain_cell(csv, l, &at, cell);
        }
        if (at >= l.end)
            break;
        at++; /* the comma */
    }
    (*n)++;
    return DM_OK;
}

static dm_status check_header(const dm_csv *csv, dm_err *err)
{
    for (size_t i = 0; i < csv->column_n; i++) {
        const dm_cell *cell = &csv->header[i];
        if (cell->text.len == 0)
            return dm_fail_at(err, DM_ERR_INPUT, csv->source, cell->place, "column %zu has no name", i + 1);
        for (size_t j = 0; j < i; j++)
            if (cell->text.len == csv->header[j].text.len &&
                memcmp(cell->text.at, csv->header[j].text.at, cell->text.len) == 0)
                return dm_fail_at(err, DM_ERR_INPUT, csv->source, cell->place, "column '%.*s' is given twice",
                                  (int)cell->text.len, cell->text.at);
    }
    return DM_OK;
}

dm_status dm_csv_open(dm_csv *csv, const dm_source *source, dm_arena *arena, dm_err *err)
{
    static const char bom[] = "\xef\xbb\xbf";
    line l;

    *csv = (dm_csv){.source = source, .arena = arena, .at = source->text};
    if (source->len >= 3 && memcmp(source->text, bom, 3) == 0)
        csv->at += 3;
    const char *nul = memchr(source->text, '\0', source->len);
    if (nul != NULL)
        return dm_fail(err, DM_ERR_INPUT, "%s: a NUL byte at offset %zu; this is not a text file", source->path,
                       (size_t)(nul - source->text));
    do {
        if (!next_line(csv, &l))
            return dm_fail_at(err, DM_ERR_INPUT, source, (dm_place){1, 1, 1},
                              "the file is empty; a header line is wanted");
    } while (is_blank(l));

    csv->header = dm_arena_alloc_n(arena, DM_CSV_COLUMNS_MAX, sizeof *csv->header);
    csv->row = dm_arena_alloc_n(arena, DM_CSV_COLUMNS_MAX, sizeof *csv->row);
    if (csv->header == NULL || csv->row == NULL)
        return dm_fail_memory(err);
    const dm_status status = split(csv, l, csv->header, DM_CSV_COLUMNS_MAX, &csv->column_n, err);
    if (status != DM_OK)
        return status;
    csv->row_place = (dm_place){csv->line, 1, 1};
    if (csv->column_n > DM_CSV_COLUMNS_MAX)
        return dm_fail_at(err, DM_ERR_INPUT, source, csv->row_place, "%zu columns, at most %d are read", csv->column_n,
                          DM_CSV_COLUMNS_MAX);
    return check_header(csv, err);
}

dm_status dm_csv_next(dm_csv *csv, bool *more, dm_err *err)
{
    line l;
    size_t n;

    do {
        *more = next_line(csv, &l);
        if (!*more)
            return DM_OK;
    } while (is_blank(l));

    csv->row_place = (dm_place){csv->line, 1, code_points(l.at, l.end)};
    const dm_status status = split(csv, l, csv->row, csv->column_n, &n, err);
    if (status != DM_OK)
        return status;
    if (n == csv->column_n + 1 && l.end > l.at && l.end[-1] == ',')
        return DM_OK; /* a trailing comma is harmless */
    if (n != csv->column_n)
        return dm_fail_at(err, DM_ERR_INPUT, csv->source, csv->row_place, "%zu cells, the header has %zu columns", n,
                          csv->column_n);
    return DM_OK;
}
