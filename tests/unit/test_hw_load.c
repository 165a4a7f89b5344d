/* tests/unit/test_hw_load.c: devices from files: what they extend, what overrides them, where their figures are from.
 */
#include "test_folder.h"

#include "config/search.h"
#include "hw/hw.h"

static size_t index_of(const char *path)
{
    const dm_field *field = dm_fields_find(dm_hw_fields, slice_of(path));

    if (field == NULL)
        fail_msg("no field '%s'", path);
    return (size_t)(field - dm_hw_fields.row);
}

static char *print(const dm_hw *hw, bool with_sources)
{
    dm_str text = {0};

    dm_hw_print(hw, with_sources, &text);
    assert_false(text.failed);
    return text.text;
}

/* ---- the shipped devices ---- */

static dm_hw *load_shipped(const char *name, const dm_override *overrides, size_t n)
{
    const char *const dirs[] = {shipped_root()};
    dm_hw *hw = NULL;
    dm_err err;

    if (dm_hw_load(&(dm_search){dirs, 1}, name, overrides, n, &hw, &err) != DM_OK)
        fail_msg("%s: %s:%d: %s", name, err.path, err.line, err.message);
    return hw;
}

static void for_each_shipped(void (*check)(const char *name, const dm_hw *hw))
{
    const char *const dirs[] = {shipped_root()};
    dm_arena arena = {0};
    const char **names;
    size_t n;
    dm_err err;

    assert_int_equal(dm_search_list(&(dm_search){dirs, 1}, &dm_search_hw, &arena, &names, &n, &err), DM_OK);
    assert_in_range(n, 20, 1000);
    for (size_t i = 0; i < n; i++) {
        dm_hw *hw = load_shipped(names[i], NULL, 0);
        check(names[i], hw);
        dm_hw_free(hw);
    }
    dm_arena_free(&arena);
}

static void check_stated(const char *name, const dm_hw *hw)
{
    const char *first = "";

    assert_string_equal(dm_hw_name(hw), name);
    if (dm_hw_unsourced(hw, &first) != 0)
        fail_msg("%s: nobody says where %s is from", name, first);
    if (isnan(hw->clock_boost_Hz) || isnan(hw->dram_latency_s) || hw->title == NULL || hw->architecture == NULL)
        fail_msg("%s: states too little", name);
}

static void every_shipped_device_loads_and_names_its_sources(void **state)
{
    (void)state;
    for_each_shipped(check_stated);
}

/* The printed lines are a hardware file themselves, with dotted keys; it prints the same. */
static void check_reprinted(const char *name, const dm_hw *hw)
{
    char *text = print(hw, false);
    const dm_source source = text_source("printed.yaml", text);
    dm_hw *again = NULL;
    dm_err err;

    if (dm_hw_parse(&(dm_search){NULL, 0}, &source, &again, &err) != DM_OK)
        fail_msg("%s: line %d, '%s': %s", name, err.line, err.excerpt, err.message);
    char *second = print(again, false);
    assert_string_equal(second, text);
    free(text);
    free(second);
    dm_hw_free(again);
}

static void what_is_printed_is_the_device_again(void **state)
{
    (void)state;
    for_each_shipped(check_reprinted);
}

static void a_variant_keeps_what_it_does_not_replace(void **state)
{
    dm_hw *h200 = load_shipped("h200_sxm", NULL, 0), *h100 = load_shipped("h100_sxm", NULL, 0);

    (void)state;
    assert_close(h200->dram_bw_Bps, 4.8e12, 1e-15);
    assert_close(h100->dram_bw_Bps, 3.35e12, 1e-15);
    assert_close(h200->dram_latency_s, h100->dram_latency_s, 0);
    assert_int_equal(h200->core_n, 132);
    assert_string_equal(h200->architecture, "hopper");
    assert_int_equal(h200->set_by[index_of("memory.dram.bandwidth")], 0);
    assert_int_equal(h200->set_by[index_of("memory.dram.latency")], 1);
    assert_int_equal(h200->set_by[index_of("links.host.topology")], -1);
    dm_hw_free(h200);
    dm_hw_free(h100);
}

/* ---- a chain of three ---- */

