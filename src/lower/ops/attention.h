/* src/lower/ops/attention.h
 *
 * Softmax attention as every operator that contains it describes it: one shape, its work, and the kernels of the
 * flash-attention family that run it. attention.c has the operators of plain attention, mla.c those of MLA. */
#ifndef DM_LOWER_OPS_ATTENTION_H
#define DM_LOWER_OPS_ATTENTION_H

#include "lower/ops/ops.h"

/* One attention. Sequences of the batch are equally long; the q_len queries are the last of the kv_len positions. */
typedef struct dm_attention {
    int64_t batch, q_len, kv_len, heads_q, heads_kv;
    int64_t qk_dim, v_dim;
    int64_t window;          /* keys that a query sees at most, itself included; 0: all */
    bool causal;
    bool latent;             /* V is the first v_dim columns of K, as in absorbed MLA */
    double q_B, kv_B, o_B;   /* one element, as the kernel reads or writes it */
    double cache_B;          /* one element, as the cache stores it */
    double append_n;         /* elements a new token writes to the cache; 0: there is no cache */
    bool reads_appended;     /* K and V of the new tokens are read back from the cache */
} dm_attention;

/* Pairs of a query and a key that it sees, of one head of one sequence. */
double dm_attention_pairs(int64_t q_len, int64_t kv_len, int64_t window, bool causal);

/* FLOP, exponentials, and Q, K, V, O once each. */
void dm_attention_work(const dm_attention *a, dm_work *out);

/* Kernels: cache append, then one CTA a tile of queries (prefill), or split-KV with its combination (decode). */
dm_status dm_attention_plan_prefill(const dm_attention *a, const dm_machine *machine, const dm_params *params,
                                    dm_launch *out, dm_err *err);
dm_status dm_attention_plan_decode(const dm_attention *a, const dm_machine *machine, const dm_params *params,
                                   dm_launch *out, dm_err *err);

#endif
