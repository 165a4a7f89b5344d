/* src/cli/common.h
 *
 * What every verb needs: search folders, errors to stderr, results to stdout. */
#ifndef DM_CLI_COMMON_H
#define DM_CLI_COMMON_H

#include "cli/args.h"
#include "report/json.h"

enum { DM_EXIT_DONE = 0, DM_EXIT_NO = 1, DM_EXIT_WRONG = 2 };

extern const dm_verb dm_verb_run, dm_verb_explain, dm_verb_validate, dm_verb_check, dm_verb_list;

/* $DORMER_DATA, the current folder, the installed data, the source tree that this was built from. */
const dm_search *dm_cli_search(void);

/* The command line as it was given, for the session table. */
void dm_cli_remember(int argc, char **argv);
const char *dm_cli_command_line(void);

/* Print an error with its line and caret; DM_EXIT_WRONG. */
int dm_cli_fail(const dm_err *err);
int dm_cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a finished text or document and release it. DM_EXIT_WRONG when memory or the disk is full. */
int dm_cli_flush(void); /* what was printed so far */
int dm_cli_print(dm_str *out);
int dm_cli_print_json(dm_json *json);
int dm_cli_write(const char *path, dm_str *out); /* to a file, whole or not at all */

/* A list of overrides as the library takes them; belongs to the arena. */
dm_status dm_cli_overrides(const dm_options *options, dm_arena *arena, const dm_override **out, dm_err *err);

/* --calibration: there is only "none" so far. */
dm_status dm_cli_check_calibration(const dm_options *options, dm_err *err);

/* The settings that move a result beside its inputs, one a line, for the database. */
void dm_cli_settings(const dm_options *options, dm_str *out);

#endif
