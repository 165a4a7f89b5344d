/* src/config/field.c
 *
 * Values by table: see the header. */
#include "config/field.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/dtype.h"
#include "util/num.h"

static const char *label(const dm_field *field)
{
    const char *dot = strrchr(field->path, '.');

    return dot != NULL ? dot + 1 : field->path;
}

static void *place_in(const dm_field *field, void *base)
{
    return (char *)base + field->offset;
}

static const void *value_in(const dm_field *field, const void *base)
{
    return (const char *)base + field->offset;
}

static dm_status fail_kind(const dm_field *field, const dm_node *node, const dm_reader *reader, const char *wanted)
{
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place, "%s: %s where %s is wanted", label(field),
                      dm_doc_kind_text(node), wanted);
}

static dm_status fail_quoted(const dm_field *field, const dm_node *node, const dm_reader *reader, const char *wanted)
{
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                      "%s: '%.*s' in quotes is text, %s is wanted", label(field), dm_slice_shown(node->text),
                      node->text.at, wanted);
}

/* An end of a range; counts in full, since "1e+12" takes thought. */
static void format_limit(const dm_field *field, double limit, char out[DM_UNITS_TEXT_MAX])
{
    if (field->kind == DM_KIND_INT)
        (void)snprintf(out, DM_UNITS_TEXT_MAX, "%.0f", limit);
    else
        dm_units_format(field->unit, limit, out);
}

static dm_status fail_range(const dm_field *field, const dm_node *node, const dm_reader *reader)
{
    char lo[DM_UNITS_TEXT_MAX], hi[DM_UNITS_TEXT_MAX];

    format_limit(field, field->min, lo);
    format_limit(field, field->max, hi);
    if (!(field->min < field->max))
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place, "%s: '%.*s' where %s is wanted",
                          label(field), dm_slice_shown(node->text), node->text.at, lo);
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                      "%s: '%.*s' is out of range, between %s and %s is wanted", label(field),
                      dm_slice_shown(node->text), node->text.at, lo, hi);
}

/* "a" or "a, b or c" from a table of choices. */
static void list_choices(const dm_choice *choices, char *out, size_t size)
{
    size_t len = 0;

    out[0] = '\0';
    for (const dm_choice *c = choices; c->name != NULL && len < size - 1; c++) {
        const char *join = c == choices ? "" : c[1].name == NULL ? " or " : ", ";
        const int n = snprintf(out + len, size - len, "%s%s", join, c->name);
        len += n > 0 ? (size_t)n : 0;
    }
}

static dm_status fail_choice(const dm_field *field, const dm_node *node, const dm_reader *reader)
{
    char list[256], hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(node->text);

    for (const dm_choice *c = field->choices; c->name != NULL; c++)
        dm_nearest_offer(&nearest, c->name);
    list_choices(field->choices, list, sizeof list);
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place, "%s: '%.*s' is unknown, %s is wanted%s",
                      label(field), dm_slice_shown(node->text), node->text.at, list, dm_nearest_text(&nearest, hint));
}

static int find_choice(const dm_choice *choices, dm_slice text)
{
    for (int i = 0; choices[i].name != NULL; i++)
        if (dm_slice_is(text, choices[i].name))
            return i;
    return -1;
}

static dm_status set_real(const dm_field *field, const dm_node *node, const dm_reader *reader, double *at)
{
    double value;

    /* A quantity is text by YAML's rules, so that quotes around "3.35 TB/s" change nothing. */
    if (node->quoted && field->unit == DM_UNIT_NONE)
        return fail_quoted(field, node, reader, "a bare number");
    const dm_status status =
        dm_units_parse(field->unit, node->text, label(field), reader->source, node->place, &value, reader->err);

    if (status != DM_OK)
        return status;
    if (!(value >= field->min && value <= field->max))
        return fail_range(field, node, reader);
    *at = value;
    return DM_OK;
}

static dm_status set_int(const dm_field *field, const dm_node *node, const dm_reader *reader, int64_t *at)
{
    int64_t value;

    if (node->quoted)
        return fail_quoted(field, node, reader, "a whole number");
    if (!dm_num_parse_int(node->text.at, node->text.len, &value))
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                          "%s: '%.*s' is not a whole number", label(field), dm_slice_shown(node->text), node->text.at);
    if (!((double)value >= field->min && (double)value <= field->max))
        return fail_range(field, node, reader);
    *at = value;
    return DM_OK;
}

