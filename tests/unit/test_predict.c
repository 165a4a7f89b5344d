/* tests/unit/test_predict.c: the public way to one operator: from texts to a result, or to what is missing. */
#include "op_plan.h"
#include "text_fixture.h"

static dm_op_call *call_of(const char *op, const char *shape, const char *dtype, const char *launch)
{
    dm_op_call *call = NULL;
    dm_err err;

    if (dm_op_call_parse(op, shape, dtype, launch, &call, &err) != DM_OK)
        fail_msg("%s %s: %s", op, shape, err.message);
    return call;
}

static void texts_become_a_call(void **state)
{
    dm_op_call *call = call_of("gemm", " m = 16, n=4e3,k=1_024,", NULL, NULL);
    dm_str shape = {0};

    (void)state;
    dm_op_call_print(call, ",", &shape);
    assert_string_equal(shape.text, "m=16,n=4000,k=1024");
    assert_string_equal(dm_op_call_dtype(call), "bf16");
    assert_int_equal(call->conditions.launch, DM_LAUNCH_GRAPH);
    dm_str_fini(&shape);
    dm_op_call_free(call);

    call = call_of("rmsnorm", "rows=1,cols=8", "fp16", "eager");
    assert_string_equal(dm_op_call_op_name(call), "rmsnorm");
    assert_string_equal(dm_op_call_dtype(call), "fp16");
    assert_int_equal(call->conditions.launch, DM_LAUNCH_EAGER);
    dm_op_call_free(call);
    dm_op_call_free(NULL);
}

