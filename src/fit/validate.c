/* src/fit/validate.c
 *
 * Predicted against measured: rows are predicted in parallel into their own places, then added up in the file's order,
 * so that any number of threads gives the same bytes. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/measured.h"
#include "model/model.h"
#include "util/stats.h"

enum { JOBS_MAX = 64 };

/* A device that rows name: loaded once, or the reason why it can't be. */
typedef struct device {
    const char *name;
    dm_hw *hw;
    dm_machine machine;
    const char *problem;
} device;

typedef struct owner {
    dm_arena arena;
    dm_measured measured;
    device *device;
    size_t device_n;
    double *predicted_s, *bound_s; /* by row */
    const char **limiter;
    const char **problem; /* by row; NULL: predicted */
    uint32_t *group_of;   /* by row */
    dm_arena reasons[JOBS_MAX]; /* texts of problems, one arena a thread */
} owner;

typedef struct context {
    const dm_search *search;
    const dm_validate_options *options;
    owner *own;
    dm_validation *out;
    dm_err *err;
} context;

static bool wanted(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (name != NULL && strcmp(list[i], name) == 0)
            return true;
    return n == 0;
}

static bool row_wanted(const dm_validate_options *o, const dm_measured_row *row)
{
    return wanted(o->device, o->device_n, row->device) && wanted(o->op, o->op_n, dm_op_call_op_name(&row->call)) &&
           wanted(o->stack, o->stack_n, row->call.stack) && wanted(o->dtype, o->dtype_n, row->call.recipe->name);
}

/* Rows that were not asked for are dropped before anything is predicted; the order stays. */
static void keep_wanted(const context *c)
{
    dm_measured *m = &c->own->measured;
    size_t kept = 0;

    for (size_t i = 0; i < m->row_n; i++)
        if (row_wanted(c->options, &m->row[i]))
            m->row[kept++] = m->row[i];
    m->row_n = kept;
}

/* ---- devices ---- */

static dm_status load_device(const context *c, device *d)
{
    dm_err why;
    dm_status status =
        dm_hw_load(c->search, d->name, c->options->override, c->options->override_n, &d->hw, &why);

    if (status == DM_OK)
        status = dm_machine_init(&d->machine, d->hw, c->options->clock, &why);
    if (status == DM_OK)
        return DM_OK;
    /* A device that nobody described is a reason to skip; a broken file or --set is an error. */
    if (why.path[0] != '\0' || status == DM_ERR_MEMORY) {
        *c->err = why;
        return status;
    }
    d->problem = dm_arena_copy(&c->own->arena, why.message, strlen(why.message));
    return d->problem != NULL ? DM_OK : dm_fail_memory(c->err);
}

static device *find_device(const owner *own, const char *name)
{
    for (size_t i = 0; i < own->device_n; i++)
        if (own->device[i].name == name)
            return &own->device[i];
    return NULL;
}

static dm_status load_devices(const context *c)
{
    enum { DEVICES_MAX = 256 };
    owner *own = c->own;
    const char *before = NULL;

    own->device = dm_arena_alloc_n(&own->arena, DEVICES_MAX, sizeof *own->device);
    if (own->device == NULL)
        return dm_fail_memory(c->err);
    for (size_t i = 0; i < own->measured.row_n; i++) {
        const char *name = own->measured.row[i].device;
        if (name == before || find_device(own, name) != NULL)
            continue;
        if (own->device_n == DEVICES_MAX)
            return dm_fail(c->err, DM_ERR_INPUT, "more than %d devices in the measured tables", DEVICES_MAX);
        device *d = &own->device[own->device_n++];
        d->name = before = name;
        const dm_status status = load_device(c, d);
        if (status != DM_OK)
            return status;
    }
    return DM_OK;
}

/* ---- predicting ---- */

typedef struct share {
    const context *c;
    size_t from, to;
    dm_arena *reasons;
    bool failed; /* out of memory */
} share;

