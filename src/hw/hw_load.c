/* src/hw/hw_load.c
 *
 * From a file and what it extends to one dm_hw. The furthest ancestor is applied first, the device's own file last,
 * then the overrides; each field remembers which of them set it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/search.h"
#include "hw/hw.h"

enum { HW_CAP_B = 1 << 20 };

/* ---- sources ---- */

static dm_status parse_confidence(const dm_node *node, const dm_reader *reader, const char **out)
{
    static const char *const confidences[] = {"datasheet", "measured", "derived", "estimate"};
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(node->text);

    for (size_t i = 0; i < sizeof confidences / sizeof confidences[0]; i++) {
        if (dm_slice_is(node->text, confidences[i])) {
            *out = confidences[i];
            return DM_OK;
        }
        dm_nearest_offer(&nearest, confidences[i]);
    }
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                      "confidence: '%.*s' is unknown, datasheet, measured, derived or estimate is wanted%s",
                      dm_slice_shown(node->text), node->text.at, dm_nearest_text(&nearest, hint));
}

static dm_status parse_source(const dm_node *entry, const dm_reader *reader, dm_hw_source *out)
{
    const dm_node *from = entry->kind == DM_NODE_MAP ? dm_doc_get(entry, "from") : NULL;
    const dm_node *confidence = entry->kind == DM_NODE_MAP ? dm_doc_get(entry, "confidence") : NULL;

    if (from == NULL || confidence == NULL || entry->n != 2 || from->kind != DM_NODE_SCALAR ||
        from->text.len == 0 || confidence->kind != DM_NODE_SCALAR)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, entry->place,
                          "sources: {from: \"where the figures are from\", confidence: datasheet} is wanted");
    const dm_status status = parse_confidence(confidence, reader, &out->confidence);
    if (status != DM_OK)
        return status;
    out->from = dm_arena_copy(reader->arena, from->text.at, from->text.len);
    out->pattern = dm_arena_copy(reader->arena, entry->key.at, entry->key.len);
    return out->from != NULL && out->pattern != NULL ? DM_OK : dm_fail_memory(reader->err);
}

/* Does "memory.l2" cover "memory.l2.latency"? "*" covers all. */
static bool covers(const char *pattern, const char *path)
{
    const size_t n = strlen(pattern);

    return strcmp(pattern, "*") == 0 || (strncmp(path, pattern, n) == 0 && (path[n] == '\0' || path[n] == '.'));
}

static dm_status check_pattern(const dm_node *entry, const dm_reader *reader, const char *pattern)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(entry->key);

    for (size_t i = 0; i < dm_hw_fields.n; i++)
        if (covers(pattern, dm_hw_fields.row[i].path))
            return DM_OK;
    for (size_t i = 0; i < dm_hw_fields.n; i++)
        dm_nearest_offer(&nearest, dm_hw_fields.row[i].path);
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, entry->key_place, "sources: no field is called '%s'%s",
                      pattern, dm_nearest_text(&nearest, hint));
}

static dm_status parse_sources(const dm_node *map, const dm_reader *reader, dm_hw *hw, size_t file)
{
    dm_hw_source *sources;

    if (map->kind != DM_NODE_MAP)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, map->place,
                          "sources: %s where a map of field to {from, confidence} is wanted", dm_doc_kind_text(map));
    sources = dm_arena_alloc_n(&hw->arena, map->n, sizeof *sources);
    if (sources == NULL)
        return dm_fail_memory(reader->err);

    size_t n = 0;
    for (const dm_node *entry = map->first; entry != NULL; entry = entry->next, n++) {
        dm_status status = parse_source(entry, reader, &sources[n]);
        if (status == DM_OK)
            status = check_pattern(entry, reader, sources[n].pattern);
        if (status != DM_OK)
            return status;
    }
    hw->file[file].source = sources;
    hw->file[file].source_n = n;
    return DM_OK;
}

const dm_hw_source *dm_hw_source_of(const dm_hw *hw, size_t field_index)
{
    const int file = hw->set_by[field_index];
    const dm_hw_source *best = NULL;

    if (file < 0 || file >= DM_HW_FILES_MAX)
        return NULL;
    for (size_t i = 0; i < hw->file[file].source_n; i++) {
        const dm_hw_source *source = &hw->file[file].source[i];
        const bool longer = best == NULL || strcmp(best->pattern, "*") == 0 ||
                            (strcmp(source->pattern, "*") != 0 && strlen(source->pattern) > strlen(best->pattern));
        if (covers(source->pattern, dm_hw_fields.row[field_index].path) && longer)
            best = source;
    }
    return best;
}

