/* tests/unit/test_op_collective.c */
#include "op_plan.h"

/* 8 ranks, 8 000 B: all_reduce sends 2*7/8*8 000 = 14 000 B, the others 7/8*8 000 = 7 000 B. Where the network adds,
 * all_reduce sends its buffer once. Memory: 8 000 B in and out; all_gather reads a slice of 1 000 B, reduce_scatter
 * writes one. */
static void bytes_are_those_of_the_largest_buffer(void **state)
{
    (void)state;
    const dm_work reduce = work_of("all_reduce", "bytes=8000,ranks=8", "bf16");
    const dm_work gather = work_of("all_gather", "bytes=8000,ranks=8", "bf16");
    const dm_work scatter = work_of("reduce_scatter", "bytes=8000,ranks=8", "bf16");
    const dm_work pairs = work_of("all_to_all", "bytes=8000,ranks=8", "bf16");

    assert_int_equal(reduce.link, DM_LINK_SCALE_UP);
    assert_close(reduce.link_B, 14000.0, 0);
    assert_close(reduce.link_in_network_B, 8000.0, 0);
    assert_close(gather.link_B, 7000.0, 0);
    assert_close(scatter.link_B, 7000.0, 0);
    assert_close(pairs.link_B, 7000.0, 0);
    assert_close(operand_B(&reduce, "input"), 8000.0, 0);
    assert_close(operand_B(&reduce, "output"), 8000.0, 0);
    assert_close(operand_B(&gather, "input"), 1000.0, 0);
    assert_close(operand_B(&gather, "output"), 8000.0, 0);
    assert_close(operand_B(&scatter, "input"), 8000.0, 0);
    assert_close(operand_B(&scatter, "output"), 1000.0, 0);
    assert_close(dm_work_unique_B(&pairs), 16000.0, 0);
}

/* 8 ranks, 4 a node, 8 000 B: two nodes, and each rank takes a quarter to the network. all_reduce: 2*1/2*2 000 =
 * 2 000 B; all_gather 1 000 B; all_to_all sends half of its messages, 4 000 B, to the other node. */
static void only_what_leaves_a_node_is_on_the_network(void **state)
{
    (void)state;
    const dm_work reduce = work_of("all_reduce", "bytes=8000,ranks=8,ranks_per_node=4", "bf16");
    const dm_work gather = work_of("all_gather", "bytes=8000,ranks=8,ranks_per_node=4", "bf16");
    const dm_work pairs = work_of("all_to_all", "bytes=8000,ranks=8,ranks_per_node=4", "bf16");
    const dm_work one_node = work_of("all_reduce", "bytes=8000,ranks=4,ranks_per_node=8", "bf16");

    assert_int_equal(reduce.link, DM_LINK_SCALE_OUT);
    assert_close(reduce.link_B, 2000.0, 0);
    assert_close(gather.link_B, 1000.0, 0);
    assert_close(pairs.link_B, 4000.0, 0);
    assert_int_equal(one_node.link, DM_LINK_SCALE_UP);
    assert_close(one_node.link_B, 12000.0, 0);
}

static void a_message_goes_within_a_node_or_beyond(void **state)
{
    (void)state;
    const dm_work near = work_of("p2p", "bytes=4096", "fp16");
    const dm_work far = work_of("p2p", "bytes=4096,ranks=2,ranks_per_node=1", "fp16");

    assert_int_equal(near.link, DM_LINK_SCALE_UP);
    assert_close(near.link_B, 4096.0, 0);
    assert_close(operand_B(&near, "buffer"), 4096.0, 0);
    assert_int_equal(far.link, DM_LINK_SCALE_OUT);
}

/* 8 ranks: halving and doubling take log2 8 = 3 steps a phase through a switch, a ring 7, a mesh one. Pairs: one step
 * through a switch, 7 around a ring. 5 ranks need 3 steps as well. */
static double steps_of(int topology, const char *op, const char *shape)
{
    dm_hw hw = toy_hw();

    hw.scale_up.topology = topology;
    const dm_launch launch = plan_of(&hw, op, shape, "bf16");
    return launch.kernel[0].work.link_step_n;
}

