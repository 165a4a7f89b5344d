/* tests/unit/test_workload.c: lists of operators from YAML and CSV, and the shipped ones. */
#include "workload_fixture.h"

#include "config/search.h"

#define HEAD "schema: 1\nname: w\n"

/* ---- what a file says ---- */

static void an_operator_has_defaults(void **state)
{
    dm_workload w;

    (void)state;
    good_yaml(HEAD "title: a test\nops: [{op: gemm, m: 16, n: 64, k: 32}]\n", &w);
    assert_string_equal(w.name, "w");
    assert_string_equal(dm_workload_title(&w), "a test");
    assert_int_equal(dm_workload_op_n(&w), 1);
    assert_string_equal(call_text(&w, 0), "gemm - bf16 x1 s0 m=16 n=64 k=32");
    assert_int_equal(w.call[0].conditions.launch, DM_LAUNCH_GRAPH);
    assert_int_equal(w.call[0].conditions.residency, DM_RESIDENCY_COLD);
    assert_int_equal(w.call[0].conditions.weight_copies, 0);
    assert_true(isnan(w.call[0].conditions.loop_s));
    assert_null(w.call[0].stack);
    assert_int_equal(w.call[0].place.line, 3 + 1);
    assert_int_equal(w.call[0].place.col, 7);
    dm_arena_free(&w.arena);
}

/* Defaults hold for every operator that does not say otherwise. */
static void defaults_are_for_every_operator(void **state)
{
    dm_workload w;

    (void)state;
    good_yaml(HEAD "defaults: {dtype: fp8, launch: stream, count: 3}\n"
                   "repeat: [{count: 2, ops: [{op: gemm, m: 1, n: 2, k: 3}]}]\n"
                   "ops: [{op: gemm, m: 4, n: 5, k: 6, dtype: fp16, launch: eager, count: 1}]\n",
              &w);
    assert_string_equal(call_text(&w, 0), "gemm - fp8 x3 s0 m=1 n=2 k=3");
    assert_int_equal(w.call[0].conditions.launch, DM_LAUNCH_STREAM);
    assert_string_equal(call_text(&w, 1), "gemm - fp16 x1 s0 m=4 n=5 k=6");
    assert_int_equal(w.call[1].conditions.launch, DM_LAUNCH_EAGER);
    dm_arena_free(&w.arena);
}

static void every_key_of_a_call_is_read(void **state)
{
    dm_workload w;

    (void)state;
    good_yaml(
        HEAD
        "ops:\n  - {op: silu, name: act, rows: 4e6, cols: 1_024, count: 7, stream: 2, stack: vllm-1, dtype: fp16,\n"
        "     launch: kernel, residency: measured, weight_copies: 4, loop_s: 0.5, power_limit_w: 300}\n",
        &w);
    const dm_op_call *c = &w.call[0];
    assert_string_equal(call_text(&w, 0), "silu act fp16 x7 s2 rows=4000000 cols=1024");
    assert_string_equal(c->stack, "vllm-1");
    assert_int_equal(c->conditions.launch, DM_LAUNCH_KERNEL);
    assert_int_equal(c->conditions.residency, DM_RESIDENCY_MEASURED);
    assert_int_equal(c->conditions.weight_copies, 4);
    assert_close(c->conditions.loop_s, 0.5, 0);
    assert_close(c->conditions.power_limit_W, 300, 0);
    dm_arena_free(&w.arena);
}

static void blocks_follow_each_other_and_the_last_runs_once(void **state)
{
    dm_workload w;

    (void)state;
    good_yaml(HEAD "repeat:\n  - {count: 32, ops: [{op: relu, rows: 1, cols: 2}, {op: relu, rows: 1, cols: 3}]}\n"
                   "  - {ops: [{op: relu, rows: 1, cols: 4}], count: 2}\n"
                   "ops: [{op: relu, rows: 1, cols: 5}]\n",
              &w);
    assert_int_equal(w.block_n, 3);
    assert_int_equal(w.call_n, 4);
    assert_int_equal(w.block[0].repeat, 32);
    assert_int_equal(w.block[0].first, 0);
    assert_int_equal(w.block[0].n, 2);
    assert_int_equal(w.block[1].repeat, 2);
    assert_int_equal(w.block[1].first, 2);
    assert_int_equal(w.block[2].repeat, 1);
    assert_int_equal(w.block[2].first, 3);
    assert_int_equal(w.block[2].n, 1);
    dm_arena_free(&w.arena);
}

