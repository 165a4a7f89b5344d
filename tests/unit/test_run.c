/* tests/unit/test_run.c: whole workloads on the toy machine, by their roofline.
 *
 * relu of n bf16 elements reads and writes 4 n bytes at 100 GB/s: 40 us for a million, far above its 1 us of
 * arithmetic. */
#include "op_plan.h"
#include "workload_fixture.h"

#define HEAD "schema: 1\nname: w\ntitle: a test\n"

static dm_run run_of(const dm_hw *hw, const dm_workload *w)
{
    dm_run run;
    dm_err err;

    if (dm_run_workload(hw, w, DM_ROOFLINE, DM_CLOCK_BOOST, &run, &err) != DM_OK)
        fail_msg("%s", err.message);
    return run;
}

/* Times in us. Stream 0: a to 40, b (twice 80) to 200, e to 240. Stream 1: c to 120, d waits for b: 200 to 240; f, on
 * its own stream, waits for c and takes 160: 280. The block lasts 280, three times 840. The last block: g 40, and h on
 * another stream 80: 80. Together 920. */
static void time_is_that_of_the_longest_chain(void **state)
{
    const dm_hw hw = toy_hw();
    dm_workload w;

    (void)state;
    good_yaml(HEAD "repeat:\n"
                   "  - count: 3\n"
                   "    ops:\n"
                   "      - {op: relu, name: a, rows: 1, cols: 1e6}\n"
                   "      - {op: relu, name: b, rows: 2, cols: 1e6, count: 2}\n"
                   "      - {op: relu, name: c, rows: 3, cols: 1e6, stream: 1}\n"
                   "      - {op: relu, name: d, rows: 1, cols: 1e6, stream: 1, after: [b]}\n"
                   "      - {op: relu, name: e, rows: 1, cols: 1e6}\n"
                   "      - {op: relu, name: f, rows: 4, cols: 1e6, stream: 1023, after: [c, a]}\n"
                   "ops:\n"
                   "  - {op: relu, name: g, rows: 1, cols: 1e6}\n"
                   "  - {op: relu, rows: 2, cols: 1e6, stream: 1}\n",
              &w);
    dm_run run = run_of(&hw, &w);
    assert_close(run.time_s, 920e-6, 1e-12);
    dm_run_fini(&run);
    dm_arena_free(&w.arena);
}

/* What is added up is all executions: 3 x (2 x 2 + 1) + 1 = 16 million elements, 1 FLOP and 4 B each. */
static void counts_of_operator_and_block_multiply(void **state)
{
    const dm_hw hw = toy_hw();
    dm_workload w;

    (void)state;
    good_yaml(HEAD "repeat: [{count: 3, ops: [{op: relu, name: b, rows: 2, cols: 1e6, count: 2}, {op: relu, rows: 1, "
                   "cols: 1e6}]}]\n"
                   "ops: [{op: relu, rows: 1, cols: 1e6, stream: 5, dtype: fp16}]\n",
              &w);
    dm_run run = run_of(&hw, &w);
    assert_int_equal(run.op_n, 3);
    assert_int_equal(run.op[0].count, 6);
    assert_int_equal(run.op[1].count, 3);
    assert_int_equal(run.op[2].count, 1);
    assert_close(run.op[0].result.time_s, 80e-6, 1e-12);
    assert_close(run.work_FLOP, 16e6, 0);
    assert_close(run.dram_B, 64e6, 0);
    assert_close(run.link_B, 0, 0);
    assert_close(run.time_s, (3 * (160 + 40) + 40) * 1e-6, 1e-12);
    dm_run_fini(&run);
    dm_arena_free(&w.arena);
}

static void each_operator_is_named(void **state)
{
    const dm_hw hw = toy_hw();
    dm_workload w;

    (void)state;
    good_yaml(HEAD
              "ops: [{op: relu, name: b, rows: 2, cols: 8}, {op: relu, rows: 1, cols: 8, stream: 5, dtype: fp16}]\n",
              &w);
    dm_run run = run_of(&hw, &w);
    assert_string_equal(run.hw, "toy");
    assert_string_equal(run.workload, "w");
    assert_string_equal(run.title, "a test");
    assert_int_equal(run.fidelity, DM_ROOFLINE);
    assert_string_equal(run.op[0].name, "b");
    assert_string_equal(run.op[0].op, "relu");
    assert_string_equal(run.op[0].shape, "rows=2 cols=8");
    assert_string_equal(run.op[0].dtype, "bf16");
    assert_int_equal(run.op[0].stream, 0);
    assert_string_equal(run.op[1].name, "relu"); /* that of its operator */
    assert_string_equal(run.op[1].dtype, "fp16");
    assert_int_equal(run.op[1].stream, 5);
    dm_run_fini(&run);
    assert_null(run.owner);
    dm_run_fini(&run);
    dm_arena_free(&w.arena);
}

