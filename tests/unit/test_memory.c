/* tests/unit/test_memory.c: what is loaded when memory runs out.
 *
 * The linker puts the __wrap_ functions below in place of malloc, calloc and realloc in the library
 * (tests/unit/meson.build). Each job is repeated with its first allocation failing, then its second, and so on until it
 * gets all it asks for: it must say DM_ERR_MEMORY each time, and leak nothing (a sanitizer looks). A job whose own
 * allocation did not fail must succeed as if nothing had been. */
#include "test_folder.h"

#include <stdio.h>

#include "fit/measured.h"
#include "lower/launch.h"
#include "report/report.h"
#include "util/rng.h"
#include "workload/workload.h"

/* ---- the allocator ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static struct allocator {
    size_t left;   /* allocations until one fails; 0: none does */
    bool for_good; /* all behind it fail as well */
    bool refused;
} allocator;

static bool refuses(void)
{
    if (allocator.refused && allocator.for_good)
        return true;
    if (allocator.left == 0 || --allocator.left > 0)
        return false;
    allocator.refused = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuses() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuses() ? NULL : __real_realloc(old, size);
}

/* A job ends with a text of what it made, for comparison; it fails like the functions that it tries. */
typedef dm_status (*job)(dm_str *out, dm_err *err);

static dm_status done(const dm_str *out, dm_err *err)
{
    return out->failed ? dm_fail_memory(err) : DM_OK;
}

static void run_out_of_memory(job run, const char *want, bool for_good)
{
    enum { ALLOCATIONS_MAX = 100000 };

    for (size_t n = 1; n < ALLOCATIONS_MAX; n++) {
        dm_str out = {0};
        dm_err err = {.status = DM_OK};
        allocator = (struct allocator){.left = n, .for_good = for_good};
        const dm_status status = run(&out, &err);
        const bool refused = allocator.refused;
        allocator = (struct allocator){.left = 0};
        if (refused && (status != DM_ERR_MEMORY || err.status != DM_ERR_MEMORY))
            fail_msg("allocation %zu failed%s: status %d, '%s'", n, for_good ? " and all behind" : "", (int)status,
                     status != DM_OK ? err.message : "");
        if (!refused) {
            assert_int_equal(status, DM_OK);
            assert_string_equal(out.text, want);
            assert_true(n > 1);
            dm_str_fini(&out);
            return;
        }
        dm_str_fini(&out);
    }
    fail_msg("it never ends");
}

static void try(job run)
{
    dm_str want = {0};
    dm_err err;

    if (run(&want, &err) != DM_OK)
        fail_msg("%s", err.message);
    run_out_of_memory(run, want.text, false);
    run_out_of_memory(run, want.text, true);
    dm_str_fini(&want);
}

/* ---- the jobs ---- */

/* Printing takes memory for each field; a sample of the rows keeps the test short. */
enum { PRINTED_EVERY = 60 };

static dm_search both_folders(void)
{
    static const char *dirs[2];

    dirs[0] = test_folder.root;
    dirs[1] = shipped_root();
    return (dm_search){dirs, 2};
}

/* A device that extends another, with structures, sources and an override of each kind that takes memory. */
static dm_status load_device(dm_str *out, dm_err *err)
{
    static const dm_override overrides[] = {{"title=another"}, {"memory.dram.bandwidth=5 TB/s"}};
    const dm_search search = both_folders();
    dm_hw *hw;
    const dm_status status = dm_hw_load(&search, "h200_sxm", overrides, 2, &hw, err);

    if (status != DM_OK)
        return status;
    dm_hw_print(hw, true, out);
    dm_hw_free(hw);
    return done(out, err);
}

