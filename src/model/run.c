/* src/model/run.c
 *
 * A workload on a device: every operator once, then the longest chain through streams and dependencies. Linear in
 * operators and edges. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "util/num.h"
#include "workload/workload.h"

enum { STREAM_MAX = 1024 };

/* When each operator of a block ends, and when each stream is free. */
typedef struct clock_hand {
    double *end_s; /* by call */
    double stream_s[STREAM_MAX];
} clock_hand;

static double block_time_s(const dm_workload *w, const dm_block *block, const dm_run_op *op, clock_hand *at)
{
    double latest_s = 0;

    memset(at->stream_s, 0, sizeof at->stream_s);
    for (size_t i = block->first; i < block->first + block->n; i++) {
        const dm_op_call *call = &w->call[i];
        double start_s = at->stream_s[call->stream];
        for (size_t j = 0; j < call->after_n; j++)
            start_s = at->end_s[call->after[j]] > start_s ? at->end_s[call->after[j]] : start_s;
        at->end_s[i] = start_s + (double)call->count * op[i].result.time_s;
        at->stream_s[call->stream] = at->end_s[i];
        latest_s = at->end_s[i] > latest_s ? at->end_s[i] : latest_s;
    }
    return latest_s;
}

/* The shape as text, and the executions, of one call. */
static dm_status describe(const dm_op_call *call, int64_t repeat, dm_arena *arena, dm_run_op *out, dm_err *err)
{
    dm_str shape = {0};

    dm_op_call_print(call, " ", &shape);
    const char *text = dm_arena_copy(arena, shape.text != NULL ? shape.text : "", shape.len);
    const bool failed = shape.failed || text == NULL;
    dm_str_fini(&shape);
    if (failed)
        return dm_fail_memory(err);
    out->op = dm_op_call_op_name(call);
    out->name = call->name != NULL ? call->name : out->op;
    out->shape = text;
    out->dtype = call->recipe->name;
    out->stream = call->stream;
    if (!dm_num_mul(call->count, repeat, &out->count))
        return dm_fail(err, DM_ERR_INPUT, "%s: its count times the block's is too large", out->name);
    return DM_OK;
}

static dm_status predict_all(const dm_workload *w, const dm_machine *machine, dm_fidelity fidelity, dm_arena *arena,
                             dm_run_op *op, dm_err *err)
{
    for (size_t b = 0; b < w->block_n; b++)
        for (size_t i = w->block[b].first; i < w->block[b].first + w->block[b].n; i++) {
            const dm_op_call *call = &w->call[i];
            dm_status status = describe(call, w->block[b].repeat, arena, &op[i], err);
            if (status == DM_OK)
                status = dm_predict_call(call, machine, &dm_params_default, fidelity, &op[i].result, err);
            if (status == DM_OK)
                continue;
            char why[sizeof err->message];
            memcpy(why, err->message, sizeof why);
            return dm_fail_at(err, status, &w->source, call->place, "%.400s", why);
        }
    return DM_OK;
}

/* Share of the summed time for each limiter; few distinct names, so a short list does. */
static void name_limiter(dm_run *run)
{
    enum { LIMITERS_MAX = 24 };
    struct {
        const char *name;
        double time_s;
    } seen[LIMITERS_MAX] = {{NULL, 0}};
    size_t n = 0, most = 0;
    double all_s = 0;

    for (size_t i = 0; i < run->op_n; i++) {
        const dm_result *r = &run->op[i].result;
        size_t j = 0;
        while (j < n && strcmp(seen[j].name, r->limiter) != 0)
            j++;
        if (j == LIMITERS_MAX)
            continue;
        if (j == n) {
            seen[n].name = r->limiter;
            seen[n++].time_s = 0;
        }
        seen[j].time_s += r->time_s * (double)run->op[i].count;
        all_s += r->time_s * (double)run->op[i].count;
        most = seen[j].time_s > seen[most].time_s ? j : most;
    }
    run->limiter = seen[most].name;
    run->limiter_frac = all_s > 0 ? seen[most].time_s / all_s : 0;
}

static void add_up(const dm_workload *w, clock_hand *at, dm_run *run)
{
    for (size_t b = 0; b < w->block_n; b++)
        run->time_s += (double)w->block[b].repeat * block_time_s(w, &w->block[b], run->op, at);
    for (size_t i = 0; i < run->op_n; i++) {
        const double n = (double)run->op[i].count;
        run->work_FLOP += n * run->op[i].result.work_FLOP;
        run->dram_B += n * run->op[i].result.dram_B;
        run->link_B += n * run->op[i].result.link_B;
    }
    name_limiter(run);
}

static dm_status run_into(const dm_hw *hw, const dm_workload *w, dm_fidelity fidelity, dm_clock clock, dm_arena *arena,
                          dm_run *run, dm_err *err)
{
    clock_hand *at = dm_arena_alloc(arena, sizeof *at);
    dm_machine machine;

    run->op = dm_arena_alloc_n(arena, w->call_n, sizeof *run->op);
    if (at == NULL || run->op == NULL || (at->end_s = dm_arena_alloc_n(arena, w->call_n, sizeof(double))) == NULL)
        return dm_fail_memory(err);
    run->op_n = w->call_n;
    dm_status status = dm_machine_init(&machine, hw, clock, err);
    if (status == DM_OK)
        status = predict_all(w, &machine, fidelity, arena, run->op, err);
    if (status == DM_OK)
        add_up(w, at, run);
    return status;
}

dm_status dm_run_workload(const dm_hw *hw, const dm_workload *workload, dm_fidelity fidelity, dm_clock clock,
                          dm_run *out, dm_err *err)
{
    dm_arena *arena = calloc(1, sizeof *arena);
    dm_run run = {.hw = hw->name, .workload = workload->name, .title = workload->title, .fidelity = fidelity};

    if (arena == NULL)
        return dm_fail_memory(err);
    run.owner = arena;
    const dm_status status = run_into(hw, workload, fidelity, clock, arena, &run, err);
    if (status != DM_OK) {
        dm_run_fini(&run);
        return status;
    }
    *out = run;
    return DM_OK;
}

void dm_run_fini(dm_run *run)
{
    dm_arena *arena = run->owner;

    if (arena == NULL)
        return;
    dm_arena_free(arena);
    free(arena);
    *run = (dm_run){0};
}
