/* src/workload/workload_yaml.c
 *
 * A workload as YAML: defaults, repeated blocks, then a last block that runs once. */
#include <string.h>

#include "workload/call_parse.h"
#include "workload/workload.h"

typedef struct parse {
    const dm_source *source;
    const dm_op_table *table;
    dm_workload *workload;
    const dm_node *defaults; /* may be NULL */
    size_t room;
    dm_err *err;
} parse;

static dm_reader reader_of(const parse *p)
{
    return (dm_reader){p->source, &p->workload->arena, p->err};
}

static dm_status fail(const parse *p, dm_place place, const char *message)
{
    return dm_fail_at(p->err, DM_ERR_INPUT, p->source, place, "%s", message);
}

static dm_status fail_key(const parse *p, const dm_node *entry, const char *where, const char *const keys[])
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(entry->key);

    for (size_t i = 0; keys[i] != NULL; i++)
        dm_nearest_offer(&nearest, keys[i]);
    return dm_fail_at(p->err, DM_ERR_INPUT, p->source, entry->key_place, "unknown key '%.*s' %s%s",
                      dm_slice_shown(entry->key), entry->key.at, where, dm_nearest_text(&nearest, hint));
}

/* ---- one operator ---- */

static dm_status find_op(const parse *p, const dm_node *map, const dm_op **op, const dm_variant **variant)
{
    if (map->kind != DM_NODE_MAP)
        return fail(p, map->place, "an operator such as {op: gemm, m: 16, n: 4096, k: 4096} is wanted");
    const dm_node *name = dm_doc_get(map, "op");
    if (name == NULL || name->kind != DM_NODE_SCALAR || dm_doc_is_blank(name))
        return fail(p, name != NULL ? name->place : map->place, "'op' is missing: the operator's name");
    if (!dm_op_find(p->table, name->text, op, variant))
        return dm_op_fail_unknown(p->table, name->text, p->source, name->place, p->err);
    return DM_OK;
}

/* Names and edges are each operator's own. */
static dm_status check_defaults(const parse *p)
{
    static const char *const own[] = {"op", "name", "after"};

    if (p->defaults->kind != DM_NODE_MAP)
        return fail(p, p->defaults->place, "defaults: a map such as {dtype: bf16, launch: graph} is wanted");
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        const dm_node *entry = dm_doc_get(p->defaults, own[i]);
        if (entry != NULL)
            return dm_fail_at(p->err, DM_ERR_INPUT, p->source, entry->key_place,
                              "defaults: '%s' belongs to each operator", own[i]);
    }
    return DM_OK;
}

static dm_status apply_defaults(const parse *p, dm_op_call *call)
{
    const dm_reader reader = reader_of(p);

    for (const dm_node *entry = p->defaults != NULL ? p->defaults->first : NULL; entry != NULL; entry = entry->next) {
        bool known;
        const dm_status status = dm_op_call_set(call, entry->key, entry, &reader, &known);
        if (status != DM_OK)
            return status;
        if (!known)
            return dm_op_call_fail_key(call, entry->key, entry->key_place, &reader);
    }
    return DM_OK;
}

static dm_status set_after(const parse *p, const dm_node *list, size_t block_first, dm_op_call *call)
{
    enum { AFTER_MAX = 64 };
    dm_slice names[AFTER_MAX];
    dm_place places[AFTER_MAX];
    size_t n = 0;

    if (list->kind != DM_NODE_LIST || list->n == 0 || list->n > AFTER_MAX)
        return fail(p, list->place, "after: a list of up to 64 operators' names is wanted (such as [qkv, rope])");
    for (const dm_node *item = list->first; item != NULL; item = item->next) {
        if (item->kind != DM_NODE_SCALAR)
            return fail(p, item->place, "after: an operator's name is wanted");
        names[n] = item->text;
        places[n++] = item->place;
    }
    return dm_workload_link_after(p->workload, block_first, call, names, n, places, p->source, p->err);
}

static dm_status set_keys(const parse *p, const dm_node *map, size_t block_first, dm_op_call *call)
{
    const dm_reader reader = reader_of(p);

    for (const dm_node *entry = map->first; entry != NULL; entry = entry->next) {
        dm_status status;
        bool known = true;
        if (dm_slice_is(entry->key, "op"))
            continue;
        if (dm_slice_is(entry->key, "after"))
            status = set_after(p, entry, block_first, call);
        else
            status = dm_op_call_set(call, entry->key, entry, &reader, &known);
        if (status != DM_OK)
            return status;
        if (!known)
            return dm_op_call_fail_key(call, entry->key, entry->key_place, &reader);
    }
    return DM_OK;
}

static dm_status add_op(parse *p, const dm_node *map, const dm_block *block)
{
    const dm_reader reader = reader_of(p);
    const dm_op *op;
    const dm_variant *variant;
    dm_op_call *call;
    dm_status status = find_op(p, map, &op, &variant);

    if (status == DM_OK)
        status = dm_workload_add_call(p->workload, &p->room, &call, p->err);
    if (status != DM_OK)
        return status;
    dm_op_call_init(call, op, variant);
    call->place = map->place;
    status = apply_defaults(p, call);
    if (status == DM_OK)
        status = set_keys(p, map, block->first, call);
    if (status == DM_OK)
        status = dm_op_call_check(call, map->place, &reader);
    return status == DM_OK ? dm_workload_end_call(p->workload, call, block->repeat, p->source, p->err) : status;
}

/* ---- blocks ---- */