size_t dm_hw_unsourced(const dm_hw *hw, const char **first)
{
    size_t n = 0;

    for (size_t i = 0; i < dm_hw_fields.n; i++) {
        const dm_field *field = &dm_hw_fields.row[i];
        const bool is_figure = field->kind == DM_KIND_REAL || field->kind == DM_KIND_INT || field->kind == DM_KIND_OWN;
        if (!is_figure || strcmp(field->path, "schema") == 0 || hw->set_by[i] < 0 ||
            hw->set_by[i] == DM_HW_FILES_MAX || dm_hw_source_of(hw, i) != NULL)
            continue;
        if (n++ == 0 && first != NULL)
            *first = field->path;
    }
    return n;
}

/* ---- files ---- */

/* One file of the chain from the device to its furthest ancestor. */
typedef struct link {
    dm_source source;
    dm_node *root;
    dm_node *extends, *sources; /* taken out of the tree, since they are not fields */
} link;

/* Unhook an entry, so that the field reader does not see it. */
static dm_node *take(dm_node *map, const char *key)
{
    dm_node **at = &map->first;

    for (; *at != NULL; at = &(*at)->next)
        if (dm_slice_is((*at)->key, key)) {
            dm_node *entry = *at;
            *at = entry->next;
            map->n--;
            return entry;
        }
    return NULL;
}

static dm_status parse_link(const dm_source *source, dm_arena *arena, link *out, dm_err *err)
{
    out->source = *source;
    const dm_status status = dm_doc_parse(&out->source, arena, &out->root, err);

    if (status != DM_OK)
        return status;
    out->extends = take(out->root, "extends");
    out->sources = take(out->root, "sources");
    if (out->extends != NULL && (out->extends->kind != DM_NODE_SCALAR || out->extends->text.len == 0))
        return dm_fail_at(err, DM_ERR_INPUT, &out->source, out->extends->place,
                          "extends: the name or path of a hardware file is wanted");
    return DM_OK;
}

/* The file that `extends` names: beside the file that names it, else one of the search folders. */
static dm_status find_extended(const dm_search *search, const link *from, dm_arena *arena, const char **out,
                               dm_err *err)
{
    char name[256], hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(from->extends->text);

    if (from->extends->text.len >= sizeof name)
        return dm_fail_at(err, DM_ERR_INPUT, &from->source, from->extends->place, "extends: the name is too long");
    (void)snprintf(name, sizeof name, "%.*s", (int)from->extends->text.len, from->extends->text.at);
    const dm_status status =
        dm_search_beside(search, &dm_search_hw, name, from->source.path, arena, out, &nearest, err);
    if (status != DM_OK || *out != NULL)
        return status;
    return dm_fail_at(err, DM_ERR_INPUT, &from->source, from->extends->place,
                      "extends: no hardware file '%s' beside this one or among the shipped ones%s", name,
                      dm_nearest_text(&nearest, hint));
}

/* The text of the file that the last link extends. */
static dm_status read_extended(const dm_search *search, const link *chain, size_t n, dm_arena *arena, dm_source *out,
                               dm_err *err)
{
    const link *last = &chain[n - 1];
    const char *path;
    const dm_status status = find_extended(search, last, arena, &path, err);

    if (status != DM_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        if (strcmp(chain[i].source.path, path) == 0)
            return dm_fail_at(err, DM_ERR_INPUT, &last->source, last->extends->place,
                              "extends: '%s' is already in this chain; it would go round for ever", path);
    if (n == DM_HW_FILES_MAX)
        return dm_fail_at(err, DM_ERR_INPUT, &last->source, last->extends->place,
                          "extends: a chain of more than %d files", DM_HW_FILES_MAX);
    return dm_file_read(path, HW_CAP_B, arena, out, err);
}

/* The device's own file, whose text is given, and all that it extends. */
static dm_status read_chain(const dm_search *search, const dm_source *own, dm_arena *arena, link *chain, size_t *n,
                            dm_err *err)
{
    dm_source source = *own;
    dm_status status;

    *n = 0;
    do {
        status = parse_link(&source, arena, &chain[*n], err);
        if (status != DM_OK || chain[(*n)++].extends == NULL)
            return status;
        status = read_extended(search, chain, *n, arena, &source, err);
    } while (status == DM_OK);
    return status;
}

typedef struct marker {
    dm_hw *hw;
    signed char file;
} marker;

static void mark_seen(void *context, size_t index)
{
    const marker *m = context;

    m->hw->set_by[index] = m->file;
}

static dm_status apply_chain(dm_hw *hw, const link *chain, size_t n, dm_err *err)
{
    hw->file_n = n;
    for (size_t i = n; i-- > 0;) {
        const dm_reader reader = {&chain[i].source, &hw->arena, err};
        hw->schema = 0; /* every file states its own format and name */
        hw->name = NULL;
        marker m = {hw, (signed char)i};
        dm_status status = dm_fields_read(dm_hw_fields, chain[i].root, &reader, hw, mark_seen, &m);
        if (status == DM_OK && chain[i].sources != NULL)
            status = parse_sources(chain[i].sources, &reader, hw, i);
        if (status != DM_OK)
            return status;
    }
    const dm_reader reader = {&chain[0].source, &hw->arena, err};
    return dm_fields_require(dm_hw_fields, hw, chain[0].root, &reader);
}

/* ---- overrides ---- */

static dm_status fail_no_field(const dm_source *source, dm_slice path, dm_err *err)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(path);

    for (size_t i = 0; i < dm_hw_fields.n; i++)
        dm_nearest_offer(&nearest, dm_hw_fields.row[i].path);
    return dm_fail_at(err, DM_ERR_INPUT, source, dm_slice_place(source->text, path),
                      "no hardware field is called '%.*s'%s (dormer list fields shows them)", dm_slice_shown(path),
                      path.at, dm_nearest_text(&nearest, hint));
}

