/* tests/unit/test_report.c: results as text that lines up, and as JSON with its keys in order. */
#include "test_folder.h"

#include <stdio.h>

#include "report/report.h"

/* ---- results made by hand ---- */

static dm_result gemm_result(void)
{
    return (dm_result){
        .time_s = 4e-6,
        .time_lo_s = (double)NAN,
        .time_hi_s = (double)NAN,
        .limiter = "tensor",
        .work_FLOP = 2048,
        .dram_B = 512,
        .bound_s = 3e-6,
        .part_n = 2,
        .part = {{"launch", 1e-6}, {"tensor", 3e-6}},
        .kernel_n = 2,
        .kernel = {{.name = "quantise",
                    .split_k = 1,
                    .stages = 1,
                    .ctas = 7,
                    .ctas_per_core = 2,
                    .waves = 0.5,
                    .time_s = 1e-6},
                   {.name = "gemm",
                    .tile_m = 128,
                    .tile_n = 256,
                    .tile_k = 64,
                    .split_k = 3,
                    .stages = 4,
                    .ctas = 132,
                    .ctas_per_core = 1,
                    .waves = 1,
                    .time_s = 3e-6}},
    };
}

static dm_run_op run_op(const char *name, const char *op, int64_t count)
{
    return (dm_run_op){
        .name = name, .op = op, .shape = "m=1 n=2", .dtype = "bf16", .count = count, .result = gemm_result()};
}

static dm_run run_of(dm_run_op *ops, size_t n)
{
    return (dm_run){.hw = "toy",
                    .workload = "w",
                    .fidelity = DM_ANALYTIC,
                    .time_s = 60,
                    .limiter = "tensor",
                    .limiter_frac = 0.75,
                    .op = ops,
                    .op_n = n};
}

/* ---- text ---- */

/* Line i of a text, as code points: columns of a terminal, for what these tests hold. */
static size_t line_at(const char *text, int i, char out[512])
{
    size_t n = 0;

    for (; i > 0; i--) {
        text = strchr(text, '\n');
        assert_non_null(text);
        text++;
    }
    while (text[0] != '\n' && text[0] != '\0') {
        const size_t len = dm_utf8_len(text, strlen(text));
        assert_int_not_equal(len, 0); /* no character was cut */
        out[n++] = len > 1 ? '#' : *text;
        assert_in_range(n, 1, 511);
        text += len;
    }
    out[n] = '\0';
    return n;
}

/* In every line from `first` on, the texts of `starts` begin and those of `ends` end where the header has them. */
static void expect_aligned(const char *text, int first, int lines, const char *const *ends, size_t end_n)
{
    char header[512], line[512];

    (void)line_at(text, first, header);
    for (int i = first + 1; i < first + lines; i++) {
        const size_t n = line_at(text, i, line);
        for (size_t j = 0; j < end_n; j++) {
            const char *title = strstr(header, ends[j]);
            assert_non_null(title);
            const size_t end = (size_t)(title - header) + strlen(ends[j]);
            if (!(end <= n && line[end - 1] != ' ' && (line[end] == ' ' || line[end] == '\0')))
                fail_msg("column '%s' does not end at %zu:\n%s\n%s", ends[j], end, header, line);
        }
    }
}

static void the_columns_of_a_run_line_up(void **state)
{
    static const char *const ends[] = {"count", "each", "all", "share"};
    dm_run_op ops[] = {
        run_op("qkv", "gemm", 1),
        run_op("a name that is too long for its column", "fused_recurrent_gated_delta_rule", 12345678),
        run_op("gr\xc3\xb6\xc3\x9f\x65r", "gemm", 32),
        run_op("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
               "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
               "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
               "\xe2\x82\xac\xe2\x82\xac",
               "gemm", 2)};
    const dm_run run = run_of(ops, sizeof ops / sizeof ops[0]);
    dm_str text = {0};
    char line[512];

    (void)state;
    dm_report_run_text(&run, &text);
    expect_aligned(text.text, 2, 5, ends, 4);
    for (int i = 3; i < 7; i++) {
        (void)line_at(text.text, i, line);
        assert_int_equal(line[24], ' ');
        assert_int_equal(line[43], ' ');
        assert_int_not_equal(line[25], ' '); /* the kind begins here */
        assert_non_null(strstr(line, "%  tensor"));
    }
    assert_non_null(strstr(text.text, "w on toy (analytic)\n"));
    assert_non_null(strstr(text.text, "\ntotal 60.00 s, 75 % of it limited by tensor\n"));
    dm_str_fini(&text);
}

