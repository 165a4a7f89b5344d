/* src/workload/workload_csv.c
 *
 * A workload as CSV, for traces of many rows: one operator a row, in one block. A blank cell leaves the default; a
 * column that the row's operator does not take must be blank in that row. */
#include <string.h>

#include "config/csv.h"
#include "workload/call_parse.h"
#include "workload/workload.h"

typedef struct parse {
    dm_csv csv;
    const dm_op_table *table;
    dm_workload *workload;
    size_t room, op_column;
    dm_err *err;
} parse;

static dm_status find_op_column(parse *p)
{
    if (dm_csv_find(&p->csv, "op", &p->op_column))
        return DM_OK;
    return dm_fail_at(p->err, DM_ERR_INPUT, p->csv.source, p->csv.row_place, "column 'op' is missing");
}

/* A column that no operator takes is a typo, also where its cells are blank. */
static dm_status check_columns(const parse *p)
{
    const dm_reader reader = {p->csv.source, &p->workload->arena, p->err};

    for (size_t i = 0; i < p->csv.column_n; i++) {
        const dm_cell *column = &p->csv.header[i];
        const bool own = i == p->op_column || dm_slice_is(column->text, "after");
        if (!own && !dm_op_call_any_takes(p->table, column->text))
            return dm_op_call_fail_column(p->table, column->text, column->place, &reader);
    }
    return DM_OK;
}

/* "qkv rope" or "qkv;rope": the names that a row waits for. */
static dm_status set_after(parse *p, const dm_cell *cell, dm_op_call *call)
{
    enum { AFTER_MAX = 64 };
    dm_slice names[AFTER_MAX];
    dm_place places[AFTER_MAX];
    size_t n = 0, at = 0;

    while (at < cell->text.len) {
        const size_t from = at;
        while (at < cell->text.len && cell->text.at[at] != ' ' && cell->text.at[at] != ';')
            at++;
        if (at > from && n == AFTER_MAX)
            return dm_fail_at(p->err, DM_ERR_INPUT, p->csv.source, cell->place, "after: more than %d names", AFTER_MAX);
        if (at > from) {
            names[n] = (dm_slice){cell->text.at + from, at - from};
            places[n++] = (dm_place){cell->place.line, cell->place.col + (int)from, (int)(at - from)};
        }
        at++;
    }
    return dm_workload_link_after(p->workload, 0, call, names, n, places, p->csv.source, p->err);
}

static dm_status set_cells(parse *p, dm_op_call *call)
{
    const dm_reader reader = {p->csv.source, &p->workload->arena, p->err};

    for (size_t i = 0; i < p->csv.column_n; i++) {
        const dm_cell *cell = &p->csv.row[i];
        const dm_node value = {.kind = DM_NODE_SCALAR, .text = cell->text, .place = cell->place};
        dm_status status;
        bool known = true;
        if (i == p->op_column || cell->text.len == 0)
            continue;
        if (dm_slice_is(p->csv.header[i].text, "after"))
            status = set_after(p, cell, call);
        else
            status = dm_op_call_set(call, p->csv.header[i].text, &value, &reader, &known);
        if (status != DM_OK)
            return status;
        if (!known)
            return dm_fail_at(p->err, DM_ERR_INPUT, p->csv.source, cell->place,
                              "%s takes no '%.*s'; a blank cell is wanted", dm_op_call_op_name(call),
                              dm_slice_shown(p->csv.header[i].text), p->csv.header[i].text.at);
    }
    return dm_op_call_check_row(call, &p->csv, &reader);
}

static dm_status add_row(parse *p)
{
    const dm_cell *name = &p->csv.row[p->op_column];
    const dm_op *op;
    const dm_variant *variant;
    dm_op_call *call;

    if (name->text.len == 0)
        return dm_fail_at(p->err, DM_ERR_INPUT, p->csv.source, name->place, "op: the cell is blank");
    if (!dm_op_find(p->table, name->text, &op, &variant))
        return dm_op_fail_unknown(p->table, name->text, p->csv.source, name->place, p->err);
    const dm_status status = dm_workload_add_call(p->workload, &p->room, &call, p->err);
    if (status != DM_OK)
        return status;
    dm_op_call_init(call, op, variant);
    call->place = p->csv.row_place;
    const dm_status set = set_cells(p, call);
    return set == DM_OK ? dm_workload_end_call(p->workload, call, 1, p->csv.source, p->err) : set;
}

/* The file's name without folder and ending. */
static const char *stem(const char *path, dm_arena *arena)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path, *dot = strrchr(base, '.');

    return dm_arena_copy(arena, base, dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base));
}

dm_status dm_workload_parse_csv(const dm_source *source, const dm_op_table *table, dm_workload *out, dm_err *err)
{
    parse p = {.table = table, .workload = out, .err = err};
    dm_status status = dm_csv_open(&p.csv, source, &out->arena, err);

    if (status == DM_OK)
        status = find_op_column(&p);
    if (status == DM_OK)
        status = check_columns(&p);
    for (bool more = true; status == DM_OK;) {
        status = dm_csv_next(&p.csv, &more, err);
        if (!more)
            break;
        if (status == DM_OK)
            status = add_row(&p);
    }
    if (status != DM_OK)
        return status;
    if (out->call_n == 0)
        return dm_fail_at(err, DM_ERR_INPUT, source, p.csv.row_place, "no rows below the header");

    out->name = stem(source->path, &out->arena);
    out->block = dm_arena_alloc(&out->arena, sizeof *out->block);
    if (out->name == NULL || out->block == NULL)
        return dm_fail_memory(err);
    *out->block = (dm_block){.repeat = 1, .first = 0, .n = out->call_n};
    out->block_n = 1;
    return DM_OK;
}
