/* src/config/doc.c
 *
 * YAML events into a tree. Events, not libyaml's documents: they let us stop at the depth cap before the scanner's
 * quadratic cost in nesting is felt, and refuse aliases where they stand. */
#include "config/doc.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/text.h"

typedef struct builder {
    const dm_source *source;
    dm_slice body; /* its text behind a byte-order mark */
    dm_arena *arena;
    yaml_parser_t *parser;
    dm_node *stack[DM_DOC_DEPTH_MAX]; /* open lists and maps */
    dm_node *last[DM_DOC_DEPTH_MAX];  /* last child of each */
    int depth, node_n;
    dm_node *root;
    dm_place wrapped;     /* start of the last text in quotes that spans lines, */
    int wrapped_end_line; /* and where it ends */
    bool have_key;        /* the innermost map waits for the value of: */
    dm_slice key;
    dm_place key_place;
    dm_err *err;
} builder;

const char *dm_doc_kind_text(const dm_node *node)
{
    static const char *const texts[] = {"a value", "a list", "a map"};

    return dm_doc_is_blank(node) ? "nothing" : texts[node->kind];
}

bool dm_doc_is_blank(const dm_node *node)
{
    return node->kind == DM_NODE_SCALAR && !node->quoted &&
           (node->text.len == 0 || dm_slice_is(node->text, "~") || dm_slice_is(node->text, "null"));
}

const dm_node *dm_doc_get(const dm_node *map, const char *key)
{
    for (const dm_node *entry = map->first; entry != NULL; entry = entry->next)
        if (dm_slice_is(entry->key, key))
            return entry;
    return NULL;
}

const dm_node *dm_doc_nearest(const dm_node *map, const char *path)
{
    for (const dm_node *entry = map->first; entry != NULL; entry = entry->next) {
        if (strncmp(path, entry->key.at, entry->key.len) != 0)
            continue;
        if (path[entry->key.len] == '\0')
            return entry;
        if (path[entry->key.len] == '.')
            return entry->kind == DM_NODE_MAP ? dm_doc_nearest(entry, path + entry->key.len + 1) : entry;
    }
    return map;
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
        if (node->kind == DM_NODE_SCALAR && node->text.len == 0 && !node->quoted)
            node->place = node->key_place;
    }
    if (parent->n == 0)
        parent->first = node;
    else
        b->last[b->depth - 1]->next = node; /* NOLINT(clang-analyzer-core.NullDereference): set below, when n was 0 */
    b->last[b->depth - 1] = node;
    parent->n++;
    return DM_OK;
}