static void the_columns_of_an_explanation_line_up(void **state)
{
    static const char *const ends[] = {"split", "CTAs", "per core", "waves", "time"};
    const dm_result bound = {.time_s = 3e-6, .limiter = "dram"}, result = gemm_result();
    const dm_elasticity elasticity[] = {{"memory.dram.bandwidth", -0.75}, {"launch.graph", 0.25}};
    const dm_explained e = {.hw = "toy",
                            .op = "gemm",
                            .shape = "m=1",
                            .dtype = "fp8",
                            .roofline = &bound,
                            .analytic = &result,
                            .elasticity = elasticity,
                            .elasticity_n = 2};
    dm_str text = {0};

    (void)state;
    dm_report_explain_text(&e, &text);
    assert_string_equal(text.text, "gemm m=1, fp8, on toy\n"
                                   "\n"
                                   "roofline      3.000 us  limited by dram\n"
                                   "analytic      4.000 us  limited by tensor\n"
                                   "  launch       1.000 us   25.0 %\n"
                                   "  tensor       3.000 us   75.0 %\n"
                                   "\n"
                                   "kernel        tile          split   CTAs  per core  waves        time\n"
                                   "quantise      -                 1      7         2   0.50    1.000 us\n"
                                   "gemm          128x256x64        3    132         1   1.00    3.000 us\n"
                                   "\n"
                                   "one per cent more of this field moves the time by (per cent):\n"
                                   "  memory.dram.bandwidth             -0.750\n"
                                   "  launch.graph                      +0.250\n");
    expect_aligned(text.text, 7, 3, ends, 5);
    dm_str_fini(&text);
}

static void the_columns_of_a_validation_line_up(void **state)
{
    static const char *const ends[] = {"rows", "MAPE", "median", "p90", "bias", "<10 %"};
    dm_validation_group group[] = {
        {.op = "gemm",
         .device = "h200_sxm",
         .stack = NULL,
         .dtype = "bf16",
         .row_n = 3,
         .mape_pct = 15,
         .bias_pct = -2},
        {.op = "fused_recurrent_gated_delta_rule",
         .device = "gr\xc3\xb6\xc3\x9f\x65r_als_zwanzig_zeichen",
         .stack = "vllm",
         .dtype = "w4a8_mxfp4_mxfp8",
         .row_n = 123456,
         .mape_pct = 1234.5,
         .within_10_pct = 100},
    };
    dm_validation_skip skip[] = {{"no such device", 7}};
    const dm_validation v = {.fidelity = DM_ANALYTIC,
                             .calibration = "none",
                             .group = group,
                             .group_n = 2,
                             .skip = skip,
                             .skip_n = 1,
                             .row_n = 123459,
                             .mape_pct = 12.34};
    dm_str text = {0};

    (void)state;
    dm_report_validation_text(&v, &text);
    expect_aligned(text.text, 0, 3, ends, 6);
    assert_non_null(
        strstr(text.text, "\nanalytic, calibration none: 123459 rows, mean error 12.3 %\nskipped 7: no such device\n"));
    dm_str_fini(&text);
}

