/* src/cli/main.c
 *
 * dormer VERB [options]: verbs are a table. */
#include <string.h>

#include "cli/common.h"

static const dm_verb *const verbs[] = {&dm_verb_run, &dm_verb_explain, &dm_verb_validate, &dm_verb_check,
                                       &dm_verb_list};

enum { VERB_N = sizeof verbs / sizeof verbs[0] };

static void print_overview(FILE *to)
{
    (void)fputs("dormer: how long a deep-learning operator takes on a machine, and why\n\nusage: dormer VERB [options]\n\n",
                to);
    for (int i = 0; i < VERB_N; i++)
        (void)fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    (void)fputs("\ndormer VERB --help shows the options of a verb; dormer --version the version.\n\nExamples\n"
                "  dormer explain --hw h200_sxm --op gemm --shape m=16,n=4096,k=4096\n"
                "  dormer run --hw b200_sxm --workload llama3_8b_decode_b16\n",
                to);
}

static int fail_unknown_verb(const char *name)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start((dm_slice){name, strlen(name)});

    for (int i = 0; i < VERB_N; i++)
        dm_nearest_offer(&nearest, verbs[i]->name);
    return dm_cli_usage("no verb '%.60s'%s (see dormer --help)", name, dm_nearest_text(&nearest, hint));
}

static int run_verb(const dm_verb *verb, int argc, char **argv)
{
    dm_arena arena = {0};
    dm_options options;
    dm_err err;
    int code;

    if (dm_args_parse(verb, argc, argv, &arena, &options, &err) != DM_OK) {
        code = dm_cli_fail(&err);
    } else if (options.help) {
        dm_args_help(verb, stdout);
        code = dm_cli_flush();
    } else {
        code = verb->run(&options);
    }
    dm_arena_free(&arena);
    return code;
}

int main(int argc, char **argv)
{
    dm_cli_remember(argc, argv);
    if (argc < 2) {
        print_overview(stderr);
        return DM_EXIT_WRONG;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return dm_cli_flush();
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("dormer %s\n", dm_version());
        return dm_cli_flush();
    }
    for (int i = 0; i < VERB_N; i++)
        if (strcmp(verbs[i]->name, argv[1]) == 0)
            return run_verb(verbs[i], argc - 2, argv + 2);
    return fail_unknown_verb(argv[1]);
}
