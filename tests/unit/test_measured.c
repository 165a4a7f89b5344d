/* tests/unit/test_measured.c: measured-time tables, and how each row's time was taken. */
#include "text_fixture.h"

#include "fit/measured.h"
#include "lower/launch.h"

static dm_measured set;

static int empty(void **state)
{
    (void)state;
    dm_measured_fini(&set);
    return 0;
}

static dm_status parse(const char *text, bool keep_going, dm_err *err)
{
    const dm_source source = text_source("m.csv", text);

    return dm_measured_parse(&set, &source, &dm_ops, keep_going, err);
}

static void parse_good(const char *text)
{
    dm_err err;

    if (parse(text, false, &err) != DM_OK)
        fail_msg("%d:%d: %s", err.line, err.col, err.message);
}

static const char *shape_of(size_t row)
{
    static char text[256];
    dm_str shape = {0};

    dm_op_call_print(&set.row[row].call, " ", &shape);
    assert_in_range(shape.len, 0, sizeof text - 1);
    memcpy(text, shape.text, shape.len + 1);
    dm_str_fini(&shape);
    return text;
}

static void rows_of_several_operators_share_a_table(void **state)
{
    (void)state;
    parse_good("time_us,device,op,dtype,m,n,k,rows,cols,source,kernel\n"
               "12.5,h100,gemm,bf16,16,32,64,,,s,k\n"
               "2e3,a100,rmsnorm,fp16,,,,5,6,,\n"
               "7,h100,gemm,fp8,1,2,3,,,,\n");
    assert_int_equal(set.row_n, 3);
    assert_string_equal(dm_op_call_op_name(&set.row[0].call), "gemm");
    assert_string_equal(shape_of(0), "m=16 n=32 k=64");
    assert_close(set.row[0].time_s, 12.5e-6, 1e-15);
    assert_string_equal(set.row[0].device, "h100");
    assert_string_equal(set.row[0].call.recipe->name, "bf16");
    assert_string_equal(dm_op_call_op_name(&set.row[1].call), "rmsnorm");
    assert_string_equal(shape_of(1), "rows=5 cols=6");
    assert_close(set.row[1].time_s, 2e-3, 1e-15);
    assert_string_equal(set.row[2].call.recipe->name, "fp8");
    assert_ptr_equal(set.row[2].device, set.row[0].device); /* equal names are equal pointers */
    assert_int_equal(set.bad_n, 0);
    assert_int_equal(set.ignored_n, 0); /* source and kernel are for people */
}

/* How the time was taken is the row's own; what is blank is not stated. */
static void conditions_are_each_rows_own(void **state)
{
    (void)state;
    parse_good("op,device,dtype,time_us,m,n,k,stack,launch,weight_copies,loop_s,power_w,power_limit_w,residency\n"
               "gemm,d,bf16,1,1,1,1,vllm-1,eager,6,0.00016,412.5,700,cold\n"
               "gemm,d,bf16,1,1,1,1,,,,,,,\n"
               "gemm,d,bf16,1,1,1,1,vllm-1,kernel,2,,,,\n");
    const dm_op_call *a = &set.row[0].call, *b = &set.row[1].call, *c = &set.row[2].call;
    assert_string_equal(a->stack, "vllm-1");
    assert_int_equal(a->conditions.launch, DM_LAUNCH_EAGER);
    assert_int_equal(a->conditions.weight_copies, 6);
    assert_close(a->conditions.loop_s, 0.00016, 0);
    assert_close(a->conditions.power_limit_W, 700, 0);
    assert_int_equal(a->conditions.residency, DM_RESIDENCY_COLD);
    assert_close(set.row[0].power_W, 412.5, 0);

    assert_null(b->stack);
    assert_int_equal(b->conditions.launch, DM_LAUNCH_GRAPH);
    assert_int_equal(b->conditions.weight_copies, 0);
    assert_true(isnan(b->conditions.loop_s));
    assert_true(isnan(b->conditions.power_limit_W));
    assert_true(isnan(set.row[1].power_W));
    assert_int_equal(b->conditions.residency, DM_RESIDENCY_MEASURED); /* a measured loop leaves what it leaves */

    assert_string_equal(c->stack, "vllm-1");
    assert_int_equal(c->conditions.launch, DM_LAUNCH_KERNEL);
    assert_int_equal(c->conditions.weight_copies, 2);
}

/* "name" and "count" are keys of a workload, not of a measurement; "heads_q" is another operator's. */
static void columns_that_nothing_reads_are_said_once(void **state)
{
    (void)state;
    parse_good("op,device,dtype,time_us,rows,cols,gpu_temp,count,heads_q,name\nrelu,d,bf16,1,1,1,54,,,x\nrelu,d,bf16,1,"
               "1,1,55,3,,\n");
    parse_good("op,device,dtype,time_us,rows,cols,name,colour\nrelu,d,bf16,1,1,1,x,red\n");
    assert_int_equal(set.row_n, 3);
    assert_int_equal(set.ignored_n, 4);
    assert_string_equal(set.ignored[0], "gpu_temp");
    assert_string_equal(set.ignored[1], "count");
    assert_string_equal(set.ignored[2], "name");
    assert_string_equal(set.ignored[3], "colour");
    assert_int_equal(set.row[1].call.count, 1);
}

