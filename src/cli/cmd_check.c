/* src/cli/cmd_check.c
 *
 * dormer check: is a file right? What a file is, its own text tells: a table by its header, YAML by its keys. */
#include <string.h>

#include "cli/common.h"
#include "config/csv.h"
#include "config/doc.h"
#include "config/search.h"
#include "fit/measured.h"
#include "hw/hw.h"
#include "lower/launch.h"
#include "util/file.h"

typedef enum file_kind { HARDWARE, WORKLOAD, MEASURED } file_kind;

static const char *const kind_names[] = {"hardware", "workload", "measured"};

/* What was found right in a file, for its line of the answer. */
typedef struct finding {
    const char *path;
    file_kind kind;
    dm_str detail, effective;
} finding;

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);

    return n >= m && strcmp(text + n - m, ending) == 0;
}

static dm_status csv_kind(const dm_source *source, dm_arena *arena, file_kind *out, dm_err *err)
{
    dm_csv csv;
    const dm_status status = dm_csv_open(&csv, source, arena, err);

    size_t ignored;

    *out = WORKLOAD;
    if (status == DM_OK && (dm_csv_find(&csv, "time_us", &ignored) || dm_csv_find(&csv, "device", &ignored)))
        *out = MEASURED;
    return status;
}

/* Keys that only one kind of file has; the first of them decides. */
static const struct {
    const char *key;
    file_kind kind;
} telling_keys[] = {
    {"ops", WORKLOAD},     {"repeat", WORKLOAD},       {"defaults", WORKLOAD}, {"extends", HARDWARE},
    {"compute", HARDWARE}, {"memory", HARDWARE},       {"clocks", HARDWARE},   {"links", HARDWARE},
    {"launch", HARDWARE},  {"power", HARDWARE},        {"package", HARDWARE},  {"price", HARDWARE},
    {"kind", HARDWARE},    {"architecture", HARDWARE}, {"vendor", HARDWARE},   {"year", HARDWARE},
    {"sources", HARDWARE},
};

enum { TELLING_KEY_N = sizeof telling_keys / sizeof telling_keys[0] };

/* No key tells what the file is: at the first one that no kind of file has. */
static dm_status fail_kind(const dm_source *source, const dm_node *root, dm_err *err)
{
    for (const dm_node *entry = root->first; entry != NULL; entry = entry->next) {
        char hint[DM_NEAREST_TEXT_MAX];
        dm_nearest nearest = dm_nearest_start(entry->key);
        if (dm_slice_is(entry->key, "schema") || dm_slice_is(entry->key, "name") || dm_slice_is(entry->key, "title"))
            continue;
        for (int i = 0; i < TELLING_KEY_N; i++)
            dm_nearest_offer(&nearest, telling_keys[i].key);
        return dm_fail_at(err, DM_ERR_INPUT, source, entry->key_place, "unknown key '%.*s' at the top level%s",
                          dm_slice_shown(entry->key), entry->key.at, dm_nearest_text(&nearest, hint));
    }
    return dm_fail_at(err, DM_ERR_INPUT, source, root->place,
                      "neither a hardware file (compute, memory, extends ...) nor a workload (ops, repeat)");
}

static dm_status yaml_kind(const dm_source *source, dm_arena *arena, file_kind *out, dm_err *err)
{
    dm_node *root;
    const dm_status status = dm_doc_parse(source, arena, &root, err);

    if (status != DM_OK)
        return status;
    for (int i = 0; i < TELLING_KEY_N; i++)
        if (dm_doc_get(root, telling_keys[i].key) != NULL) {
            *out = telling_keys[i].kind;
            return DM_OK;
        }
    return fail_kind(source, root, err);
}

static dm_status find_kind(const char *path, dm_arena *arena, file_kind *out, dm_err *err)
{
    dm_source source;
    const bool is_csv = ends_with(path, ".csv");
    const dm_status status = dm_file_read(path, is_csv ? DM_MEASURED_CAP_B : DM_DOC_CAP_B, arena, &source, err);

    if (status != DM_OK)
        return status;
    return is_csv ? csv_kind(&source, arena, out, err) : yaml_kind(&source, arena, out, err);
}

static dm_status check_hw(const dm_options *options, dm_arena *arena, finding *f, dm_err *err)
{
    const dm_override *overrides;
    dm_hw *hw;
    const char *first;
    dm_status status = dm_cli_overrides(options, arena, &overrides, err);

    if (status == DM_OK)
        status = dm_hw_load(dm_cli_search(), f->path, overrides, options->overrides.n, &hw, err);
    if (status != DM_OK)
        return status;
    const size_t unsourced = dm_hw_unsourced(hw, &first);
    dm_str_addf(&f->detail, "%s", hw->title != NULL ? hw->title : hw->name);
    if (unsourced > 0)
        dm_str_addf(&f->detail, "; %zu fields without a source, the first is %s", unsourced, first);
    if (options->effective)
        dm_hw_print(hw, true, &f->effective);
    dm_hw_free(hw);
    return DM_OK;
}

