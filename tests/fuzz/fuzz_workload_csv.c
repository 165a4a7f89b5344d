/* tests/fuzz/fuzz_workload_csv.c
 *
 * Workloads as CSV. */
#include "fuzz_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_workload(data, size, "fuzz.csv", dm_workload_parse_csv);
}
