/* src/cli/args.h
 *
 * The command line: one table row an option, and for each verb the list of those that it takes. */
#ifndef DM_CLI_ARGS_H
#define DM_CLI_ARGS_H

#include <stdio.h>

#include "config/field.h"
#include "util/err.h"

/* A growing list of texts of argv. */
typedef struct dm_texts {
    const char **at;
    size_t n;
} dm_texts;

/* Every option of every verb; what was not given is NULL, empty or its default. */
typedef struct dm_options {
    const char *hw, *workload, *op, *shape, *dtype, *stack, *launch, *calibration, *db, *residency, *weight_copies, *rows;
    dm_texts ops, devices, stacks, dtypes; /* filters of validate */
    dm_texts measured, overrides, words;   /* words: what is not an option */
    int fidelity;                          /* dm_fidelity, or -1 */
    int clock;                             /* dm_clock */
    int residual;
    int64_t jobs;
    bool json, help, keep_going, effective;
} dm_options;

typedef struct dm_verb {
    const char *name, *summary, *synopsis;
    const char *const *options; /* long names; ends with NULL */
    const char *words;          /* what its plain arguments are; NULL: it takes none */
    const char *examples;
    int (*run)(const dm_options *options);
} dm_verb;

/* Parse what follows the verb. The lists belong to the arena. */
dm_status dm_args_parse(const dm_verb *verb, int argc, char **argv, dm_arena *arena, dm_options *out, dm_err *err);

/* The page of `dormer VERB --help`. */
void dm_args_help(const dm_verb *verb, FILE *to);

/* A verb's options, one a call with increasing index; NULL at the end. For completion and manual pages. */
const char *dm_args_option_help(const dm_verb *verb, size_t index, const char **name, const char **value_name);

#endif
