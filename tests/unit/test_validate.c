/* tests/unit/test_validate.c: predicted against measured, on a machine of 100 GB/s and nothing else.
 *
 * relu of n bf16 elements moves 4 n bytes: its roofline is 40 us for a million. */
#include "test_folder.h"

#include <stdio.h>

#include "report/report.h"

static dm_validation v;

static int make(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    folder_add_dir("hw");
    (void)folder_add("hw/toy.yaml", "schema: 1\nname: toy\nclocks: {boost: 1 GHz}\ncompute: {cores: 10}\n"
                                    "memory: {dram: {bandwidth: 100 GB/s}}\n");
    (void)folder_add("hw/slow.yaml", "schema: 1\nname: slow\nextends: toy\nmemory: {dram: {bandwidth: 50 GB/s}}\n");
    (void)folder_add("hw/clockless.yaml", "schema: 1\nname: clockless\ncompute: {cores: 10}\n"
                                          "memory: {dram: {bandwidth: 100 GB/s}}\n");
    return 0;
}

static int clear(void **state)
{
    dm_validation_fini(&v);
    return folder_remove(state);
}

static dm_status validate(const char *const *paths, size_t n, const dm_validate_options *more, dm_err *err)
{
    const char *const dirs[] = {test_folder.root};
    dm_validate_options options = *more;

    options.measured = paths;
    options.measured_n = n;
    options.fidelity = DM_ROOFLINE;
    return dm_validate(&(dm_search){dirs, 1}, &options, &v, err);
}

static void validate_good(const char *path, const dm_validate_options *more)
{
    dm_err err;

    if (validate(&path, 1, more, &err) != DM_OK)
        fail_msg("%s:%d: %s", err.path, err.line, err.message);
}

#define HEAD "op,device,dtype,time_us,rows,cols,stack\n"

/* Predicted 40 us each. Measured 50: (40 - 50) / 50 = -20 %. Measured 40: 0. Measured 32: +25 %.
 * MAPE (20 + 0 + 25) / 3 = 15; median of 0, 20, 25: 20; p90 lies at 0.9 x 2 = 1.8: 20 + 0.8 x 5 = 24;
 * bias (-20 + 0 + 25) / 3 = 1.667; one of three within 10 %. */
static void three_rows_are_scored_as_by_hand(void **state)
{
    (void)state;
    const char *path =
        folder_add("m.csv", HEAD "relu,toy,bf16,50,1,1e6,\nrelu,toy,bf16,40,1,1e6,\nrelu,toy,bf16,32,1,1e6,\n");
    validate_good(path, &(dm_validate_options){.jobs = 1});
    assert_int_equal(v.group_n, 1);
    const dm_validation_group *g = &v.group[0];
    assert_string_equal(g->op, "relu");
    assert_string_equal(g->device, "toy");
    assert_null(g->stack);
    assert_string_equal(g->dtype, "bf16");
    assert_int_equal(g->row_n, 3);
    assert_close(g->mape_pct, 15, 1e-12);
    assert_close(g->median_ape_pct, 20, 1e-12);
    assert_close(g->p90_ape_pct, 24, 1e-12);
    assert_close(g->bias_pct, 5.0 / 3, 1e-12);
    assert_close(g->within_10_pct, 100.0 / 3, 1e-12);
    assert_true(isnan(g->interval_coverage_pct));
    assert_string_equal(g->calibration_kind, "none");
    assert_int_equal(v.row_n, 3);
    assert_close(v.mape_pct, 15, 1e-12);
    assert_int_equal(v.skip_n, 0);
    assert_string_equal(v.calibration, "none");
    assert_int_equal(v.all_row_n, 3);
}

/* Predicted 40 us: 36.363636 measured is +10.000001 %, 36.363637 just below; 44.444444 is -9.9999991, 44.444445 above.
 */
static void ten_per_cent_is_within_ten_per_cent(void **state)
{
    (void)state;
    const char *path = folder_add("m.csv", HEAD "relu,toy,bf16,36.363636,1,1e6,\nrelu,toy,bf16,36.363637,1,1e6,\n"
                                                "relu,toy,bf16,44.444444,1,1e6,\nrelu,toy,bf16,44.444445,1,1e6,\n");
    validate_good(path, &(dm_validate_options){.jobs = 1});
    assert_close(v.group[0].within_10_pct, 50, 1e-12);
}

/* Groups are of operator, device, stack and dtype, in the order of their names whatever that of the rows; the mean of
 * all weighs rows, not groups: (0 + 0 + 100 + 20) / 4 = 30. slow takes 80 us: measured 40, +100 %. toy fp32 takes 80
 * us: measured 100, -20 %. */
