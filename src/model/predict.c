/* src/model/predict.c
 *
 * Fidelities are functions in a table: each turns a call into a result. */
#include "model/model.h"

static dm_status predict_roofline(const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                                  dm_result *out, dm_err *err)
{
    dm_launch launch;
    const dm_status status = dm_lower_work(call, machine, &launch, err);

    if (status == DM_OK)
        dm_roofline(&launch, machine, dm_residency_hits(&launch.work, &call->conditions, machine, params), out);
    return status;
}

static dm_status predict_analytic(const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                                  dm_result *out, dm_err *err)
{
    dm_launch launch;
    const dm_status status = dm_lower(call, machine, params, &launch, err);

    if (status == DM_OK)
        dm_analytic(&launch, call, machine, params, out);
    return status;
}

static const struct {
    const char *name;
    dm_status (*predict)(const dm_op_call *, const dm_machine *, const dm_params *, dm_result *, dm_err *);
} fidelities[DM_FIDELITY_N] = {
    [DM_ROOFLINE] = {"roofline", predict_roofline},
    [DM_ANALYTIC] = {"analytic", predict_analytic},
};

const char *dm_fidelity_name(dm_fidelity fidelity)
{
    return fidelities[fidelity].name;
}

dm_status dm_predict_call(const dm_op_call *call, const dm_machine *machine, const dm_params *params,
                          dm_fidelity fidelity, dm_result *out, dm_err *err)
{
    return fidelities[fidelity].predict(call, machine, params, out, err);
}

dm_status dm_predict(const dm_hw *hw, const dm_op_call *call, dm_fidelity fidelity, dm_clock clock, dm_result *out,
                     dm_err *err)
{
    dm_machine machine;
    const dm_status status = dm_machine_init(&machine, hw, clock, err);

    return status == DM_OK ? dm_predict_call(call, &machine, &dm_params_default, fidelity, out, err) : status;
}