static dm_status check_workload(finding *f, dm_err *err)
{
    dm_workload *workload;
    const dm_status status = dm_workload_load(dm_cli_search(), f->path, &workload, err);

    if (status != DM_OK)
        return status;
    dm_str_addf(&f->detail, "%zu operators", dm_workload_op_n(workload));
    dm_workload_free(workload);
    return DM_OK;
}

/* Columns that nothing reads are said, so that a misspelt one is noticed. */
static void describe_measured(const dm_measured *set, dm_str *out)
{
    dm_str_addf(out, "%zu rows", set->row_n);
    for (size_t i = 0; i < set->ignored_n; i++)
        dm_str_addf(out, "%s%s", i == 0 ? "; columns that nothing reads: " : ", ", set->ignored[i]);
}

static dm_status check_measured(finding *f, dm_err *err)
{
    dm_measured set = {0};
    const dm_status status = dm_measured_read(&set, f->path, &dm_ops, false, err);

    if (status == DM_OK)
        describe_measured(&set, &f->detail);
    dm_measured_fini(&set);
    return status;
}

/* A path, or the name of a shipped device or workload. */
static dm_status resolve(const char *word, dm_arena *arena, const char **path, dm_err *err)
{
    dm_err ignored;

    *path = word;
    if (strchr(word, '/') != NULL || ends_with(word, ".yaml") || ends_with(word, ".csv") || dm_file_exists(word))
        return DM_OK;
    if (dm_search_find(dm_cli_search(), &dm_search_workload, word, arena, path, &ignored) == DM_OK)
        return DM_OK;
    return dm_search_find(dm_cli_search(), &dm_search_hw, word, arena, path, err);
}

static dm_status check_file(const dm_options *options, const char *word, dm_arena *arena, finding *f, dm_err *err)
{
    dm_status status = resolve(word, arena, &f->path, err);

    if (status == DM_OK)
        status = find_kind(f->path, arena, &f->kind, err);
    if (status != DM_OK)
        return status;
    switch (f->kind) {
    case HARDWARE:
        return check_hw(options, arena, f, err);
    case WORKLOAD:
        return check_workload(f, err);
    case MEASURED:
        return check_measured(f, err);
    }
    return DM_OK;
}

static void file_json(const finding *f, dm_json *json)
{
    dm_json_open(json, NULL, '{');
    dm_json_text(json, "path", f->path);
    dm_json_text(json, "kind", kind_names[f->kind]);
    dm_json_text(json, "detail", f->detail.text);
    if (f->effective.text != NULL)
        dm_json_text(json, "effective", f->effective.text);
    dm_json_close(json, '}');
}

static void file_text(const finding *f, dm_str *text)
{
    dm_str_addf(text, "%s: %s file is right: %s\n", f->path, kind_names[f->kind], f->detail.text);
    if (f->effective.text != NULL)
        dm_str_add(text, f->effective.text);
}

/* Every file is looked at, also after a broken one; the answer is wrong if any of them is. */
static int check_verb(const dm_options *options)
{
    dm_json json = {0};
    dm_str text = {0};
    int code = DM_EXIT_DONE;

    if (options->words.n == 0)
        return dm_cli_usage("check wants files");
    dm_json_open(&json, NULL, '{');
    dm_json_int(&json, "schema", 1);
    dm_json_open(&json, "files", '[');
    for (size_t i = 0; i < options->words.n; i++) {
        dm_arena arena = {0};
        finding f = {0};
        dm_err err;
        if (check_file(options, options->words.at[i], &arena, &f, &err) != DM_OK) {
            code = dm_cli_fail(&err);
        } else {
            file_json(&f, &json);
            file_text(&f, &text);
        }
        dm_str_fini(&f.detail);
        dm_str_fini(&f.effective);
        dm_arena_free(&arena);
    }
    dm_json_close(&json, ']');
    dm_json_close(&json, '}');
    const int printed = options->json ? dm_cli_print_json(&json) : dm_cli_print(&text);
    dm_str_fini(options->json ? &text : &json.out);
    return code != DM_EXIT_DONE ? code : printed;
}

static const char *const options_taken[] = {"effective", "set", "json", "help", NULL};

const dm_verb dm_verb_check = {
    "check",
    "say whether hardware, workload and measured files are right",
    "FILE... [options]",
    options_taken,
    "files, or names of shipped ones",
    "  dormer check configs/hw/h200_sxm.yaml\n"
    "  dormer check next_hbm4 --effective\n",
    check_verb,
};