static void groups_are_sorted_and_all_rows_weigh_the_same(void **state)
{
    static const struct {
        const char *device, *stack, *dtype;
        int64_t row_n;
    } want[] = {{"slow", NULL, "bf16", 1}, {"toy", NULL, "bf16", 1}, {"toy", "s", "bf16", 1}, {"toy", "s", "fp32", 1}};

    (void)state;
    const char *path = folder_add("m.csv", HEAD "relu,toy,fp32,100,1,1e6,s\nrelu,toy,bf16,40,1,1e6,s\n"
                                                "relu,toy,bf16,40,1,1e6,\nrelu,slow,bf16,40,1,1e6,\n");
    validate_good(path, &(dm_validate_options){.jobs = 1});
    assert_int_equal(v.group_n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(v.group[i].device, want[i].device);
        assert_int_equal(v.group[i].stack == NULL, want[i].stack == NULL);
        assert_string_equal(v.group[i].dtype, want[i].dtype);
        assert_int_equal(v.group[i].row_n, want[i].row_n);
    }
    assert_close(v.group[0].bias_pct, 100, 1e-12);
    assert_close(v.group[3].bias_pct, -20, 1e-12);
    assert_close(v.mape_pct, 30, 1e-12);
    assert_int_equal(v.device_n, 2);
    assert_string_equal(v.device_name[0], "toy");
    assert_non_null(strstr(v.device_text[1], "memory.dram.bandwidth: 50 GB/s"));
}

static void expect_skip(size_t i, int64_t rows, const char *says)
{
    assert_in_range(i, 0, v.skip_n - 1);
    assert_int_equal(v.skip[i].row_n, rows);
    if (strstr(v.skip[i].reason, says) == NULL)
        fail_msg("'%s' does not say '%s'", v.skip[i].reason, says);
}

/* Seven rows: one predicted; two name a device that nobody described, one a device without a clock, one needs links,
 * one multipliers; one is broken. Each is counted once, with its reason. */
static void every_skipped_row_has_its_reason(void **state)
{
    (void)state;
    const char *path = folder_add("m.csv", "op,device,dtype,time_us,rows,cols,bytes,ranks,m,n,k\n"
                                           "relu,toy,bf16,40,1,1e6,,,,,\n"
                                           "relu,tyo,bf16,40,1,1e6,,,,,\n"
                                           "relu,clockless,bf16,40,1,1e6,,,,,\n"
                                           "all_reduce,toy,bf16,40,,,8,8,,,\n"
                                           "gemm,toy,bf16,40,,,,,1,2,3\n"
                                           "relu,toy,bf16,0,1,1e6,,,,,\n"
                                           "relu,tyo,fp16,40,1,1e6,,,,,\n");
    validate_good(path, &(dm_validate_options){.jobs = 2, .keep_going = true});
    assert_int_equal(v.row_n, 1);
    assert_int_equal(v.skip_n, 5);
    expect_skip(0, 1, "the row is broken");
    expect_skip(1, 2, "no hardware file called 'tyo'; did you mean 'toy'?");
    expect_skip(2, 1, "clockless does not state clocks.boost");
    expect_skip(3, 1, "toy does not state links.scale_up.bandwidth");
    expect_skip(4, 1, "toy does not state compute.tensor.bf16");
    assert_int_equal(v.all_row_n, 6); /* the broken one is not there to be shown */
}

static void a_row_can_be_looked_at(void **state)
{
    dm_validation_row row;

    (void)state;
    const char *path = folder_add("m.csv", HEAD "relu,toy,bf16,50,3,1e6,s\nrelu,tyo,fp16,40,1,1e6,\n");
    validate_good(path, &(dm_validate_options){.jobs = 1});
    dm_validation_row_at(&v, 0, &row);
    assert_string_equal(row.op, "relu");
    assert_string_equal(row.stack, "s");
    assert_string_equal(row.shape, "rows=3 cols=1000000");
    assert_close(row.measured_s, 50e-6, 1e-12);
    assert_close(row.predicted_s, 120e-6, 1e-12);
    assert_close(row.bound_s, 120e-6, 1e-12);
    assert_string_equal(row.limiter, "dram");
    assert_null(row.problem);
    dm_validation_row_at(&v, 1, &row);
    assert_string_equal(row.dtype, "fp16");
    assert_null(row.stack);
    assert_true(isnan(row.predicted_s));
    assert_null(row.limiter);
    assert_non_null(strstr(row.problem, "tyo"));
}

