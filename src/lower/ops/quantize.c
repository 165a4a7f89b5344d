/* src/lower/ops/quantize.c
 *
 * An activation [m, k] to the narrow type of the recipe, with a scale that is given (static) or found on the way
 * (dynamic: the absolute maximum of a row or a block).
 *
 * FLOP an element: scale and round; dynamic: the absolute maximum too. Bytes: in as it arrives, out as it is
 * multiplied, its block scales included; a scale a row or tensor is too little to count. */
#include "lower/ops/ops.h"

typedef struct quantize_args {
    int64_t m, k;
} quantize_args;

_Static_assert(sizeof(quantize_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

typedef struct scaling {
    double element_FLOP;
    bool found; /* the scale depends on the data */
} scaling;

static const scaling given = {2, false}, found = {3, true};

static const dm_variant variants[] = {
    {"quantize_dynamic", &found, "an activation to the recipe's narrow type, scale found from the data"},
    {NULL, NULL, NULL},
};

#define ARG(member) offsetof(quantize_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("m", ARG(m), "rows: tokens"),
    DM_DIM("k", ARG(k), "columns: features"),
};
/* clang-format on */

static const scaling *scaling_of(const dm_op_call *call)
{
    return call->variant != NULL ? call->variant->constants : &given;
}

static const char *check(const dm_op_call *call)
{
    return dm_recipe_quantises(call->recipe)
               ? NULL
               : "the dtype leaves the activation as it arrives; one that quantises is wanted (such as fp8 or nvfp4)";
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const quantize_args *a = (const void *)call->args;
    const double element_n = (double)a->m * (double)a->k;

    (void)err;
    out->vector_FLOP = scaling_of(call)->element_FLOP * element_n;
    dm_work_read(out, "activation", element_n * dm_dtype_B(call->recipe->input));
    dm_work_write(out, "quantised", element_n * dm_recipe_activation_B(call->recipe));
    return DM_OK;
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const quantize_args *a = (const void *)call->args;
    const double row_B = (double)a->k * dm_dtype_B(call->recipe->input);

    (void)err;
    if (scaling_of(call)->found)
        dm_stream_lower(out, "quantise", dm_stream_row_units(a->m, row_B), params->quantise_latency_n, machine, params);
    else
        dm_stream_lower(out, "cast", dm_stream_blocks(dm_work_read_B(&out->work)), 0, machine, params);
    return DM_OK;
}

const dm_op dm_op_quantize_static = {
    .name = "quantize_static",
    .fields = DM_FIELDS(rows),
    .variants = variants,
    .check = check,
    .work = work,
    .plan = plan,
    .help = "an activation to the recipe's narrow type, scale given",
};
