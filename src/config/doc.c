/* src/config/doc.c
 *
 * YAML events into a tree. Events, not libyaml's documents: they let us stop at the depth cap before the scanner's
 * quadratic cost in nesting is felt, and refuse aliases where they stand. */
#include "config/doc.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef struct builder {
    const dm_source *source;
    dm_arena *arena;
    yaml_parser_t *parser;
    dm_node *stack[DM_DOC_DEPTH_MAX]; /* open lists and maps */
    dm_node *last[DM_DOC_DEPTH_MAX];  /* last child of each */
    int depth;
    dm_node *root;
    bool have_key; /* the innermost map waits for the value of: */
    dm_slice key;
    dm_place key_place;
    dm_err *err;
} builder;

const char *dm_doc_kind_text(const dm_node *node)
{
    static const char *const texts[] = {"a value", "a list", "a map"};

    return texts[node->kind];
}

const dm_node *dm_doc_get(const dm_node *map, const char *key)
{
    for (const dm_node *entry = map->first; entry != NULL; entry = entry->next)
        if (dm_slice_is(entry->key, key))
            return entry;
    return NULL;
}

static dm_place place_of(const yaml_event_t *event)
{
    const int line = (int)event->start_mark.line + 1, col = (int)event->start_mark.column + 1;
    int width = 1;

    if (event->type == YAML_SCALAR_EVENT && event->end_mark.line == event->start_mark.line)
        width = (int)(event->end_mark.column - event->start_mark.column);
    return (dm_place){line, col, width > 0 ? width : 1};
}

static dm_status refuse(builder *b, dm_place place, const char *what)
{
    return dm_fail_at(b->err, DM_ERR_INPUT, b->source, place, "%s", what);
}

/* Hang a node on the innermost open list or map, or make it the root. */
static dm_status attach(builder *b, dm_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return DM_OK;
    }

    dm_node *parent = b->stack[b->depth - 1];
    if (parent->kind == DM_NODE_MAP) {
        if (!b->have_key) {
            if (node->kind != DM_NODE_SCALAR)
                return refuse(b, node->place, "a key must be plain text");
            b->have_key = true;
            b->key = node->text;
            b->key_place = node->place;
            return DM_OK;
        }
        b->have_key = false;
        node->key = b->key;
        node->key_place = b->key_place;
    }
    if (parent->first == NULL)
        parent->first = node;
    else
        b->last[b->depth - 1]->next = node;
    b->last[b->depth - 1] = node;
    parent->n++;
    return DM_OK;
}

static dm_status add_node(builder *b, dm_node_kind kind, const yaml_event_t *event, dm_node **out)
{
    dm_node *node = dm_arena_alloc(b->arena, sizeof *node);
    if (node == NULL)
        return dm_fail_memory(b->err);
    node->kind = kind;
    node->place = place_of(event);
    *out = node;
    return DM_OK;
}

static dm_status add_scalar(builder *b, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t len = event->data.scalar.length;
    dm_node *node = NULL;
    dm_status status = add_node(b, DM_NODE_SCALAR, event, &node);

    if (status != DM_OK)
        return status;
    if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL)
        return refuse(b, node->place, "anchors and tags are not used in these files");
    if (memchr(value, '\0', len) != NULL)
        return refuse(b, node->place, "a NUL byte in the text");
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text.at = dm_arena_copy(b->arena, value, len);
    node->text.len = len;
    return node->text.at != NULL ? attach(b, node) : dm_fail_memory(b->err);
}

static dm_status open_node(builder *b, dm_node_kind kind, const yaml_event_t *event, bool decorated)
{
    dm_node *node = NULL;
    dm_status status = add_node(b, kind, event, &node);

    if (status != DM_OK)
        return status;
    if (decorated)
        return refuse(b, node->place, "anchors and tags are not used in these files");
    if (b->depth == DM_DOC_DEPTH_MAX)
        return dm_fail_at(b->err, DM_ERR_INPUT, b->source, node->place, "nested more than %d deep", DM_DOC_DEPTH_MAX);
    status = attach(b, node);
    if (status != DM_OK)
        return status;
    if (b->depth > 0 && b->stack[b->depth - 1]->kind == DM_NODE_MAP && b->have_key)
        return refuse(b, node->place, "a key must be plain text");
    b->stack[b->depth++] = node;
    return DM_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const dm_node *x = *(dm_node *const *)a, *y = *(dm_node *const *)b;
    const size_t n = x->key.len < y->key.len ? x->key.len : y->key.len;
    const int order = memcmp(x->key.at, y->key.at, n);

    if (order != 0)
        return order;
    if (x->key.len != y->key.len)
        return x->key.len < y->key.len ? -1 : 1;
    if (x->key_place.line != y->key_place.line)
        return x->key_place.line < y->key_place.line ? -1 : 1;
    return x->key_place.col < y->key_place.col ? -1 : x->key_place.col > y->key_place.col;
}