static int64_t rows_with(const char *path, const dm_validate_options *options)
{
    validate_good(path, options);
    const int64_t n = v.row_n;

    dm_validation_fini(&v);
    return n;
}

/* Names of one list are alternatives, lists are conditions that all hold. */
static void filters_choose_rows(void **state)
{
    static const char *const toy[] = {"toy"}, *const both[] = {"slow", "toy"}, *const s[] = {"s"},
                             *const fp[] = {"fp16"}, *const add[] = {"add"}, *const none[] = {"nobody"};

    (void)state;
    const char *path = folder_add("m.csv", HEAD "relu,toy,bf16,1,1,1,s\nrelu,slow,fp16,1,1,1,s\nadd,toy,fp16,1,1,1,\n");
    assert_int_equal(rows_with(path, &(dm_validate_options){.jobs = 1}), 3);
    assert_int_equal(rows_with(path, &(dm_validate_options){.jobs = 1, .device = toy, .device_n = 1}), 2);
    assert_int_equal(rows_with(path, &(dm_validate_options){.jobs = 1, .device = both, .device_n = 2}), 3);
    assert_int_equal(rows_with(path, &(dm_validate_options){.jobs = 1, .stack = s, .stack_n = 1}), 2);
    assert_int_equal(rows_with(path, &(dm_validate_options){.jobs = 1, .dtype = fp, .dtype_n = 1}), 2);
    assert_int_equal(rows_with(path, &(dm_validate_options){.jobs = 1, .op = add, .op_n = 1}), 1);
    assert_int_equal(
        rows_with(path, &(dm_validate_options){.jobs = 1, .dtype = fp, .dtype_n = 1, .stack = s, .stack_n = 1}), 1);
    assert_int_equal(rows_with(path, &(dm_validate_options){.jobs = 1, .device = none, .device_n = 1}), 0);
}

static void an_override_holds_for_every_device(void **state)
{
    const dm_override faster = {"memory.dram.bandwidth=200 GB/s"}, wrong = {"memory.dram.bandwidth=200 GB"};
    dm_err err;

    (void)state;
    const char *path = folder_add("m.csv", HEAD "relu,toy,bf16,20,1,1e6,\nrelu,slow,bf16,20,1,1e6,\n");
    validate_good(path, &(dm_validate_options){.jobs = 1, .override = &faster, .override_n = 1});
    assert_true(v.mape_pct < 1e-9);
    dm_validation_fini(&v);
    assert_int_equal(validate(&path, 1, &(dm_validate_options){.jobs = 1, .override = &wrong, .override_n = 1}, &err),
                     DM_ERR_INPUT);
    expect_says(&err, "'200 GB' is a size");
}

/* The 4 MB that a loop touches stay in an L2 of 8 MB; cold, DRAM is charged for all of them. */
static void cold_charges_dram_for_every_operand(void **state)
{
    dm_validation_row warm, cold;

    (void)state;
    (void)folder_add("hw/cached.yaml", "schema: 1\nname: cached\nextends: toy\nmemory: {l2: {capacity: 8 MB}}\n");
    const char *path = folder_add("m.csv", HEAD "relu,cached,bf16,40,1,1e6,\n");
    validate_good(path, &(dm_validate_options){.jobs = 1});
    dm_validation_row_at(&v, 0, &warm);
    dm_validation_fini(&v);
    validate_good(path, &(dm_validate_options){.jobs = 1, .cold = true});
    dm_validation_row_at(&v, 0, &cold);
    assert_close(cold.predicted_s, 40e-6, 1e-12);
    assert_true(warm.predicted_s < 0.5 * cold.predicted_s);
}

static void a_wrong_table_or_device_stops(void **state)
{
    dm_err err;

    (void)state;
    (void)folder_add("hw/broken.yaml", "schema: 1\nname: broken\n");
    const char *bad = folder_add("bad.csv", HEAD "relu,toy,bf16,0,1,1,\n");
    const char *broken = folder_add("broken.csv", HEAD "relu,toy,bf16,1,1,1,\nrelu,broken,bf16,1,1,1,\n");
    assert_int_equal(validate(&bad, 1, &(dm_validate_options){.jobs = 1}, &err), DM_ERR_INPUT);
    expect_at(&err, 2, 15);
    assert_int_equal(validate(&broken, 1, &(dm_validate_options){.jobs = 1}, &err), DM_ERR_INPUT);
    expect_says(&err, "'compute.cores' is missing");
    const char *absent = folder_path("absent.csv");
    assert_int_equal(validate(&absent, 1, &(dm_validate_options){.jobs = 1}, &err), DM_ERR_IO);
}

