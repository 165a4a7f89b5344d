/* src/workload/call_parse.c
 *
 * Keys of an operator call: see the header. */
#include "workload/call_parse.h"

#include <string.h>

#define CALL(member) offsetof(dm_op_call, member)

/* clang-format off */
static const dm_field rows[] = {
    {"name", DM_KIND_TEXT, DM_UNIT_NONE, CALL(name), 0, 0, false, NULL, NULL, NULL, NULL, "label of this operator"},
    {"count", DM_KIND_INT, DM_UNIT_NONE, CALL(count), 1, 1e12, false, NULL, NULL, NULL, NULL, "how often it runs"},
    {"stream", DM_KIND_INT, DM_UNIT_NONE, CALL(stream), 0, 1023, false, NULL, NULL, NULL, NULL, "operators of a stream follow each other"},
    {"stack", DM_KIND_TEXT, DM_UNIT_NONE, CALL(stack), 0, 0, false, NULL, NULL, NULL, NULL, "framework and version whose kernel runs"},
    {"launch", DM_KIND_CHOICE, DM_UNIT_NONE, CALL(conditions.launch), 0, 0, false, NULL, dm_launch_choices, NULL, NULL, "how the kernel is launched"},
    {"residency", DM_KIND_CHOICE, DM_UNIT_NONE, CALL(conditions.residency), 0, 0, false, NULL, dm_residency_choices, NULL, NULL, "what starts in L2"},
    {"weight_copies", DM_KIND_INT, DM_UNIT_NONE, CALL(conditions.weight_copies), 1, 1e6, false, NULL, NULL, NULL, NULL, "distinct weight tensors that a measuring loop walks through"},
    {"loop_s", DM_KIND_REAL, DM_UNIT_NONE, CALL(conditions.loop_s), 1e-9, 1e6, false, NULL, NULL, NULL, NULL, "seconds that the operator runs back to back"},
    {"power_limit_w", DM_KIND_REAL, DM_UNIT_NONE, CALL(conditions.power_limit_W), 1e-3, 1e6, false, NULL, NULL, NULL, NULL, "power limit in watts during the run"},
};
/* clang-format on */

const dm_fields dm_call_fields = DM_FIELDS(rows);

dm_status dm_op_call_set(dm_op_call *call, dm_slice key, const dm_node *value, const dm_reader *reader, bool *known)
{
    const dm_field *field = dm_fields_find(call->op->fields, key);

    *known = true;
    if (field != NULL)
        return dm_field_set(field, value, reader, call->args);
    field = dm_fields_find(dm_call_fields, key);
    if (field != NULL)
        return dm_field_set(field, value, reader, call);
    if (!dm_slice_is(key, "dtype")) {
        *known = false;
        return DM_OK;
    }
    if (value->kind != DM_NODE_SCALAR)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, value->place, "dtype: %s where a name is wanted",
                          dm_doc_kind_text(value));
    return dm_recipe_parse(value->text, reader->source, value->place, &call->recipe, reader->err);
}

static void offer_fields(dm_fields fields, dm_nearest *nearest)
{
    for (size_t i = 0; i < fields.n; i++)
        dm_nearest_offer(nearest, fields.row[i].path);
}

dm_status dm_op_call_fail_key(const dm_op_call *call, dm_slice key, dm_place place, const dm_reader *reader)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(key);

    offer_fields(call->op->fields, &nearest);
    offer_fields(dm_call_fields, &nearest);
    dm_nearest_offer(&nearest, "dtype");
    if (!dm_slice_is(key, "after")) /* only files take it */
        dm_nearest_offer(&nearest, "after");
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, place, "%s takes no '%.*s'%s",
                      dm_op_call_op_name(call), dm_slice_shown(key), key.at, dm_nearest_text(&nearest, hint));
}

bool dm_op_call_any_takes(const dm_op_table *table, dm_slice key)
{
    for (size_t i = 0; i < table->n; i++)
        if (dm_fields_find(table->op[i]->fields, key) != NULL)
            return true;
    return dm_slice_is(key, "dtype") || dm_fields_find(dm_call_fields, key) != NULL;
}

dm_status dm_op_call_fail_column(const dm_op_table *table, dm_slice key, dm_place place, const dm_reader *reader)
{
    static const char *const others[] = {"op", "dtype", "after"};
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(key);

    for (size_t i = 0; i < table->n; i++)
        offer_fields(table->op[i]->fields, &nearest);
    offer_fields(dm_call_fields, &nearest);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        dm_nearest_offer(&nearest, others[i]);
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, place, "no operator takes '%.*s'%s",
                      dm_slice_shown(key), key.at, dm_nearest_text(&nearest, hint));
}

dm_status dm_op_call_check_row(const dm_op_call *call, const dm_csv *csv, const dm_reader *reader)
{
    const dm_field *missing = dm_op_call_missing(call);
    size_t column;
    const bool has_cell = missing != NULL && dm_csv_find(csv, missing->path, &column);

    return dm_op_call_check(call, has_cell ? csv->row[column].place : csv->row_place, reader);
}

/* Is a key already set in the part of a shape before `end`? */
static bool stands_before(const char *shape, const char *end, dm_slice key)
{
    for (const char *at = shape; at < end; at += strcspn(at, ",") + 1) {
        const dm_slice other = dm_slice_trim((dm_slice){at, strcspn(at, "=,")});
        if (other.len == key.len && memcmp(other.at, key.at, key.len) == 0)
            return true;
    }
    return false;
}

/* One key=value of a shape; `whole` is all of it, `shape` where it stands. */
static dm_status set_part(dm_op_call *call, const char *shape, dm_slice whole, const dm_reader *reader)
{
    const char *equals = memchr(whole.at, '=', whole.len);
    bool known;

    if (equals == NULL)
        return dm_fail_at(reader->err, DM_ERR_USAGE, reader->source, dm_slice_place(shape, whole),
                          "key=value is wanted (such as m=16,n=4096,k=4096)");
    const dm_slice key = dm_slice_trim((dm_slice){whole.at, (size_t)(equals - whole.at)});
    const dm_slice text = dm_slice_trim((dm_slice){equals + 1, whole.len - (size_t)(equals - whole.at) - 1});
    const dm_node value = {.kind = DM_NODE_SCALAR, .text = text, .place = dm_slice_place(shape, text)};
    const dm_place key_place = dm_slice_place(shape, key);
    if (stands_before(shape, whole.at, key))
        return dm_fail_at(reader->err, DM_ERR_USAGE, reader->source, key_place, "'%.*s' is given twice",
                          dm_slice_shown(key), key.at);
    const dm_status status = dm_op_call_set(call, key, &value, reader, &known);
    return status == DM_OK && !known ? dm_op_call_fail_key(call, key, key_place, reader) : status;
}

dm_status dm_op_call_parse_shape(dm_op_call *call, const char *shape, dm_arena *arena, dm_err *err)
{
    const dm_source source = {"--shape", shape, strlen(shape)};
    const dm_reader reader = {&source, arena, err};

    for (const char *at = shape; *at != '\0';) {
        const size_t len = strcspn(at, ",");
        const dm_status status = set_part(call, shape, (dm_slice){at, len}, &reader);
        if (status != DM_OK)
            return status;
        at += at[len] == ',' ? len + 1 : len;
    }
    return dm_op_call_check(call, dm_slice_place(shape, (dm_slice){shape, source.len}), &reader);
}
