/* src/workload/op.h
 *
 * What an operator is to everybody but its own file: a name, fields, and two functions. The table of all operators
 * (src/lower/op_table.c) reaches this layer as an argument. */
#ifndef DM_WORKLOAD_OP_H
#define DM_WORKLOAD_OP_H

#include <stdalign.h>

#include "config/field.h"
#include "workload/recipe.h"

struct dm_work;
struct dm_launch;
struct dm_machine;
struct dm_params;
struct dm_op_call;

enum { DM_ARGS_SIZE = 128 };

/* Another name of the same operator with constants of its own: "gelu" of elementwise. Tables end with a NULL name. */
typedef struct dm_variant {
    const char *name;
    const void *constants; /* known to the operator's file */
    const char *help;
} dm_variant;

typedef struct dm_op {
    const char *name;
    dm_fields fields;           /* offsets into dm_op_call.args */
    const dm_variant *variants; /* NULL: the operator goes by its own name alone */
    /* Constraints between fields. Returns NULL, or what is wrong and what is wanted. */
    const char *(*check)(const struct dm_op_call *call);
    /* What any kernel must do: FLOP by pipe, distinct bytes. Independent of the machine. */
    dm_status (*work)(const struct dm_op_call *call, struct dm_work *out, dm_err *err);
    /* The kernels that a library runs on this machine, after `work` was filled in. */
    dm_status (*plan)(const struct dm_op_call *call, const struct dm_machine *machine, const struct dm_params *params,
                      struct dm_launch *out, dm_err *err);
    const char *help;
} dm_op;

typedef struct dm_op_table {
    const dm_op *const *op;
    size_t n;
} dm_op_table;

/* How a time was or will be taken; an input of every prediction. */
typedef enum dm_launch_kind { DM_LAUNCH_GRAPH, DM_LAUNCH_STREAM, DM_LAUNCH_EAGER, DM_LAUNCH_KERNEL } dm_launch_kind;
typedef enum dm_residency { DM_RESIDENCY_COLD, DM_RESIDENCY_MEASURED } dm_residency;

struct dm_conditions {
    int launch;             /* dm_launch_kind */
    int residency;          /* dm_residency: cold, or what a loop of this operator leaves in L2 */
    int64_t weight_copies;  /* distinct weight tensors that the loop walks through; 0: not stated, so 1 */
    double loop_s;          /* length of the back-to-back run; NaN: not stated */
    double power_limit_W;   /* NaN: the device's own */
};

/* One operator with its shape. args holds the operator's own struct, as its fields describe it. */
struct dm_op_call {
    const dm_op *op;
    const dm_variant *variant; /* NULL for the operator's own name */
    const dm_recipe *recipe;
    const char *name, *stack; /* may be NULL */
    int64_t count, stream;
    const uint32_t *after; /* indices of calls that must end first; stream order comes on top */
    size_t after_n;
    dm_place place; /* in the workload file */
    dm_conditions conditions;
    alignas(8) unsigned char args[DM_ARGS_SIZE];
};

extern const dm_choice dm_launch_choices[], dm_residency_choices[];

/* Operator (and variant) of a name; false if there is none. */
bool dm_op_find(const dm_op_table *table, dm_slice name, const dm_op **op, const dm_variant **variant);
dm_status dm_op_fail_unknown(const dm_op_table *table, dm_slice name, const dm_source *source, dm_place place,
                             dm_err *err);
const char *dm_op_call_op_name(const dm_op_call *call);

/* Defaults for everything: count 1, bf16, graph, cold, and the fields' own defaults. */
void dm_op_call_init(dm_op_call *call, const dm_op *op, const dm_variant *variant);

/* The first required field that has no value; NULL if all have one. */
const dm_field *dm_op_call_missing(const dm_op_call *call);

/* Required fields and the operator's own constraints; `place` is the whole operator. */
dm_status dm_op_call_check(const dm_op_call *call, dm_place place, const dm_reader *reader);

/* "m=16 n=4096 k=4096": the fields that are set, in the table's order, defaults left out. */
void dm_op_call_print(const dm_op_call *call, const char *separator, dm_str *out);

#endif