static void without_rows_there_is_no_error(void **state)
{
    const dm_validation v = {.fidelity = DM_ROOFLINE, .calibration = "none", .mape_pct = (double)NAN};
    dm_json json = {{0}, false};
    dm_str text = {0};

    (void)state;
    dm_report_validation_text(&v, &text);
    assert_non_null(strstr(text.text, "\nroofline, calibration none: 0 rows\n"));
    dm_report_validation_json(&v, &json);
    assert_non_null(strstr(json.out.text, "\"overall\":{\"rows\":0,\"mape_pct\":null}"));
    dm_str_fini(&text);
    dm_str_fini(&json.out);
}

static void a_tile_is_that_of_the_longest_matrix_kernel(void **state)
{
    dm_result r = gemm_result();
    char tile[DM_TILE_TEXT_MAX];

    (void)state;
    dm_report_tile(&r, tile);
    assert_string_equal(tile, "128x256x64");
    r.kernel_n = 1;
    dm_report_tile(&r, tile);
    assert_string_equal(tile, "");
    r = (dm_result){.kernel_n = 2,
                    .kernel = {{.tile_m = 1, .tile_n = 2, .tile_k = 3, .time_s = 2},
                               {.tile_m = 4, .tile_n = 5, .tile_k = 6, .time_s = 1}}};
    dm_report_tile(&r, tile);
    assert_string_equal(tile, "1x2x3");
}

/* ---- JSON ---- */

static void the_keys_of_a_run_are_those_of_the_contract(void **state)
{
    dm_run_op ops[] = {run_op("q\"kv", "gemm", 3)};
    const dm_run run = run_of(ops, 1);
    dm_json json = {{0}, false};

    (void)state;
    dm_report_run_json(&run, &json);
    assert_string_equal(json.out.text,
                        "{\"schema\":1,\"hw\":\"toy\",\"workload\":\"w\",\"fidelity\":\"analytic\",\"time_s\":60,"
                        "\"energy_J\":null,\"avg_power_W\":null,\"cost_usd\":null,\"limiter\":\"tensor\",\"ops\":["
                        "{\"name\":\"q\\\"kv\",\"op\":\"gemm\",\"shape\":\"m=1 n=2\",\"dtype\":\"bf16\",\"stream\":0,"
                        "\"count\":3,\"time_s\":4e-06,\"limiter\":\"tensor\",\"flops\":2048,\"dram_bytes\":512,"
                        "\"tile\":\"128x256x64\",\"bound_s\":3e-06,\"emulated\":null}]}");
    dm_str_fini(&json.out);
}

static void the_keys_of_an_explanation_are_those_of_the_contract(void **state)
{
    const dm_result bound = {
        .time_s = 3e-6, .time_lo_s = 1e-6, .time_hi_s = (double)NAN, .limiter = "dram", .emulated = "bf16"};
    const dm_elasticity elasticity[] = {{"launch.graph", 0.25}};
    const dm_explained e = {.hw = "toy",
                            .op = "gemm",
                            .shape = "m=1",
                            .dtype = "fp8",
                            .roofline = &bound,
                            .elasticity = elasticity,
                            .elasticity_n = 1};
    dm_json json = {{0}, false};

    (void)state;
    dm_report_explain_json(&e, &json);
    assert_string_equal(
        json.out.text,
        "{\"schema\":1,\"hw\":\"toy\",\"op\":\"gemm\",\"shape\":\"m=1\",\"dtype\":\"fp8\","
        "\"roofline\":{\"time_s\":3e-06,\"time_lo_s\":1e-06,\"time_hi_s\":null,\"limiter\":\"dram\",\"parts\":[]},"
        "\"launch\":{\"flops\":0,\"dram_bytes\":0,\"link_bytes\":0,\"emulated\":\"bf16\",\"kernels\":[]},"
        "\"elasticities\":[{\"field\":\"launch.graph\",\"dlnt_dlnx\":0.25}]}");
    dm_str_fini(&json.out);
}