static const char base_text[] = "schema: 1\nname: base\n"
                                "clocks: {base: 1 GHz, boost: 2 GHz}\n"
                                "compute: {cores: 10, vector: {fp32: 100 FLOP}}\n"
                                "memory:\n"
                                "  l2: {capacity: 1 MB, latency: 100 ns}\n"
                                "  dram: {bandwidth: 100 GB/s, latency: 500 ns}\n"
                                "sources:\n"
                                "  \"*\": {from: base all, confidence: datasheet}\n"
                                "  memory: {from: base memory, confidence: measured}\n"
                                "  memory.l2: {from: base l2, confidence: measured}\n"
                                "  memory.l2.latency: {from: base latency, confidence: derived}\n";
static const char mid_text[] = "schema: 1\nname: mid\nextends: base\n"
                               "memory: {dram: {bandwidth: 200 GB/s}}\n"
                               "sources: {memory.dram: {from: mid dram, confidence: estimate}}\n";
static const char leaf_text[] = "schema: 1\nname: leaf\nextends: mid\n"
                                "clocks: {boost: 3 GHz}\n"
                                "memory: {l2: {latency: 50 ns}}\n";

static dm_status load(const char *name, const dm_override *overrides, size_t n, dm_hw **out, dm_err *err)
{
    const char *const dirs[] = {test_folder.root};

    return dm_hw_load(&(dm_search){dirs, 1}, name, overrides, n, out, err);
}

static int make_chain(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    folder_add_dir("hw");
    (void)folder_add("hw/base.yaml", base_text);
    (void)folder_add("hw/mid.yaml", mid_text);
    (void)folder_add("hw/leaf.yaml", leaf_text);
    return 0;
}

static void the_nearest_file_of_a_chain_wins_field_by_field(void **state)
{
    dm_hw *hw = NULL;
    dm_err err;

    (void)state;
    assert_int_equal(load("leaf", NULL, 0, &hw, &err), DM_OK);
    assert_string_equal(hw->name, "leaf");
    assert_int_equal(hw->file_n, 3);
    assert_close(hw->clock_base_Hz, 1e9, 0);
    assert_close(hw->clock_boost_Hz, 3e9, 0);
    assert_close(hw->dram_bw_Bps, 200e9, 0);
    assert_close(hw->dram_latency_s, 500e-9, 1e-15);
    assert_close(hw->l2_latency_s, 50e-9, 1e-15);
    assert_close(hw->l2_B, 1e6, 0);
    assert_int_equal(hw->set_by[index_of("clocks.base")], 2);
    assert_int_equal(hw->set_by[index_of("clocks.boost")], 0);
    assert_int_equal(hw->set_by[index_of("memory.dram.bandwidth")], 1);
    dm_hw_free(hw);
}

static void expect_from(const dm_hw *hw, const char *path, const char *from, const char *confidence)
{
    const dm_hw_source *source = dm_hw_source_of(hw, index_of(path));

    if (from == NULL) {
        assert_null(source);
        return;
    }
    assert_non_null(source);
    assert_string_equal(source->from, from);
    assert_string_equal(source->confidence, confidence);
}

/* A file vouches for what it sets, no other; of its patterns that cover a field the longest does. */
static void the_longest_pattern_of_the_file_that_set_a_field_wins(void **state)
{
    const dm_override boost = {"clocks.boost=4 GHz"};
    dm_hw *hw = NULL;
    dm_err err;

    (void)state;
    assert_int_equal(load("base", NULL, 0, &hw, &err), DM_OK);
    expect_from(hw, "clocks.base", "base all", "datasheet");
    expect_from(hw, "memory.dram.bandwidth", "base memory", "measured");
    expect_from(hw, "memory.l2.capacity", "base l2", "measured");
    expect_from(hw, "memory.l2.latency", "base latency", "derived");
    expect_from(hw, "memory.l2.far_latency", NULL, NULL);
    assert_int_equal(dm_hw_unsourced(hw, NULL), 0);
    dm_hw_free(hw);

    assert_int_equal(load("leaf", &boost, 1, &hw, &err), DM_OK);
    expect_from(hw, "memory.dram.bandwidth", "mid dram", "estimate");
    expect_from(hw, "memory.dram.latency", "base memory", "measured");
    expect_from(hw, "memory.l2.latency", NULL, NULL); /* leaf names no sources */
    expect_from(hw, "clocks.boost", NULL, NULL);      /* --set vouches for nothing, and nobody asks it to */
    const char *first = NULL;
    assert_int_equal(dm_hw_unsourced(hw, &first), 1);
    assert_string_equal(first, "memory.l2.latency");
    dm_hw_free(hw);
}