static dm_status add_node(builder *b, dm_node_kind kind, const yaml_event_t *event, dm_node **out)
{
    dm_node *node = dm_arena_alloc(b->arena, sizeof *node);
    if (node == NULL)
        return dm_fail_memory(b->err);
    if (++b->node_n > DM_DOC_NODES_MAX)
        return dm_fail_at(b->err, DM_ERR_INPUT, b->source, place_of(event),
                          "more than %d values in one file; long workloads are better kept as CSV", DM_DOC_NODES_MAX);
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
        return refuse(b, node->place, "a NUL character in the text");
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (node->quoted && event->end_mark.line > event->start_mark.line) {
        b->wrapped = node->place;
        b->wrapped_end_line = (int)event->end_mark.line + 1;
    }
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

static int compare_places(dm_place a, dm_place b)
{
    return a.line != b.line ? (a.line > b.line) - (a.line < b.line) : (a.col > b.col) - (a.col < b.col);
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
    return compare_places(x->key_place, y->key_place);
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
    qsort(sorted, n, sizeof *sorted, compare_keys); /* NOLINT(bugprone-sizeof-expression): pointers are sorted */
    for (size_t i = 1; i < n; i++)
        if (same_key(sorted[i - 1], sorted[i]) &&
            (bad == NULL || compare_places(sorted[i]->key_place, bad->key_place) < 0)) {
            bad = sorted[i];
            before = sorted[i - 1];
        }
    free(sorted);

    if (bad == NULL || before == NULL)
        return DM_OK;
    return dm_fail_at(b->err, DM_ERR_INPUT, b->source, bad->key_place,
                      "'%.*s' is given twice; it stands already in line %d", dm_slice_shown(bad->key), bad->key.at,
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

/* libyaml's problem in a user's words; a NULL context matches any. */
static const struct complaint {
    const char *problem, *context, *message;
    enum { AT_PROBLEM, AT_START, WITHIN } where; /* START: of the text; WITHIN: a list or map, whose start is said */
} complaints[] = {
    {"found unexpected end of stream", "while scanning a quoted scalar", "a quote opens here and is never closed",
     AT_START},
    {"could not find expected ':'", NULL, "a key without ': value'", AT_START},
    {"did not find expected ',' or '}'", NULL, "',' or '}' is missing before this, in the map", WITHIN},
    {"did not find expected ',' or ']'", NULL, "',' or ']' is missing before this, in the list", WITHIN},
    {"did not find expected node content", "while parsing a flow node",
     "a value or the closing bracket is missing here", AT_PROBLEM},
    {"mapping values are not allowed in this context", NULL,
     "a ':' has no place here; check the indentation, or quote the text", AT_PROBLEM},
    {"did not find expected key", NULL,
     "a key is wanted here; check the indentation, and whether the value before is complete", AT_PROBLEM},
    {"did not find expected '-' indicator", NULL, "a '-' is wanted here, as the list above has", AT_PROBLEM},
    {"block sequence entries are not allowed in this context", NULL,
     "a '-' has no place here; a list begins on a line of its own", AT_PROBLEM},
    {"found character that cannot start any token", NULL, "a value can't start with this character unless it is quoted",
     AT_PROBLEM},
    {"did not find expected <document start>", NULL, "the file's map ended before this", AT_PROBLEM},
};

static const struct complaint *find_complaint(const yaml_parser_t *p)
{
    for (size_t i = 0; p->problem != NULL && i < sizeof complaints / sizeof complaints[0]; i++) {
        const struct complaint *c = &complaints[i];
        if (strcmp(c->problem, p->problem) == 0 &&
            (c->context == NULL || (p->context != NULL && strcmp(c->context, p->context) == 0)))
            return c;
    }
    return NULL;
}

static dm_place place_at(const yaml_mark_t *mark)
{
    return (dm_place){(int)mark->line + 1, (int)mark->column + 1, 1};
}

/* The character at a mark, which counts code points; NUL at the end of the text. */
static char char_at(const builder *b, const yaml_mark_t *mark)
{
    size_t at = 0;

    for (size_t i = 0; i < mark->index && at < b->body.len; i++)
        at += dm_utf8_len(b->body.at + at, b->body.len - at);
    return at < b->body.len ? b->body.at[at] : '\0';
}

static dm_status syntax_error(builder *b)
{
    const yaml_parser_t *p = b->parser;
    const struct complaint *c = find_complaint(p);
    const char found = char_at(b, &p->problem_mark);

    if (p->error == YAML_MEMORY_ERROR)
        return dm_fail_memory(b->err);
    if (b->wrapped_end_line == (int)p->problem_mark.line + 1)
        return dm_fail_at(b->err, DM_ERR_INPUT, b->source, b->wrapped,
                          "the quote that opens here is closed by one in line %d; is its own missing?",
                          b->wrapped_end_line);
    if (c == NULL)
        return dm_fail_at(b->err, DM_ERR_INPUT, b->source, place_at(&p->problem_mark), "not YAML: %s%s%s",
                          p->problem != NULL ? p->problem : "unreadable", p->context != NULL ? ", " : "",
                          p->context != NULL ? p->context : "");
    if (c->where == AT_START)
        return refuse(b, place_at(&p->context_mark), c->message);
    if (found == '\0' && b->depth > 0)
        return refuse(b, b->stack[b->depth - 1]->place, "what opens here is not closed before the file ends");
    if (found == '\t')
        return refuse(b, place_at(&p->problem_mark), "a tab; indent with spaces");
    if (c->where == WITHIN && p->context_mark.line != p->problem_mark.line)
        return dm_fail_at(b->err, DM_ERR_INPUT, b->source, place_at(&p->problem_mark), "%s that opens in line %d",
                          c->message, (int)p->context_mark.line + 1);
    return refuse(b, place_at(&p->problem_mark), c->message);
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
    static const char bom[] = "\xef\xbb\xbf";
    const size_t skipped = source->len >= 3 && memcmp(source->text, bom, 3) == 0 ? 3 : 0;
    yaml_parser_t parser;
    builder b = {.source = source,
                 .body = {source->text + skipped, source->len - skipped},
                 .arena = arena,
                 .parser = &parser,
                 .err = err};

    if (source->len > DM_DOC_CAP_B)
        return dm_fail(err, DM_ERR_INPUT, "%s: larger than %d MiB", source->path, DM_DOC_CAP_B >> 20);
    dm_status status = dm_text_check(source, err);
    if (status != DM_OK)
        return status;
    if (!yaml_parser_initialize(&parser))
        return dm_fail_memory(err);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)b.body.at, b.body.len);
    status = read_events(&b);
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
