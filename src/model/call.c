/* src/model/call.c
 *
 * One operator call from the texts of a command line: the public way to make one. The call and its texts live in a
 * single block. */
#include <stdlib.h>
#include <string.h>

#include "lower/launch.h"
#include "workload/call_parse.h"
#include "workload/workload.h"

typedef struct owned_call {
    dm_op_call call; /* first: the handle is its address */
    dm_arena arena;
} owned_call;

dm_status dm_op_call_option(dm_op_call *call, const char *key, const char *text, dm_err *err)
{
    owned_call *owned = (owned_call *)call;
    const dm_source source = {key, text, strlen(text)};
    const dm_reader reader = {&source, &owned->arena, err};
    const dm_place place = {1, 1, source.len > 0 ? (int)source.len : 1};
    const dm_node value = {.kind = DM_NODE_SCALAR, .text = {text, source.len}, .place = place};
    bool known;
    const dm_status status = dm_op_call_set(call, (dm_slice){key, strlen(key)}, &value, &reader, &known);

    return status == DM_OK && !known ? dm_op_call_fail_key(call, (dm_slice){key, strlen(key)}, place, &reader) : status;
}

const char *dm_op_call_dtype(const dm_op_call *call)
{
    return call->recipe->name;
}

static dm_status parse_into(owned_call *owned, const char *op, const char *shape, const char *dtype,
                            const char *launch, dm_err *err)
{
    const dm_source source = {"--op", op, strlen(op)};
    const dm_slice name = {op, source.len};
    const dm_op *found;
    const dm_variant *variant;
    dm_status status = DM_OK;

    if (!dm_op_find(&dm_ops, name, &found, &variant))
        return dm_op_fail_unknown(&dm_ops, name, &source, (dm_place){1, 1, (int)source.len}, err);
    dm_op_call_init(&owned->call, found, variant);
    if (dtype != NULL)
        status = dm_op_call_option(&owned->call, "dtype", dtype, err);
    if (status == DM_OK && launch != NULL)
        status = dm_op_call_option(&owned->call, "launch", launch, err);
    return status == DM_OK ? dm_op_call_parse_shape(&owned->call, shape, &owned->arena, err) : status;
}

dm_status dm_op_call_parse(const char *op, const char *shape, const char *dtype, const char *launch, dm_op_call **out,
                           dm_err *err)
{
    owned_call *owned = calloc(1, sizeof *owned);

    if (owned == NULL)
        return dm_fail_memory(err);
    const dm_status status = parse_into(owned, op, shape, dtype, launch, err);
    if (status != DM_OK) {
        dm_op_call_free(&owned->call);
        return status;
    }
    *out = &owned->call;
    return DM_OK;
}

void dm_op_call_free(dm_op_call *call)
{
    if (call == NULL)
        return;
    owned_call *owned = (owned_call *)call;
    dm_arena_free(&owned->arena);
    free(owned);
}

dm_status dm_workload_load(const dm_search *search, const char *name, dm_workload **out, dm_err *err)
{
    return dm_workload_read(search, name, &dm_ops, out, err);
}
