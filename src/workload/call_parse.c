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

dm_status dm_op_call_fail_key(const dm_op_call *call, dm_slice key, dm_place place, const dm_reader *reader)
{
    static const char *const others[] = {"op", "dtype", "after"};
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(key);

    for (size_t i = 0; i < call->op->fields.n; i++)
        dm_nearest_offer(&nearest, call->op->fields.row[i].path);
    for (size_t i = 0; i < dm_call_fields.n; i++)
        dm_nearest_offer(&nearest, dm_call_fields.row[i].path);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        dm_nearest_offer(&nearest, others[i]);
    return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, place, "%s takes no '%.*s'%s",
                      dm_op_call_op_name(call), key.len < 60 ? (int)key.len : 60, key.at,
                      dm_nearest_text(&nearest, hint));
}

dm_status dm_op_call_parse_shape(dm_op_call *call, const char *shape, dm_arena *arena, dm_err *err)
{
    const dm_source source = {"--shape", shape, strlen(shape)};
    const dm_reader reader = {&source, arena, err};

    for (const char *at = shape; *at != '\0';) {
        const char *end = at + strcspn(at, ","), *equals = memchr(at, '=', (size_t)(end - at));
        const dm_place whole = {1, (int)(at - shape) + 1, end > at ? (int)(end - at) : 1};
        if (equals == NULL)
            return dm_fail_at(err, DM_ERR_USAGE, &source, whole, "key=value is wanted (such as m=16,n=4096,k=4096)");

        const dm_slice key = dm_slice_trim((dm_slice){at, (size_t)(equals - at)});
        const dm_slice text = dm_slice_trim((dm_slice){equals + 1, (size_t)(end - equals - 1)});
        const dm_node value = {.kind = DM_NODE_SCALAR,
                               .text = text,
                               .place = {1, (int)(equals - shape) + 2, text.len > 0 ? (int)text.len : 1}};
        bool known;
        const dm_status status = dm_op_call_set(call, key, &value, &reader, &known);
        if (status != DM_OK)
            return status;
        if (!known)
            return dm_op_call_fail_key(call, key, (dm_place){1, whole.col, (int)key.len > 0 ? (int)key.len : 1},
                                       &reader);
        at = *end == ',' ? end + 1 : end;
    }
    return dm_op_call_check(call, (dm_place){1, 1, source.len > 0 ? (int)source.len : 1}, &reader);
}
