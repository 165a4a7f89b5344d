/* src/config/doc.h
 *
 * A YAML file as a tree with the place of every node: the only door to libyaml.
 *
 * Stricter than YAML where YAML lets mistakes through: one document, no duplicate keys, no aliases or tags, keys are
 * plain text, depth, size and the number of values are capped. Everything belongs to the arena given. */
#ifndef DM_CONFIG_DOC_H
#define DM_CONFIG_DOC_H

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"

typedef enum dm_node_kind { DM_NODE_SCALAR, DM_NODE_LIST, DM_NODE_MAP } dm_node_kind;

typedef struct dm_node dm_node;
struct dm_node {
    dm_node_kind kind;
    bool quoted;     /* scalar: written in quotes, so text and never a number */
    dm_place place;  /* of the value; where there is none, of its key */
    dm_slice text;   /* scalar */
    dm_slice key;    /* of a map's entry */
    dm_place key_place;
    dm_node *first;  /* children of a list or map, in the file's order */
    dm_node *next;   /* sibling */
    size_t n;        /* children */
};

enum { DM_DOC_CAP_B = 64 << 20, DM_DOC_DEPTH_MAX = 24, DM_DOC_NODES_MAX = 4000000 };

/* Parse a text. The root of a good document is a map. */
dm_status dm_doc_parse(const dm_source *source, dm_arena *arena, dm_node **out, dm_err *err);

/* Entry of a map by key; NULL if there is none. */
const dm_node *dm_doc_get(const dm_node *map, const char *key);

/* Nothing stands behind the key or dash, or YAML's word for nothing. */
bool dm_doc_is_blank(const dm_node *node);

/* The node at a dotted path below a map, or the nearest map on the way that exists. */
const dm_node *dm_doc_nearest(const dm_node *map, const char *path);

/* "a map", "a list", "a value", "nothing": for messages. */
const char *dm_doc_kind_text(const dm_node *node);

#endif
