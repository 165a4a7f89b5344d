/* src/config/csv.c
 *
 * CSV rows: see the header. */
#include "config/csv.h"

#include <string.h>

#include "config/text.h"

typedef struct line {
    const char *at, *end;
    const char *seen; /* columns are counted up to here, so that a long line is walked once */
    int seen_n;
} line;

static bool next_line(dm_csv *csv, line *out)
{
    if (csv->at >= csv->end)
        return false;
    const char *nl = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));
    out->at = out->seen = csv->at;
    out->seen_n = 0;
    out->end = nl != NULL ? nl : csv->end;
    csv->at = nl != NULL ? nl + 1 : csv->end;
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

/* Places are asked for from left to right. */
static dm_place place_at(const dm_csv *csv, line *l, const char *from, const char *to)
{
    const int width = code_points(from, to);

    l->seen_n += code_points(l->seen, from);
    l->seen = from;
    return (dm_place){csv->line, l->seen_n + 1, width > 0 ? width : 1};
}

/* The quote that closes a cell; a doubled one inside does not. NULL if the line ends first. */
static const char *closing_quote(const char *from, const char *end)
{
    for (const char *c = from; c < end; c++) {
        if (*c != '"')
            continue;
        if (c + 1 == end || c[1] != '"')
            return c;
        c++;
    }
    return NULL;
}

/* A cell in quotes: doubled quotes inside stand for one. *at is moved behind the closing quote. */
static dm_status quoted_cell(dm_csv *csv, line *l, const char **at, dm_cell *cell, dm_err *err)
{
    const char *from = *at, *close = closing_quote(from + 1, l->end);

    if (close == NULL)
        return dm_fail_at(err, DM_ERR_INPUT, csv->source, place_at(csv, l, from, l->end),
                          "a quote opens here and is not closed on this line");
    char *copy = dm_arena_alloc(csv->arena, (size_t)(close - from));
    size_t n = 0;
    if (copy == NULL)
        return dm_fail_memory(err);
    for (const char *c = from + 1; c < close; c += *c == '"' ? 2 : 1)
        copy[n++] = *c;
    *at = close + 1;
    cell->text = dm_slice_trim((dm_slice){copy, n});
    cell->place = place_at(csv, l, from, *at);
    if (*at < l->end && **at != ',')
        return dm_fail_at(err, DM_ERR_INPUT, csv->source, place_at(csv, l, *at, *at),
                          "text follows a closing quote; a comma is wanted");
    return DM_OK;
}

static void plain_cell(const dm_csv *csv, line *l, const char **at, dm_cell *cell)
{
    const char *comma = memchr(*at, ',', (size_t)(l->end - *at));
    const char *to = comma != NULL ? comma : l->end;

    cell->text = dm_slice_trim((dm_slice){*at, (size_t)(to - *at)});
    cell->place = place_at(csv, l, cell->text.len > 0 ? cell->text.at : *at,
                           cell->text.len > 0 ? cell->text.at + cell->text.len : to);
    *at = to;
}

/* Split a line into at most max cells; *n is how many there are in all, *extra the first that is too many. */
static dm_status split(dm_csv *csv, line *l, dm_cell *cells, size_t max, size_t *n, dm_cell *extra, dm_err *err)
{
    const char *at = l->at;

    for (*n = 0;; (*n)++) {
        dm_cell spare, *cell = *n < max ? &cells[*n] : *n == max ? extra : &spare;
        if (at < l->end && *at == '"') {
            const dm_status status = quoted_cell(csv, l, &at, cell, err);
            if (status != DM_OK)
                return status;
        } else {
            plain_cell(csv, l, &at, cell);
        }
        if (at >= l->end)
            break;
        at++; /* the comma */
    }
    (*n)++;
    return DM_OK;
}

static bool holds(dm_slice text, char c)
{
    return memchr(text.at, c, text.len) != NULL;
}

static dm_status check_header(const dm_csv *csv, dm_err *err)
{
    const dm_cell *first = &csv->header[0];

    if (csv->column_n == 1 && (holds(first->text, ';') || holds(first->text, '\t')))
        return dm_fail_at(err, DM_ERR_INPUT, csv->source, first->place,
                          "the header has no comma; columns separated by commas are wanted");
    for (size_t i = 0; i < csv->column_n; i++) {
        const dm_cell *cell = &csv->header[i];
        if (cell->text.len == 0)
            return dm_fail_at(err, DM_ERR_INPUT, csv->source, cell->place, "column %zu has no name", i + 1);
        for (size_t j = 0; j < i; j++)
            if (cell->text.len == csv->header[j].text.len &&
                memcmp(cell->text.at, csv->header[j].text.at, cell->text.len) == 0)
                return dm_fail_at(err, DM_ERR_INPUT, csv->source, cell->place, "column '%.*s' is given twice",
                                  dm_slice_shown(cell->text), cell->text.at);
    }
    return DM_OK;
}

dm_status dm_csv_open(dm_csv *csv, const dm_source *source, dm_arena *arena, dm_err *err)
{
    static const char bom[] = "\xef\xbb\xbf";
    dm_cell extra;
    line l;

    *csv = (dm_csv){.source = source, .arena = arena, .at = source->text, .end = source->text + source->len};
    if (source->len >= 3 && memcmp(source->text, bom, 3) == 0)
        csv->at += 3;
    dm_status status = dm_text_check(source, err);
    if (status != DM_OK)
        return status;
    do {
        if (!next_line(csv, &l))
            return dm_fail_at(err, DM_ERR_INPUT, source, (dm_place){1, 1, 1},
                              "the file is empty; a header line is wanted");
    } while (is_blank(l));

    csv->header = dm_arena_alloc_n(arena, DM_CSV_COLUMNS_MAX, sizeof *csv->header);
    csv->row = dm_arena_alloc_n(arena, DM_CSV_COLUMNS_MAX, sizeof *csv->row);
    if (csv->header == NULL || csv->row == NULL)
        return dm_fail_memory(err);
    status = split(csv, &l, csv->header, DM_CSV_COLUMNS_MAX, &csv->column_n, &extra, err);
    if (status != DM_OK)
        return status;
    csv->row_place = (dm_place){csv->line, 1, 1};
    if (csv->column_n > DM_CSV_COLUMNS_MAX)
        return dm_fail_at(err, DM_ERR_INPUT, source, extra.place, "%zu columns, at most %d are read", csv->column_n,
                          DM_CSV_COLUMNS_MAX);
    return check_header(csv, err);
}

bool dm_csv_find(const dm_csv *csv, const char *name, size_t *index)
{
    for (size_t i = 0; i < csv->column_n; i++)
        if (dm_slice_is(csv->header[i].text, name)) {
            *index = i;
            return true;
        }
    return false;
}

dm_status dm_csv_next(dm_csv *csv, bool *more, dm_err *err)
{
    dm_cell extra;
    line l;
    size_t n;

    do {
        *more = next_line(csv, &l);
        if (!*more)
            return DM_OK;
    } while (is_blank(l));

    csv->row_place = (dm_place){csv->line, 1, code_points(l.at, l.end)};
    const dm_status status = split(csv, &l, csv->row, csv->column_n, &n, &extra, err);
    if (status != DM_OK)
        return status;
    if (n == csv->column_n + 1 && l.end > l.at && l.end[-1] == ',')
        return DM_OK; /* a trailing comma is harmless */
    if (n != csv->column_n)
        return dm_fail_at(err, DM_ERR_INPUT, csv->source, n > csv->column_n ? extra.place : csv->row_place,
                          "%zu cells, the header has %zu columns", n, csv->column_n);
    return DM_OK;
}