static dm_status set_bool(const dm_field *field, const dm_node *node, const dm_reader *reader, bool *at)
{
    const dm_slice t = node->text;

    if (node->quoted)
        return fail_quoted(field, node, reader, "true or false");
    if (dm_slice_is(t, "true") || dm_slice_is(t, "1"))
        *at = true;
    else if (dm_slice_is(t, "false") || dm_slice_is(t, "0"))
        *at = false;
    else
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                          "%s: '%.*s' where true or false is wanted", label(field), dm_slice_shown(t), t.at);
    return DM_OK;
}

static dm_status set_text(const dm_field *field, const dm_node *node, const dm_reader *reader, const char **at)
{
    if (node->text.len == 0)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place, "%s: is empty", label(field));
    /* Only YAML's escapes and block texts bring them in; they would break tables and steer terminals. */
    for (size_t i = 0; i < node->text.len; i++)
        if ((unsigned char)node->text.at[i] < 0x20 || node->text.at[i] == 0x7f)
            return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                              "%s: a line break or control character in the text; one plain line is wanted",
                              label(field));
    *at = dm_arena_copy(reader->arena, node->text.at, node->text.len);
    return *at != NULL ? DM_OK : dm_fail_memory(reader->err);
}

static dm_status set_choice(const dm_field *field, const dm_node *node, const dm_reader *reader, int *at)
{
    const int i = find_choice(field->choices, node->text);

    if (i < 0)
        return fail_choice(field, node, reader);
    *at = i;
    return DM_OK;
}

static dm_status set_dtype(const dm_field *field, const dm_node *node, const dm_reader *reader, dm_dtype *at)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(node->text);

    if (dm_dtype_find(node->text, at))
        return DM_OK;
    for (int i = 0; i < DM_DTYPE_N; i++)
        dm_nearest_offer(&nearest, dm_dtype_name((dm_dtype)i));
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place, "%s: unknown storage type '%.*s'%s",
                      label(field), dm_slice_shown(node->text), node->text.at, dm_nearest_text(&nearest, hint));
}

static dm_status set_flags(const dm_field *field, const dm_node *node, const dm_reader *reader, uint32_t *at)
{
    uint32_t flags = 0;

    for (const dm_node *item = node->first; item != NULL; item = item->next) {
        if (item->kind != DM_NODE_SCALAR)
            return fail_kind(field, item, reader, "a name");
        const int i = find_choice(field->choices, item->text);
        if (i < 0)
            return fail_choice(field, item, reader);
        flags |= 1u << i;
    }
    *at = flags;
    return DM_OK;
}

static dm_status set_scalar(const dm_field *field, const dm_node *node, const dm_reader *reader, void *at)
{
    switch (field->kind) {
    case DM_KIND_REAL:
        return set_real(field, node, reader, at);
    case DM_KIND_INT:
        return set_int(field, node, reader, at);
    case DM_KIND_BOOL:
        return set_bool(field, node, reader, at);
    case DM_KIND_TEXT:
        return set_text(field, node, reader, at);
    case DM_KIND_CHOICE:
        return set_choice(field, node, reader, at);
    case DM_KIND_DTYPE:
        return set_dtype(field, node, reader, at);
    case DM_KIND_FLAGS:
    case DM_KIND_OWN:
        break;
    }
    return fail_kind(field, node, reader, "a list");
}

dm_status dm_field_set(const dm_field *field, const dm_node *node, const dm_reader *reader, void *base)
{
    void *at = place_in(field, base);

    if (field->kind == DM_KIND_OWN)
        return field->parse(field, node, reader, at);
    if (field->kind == DM_KIND_FLAGS && node->kind == DM_NODE_LIST)
        return set_flags(field, node, reader, at);
    if (node->kind != DM_NODE_SCALAR)
        return fail_kind(field, node, reader, field->kind == DM_KIND_FLAGS ? "a list" : "one value");
    if (dm_doc_is_blank(node))
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place, "%s: has no value", label(field));
    return set_scalar(field, node, reader, at);
}