static void the_keys_of_a_validation_are_those_of_the_contract(void **state)
{
    dm_validation_group group[] = {{.op = "gemm",
                                    .device = "d",
                                    .dtype = "bf16",
                                    .row_n = 3,
                                    .power_row_n = 1,
                                    .mape_pct = 15,
                                    .median_ape_pct = 20,
                                    .p90_ape_pct = 24,
                                    .bias_pct = -1.5,
                                    .within_10_pct = 50,
                                    .interval_coverage_pct = (double)NAN,
                                    .power_mape_pct = (double)NAN,
                                    .calibration_kind = "none"}};
    dm_validation_skip skip[] = {{"why", 7}};
    const dm_validation v = {.fidelity = DM_ANALYTIC,
                             .calibration = "none",
                             .group = group,
                             .group_n = 1,
                             .skip = skip,
                             .skip_n = 1,
                             .row_n = 3,
                             .mape_pct = 15};
    dm_json json = {{0}, false};

    (void)state;
    dm_report_validation_json(&v, &json);
    assert_string_equal(
        json.out.text,
        "{\"schema\":1,\"fidelity\":\"analytic\",\"calibration\":\"none\",\"groups\":[{\"op\":\"gemm\","
        "\"device\":\"d\",\"stack\":null,\"dtype\":\"bf16\",\"rows\":3,\"mape_pct\":15,\"median_ape_pct\":20,"
        "\"p90_ape_pct\":24,\"bias_pct\":-1.5,\"within_10_pct\":50,\"interval_coverage_pct\":null,"
        "\"calibration_kind\":\"none\",\"power_rows\":1,\"power_mape_pct\":null}],"
        "\"overall\":{\"rows\":3,\"mape_pct\":15},\"skipped\":[{\"reason\":\"why\",\"rows\":7}]}");
    dm_str_fini(&json.out);
}

/* ---- rows as CSV ---- */

/* Predicted 40 us (1e6 elements, 4 B each, 100 GB/s). A comma or quote in a cell puts it in quotes. */
static void the_rows_of_a_validation_are_a_table(void **state)
{
    const char *const dirs[] = {test_folder.root};
    dm_validation v;
    dm_str text = {0};
    dm_err err;

    (void)state;
    folder_add_dir("hw");
    (void)folder_add("hw/toy.yaml", "schema: 1\nname: toy\nclocks: {boost: 1 GHz}\ncompute: {cores: 10}\n"
                                    "memory: {dram: {bandwidth: 100 GB/s}}\n");
    const char *const path = folder_add("m.csv", "op,device,stack,dtype,time_us,rows,cols\n"
                                                 "relu,toy,\"a, \"\"b\"\"\",bf16,50,1,1e6\n"
                                                 "relu,\"no, such\",,bf16,12.5,1,8\n");
    const dm_validate_options options = {.measured = &path, .measured_n = 1, .fidelity = DM_ROOFLINE, .jobs = 1};
    assert_int_equal(dm_validate(&(dm_search){dirs, 1}, &options, &v, &err), DM_OK);
    dm_report_validation_rows(&v, &text);
    assert_string_equal(text.text,
                        "op,device,stack,dtype,shape,measured_us,predicted_us,error_pct,bound_us,limiter,skipped\n"
                        "relu,toy,\"a, \"\"b\"\"\",bf16,rows=1 cols=1000000,50,40,-20.000,40,dram,\n"
                        "relu,\"no, such\",,bf16,rows=1 cols=8,12.5,,,,,\"no hardware file called 'no, such'\"\n");
    dm_str_fini(&text);
    dm_validation_fini(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_columns_of_a_run_line_up),
        cmocka_unit_test(the_columns_of_an_explanation_line_up),
        cmocka_unit_test(the_columns_of_a_validation_line_up),
        cmocka_unit_test(without_rows_there_is_no_error),
        cmocka_unit_test(a_tile_is_that_of_the_longest_matrix_kernel),
        cmocka_unit_test(the_keys_of_a_run_are_those_of_the_contract),
        cmocka_unit_test(the_keys_of_an_explanation_are_those_of_the_contract),
        cmocka_unit_test(the_keys_of_a_validation_are_those_of_the_contract),
        cmocka_unit_test_setup_teardown(the_rows_of_a_validation_are_a_table, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
