/* src/cli/cmd_list.c
 *
 * dormer list: what there is. Each subject is a row; each gives rows of named texts, shown as a table or as JSON. */
#include <string.h>

#include "cli/common.h"
#include "config/search.h"
#include "hw/hw.h"
#include "lower/launch.h"
#include "lower/params.h"
#include "util/num.h"
#include "workload/call_parse.h"

enum { COLUMNS_MAX = 6 };

/* A table being filled; cells are copied into the arena. */
typedef struct listing {
    dm_arena *arena;
    const char *const *column; /* names, also the JSON keys */
    size_t column_n, row_n, room;
    const char **cell;
} listing;

static void add_row(listing *l, const char *const cells[])
{
    if (l->row_n == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 64;
        const char **grown = dm_arena_alloc_n(l->arena, room * l->column_n, sizeof *grown);
        if (grown == NULL)
            return;
        if (l->row_n > 0)
            memcpy(grown, l->cell, l->row_n * l->column_n * sizeof *grown);
        l->cell = grown;
        l->room = room;
    }
    for (size_t i = 0; i < l->column_n; i++)
        l->cell[l->row_n * l->column_n + i] = dm_arena_copy(l->arena, cells[i], strlen(cells[i]));
    l->row_n++;
}

/* ---- subjects ---- */

static dm_status list_hw(listing *l, dm_err *err)
{
    const char **names;
    size_t n;
    dm_status status = dm_search_list(dm_cli_search(), &dm_search_hw, l->arena, &names, &n, err);

    for (size_t i = 0; status == DM_OK && i < n; i++) {
        dm_hw *hw;
        status = dm_hw_load(dm_cli_search(), names[i], NULL, 0, &hw, err);
        if (status != DM_OK)
            break;
        const char *cells[] = {names[i], hw->architecture != NULL ? hw->architecture : "",
                               hw->title != NULL ? hw->title : ""};
        add_row(l, cells);
        dm_hw_free(hw);
    }
    return status;
}

static dm_status list_workloads(listing *l, dm_err *err)
{
    const char **names;
    size_t n;
    dm_status status = dm_search_list(dm_cli_search(), &dm_search_workload, l->arena, &names, &n, err);

    for (size_t i = 0; status == DM_OK && i < n; i++) {
        dm_workload *workload;
        status = dm_workload_load(dm_cli_search(), names[i], &workload, err);
        if (status != DM_OK)
            break;
        char ops[24];
        (void)snprintf(ops, sizeof ops, "%zu", dm_workload_op_n(workload));
        const char *title = dm_workload_title(workload);
        add_row(l, (const char *const[]){names[i], ops, title != NULL ? title : ""});
        dm_workload_free(workload);
    }
    return status;
}

static dm_status list_calibrations(listing *l, dm_err *err)
{
    const char **names;
    size_t n;
    const dm_status status = dm_search_list(dm_cli_search(), &dm_search_calibration, l->arena, &names, &n, err);

    for (size_t i = 0; status == DM_OK && i < n; i++)
        add_row(l, (const char *const[]){names[i]});
    return status;
}

/* "m n k [batch=1]": required fields, and the others with their defaults. */
static const char *shape_of(const dm_op *op, dm_arena *arena)
{
    dm_str text = {0};

    for (size_t i = 0; i < op->fields.n; i++) {
        const dm_field *f = &op->fields.row[i];
        const char *between = i > 0 ? " " : "";
        if (f->required)
            dm_str_addf(&text, "%s%s", between, f->path);
        else
            dm_str_addf(&text, "%s[%s%s%s]", between, f->path, f->initial != NULL ? "=" : "",
                        f->initial != NULL ? f->initial : "");
    }
    const char *copy = dm_arena_copy(arena, text.text != NULL ? text.text : "", text.len);
    dm_str_fini(&text);
    return copy != NULL ? copy : "";
}

static dm_status list_ops(listing *l, dm_err *err)
{
    (void)err;
    for (size_t i = 0; i < dm_ops.n; i++) {
        const dm_op *op = dm_ops.op[i];
        const char *shape = shape_of(op, l->arena);
        add_row(l, (const char *const[]){op->name, shape, op->help});
        for (const dm_variant *v = op->variants; v != NULL && v->name != NULL; v++)
            add_row(l, (const char *const[]){v->name, shape, v->help});
    }
    return DM_OK;
}

