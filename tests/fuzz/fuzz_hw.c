/* tests/fuzz/fuzz_hw.c
 *
 * Hardware files. A device that loads must print and estimate; its numbers may be at the far ends of their ranges. */
#include <stdlib.h>

#include "fuzz.h"

/* One operator of each kind of lowering. */
static const struct {
    const char *op, *shape, *dtype;
} calls[] = {
    {"gemm", "m=16,n=4096,k=4096", "bf16"},
    {"gemm", "m=4096,n=4096,k=4096", "fp8_block"},
    {"attention_prefill", "batch=1,q_len=512,heads_q=32,heads_kv=8,head_dim=128", "bf16"},
    {"attention_decode", "batch=16,kv_len=2048,heads_q=32,heads_kv=8,head_dim=128", "fp16"},
    {"mla", "batch=1,kv_len=512,heads=16", "bf16"},
    {"moe", "tokens=64,hidden=4096,inter=1536,experts=128,topk=8", "nvfp4"},
    {"conv2d", "batch=1,c_in=64,c_out=64,kernel_size=3,in_size=56", "fp32"},
    {"rmsnorm", "rows=16,cols=4096", "bf16"},
    {"all_reduce", "bytes=1048576,ranks=8", "bf16"},
};

static void estimate_all(const dm_hw *hw)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        dm_op_call *call;
        dm_err err;
        if (dm_op_call_parse(calls[i].op, calls[i].shape, calls[i].dtype, NULL, &call, &err) != DM_OK)
            abort();
        fuzz_predict(hw, call);
        dm_op_call_free(call);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const dm_source source = {"fuzz.yaml", text, size};
    dm_str printed = {0};
    dm_hw *hw = NULL;
    dm_err err = {.status = DM_OK};
    const dm_status status = dm_hw_parse(fuzz_search(), &source, &hw, &err);

    fuzz_check_error(status, &err);
    if (status == DM_OK) {
        dm_hw_print(hw, true, &printed);
        estimate_all(hw);
    }
    dm_str_fini(&printed);
    dm_hw_free(hw);
    free(text);
    return 0;
}
