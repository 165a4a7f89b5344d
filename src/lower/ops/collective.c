/* src/lower/ops/collective.c
 *
 * Collectives: all_reduce, all_gather, reduce_scatter, all_to_all. `bytes` is the largest buffer of a rank, as
 * nccl-tests count: all_gather's result, reduce_scatter's input.
 *
 * A collective is a scatter phase (everybody receives its slice of the others' data: reduce_scatter), a gather phase
 * (everybody receives the others' slices: all_gather) or both (all_reduce); all_to_all is one phase of messages in
 * pairs.
 * Each phase makes a device send (n - 1) / n of the buffer, whatever the order of the messages: Patarasuk & Yuan,
 * J. Parallel and Distributed Computing 69(2), 2009, theorem 1. Where switches add on the way, the whole buffer must
 * still leave each device once, and that bounds all_reduce there. Steps: Thakur, Rabenseifner & Gropp, Int. J. High
 * Performance Computing Applications 19(1), 2005, section 4: log2 n exchanges a phase with halving and doubling.
 * Over several nodes only what leaves a node counts for the network, shared by the node's devices, one adapter each. */
#include <math.h>

#include "lower/ops/ops.h"

typedef struct collective_args {
    int64_t bytes, ranks, ranks_per_node;
} collective_args;

