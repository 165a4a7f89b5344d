/* src/workload/op.c
 *
 * Operators by name, and calls of them: see the header. */
#include "workload/op.h"

#include <math.h>
#include <string.h>

const dm_choice dm_launch_choices[] = {
    {"graph", "replayed from a captured graph"},
    {"stream", "launched back to back into a stream"},
    {"eager", "launched by the host's framework, its cost inside the time"},
    {"kernel", "device time of the kernel alone"},
    {NULL, NULL},
};

const dm_choice dm_residency_choices[] = {
    {"cold", "nothing starts in L2: DRAM is charged for every operand"},
    {"measured", "what the timed loop left in L2 is there"},
    {NULL, NULL},
};

static const dm_variant *find_variant(const dm_op *op, dm_slice name)
{
    if (op->variants == NULL)
        return NULL;
    for (const dm_variant *v = op->variants; v->name != NULL; v++)
        if (dm_slice_is(name, v->name))
            return v;
    return NULL;
}

bool dm_op_find(const dm_op_table *table, dm_slice name, const dm_op **op, const dm_variant **variant)
{
    for (size_t i = 0; i < table->n; i++) {
        const dm_variant *found = find_variant(table->op[i], name);
        if (found == NULL && !dm_slice_is(name, table->op[i]->name))
            continue;
        *op = table->op[i];
        *variant = found;
        return true;
    }
    return false;
}

dm_status dm_op_fail_unknown(const dm_op_table *table, dm_slice name, const dm_source *source, dm_place place,
                             dm_err *err)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(name);

    for (size_t i = 0; i < table->n; i++) {
        dm_nearest_offer(&nearest, table->op[i]->name);
        for (const dm_variant *v = table->op[i]->variants; v != NULL && v->name != NULL; v++)
            dm_nearest_offer(&nearest, v->name);
    }
    return dm_fail_at(err, DM_ERR_INPUT, source, place, "op: unknown operator '%.*s'%s (dormer list ops shows them)",
                      dm_slice_shown(name), name.at, dm_nearest_text(&nearest, hint));
}

const char *dm_op_call_op_name(const dm_op_call *call)
{
    return call->variant != NULL ? call->variant->name : call->op->name;
}

void dm_op_call_init(dm_op_call *call, const dm_op *op, const dm_variant *variant)
{
    memset(call, 0, sizeof *call);
    call->op = op;
    call->variant = variant;
    call->recipe = dm_recipe_find((dm_slice){"bf16", 4});
    call->count = 1;
    call->conditions.loop_s = NAN;
    call->conditions.power_limit_W = NAN;
    dm_fields_init(op->fields, call->args);
}

const dm_field *dm_op_call_missing(const dm_op_call *call)
{
    for (size_t i = 0; i < call->op->fields.n; i++) {
        const dm_field *field = &call->op->fields.row[i];
        if (field->required && !dm_field_is_set(field, call->args))
            return field;
    }
    return NULL;
}

dm_status dm_op_call_check(const dm_op_call *call, dm_place place, const dm_reader *reader)
{
    const char *op = dm_op_call_op_name(call);
    const dm_field *missing = dm_op_call_missing(call);

    if (missing != NULL)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, place, "%s: '%s' is missing: %s", op,
                          missing->path, missing->help);
    const char *wrong = call->op->check != NULL ? call->op->check(call) : NULL;
    return wrong == NULL ? DM_OK
                         : dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, place, "%s: %s", op, wrong);
}

void dm_op_call_print(const dm_op_call *call, const char *separator, dm_str *out)
{
    bool first = true;

    for (size_t i = 0; i < call->op->fields.n; i++) {
        const dm_field *field = &call->op->fields.row[i];
        dm_str value = {0};
        dm_field_print(field, call->args, &value);
        out->failed = out->failed || value.failed;
        const bool is_default = field->initial != NULL && value.text != NULL && strcmp(value.text, field->initial) == 0;
        if (value.len > 0 && !is_default) {
            dm_str_addf(out, "%s%s=%s", first ? "" : separator, field->path, value.text);
            first = false;
        }
        dm_str_fini(&value);
    }
}