static dm_status print_workload(dm_workload *w, dm_str *out, dm_err *err)
{
    for (size_t i = 0; i < w->call_n; i += PRINTED_EVERY) {
        dm_str_addf(out, "%s %s ", dm_op_call_op_name(&w->call[i]), w->call[i].name != NULL ? w->call[i].name : "");
        dm_op_call_print(&w->call[i], " ", out);
        dm_str_addf(out, " %zu\n", w->call[i].after_n);
    }
    dm_workload_free(w);
    return done(out, err);
}

static dm_status load_workload(dm_str *out, dm_err *err)
{
    const dm_search search = both_folders();
    dm_workload *w;
    const dm_status status = dm_workload_load(&search, "edges", &w, err);

    return status == DM_OK ? print_workload(w, out, err) : status;
}

static dm_status load_workload_csv(dm_str *out, dm_err *err)
{
    const dm_search search = both_folders();
    dm_workload *w;
    const dm_status status = dm_workload_load(&search, "table", &w, err);

    return status == DM_OK ? print_workload(w, out, err) : status;
}

static dm_status read_measured(dm_str *out, dm_err *err)
{
    dm_measured set = {.row_n = 0};
    const dm_status status = dm_measured_read(&set, folder_path("m.csv"), &dm_ops, true, err);

    for (size_t i = 0; status == DM_OK && i < set.row_n; i += PRINTED_EVERY) {
        dm_str_addf(out, "%s %s ", set.row[i].device, set.row[i].call.stack != NULL ? set.row[i].call.stack : "");
        dm_op_call_print(&set.row[i].call, " ", out);
        dm_str_add(out, "\n");
    }
    for (size_t i = 0; status == DM_OK && i < set.ignored_n; i++)
        dm_str_add(out, set.ignored[i]);
    dm_measured_fini(&set);
    return status == DM_OK ? done(out, err) : status;
}

static dm_status validate(dm_str *out, dm_err *err)
{
    const dm_search search = both_folders();
    const char *const path = folder_path("m.csv");
    const dm_validate_options options = {
        .measured = &path, .measured_n = 1, .fidelity = DM_ANALYTIC, .keep_going = true, .jobs = 1};
    dm_json json = {{0}, false};
    dm_validation v;
    const dm_status status = dm_validate(&search, &options, &v, err);

    if (status != DM_OK)
        return status;
    dm_report_validation_json(&v, &json);
    dm_report_validation_text(&v, &json.out);
    dm_validation_fini(&v);
    *out = json.out;
    return done(out, err);
}

/* What is loaded beforehand, with memory enough. */
static dm_hw *hw;
static dm_workload *workload;

static dm_status run_workload(dm_str *out, dm_err *err)
{
    dm_run run;
    dm_json json = {{0}, false};
    const dm_status status = dm_run_workload(hw, workload, DM_ANALYTIC, DM_CLOCK_BOOST, &run, err);

    if (status != DM_OK)
        return status;
    dm_report_run_json(&run, &json);
    dm_report_run_text(&run, &json.out);
    dm_run_fini(&run);
    *out = json.out;
    return done(out, err);
}

static dm_status parse_and_vary_a_call(dm_str *out, dm_err *err)
{
    dm_elasticity at[DM_ELASTICITIES_MAX];
    size_t n;
    dm_op_call *call;
    dm_status status = dm_op_call_parse("gemm", "m=16,n=64,k=64", "fp8", "stream", &call, err);

    if (status != DM_OK)
        return status;
    status = dm_op_call_option(call, "stack", "vllm", err);
    if (status == DM_OK)
        status = dm_elasticities(hw, call, DM_ANALYTIC, DM_CLOCK_BOOST, at, &n, err);
    for (size_t i = 0; status == DM_OK && i < n; i++)
        dm_str_addf(out, "%s %.17g\n", at[i].field, at[i].dlnt_dlnx);
    dm_op_call_free(call);
    return status == DM_OK ? done(out, err) : status;
}

static dm_status draw(dm_str *out, dm_err *err)
{
    dm_rng *rng = dm_rng_new(1);

    if (rng == NULL)
        return dm_fail_memory(err);
    dm_str_addf(out, "%.17g", dm_rng_uniform(rng, 0, 1));
    dm_rng_free(rng);
    return done(out, err);
}