static void expect_refused(const char *text, int line, int col, const char *says)
{
    dm_err err;

    if (parse(text, false, &err) != DM_ERR_INPUT)
        fail_msg("'%s' is accepted", text);
    expect_says(&err, says);
    expect_at(&err, line, col);
    assert_string_equal(err.path, "m.csv");
}

static void the_first_bad_line_stops(void **state)
{
#define HEAD "op,device,dtype,time_us,rows,cols\n"
    (void)state;
    expect_refused("op,device,dtype,rows,cols\nrelu,d,bf16,1,1\n", 1, 1, "column 'time_us' is missing");
    expect_refused("op,dtype,time_us,rows,cols\nrelu,bf16,1,1,1\n", 1, 1, "column 'device' is missing");
    expect_refused(HEAD "relu,d,bf16,,1,1\n", 2, 13, "time_us: the cell is blank");
    expect_refused(HEAD ",d,bf16,1,1,1\n", 2, 1, "op: the cell is blank");
    expect_refused(HEAD "relu,,bf16,1,1,1\n", 2, 6, "device: the cell is blank");
    expect_refused(HEAD "relu,d,,1,1,1\n", 2, 8, "dtype: the cell is blank");
    expect_refused(HEAD "relu,d,bf16,1,1,1\nrelu,d,bf16,0,1,1\n", 3, 13, "time_us: '0' is out of range");
    expect_refused(HEAD "relu,d,bf16,-4,1,1\n", 2, 13, "time_us: '-4' is out of range");
    expect_refused(HEAD "relu,d,bf16,nan,1,1\n", 2, 13, "time_us: 'nan' is not a number");
    expect_refused(HEAD "relu,d,bf17,1,1,1\n", 2, 8, "did you mean 'bf16'?");
    expect_refused(HEAD "rleu,d,bf16,1,1,1\n", 2, 1, "did you mean 'relu'?");
    expect_refused(HEAD "relu,d,bf16,1,0.5,1\n", 2, 15, "rows: '0.5' is not a whole number");
    expect_refused(HEAD "relu,d,bf16,1,1,\n", 2, 17, "relu: 'cols' is missing");
    expect_refused(HEAD "relu,d,bf16,1,1\n", 2, 1, "5 cells, the header has 6 columns");
#undef HEAD
}

/* Four of six rows are bad, each in its own way; the others are kept in order. */
static void bad_rows_are_counted_when_asked(void **state)
{
    dm_err err;

    (void)state;
    assert_int_equal(parse("op,device,dtype,time_us,rows,cols\n"
                           "relu,d,bf16,1,1,1\n"
                           "relu,d,bf16,0,1,1\n"
                           "rleu,d,bf16,1,1,1\n"
                           "relu,d,bf16,1\n"
                           "relu,d,\"bf16,1,1,1\n"
                           "relu,e,bf16,2,2,2\n",
                           true, &err),
                     DM_OK);
    assert_int_equal(set.row_n, 2);
    assert_int_equal(set.bad_n, 4);
    assert_string_equal(set.row[0].device, "d");
    assert_string_equal(set.row[1].device, "e");
    assert_string_equal(shape_of(1), "rows=2 cols=2");
    assert_int_equal(parse("op,device\n", true, &err), DM_ERR_INPUT); /* a header is no row */
    expect_says(&err, "column 'dtype' is missing");
}

/* A device that only a bad row named before is still one name. */
static void a_name_seen_in_a_bad_row_stays_one_name(void **state)
{
    dm_err err;

    (void)state;
    assert_int_equal(
        parse("op,device,dtype,time_us,rows,cols\n"
              "relu,x,bf16,1,0,1\nrelu,y,bf16,1,1,1\nrelu,x,bf16,1,1,1\nrelu,y,bf16,1,1,1\nrelu,x,bf16,1,1,1\n",
              true, &err),
        DM_OK);
    assert_int_equal(set.row_n, 4);
    assert_ptr_equal(set.row[2].device, set.row[0].device);
    assert_ptr_equal(set.row[3].device, set.row[1].device);
}

/* More rows than the first room of 1,024. */
static void many_rows_are_kept(void **state)
{
    enum { N = 5000 };
    dm_str text = {0};

    (void)state;
    dm_str_add(&text, "op,device,dtype,time_us,rows,cols\n");
    for (int i = 1; i <= N; i++)
        dm_str_addf(&text, "relu,d%d,bf16,%d,%d,1\n", i % 7, i, i);
    parse_good(text.text);
    assert_int_equal(set.row_n, N);
    for (int i = 1; i <= N; i++)
        assert_close(set.row[i - 1].time_s, i * 1e-6, 1e-15);
    dm_str_fini(&text);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    dm_err err;

    (void)state;
    assert_int_equal(dm_measured_read(&set, "/no/such.csv", &dm_ops, false, &err), DM_ERR_IO);
    expect_says(&err, "/no/such.csv: No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_of_several_operators_share_a_table, empty),
        cmocka_unit_test_teardown(conditions_are_each_rows_own, empty),
        cmocka_unit_test_teardown(columns_that_nothing_reads_are_said_once, empty),
        cmocka_unit_test_teardown(the_first_bad_line_stops, empty),
        cmocka_unit_test_teardown(bad_rows_are_counted_when_asked, empty),
        cmocka_unit_test_teardown(a_name_seen_in_a_bad_row_stays_one_name, empty),
        cmocka_unit_test_teardown(many_rows_are_kept, empty),
        cmocka_unit_test_teardown(a_file_that_is_not_there_is_named, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