static void add_fields(listing *l, dm_fields fields)
{
    for (size_t i = 0; i < fields.n; i++) {
        const dm_field *f = &fields.row[i];
        add_row(l, (const char *const[]){f->path, dm_field_kind_text(f), dm_units_example(f->unit),
                                         f->required ? "yes" : "", f->initial != NULL ? f->initial : "", f->help});
    }
}

static dm_status list_fields(listing *l, dm_err *err)
{
    (void)err;
    add_fields(l, dm_hw_fields);
    return DM_OK;
}

static dm_status list_keys(listing *l, dm_err *err)
{
    (void)err;
    add_fields(l, dm_call_fields);
    return DM_OK;
}

static dm_status list_shapes(listing *l, dm_err *err)
{
    (void)err;
    for (size_t i = 0; i < dm_ops.n; i++)
        for (size_t j = 0; j < dm_ops.op[i]->fields.n; j++) {
            const dm_field *f = &dm_ops.op[i]->fields.row[j];
            add_row(l, (const char *const[]){dm_ops.op[i]->name, f->path, dm_field_kind_text(f),
                                             f->required ? "yes" : "", f->initial != NULL ? f->initial : "", f->help});
        }
    return DM_OK;
}

static void add_choices(listing *l, dm_fields fields, const char *of)
{
    for (size_t i = 0; i < fields.n; i++)
        for (const dm_choice *c = fields.row[i].choices; c != NULL && c->name != NULL; c++)
            add_row(l, (const char *const[]){of, fields.row[i].path, c->name, c->help != NULL ? c->help : ""});
}

static dm_status list_choices(listing *l, dm_err *err)
{
    (void)err;
    add_choices(l, dm_hw_fields, "hardware");
    add_choices(l, dm_call_fields, "operator");
    for (size_t i = 0; i < dm_ops.n; i++)
        add_choices(l, dm_ops.op[i]->fields, dm_ops.op[i]->name);
    return DM_OK;
}

static dm_status list_params(listing *l, dm_err *err)
{
    (void)err;
    for (size_t i = 0; i < dm_param_n; i++) {
        const dm_param_row *p = &dm_param_rows[i];
        char value[DM_NUM_TEXT_MAX], range[2 * DM_NUM_TEXT_MAX + 8], lo[DM_NUM_TEXT_MAX], hi[DM_NUM_TEXT_MAX];
        dm_num_format(p->initial, value);
        dm_num_format(p->min, lo);
        dm_num_format(p->max, hi);
        (void)snprintf(range, sizeof range, "%s .. %s", lo, hi);
        add_row(l, (const char *const[]){p->name, value, p->unit, range, p->meaning, p->source});
    }
    return DM_OK;
}

static dm_status list_dtypes(listing *l, dm_err *err)
{
    (void)err;
    for (size_t i = 0; i < dm_recipe_n; i++) {
        const dm_recipe *r = &dm_recipes[i];
        add_row(l, (const char *const[]){r->name, dm_dtype_name(r->weight), dm_dtype_name(r->activation),
                                         dm_dtype_name(r->output), dm_math_name(r->math), r->help});
    }
    return DM_OK;
}

#define COLUMNS(...) (const char *const[]){__VA_ARGS__, NULL}

static const struct subject {
    const char *name, *help;
    const char *const *columns;
    dm_status (*list)(listing *l, dm_err *err);
} subjects[] = {
    {"hw", "devices that are shipped", COLUMNS("name", "architecture", "title"), list_hw},
    {"ops", "operators and their shapes", COLUMNS("name", "shape", "help"), list_ops},
    {"workloads", "workloads that are shipped", COLUMNS("name", "ops", "title"), list_workloads},
    {"calibrations", "calibrations that are shipped", COLUMNS("name"), list_calibrations},
    {"fields", "fields of a hardware file", COLUMNS("field", "kind", "example", "required", "default", "help"),
     list_fields},
    {"keys", "keys that every operator takes", COLUMNS("key", "kind", "example", "required", "default", "help"),
     list_keys},
    {"shapes", "shape of each operator, field by field",
     COLUMNS("op", "field", "kind", "required", "default", "help"), list_shapes},
    {"choices", "names that a field takes", COLUMNS("of", "field", "name", "meaning"), list_choices},
    {"dtypes", "dtype recipes", COLUMNS("name", "weight", "activation", "output", "math", "help"), list_dtypes},
    {"params", "parameters of the analytic model",
     COLUMNS("name", "value", "unit", "range", "meaning", "source"), list_params},
};

