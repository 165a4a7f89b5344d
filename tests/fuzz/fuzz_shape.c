/* tests/fuzz/fuzz_shape.c
 *
 * `--op` and `--shape`: the first line of the input is the operator, the second its dtype, the rest its shape. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* End the line at `text` and give what follows it. */
static char *cut_line(char *text)
{
    char *end = text + strcspn(text, "\n");

    if (*end == '\0')
        return end;
    *end = '\0';
    return end + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *op = fuzz_text(data, size), *dtype = cut_line(op), *shape = cut_line(dtype);
    dm_op_call *call = NULL;
    dm_str printed = {0};
    dm_err err = {.status = DM_OK};
    const dm_status status = dm_op_call_parse(op, shape, dtype, NULL, &call, &err);

    fuzz_check_error(status, &err);
    if (status == DM_OK) {
        dm_op_call_print(call, " ", &printed);
        fuzz_predict(fuzz_device(), call);
        dm_op_call_free(call);
    }
    dm_str_fini(&printed);
    free(op);
    return 0;
}