static dm_status apply_override(dm_hw *hw, const char *text, dm_err *err)
{
    const dm_source source = {"--set", text, strlen(text)};
    const dm_reader reader = {&source, &hw->arena, err};
    const char *equals = strchr(text, '=');

    if (equals == NULL)
        return dm_fail_at(err, DM_ERR_USAGE, &source, dm_slice_place(text, (dm_slice){text, source.len}),
                          "path=value is wanted (such as memory.dram.bandwidth='4.8 TB/s')");
    const dm_slice path = dm_slice_trim((dm_slice){text, (size_t)(equals - text)});
    const dm_slice value = dm_slice_trim((dm_slice){equals + 1, strlen(equals + 1)});
    const dm_field *field = dm_fields_find(dm_hw_fields, path);
    if (field == NULL)
        return fail_no_field(&source, path, err);

    const dm_status status = dm_field_set_text(field, value, dm_slice_place(text, value), &reader, hw);
    if (status == DM_OK)
        hw->set_by[field - dm_hw_fields.row] = DM_HW_FILES_MAX;
    return status;
}

/* ---- cross-field checks ---- */

/* All that a device was made from. */
typedef struct origin {
    const link *chain;
    size_t chain_n;
    const dm_override *overrides;
    size_t override_n;
} origin;

/* Fail where the field at `path` was set: in a file, or by the last override of it. */
static dm_status fail_field(const dm_hw *hw, const origin *from, const char *path, const char *message, dm_err *err)
{
    const dm_field *field = dm_fields_find(dm_hw_fields, (dm_slice){path, strlen(path)});
    const int file = hw->set_by[field - dm_hw_fields.row];

    for (size_t i = from->override_n; i-- > 0 && file == DM_HW_FILES_MAX;) {
        const char *text = from->overrides[i].text;
        const dm_source source = {"--set", text, strlen(text)};
        if (dm_slice_is(dm_slice_trim((dm_slice){text, strcspn(text, "=")}), path))
            return dm_fail_at(err, DM_ERR_INPUT, &source, dm_slice_place(text, (dm_slice){text, source.len}),
                              "%s: %s", path, message);
    }
    const link *set_in = &from->chain[file >= 0 && (size_t)file < from->chain_n ? file : 0];
    return dm_fail_at(err, DM_ERR_INPUT, &set_in->source, dm_doc_nearest(set_in->root, path)->place, "%s: %s", path,
                      message);
}

