/* src/lower/ops/moe.c
 *
 * One rank's mixture of experts: top-k routing from given logits, two grouped products, the weighted sum. No router
 * product, no communication. `tokens` are those of the whole expert-parallel group; the rank holds experts / ep experts
 * of inter / tp columns each and computes what is routed to them.
 *
 * Bytes of the roofline: all tokens in, as TRT-LLM and vLLM hand them to every rank, the weights of the experts that
 * are hit, all tokens out. Permuted rows and the activations between the products pass from kernel to kernel. */
#include "lower/ops/ops.h"

#include <math.h>

typedef struct moe_args {
    int64_t tokens, hidden, inter, experts, topk, tp, ep;
    double alpha; /* exponent of the load's power law; 0: balanced */
    bool gated;
} moe_args;

_Static_assert(sizeof(moe_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

static const char law_prefix[] = "power_law_";
enum { LAW_PREFIX_LEN = sizeof law_prefix - 1 };

static dm_status parse_distribution(const dm_field *field, const dm_node *node, const dm_reader *reader, void *at)
{
    const dm_slice text = node->text;
    double alpha = 0;

    (void)field;
    const bool law = node->kind == DM_NODE_SCALAR && text.len > LAW_PREFIX_LEN &&
                     dm_slice_is((dm_slice){text.at, LAW_PREFIX_LEN}, law_prefix) &&
                     dm_num_parse(text.at + LAW_PREFIX_LEN, text.len - LAW_PREFIX_LEN, &alpha) ==
                         text.len - LAW_PREFIX_LEN &&
                     alpha > 0;
    if (!law && !(node->kind == DM_NODE_SCALAR && dm_slice_is(text, "balanced")))
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                          "distribution: 'balanced' or a power law such as 'power_law_1.2' is wanted");
    *(double *)at = alpha;
    return DM_OK;
}

static void print_distribution(const void *at, dm_str *out)
{
    const double alpha = *(const double *)at;
    char text[DM_NUM_TEXT_MAX];

    if (!(alpha > 0)) {
        dm_str_add(out, "balanced");
        return;
    }
    dm_num_format(alpha, text);
    dm_str_addf(out, "%s%s", law_prefix, text);
}

#define ARG(member) offsetof(moe_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("tokens", ARG(tokens), "tokens that enter the layer, over all ranks"),
    DM_DIM("hidden", ARG(hidden), "columns of a token"),
    DM_DIM("inter", ARG(inter), "columns of an expert, over all tp ranks"),
    DM_DIM("experts", ARG(experts), "experts, over all ep ranks"),
    DM_DIM("topk", ARG(topk), "experts a token"),
    DM_DIM_DEFAULT("tp", ARG(tp), "1", "ranks that share the columns of an expert"),
    DM_DIM_DEFAULT("ep", ARG(ep), "1", "ranks that share the experts"),
    {"distribution", DM_KIND_OWN, DM_UNIT_NONE, ARG(alpha), 0, 0, false, "balanced", NULL, parse_distribution, print_distribution, "load of the experts: balanced, or power_law_ALPHA"},
    {"gated", DM_KIND_BOOL, DM_UNIT_NONE, ARG(gated), 0, 0, false, "true", NULL, NULL, NULL, "gate and up projections (SwiGLU), else up alone"},
};
/* clang-format on */

static const char *check(const dm_op_call *call)
{
    const moe_args *a = (const void *)call->args;

    if (a->topk > a->experts)
        return "topk is above experts; a token goes to an expert at most once";
    if (a->experts % a->ep != 0)
        return "experts is no multiple of ep; every rank holds the same number of experts";
    if (a->inter % a->tp != 0)
        return "inter is no multiple of tp; every rank holds the same number of columns";
    return NULL;
}

/* What one rank sees of the layer. */
typedef struct share {
    double row_n;    /* pairs of token and expert computed here */
    double expert_n; /* experts hit, so weights read */
    int64_t up_n, column_n;
} share;

/* Experts hit when n pairs fall on E experts by a power law.
 * Source: the measured power-law rows with ep = 1, which take 0.51, 0.78, 0.91 and 1.00 times as long as the balanced
 * rows at n / E = 1, 2, 4 and 8 where the weights decide (aiconfigurator MoE tables, medians): up to E the fitted line
 * n (1 - 0.45 (n/E - 0.15) / 0.85), beyond it what is missed falls as E / n. The exponents measured (1.01, 1.2) do not
 * differ enough to be told apart. */
