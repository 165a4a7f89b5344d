/* src/fit/measured.c
 *
 * Reading measured times: see the header. A column is looked up once for each operator, not for each cell. */
#include "fit/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/csv.h"
#include "util/file.h"
#include "workload/call_parse.h"

/* What a column is to the operator of the current row. */
typedef enum column_use {
    COLUMN_IGNORED,
    COLUMN_NOTE, /* for people: nothing reads it, and nobody is told */
    COLUMN_OP,
    COLUMN_DEVICE,
    COLUMN_DTYPE,
    COLUMN_ROW,
    COLUMN_CALL,
    COLUMN_ARGS
} column_use;

typedef struct column {
    column_use use;
    const dm_field *field; /* COLUMN_ROW, COLUMN_CALL, COLUMN_ARGS */
} column;

typedef struct reading {
    dm_measured *set;
    dm_csv csv;
    const dm_op_table *table;
    column *columns; /* for `op` */
    const dm_op *op;
    size_t op_column, device_column, dtype_column, time_column;
    const char *device; /* of the row before */
    const char *stack;
    dm_err *err;
} reading;

static const struct {
    const char *name;
    column_use use;
} fixed_columns[] = {
    {"op", COLUMN_OP},       {"device", COLUMN_DEVICE}, {"dtype", COLUMN_DTYPE},
    {"source", COLUMN_NOTE}, {"kernel", COLUMN_NOTE},
};

/* A nanosecond is less than any kernel takes; the upper ends catch a wrong unit. time_s is in microseconds until the
 * row is complete. */
static const dm_field row_rows[] = {
    {"time_us", DM_KIND_REAL, DM_UNIT_NONE, offsetof(dm_measured_row, time_s), 1e-3, 1e12, true, NULL, NULL, NULL, NULL,
     "measured time in microseconds"},
    {"power_w", DM_KIND_REAL, DM_UNIT_NONE, offsetof(dm_measured_row, power_W), 1e-3, 1e6, false, NULL, NULL, NULL,
     NULL, "mean power in watts"},
};
static const dm_fields row_fields = DM_FIELDS(row_rows);

static column classify(const dm_op *op, dm_slice name)
{
    for (size_t i = 0; i < sizeof fixed_columns / sizeof fixed_columns[0]; i++)
        if (dm_slice_is(name, fixed_columns[i].name))
            return (column){fixed_columns[i].use, NULL};
    const dm_field *field = dm_fields_find(row_fields, name);
    if (field != NULL)
        return (column){COLUMN_ROW, field};
    field = dm_fields_find(op->fields, name);
    if (field != NULL)
        return (column){COLUMN_ARGS, field};
    field = dm_slice_is(name, "name") || dm_slice_is(name, "count") ? NULL : dm_fields_find(dm_call_fields, name);
    return (column){field != NULL ? COLUMN_CALL : COLUMN_IGNORED, field};
}

static dm_status note_ignored(reading *r, dm_slice name)
{
    dm_measured *set = r->set;

    for (size_t i = 0; i < set->ignored_n; i++)
        if (dm_slice_is(name, set->ignored[i]))
            return DM_OK;
    if (set->ignored == NULL)
        set->ignored = dm_arena_alloc_n(&set->arena, DM_CSV_COLUMNS_MAX, sizeof *set->ignored);
    const char *copy = dm_arena_copy(&set->arena, name.at, name.len);
    if (set->ignored == NULL || copy == NULL)
        return dm_fail_memory(r->err);
    if (set->ignored_n < DM_CSV_COLUMNS_MAX)
        set->ignored[set->ignored_n++] = copy;
    return DM_OK;
}

/* Columns that no operator takes are said once; those of another operator are silent here. */
static bool taken_by_any(const dm_op_table *table, dm_slice name)
{
    for (size_t i = 0; i < table->n; i++)
        if (classify(table->op[i], name).use != COLUMN_IGNORED)
            return true;
    return false;
}