/* gemm 1024^3: 2^31 FLOP at 1e13 FLOP/s, 214.748 us, tensor. Four relu of 40 us, dram: 160 us. Tensor has
 * 214.748 / 374.748 = 57.3 %. With ten of them dram has 400 / 614.748 = 65.1 %. */
static void the_limiter_is_that_of_most_of_the_time(void **state)
{
    const dm_hw hw = toy_hw();
    dm_workload w;

    (void)state;
    good_yaml(HEAD "ops: [{op: gemm, m: 1024, n: 1024, k: 1024}, {op: relu, count: 4, rows: 1, cols: 1e6}]\n", &w);
    dm_run run = run_of(&hw, &w);
    assert_string_equal(run.limiter, "tensor");
    assert_close(run.limiter_frac, 214.7483648 / 374.7483648, 1e-12);
    dm_run_fini(&run);
    dm_arena_free(&w.arena);

    good_yaml(
        HEAD
        "repeat: [{count: 10, ops: [{op: relu, rows: 1, cols: 1e6}]}]\nops: [{op: gemm, m: 1024, n: 1024, k: 1024}]\n",
        &w);
    run = run_of(&hw, &w);
    assert_string_equal(run.limiter, "dram");
    assert_close(run.limiter_frac, 400 / 614.7483648, 1e-12);
    dm_run_fini(&run);
    dm_arena_free(&w.arena);
}

static void an_operator_that_can_not_be_predicted_is_shown_in_its_file(void **state)
{
    dm_hw hw = toy_hw();
    dm_workload w;
    dm_run run = {.time_s = 77};
    dm_err err;

    (void)state;
    hw.scale_up.bw_Bps = NAN;
    good_yaml(HEAD "ops:\n  - {op: relu, rows: 1, cols: 8}\n  - {op: all_reduce, bytes: 1e6, ranks: 8}\n", &w);
    assert_int_equal(dm_run_workload(&hw, &w, DM_ROOFLINE, DM_CLOCK_BOOST, &run, &err), DM_ERR_MISSING);
    expect_says(&err, "toy does not state links.scale_up.bandwidth");
    expect_at(&err, 6, 5);
    assert_string_equal(err.path, "w.yaml");
    assert_string_equal(err.excerpt, "  - {op: all_reduce, bytes: 1e6, ranks: 8}");
    assert_close(run.time_s, 77, 0);

    assert_int_equal(dm_run_workload(&hw, &w, DM_ROOFLINE, DM_CLOCK_BASE, &run, &err), DM_ERR_MISSING);
    expect_says(&err, "clocks.base");
    dm_arena_free(&w.arena);
}

/* The bound of every operator, so of the chain, is below its prediction; parts add up to their operator. */
static void every_shipped_workload_runs_on_h200(void **state)
{
    static const char *const names[] = {"llama3_8b_prefill_2k",      "llama3_8b_decode_b16",      "llama3_8b_decode_b1",
                                        "llama3_70b_prefill_2k_tp8", "llama3_70b_decode_b16_tp8", "llama3_8b_layer",
                                        "bert_large_b8_s384",        "mixtral_8x7b_layer",        "resnet50_b32"};
    const char *const dirs[] = {shipped_root()};
    dm_hw *hw;
    dm_err err;

    (void)state;
    assert_int_equal(dm_hw_load(&(dm_search){dirs, 1}, "h200_sxm", NULL, 0, &hw, &err), DM_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        dm_workload *w = load_shipped_workload(names[i]);
        dm_run bound = run_of(hw, w), run;
        if (dm_run_workload(hw, w, DM_ANALYTIC, DM_CLOCK_BOOST, &run, &err) != DM_OK)
            fail_msg("%s: %s", names[i], err.message);
        assert_true(bound.time_s > 0 && run.time_s >= bound.time_s);
        for (size_t j = 0; j < run.op_n; j++) {
            double sum_s = 0;
            for (int p = 0; p < run.op[j].result.part_n; p++)
                sum_s += run.op[j].result.part[p].time_s;
            assert_close(sum_s, run.op[j].result.time_s, 1e-12);
            assert_true(run.op[j].result.time_s >= bound.op[j].result.time_s);
        }
        dm_run_fini(&run);
        dm_run_fini(&bound);
        dm_workload_free(w);
    }
    dm_hw_free(hw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_that_of_the_longest_chain),
        cmocka_unit_test(counts_of_operator_and_block_multiply),
        cmocka_unit_test(each_operator_is_named),
        cmocka_unit_test(the_limiter_is_that_of_most_of_the_time),
        cmocka_unit_test(an_operator_that_can_not_be_predicted_is_shown_in_its_file),
        cmocka_unit_test(every_shipped_workload_runs_on_h200),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
