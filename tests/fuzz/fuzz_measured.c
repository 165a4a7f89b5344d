/* tests/fuzz/fuzz_measured.c
 *
 * Measured-time tables, stopping at the first bad row and counting them. */
#include <math.h>
#include <stdlib.h>

#include "fit/measured.h"
#include "fuzz.h"
#include "lower/launch.h"

static void read_table(const dm_source *source, bool keep_going)
{
    dm_measured set = {0};
    dm_err err = {.status = DM_OK};
    const dm_status status = dm_measured_parse(&set, source, &dm_ops, keep_going, &err);

    fuzz_check_error(status, &err);
    for (size_t i = 0; i < set.row_n && i < FUZZ_CALLS_MAX; i++) {
        if (!(isfinite(set.row[i].time_s) && set.row[i].time_s > 0) || set.row[i].device == NULL)
            abort();
        fuzz_predict(fuzz_device(), &set.row[i].call);
    }
    dm_measured_fini(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const dm_source source = {"fuzz.csv", text, size};

    read_table(&source, false);
    read_table(&source, true);
    free(text);
    return 0;
}