static void steps_depend_on_the_topology(void **state)
{
    (void)state;
    const char *shape = "bytes=8000,ranks=8";

    assert_close(steps_of(DM_TOPOLOGY_SWITCH, "all_reduce", shape), 6.0, 0);
    assert_close(steps_of(DM_TOPOLOGY_RING, "all_reduce", shape), 14.0, 0);
    assert_close(steps_of(DM_TOPOLOGY_HOST, "all_reduce", shape), 14.0, 0);
    assert_close(steps_of(DM_TOPOLOGY_MESH, "all_reduce", shape), 2.0, 0);
    assert_close(steps_of(DM_TOPOLOGY_SWITCH, "all_gather", "bytes=8000,ranks=5"), 3.0, 0);
    assert_close(steps_of(DM_TOPOLOGY_SWITCH, "all_to_all", shape), 1.0, 0);
    assert_close(steps_of(DM_TOPOLOGY_RING, "all_to_all", shape), 7.0, 0);
}

/* The toy switch learns to add. A long buffer: 9/8 of it against 14/8, so the network adds, in its own latency. A short
 * one: 6 steps of 1 us against in_network_latency_n, so it does not. The bound is the buffer once, either way. */
static void the_network_adds_long_buffers(void **state)
{
    (void)state;
    dm_hw hw = toy_hw();

    hw.scale_up.in_network_reduce = true;
    const dm_launch large = plan_of(&hw, "all_reduce", "bytes=8e9,ranks=8", "bf16");
    const dm_launch small = plan_of(&hw, "all_reduce", "bytes=800,ranks=8", "bf16");
    const dm_launch gather = plan_of(&hw, "all_gather", "bytes=8e9,ranks=8", "bf16");

    assert_close(large.work.link_B, 8e9, 0);
    assert_close(large.kernel[0].work.link_B, 9e9, 0);
    assert_close(large.kernel[0].work.link_step_n, dm_params_default.in_network_latency_n, 0);
    assert_close(large.kernel[0].work.vector_FLOP, 0.0, 0);
    assert_close(small.work.link_B, 800.0, 0);
    assert_close(small.kernel[0].work.link_B, 1400.0, 0);
    assert_close(gather.kernel[0].work.link_B, 7e9, 0);
}

/* A reduction adds what comes in: 7/8 of 8 000 B in fp32 are 1 750 additions. */
static void ranks_add_what_comes_in(void **state)
{
    (void)state;
    const dm_hw hw = toy_hw();
    const dm_launch launch = plan_of(&hw, "reduce_scatter", "bytes=8000,ranks=8", "fp32");

    assert_close(launch.kernel[0].work.vector_FLOP, 1750.0, 0);
    assert_close((double)launch.kernel[0].cta_n * launch.kernel[0].cta_vector_FLOP, 1750.0, 1e-14);
}

/* 8 ranks on two nodes: scatter among 4 (3/4*8 000 = 6 000 B up), exchange a quarter (2 000 B out), gather among 4. */
static void nodes_scatter_exchange_and_gather(void **state)
{
    (void)state;
    const dm_hw hw = toy_hw();
    const dm_launch reduce = plan_of(&hw, "all_reduce", "bytes=8000,ranks=8,ranks_per_node=4", "bf16");
    const dm_launch gather = plan_of(&hw, "all_gather", "bytes=8000,ranks=8,ranks_per_node=4", "bf16");
    const dm_launch pairs = plan_of(&hw, "all_to_all", "bytes=8000,ranks=8,ranks_per_node=4", "bf16");
    const dm_launch alone = plan_of(&hw, "all_reduce", "bytes=8000,ranks=2,ranks_per_node=1", "bf16");

    assert_int_equal(reduce.kernel_n, 3);
    assert_int_equal(reduce.kernel[0].work.link, DM_LINK_SCALE_UP);
    assert_close(reduce.kernel[0].work.link_B, 6000.0, 0);
    assert_int_equal(reduce.kernel[1].work.link, DM_LINK_SCALE_OUT);
    assert_close(reduce.kernel[1].work.link_B, 2000.0, 0);
    assert_close(reduce.kernel[2].work.link_B, 6000.0, 0);
    assert_int_equal(gather.kernel_n, 2);
    assert_int_equal(gather.kernel[0].work.link, DM_LINK_SCALE_OUT);
    assert_close(gather.kernel[0].work.link_B, 1000.0, 0);
    assert_int_equal(pairs.kernel_n, 1);
    assert_close(pairs.kernel[0].work.link_B, 4000.0, 0);
    assert_int_equal(alone.kernel_n, 1);
}