/* A missing column is shown at the one that seems to be meant, else at the header. */
static dm_status fail_column(reading *r, const char *name)
{
    const dm_cell *best = NULL;
    dm_nearest nearest = dm_nearest_start((dm_slice){name, strlen(name)});

    for (size_t i = 0; i < r->csv.column_n; i++) {
        const dm_cell *cell = &r->csv.header[i];
        const char *given = dm_arena_copy(&r->set->arena, cell->text.at, cell->text.len);
        if (given == NULL)
            return dm_fail_memory(r->err);
        dm_nearest_offer(&nearest, given);
        if (nearest.name == given)
            best = cell;
    }
    return dm_fail_at(r->err, DM_ERR_INPUT, r->csv.source, best != NULL ? best->place : r->csv.row_place,
                      "column '%s' is missing; op, device, dtype, time_us and the shape are needed%s%s%s", name,
                      best != NULL ? "; is '" : "", best != NULL ? nearest.name : "", best != NULL ? "' it?" : "");
}

static dm_status need_column(reading *r, const char *name, size_t *out)
{
    return dm_csv_find(&r->csv, name, out) ? DM_OK : fail_column(r, name);
}

static dm_status open_table(reading *r, const dm_source *source)
{
    dm_status status = dm_csv_open(&r->csv, source, &r->set->arena, r->err);

    if (status == DM_OK)
        status = need_column(r, "op", &r->op_column);
    if (status == DM_OK)
        status = need_column(r, "device", &r->device_column);
    if (status == DM_OK)
        status = need_column(r, "dtype", &r->dtype_column);
    if (status == DM_OK)
        status = need_column(r, "time_us", &r->time_column);
    if (status != DM_OK)
        return status;
    r->columns = dm_arena_alloc_n(&r->set->arena, r->csv.column_n, sizeof *r->columns);
    if (r->columns == NULL)
        return dm_fail_memory(r->err);
    for (size_t i = 0; status == DM_OK && i < r->csv.column_n; i++)
        if (!taken_by_any(r->table, r->csv.header[i].text))
            status = note_ignored(r, r->csv.header[i].text);
    return status;
}

/* The set's own copy of a name, the same for equal names. `before`, the name of the row before, is mostly the one. */
static const char *intern(reading *r, const char *before, dm_slice text)
{
    if (before != NULL && dm_slice_is(text, before))
        return before;
    const dm_name *known = dm_names_find(&r->set->names, text);
    if (known != NULL)
        return known->text;
    const char *copy = dm_arena_copy(&r->set->arena, text.at, text.len);
    return copy != NULL && dm_names_set(&r->set->names, copy, 0, &r->set->arena) ? copy : NULL;
}

static dm_status set_stack(reading *r, const dm_cell *cell, dm_op_call *call)
{
    r->stack = call->stack = intern(r, r->stack, cell->text);
    return r->stack != NULL ? DM_OK : dm_fail_memory(r->err);
}

static dm_status set_cell(reading *r, size_t i, dm_measured_row *row)
{
    const dm_cell *cell = &r->csv.row[i];
    const column *c = &r->columns[i];
    const dm_reader reader = {r->csv.source, &r->set->arena, r->err};

    switch (c->use) {
    case COLUMN_ROW:
        return dm_field_set_text(c->field, cell->text, cell->place, &reader, row);
    case COLUMN_ARGS:
        return dm_field_set_text(c->field, cell->text, cell->place, &reader, row->call.args);
    case COLUMN_CALL:
        if (c->field->offset == offsetof(dm_op_call, stack))
            return set_stack(r, cell, &row->call);
        return dm_field_set_text(c->field, cell->text, cell->place, &reader, &row->call);
    case COLUMN_DTYPE:
        return dm_recipe_parse(cell->text, r->csv.source, cell->place, &row->call.recipe, r->err);
    case COLUMN_DEVICE:
        r->device = row->device = intern(r, r->device, cell->text);
        return row->device != NULL ? DM_OK : dm_fail_memory(r->err);
    case COLUMN_OP:
    case COLUMN_NOTE:
    case COLUMN_IGNORED:
        break;
    }
    return DM_OK;
}