static double power_law_experts(double n, double experts)
{
    const double missed_frac = 0.45, free_frac = 0.15;

    if (n > experts)
        return experts * (1 - missed_frac * experts / n);
    return n * dm_num_min(1, 1 - missed_frac * (n / experts - free_frac) / (1 - free_frac));
}

/* Rank 0, which a round robin serves first and a power law loads most, so that it always gets a row. Rows are the mean
 * over ranks also under a power law: how far the most loaded rank is above it is not modelled yet. */
static share share_of(const moe_args *a)
{
    const double n = (double)a->tokens * (double)a->topk, ep = (double)a->ep, experts = (double)a->experts;
    const double hit = a->alpha > 0 ? power_law_experts(n, experts) : n;
    const int64_t column_n = a->inter / a->tp;

    return (share){
        .row_n = dm_num_max(1, n / ep),
        .expert_n = dm_num_max(1, dm_num_min(hit, experts) / ep),
        .column_n = column_n,
        .up_n = (a->gated ? 2 : 1) * column_n,
    };
}

/* SwiGLU: sigmoid (add, divide), two products; the exponential is special. relu2: maximum and square. */
static double activation_FLOP(const moe_args *a)
{
    return a->gated ? 4 : 2;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const moe_args *a = (const void *)call->args;
    const dm_recipe *r = call->recipe;
    const share s = share_of(a);
    const double hidden = (double)a->hidden, tokens = (double)a->tokens;
    const double weight_n = hidden * ((double)s.up_n + (double)s.column_n), middle_n = s.row_n * (double)s.column_n;

    (void)err;
    out->tensor_FLOP = 2 * s.row_n * weight_n;
    out->vector_FLOP = activation_FLOP(a) * middle_n;
    out->special_op = a->gated ? middle_n : 0;
    dm_work_read(out, "tokens", tokens * hidden * dm_dtype_B(r->input));
    dm_work_read_weight(out, "experts", s.expert_n * weight_n * dm_recipe_weight_B(r));
    dm_work_write(out, "output", tokens * hidden * dm_dtype_B(r->output));
    return DM_OK;
}

/* What every kernel's plan needs; the launch is filled as they go. */
typedef struct planner {
    const dm_op_call *call;
    const moe_args *args;
    const dm_recipe *recipe;
    share share;
    const dm_machine *machine;
    const dm_params *params;
    dm_launch *launch;
} planner;

/* A product has fewer tiles than elements, also when each is split: 8 x 8 at least, 64 splits at most. */
static const double element_max = 1e18;

static int64_t units(double n)
{
    return (int64_t)dm_num_min(ceil(n), DM_DIM_MAX);
}

/* Logits in, indices and weights of the chosen experts out (an int32 and an fp32 each). Two dependent passes: the
 * choice, then the offsets of each expert's rows. */
static void plan_routing(const planner *p)
{
    const double logit_B = 4, chosen_B = 8, tokens = (double)p->args->tokens;
    dm_kernel *kernel = dm_launch_add(p->launch, "route");

    kernel->work.vector_FLOP = tokens * (double)p->args->experts; /* a comparison each */
    dm_work_read(&kernel->work, "logits", tokens * (double)p->args->experts * logit_B);
    dm_work_pass(&kernel->work, "chosen", tokens * (double)p->args->topk * chosen_B, true);
    dm_stream_plan(kernel, p->args->tokens, 2, p->machine, p->params);
}

/* Tokens in, one row a pair out, converted on the way where the recipe quantises. */
static void plan_permute(const planner *p)
{
    const double hidden = (double)p->args->hidden, row_n = p->share.row_n;
    const bool quantises = dm_recipe_quantises(p->recipe);
    dm_kernel *kernel = dm_launch_add(p->launch, quantises ? "permute+quantise" : "permute");

    kernel->work.vector_FLOP = quantises ? 3 * row_n * hidden : 0; /* absolute maximum, scale, round */
    dm_work_read(&kernel->work, "tokens", (double)p->args->tokens * hidden * dm_dtype_B(p->recipe->input));
    dm_work_pass(&kernel->work, "rows", row_n * hidden * dm_recipe_activation_B(p->recipe), true);
    /* A CTA a row read or written, whichever are more: with ep most tokens have no row here. */
    dm_stream_plan(kernel, units(dm_num_max(row_n, (double)p->args->tokens)),
                   quantises ? p->params->quantise_latency_n : 1, p->machine, p->params);
}

