/* tests/lint/analyzer.h
 *
 * Only for clang-tidy, which reads one source file at a time (scripts/lint puts this in front of each): there it can't
 * see that dm_fail returns the status it was given, and follows paths on which a failure counts as success. */
#ifndef DM_TESTS_LINT_ANALYZER_H
#define DM_TESTS_LINT_ANALYZER_H

#include "util/err.h"

#define dm_fail(err, status, ...) ((void)dm_fail((err), (status), __VA_ARGS__), (status))
#define dm_fail_at(err, status, ...) ((void)dm_fail_at((err), (status), __VA_ARGS__), (status))
#define dm_fail_memory(err) ((void)dm_fail_memory(err), DM_ERR_MEMORY)

#endif