/* The latest operator of a name is meant; the name may be used again behind. */
static void after_names_the_latest_operator_before(void **state)
{
    dm_workload w;

    (void)state;
    good_yaml(HEAD "ops:\n"
                   "  - {op: relu, name: a, rows: 1, cols: 1}\n"
                   "  - {op: relu, name: a, rows: 1, cols: 1, after: [a]}\n"
                   "  - {op: relu, name: 'b c', rows: 1, cols: 1, stream: 1}\n"
                   "  - {op: relu, name: a, rows: 1, cols: 1, stream: 2, after: [a, 'b c']}\n",
              &w);
    assert_string_equal(call_text(&w, 1), "relu a bf16 x1 s0 rows=1 cols=1 <- 0");
    assert_string_equal(call_text(&w, 3), "relu a bf16 x1 s2 rows=1 cols=1 <- 1 2");
    dm_arena_free(&w.arena);
}

/* 1,000 names: the table of names grows on the way; each row waits for the one before. */
static void many_names_are_found(void **state)
{
    enum { N = 1000 };
    dm_str text = {0};
    dm_workload w;

    (void)state;
    dm_str_add(&text, "op,name,rows,cols,after\nrelu,n0,1,1,\n");
    for (int i = 1; i < N; i++)
        dm_str_addf(&text, "relu,n%d,1,1,n%d n0\n", i, i - 1);
    good_csv(text.text, &w);
    assert_int_equal(w.call_n, N);
    for (uint32_t i = 1; i < N; i++) {
        assert_int_equal(w.call[i].after_n, 2);
        assert_int_equal(w.call[i].after[0], i - 1);
        assert_int_equal(w.call[i].after[1], 0);
    }
    dm_arena_free(&w.arena);
    dm_str_fini(&text);
}

/* ---- the two forms ---- */

static void yaml_and_csv_give_the_same_calls(void **state)
{
    dm_workload yaml, csv;

    (void)state;
    good_yaml(
        HEAD
        "ops:\n"
        "  - {op: gemm, name: qkv, m: 16, n: 6144, k: 4096, stack: s}\n"
        "  - {op: silu_mul, name: act, rows: 16, cols: 64, dtype: fp16, stream: 1, count: 3}\n"
        "  - {op: attention_decode, batch: 2, kv_len: 9, heads_q: 4, head_dim: 8, causal: false, after: [qkv, act]}\n"
        "  - {op: gemm, m: 1, n: 2, k: 3, launch: stream, weight_copies: 5}\n",
        &yaml);
    good_csv("op,name,m,n,k,rows,cols,dtype,stream,count,batch,kv_len,heads_q,head_dim,causal,after,stack,launch,"
             "weight_copies\n"
             "gemm,qkv,16,6144,4096,,,,,,,,,,,,s,,\n"
             "silu_mul,act,,,,16,64,fp16,1,3,,,,,,,,,\n"
             "attention_decode,,,,,,,,,,2,9,4,8,false,qkv act,,,\n"
             "gemm,,1,2,3,,,,,,,,,,,,,stream,5\n",
             &csv);
    assert_int_equal(csv.call_n, yaml.call_n);
    assert_int_equal(csv.block_n, 1);
    assert_int_equal(csv.block[0].repeat, 1);
    assert_string_equal(csv.name, "w");
    assert_null(dm_workload_title(&csv));
    for (size_t i = 0; i < yaml.call_n; i++) {
        const dm_op_call *a = &yaml.call[i], *b = &csv.call[i];
        assert_string_equal(call_text(&csv, i), call_text(&yaml, i));
        assert_memory_equal(b->args, a->args, DM_ARGS_SIZE);
        assert_int_equal(b->conditions.launch, a->conditions.launch);
        assert_int_equal(b->conditions.weight_copies, a->conditions.weight_copies);
        assert_int_equal(a->stack == NULL, b->stack == NULL);
    }
    dm_arena_free(&yaml.arena);
    dm_arena_free(&csv.arena);
}