static void predict_row(share *s, size_t i)
{
    owner *own = s->c->own;
    const dm_validate_options *o = s->c->options;
    dm_measured_row *row = &own->measured.row[i];
    const device *d = find_device(own, row->device);
    dm_result result;
    dm_err why;

    own->problem[i] = d->problem;
    if (d->problem != NULL)
        return;
    if (o->cold)
        row->call.conditions.residency = DM_RESIDENCY_COLD;
    if (dm_predict_call(&row->call, &d->machine, &dm_params_default, o->fidelity, &result, &why) == DM_OK) {
        own->predicted_s[i] = result.time_s;
        own->bound_s[i] = result.bound_s;
        own->limiter[i] = result.limiter;
        return;
    }
    own->problem[i] = dm_arena_copy(s->reasons, why.message, strlen(why.message));
    s->failed = s->failed || own->problem[i] == NULL;
}

static void *predict_share(void *argument)
{
    share *s = argument;

    for (size_t i = s->from; i < s->to; i++)
        predict_row(s, i);
    return NULL;
}

static dm_status predict_rows(const context *c, share *shares, int jobs)
{
    const size_t n = c->own->measured.row_n;
    pthread_t threads[JOBS_MAX];
    bool started[JOBS_MAX] = {false};

    for (int j = 0; j < jobs; j++) {
        shares[j] = (share){
            .c = c,
            .from = n * (size_t)j / (size_t)jobs,
            .to = n * (size_t)(j + 1) / (size_t)jobs,
            .reasons = &c->own->reasons[j],
        };
        if (j > 0)
            started[j] = pthread_create(&threads[j], NULL, predict_share, &shares[j]) == 0;
    }
    for (int j = 0; j < jobs; j++)
        if (!started[j])
            (void)predict_share(&shares[j]);
    for (int j = 1; j < jobs; j++)
        if (started[j])
            (void)pthread_join(threads[j], NULL);
    for (int j = 0; j < jobs; j++)
        if (shares[j].failed)
            return dm_fail_memory(c->err);
    return DM_OK;
}

/* ---- adding up ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool in_group(const dm_validation_group *g, const dm_measured_row *row)
{
    return g->dtype == row->call.recipe->name && g->device == row->device && g->op == dm_op_call_op_name(&row->call) &&
           same_text(g->stack, row->call.stack);
}

static dm_status find_group(const context *c, const dm_measured_row *row, size_t *room, uint32_t *at)
{
    dm_validation *v = c->out;

    if (v->group_n > 0 && in_group(&v->group[*at], row))
        return DM_OK;
    for (size_t i = 0; i < v->group_n; i++)
        if (in_group(&v->group[i], row)) {
            *at = (uint32_t)i;
            return DM_OK;
        }
    if (v->group_n == *room) {
        const size_t size = *room != 0 ? *room * 2 : 256;
        dm_validation_group *group = dm_arena_alloc_n(&c->own->arena, size, sizeof *group);
        if (group == NULL)
            return dm_fail_memory(c->err);
        if (v->group_n > 0)
            memcpy(group, v->group, v->group_n * sizeof *group);
        v->group = group;
        *room = size;
    }
    *at = (uint32_t)v->group_n;
    v->group[v->group_n++] = (dm_validation_group){
        .op = dm_op_call_op_name(&row->call),
        .device = row->device,
        .stack = row->call.stack,
        .dtype = row->call.recipe->name,
        .interval_coverage_pct = NAN,
        .power_mape_pct = NAN,
        .calibration_kind = "none",
    };
    return DM_OK;
}

static dm_status add_skip(const context *c, const char *reason, int64_t n)
{
    enum { SKIPS_MAX = 1000 };
    dm_validation *v = c->out;

    for (size_t i = 0; i < v->skip_n; i++)
        if (strcmp(v->skip[i].reason, reason) == 0) {
            v->skip[i].row_n += n;
            return DM_OK;
        }
    if (v->skip == NULL && (v->skip = dm_arena_alloc_n(&c->own->arena, SKIPS_MAX, sizeof *v->skip)) == NULL)
        return dm_fail_memory(c->err);
    if (v->skip_n == SKIPS_MAX - 1)
        reason = "other reasons";
    const char *copy = dm_arena_copy(&c->own->arena, reason, strlen(reason));
    if (copy == NULL)
        return dm_fail_memory(c->err);
    if (v->skip_n == SKIPS_MAX) {
        v->skip[SKIPS_MAX - 1].row_n += n;
        return DM_OK;
    }
    v->skip[v->skip_n++] = (dm_validation_skip){copy, n};
    return DM_OK;
}

static dm_status assign_groups(const context *c)
{
    const owner *own = c->own;
    size_t room = 0;
    uint32_t at = 0;

    for (size_t i = 0; i < own->measured.row_n; i++) {
        const dm_measured_row *row = &own->measured.row[i];
        dm_status status = own->problem[i] != NULL ? add_skip(c, own->problem[i], 1) : find_group(c, row, &room, &at);
        if (status != DM_OK)
            return status;
        own->group_of[i] = own->problem[i] != NULL ? UINT32_MAX : at;
        if (own->problem[i] != NULL)
            continue;
        c->out->group[at].row_n++; /* NOLINT(clang-analyzer-core.NullDereference): find_group made it */
        c->out->group[at].power_row_n += !isnan(row->power_W);
    }
    return DM_OK;
}