/* ---- the same bytes ---- */

static char *report(const char *const *paths, size_t n, const char *root, int jobs)
{
    const dm_validate_options options = {
        .measured = paths, .measured_n = n, .fidelity = DM_ANALYTIC, .keep_going = true, .jobs = jobs};
    const char *const dirs[] = {root};
    dm_json json = {{0}, false};
    dm_err err;

    if (dm_validate(&(dm_search){dirs, 1}, &options, &v, &err) != DM_OK)
        fail_msg("%s:%d: %s", err.path, err.line, err.message);
    dm_report_validation_json(&v, &json);
    dm_str_add(&json.out, "\n");
    dm_report_validation_rows(&v, &json.out);
    dm_validation_fini(&v);
    assert_false(json.out.failed);
    return json.out.text;
}

static void any_number_of_jobs_gives_the_same_bytes(void **state)
{
    static const int jobs[] = {2, 7, 64, 1000, 0};
    char path[512];
    const char *paths[] = {path};

    (void)state;
    (void)snprintf(path, sizeof path, "%s/measurements/quick.csv", shipped_root());
    char *one = report(paths, 1, shipped_root(), 1);
    assert_in_range(strlen(one), 10000, 100000000);
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        char *many = report(paths, 1, shipped_root(), jobs[i]);
        assert_string_equal(many, one);
        free(many);
    }
    free(one);
}

/* More threads than rows, reasons of skipped rows from several threads, and no rows at all. */
static void few_rows_and_many_jobs_are_the_same_too(void **state)
{
    (void)state;
    const char *few =
        folder_add("few.csv", HEAD "relu,toy,bf16,1,1,1,\nconv2d,toy,bf16,1,1,1,\nrelu,tyo,bf16,1,1,1,\n");
    const char *none = folder_add("none.csv", HEAD);
    char *one = report(&few, 1, test_folder.root, 1), *seven = report(&few, 1, test_folder.root, 7);
    assert_string_equal(one, seven);
    free(one);
    free(seven);
    one = report(&none, 1, test_folder.root, 1);
    seven = report(&none, 1, test_folder.root, 7);
    assert_string_equal(one, seven);
    free(one);
    free(seven);
}

/* Groups' order is that of their names; only rows within a group are in the order of the tables. */
static void the_order_of_the_tables_does_not_show_in_the_groups(void **state)
{
    dm_json ab = {{0}, false}, ba = {{0}, false};

    (void)state;
    const char *a = folder_add("a.csv", HEAD "relu,toy,bf16,50,1,1e6,\n"),
               *b = folder_add("b.csv", HEAD "relu,slow,bf16,50,1,1e6,\n");
    const char *const forward[] = {a, b}, *const backward[] = {b, a};
    dm_err err;
    assert_int_equal(validate(forward, 2, &(dm_validate_options){.jobs = 1}, &err), DM_OK);
    dm_report_validation_json(&v, &ab);
    dm_validation_fini(&v);
    assert_int_equal(validate(backward, 2, &(dm_validate_options){.jobs = 1}, &err), DM_OK);
    dm_report_validation_json(&v, &ba);
    assert_string_equal(ba.out.text, ab.out.text);
    dm_str_fini(&ab.out);
    dm_str_fini(&ba.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(three_rows_are_scored_as_by_hand, make, clear),
        cmocka_unit_test_setup_teardown(ten_per_cent_is_within_ten_per_cent, make, clear),
        cmocka_unit_test_setup_teardown(groups_are_sorted_and_all_rows_weigh_the_same, make, clear),
        cmocka_unit_test_setup_teardown(every_skipped_row_has_its_reason, make, clear),
        cmocka_unit_test_setup_teardown(a_row_can_be_looked_at, make, clear),
        cmocka_unit_test_setup_teardown(filters_choose_rows, make, clear),
        cmocka_unit_test_setup_teardown(an_override_holds_for_every_device, make, clear),
        cmocka_unit_test_setup_teardown(cold_charges_dram_for_every_operand, make, clear),
        cmocka_unit_test_setup_teardown(a_wrong_table_or_device_stops, make, clear),
        cmocka_unit_test_setup_teardown(any_number_of_jobs_gives_the_same_bytes, make, clear),
        cmocka_unit_test_setup_teardown(few_rows_and_many_jobs_are_the_same_too, make, clear),
        cmocka_unit_test_setup_teardown(the_order_of_the_tables_does_not_show_in_the_groups, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
