/* src/lower/ops/conv2d.c
 *
 * Convolution of square images with square kernels, as the product that it is (implicit GEMM): m = batch x output
 * pixels, n = output channels, k = input channels x taps, once a group.
 *
 * Source: Chetlur et al., "cuDNN", arXiv:1410.0759, section 3. FLOP: 2 m n k a group, taps that fall on the padding
 * included, as is customary. That is the direct convolution: Winograd's and Fourier's do with fewer multiplications
 * (3x3: up to 4 times fewer, Lavin & Gray, arXiv:1509.09308), so a kernel of theirs may exceed 100 % of the peak as
 * counted here.
 * Distinct bytes: the input pixels that a window touches, the weights and the output once each. */
#include "lower/ops/ops.h"

typedef struct conv_args {
    int64_t batch, c_in, c_out, kernel_size, in_size, stride, padding, groups;
} conv_args;

_Static_assert(sizeof(conv_args) <= DM_ARGS_SIZE, "a call has room for the arguments");

/* Elements of the output, or terms of one of its sums: above any device's memory, and products of tiles still fit. */
static const double element_max = 1e15;

#define ARG(member) offsetof(conv_args, member)

/* clang-format off */
static const dm_field rows[] = {
    DM_DIM("batch", ARG(batch), "images"),
    DM_DIM("c_in", ARG(c_in), "input channels"),
    DM_DIM("c_out", ARG(c_out), "output channels"),
    DM_DIM("kernel_size", ARG(kernel_size), "height and width of the kernel"),
    DM_DIM("in_size", ARG(in_size), "height and width of the input"),
    DM_DIM_DEFAULT("stride", ARG(stride), "1", "input pixels between two windows"),
    DM_DIM_OPTIONAL("padding", ARG(padding), "zeros around the input, on each side"),
    DM_DIM_DEFAULT("groups", ARG(groups), "1", "groups of channels that do not mix; c_in of them: depthwise"),
};
/* clang-format on */

/* Height and width of the output: whole windows alone. */
static int64_t out_size(const conv_args *a)
{
    return (a->in_size + 2 * a->padding - a->kernel_size) / a->stride + 1;
}

static double pixels_out(const conv_args *a)
{
    return (double)a->batch * (double)out_size(a) * (double)out_size(a);
}

/* Terms of the sum behind one output element. */
static double terms(const conv_args *a)
{
    return (double)(a->c_in / a->groups) * (double)a->kernel_size * (double)a->kernel_size;
}

/* Input rows (or columns) that some window touches: `out` windows that overlap or leave gaps, less what of the first
 * and the last lies in the padding. */
static double touched(const conv_args *a)
{
    const int64_t apart = a->stride < a->kernel_size ? a->stride : a->kernel_size, before = out_size(a) - 1;
    const int64_t end = before * a->stride - a->padding + a->kernel_size;
    const int64_t beyond = end > a->in_size ? end - a->in_size : 0;

    return (double)(before * apart + a->kernel_size - a->padding - beyond);
}

static const char *check(const dm_op_call *call)
{
    const conv_args *a = (const void *)call->args;

    if (a->padding >= a->kernel_size)
        return "padding is not below kernel_size; a window would see nothing but padding";
    if (a->kernel_size > a->in_size + 2 * a->padding)
        return "kernel_size is above in_size + 2 padding; not one window fits";
    if (a->c_in % a->groups != 0 || a->c_out % a->groups != 0)
        return "c_in and c_out are not both multiples of groups; every group has as many channels";
    if (pixels_out(a) * (double)a->c_out > element_max || terms(a) > element_max)
        return "the shape is too large; at most 1e15 output elements and 1e15 terms in each are wanted";
    return NULL;
}

static dm_status work(const dm_op_call *call, dm_work *out, dm_err *err)
{
    const conv_args *a = (const void *)call->args;
    const dm_recipe *r = call->recipe;
    const double image_n = (double)a->batch * (double)a->c_in, c_out = (double)a->c_out;

    (void)err;
    out->tensor_FLOP = 2 * pixels_out(a) * c_out * terms(a);
    dm_work_read(out, "input", image_n * touched(a) * touched(a) * dm_dtype_B(r->input));
    dm_work_read_weight(out, "weights", c_out * terms(a) * dm_recipe_weight_B(r));
    dm_work_write(out, "output", pixels_out(a) * c_out * dm_dtype_B(r->output));
    return DM_OK;
}

static dm_status plan(const dm_op_call *call, const dm_machine *machine, const dm_params *params, dm_launch *out,
                      dm_err *err)
{
    const conv_args *a = (const void *)call->args;
    const double in = (double)a->in_size;
    const dm_product product = {
        .batch = a->groups, .m = (int64_t)pixels_out(a), .n = a->c_out / a->groups, .k = (int64_t)terms(a)};

    if (dm_recipe_quantises(call->recipe))
        dm_plan_quantise(out, call->recipe, (double)a->batch * in * in, (double)a->c_in, machine, params);
    return dm_plan_product(out, call, "convolution", &product, machine, params, err);
}

const dm_op dm_op_conv2d = {
    .name = "conv2d",
    .fields = DM_FIELDS(rows),
    .check = check,
    .work = work,
    .plan = plan,
    .help = "2-D convolution, grouped or not",
};
