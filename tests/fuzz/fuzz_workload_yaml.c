/* tests/fuzz/fuzz_workload_yaml.c
 *
 * Workloads as YAML. */
#include "fuzz_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_workload(data, size, "fuzz.yaml", dm_workload_parse_yaml);
}