dm_status dm_field_set_text(const dm_field *field, dm_slice text, dm_place place, const dm_reader *reader, void *base)
{
    const dm_node node = {.kind = DM_NODE_SCALAR, .text = text, .place = place};

    return dm_field_set(field, &node, reader, base);
}

void dm_fields_init(dm_fields fields, void *base)
{
    for (size_t i = 0; i < fields.n; i++) {
        const dm_field *field = &fields.row[i];
        void *at = place_in(field, base);

        if (field->kind == DM_KIND_REAL)
            *(double *)at = NAN;
        if (field->initial == NULL)
            continue;

        dm_err err;
        const dm_source source = {"default", field->initial, strlen(field->initial)};
        const dm_reader reader = {&source, NULL, &err};
        assert(field->kind != DM_KIND_TEXT && "a text default needs an arena");
        const dm_status status = dm_field_set_text(field, (dm_slice){field->initial, source.len}, (dm_place){1, 1, 1},
                                                   &reader, base);
        assert(status == DM_OK);
        (void)status;
    }
}

const dm_field *dm_fields_find(dm_fields fields, dm_slice path)
{
    for (size_t i = 0; i < fields.n; i++)
        if (dm_slice_is(path, fields.row[i].path))
            return &fields.row[i];
    return NULL;
}

bool dm_field_is_set(const dm_field *field, const void *base)
{
    const void *at = value_in(field, base);

    switch (field->kind) {
    case DM_KIND_REAL:
        return !isnan(*(const double *)at);
    case DM_KIND_INT:
        return *(const int64_t *)at != 0;
    case DM_KIND_TEXT:
        return *(const char *const *)at != NULL;
    case DM_KIND_FLAGS:
        return *(const uint32_t *)at != 0;
    case DM_KIND_OWN: {
        dm_str text = {0};
        field->print(at, &text);
        const bool set = text.len > 0 || text.failed;
        dm_str_fini(&text);
        return set;
    }
    case DM_KIND_BOOL:
    case DM_KIND_CHOICE:
    case DM_KIND_DTYPE:
        break;
    }
    return true;
}

dm_status dm_fields_require(dm_fields fields, const void *base, const dm_node *map, const dm_reader *reader)
{
    for (size_t i = 0; i < fields.n; i++) {
        const dm_field *field = &fields.row[i];
        if (!field->required || dm_field_is_set(field, base))
            continue;
        const char *example = dm_units_example(field->unit);
        const dm_node *near = dm_doc_nearest(map, field->path);
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, near->key.len > 0 ? near->key_place : near->place,
                          "'%s' is missing: %s%s%s%s", field->path,
                          field->help, example[0] != '\0' ? " (such as " : "", example, example[0] != '\0' ? ")" : "");
    }
    return DM_OK;
}

/* ---- nested maps ---- */

enum { PATH_MAX_LEN = 160 };

typedef struct walk {
    dm_fields fields;
    const dm_reader *reader;
    void *base;
    dm_field_seen seen;
    void *context;
} walk;

static bool is_block(dm_fields fields, const char *path)
{
    const size_t len = strlen(path);

    for (size_t i = 0; i < fields.n; i++)
        if (strncmp(fields.row[i].path, path, len) == 0 && fields.row[i].path[len] == '.')
            return true;
    return false;
}

/* Offer the names that may stand at this level: the next part of each path below the prefix. */
static void offer_level(dm_fields fields, const char *prefix, dm_nearest *nearest, char names[][64], size_t *name_n,
                        size_t name_max)
{
    const size_t len = strlen(prefix);

    for (size_t i = 0; i < fields.n && *name_n < name_max; i++) {
        const char *path = fields.row[i].path;
        if (strncmp(path, prefix, len) != 0)
            continue;
        const size_t part = strcspn(path + len, ".");
        if (part >= 64)
            continue;
        (void)snprintf(names[*name_n], 64, "%.*s", (int)part, path + len);
        dm_nearest_offer(nearest, names[*name_n]);
        (*name_n)++;
    }
}