/* ---- the tests ---- */

static void a_device_is_loaded_or_memory_is_out(void **state)
{
    (void)state;
    try(load_device);
}

/* Names enough that their table grows. */
static void a_yaml_workload_is_loaded_or_memory_is_out(void **state)
{
    dm_str text = {0};

    (void)state;
    folder_add_dir("workloads");
    dm_str_add(&text, "schema: 1\nname: edges\ntitle: x\ndefaults: {stack: s, dtype: fp8}\nops:\n");
    for (int i = 0; i < 150; i++)
        dm_str_addf(&text, "  - {op: relu, name: 'n%d', rows: 1, cols: 2, stream: %d%s}\n", i, i % 3,
                    i > 0 ? ", after: [n0]" : "");
    (void)folder_add("workloads/edges.yaml", text.text);
    dm_str_fini(&text);
    try(load_workload);
}

static void a_csv_workload_is_loaded_or_memory_is_out(void **state)
{
    dm_str text = {0};

    (void)state;
    folder_add_dir("workloads");
    dm_str_add(&text, "op,name,rows,cols,after,stack\n");
    for (int i = 0; i < 150; i++)
        dm_str_addf(&text, "relu,\"n%d\",1,2,%s,s\n", i, i > 0 ? "n0" : "");
    (void)folder_add("workloads/table.csv", text.text);
    dm_str_fini(&text);
    try(load_workload_csv);
}

/* Columns that nothing reads, stacks and devices that change, a device that is not there, bad rows. */
static void add_measured(int rows)
{
    dm_str text = {0};

    dm_str_add(&text, "op,device,dtype,time_us,rows,cols,stack,colour,shade\n");
    for (int i = 0; i < rows; i++)
        dm_str_addf(&text, "relu,%s,bf16,%d,1,%d,s%d,red,\"dark\"\n", i % 9 == 0 ? "nobody" : "h200_sxm", i % 7, i + 1,
                    i % 5);
    (void)folder_add("m.csv", text.text);
    dm_str_fini(&text);
}

/* The rows outgrow their first room of 1,024. */
static void a_measured_table_is_read_or_memory_is_out(void **state)
{
    (void)state;
    add_measured(1300);
    try(read_measured);
}

static void a_table_is_validated_or_memory_is_out(void **state)
{
    (void)state;
    add_measured(40);
    try(validate);
}

static void a_workload_is_run_or_memory_is_out(void **state)
{
    const dm_search search = both_folders();
    dm_err err;

    (void)state;
    assert_int_equal(dm_hw_load(&search, "h200_sxm", NULL, 0, &hw, &err), DM_OK);
    assert_int_equal(dm_workload_load(&search, "llama3_8b_decode_b16", &workload, &err), DM_OK);
    try(run_workload);
    dm_workload_free(workload);
    dm_hw_free(hw);
}

static void a_call_is_varied_or_memory_is_out(void **state)
{
    const dm_search search = both_folders();
    dm_err err;

    (void)state;
    assert_int_equal(dm_hw_load(&search, "h200_sxm", NULL, 0, &hw, &err), DM_OK);
    try(parse_and_vary_a_call);
    dm_hw_free(hw);
}

static void random_numbers_are_drawn_or_memory_is_out(void **state)
{
    (void)state;
    try(draw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_device_is_loaded_or_memory_is_out, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_yaml_workload_is_loaded_or_memory_is_out, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_csv_workload_is_loaded_or_memory_is_out, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_measured_table_is_read_or_memory_is_out, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_table_is_validated_or_memory_is_out, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_workload_is_run_or_memory_is_out, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_call_is_varied_or_memory_is_out, folder_make, folder_remove),
        cmocka_unit_test(random_numbers_are_drawn_or_memory_is_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
