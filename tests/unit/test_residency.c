/* tests/unit/test_residency.c: what a loop leaves in L2, by hand. */
#include "op_plan.h"

#include "lower/residency.h"

/* Half as far as there is room, exponent 4: 1 / (1 + 1/16) = 16/17. As far as there is room: 1/2. Twice: 1/17. */
static void hits_fall_where_the_distance_exceeds_the_room(void **state)
{
    (void)state;
    assert_close(dm_residency_hit_frac(40e6, 100e6, 0.8, 4), 16.0 / 17, 1e-12);
    assert_close(dm_residency_hit_frac(80e6, 100e6, 0.8, 4), 0.5, 1e-12);
    assert_close(dm_residency_hit_frac(160e6, 100e6, 0.8, 4), 1.0 / 17, 1e-12);
    assert_close(dm_residency_hit_frac(0, 100e6, 0.8, 4), 1, 0);
}

typedef struct fixture {
    dm_hw hw;
    dm_machine machine;
    dm_params params;
    dm_work work;
    dm_conditions conditions;
} fixture;

/* 10 MB of L2, all of it usable, a step at 100 %: easy sums. A 1 MB activation, a 4 MB weight. */
static fixture make(int residency, int64_t copies)
{
    fixture f = {.hw = toy_hw(), .params = dm_params_default, .conditions = {.residency = residency, .weight_copies = copies}};

    f.params.resident_frac = 1;
    f.params.resident_exponent = 2;
    f.hw.l2_B = 10e6;
    f.hw.l2_effective_frac = 1;
    dm_work_read(&f.work, "a", 1e6);
    dm_work_read_weight(&f.work, "w", 4e6);
    return f;
}

static dm_hits hits_of(fixture *f)
{
    dm_err err;

    assert_int_equal(dm_machine_init(&f->machine, &f->hw, DM_CLOCK_BOOST, &err), DM_OK);
    return dm_residency_hits(&f->work, &f->conditions, &f->machine, &f->params);
}

static void cold_means_that_everything_comes_from_dram(void **state)
{
    fixture f = make(DM_RESIDENCY_COLD, 3);
    const dm_hits hits = hits_of(&f);

    (void)state;
    assert_close(dm_residency_dram_B(&f.work, hits), 5e6, 0);
}

/* One copy: both return after 5 MB: 1 / (1 + 0.25) = 0.8 hits. DRAM: 20 % of 5 MB. */
static void a_loop_over_one_copy_keeps_what_fits(void **state)
{
    fixture f = make(DM_RESIDENCY_MEASURED, 1);
    const dm_hits hits = hits_of(&f);

    (void)state;
    assert_close(hits.other_frac, 0.8, 1e-12);
    assert_close(hits.rotated_frac, 0.8, 1e-12);
    assert_close(dm_residency_dram_B(&f.work, hits), 1e6, 1e-12);
}

/* Six copies: the weight returns after 1 + 6 * 4 = 25 MB: 1 / (1 + 6.25) = 4/29. The activation still after 5 MB. */
static void rotating_the_weight_drives_it_out_but_not_the_activation(void **state)
{
    fixture f = make(DM_RESIDENCY_MEASURED, 6);
    const dm_hits hits = hits_of(&f);

    (void)state;
    assert_close(hits.other_frac, 0.8, 1e-12);
    assert_close(hits.rotated_frac, 4.0 / 29, 1e-12);
    assert_close(dm_residency_dram_B(&f.work, hits), 0.2 * 1e6 + 4e6 * 25 / 29, 1e-12);
}

/* A kernel that reads 2 MB from the kernel before it and 1 MB of its own: 3 MB, 1 / (1 + 0.09), even when cold. */
static void what_a_kernel_leaves_to_the_next_is_in_l2_even_when_cold(void **state)
{
    fixture f = make(DM_RESIDENCY_COLD, 1);
    dm_work kernel = {.operand_n = 0};

    (void)state;
    (void)hits_of(&f);
    dm_work_pass(&kernel, "partial", 2e6, false);
    dm_work_read(&kernel, "a", 1e6);
    const dm_hits hits = dm_residency_kernel_hits(&f.work, &kernel, &f.conditions, &f.machine, &f.params);
    assert_close(hits.between_frac, 1 / 1.09, 1e-12);
    assert_close(dm_residency_dram_B(&kernel, hits), 1e6 + 2e6 * 0.09 / 1.09, 1e-12);
}

/* Unknown capacity: nothing can be said to stay. */
static void without_a_stated_l2_nothing_stays(void **state)
{
    fixture f = make(DM_RESIDENCY_MEASURED, 1);

    (void)state;
    f.hw.l2_B = NAN;
    assert_close(dm_residency_dram_B(&f.work, hits_of(&f)), 5e6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_fall_where_the_distance_exceeds_the_room),
        cmocka_unit_test(cold_means_that_everything_comes_from_dram),
        cmocka_unit_test(a_loop_over_one_copy_keeps_what_fits),
        cmocka_unit_test(rotating_the_weight_drives_it_out_but_not_the_activation),
        cmocka_unit_test(what_a_kernel_leaves_to_the_next_is_in_l2_even_when_cold),
        cmocka_unit_test(without_a_stated_l2_nothing_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
