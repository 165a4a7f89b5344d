/* tests/fuzz/replay.c
 *
 * Runs a fuzz target once on each file given, where libFuzzer is not linked in. */
#include <stdio.h>

#include "fuzz.h"
#include "util/file.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        dm_arena arena = {0};
        dm_source source;
        dm_err err;
        if (dm_file_read(argv[i], SIZE_MAX / 2, &arena, &source, &err) != DM_OK) {
            (void)fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        (void)fprintf(stderr, "%s\n", argv[i]); /* the last one named is the one that crashed */
        (void)LLVMFuzzerTestOneInput((const uint8_t *)source.text, source.len);
        dm_arena_free(&arena);
    }
    return 0;
}
