/* tests/unit/workload_fixture.h
 *
 * Workloads from texts and from the shipped files. */
#ifndef DM_TESTS_WORKLOAD_FIXTURE_H
#define DM_TESTS_WORKLOAD_FIXTURE_H

#include "text_fixture.h"

#include "lower/launch.h"
#include "workload/workload.h"

/* The text must outlive the workload; *out is to be released with dm_arena_free(&out->arena). */
static inline dm_status parse_yaml(const char *text, dm_workload *out, dm_err *err)
{
    *out = (dm_workload){.source = text_source("w.yaml", text)};
    return dm_workload_parse_yaml(&out->source, &dm_ops, out, err);
}

static inline dm_status parse_csv(const char *text, dm_workload *out, dm_err *err)
{
    *out = (dm_workload){.source = text_source("dir/w.csv", text)};
    return dm_workload_parse_csv(&out->source, &dm_ops, out, err);
}

static inline void good_yaml(const char *text, dm_workload *out)
{
    dm_err err;

    if (parse_yaml(text, out, &err) != DM_OK)
        fail_msg("%d:%d: %s", err.line, err.col, err.message);
}

static inline void good_csv(const char *text, dm_workload *out)
{
    dm_err err;

    if (parse_csv(text, out, &err) != DM_OK)
        fail_msg("%d:%d: %s", err.line, err.col, err.message);
}

static inline dm_workload *load_shipped_workload(const char *name)
{
    const char *const dirs[] = {shipped_root()};
    dm_workload *w = NULL;
    dm_err err;

    if (dm_workload_load(&(dm_search){dirs, 1}, name, &w, &err) != DM_OK)
        fail_msg("%s: %s:%d: %s", name, err.path, err.line, err.message);
    return w;
}

/* A call as "gemm qkv bf16 x1 s0 m=16 n=64 k=64 <- 0 2"; static memory, the last four stay. */
static inline const char *call_text(const dm_workload *w, size_t i)
{
    static char texts[4][512];
    static size_t next;
    const dm_op_call *call = &w->call[i];
    char *out = texts[next++ % 4];
    dm_str text = {0};

    dm_str_addf(&text, "%s %s %s x%lld s%lld ", dm_op_call_op_name(call), call->name != NULL ? call->name : "-",
                call->recipe->name, (long long)call->count, (long long)call->stream);
    dm_op_call_print(call, " ", &text);
    for (size_t j = 0; j < call->after_n; j++)
        dm_str_addf(&text, "%s%u", j == 0 ? " <- " : " ", (unsigned)call->after[j]);
    assert_false(text.failed);
    assert_in_range(text.len, 1, sizeof texts[0] - 1);
    memcpy(out, text.text, text.len + 1);
    dm_str_fini(&text);
    return out;
}

#endif
