/* src/cli/cmd_explain.c
 *
 * dormer explain: one operator on one device, with its parts and what it hangs on. */
#include "cli/common.h"
#include "report/report.h"
#include "workload/op.h"

static const char *const options_taken[] = {"hw",       "op",  "shape", "dtype",         "stack", "launch",
                                            "residency", "weight-copies", "fidelity", "calibration", "set", "clock",
                                            "json",     "help", NULL};

typedef struct explanation {
    dm_result result[DM_FIDELITY_N];
    bool computed[DM_FIDELITY_N];
    dm_elasticity elasticity[DM_ELASTICITIES_MAX];
    size_t elasticity_n;
} explanation;

/* With --fidelity that one and the roofline; without it all, and the elasticities of the finest. */
static dm_status compute(const dm_options *options, const dm_hw *hw, const dm_op_call *call, explanation *out,
                         dm_err *err)
{
    const dm_clock clock = (dm_clock)options->clock;
    dm_status status = DM_OK;

    for (int f = 0; f < DM_FIDELITY_N && status == DM_OK; f++) {
        out->computed[f] = f == DM_ROOFLINE || options->fidelity < 0 || options->fidelity == f;
        if (out->computed[f])
            status = dm_predict(hw, call, (dm_fidelity)f, clock, &out->result[f], err);
    }
    if (status == DM_OK && options->fidelity < 0)
        status = dm_elasticities(hw, call, DM_ANALYTIC, clock, out->elasticity, &out->elasticity_n, err);
    return status;
}

static int show(const dm_options *options, const dm_hw *hw, const dm_op_call *call, const explanation *e)
{
    dm_str shape = {0};
    int code;

    dm_op_call_print(call, " ", &shape);
    const dm_explained explained = {
        .hw = dm_hw_name(hw),
        .op = dm_op_call_op_name(call),
        .shape = shape.text != NULL ? shape.text : "",
        .dtype = dm_op_call_dtype(call),
        .roofline = e->computed[DM_ROOFLINE] ? &e->result[DM_ROOFLINE] : NULL,
        .analytic = e->computed[DM_ANALYTIC] ? &e->result[DM_ANALYTIC] : NULL,
        .elasticity = options->fidelity < 0 ? e->elasticity : NULL,
        .elasticity_n = e->elasticity_n,
    };
    if (options->json) {
        dm_json json = {0};
        dm_report_explain_json(&explained, &json);
        code = dm_cli_print_json(&json);
    } else {
        dm_str text = {0};
        dm_report_explain_text(&explained, &text);
        code = dm_cli_print(&text);
    }
    dm_str_fini(&shape);
    return code;
}

/* The conditions that the command line states. */
static dm_status set_conditions(const dm_options *options, dm_op_call *call, dm_err *err)
{
    const struct {
        const char *option, *key, *text;
    } given[] = {{"--dtype", "dtype", options->dtype},
                 {"--stack", "stack", options->stack},
                 {"--launch", "launch", options->launch},
                 {"--residency", "residency", options->residency},
                 {"--weight-copies", "weight_copies", options->weight_copies}};
    dm_status status = DM_OK;

    for (size_t i = 0; i < sizeof given / sizeof given[0] && status == DM_OK; i++) {
        if (given[i].text != NULL)
            status = dm_op_call_option(call, given[i].key, given[i].text, err);
        if (status != DM_OK) /* the place is in what was typed, not in a file of the key's name */
            (void)snprintf(err->path, sizeof err->path, "%s", given[i].option);
    }
    return status;
}

static int explain_on(const dm_options *options, const dm_hw *hw)
{
    dm_op_call *call = NULL;
    explanation e = {0};
    dm_err err;
    dm_status status = dm_op_call_parse(options->op, options->shape, NULL, NULL, &call, &err);

    if (status == DM_OK)
        status = set_conditions(options, call, &err);
    if (status == DM_OK)
        status = compute(options, hw, call, &e, &err);
    const int code = status == DM_OK ? show(options, hw, call, &e) : dm_cli_fail(&err);
    dm_op_call_free(call);
    return code;
}

static int explain_verb(const dm_options *options)
{
    const dm_override *overrides;
    dm_arena arena = {0};
    dm_hw *hw = NULL;
    dm_err err;
    int code;

    if (options->hw == NULL || options->op == NULL || options->shape == NULL)
        return dm_cli_usage("explain wants --hw, --op and --shape (dormer list ops shows operators and their shapes)");
    if (dm_cli_check_calibration(options, &err) != DM_OK || dm_cli_overrides(options, &arena, &overrides, &err) != DM_OK ||
        dm_hw_load(dm_cli_search(), options->hw, overrides, options->overrides.n, &hw, &err) != DM_OK)
        code = dm_cli_fail(&err);
    else
        code = explain_on(options, hw);
    dm_hw_free(hw);
    dm_arena_free(&arena);
    return code;
}

const dm_verb dm_verb_explain = {
    "explain",
    "one operator on one device: bound, prediction, parts, elasticities",
    "--hw DEVICE --op OP --shape K=V,... [options]",
    options_taken,
    NULL,
    "  dormer explain --hw h200_sxm --op gemm --shape m=16,n=4096,k=4096 --dtype bf16\n"
    "  dormer explain --hw b200_sxm --op attention_decode --shape batch=16,kv_len=2048,heads_q=32,heads_kv=8,head_dim=128\n",
    explain_verb,
};