static dm_status add_block(parse *p, dm_block *block, int64_t repeat, const dm_node *ops)
{
    if (ops->kind != DM_NODE_LIST || ops->n == 0)
        return fail(p, ops->place, "ops: a list of at least one operator is wanted");
    block->repeat = repeat;
    block->first = p->workload->call_n;
    for (const dm_node *op = ops->first; op != NULL; op = op->next) {
        const dm_status status = add_op(p, op, block);
        if (status != DM_OK)
            return status;
    }
    block->n = p->workload->call_n - block->first;
    return DM_OK;
}

typedef struct repeat_head {
    int64_t count;
} repeat_head;

static const dm_field repeat_rows[] = {
    {"count", DM_KIND_INT, DM_UNIT_NONE, offsetof(repeat_head, count), 1, 1e12, true, NULL, NULL, NULL, NULL,
     "how often the block runs"},
};
static const dm_fields repeat_fields = DM_FIELDS(repeat_rows);

static dm_status add_repeat(parse *p, const dm_node *item, dm_block *block)
{
    static const char *const repeat_keys[] = {"count", "ops", NULL};
    const dm_reader reader = reader_of(p);
    repeat_head head = {0};
    const dm_node *ops = NULL;

    if (item->kind != DM_NODE_MAP)
        return fail(p, item->place, "repeat: blocks such as {count: 32, ops: [...]} are wanted");
    for (const dm_node *entry = item->first; entry != NULL; entry = entry->next) {
        dm_status status = DM_OK;
        if (dm_slice_is(entry->key, "ops"))
            ops = entry;
        else if (dm_slice_is(entry->key, "count"))
            status = dm_field_set(&repeat_rows[0], entry, &reader, &head);
        else
            status = fail_key(p, entry, "in a repeat block", repeat_keys);
        if (status != DM_OK)
            return status;
    }
    const dm_status status = dm_fields_require(repeat_fields, &head, item, &reader);
    if (status != DM_OK)
        return status;
    return ops != NULL ? add_block(p, block, head.count, ops)
                       : fail(p, item->place, "'ops' is missing: the block's operators");
}

static dm_status add_blocks(parse *p, const dm_node *root, const dm_node *repeat, const dm_node *ops)
{
    dm_workload *w = p->workload;

    if (repeat != NULL && (repeat->kind != DM_NODE_LIST || repeat->n == 0))
        return fail(p, repeat->place, "repeat: a list of blocks such as {count: 32, ops: [...]} is wanted");
    if (repeat == NULL && ops == NULL)
        return fail(p, root->place, "neither 'repeat' nor 'ops': the workload has no operators");
    w->block = dm_arena_alloc_n(&w->arena, (repeat != NULL ? repeat->n : 0) + 1, sizeof *w->block);
    if (w->block == NULL)
        return dm_fail_memory(p->err);
    for (const dm_node *item = repeat != NULL ? repeat->first : NULL; item != NULL; item = item->next) {
        const dm_status status = add_repeat(p, item, &w->block[w->block_n++]);
        if (status != DM_OK)
            return status;
    }
    return ops != NULL ? add_block(p, &w->block[w->block_n++], 1, ops) : DM_OK;
}

/* ---- the file ---- */

typedef struct head {
    int64_t schema;
    const char *name, *title;
} head;

static const dm_field head_rows[] = {
    {"schema", DM_KIND_INT, DM_UNIT_NONE, offsetof(head, schema), 1, 1, true, NULL, NULL, NULL, NULL,
     "version of this format; 1"},
    {"name", DM_KIND_TEXT, DM_UNIT_NONE, offsetof(head, name), 0, 0, true, NULL, NULL, NULL, NULL,
     "id of the workload; the file's name"},
    {"title", DM_KIND_TEXT, DM_UNIT_NONE, offsetof(head, title), 0, 0, false, NULL, NULL, NULL, NULL,
     "what it is, for people"},
};
static const dm_fields head_fields = DM_FIELDS(head_rows);

static dm_status read_head(parse *p, const dm_node *root, const dm_node **repeat, const dm_node **ops)
{
    static const char *const keys[] = {"schema", "name", "title", "defaults", "repeat", "ops", NULL};
    const dm_reader reader = reader_of(p);
    head h = {0};

    for (const dm_node *entry = root->first; entry != NULL; entry = entry->next) {
        const dm_field *field = dm_fields_find(head_fields, entry->key);
        dm_status status = DM_OK;
        if (field != NULL)
            status = dm_field_set(field, entry, &reader, &h);
        else if (dm_slice_is(entry->key, "defaults"))
            p->defaults = entry;
        else if (dm_slice_is(entry->key, "repeat"))
            *repeat = entry;
        else if (dm_slice_is(entry->key, "ops"))
            *ops = entry;
        else
            status = fail_key(p, entry, "at the top level", keys);
        if (status != DM_OK)
            return status;
    }
    p->workload->name = h.name;
    p->workload->title = h.title;
    const dm_status status = dm_fields_require(head_fields, &h, root, &reader);
    return status == DM_OK && p->defaults != NULL ? check_defaults(p) : status;
}

dm_status dm_workload_parse_yaml(const dm_source *source, const dm_op_table *table, dm_workload *out, dm_err *err)
{
    parse p = {.source = source, .table = table, .workload = out, .err = err};
    const dm_node *repeat = NULL, *ops = NULL;
    dm_node *root;
    dm_status status = dm_doc_parse(source, &out->arena, &root, err);

    if (status == DM_OK)
        status = read_head(&p, root, &repeat, &ops);
    return status == DM_OK ? add_blocks(&p, root, repeat, ops) : status;
}
