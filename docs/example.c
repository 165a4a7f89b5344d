/* docs/example.c: one operator on one device, from C. Built and run by the tests; README.md shows it. */
#include <stdio.h>

#include <dormer/dormer.h>

int main(void)
{
    const char *folders[] = {"."}; /* holds configs/hw */
    const dm_search search = {folders, 1};
    dm_hw *hw = NULL;
    dm_op_call *call = NULL;
    dm_result result;
    dm_err err;

    const bool ok = dm_hw_load(&search, "h200_sxm", NULL, 0, &hw, &err) == DM_OK &&
                    dm_op_call_parse("gemm", "m=16,n=4096,k=4096", "bf16", NULL, &call, &err) == DM_OK &&
                    dm_predict(hw, call, DM_ANALYTIC, DM_CLOCK_BOOST, &result, &err) == DM_OK;
    if (ok)
        printf("%.2f us, limited by %s\n", result.time_s * 1e6, result.limiter);
    else
        fprintf(stderr, "%s\n", err.message);
    dm_op_call_free(call);
    dm_hw_free(hw);
    return ok ? 0 : 1;
}