enum { SUBJECT_N = sizeof subjects / sizeof subjects[0] };

/* ---- showing ---- */

static int show_json(const struct subject *s, const listing *l)
{
    dm_json json = {0};

    dm_json_open(&json, NULL, '{');
    dm_json_int(&json, "schema", 1);
    dm_json_open(&json, s->name, '[');
    for (size_t r = 0; r < l->row_n; r++) {
        dm_json_open(&json, NULL, '{');
        for (size_t c = 0; c < l->column_n; c++)
            dm_json_text(&json, l->column[c], l->cell[r * l->column_n + c]);
        dm_json_close(&json, '}');
    }
    dm_json_close(&json, ']');
    dm_json_close(&json, '}');
    return dm_cli_print_json(&json);
}

static size_t width_of(const listing *l, size_t c)
{
    size_t width = strlen(l->column[c]);

    for (size_t r = 0; r < l->row_n; r++) {
        const size_t len = strlen(l->cell[r * l->column_n + c]);
        width = len > width ? len : width;
    }
    return width;
}

static void add_line(const listing *l, const char *const *cells, const size_t width[], dm_str *out)
{
    for (size_t c = 0; c + 1 < l->column_n; c++)
        dm_str_addf(out, "%-*s  ", (int)width[c], cells[c]);
    dm_str_addf(out, "%s\n", cells[l->column_n - 1]);
}

static int show_table(const listing *l)
{
    size_t width[COLUMNS_MAX];
    dm_str text = {0};

    for (size_t c = 0; c < l->column_n; c++)
        width[c] = width_of(l, c);
    add_line(l, l->column, width, &text);
    for (size_t r = 0; r < l->row_n; r++)
        add_line(l, l->cell + r * l->column_n, width, &text);
    return dm_cli_print(&text);
}

static int show_subject(const struct subject *s, bool as_json)
{
    dm_arena arena = {0};
    listing l = {.arena = &arena, .column = s->columns};
    dm_err err;
    int code;

    while (l.column[l.column_n] != NULL)
        l.column_n++;
    if (s->list(&l, &err) != DM_OK)
        code = dm_cli_fail(&err);
    else
        code = as_json ? show_json(s, &l) : show_table(&l);
    dm_arena_free(&arena);
    return code;
}

static int fail_unknown(const char *name)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start((dm_slice){name, strlen(name)});

    for (int i = 0; i < SUBJECT_N; i++)
        dm_nearest_offer(&nearest, subjects[i].name);
    return dm_cli_usage("list: nothing is called '%.60s'%s (hw, ops, workloads, calibrations, fields, keys, shapes, choices, dtypes, params)", name,
                        dm_nearest_text(&nearest, hint));
}

static int list_verb(const dm_options *options)
{
    if (options->words.n != 1)
        return dm_cli_usage("list wants one of hw, ops, workloads, calibrations, fields, keys, shapes, choices, dtypes, params");
    for (int i = 0; i < SUBJECT_N; i++)
        if (strcmp(subjects[i].name, options->words.at[0]) == 0)
            return show_subject(&subjects[i], options->json);
    return fail_unknown(options->words.at[0]);
}

static const char *const options_taken[] = {"json", "help", NULL};

const dm_verb dm_verb_list = {
    "list",
    "show what there is: hw, ops, workloads, calibrations, fields, keys, shapes, choices, dtypes, params",
    "SUBJECT [--json]",
    options_taken,
    "what to list",
    "  dormer list hw\n"
    "  dormer list fields --json\n",
    list_verb,
};