_Static_assert(sizeof(collective_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

typedef struct pattern {
    bool scatters, gathers; /* phases; neither: pairwise messages */
} pattern;

static const pattern both = {true, true}, gather = {false, true}, scatter = {true, false}, pairwise = {false, false};

static const dm_variant variants[] = {
    {"all_gather", &gather, "everybody gets everybody's slice; bytes: the result"},
    {"reduce_scatter", &scatter, "everybody gets a slice of the sum; bytes: the input"},
    {"all_to_all", &pairwise, "everybody sends each other a slice; bytes: all that a rank sends, its own slice too"},
    {NULL, NULL, NULL},
};

#define ARG(member) offsetof(collective_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("bytes", ARG(bytes), "largest buffer of a rank"),
    {"ranks", DM_KIND_INT, DM_UNIT_NONE, ARG(ranks), 2, DM_DIM_MAX, true, NULL, NULL, NULL, NULL, "devices in it"},
    DM_DIM_OPTIONAL("ranks_per_node", ARG(ranks_per_node), "of them on one node (one scale-up domain); absent: all"),
};
/* clang-format on */

static const pattern *pattern_of(const dm_op_call *call)
{
    return call->variant != NULL ? call->variant->constants : &both;
}

static bool is_pairwise(const pattern *p)
{
    return !p->scatters && !p->gathers;
}

static bool is_all_reduce(const pattern *p)
{
    return p->scatters && p->gathers;
}

/* The exchange that decides: among the ranks of the only node, or among nodes, where every rank of a node takes its
 * share of the buffer to the network. Pairwise messages to another node leave each rank in full. */
typedef struct outer {
    dm_link_domain domain;
    double n, local_n, buffer_B; /* local: ranks of a node */
} outer;

static outer outer_of(const collective_args *a, const pattern *p)
{
    const bool one_node = a->ranks_per_node == 0 || a->ranks_per_node >= a->ranks;
    const double ranks = (double)a->ranks, local_n = one_node ? ranks : (double)a->ranks_per_node;
    const double buffer_B = (double)a->bytes;

    if (one_node)
        return (outer){DM_LINK_SCALE_UP, ranks, ranks, buffer_B};
    return (outer){DM_LINK_SCALE_OUT, ranks / local_n, local_n, is_pairwise(p) ? buffer_B : buffer_B / local_n};
}

static const char *check(const dm_op_call *call)
{
    const collective_args *a = (const void *)call->args;

    if (a->ranks_per_node > 0 && a->ranks > a->ranks_per_node && a->ranks % a->ranks_per_node != 0)
        return "ranks is no multiple of ranks_per_node; every node holds the same number of ranks";
    return NULL;
}

static double phases(const pattern *p)
{
    return is_all_reduce(p) ? 2 : 1;
}

/* Bytes that a device sends when n of them exchange a buffer without help from the network. */
static double exchanged_B(const pattern *p, double n, double buffer_B)
{
    return phases(p) * (n - 1) / n * buffer_B;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const collective_args *a = (const void *)call->args;
    const pattern *p = pattern_of(call);
    const outer at = outer_of(a, p);
    const double buffer_B = (double)a->bytes, slice_B = buffer_B / (double)a->ranks;

    (void)err;
    dm_work_read(out, "input", p->gathers && !p->scatters ? slice_B : buffer_B);
    dm_work_write(out, "output", p->scatters && !p->gathers ? slice_B : buffer_B);
    out->link = at.domain;
    out->link_device_n = a->ranks;
    out->link_node_n = a->ranks_per_node;
    out->link_step_n = phases(p);
    out->link_B = exchanged_B(p, at.n, at.buffer_B);
    out->link_in_network_B = is_all_reduce(p) ? at.buffer_B : 0;
    return DM_OK;
}

/* Messages of a phase that follow one another. A mesh reaches all others at once, a switch by halving and doubling;
 * neighbours alone, or a host in between, make a ring. */
static double phase_steps(const dm_hw_link *link, double n)
{
    if (link->topology == DM_TOPOLOGY_MESH)
        return 1;
    return link->topology == DM_TOPOLOGY_SWITCH ? ceil(log2(n)) : n - 1;
}

/* Pairwise messages do not wait for each other where all pairs are joined. */
static double steps(const pattern *p, const dm_hw_link *link, double n)
{
    const bool joined = link->topology == DM_TOPOLOGY_SWITCH || link->topology == DM_TOPOLOGY_MESH;

    if (is_pairwise(p))
        return joined ? 1 : n - 1;
    return phases(p) * phase_steps(link, n);
}

typedef struct route {
    double sent_B, step_n;
    bool in_network;
} route;

static double route_s(const route *r, const dm_hw_link *link, const dm_params *params)
{
    const double latency_s = isnan(link->latency_s) ? 0 : link->latency_s;

    return r->step_n * latency_s + r->sent_B / (link->bw_Bps * params->link_efficiency_frac);
}

/* The faster of exchanging and letting the network add. The latter sends the buffer and one's slice of the sum, which
 * the switch hands to all: (n + 1) / n of the buffer (NVLS, as NCCL runs it). */
static route choose_route(const pattern *p, const dm_hw_link *link, double n, double buffer_B, const dm_params *params)
{
    const route exchange = {exchanged_B(p, n, buffer_B), steps(p, link, n), false};
    const route in_network = {(n + 1) / n * buffer_B, params->in_network_latency_n, true};

    if (!is_all_reduce(p) || !link->in_network_reduce)
        return exchange;
    return route_s(&in_network, link, params) < route_s(&exchange, link, params) ? in_network : exchange;
}

/* A kernel that runs one exchange. The first one moves the operands. Sums are of the arriving type; every byte that
 * comes in is added once, if not by the network. */
typedef struct planner {
    dm_launch *launch;
    const dm_op_call *call;
    const dm_machine *machine;
    const dm_params *params;
} planner;

static void add_exchange(const planner *to, const char *name, const pattern *p, const outer *at)
{
    const route r = choose_route(p, dm_link_of(to->machine, at->domain), at->n, at->buffer_B, to->params);
    const double added_B = p->scatters && !r.in_network ? exchanged_B(&scatter, at->n, at->buffer_B) : 0;
    const bool first = to->launch->kernel_n == 0;
    dm_kernel *kernel = dm_launch_add(to->launch, name);

    if (first)
        kernel->work = to->launch->work;
    kernel->work.link = at->domain;
    kernel->work.link_B = r.sent_B;
    kernel->work.link_step_n = r.step_n;
    kernel->work.vector_math = dm_vector_math(to->call->recipe);
    kernel->work.vector_FLOP = added_B / dm_dtype_B(to->call->recipe->input);
    dm_stream_plan(kernel, dm_stream_blocks(dm_work_read_B(&kernel->work)), 0, to->machine, to->params);
}

/* Over several nodes: scatter within the node, exchange shares with the other nodes, gather within the node. Pairwise
 * messages within the node pass beside those of the network, which is the slower. */
static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const collective_args *a = (const void *)call->args;
    const pattern *p = pattern_of(call);
    const outer at = outer_of(a, p);
    const outer within = {DM_LINK_SCALE_UP, at.local_n, at.local_n, (double)a->bytes};
    const bool inner = at.domain == DM_LINK_SCALE_OUT && at.local_n > 1 && !is_pairwise(p);
    const planner to = {out, call, machine, params};

    (void)err;
    if (inner && p->scatters)
        add_exchange(&to, "scatter in node", &scatter, &within);
    add_exchange(&to, dm_op_call_op_name(call), p, &at);
    if (inner && p->gathers)
        add_exchange(&to, "gather in node", &gather, &within);
    return DM_OK;
}

const dm_op dm_op_all_reduce = {
    .name = "all_reduce",
    .fields = DM_FIELDS(rows),
    .variants = variants,
    .check = check,
    .work = work,
    .plan = plan,
    .help = "everybody gets the sum of all buffers",
};
