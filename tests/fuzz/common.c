/* tests/fuzz/common.c
 *
 * Estimates for the fuzz targets: see the header. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/model.h"

static void die(const char *what)
{
    (void)fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL)
        die("out of memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_check_error(dm_status status, const dm_err *err)
{
    if (status == DM_OK)
        return;
    if (err->status != status || err->message[0] == '\0')
        die("a failure without a message");
    if (err->excerpt[0] != '\0' && err->excerpt_col < 1)
        die("a caret before its line");
}

const dm_search *fuzz_search(void)
{
    static const char *const dirs[] = {DM_SOURCE_ROOT};
    static const dm_search search = {dirs, 1};

    return &search;
}

const dm_hw *fuzz_device(void)
{
    static dm_hw *hw;
    dm_err err;

    if (hw == NULL && dm_hw_load(fuzz_search(), "h200_sxm", NULL, 0, &hw, &err) != DM_OK)
        die(err.message);
    return hw;
}

void fuzz_predict(const dm_hw *hw, const dm_op_call *call)
{
    for (int f = 0; f < DM_FIDELITY_N; f++) {
        dm_result result = {.time_s = NAN};
        dm_err err = {.status = DM_OK};
        const dm_status status = dm_predict(hw, call, (dm_fidelity)f, DM_CLOCK_BOOST, &result, &err);
        fuzz_check_error(status, &err);
        if (status != DM_OK)
            continue;
        if (!(isfinite(result.time_s) && result.time_s > 0)) {
            (void)fprintf(stderr, "fuzz: %s: %s takes %g s\n", dm_fidelity_name((dm_fidelity)f),
                          dm_op_call_op_name(call), result.time_s);
            abort();
        }
    }
}
