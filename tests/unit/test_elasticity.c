/* tests/unit/test_elasticity.c: which fields of the toy machine a time hangs on. */
#include "op_plan.h"
#include "text_fixture.h"

typedef struct elasticities {
    dm_elasticity at[DM_ELASTICITIES_MAX];
    size_t n;
} elasticities;

static elasticities of(const dm_hw *hw, const char *op, const char *shape, dm_fidelity fidelity)
{
    elasticities e = {.n = 0};
    dm_op_call *call;
    dm_err err;

    if (dm_op_call_parse(op, shape, "bf16", NULL, &call, &err) != DM_OK ||
        dm_elasticities(hw, call, fidelity, DM_CLOCK_BOOST, e.at, &e.n, &err) != DM_OK)
        fail_msg("%s %s: %s", op, shape, err.message);
    dm_op_call_free(call);
    return e;
}

/* 0 for a field that is not in the list. */
static double value_of(const elasticities *e, const char *field)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->at[i].field, field) == 0)
            return e->at[i].dlnt_dlnx;
    return 0;
}

/* The time of an operator that DRAM bounds is bytes / bandwidth: -1, and nothing else moves it. */
static void a_dram_bound_operator_hangs_on_bandwidth_alone(void **state)
{
    const dm_hw hw = toy_hw();
    const elasticities e = of(&hw, "gemm", "m=1,n=4096,k=4096", DM_ROOFLINE);

    (void)state;
    assert_int_equal(e.n, 1);
    assert_string_equal(e.at[0].field, "memory.dram.bandwidth");
    assert_close(e.at[0].dlnt_dlnx, -1, 1e-9);
}

/* FLOP / (FLOP per clock and core x cores x clock): -1 for each. Cores move by one up and down: from 10 to 11 and 9, so
 * (ln 1/11 - ln 1/9) / (ln 11 - ln 9) = -1. */
static void a_compute_bound_operator_hangs_on_clock_cores_and_rate(void **state)
{
    const dm_hw hw = toy_hw();
    const elasticities e = of(&hw, "gemm", "m=4096,n=4096,k=4096", DM_ROOFLINE);

    (void)state;
    assert_int_equal(e.n, 3);
    assert_close(value_of(&e, "clocks.boost"), -1, 1e-9);
    assert_close(value_of(&e, "compute.cores"), -1, 1e-9);
    assert_close(value_of(&e, "compute.tensor.bf16"), -1, 1e-9);
}

/* A single core can't lose one: from 1 to 2 alone, (ln 1/2 - ln 1) / ln 2 = -1. */
static void a_count_of_one_is_moved_up_only(void **state)
{
    dm_hw hw = toy_hw();

    (void)state;
    hw.core_n = 1;
    const elasticities e = of(&hw, "gemm", "m=4096,n=4096,k=4096", DM_ROOFLINE);
    assert_close(value_of(&e, "compute.cores"), -1, 1e-9);
}

/* Within the analytic time bandwidth has a share: bytes and latency, whose share is the latency's. A latency never
 * shortens a time, a rate never lengthens it, and what no operator of one device reads moves nothing. */
static void the_analytic_time_hangs_on_many_and_each_the_right_way(void **state)
{
    const dm_hw hw = toy_hw();
    const elasticities e = of(&hw, "gemm", "m=1,n=4096,k=4096", DM_ANALYTIC);

    (void)state;
    const double dram = value_of(&e, "memory.dram.bandwidth");
    assert_true(dram < -0.5 && dram >= -1);
    assert_true(value_of(&e, "memory.dram.latency") > 0);
    assert_close(value_of(&e, "links.scale_up.bandwidth"), 0, 0);
    assert_close(value_of(&e, "links.scale_out.latency"), 0, 0);
    assert_close(value_of(&e, "power.tdp"), 0, 0);
    for (size_t i = 0; i < e.n; i++)
        assert_true(isfinite(e.at[i].dlnt_dlnx) && fabs(e.at[i].dlnt_dlnx) >= 1e-6);
}

static void the_strongest_comes_first(void **state)
{
    const dm_hw hw = toy_hw();
    const elasticities e = of(&hw, "gemm", "m=64,n=1024,k=1024", DM_ANALYTIC);

    (void)state;
    assert_true(e.n > 2);
    for (size_t i = 1; i < e.n; i++)
        assert_true(fabs(e.at[i].dlnt_dlnx) <= fabs(e.at[i - 1].dlnt_dlnx));
}

static void an_operator_that_can_not_be_predicted_has_none(void **state)
{
    dm_hw hw = toy_hw();
    elasticities e = {.n = 77};
    dm_op_call *call;
    dm_err err;

    (void)state;
    hw.scale_up.bw_Bps = NAN;
    assert_int_equal(dm_op_call_parse("all_reduce", "bytes=8,ranks=2", NULL, NULL, &call, &err), DM_OK);
    assert_int_equal(dm_elasticities(&hw, call, DM_ROOFLINE, DM_CLOCK_BOOST, e.at, &e.n, &err), DM_ERR_MISSING);
    expect_says(&err, "links.scale_up.bandwidth");
    assert_int_equal(e.n, 77);
    dm_op_call_free(call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dram_bound_operator_hangs_on_bandwidth_alone),
        cmocka_unit_test(a_compute_bound_operator_hangs_on_clock_cores_and_rate),
        cmocka_unit_test(a_count_of_one_is_moved_up_only),
        cmocka_unit_test(the_analytic_time_hangs_on_many_and_each_the_right_way),
        cmocka_unit_test(the_strongest_comes_first),
        cmocka_unit_test(an_operator_that_can_not_be_predicted_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