/* Errors of one group, in percent; ape has room for all of its rows. */
static void score_group(const owner *own, uint32_t index, double *ape, dm_validation_group *g)
{
    double bias = 0;
    size_t n = 0, near_n = 0;

    for (size_t i = 0; i < own->measured.row_n; i++) {
        if (own->group_of[i] != index)
            continue;
        const double measured_s = own->measured.row[i].time_s;
        const double error_pct = 100.0 * (own->predicted_s[i] - measured_s) / measured_s;
        bias += error_pct;
        near_n += fabs(error_pct) <= 10.0;
        ape[n++] = fabs(error_pct);
    }
    g->mape_pct = dm_stats_mean(ape, n);
    g->bias_pct = bias / (double)n;
    g->within_10_pct = 100.0 * (double)near_n / (double)n;
    dm_stats_sort(ape, n);
    g->median_ape_pct = dm_stats_quantile(ape, n, 0.5);
    g->p90_ape_pct = dm_stats_quantile(ape, n, 0.9);
}

/* Groups in the order of their names, so that the order of files and rows does not show. */
static int compare_groups(const void *a, const void *b)
{
    const dm_validation_group *x = a, *y = b;
    int order = strcmp(x->op, y->op);

    if (order == 0)
        order = strcmp(x->device, y->device);
    if (order == 0)
        order = strcmp(x->stack != NULL ? x->stack : "", y->stack != NULL ? y->stack : "");
    return order != 0 ? order : strcmp(x->dtype, y->dtype);
}

static dm_status score(const context *c)
{
    dm_validation *v = c->out;
    double *ape = dm_arena_alloc_n(&c->own->arena, c->own->measured.row_n + 1, sizeof *ape);
    double sum_pct = 0;

    if (ape == NULL)
        return dm_fail_memory(c->err);
    for (size_t g = 0; g < v->group_n; g++) {
        score_group(c->own, (uint32_t)g, ape, &v->group[g]);
        sum_pct += v->group[g].mape_pct * (double)v->group[g].row_n;
        v->row_n += v->group[g].row_n;
    }
    v->mape_pct = v->row_n > 0 ? sum_pct / (double)v->row_n : (double)NAN;
    if (v->group_n > 0)
        qsort(v->group, v->group_n, sizeof *v->group, compare_groups);
    return DM_OK;
}

/* What each device was, for the record. */
static dm_status state_devices(const context *c)
{
    const owner *own = c->own;
    const char **name = dm_arena_alloc_n(&c->own->arena, own->device_n + 1, sizeof *name);
    const char **text = dm_arena_alloc_n(&c->own->arena, own->device_n + 1, sizeof *text);

    if (name == NULL || text == NULL)
        return dm_fail_memory(c->err);
    for (size_t i = 0; i < own->device_n; i++) {
        dm_str all = {0};
        if (own->device[i].hw == NULL)
            continue;
        dm_hw_print(own->device[i].hw, false, &all);
        const char *copy = all.failed ? NULL : dm_arena_copy(&c->own->arena, all.text, all.len);
        dm_str_fini(&all);
        if (copy == NULL)
            return dm_fail_memory(c->err);
        name[c->out->device_n] = own->device[i].name;
        text[c->out->device_n++] = copy;
    }
    c->out->device_name = name;
    c->out->device_text = text;
    return DM_OK;
}

