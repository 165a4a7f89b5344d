/* tests/property/test_scaling.c
 *
 * Dimensional analysis as a test: a machine whose rates are all k times as high and whose latencies are all k times as
 * short is the same machine with a faster clock on the wall, so every time is divided by k. A constant in seconds, or
 * a rate that hides in the code, breaks it. And at a fixed launch, no time falls when a rate drops or work grows. */
#include "random_call.h"

enum { CASES = 20000, SEED = 4711 };

static void scale_field(const dm_field *field, dm_hw *hw, double k)
{
    double *at = (double *)(void *)((char *)hw + field->offset);

    if (field->kind != DM_KIND_REAL)
        return;
    if (field->unit == DM_UNIT_HZ || field->unit == DM_UNIT_BYTE_PER_S || field->unit == DM_UNIT_FLOP_PER_S)
        *at *= k;
    if (field->unit == DM_UNIT_S)
        *at /= k;
}

/* Powers of two scale exactly; sums of scaled terms round alike. */
static void k_times_the_rates_is_a_kth_of_the_time(void **state)
{
    static const double ks[] = {0.25, 2, 8, 3};
    fleet f = {0};
    dm_op_call call;
    dm_result slow, fast;
    dm_err err;
    int64_t compared_n = 0;

    (void)state;
    fleet_load(&f, SEED);
    for (int n = 0; n < CASES; n++) {
        const dm_machine *machine = &f.machine[dm_rng_int(f.rng, 0, (int64_t)f.n - 1)];
        const double k = ks[n % 4];
        dm_hw scaled = *machine->hw;
        dm_machine quick;
        for (size_t i = 0; i < dm_hw_fields.n; i++)
            scale_field(&dm_hw_fields.row[i], &scaled, k);
        assert_int_equal(dm_machine_init(&quick, &scaled, DM_CLOCK_BOOST, &err), DM_OK);
        draw_call(f.rng, &call);
        for (int fidelity = 0; fidelity < DM_FIDELITY_N; fidelity++) {
            if (dm_predict_call(&call, machine, &dm_params_default, (dm_fidelity)fidelity, &slow, &err) != DM_OK)
                continue;
            assert_int_equal(
                dm_predict_call(&call, &quick, &dm_params_default, (dm_fidelity)fidelity, &fast, &err), DM_OK);
            if (!(fabs(fast.time_s * k - slow.time_s) <= 1e-9 * slow.time_s))
                fail_msg("%s, %s: %g s, but %g s at %g times the rates", case_text(&call, machine),
                         dm_fidelity_name((dm_fidelity)fidelity), slow.time_s, fast.time_s, k);
            compared_n++;
        }
    }
    print_message("# %lld predictions compared\n", (long long)compared_n);
    assert_in_range(compared_n, CASES / 2, 2 * CASES);
    fleet_free(&f);
}

/* One change of a machine that can't make anything faster. */
static void worsen(dm_machine *m, int which)
{
    double *const rates[] = {&m->dram_Bps, &m->l2_Bps, &m->special_opps};

    if (which < 3) {
        *rates[which] /= 2;
    } else if (which == 3) {
        for (int i = 0; i < DM_MATH_N; i++)
            m->tensor_FLOPps[i] /= 2;
    } else if (which == 4) {
        for (int i = 0; i < DM_MATH_N; i++)
            m->vector_FLOPps[i] /= 2;
    } else if (which == 5) {
        m->dram_latency_s *= 2;
        m->l2_latency_s *= 2;
    } else {
        m->l2_effective_B /= 2;
    }
}

static void add_work(dm_launch *launch, int which)
{
    for (int i = 0; i < launch->kernel_n; i++) {
        dm_kernel *k = &launch->kernel[i];
        double *const amounts[] = {&k->cta_tensor_FLOP, &k->cta_vector_FLOP, &k->cta_special_op, &k->cta_read_B,
                                   &k->reduce_B};
        *amounts[which] *= 2;
    }
}

static void a_worse_machine_or_more_work_is_never_faster(void **state)
{
    enum { WORSE_N = 7, MORE_N = 5 };
    fleet f = {0};
    dm_op_call call;
    dm_launch launch;
    dm_result before, after;
    dm_err err;

    (void)state;
    fleet_load(&f, SEED + 1);
    for (int n = 0; n < CASES; n++) {
        const dm_machine *machine = &f.machine[dm_rng_int(f.rng, 0, (int64_t)f.n - 1)];
        dm_machine worse = *machine;
        const int which = (int)dm_rng_int(f.rng, 0, WORSE_N + MORE_N - 1);
        draw_call(f.rng, &call);
        if (dm_lower(&call, machine, &dm_params_default, &launch, &err) != DM_OK)
            continue;
        dm_analytic(&launch, &call, machine, &dm_params_default, &before);
        if (which < WORSE_N)
            worsen(&worse, which);
        else
            add_work(&launch, which - WORSE_N);
        dm_analytic(&launch, &call, &worse, &dm_params_default, &after);
        if (!(after.time_s >= before.time_s * (1 - 1e-12)))
            fail_msg("%s: change %d makes %g s of %g s", case_text(&call, machine), which, after.time_s, before.time_s);
    }
    fleet_free(&f);
}

/* What the tiles multiply is at least what the operator is worth: padding adds, nothing is lost. */
static void tiles_hold_all_of_the_work(void **state)
{
    fleet f = {0};
    dm_op_call call;
    dm_launch launch;
    dm_err err;

    (void)state;
    fleet_load(&f, SEED + 2);
    for (int n = 0; n < CASES; n++) {
        const dm_machine *machine = &f.machine[dm_rng_int(f.rng, 0, (int64_t)f.n - 1)];
        double tiled_FLOP = 0, asked_B = 0, read_B = 0;
        draw_call(f.rng, &call);
        if (dm_lower(&call, machine, &dm_params_default, &launch, &err) != DM_OK)
            continue;
        for (int i = 0; i < launch.kernel_n; i++) {
            const dm_kernel *k = &launch.kernel[i];
            tiled_FLOP += (double)k->cta_n * k->cta_tensor_FLOP;
            asked_B += (double)k->cta_n * k->cta_read_B;
            read_B += dm_work_read_B(&k->work);
        }
        if (!(tiled_FLOP >= launch.work.tensor_FLOP * (1 - 1e-9)))
            fail_msg("%s: %g FLOP in tiles of %g", case_text(&call, machine), tiled_FLOP, launch.work.tensor_FLOP);
        if (!(asked_B >= dm_work_read_B(&launch.work) * (1 - 1e-9)) || !(read_B >= dm_work_read_B(&launch.work) * (1 - 1e-9)))
            fail_msg("%s: cores ask for %g of %g B, kernels list %g B", case_text(&call, machine), asked_B,
                     dm_work_read_B(&launch.work), read_B);
    }
    fleet_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(k_times_the_rates_is_a_kth_of_the_time),
                                       cmocka_unit_test(a_worse_machine_or_more_work_is_never_faster),
                                       cmocka_unit_test(tiles_hold_all_of_the_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