static void the_printed_text_tells_all_fields_and_their_sources(void **state)
{
    const dm_override boost = {"clocks.boost=4 GHz"};
    dm_hw *hw = NULL;
    dm_err err;

    (void)state;
    assert_int_equal(load("leaf", &boost, 1, &hw, &err), DM_OK);
    char *text = print(hw, false);
    assert_string_equal(text, "schema: 1\nname: leaf\nkind: gpu\nclocks.base: 1 GHz\nclocks.boost: 4 GHz\n"
                              "compute.cores: 10\ncompute.vector.fp32: 100 FLOP\ncompute.tile.cluster: 1\n"
                              "memory.l2.capacity: 1 MB\nmemory.l2.effective: 1\nmemory.l2.latency: 50 ns\n"
                              "memory.dram.bandwidth: 200 GB/s\nmemory.dram.latency: 500 ns\n"
                              "links.scale_up.topology: switch\nlinks.scale_up.in_network_reduce: false\n"
                              "links.scale_out.topology: switch\nlinks.scale_out.in_network_reduce: false\n"
                              "links.host.topology: switch\nlinks.host.in_network_reduce: false\n");
    free(text);
    text = print(hw, true);
    assert_non_null(strstr(text, "clocks.base: 1 GHz                                    # datasheet: base all\n"));
    assert_non_null(strstr(text, "clocks.boost: 4 GHz                                   # --set\n"));
    assert_non_null(strstr(text, "# default\n"));
    free(text);
    dm_hw_free(hw);
}

/* ---- wrong files ---- */

static dm_err unloaded(const char *name, const dm_override *overrides, size_t n)
{
    dm_hw *hw = NULL;
    dm_err err;

    if (load(name, overrides, n, &hw, &err) == DM_OK)
        fail_msg("%s is accepted", name);
    assert_null(hw);
    return err;
}

static void expect_unloaded(const char *file, const char *text, int line, int col, const char *says)
{
    const char *path = folder_add(file, text);
    const dm_err err = unloaded(path, NULL, 0);

    assert_int_equal(err.status, DM_ERR_INPUT);
    expect_says(&err, says);
    expect_at(&err, line, col);
    assert_string_equal(err.path, path);
}

#define HEAD "schema: 1\nname: x\n"
#define NEEDED "compute: {cores: 1}\nmemory: {dram: {bandwidth: 1 GB/s}}\n"

static void a_wrong_file_is_refused_where_it_is_wrong(void **state)
{
    (void)state;
    expect_unloaded("1.yaml", "name: x\n" NEEDED, 1, 1, "'schema' is missing");
    expect_unloaded("2.yaml", "schema: 2\nname: x\n" NEEDED, 1, 9, "schema: '2' where 1 is wanted");
    expect_unloaded("3.yaml", HEAD "compute: {cores: 1}\nmemory: {l2: {latency: 1 ns}}\n", 4, 1,
                    "'memory.dram.bandwidth' is missing");
    expect_unloaded("4.yaml", HEAD NEEDED "memroy: {}\n", 5, 1, "unknown key 'memroy'; did you mean 'memory'?");
    expect_unloaded("5.yaml", HEAD NEEDED "sources: [a]\n", 5, 10, "sources: a list where a map");
    expect_unloaded("6.yaml", HEAD NEEDED "sources: {memory: x}\n", 5, 19, "sources: {from:");
    expect_unloaded("7.yaml", HEAD NEEDED "sources: {memory: {from: x, confidence: measurd}}\n", 5, 41,
                    "did you mean 'measured'?");
    expect_unloaded("8.yaml", HEAD NEEDED "sources: {memory.drm: {from: x, confidence: measured}}\n", 5, 11,
                    "no field is called 'memory.drm'");
    expect_unloaded("9.yaml", HEAD NEEDED "power: {vf: [[1 V, 2 GHz], [1 V, 1 GHz]]}\n", 5, 28, "vf: below the pair");
    expect_unloaded("10.yaml", HEAD NEEDED "power: {vf: [[1 V, 2 GHz]]}\n", 5, 13, "vf: a list of 2 to 16 pairs");
    expect_unloaded("11.yaml", HEAD NEEDED "package: {dies: [{name: a}]}\n", 5, 18, "'area' is missing");
    expect_unloaded("12.yaml", HEAD NEEDED "extends: [a]\n", 5, 10, "extends: the name or path");
    expect_unloaded("13.yaml", HEAD NEEDED "clocks: {base: 2 GHz, boost: 1 GHz}\n", 5, 16, "clocks.base: above");
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    dm_err err = unloaded(folder_path("none.yaml"), NULL, 0);
    assert_int_equal(err.status, DM_ERR_IO);
    expect_says(&err, "No such file");
    err = unloaded("laef", NULL, 0);
    assert_int_equal(err.status, DM_ERR_INPUT);
    expect_says(&err, "no hardware file called 'laef'; did you mean 'leaf'?");
}

