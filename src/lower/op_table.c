/* src/lower/op_table.c
 *
 * Every operator, one row each, in the order in which `dormer list ops` shows them. */
#include "lower/launch.h"

/* clang-format off */
#define OPS(X)      \
    X(gemm) \
    X(attention_prefill) \
    X(attention_decode) \
    X(attention_encoder) \
    X(mla) \
    X(mla_module) \
    X(moe) \
    X(moe_dispatch) \
    X(causal_conv1d_fn) \
    X(chunk_gated_delta_rule) \
    X(fused_recurrent_gated_delta_rule) \
    X(mamba_chunk_scan_combined) \
    X(conv2d) \
    X(elementwise) \
    X(layernorm) \
    X(softmax) \
    X(rope) \
    X(embedding) \
    X(quantize_static) \
    X(copy) \
    X(all_reduce) \
    X(p2p)
/* clang-format on */

#define DECLARE(name) extern const dm_op dm_op_##name;
OPS(DECLARE)
#undef DECLARE

#define ROW(name) &dm_op_##name,
static const dm_op *const rows[] = {OPS(ROW)};
#undef ROW

const dm_op_table dm_ops = {rows, sizeof rows / sizeof rows[0]};