/* One grouped product [rows, k] x [n, k]^T over the experts that are hit, each with the mean number of rows. */
static dm_status plan_grouped(const planner *p, const char *name, int64_t n, int64_t k, dm_err *err)
{
    const dm_recipe *r = p->recipe;
    const double rows_n = p->share.row_n, expert_n = ceil(p->share.expert_n);

    if (!(rows_n * (double)n < element_max))
        return dm_fail(err, DM_ERR_INPUT, "moe: the shape is too large, its tiles do not fit a count");
    dm_kernel *kernel = dm_launch_add(p->launch, name);
    dm_work *w = &kernel->work;

    w->math = p->launch->work.math;
    w->tensor_FLOP = 2 * rows_n * (double)n * (double)k;
    dm_work_pass(w, "rows", rows_n * (double)k * dm_recipe_activation_B(r), false);
    dm_work_read_weight(w, "experts", p->share.expert_n * (double)n * (double)k * dm_recipe_weight_B(r));
    dm_work_pass(w, "product", rows_n * (double)n * dm_dtype_B(r->output), true);

    const dm_hits hits = dm_residency_kernel_hits(&p->launch->work, w, &p->call->conditions, p->machine,
                                                  p->params);
    const double dram_B = dm_residency_dram_B(w, hits);
    const dm_matmul problem = {
        .batch = (int64_t)expert_n,
        .m = units(rows_n / expert_n),
        .n = n,
        .k = k,
        .a_B = dm_recipe_activation_B(r),
        .w_B = dm_recipe_weight_B(r),
        .c_B = dm_dtype_B(r->output),
        .math = p->launch->math,
        .tensor = p->launch->tensor,
        .dram_B = dram_B,
        .dram_frac = dram_B / dm_work_unique_B(w),
    };
    return dm_matmul_plan(&problem, p->machine, p->params, kernel, err);
}

/* Between the products; the conversion for the second one is fused, as in all three serving stacks. */
static void plan_activation(const planner *p)
{
    const double row_n = p->share.row_n, middle_n = row_n * (double)p->share.column_n;
    const bool quantises = dm_recipe_quantises(p->recipe);
    dm_kernel *kernel = dm_launch_add(p->launch, quantises ? "activate+quantise" : "activate");

    kernel->work.vector_FLOP = (activation_FLOP(p->args) + (quantises ? 3 : 0)) * middle_n;
    kernel->work.special_op = p->args->gated ? middle_n : 0;
    dm_work_pass(&kernel->work, "product", row_n * (double)p->share.up_n * dm_dtype_B(p->recipe->output), false);
    dm_work_pass(&kernel->work, "rows", middle_n * dm_recipe_activation_B(p->recipe), true);
    dm_stream_plan(kernel, units(row_n), quantises ? 1 : 0, p->machine, p->params);
}

/* Each token's rows, weighted and summed. */
static void plan_combine(const planner *p)
{
    const double hidden = (double)p->args->hidden, row_n = p->share.row_n, out_B = dm_dtype_B(p->recipe->output);
    dm_kernel *kernel = dm_launch_add(p->launch, "combine");

    kernel->work.vector_FLOP = 2 * row_n * hidden;
    dm_work_pass(&kernel->work, "product", row_n * hidden * out_B, false);
    dm_work_write(&kernel->work, "output", (double)p->args->tokens * hidden * out_B);
    dm_stream_plan(kernel, p->args->tokens, 1, p->machine, p->params);
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const moe_args *a = (const void *)call->args;
    const planner p = {call, a, call->recipe, share_of(a), machine, params, out};

    plan_routing(&p);
    plan_permute(&p);
    dm_status status = plan_grouped(&p, "gate+up", p.share.up_n, a->hidden, err);
    if (status != DM_OK)
        return status;
    plan_activation(&p);
    status = plan_grouped(&p, "down", a->hidden, p.share.column_n, err);
    if (status == DM_OK)
        plan_combine(&p);
    return status;
}

const dm_op dm_op_moe = {
    .name = "moe",
    .fields = DM_FIELDS(rows),
    .check = check,
    .work = work,
    .plan = plan,
    .help = "one rank's mixture of experts, without communication",
};