/* Comparisons with an absent value are false. */
static dm_status check_pairs(const dm_hw *hw, const origin *from, dm_err *err)
{
    const struct {
        bool wrong;
        const char *path, *message;
    } rules[] = {
        {hw->core_full_n != 0 && hw->core_full_n < hw->core_n, "compute.cores", "more than compute.cores_full"},
        {hw->clock_base_Hz > hw->clock_boost_Hz, "clocks.base", "above clocks.boost"},
        {hw->tile_m_max != 0 && hw->tile_m_min > hw->tile_m_max, "compute.tile.m_min", "above compute.tile.m_max"},
        {hw->tile_n_max != 0 && hw->tile_n_min > hw->tile_n_max, "compute.tile.n_min", "above compute.tile.n_max"},
        {hw->tile_area_max != 0 && hw->tile_area_min > hw->tile_area_max, "compute.tile.area_min",
         "above compute.tile.area_max"},
        {hw->l2_far_latency_s < hw->l2_latency_s, "memory.l2.far_latency", "below memory.l2.latency"},
        {hw->idle_W > hw->tdp_W, "power.idle", "above power.tdp"},
        {hw->active_idle_W > hw->tdp_W, "power.active_idle", "above power.tdp"},
        {hw->idle_W > hw->active_idle_W, "power.idle", "above power.active_idle"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return fail_field(hw, from, rules[i].path, rules[i].message, err);
    return DM_OK;
}

static dm_status build(const dm_search *search, const dm_source *own, const dm_override *overrides, size_t override_n,
                       dm_hw *hw, dm_err *err)
{
    link *chain = dm_arena_alloc_n(&hw->arena, DM_HW_FILES_MAX, sizeof *chain);
    size_t n;

    if (chain == NULL)
        return dm_fail_memory(err);
    dm_status status = read_chain(search, own, &hw->arena, chain, &n, err);
    if (status == DM_OK)
        status = apply_chain(hw, chain, n, err);
    for (size_t i = 0; status == DM_OK && i < override_n; i++)
        status = apply_override(hw, overrides[i].text, err);
    return status == DM_OK ? check_pairs(hw, &(origin){chain, n, overrides, override_n}, err) : status;
}

static dm_hw *new_hw(void)
{
    dm_hw *hw = calloc(1, sizeof *hw);

    if (hw == NULL)
        return NULL;
    dm_fields_init(dm_hw_fields, hw);
    memset(hw->set_by, -1, sizeof hw->set_by);
    return hw;
}

dm_status dm_hw_parse(const dm_search *search, const dm_source *source, dm_hw **out, dm_err *err)
{
    dm_hw *hw = new_hw();

    if (hw == NULL)
        return dm_fail_memory(err);
    const dm_status status = build(search, source, NULL, 0, hw, err);
    if (status == DM_OK)
        *out = hw;
    else
        dm_hw_free(hw);
    return status;
}

dm_status dm_hw_load(const dm_search *search, const char *name, const dm_override *overrides, size_t override_n,
                     dm_hw **out, dm_err *err)
{
    dm_hw *hw = new_hw();
    dm_source source;
    const char *path;

    if (hw == NULL)
        return dm_fail_memory(err);
    dm_status status = dm_search_find(search, &dm_search_hw, name, &hw->arena, &path, err);
    if (status == DM_OK)
        status = dm_file_read(path, HW_CAP_B, &hw->arena, &source, err);
    if (status == DM_OK)
        status = build(search, &source, overrides, override_n, hw, err);
    if (status == DM_OK)
        *out = hw;
    else
        dm_hw_free(hw);
    return status;
}

void dm_hw_free(dm_hw *hw)
{
    if (hw == NULL)
        return;
    dm_arena_free(&hw->arena);
    free(hw);
}

const char *dm_hw_name(const dm_hw *hw)
{
    return hw->name;
}

/* ---- asking ---- */

static const dm_field *field_at(size_t offset)
{
    for (size_t i = 0; i < dm_hw_fields.n; i++)
        if (dm_hw_fields.row[i].offset == offset)
            return &dm_hw_fields.row[i];
    return NULL;
}

dm_status dm_hw_need(const dm_hw *hw, const double *value, const char *why, dm_err *err)
{
    if (!isnan(*value))
        return DM_OK;
    const dm_field *field = field_at((size_t)((const char *)value - (const char *)hw));
    return dm_fail(err, DM_ERR_MISSING, "%s does not state %s (%s), which %s needs; --set %s='%s' would give it",
                   hw->name, field != NULL ? field->path : "a field", field != NULL ? field->help : "?", why,
                   field != NULL ? field->path : "?", field != NULL ? dm_units_example(field->unit) : "?");
}

static void print_source(const dm_hw *hw, size_t field_index, dm_str *out)
{
    const dm_hw_source *source = dm_hw_source_of(hw, field_index);
    const int file = hw->set_by[field_index];

    if (source != NULL)
        dm_str_addf(out, "%s: %s", source->confidence, source->from);
    else
        dm_str_add(out, file == DM_HW_FILES_MAX ? "--set" : file < 0 ? "default" : "given");
}

void dm_hw_print(const dm_hw *hw, bool with_sources, dm_str *out)
{
    for (size_t i = 0; i < dm_hw_fields.n; i++) {
        const size_t from = out->len;
        dm_str value = {0};

        dm_field_print(&dm_hw_fields.row[i], hw, &value);
        out->failed = out->failed || value.failed;
        if (value.len > 0) {
            dm_str_addf(out, "%s: %s", dm_hw_fields.row[i].path, value.text);
            if (with_sources) {
                const int pad = 52 - (int)(out->len - from);
                dm_str_addf(out, "%*s  # ", pad > 0 ? pad : 0, "");
                print_source(hw, i, out);
            }
            dm_str_add(out, "\n");
        }
        dm_str_fini(&value);
    }
}
