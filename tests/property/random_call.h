/* tests/property/random_call.h
 *
 * Random operators on every shipped device, drawn from the field tables: a new operator or device is in these tests by
 * being in its table or folder. Seeds are fixed, so a failure repeats; messages name the case. */
#ifndef DM_TESTS_RANDOM_CALL_H
#define DM_TESTS_RANDOM_CALL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assert_close.h"
#include "config/search.h"
#include "lower/launch.h"
#include "model/model.h"
#include "util/rng.h"

enum { DEVICES_MAX = 64 };

typedef struct fleet {
    dm_arena arena;
    dm_hw *hw[DEVICES_MAX];
    dm_machine machine[DEVICES_MAX];
    size_t n;
    dm_rng *rng;
} fleet;

static inline void fleet_load(fleet *f, uint32_t seed)
{
    const char *root = getenv("DORMER_DATA"), *dirs[1];
    const char **names;
    size_t name_n;
    dm_err err;

    dirs[0] = root != NULL ? root : ".";
    const dm_search search = {dirs, 1};
    assert_int_equal(dm_search_list(&search, &dm_search_hw, &f->arena, &names, &name_n, &err), DM_OK);
    assert_in_range(name_n, 20, DEVICES_MAX);
    for (size_t i = 0; i < name_n; i++) {
        if (dm_hw_load(&search, names[i], NULL, 0, &f->hw[f->n], &err) != DM_OK)
            fail_msg("%s: %s", names[i], err.message);
        if (dm_machine_init(&f->machine[f->n], f->hw[f->n], DM_CLOCK_BOOST, &err) != DM_OK)
            fail_msg("%s: %s", names[i], err.message);
        f->n++;
    }
    f->rng = dm_rng_new(seed);
    assert_non_null(f->rng);
    print_message("# seed %u, %zu devices, %zu operators\n", (unsigned)seed, f->n, dm_ops.n);
}

static inline void fleet_free(fleet *f)
{
    for (size_t i = 0; i < f->n; i++)
        dm_hw_free(f->hw[i]);
    dm_rng_free(f->rng);
    dm_arena_free(&f->arena);
}

/* Dimensions that count parts of something rather than its extent; large ones are nonsense. */
static inline int64_t largest_of(const char *path)
{
    static const char *const small[] = {"heads_q", "heads_kv", "heads_k", "heads_v", "heads", "topk", "tp", "ep", "ranks",
                                        "ranks_per_node", "kernel_size", "stride", "padding", "groups", "d_conv",
                                        "inputs", "sms"};

    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (strcmp(path, small[i]) == 0)
            return 64;
    return strcmp(path, "bytes") == 0 ? 1 << 30 : strcmp(path, "batch") == 0 ? 512 : 1 << 15;
}

/* Mostly powers of two, as real shapes are and divisibility wants; else anything. */
static inline int64_t draw_dim(dm_rng *rng, const dm_field *field)
{
    const int64_t least = field->min > 1 ? (int64_t)field->min : 1, most = largest_of(field->path);
    const int64_t value = dm_rng_log_int(rng, least, most > least ? most : least);
    int64_t power = 1;

    if (dm_rng_int(rng, 0, 9) < 4)
        return value;
    while (power * 2 <= value)
        power *= 2;
    return power < least ? least : power;
}

static inline void draw_field(dm_rng *rng, const dm_field *field, void *at)
{
    int64_t choice_n = 0;

    if (!field->required && dm_rng_int(rng, 0, 1) == 0)
        return;
    switch (field->kind) {
    case DM_KIND_INT:
        *(int64_t *)at = draw_dim(rng, field);
        break;
    case DM_KIND_BOOL:
        *(bool *)at = dm_rng_int(rng, 0, 1) == 1;
        break;
    case DM_KIND_CHOICE:
        while (field->choices[choice_n].name != NULL)
            choice_n++;
        *(int *)at = (int)dm_rng_int(rng, 0, choice_n - 1);
        break;
    case DM_KIND_REAL:
    case DM_KIND_TEXT:
    case DM_KIND_FLAGS:
    case DM_KIND_DTYPE:
    case DM_KIND_OWN:
        break;
    }
}

/* A call that its operator accepts; most draws are, some are drawn again. */
static inline void draw_call(dm_rng *rng, dm_op_call *call)
{
    static const dm_source nowhere = {"drawn", "", 0};
    dm_err err;
    const dm_reader reader = {&nowhere, NULL, &err};

    for (;;) {
        const dm_op *op = dm_ops.op[dm_rng_int(rng, 0, (int64_t)dm_ops.n - 1)];
        size_t variant_n = 0;
        while (op->variants != NULL && op->variants[variant_n].name != NULL)
            variant_n++;
        const int64_t v = dm_rng_int(rng, 0, (int64_t)variant_n) - 1;
        dm_op_call_init(call, op, v >= 0 ? &op->variants[v] : NULL);
        call->recipe = &dm_recipes[dm_rng_int(rng, 0, (int64_t)dm_recipe_n - 1)];
        for (size_t i = 0; i < op->fields.n; i++)
            draw_field(rng, &op->fields.row[i], call->args + op->fields.row[i].offset);
        call->conditions.residency = (int)dm_rng_int(rng, 0, 1);
        call->conditions.weight_copies = dm_rng_int(rng, 0, 6);
        if (dm_op_call_check(call, (dm_place){1, 1, 1}, &reader) == DM_OK)
            return;
    }
}

/* What a message needs to repeat a case by hand. */
static inline const char *case_text(const dm_op_call *call, const dm_machine *machine)
{
    static char text[512];
    dm_str shape = {0};

    dm_op_call_print(call, ",", &shape);
    (void)snprintf(text, sizeof text, "--hw %s --op %s --shape %s --dtype %s --residency %s (%lld copies)",
                   machine->hw->name, dm_op_call_op_name(call), shape.text != NULL ? shape.text : "", call->recipe->name,
                   call->conditions.residency == DM_RESIDENCY_COLD ? "cold" : "measured",
                   (long long)call->conditions.weight_copies);
    dm_str_fini(&shape);
    return text;
}

#endif