static dm_status use_op(reading *r, const dm_cell *cell, dm_measured_row *row)
{
    const dm_op *op;
    const dm_variant *variant;

    if (!dm_op_find(r->table, cell->text, &op, &variant))
        return dm_op_fail_unknown(r->table, cell->text, r->csv.source, cell->place, r->err);
    if (op != r->op)
        for (size_t i = 0; i < r->csv.column_n; i++)
            r->columns[i] = classify(op, r->csv.header[i].text);
    r->op = op;
    dm_op_call_init(&row->call, op, variant);
    row->call.conditions.residency = DM_RESIDENCY_MEASURED;
    row->call.place = r->csv.row_place;
    row->time_s = NAN;
    row->power_W = NAN;
    return DM_OK;
}

static dm_status check_needed(const reading *r)
{
    const size_t needed[] = {r->op_column, r->device_column, r->dtype_column, r->time_column};

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const dm_cell *cell = &r->csv.row[needed[i]], *head = &r->csv.header[needed[i]];
        if (cell->text.len == 0)
            return dm_fail_at(r->err, DM_ERR_INPUT, r->csv.source, cell->place, "%.*s: the cell is blank",
                              dm_slice_shown(head->text), head->text.at);
    }
    return DM_OK;
}

static dm_status read_row(reading *r, dm_measured_row *row)
{
    const dm_reader reader = {r->csv.source, &r->set->arena, r->err};
    dm_status status = check_needed(r);

    if (status == DM_OK)
        status = use_op(r, &r->csv.row[r->op_column], row);
    for (size_t i = 0; status == DM_OK && i < r->csv.column_n; i++)
        if (r->csv.row[i].text.len > 0)
            status = set_cell(r, i, row);
    row->time_s *= 1e-6;
    return status == DM_OK ? dm_op_call_check_row(&row->call, &r->csv, &reader) : status;
}

static dm_status make_room(dm_measured *set, dm_err *err)
{
    if (set->row_n < set->room)
        return DM_OK;
    const size_t room = set->room != 0 ? set->room * 2 : 1024;
    dm_measured_row *row = room <= SIZE_MAX / sizeof *row ? realloc(set->row, room * sizeof *row) : NULL;
    if (row == NULL)
        return dm_fail_memory(err);
    set->row = row;
    set->room = room;
    return DM_OK;
}

dm_status dm_measured_parse(dm_measured *set, const dm_source *source, const dm_op_table *table, bool keep_going,
                            dm_err *err)
{
    reading r = {.set = set, .table = table, .err = err};
    const dm_source unquoted = {.path = source->path};
    dm_status status = open_table(&r, source);
    if (keep_going)
        r.csv.source = &unquoted; /* nobody reads these errors */

    while (status == DM_OK) {
        bool more;
        status = dm_csv_next(&r.csv, &more, err);
        if (!more)
            break;
        if (status == DM_OK)
            status = make_room(set, err);
        if (status == DM_OK)
            status = read_row(&r, &set->row[set->row_n]);
        if (status == DM_OK) {
            set->row_n++;
        } else if (status == DM_ERR_INPUT && keep_going) {
            set->bad_n++;
            status = DM_OK;
        }
    }
    return status;
}

dm_status dm_measured_read(dm_measured *set, const char *path, const dm_op_table *table, bool keep_going, dm_err *err)
{
    dm_source source;
    const dm_status status = dm_file_read(path, DM_MEASURED_CAP_B, &set->arena, &source, err);

    return status == DM_OK ? dm_measured_parse(set, &source, table, keep_going, err) : status;
}

void dm_measured_fini(dm_measured *set)
{
    free(set->row);
    dm_arena_free(&set->arena);
    *set = (dm_measured){0};
}
