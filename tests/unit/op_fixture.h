/* tests/unit/op_fixture.h
 *
 * The work of one operator, from the texts a user would write. */
#ifndef DM_TESTS_OP_FIXTURE_H
#define DM_TESTS_OP_FIXTURE_H

#include "assert_close.h"

#include <string.h>

#include "lower/launch.h"

static inline dm_work work_of(const char *op, const char *shape, const char *dtype)
{
    dm_op_call *call;
    dm_err err;
    dm_work work = {.vector_math = DM_MATH_FP32};

    if (dm_op_call_parse(op, shape, dtype, NULL, &call, &err) != DM_OK)
        fail_msg("%s %s: %s", op, shape, err.message);
    work.math = call->recipe->math;
    if (call->op->work(call, &work, &err) != DM_OK)
        fail_msg("%s %s: %s", op, shape, err.message);
    dm_op_call_free(call);
    return work;
}

/* Bytes of the operand called `name`; fails if there is none. */
static inline double operand_B(const dm_work *work, const char *name)
{
    for (int i = 0; i < work->operand_n; i++)
        if (strcmp(work->operand[i].name, name) == 0)
            return work->operand[i].unique_B;
    fail_msg("no operand '%s'", name);
    return 0;
}

#endif
