/* tests/unit/test_analytic.c: the closed form worked by hand, with efficiencies of one so that the sums are round. */
#include "op_plan.h"

#include "model/model.h"

static double part_s(const dm_result *r, const char *name)
{
    for (int i = 0; i < r->part_n; i++)
        if (strcmp(r->part[i].name, name) == 0)
            return r->part[i].time_s;
    return 0;
}

/* 3-4-5: p = 2 of 3 us and 4 us is 5 us; a single time is itself; nothing is nothing. */
static void the_blend_is_a_p_norm(void **state)
{
    (void)state;
    assert_close(dm_blend_s((const double[]){3e-6, 4e-6, 0}, 3, 2), 5e-6, 1e-12);
    assert_close(dm_blend_s((const double[]){0, 7e-6}, 2, 4), 7e-6, 1e-12);
    assert_close(dm_blend_s((const double[]){0, 0}, 2, 4), 0, 0);
    /* p = 1 does not overlap at all; a large p hides everything but the longest. */
    assert_close(dm_blend_s((const double[]){3e-6, 4e-6}, 2, 1), 7e-6, 1e-12);
    assert_close(dm_blend_s((const double[]){3e-6, 4e-6}, 2, 400), 4e-6, 1e-12);
}

/* Little: 64 kB in flight over 1 us is 64 GB/s; an L2 share of 40 GB/s caps it. */
static void the_feed_is_bytes_in_flight_over_latency_up_to_the_l2_share(void **state)
{
    (void)state;
    assert_close(dm_feed_Bps(65536, 1e-6, 1e12), 65.536e9, 1e-12);
    assert_close(dm_feed_Bps(65536, 1e-6, 40e9), 40e9, 1e-12);
}

/* One streaming kernel by hand, on the toy (10 cores, 1 GHz): 40 CTAs of 1e6 FLOP and 1e4 B each, cold, 4e5 B in all.
 *   compute  busiest core: 4 CTAs x 1e6 FLOP at 100 FLOP x 1 GHz:            40 us
 *   feed     4 x 1e4 B at min(2e4 B / 500 ns = 40 GB/s, L2 50 GB/s):          1 us
 *   dram     4e5 B at 100 GB/s:                                               4 us
 *   blended  p = 1: 45 us;  latency: one wave of 2 x 500 ns: 1 us;  launch.node: 3 us
 *   T = 49 us. */
static void a_streaming_kernel_by_hand(void **state)
{
    dm_params p = dm_params_default;
    dm_hw hw = toy_hw();
    dm_machine machine;
    dm_launch launch = {.math = DM_MATH_FP32};
    dm_op_call *call;
    dm_result r;
    dm_err err;

    (void)state;
    p.dram_efficiency_frac = p.vector_efficiency_frac = p.l2_efficiency_frac = p.loaded_latency_ratio = p.blend_exponent = 1;
    p.wave_latency_n = 2;
    hw.launch_node_s = 3e-6;
    assert_int_equal(dm_machine_init(&machine, &hw, DM_CLOCK_BOOST, &err), DM_OK);
    assert_int_equal(dm_op_call_parse("copy", "bytes=1", "fp32", NULL, &call, &err), DM_OK);
    dm_kernel *k = dm_launch_add(&launch, "stream");
    dm_work_read(&k->work, "in", 4e5);
    dm_work_read(&launch.work, "in", 4e5);
    k->cta_n = 40;
    k->cta_vector_FLOP = 1e6;
    k->cta_read_B = 1e4;
    k->inflight_B = 2e4;
    dm_analytic(&launch, call, &machine, &p, &r);
    assert_close(part_s(&r, "launch"), 3e-6, 1e-12);
    assert_close(part_s(&r, "latency"), 1e-6, 1e-12);
    assert_close(part_s(&r, "vector"), 40e-6, 1e-12);
    assert_close(part_s(&r, "overlap"), 5e-6, 1e-12);
    assert_close(r.time_s, 49e-6, 1e-12);
    assert_string_equal(r.limiter, "vector");
    assert_close(r.dram_B, 4e5, 0);
    dm_op_call_free(call);
}

/* Launches: a graph node costs launch.graph; from a stream at least launch.stream; eager adds the host's cost, once. */
static void the_launch_kind_sets_the_fixed_cost(void **state)
{
    static const struct {
        const char *launch;
        double want_s;
    } cases[] = {{"graph", 2e-6}, {"kernel", 2e-6}, {"stream", 3e-6}, {"eager", 22e-6}};
    dm_hw hw = toy_hw();
    dm_op_call *call;
    dm_result r;
    dm_err err;

    (void)state;
    hw.launch_graph_s = 2e-6;
    hw.launch_stream_s = 3e-6;
    hw.launch_eager_s = 20e-6;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(dm_op_call_parse("gemm", "m=64,n=64,k=64", "bf16", cases[i].launch, &call, &err), DM_OK);
        assert_int_equal(dm_predict(&hw, call, DM_ANALYTIC, DM_CLOCK_BOOST, &r, &err), DM_OK);
        assert_close(part_s(&r, "launch"), cases[i].want_s, 1e-12);
        dm_op_call_free(call);
    }
}

/* 40 tiles of 128 x 128 on 10 cores: four waves of one CTA a core. 41 tiles: five, unless the last wave is cut. */
static void the_last_wave_costs_a_whole_one_unless_it_is_cut(void **state)
{
    dm_hw hw = toy_hw();
    dm_result r40, r41, cut41;

    (void)state;
    hw.tile_m_min = hw.tile_n_min = 128;
    hw.launch_graph_s = 1e-9;
    hw.dram_bw_Bps = 1e15;
    hw.dram_latency_s = hw.l2_latency_s = 1e-12;
    hw.l2_Bpclk = 1e9;
    assert_int_equal(predict(&hw, "gemm", "m=128,n=5120,k=8192", "bf16", DM_ANALYTIC, &r40), DM_OK);
    assert_int_equal(predict(&hw, "gemm", "m=128,n=5248,k=8192", "bf16", DM_ANALYTIC, &r41), DM_OK);
    assert_close(r41.time_s / r40.time_s, 5.0 / 4, 1e-3);
    hw.features = DM_FEATURE_FRACTIONAL_WAVES;
    assert_int_equal(predict(&hw, "gemm", "m=128,n=5248,k=8192", "bf16", DM_ANALYTIC, &cut41), DM_OK);
    assert_close(cut41.time_s / r40.time_s, 4.1 / 4, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blend_is_a_p_norm),
        cmocka_unit_test(the_feed_is_bytes_in_flight_over_latency_up_to_the_l2_share),
        cmocka_unit_test(a_streaming_kernel_by_hand),
        cmocka_unit_test(the_launch_kind_sets_the_fixed_cost),
        cmocka_unit_test(the_last_wave_costs_a_whole_one_unless_it_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