static void names_in_a_csv_cell_are_parted_by_blanks_or_semicolons(void **state)
{
    dm_workload w;

    (void)state;
    good_csv(
        "op,name,rows,cols,after\nrelu,a,1,1,\nrelu,b,1,1,\nrelu,c,1,1,a; b\nrelu,d,1,1,a;c\nrelu,e,1,1,\" a  c \"\n",
        &w);
    assert_string_equal(call_text(&w, 2), "relu c bf16 x1 s0 rows=1 cols=1 <- 0 1");
    assert_string_equal(call_text(&w, 3), "relu d bf16 x1 s0 rows=1 cols=1 <- 0 2");
    assert_string_equal(call_text(&w, 4), "relu e bf16 x1 s0 rows=1 cols=1 <- 0 2");
    dm_arena_free(&w.arena);
}

/* ---- what is wrong ---- */

static void expect_refused(dm_status (*parse)(const char *, dm_workload *, dm_err *), const char *text, int line,
                           int col, const char *says)
{
    dm_workload w;
    dm_err err;

    if (parse(text, &w, &err) != DM_ERR_INPUT)
        fail_msg("'%s' is accepted", text);
    expect_says(&err, says);
    expect_at(&err, line, col);
    dm_arena_free(&w.arena);
}

static void a_wrong_yaml_file_is_refused_where_it_is_wrong(void **state)
{
    static const struct {
        const char *text;
        int line, col;
        const char *says;
    } rows[] = {
        {"name: w\nops: [{op: relu, rows: 1, cols: 1}]\n", 1, 1, "'schema' is missing"},
        {HEAD, 1, 1, "neither 'repeat' nor 'ops'"},
        {HEAD "ops: []\n", 3, 6, "ops: a list of at least one operator"},
        {HEAD "ops: [relu]\n", 3, 7, "an operator such as"},
        {HEAD "ops: [{rows: 1}]\n", 3, 7, "'op' is missing"},
        {HEAD "ops: [{op: rleu, rows: 1, cols: 1}]\n", 3, 12, "unknown operator 'rleu'; did you mean 'relu'?"},
        {HEAD "ops: [{op: relu, rows: 1}]\n", 3, 7, "relu: 'cols' is missing"},
        {HEAD "ops: [{op: relu, rows: 0, cols: 1}]\n", 3, 24, "rows: '0' is out of range"},
        {HEAD "ops: [{op: relu, rows: 1, cols: 1, m: 3}]\n", 3, 36, "relu takes no 'm'"},
        {HEAD "ops: [{op: gemm, m: 1, n: 1, k: 1, coutn: 3}]\n", 3, 36, "did you mean 'count'?"},
        {HEAD "ops: [{op: gemm, m: 1, n: 1, k: 1, dtype: bf17}]\n", 3, 43,
         "unknown recipe 'bf17'; did you mean 'bf16'?"},
        {HEAD "ops: [{op: gemm, m: 1, n: 1, k: 1, stream: 1024}]\n", 3, 44, "stream: '1024' is out of range"},
        {HEAD "ops: [{op: gemm, m: 1, n: 1, k: 1, groups: 2}]\n", 3, 7, "more groups than rows"},
        {HEAD "ops: [{op: relu, name: a, rows: 1, cols: 1, after: [a]}]\n", 3, 53, "no operator 'a' stands before"},
        {HEAD "ops: [{op: relu, rows: 1, cols: 1, after: a}]\n", 3, 43, "after: a list of"},
        {HEAD "ops: [{op: relu, name: ab, rows: 1, cols: 1}, {op: relu, rows: 1, cols: 1, after: [ba]}]\n", 3, 84,
         "did you mean 'ab'?"},
        {HEAD "repeat: [{count: 2, ops: [{op: relu, name: a, rows: 1, cols: 1}]}]\n"
              "ops: [{op: relu, rows: 1, cols: 1, after: [a]}]\n",
         4, 44, "stands before this one in its block"},
        {HEAD "repeat: [{count: 0, ops: [{op: relu, rows: 1, cols: 1}]}]\n", 3, 18, "count: '0' is out of range"},
        {HEAD "repeat: [{ops: [{op: relu, rows: 1, cols: 1}]}]\n", 3, 10, "'count' is missing"},
        {HEAD "repeat: [{count: 2}]\n", 3, 10, "'ops' is missing"},
        {HEAD "repeat: [{count: 2, op: []}]\n", 3, 21, "unknown key 'op' in a repeat block; did you mean 'ops'?"},
        {HEAD "repeat: {count: 2}\n", 3, 9, "repeat: a list of blocks"},
        {HEAD "opps: []\n", 3, 1, "unknown key 'opps' at the top level; did you mean 'ops'?"},
        {HEAD "defaults: {name: a}\nops: [{op: relu, rows: 1, cols: 1}]\n", 3, 12, "'name' belongs to each operator"},
        {HEAD "defaults: {dtyp: fp8}\nops: [{op: relu, rows: 1, cols: 1}]\n", 3, 12, "did you mean 'dtype'?"},
        {HEAD "repeat: [{count: 1e12, ops: [{op: relu, rows: 1, cols: 1, count: 1e12}]}]\n", 3, 30, "1e+24 executions"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_refused(parse_yaml, rows[i].text, rows[i].line, rows[i].col, rows[i].says);
}

static void a_wrong_csv_file_is_refused_where_it_is_wrong(void **state)
{
    static const struct {
        const char *text;
        int line, col;
        const char *says;
    } rows[] = {
        {"name,rows\na,1\n", 1, 1, "column 'op' is missing"},
        {"op,rows,cols\n", 1, 1, "no rows below the header"},
        {"op,rows,cols,colour\nrelu,1,1,\n", 1, 14, "no operator takes 'colour'"},
        {"op,rows,clos\nrelu,1,1\n", 1, 9, "no operator takes 'clos'; did you mean 'cols'?"},
        {"op,rows,cols\n,1,1\n", 2, 1, "op: the cell is blank"},
        {"op,rows,cols\nrleu,1,1\n", 2, 1, "unknown operator 'rleu'; did you mean 'relu'?"},
        {"op,rows,cols\nrelu,1,x\n", 2, 8, "cols: 'x' is not a whole number"},
        {"op,rows,cols\nrelu,1,\n", 2, 8, "relu: 'cols' is missing"},
        {"op,rows,cols,m\nrelu,1,1,5\n", 2, 10, "relu takes no 'm'; a blank cell is wanted"},
        {"op,rows,cols,after\nrelu,1,1,\nrelu,1,1,a b\n", 3, 10, "no operator 'a' stands before"},
        {"op,name,rows,cols,after\nrelu,a,1,1,\nrelu,b,1,1,a c\n", 3, 14, "no operator 'c' stands before"},
        {"op,rows,cols\nrelu,1\n", 2, 1, "2 cells, the header has 3 columns"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_refused(parse_csv, rows[i].text, rows[i].line, rows[i].col, rows[i].says);
}

static void a_workload_is_found_by_name_or_told_the_nearest(void **state)
{
    const char *const dirs[] = {shipped_root()};
    dm_workload *w = NULL;
    dm_err err;

    (void)state;
    assert_int_equal(dm_workload_load(&(dm_search){dirs, 1}, "llama3_8b_decod_b16", &w, &err), DM_ERR_INPUT);
    expect_says(&err, "did you mean 'llama3_8b_decode_b16'?");
    assert_int_equal(dm_workload_load(&(dm_search){dirs, 1}, "./no/such.yaml", &w, &err), DM_ERR_IO);
    assert_null(w);
    dm_workload_free(NULL);
}

/* ---- the shipped workloads ---- */

/* Work on the tensor pipe of all executions. */
static double tensor_FLOP(const dm_workload *w)
{
    double sum = 0;

    for (size_t b = 0; b < w->block_n; b++)
        for (size_t i = w->block[b].first; i < w->block[b].first + w->block[b].n; i++) {
            const dm_op_call *call = &w->call[i];
            dm_work work = {.math = call->recipe->math};
            dm_err err;
            assert_int_equal(call->op->work(call, &work, &err), DM_OK);
            sum += (double)w->block[b].repeat * (double)call->count * work.tensor_FLOP;
        }
    return sum;
}

/* Products are 2 FLOP a weight and token; attention adds 2 x 2 x head_dim FLOP a head, query and visible key.
 *
 * Llama-3.1-8B, weights of a layer: 6144 x 4096 + 4096 x 4096 + 28672 x 4096 + 4096 x 14336 = 218 103 808;
 * 32 layers 6 979 321 856; head 128256 x 4096 = 525 336 576.
 *   prefill, 2,048 tokens, logits of one: 2 x 2048 x 6 979 321 856 = 28 587 302 322 176; head 1 050 673 152;
 *     visible keys 2048 x 2049 / 2 = 2 098 176, 32 heads, 32 layers, 512 FLOP: 1 100 048 498 688.
 *   decode, 16 sequences: 2 x 16 x 7 504 658 432 = 240 149 069 824; 16 x 2048 keys, 32 heads, 32 layers, 512 FLOP:
 *     17 179 869 184. One sequence: a sixteenth.
 *
 * Llama-3.1-70B on each of 8, weights of a layer: 1280 x 8192 + 8192 x 1024 + 7168 x 8192 + 8192 x 3584 =
 * 106 954 752; 80 layers 8 556 380 160; head 16032 x 8192 = 131 334 144.
 *   prefill: 2 x 2048 x 8 556 380 160 = 35 046 933 135 360; head 262 668 288; 2 098 176 keys, 8 heads, 80 layers,
 *     512 FLOP: 687 530 311 680.
 *   decode, 16: 2 x 16 x 8 687 714 304 = 278 006 857 728; 16 x 2048 keys, 8 heads, 80 layers, 512 FLOP:
 *     10 737 418 240.
 *
 * BERT-large, 12 x 1024^2 weights a layer, 24 layers: 301 989 888; 3,072 tokens: 1 855 425 871 872; 8 x 384^2 keys,
 * 16 heads of 64 (256 FLOP), 24 layers: 115 964 116 992; two logits a token: 2 x 3072 x 2 x 1024 = 12 582 912.
 *
 * Mixtral layer, 512 tokens: (6144 + 4096 + 8) x 4096 weights: 42 983 227 392; 512 x 513 / 2 keys, 32 heads,
 * 512 FLOP: 2 151 677 952; two experts a token of 3 x 14336 x 4096 weights: 360 777 252 864.
 *
 * ResNet-50 v1.5, multiply-adds an image: conv1 118 013 952; the four stages 667 942 912, 1 027 604 480,
 * 1 464 336 384 and 809 238 528; fc 2 048 000; together 4 089 184 256 (4.09e9 is what is printed for it).
 * 32 images, 2 FLOP each. */
static void the_shipped_workloads_add_up(void **state)
{
    static const struct {
        const char *name;
        double FLOP;
    } rows[] = {
        {"llama3_8b_prefill_2k", 28587302322176.0 + 1050673152.0 + 1100048498688.0},
        {"llama3_8b_decode_b16", 240149069824.0 + 17179869184.0},
        {"llama3_8b_decode_b1", (240149069824.0 + 17179869184.0) / 16},
        {"llama3_70b_prefill_2k_tp8", 35046933135360.0 + 262668288.0 + 687530311680.0},
        {"llama3_70b_decode_b16_tp8", 278006857728.0 + 10737418240.0},
        {"bert_large_b8_s384", 1855425871872.0 + 115964116992.0 + 12582912.0},
        {"mixtral_8x7b_layer", 42983227392.0 + 2151677952.0 + 360777252864.0},
        {"resnet50_b32", 64 * 4089184256.0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dm_workload *w = load_shipped_workload(rows[i].name);
        if (!(fabs(tensor_FLOP(w) - rows[i].FLOP) <= 0))
            fail_msg("%s: %.17g FLOP, %.17g are wanted", rows[i].name, tensor_FLOP(w), rows[i].FLOP);
        dm_workload_free(w);
    }
}

/* The rule of thumb, 2 FLOP a parameter and token: 8.03e9 parameters as published, less the 525 336 576 of the
 * embedding, which is looked up. A decode step exceeds it by its attention: 17.2 of 240.1 GFLOP, 7.2 %. */
static void a_decode_step_is_two_flop_a_parameter_and_token(void **state)
{
    dm_workload *w = load_shipped_workload("llama3_8b_decode_b16");

    (void)state;
    assert_close(tensor_FLOP(w) / (2 * (8.03e9 - 525336576.0) * 16), 1.072, 1e-3);
    dm_workload_free(w);
}

static void every_shipped_workload_loads_under_its_name(void **state)
{
    const char *const dirs[] = {shipped_root()};
    dm_arena arena = {0};
    const char **names;
    size_t n;
    dm_err err;

    (void)state;
    assert_int_equal(dm_search_list(&(dm_search){dirs, 1}, &dm_search_workload, &arena, &names, &n, &err), DM_OK);
    assert_in_range(n, 9, 1000);
    for (size_t i = 0; i < n; i++) {
        dm_workload *w = load_shipped_workload(names[i]);
        assert_string_equal(w->name, names[i]);
        assert_true(dm_workload_op_n(w) > 0);
        assert_true(tensor_FLOP(w) > 0);
        dm_workload_free(w);
    }
    dm_arena_free(&arena);
}

/* The CSV example is the layer of the YAML file, 32 times. */
static void the_shipped_csv_is_the_layer_of_the_shipped_yaml(void **state)
{
    dm_workload *csv = load_shipped_workload("llama3_8b_layer"), *yaml = load_shipped_workload("llama3_8b_decode_b16");
    const dm_block *layer = &yaml->block[1];

    (void)state;
    assert_int_equal(csv->call_n, layer->n);
    assert_int_equal(layer->repeat, 32);
    for (size_t i = 0; i < csv->call_n; i++) {
        const dm_op_call *a = &csv->call[i], *b = &yaml->call[layer->first + i];
        assert_string_equal(dm_op_call_op_name(a), dm_op_call_op_name(b));
        assert_memory_equal(a->args, b->args, DM_ARGS_SIZE);
        assert_ptr_equal(a->recipe, b->recipe);
        assert_int_equal(a->count, layer->repeat);
    }
    dm_workload_free(csv);
    dm_workload_free(yaml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_has_defaults),
        cmocka_unit_test(defaults_are_for_every_operator),
        cmocka_unit_test(every_key_of_a_call_is_read),
        cmocka_unit_test(blocks_follow_each_other_and_the_last_runs_once),
        cmocka_unit_test(after_names_the_latest_operator_before),
        cmocka_unit_test(many_names_are_found),
        cmocka_unit_test(yaml_and_csv_give_the_same_calls),
        cmocka_unit_test(names_in_a_csv_cell_are_parted_by_blanks_or_semicolons),
        cmocka_unit_test(a_wrong_yaml_file_is_refused_where_it_is_wrong),
        cmocka_unit_test(a_wrong_csv_file_is_refused_where_it_is_wrong),
        cmocka_unit_test(a_workload_is_found_by_name_or_told_the_nearest),
        cmocka_unit_test(the_shipped_workloads_add_up),
        cmocka_unit_test(a_decode_step_is_two_flop_a_parameter_and_token),
        cmocka_unit_test(every_shipped_workload_loads_under_its_name),
        cmocka_unit_test(the_shipped_csv_is_the_layer_of_the_shipped_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
