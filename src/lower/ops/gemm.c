/* src/lower/ops/gemm.c
 *
 * Matrix products: C[m,n] = A[m,k] x W[n,k]^T, batched (`batch` independent products) or grouped (`groups` weight
 * matrices that share the m rows, as the experts of a mixture do when the load is even).
 *
 * FLOP: 2 m n k a product, an FMA being two. Distinct bytes: A, W and C once each; where the recipe quantises the
 * activation inside, A arrives in its own type (the quantised copy is an intermediate). */
#include "lower/ops/ops.h"

#define ARG(member) offsetof(dm_gemm_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("m", ARG(m), "rows of A: tokens"),
    DM_DIM("n", ARG(n), "rows of W: output features"),
    DM_DIM("k", ARG(k), "columns of both: input features"),
    DM_DIM_DEFAULT("batch", ARG(batch), "1", "independent products"),
    DM_DIM_DEFAULT("groups", ARG(groups), "1", "weight matrices; the m rows are spread evenly over them"),
};
/* clang-format on */

static const char *check(const dm_op_call *call)
{
    const dm_gemm_args *a = (const void *)call->args;

    return a->groups > a->m ? "more groups than rows (m); at most one group a row is wanted" : NULL;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const dm_gemm_args *a = (const void *)call->args;
    const dm_recipe *r = call->recipe;
    const double batch = (double)a->batch, m = (double)a->m, n = (double)a->n, k = (double)a->k;

    (void)err;
    out->tensor_FLOP = 2 * batch * m * n * k;
    dm_work_read(out, "a", batch * m * k * dm_dtype_B(r->input));
    dm_work_read_weight(out, "w", batch * (double)a->groups * n * k * dm_recipe_weight_B(r));
    dm_work_write(out, "c", batch * m * n * dm_dtype_B(r->output));
    return DM_OK;
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const dm_gemm_args *a = (const void *)call->args;
    int64_t product_n;

    if (!dm_num_mul(a->batch, a->groups, &product_n))
        return dm_fail(err, DM_ERR_INPUT, "gemm: batch x groups is too large");
    if (dm_recipe_quantises(call->recipe))
        dm_plan_quantise(out, call->recipe, (double)a->batch * (double)a->m, (double)a->k, machine, params);
    return dm_plan_product(out, call, "gemm",
                           &(dm_product){.batch = product_n,
                                         .m = dm_num_ceil_div(a->m, a->groups),
                                         .n = a->n,
                                         .k = a->k},
                           machine, params, err);
}

const dm_op dm_op_gemm = {
    .name = "gemm",
    .fields = DM_FIELDS(rows),
    .check = check,
    .work = work,
    .plan = plan,
    .help = "matrix product, batched or grouped",
};
