/* tests/fuzz/fuzz.h
 *
 * What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput; libFuzzer drives it in scripts/fuzz,
 * and replay.c in every other build. Whatever parses must also be estimated to a finite time or refused with a
 * message: anything else aborts. */
#ifndef DM_TESTS_FUZZ_H
#define DM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "hw/hw.h"
#include "workload/op.h"

enum { FUZZ_CALLS_MAX = 64 }; /* estimated of one input, so that a long one does not take long */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The shipped files. */
const dm_search *fuzz_search(void);

/* A shipped device, loaded once. */
const dm_hw *fuzz_device(void);

/* Estimate a call at every fidelity. */
void fuzz_predict(const dm_hw *hw, const dm_op_call *call);

/* A failed call must say what is wrong. */
void fuzz_check_error(dm_status status, const dm_err *err);

/* Copy of the input with a NUL behind it, as files are read; freed by the caller. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