static dm_status fail_unknown(const walk *w, const dm_node *entry, const char *prefix)
{
    char names[160][64], hint[DM_NEAREST_TEXT_MAX];
    size_t name_n = 0;
    dm_nearest nearest = dm_nearest_start(entry->key);

    offer_level(w->fields, prefix, &nearest, names, &name_n, 160);
    return dm_fail_at(w->reader->err, DM_ERR_INPUT, w->reader->source, entry->key_place,
                      "unknown key '%.*s'%s%.*s%s", dm_slice_shown(entry->key), entry->key.at,
                      prefix[0] != '\0' ? " in " : "", prefix[0] != '\0' ? (int)strlen(prefix) - 1 : 0, prefix,
                      dm_nearest_text(&nearest, hint));
}

static dm_status read_level(const walk *w, const dm_node *map, const char *prefix)
{
    for (const dm_node *entry = map->first; entry != NULL; entry = entry->next) {
        char path[PATH_MAX_LEN];
        dm_status status;

        if (strlen(prefix) + entry->key.len + 2 > sizeof path)
            return fail_unknown(w, entry, prefix);
        (void)snprintf(path, sizeof path, "%s%.*s", prefix, (int)entry->key.len, entry->key.at);

        const dm_field *field = dm_fields_find(w->fields, (dm_slice){path, strlen(path)});
        if (field != NULL) {
            status = dm_field_set(field, entry, w->reader, w->base);
            if (status == DM_OK && w->seen != NULL)
                w->seen(w->context, (size_t)(field - w->fields.row));
        } else if (!is_block(w->fields, path)) {
            status = fail_unknown(w, entry, prefix);
        } else if (entry->kind != DM_NODE_MAP) {
            status = dm_fail_at(w->reader->err, DM_ERR_INPUT, w->reader->source, entry->place,
                                "%s: %s where a map of its fields is wanted", path, dm_doc_kind_text(entry));
        } else {
            (void)strcat(path, "."); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): room was checked above */
            status = read_level(w, entry, path);
        }
        if (status != DM_OK)
            return status;
    }
    return DM_OK;
}

dm_status dm_fields_read(dm_fields fields, const dm_node *map, const dm_reader *reader, void *base, dm_field_seen seen,
                         void *context)
{
    const walk w = {fields, reader, base, seen, context};

    return read_level(&w, map, "");
}

/* ---- printing ---- */

static void print_flags(const dm_field *field, uint32_t flags, dm_str *out)
{
    const char *join = "[";

    for (int i = 0; field->choices[i].name != NULL; i++)
        if ((flags >> i & 1u) != 0) {
            dm_str_addf(out, "%s%s", join, field->choices[i].name);
            join = ", ";
        }
    if (flags != 0)
        dm_str_add(out, "]");
}

void dm_field_print(const dm_field *field, const void *base, dm_str *out)
{
    const void *at = value_in(field, base);
    char text[DM_UNITS_TEXT_MAX];

    /* An absent structure prints as nothing, and asking first would print it twice. */
    if (field->kind != DM_KIND_OWN && !dm_field_is_set(field, base))
        return;
    switch (field->kind) {
    case DM_KIND_REAL:
        dm_units_format(field->unit, *(const double *)at, text);
        dm_str_add(out, text);
        break;
    case DM_KIND_INT:
        dm_str_addf(out, "%lld", (long long)*(const int64_t *)at);
        break;
    case DM_KIND_BOOL:
        dm_str_add(out, *(const bool *)at ? "true" : "false");
        break;
    case DM_KIND_TEXT:
        dm_str_add(out, *(const char *const *)at);
        break;
    case DM_KIND_CHOICE:
        dm_str_add(out, field->choices[*(const int *)at].name);
        break;
    case DM_KIND_DTYPE:
        dm_str_add(out, dm_dtype_name(*(const dm_dtype *)at));
        break;
    case DM_KIND_FLAGS:
        print_flags(field, *(const uint32_t *)at, out);
        break;
    case DM_KIND_OWN:
        field->print(at, out);
        break;
    }
}

const char *dm_field_kind_text(const dm_field *field)
{
    switch (field->kind) {
    case DM_KIND_REAL:
        return field->unit == DM_UNIT_NONE ? "number" : "quantity";
    case DM_KIND_INT:
        return "count";
    case DM_KIND_BOOL:
        return "true/false";
    case DM_KIND_TEXT:
        return "text";
    case DM_KIND_CHOICE:
        return "name";
    case DM_KIND_FLAGS:
        return "list of names";
    case DM_KIND_DTYPE:
        return "storage type";
    case DM_KIND_OWN:
        break;
    }
    return "structure";
}