/* 10 GB/s: the roofline of 14 000 B is 1.4 us. */
static void the_link_bounds_the_roofline(void **state)
{
    (void)state;
    const dm_hw hw = toy_hw();
    dm_result bound, result;

    assert_int_equal(predict(&hw, "all_reduce", "bytes=8000,ranks=8", "bf16", DM_ROOFLINE, &bound), DM_OK);
    assert_int_equal(predict(&hw, "all_reduce", "bytes=8000,ranks=8", "bf16", DM_ANALYTIC, &result), DM_OK);
    assert_close(bound.time_s, 1.4e-6, 1e-14);
    assert_string_equal(bound.limiter, "link");
    assert_true(result.time_s > bound.time_s + 6e-6);
}

static void a_device_must_state_its_links(void **state)
{
    (void)state;
    dm_hw hw = toy_hw();

    hw.scale_up.bw_Bps = NAN;
    expect_unserved(&hw, "all_reduce", "bytes=8000,ranks=8", DM_ERR_MISSING);
    expect_unserved(&hw, "p2p", "bytes=8000", DM_ERR_MISSING);
    expect_unserved(&hw, "moe_dispatch", "tokens=4,hidden=256,topk=2,experts=16,ranks=8", DM_ERR_MISSING);
    hw = toy_hw();
    hw.scale_out.bw_Bps = NAN;
    expect_unserved(&hw, "all_reduce", "bytes=8000,ranks=8,ranks_per_node=4", DM_ERR_MISSING);
    expect_unserved(&hw, "p2p", "bytes=8000,ranks_per_node=1", DM_ERR_MISSING);
    hw = toy_hw();
    hw.scale_up.device_n = 4;
    expect_unserved(&hw, "all_reduce", "bytes=8000,ranks=8", DM_ERR_UNSUPPORTED);
    expect_unserved(&hw, "moe_dispatch", "tokens=4,hidden=256,topk=2,experts=16,ranks=8", DM_ERR_UNSUPPORTED);
}

/* Ranks of one node exchange over the scale-up link, whatever joins the nodes. */
static void nodes_of_several_ranks_need_both_links(void **state)
{
    (void)state;
    dm_hw hw = toy_hw();
    dm_result result;

    hw.scale_up.bw_Bps = NAN;
    expect_unserved(&hw, "all_reduce", "bytes=8000,ranks=8,ranks_per_node=4", DM_ERR_MISSING);
    assert_int_equal(
        predict(&hw, "all_reduce", "bytes=8000,ranks=8,ranks_per_node=1", "bf16", DM_ANALYTIC, &result), DM_OK);
    hw = toy_hw();
    hw.scale_up.device_n = 2;
    expect_unserved(&hw, "all_reduce", "bytes=8000,ranks=8,ranks_per_node=4", DM_ERR_UNSUPPORTED);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    expect_shape_refused("all_reduce", "bytes=8000,ranks=1", "bf16", "ranks");
    expect_shape_refused("all_reduce", "bytes=0,ranks=2", "bf16", "bytes");
    expect_shape_refused("all_gather", "bytes=8000", "bf16", "'ranks' is missing");
    expect_shape_refused("all_to_all", "bytes=8000,ranks=6,ranks_per_node=4", "bf16", "no multiple of ranks_per_node");
    expect_shape_refused("p2p", "bytes=8000,ranks=3", "bf16", "ranks is not 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_largest_buffer),
        cmocka_unit_test(only_what_leaves_a_node_is_on_the_network),
        cmocka_unit_test(a_message_goes_within_a_node_or_beyond),
        cmocka_unit_test(steps_depend_on_the_topology),
        cmocka_unit_test(the_network_adds_long_buffers),
        cmocka_unit_test(ranks_add_what_comes_in),
        cmocka_unit_test(nodes_scatter_exchange_and_gather),
        cmocka_unit_test(the_link_bounds_the_roofline),
        cmocka_unit_test(a_device_must_state_its_links),
        cmocka_unit_test(nodes_of_several_ranks_need_both_links),
        cmocka_unit_test(impossible_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