/* ---- */

static dm_status read_tables(const context *c)
{
    dm_measured *m = &c->own->measured;

    for (size_t i = 0; i < c->options->measured_n; i++) {
        const dm_status status =
            dm_measured_read(m, c->options->measured[i], &dm_ops, c->options->keep_going, c->err);
        if (status != DM_OK)
            return status;
    }
    c->out->ignored_column = m->ignored;
    c->out->ignored_column_n = m->ignored_n;
    return m->bad_n > 0 ? add_skip(c, "the row is broken", m->bad_n) : DM_OK;
}

static dm_status make_columns(const context *c)
{
    owner *own = c->own;
    const size_t n = own->measured.row_n + 1;

    own->predicted_s = dm_arena_alloc_n(&own->arena, n, sizeof *own->predicted_s);
    own->bound_s = dm_arena_alloc_n(&own->arena, n, sizeof *own->bound_s);
    own->limiter = dm_arena_alloc_n(&own->arena, n, sizeof *own->limiter);
    own->problem = dm_arena_alloc_n(&own->arena, n, sizeof *own->problem);
    own->group_of = dm_arena_alloc_n(&own->arena, n, sizeof *own->group_of);
    c->out->all_row_n = own->measured.row_n;
    return own->predicted_s != NULL && own->bound_s != NULL && own->limiter != NULL && own->problem != NULL &&
                   own->group_of != NULL
               ? DM_OK
               : dm_fail_memory(c->err);
}

static dm_status validate_into(const context *c)
{
    share shares[JOBS_MAX];
    const int jobs = c->options->jobs < 1 ? 1 : c->options->jobs > JOBS_MAX ? JOBS_MAX : c->options->jobs;
    dm_status status = read_tables(c);

    if (status != DM_OK)
        return status;
    keep_wanted(c);
    status = load_devices(c);
    if (status == DM_OK)
        status = make_columns(c);
    if (status == DM_OK)
        status = state_devices(c);
    if (status != DM_OK)
        return status;
    status = predict_rows(c, shares, jobs);
    if (status == DM_OK)
        status = assign_groups(c);
    return status == DM_OK ? score(c) : status;
}

dm_status dm_validate(const dm_search *search, const dm_validate_options *options, dm_validation *out, dm_err *err)
{
    owner *own = calloc(1, sizeof *own);
    dm_validation v = {.fidelity = options->fidelity, .calibration = "none", .owner = own};
    const context c = {search, options, own, &v, err};

    if (own == NULL)
        return dm_fail_memory(err);
    const dm_status status = validate_into(&c);
    if (status != DM_OK) {
        dm_validation_fini(&v);
        return status;
    }
    *out = v;
    return DM_OK;
}

void dm_validation_row_at(const dm_validation *validation, size_t index, dm_validation_row *out)
{
    const owner *own = validation->owner;
    const dm_measured_row *row = &own->measured.row[index];
    const bool predicted = own->problem[index] == NULL;
    dm_str shape = {0};

    *out = (dm_validation_row){
        .op = dm_op_call_op_name(&row->call),
        .device = row->device,
        .stack = row->call.stack,
        .dtype = row->call.recipe->name,
        .measured_s = row->time_s,
        .predicted_s = predicted ? own->predicted_s[index] : (double)NAN,
        .bound_s = predicted ? own->bound_s[index] : (double)NAN,
        .limiter = predicted ? own->limiter[index] : NULL,
        .problem = own->problem[index],
    };
    dm_op_call_print(&row->call, " ", &shape);
    (void)snprintf(out->shape, sizeof out->shape, "%s", shape.text != NULL ? shape.text : "");
    dm_str_fini(&shape);
}

void dm_validation_fini(dm_validation *validation)
{
    owner *own = validation->owner;

    if (own == NULL)
        return;
    for (size_t i = 0; i < own->device_n; i++)
        dm_hw_free(own->device[i].hw);
    dm_measured_fini(&own->measured);
    for (int j = 0; j < JOBS_MAX; j++)
        dm_arena_free(&own->reasons[j]);
    dm_arena_free(&own->arena);
    free(own);
    *validation = (dm_validation){0};
}