static bool same_key(const dm_node *a, const dm_node *b)
{
    return a->key.len == b->key.len && memcmp(a->key.at, b->key.at, a->key.len) == 0;
}

/* Sorted, so that a map of a million keys costs n log n. Reports the first repetition in the file. */
static dm_status refuse_duplicates(builder *b, const dm_node *map)
{
    const dm_node *bad = NULL, *before = NULL;
    dm_node **sorted;
    size_t n = 0;

    if (map->n < 2)
        return DM_OK;
    sorted = malloc(map->n * sizeof(dm_node *));
    if (sorted == NULL)
        return dm_fail_memory(b->err);
    for (dm_node *entry = map->first; entry != NULL; entry = entry->next)
        sorted[n++] = entry;
    qsort(sorted, n, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < n; i++)
        if (same_key(sorted[i - 1], sorted[i]) && (bad == NULL || sorted[i]->key_place.line < bad->key_place.line)) {
            bad = sorted[i];
            before = sorted[i - 1];
        }
    free(sorted);

    if (bad == NULL)
        return DM_OK;
    return dm_fail_at(b->err, DM_ERR_INPUT, b->source, bad->key_place,
                      "'%.*s' is given twice; it stands already in line %d", (int)bad->key.len, bad->key.at,
                      before->key_place.line);
}

static dm_status close_node(builder *b)
{
    const dm_node *node = b->stack[--b->depth];

    return node->kind == DM_NODE_MAP ? refuse_duplicates(b, node) : DM_OK;
}

static dm_status handle(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(b, DM_NODE_LIST, event,
                         event->data.sequence_start.anchor != NULL || event->data.sequence_start.tag != NULL);
    case YAML_MAPPING_START_EVENT:
        return open_node(b, DM_NODE_MAP, event,
                         event->data.mapping_start.anchor != NULL || event->data.mapping_start.tag != NULL);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_node(b);
    case YAML_ALIAS_EVENT:
        return refuse(b, place_of(event), "aliases ('*name') are not used in these files; write the value again");
    case YAML_DOCUMENT_START_EVENT:
        return b->root == NULL ? DM_OK : refuse(b, place_of(event), "a second document; one file holds one");
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return DM_OK;
    }
    return DM_OK;
}

/* libyaml gives a mark for syntax errors and a byte offset for bad encodings. */
static dm_status syntax_error(builder *b)
{
    const yaml_parser_t *p = b->parser;
    dm_place place = {(int)p->problem_mark.line + 1, (int)p->problem_mark.column + 1, 1};

    if (p->error == YAML_MEMORY_ERROR)
        return dm_fail_memory(b->err);
    if (p->error == YAML_READER_ERROR) {
        place.line = 1;
        place.col = 1;
        for (size_t i = 0; i < p->problem_offset && i < b->source->len; i++) {
            place.col++;
            if (b->source->text[i] == '\n') {
                place.line++;
                place.col = 1;
            }
        }
    }
    return dm_fail_at(b->err, DM_ERR_INPUT, b->source, place, "not YAML: %s%s%s",
                      p->problem != NULL ? p->problem : "unreadable", p->context != NULL ? ", " : "",
                      p->context != NULL ? p->context : "");
}

static dm_status read_events(builder *b)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(b->parser, &event))
            return syntax_error(b);
        const bool last = event.type == YAML_STREAM_END_EVENT;
        const dm_status status = handle(b, &event);
        yaml_event_delete(&event);
        if (status != DM_OK || last)
            return status;
    }
}

dm_status dm_doc_parse(const dm_source *source, dm_arena *arena, dm_node **out, dm_err *err)
{
    yaml_parser_t parser;
    builder b = {.source = source, .arena = arena, .parser = &parser, .err = err};

    if (source->len > DM_DOC_CAP_B)
        return dm_fail(err, DM_ERR_INPUT, "%s: larger than %d MiB", source->path, DM_DOC_CAP_B >> 20);
    if (!yaml_parser_initialize(&parser))
        return dm_fail_memory(err);
    yaml_parser_set_input_string(&parser, (const unsigned char *)source->text, source->len);
    const dm_status status = read_events(&b);
    yaml_parser_delete(&parser);
    if (status != DM_OK)
        return status;

    if (b.root == NULL)
        return refuse(&b, (dm_place){1, 1, 1}, "the file is empty; 'schema: 1' and more is wanted");
    if (b.root->kind != DM_NODE_MAP)
        return dm_fail_at(err, DM_ERR_INPUT, source, b.root->place, "the file holds %s, a map ('key: value') is wanted",
                          dm_doc_kind_text(b.root));
    *out = b.root;
    return DM_OK;
}
