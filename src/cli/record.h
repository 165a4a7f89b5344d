/* src/cli/record.h
 *
 * Results of a verb into the database: what was computed, from which texts, by which program. */
#ifndef DM_CLI_RECORD_H
#define DM_CLI_RECORD_H

#include "cli/common.h"
#include "store/store.h"

dm_status dm_cli_record_run(const dm_options *options, const dm_hw *hw, const dm_workload *workload, const dm_run *run,
                            int64_t *id, dm_err *err);
dm_status dm_cli_record_validation(const dm_options *options, const dm_validation *validation, int64_t *id,
                                   dm_err *err);

#endif