static void wrong_texts_are_refused_where_they_are_wrong(void **state)
{
    static const struct {
        const char *op, *shape, *dtype, *launch;
        dm_status status;
        const char *path;
        int col;
        const char *says;
    } rows[] = {
        {"gem", "m=1", NULL, NULL, DM_ERR_INPUT, "--op", 1, "unknown operator 'gem'; did you mean 'gemm'?"},
        {"gemm", "m=1,n=2", NULL, NULL, DM_ERR_INPUT, "--shape", 1, "gemm: 'k' is missing"},
        {"gemm", "", NULL, NULL, DM_ERR_INPUT, "--shape", 1, "gemm: 'm' is missing"},
        {"gemm", "m=1,n=x,k=3", NULL, NULL, DM_ERR_INPUT, "--shape", 7, "n: 'x' is not a whole number"},
        {"gemm", "m=1,n=0,k=3", NULL, NULL, DM_ERR_INPUT, "--shape", 7, "n: '0' is out of range"},
        {"gemm", "m=1,n=,k=3", NULL, NULL, DM_ERR_INPUT, "--shape", 7, "n: has no value"},
        {"gemm", "m=1,n,k=3", NULL, NULL, DM_ERR_USAGE, "--shape", 5, "key=value is wanted"},
        {"gemm", "m=1,n=2,m=3", NULL, NULL, DM_ERR_USAGE, "--shape", 9, "'m' is given twice"},
        {"gemm", "m=1,n=2,k=3,bacth=4", NULL, NULL, DM_ERR_INPUT, "--shape", 13, "did you mean 'batch'?"},
        {"gemm", "m=1,n=2,k=3", "bf61", NULL, DM_ERR_INPUT, "dtype", 1, "unknown recipe 'bf61'; did you mean 'bf16'?"},
        {"gemm", "m=1,n=2,k=3", NULL, "grph", DM_ERR_INPUT, "launch", 1, "did you mean 'graph'?"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dm_op_call *call = NULL;
        dm_err err;
        assert_int_equal(dm_op_call_parse(rows[i].op, rows[i].shape, rows[i].dtype, rows[i].launch, &call, &err),
                         rows[i].status);
        assert_null(call);
        expect_says(&err, rows[i].says);
        expect_at(&err, 1, rows[i].col);
        assert_string_equal(err.path, rows[i].path);
    }
}

static void an_option_is_one_more_key(void **state)
{
    dm_op_call *call = call_of("gemm", "m=1,n=2,k=3", NULL, NULL);
    dm_err err;

    (void)state;
    assert_int_equal(dm_op_call_option(call, "residency", "measured", &err), DM_OK);
    assert_int_equal(dm_op_call_option(call, "weight_copies", "6", &err), DM_OK);
    assert_int_equal(dm_op_call_option(call, "loop_s", "1e-3", &err), DM_OK);
    assert_int_equal(dm_op_call_option(call, "power_limit_w", "300", &err), DM_OK);
    assert_int_equal(dm_op_call_option(call, "stack", "vllm-1", &err), DM_OK);
    assert_int_equal(dm_op_call_option(call, "dtype", "fp8", &err), DM_OK);
    assert_int_equal(call->conditions.residency, DM_RESIDENCY_MEASURED);
    assert_int_equal(call->conditions.weight_copies, 6);
    assert_close(call->conditions.loop_s, 1e-3, 0);
    assert_close(call->conditions.power_limit_W, 300, 0);
    assert_string_equal(call->stack, "vllm-1");
    assert_string_equal(dm_op_call_dtype(call), "fp8");
    assert_int_equal(dm_op_call_option(call, "weight_copies", "0", &err), DM_ERR_INPUT);
    expect_says(&err, "weight_copies: '0' is out of range");
    assert_int_equal(dm_op_call_option(call, "residancy", "cold", &err), DM_ERR_INPUT);
    expect_says(&err, "did you mean 'residency'?");
    dm_op_call_free(call);
}

static void expect_failure(const dm_hw *hw, const char *op, const char *shape, dm_fidelity fidelity, dm_clock clock,
                           dm_status status, const char *says)
{
    dm_op_call *call = call_of(op, shape, NULL, NULL);
    dm_result result = {.time_s = 77};
    dm_err err;

    assert_int_equal(dm_predict(hw, call, fidelity, clock, &result, &err), status);
    expect_says(&err, says);
    assert_close(result.time_s, 77, 0);
    dm_op_call_free(call);
}

/* Each field is asked for by name, with what would give it. */
static void a_missing_field_is_named(void **state)
{
    dm_hw hw = toy_hw();

    (void)state;
    expect_failure(&hw, "relu", "rows=1,cols=8", DM_ROOFLINE, DM_CLOCK_DATASHEET, DM_ERR_MISSING,
                   "toy does not state clocks.datasheet");
    hw.dram_latency_s = NAN;
    expect_failure(&hw, "gemm", "m=1,n=2,k=3", DM_ANALYTIC, DM_CLOCK_BOOST, DM_ERR_MISSING,
                   "toy does not state memory.dram.latency (unloaded, load to use), which a matrix kernel needs; --set "
                   "memory.dram.latency='340 ns' would give it");
    hw = toy_hw();
    hw.tile_m_max = 0;
    expect_failure(&hw, "gemm", "m=1,n=2,k=3", DM_ANALYTIC, DM_CLOCK_BOOST, DM_ERR_MISSING, "compute.tile");
    hw = toy_hw();
    hw.scale_up.bw_Bps = NAN;
    expect_failure(&hw, "all_reduce", "bytes=8,ranks=2", DM_ROOFLINE, DM_CLOCK_BOOST, DM_ERR_MISSING,
                   "links.scale_up.bandwidth");
}

static void what_is_not_modelled_is_refused(void **state)
{
    dm_hw hw = toy_hw();

    (void)state;
    hw.scale_up.device_n = 4;
    expect_failure(&hw, "all_reduce", "bytes=8,ranks=8", DM_ANALYTIC, DM_CLOCK_BOOST, DM_ERR_UNSUPPORTED,
                   "toy: the scale-up domain joins 4 devices, 8 are wanted");
}

static void fidelities_have_names(void **state)
{
    (void)state;
    assert_string_equal(dm_fidelity_name(DM_ROOFLINE), "roofline");
    assert_string_equal(dm_fidelity_name(DM_ANALYTIC), "analytic");
}

static void the_version_names_its_commit(void **state)
{
    (void)state;
    assert_non_null(strchr(dm_version(), '+'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_a_call),
        cmocka_unit_test(wrong_texts_are_refused_where_they_are_wrong),
        cmocka_unit_test(an_option_is_one_more_key),
        cmocka_unit_test(a_missing_field_is_named),
        cmocka_unit_test(what_is_not_modelled_is_refused),
        cmocka_unit_test(fidelities_have_names),
        cmocka_unit_test(the_version_names_its_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