static void an_extended_file_that_is_not_there_is_told_where_it_is_named(void **state)
{
    (void)state;
    expect_unloaded("hw/lost.yaml", "schema: 1\nname: lost\nextends: bsae\n", 3, 10, "did you mean 'base'?");
    expect_unloaded("hw/lost2.yaml", "schema: 1\nname: lost\nextends: ./base.yml\n", 3, 10,
                    "no hardware file './base.yml'");
}

static void a_mistake_in_an_extended_file_is_told_there(void **state)
{
    (void)state;
    (void)folder_add("hw/broken.yaml", "schema: 1\nname: broken\nclocks: {boost: 2 GB}\n");
    (void)folder_add("hw/child.yaml", "schema: 1\nname: child\nextends: broken\n" NEEDED);
    const dm_err err = unloaded("child", NULL, 0);
    expect_says(&err, "boost: '2 GB' is a size");
    expect_at(&err, 3, 17);
    assert_string_equal(err.path, folder_path("hw/broken.yaml"));
}

static void a_chain_that_goes_round_is_refused(void **state)
{
    (void)state;
    (void)folder_add("hw/a.yaml", "schema: 1\nname: a\nextends: b\n" NEEDED);
    (void)folder_add("hw/b.yaml", "schema: 1\nname: b\nextends: a\n" NEEDED);
    (void)folder_add("hw/self.yaml", "schema: 1\nname: self\nextends: self\n" NEEDED);
    dm_err err = unloaded("a", NULL, 0);
    expect_says(&err, "is already in this chain");
    err = unloaded("self", NULL, 0);
    expect_says(&err, "is already in this chain");
}

/* Eight files are the most: c0 extends c1 ... c7 is accepted, c0 to c8 is not. */
static void a_chain_is_capped(void **state)
{
    dm_hw *hw = NULL;
    dm_err err;

    (void)state;
    assert_int_equal(DM_HW_FILES_MAX, 8);
    for (int i = 0; i <= 8; i++) {
        char file[32], text[160];
        (void)snprintf(file, sizeof file, "hw/c%d.yaml", i);
        (void)snprintf(text, sizeof text, "schema: 1\nname: c%d\nextends: c%d\n" NEEDED, i, i + 1);
        (void)folder_add(file, i < 8 ? text : "schema: 1\nname: c8\n" NEEDED);
    }
    assert_int_equal(load("c1", NULL, 0, &hw, &err), DM_OK);
    assert_int_equal(hw->file_n, 8);
    dm_hw_free(hw);
    err = unloaded("c0", NULL, 0);
    expect_says(&err, "a chain of more than 8 files");
}

/* ---- overrides ---- */

static void an_override_sets_one_field_of_any_kind(void **state)
{
    static const dm_override overrides[] = {
        {"memory.dram.bandwidth=4.8 TB/s"},
        {" compute.cores = 7 "},
        {"title=a = b"},
        {"kind=vector"},
        {"links.scale_up.in_network_reduce=true"},
        {"links.scale_up.topology=ring"},
        {"memory.l2.effective=0.5"},
        {"memory.dram.bandwidth=5 TB/s"},
    };
    dm_hw *hw = NULL;
    dm_err err;

    (void)state;
    assert_int_equal(load("leaf", overrides, sizeof overrides / sizeof overrides[0], &hw, &err), DM_OK);
    assert_close(hw->dram_bw_Bps, 5e12, 0); /* the last one wins */
    assert_int_equal(hw->core_n, 7);
    assert_string_equal(hw->title, "a = b");
    assert_int_equal(hw->kind, DM_HW_VECTOR);
    assert_true(hw->scale_up.in_network_reduce);
    assert_int_equal(hw->scale_up.topology, DM_TOPOLOGY_RING);
    assert_close(hw->l2_effective_frac, 0.5, 0);
    assert_int_equal(hw->set_by[index_of("compute.cores")], DM_HW_FILES_MAX);
    dm_hw_free(hw);
}

