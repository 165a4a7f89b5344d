/* tests/property/test_bounds.c
 *
 * What must hold of every prediction, whatever the operator and the device: it is finite, its parts add up, no
 * fidelity beats the roofline at the same residency, and the roofline grows with every dimension. */
#include "random_call.h"

enum { PAIRS = 100000, SEED = 20261201, OPS_MAX = 64 };

static void assert_sound(const dm_result *r, const char *what)
{
    double sum_s = 0;

    for (int i = 0; i < r->part_n; i++) {
        if (!(r->part[i].time_s >= 0))
            fail_msg("%s: part %s is %g s", what, r->part[i].name, r->part[i].time_s);
        sum_s += r->part[i].time_s;
    }
    if (!(r->time_s > 0 && r->time_s < 1e30) || r->limiter == NULL)
        fail_msg("%s: %g s", what, r->time_s);
    if (!(fabs(sum_s - r->time_s) <= 1e-12 * r->time_s))
        fail_msg("%s: the parts add up to %g of %g s", what, sum_s, r->time_s);
}

static size_t index_of(const dm_op *op)
{
    size_t i = 0;

    while (dm_ops.op[i] != op)
        i++;
    return i;
}

/* 1e5 pairs that both fidelities predict; a device that lacks a field which a pair needs is drawn again. Sums in another
 * order may differ in the last bits, hence 1e-12. */
static void no_prediction_beats_its_roofline(void **state)
{
    fleet f = {0};
    int64_t seen[OPS_MAX] = {0}, drawn_n = 0;
    dm_op_call call;
    dm_result bound, result;
    dm_err err;

    (void)state;
    fleet_load(&f, SEED);
    for (int64_t n = 0; n < PAIRS; drawn_n++) {
        const dm_machine *machine = &f.machine[dm_rng_int(f.rng, 0, (int64_t)f.n - 1)];
        draw_call(f.rng, &call);
        if (dm_predict_call(&call, machine, &dm_params_default, DM_ROOFLINE, &bound, &err) != DM_OK)
            continue;
        assert_sound(&bound, case_text(&call, machine));
        if (dm_predict_call(&call, machine, &dm_params_default, DM_ANALYTIC, &result, &err) != DM_OK)
            continue;
        assert_sound(&result, case_text(&call, machine));
        if (!(result.time_s >= bound.time_s * (1 - 1e-12)) || !(result.bound_s == bound.time_s))
            fail_msg("%s: %g s beats the roofline, %g s (%s)", case_text(&call, machine), result.time_s, bound.time_s,
                     bound.limiter);
        seen[index_of(call.op)]++;
        n++;
    }
    print_message("# %d pairs predicted of %lld drawn\n", PAIRS, (long long)drawn_n);
    for (size_t i = 0; i < dm_ops.n; i++)
        if (dm_ops.op[i]->plan != NULL && seen[i] < PAIRS / 500)
            fail_msg("%s was predicted only %lld times", dm_ops.op[i]->name, (long long)seen[i]);
    fleet_free(&f);
}

/* Fields that are no extent of a shape: more of them shares or thins out the work, or 0 stands for something else. */
static bool is_extent(const dm_field *field)
{
    static const char *const others[] = {
        "stride",         /* fewer windows */
        "groups",         /* fewer products between channels */
        "kernel_size",    /* fewer windows where there is no padding */
        "padding",        /* moves windows from pixels to zeros */
        "tp", "ep",       /* ranks that share the work */
        "ranks",          /* a fixed buffer in more slices */
        "ranks_per_node", /* fewer bytes through the network */
        "sms",            /* more cores */
        "chunk",          /* an algorithm's block size */
    };

    if (field->kind != DM_KIND_INT)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(field->path, others[i]) == 0)
            return false;
    return true;
}

static void the_roofline_grows_with_every_dimension(void **state)
{
    static const dm_source nowhere = {"drawn", "", 0};
    fleet f = {0};
    dm_op_call call;
    dm_result before, after;
    dm_err err;
    const dm_reader reader = {&nowhere, NULL, &err};
    int64_t compared_n = 0;

    (void)state;
    fleet_load(&f, SEED + 1);
    for (int n = 0; n < PAIRS; n++) {
        const dm_machine *machine = &f.machine[dm_rng_int(f.rng, 0, (int64_t)f.n - 1)];
        draw_call(f.rng, &call);
        const dm_field *field = &call.op->fields.row[dm_rng_int(f.rng, 0, (int64_t)call.op->fields.n - 1)];
        int64_t *dim = (int64_t *)(void *)(call.args + field->offset);
        if (!is_extent(field) || *dim == 0 ||
            dm_predict_call(&call, machine, &dm_params_default, DM_ROOFLINE, &before, &err) != DM_OK)
            continue;
        *dim += dm_rng_int(f.rng, 0, 1) == 0 ? *dim : 1;
        if (dm_op_call_check(&call, (dm_place){1, 1, 1}, &reader) != DM_OK ||
            dm_predict_call(&call, machine, &dm_params_default, DM_ROOFLINE, &after, &err) != DM_OK)
            continue;
        if (!(after.time_s >= before.time_s * (1 - 1e-12)))
            fail_msg("%s: %g s after %s grew, %g s before", case_text(&call, machine), after.time_s, field->path,
                     before.time_s);
        compared_n++;
    }
    print_message("# %lld pairs compared\n", (long long)compared_n);
    assert_in_range(compared_n, PAIRS / 5, PAIRS);
    fleet_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_prediction_beats_its_roofline),
                                       cmocka_unit_test(the_roofline_grows_with_every_dimension)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
