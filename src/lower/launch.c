/* src/lower/launch.c
 *
 * From an operator call to its launch descriptor: see the header. */
#include "lower/launch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void add_operand(dm_work *work, dm_operand operand)
{
    assert(work->operand_n < DM_OPERANDS_MAX);
    work->operand[work->operand_n++] = operand;
}

void dm_work_read(dm_work *work, const char *name, double bytes)
{
    add_operand(work, (dm_operand){.name = name, .unique_B = bytes});
}

void dm_work_read_weight(dm_work *work, const char *name, double bytes)
{
    add_operand(work, (dm_operand){.name = name, .unique_B = bytes, .rotated = true});
}

void dm_work_write(dm_work *work, const char *name, double bytes)
{
    add_operand(work, (dm_operand){.name = name, .unique_B = bytes, .written = true});
}

void dm_work_pass(dm_work *work, const char *name, double bytes, bool written)
{
    add_operand(work, (dm_operand){.name = name, .unique_B = bytes, .written = written, .between = true});
}

double dm_work_unique_B(const dm_work *work)
{
    double sum_B = 0;

    for (int i = 0; i < work->operand_n; i++)
        sum_B += work->operand[i].unique_B;
    return sum_B;
}

double dm_work_read_B(const dm_work *work)
{
    double sum_B = 0;

    for (int i = 0; i < work->operand_n; i++)
        sum_B += work->operand[i].written ? 0 : work->operand[i].unique_B;
    return sum_B;
}

const dm_hw_link *dm_link_of(const dm_machine *machine, dm_link_domain domain)
{
    return domain == DM_LINK_SCALE_OUT ? &machine->hw->scale_out : &machine->hw->scale_up;
}

dm_kernel *dm_launch_add(dm_launch *launch, const char *name)
{
    assert(launch->kernel_n < DM_KERNELS_MAX);
    dm_kernel *kernel = &launch->kernel[launch->kernel_n++];

    memset(kernel, 0, sizeof *kernel);
    kernel->name = name;
    kernel->split_k = 1;
    kernel->stages = 1;
    kernel->cta_n = 1;
    kernel->cta_per_core = 1;
    kernel->l2_frac = 1;
    kernel->work.vector_math = DM_MATH_FP32;
    return kernel;
}

static dm_status check_finite(const dm_op_call *call, const dm_work *work, dm_err *err)
{
    const double total = work->tensor_FLOP + work->vector_FLOP + work->special_op + dm_work_unique_B(work) +
                         work->link_B + work->link_step_n;

    if (isfinite(total))
        return DM_OK;
    return dm_fail(err, DM_ERR_INPUT, "%s: the shape is too large, its work does not fit a number",
                   dm_op_call_op_name(call));
}

/* The device must state the link's rate, and the domain join as many. */
static dm_status need_link(const dm_machine *machine, dm_link_domain domain, int64_t device_n, dm_err *err)
{
    const dm_hw_link *link = dm_link_of(machine, domain);
    const dm_status status = dm_hw_need(machine->hw, &link->bw_Bps, "an exchange between devices", err);

    if (status == DM_OK && link->device_n > 0 && device_n > link->device_n)
        return dm_fail(err, DM_ERR_UNSUPPORTED, "%s: the %s domain joins %lld devices, %lld are wanted",
                       machine->hw->name, domain == DM_LINK_SCALE_OUT ? "scale-out" : "scale-up",
                       (long long)link->device_n, (long long)device_n);
    return status;
}

/* The machine's links serve, and the bytes that they must carry are those of this machine. */
static dm_status settle_link(const dm_machine *machine, dm_work *work, dm_err *err)
{
    if (work->link == DM_LINK_NONE)
        return DM_OK;
    if (work->link_in_network_B > 0 && dm_link_of(machine, work->link)->in_network_reduce)
        work->link_B = work->link_in_network_B;

    const dm_status status = need_link(machine, work->link, work->link_device_n, err);
    if (status == DM_OK && work->link == DM_LINK_SCALE_OUT && work->link_node_n > 1)
        return need_link(machine, DM_LINK_SCALE_UP, work->link_node_n, err);
    return status;
}

dm_status dm_lower_work(const dm_op_call *call, const dm_machine *machine, dm_launch *out, dm_err *err)
{
    memset(&out->work, 0, offsetof(dm_work, operand));
    out->work.math = call->recipe->math;
    out->work.vector_math = DM_MATH_FP32;
    out->kernel_n = 0;
    out->math = call->recipe->math;
    out->tensor = false;
    out->emulated = false;

    dm_status status = call->op->work(call, &out->work, err);
    if (status == DM_OK)
        status = check_finite(call, &out->work, err);
    if (status == DM_OK)
        status = settle_link(machine, &out->work, err);
    if (status == DM_OK && out->work.tensor_FLOP > 0) {
        status = dm_machine_math(machine, out->work.math, &out->math, &out->tensor, err);
        out->emulated = out->math != out->work.math;
    }
    return status;
}

dm_status dm_lower(const dm_op_call *call, const dm_machine *machine, const struct dm_params *params, dm_launch *out,
                   dm_err *err)
{
    const dm_status status = dm_lower_work(call, machine, out, err);

    if (status != DM_OK)
        return status;
    if (call->op->plan == NULL)
        return dm_fail(err, DM_ERR_UNSUPPORTED, "%s: only its roofline is modelled so far", dm_op_call_op_name(call));
    return call->op->plan(call, machine, params, out, err);
}