static void a_wrong_override_is_refused_where_it_is_wrong(void **state)
{
    static const struct {
        const char *text;
        dm_status status;
        int col;
        const char *says;
    } rows[] = {
        {"memory.dram.bandwidth", DM_ERR_USAGE, 1, "path=value is wanted"},
        {"memory.dram.bandwith=1 TB/s", DM_ERR_INPUT, 1, "did you mean 'memory.dram.bandwidth'?"},
        {"=5", DM_ERR_INPUT, 1, "no hardware field is called ''"},
        {"memory.dram=5", DM_ERR_INPUT, 1, "no hardware field is called 'memory.dram'"},
        {"memory.dram.bandwidth=16 TB", DM_ERR_INPUT, 23, "bandwidth: '16 TB' is a size, a rate is wanted"},
        {"memory.dram.bandwidth=", DM_ERR_INPUT, 23, "bandwidth: has no value"},
        {"compute.cores= 0", DM_ERR_INPUT, 16, "cores: '0' is out of range"},
        {"compute.cores=1.5", DM_ERR_INPUT, 15, "cores: '1.5' is not a whole number"},
        {"kind=gppu", DM_ERR_INPUT, 6, "did you mean 'gpu'?"},
        {"links.scale_up.in_network_reduce=maybe", DM_ERR_INPUT, 34, "true or false is wanted"},
        {"compute.features=clusters", DM_ERR_INPUT, 18, "features: a value where a list is wanted"},
        {"power.vf=5", DM_ERR_INPUT, 10, "vf: a list of 2 to 16 pairs"},
        {"package.dies=5", DM_ERR_INPUT, 14, "dies: a value where a list is wanted"},
        {"clocks.base=9 GHz", DM_ERR_INPUT, 1, "clocks.base: above clocks.boost"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const dm_override override = {rows[i].text};
        const dm_err err = unloaded("leaf", &override, 1);
        assert_int_equal(err.status, rows[i].status);
        expect_says(&err, rows[i].says);
        expect_at(&err, 1, rows[i].col);
        assert_string_equal(err.path, "--set");
    }
}

static void what_is_needed_and_absent_is_named(void **state)
{
    dm_hw *hw = NULL;
    dm_err err;

    (void)state;
    assert_int_equal(load("leaf", NULL, 0, &hw, &err), DM_OK);
    assert_int_equal(dm_hw_need(hw, &hw->dram_latency_s, "this test", &err), DM_OK);
    assert_int_equal(dm_hw_need(hw, &hw->scale_up.bw_Bps, "this test", &err), DM_ERR_MISSING);
    expect_says(&err, "leaf does not state links.scale_up.bandwidth");
    expect_says(&err, "which this test needs");
    expect_says(&err, "--set links.scale_up.bandwidth='16 TB/s'");
    dm_hw_free(hw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_device_loads_and_names_its_sources),
        cmocka_unit_test(what_is_printed_is_the_device_again),
        cmocka_unit_test(a_variant_keeps_what_it_does_not_replace),
        cmocka_unit_test_setup_teardown(the_nearest_file_of_a_chain_wins_field_by_field, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(the_longest_pattern_of_the_file_that_set_a_field_wins, make_chain,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(the_printed_text_tells_all_fields_and_their_sources, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(a_wrong_file_is_refused_where_it_is_wrong, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(a_missing_file_is_named, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(an_extended_file_that_is_not_there_is_told_where_it_is_named, make_chain,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_mistake_in_an_extended_file_is_told_there, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(a_chain_that_goes_round_is_refused, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(a_chain_is_capped, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(an_override_sets_one_field_of_any_kind, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(a_wrong_override_is_refused_where_it_is_wrong, make_chain, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_needed_and_absent_is_named, make_chain, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
