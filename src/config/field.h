/* src/config/field.h
 *
 * Field tables: one row is the parser, the range check, the default, `--set`, and the line in the manual. */
#ifndef DM_CONFIG_FIELD_H
#define DM_CONFIG_FIELD_H

#include "config/doc.h"
#include "util/units.h"

typedef enum dm_kind {
    DM_KIND_REAL,   /* double; NaN when absent */
    DM_KIND_INT,    /* int64_t; 0 when absent */
    DM_KIND_BOOL,   /* bool */
    DM_KIND_TEXT,   /* const char *; NULL when absent */
    DM_KIND_CHOICE, /* int: index in choices */
    DM_KIND_FLAGS,  /* uint32_t: a bit for each name of choices that the list holds */
    DM_KIND_DTYPE,  /* dm_dtype */
    DM_KIND_OWN     /* whatever field->parse makes of it */
} dm_kind;

/* A name that a field may take, with its meaning for the manual. Tables end with a NULL name. */
typedef struct dm_choice {
    const char *name, *help;
} dm_choice;

typedef struct dm_field dm_field;

/* Where a value is read from, for messages, and who keeps its text. */
typedef struct dm_reader {
    const dm_source *source;
    dm_arena *arena;
    dm_err *err;
} dm_reader;

struct dm_field {
    const char *path; /* dotted: "memory.dram.bandwidth" */
    dm_kind kind;
    dm_unit unit;
    size_t offset;
    double min, max; /* REAL, INT: both ends allowed */
    bool required;
    const char *initial; /* default, as it would be written; NULL: absent */
    const dm_choice *choices;
    dm_status (*parse)(const dm_field *field, const dm_node *node, const dm_reader *reader, void *at);
    void (*print)(const void *at, dm_str *out); /* OWN: the value as it would be written */
    const char *help;
};

typedef struct dm_fields {
    const dm_field *row;
    size_t n;
} dm_fields;

#define DM_FIELDS(table)                                                                                     \
    {                                                                                                        \
        (table), sizeof(table) / sizeof((table)[0])                                                          \
    }

/* Set every field of `base` to its default or to "absent". Defaults are ours, so they never fail. */
void dm_fields_init(dm_fields fields, void *base);

/* Parse one value into its place in base. The label of messages is the last part of the path. */
dm_status dm_field_set(const dm_field *field, const dm_node *node, const dm_reader *reader, void *base);

/* A bare text (a CSV cell, a --shape) in place of a node. */
dm_status dm_field_set_text(const dm_field *field, dm_slice text, dm_place place, const dm_reader *reader, void *base);

/* Read a nested map by full paths. `seen`, if given, is told the index of each field set. */
typedef void (*dm_field_seen)(void *context, size_t index);
dm_status dm_fields_read(dm_fields fields, const dm_node *map, const dm_reader *reader, void *base,
                         dm_field_seen seen, void *context);

/* The first required field that is absent is an error, at the block of `map` where it belongs. */
dm_status dm_fields_require(dm_fields fields, const void *base, const dm_node *map, const dm_reader *reader);

const dm_field *dm_fields_find(dm_fields fields, dm_slice path);
bool dm_field_is_set(const dm_field *field, const void *base);

/* The value as it would be written in a file; "" when absent. */
void dm_field_print(const dm_field *field, const void *base, dm_str *out);

/* Name of a kind for the manual: "quantity", "count", "yes/no" … */
const char *dm_field_kind_text(const dm_field *field);

#endif
