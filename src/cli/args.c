/* src/cli/args.c
 *
 * Options from a table: see the header. */
#include "cli/args.h"

#include <string.h>

#include "util/num.h"

typedef enum kind {
    FLAG,   /* bool */
    TEXT,   /* const char * */
    LIST,   /* dm_texts: may be given again */
    FILES,  /* dm_texts: takes every word up to the next option */
    CHOICE, /* int: index in choices */
    COUNT   /* int64_t */
} kind;

typedef struct option {
    const char *name; /* without its dashes */
    const char *value_name;
    const char *help;
    const dm_choice *choices;
    size_t offset;
    kind kind;
} option;

static const dm_choice fidelities[] = {{"roofline", ""}, {"analytic", ""}, {NULL, NULL}};
static const dm_choice clocks[] = {{"boost", ""}, {"base", ""}, {"datasheet", ""}, {NULL, NULL}};
static const dm_choice switches[] = {{"off", ""}, {"on", ""}, {NULL, NULL}};

_Static_assert(sizeof fidelities / sizeof fidelities[0] == DM_FIDELITY_N + 1, "a name for each fidelity");

#define AT(member) offsetof(dm_options, member)

/* An option of explain and a filter of validate may share a name: the verb lists which row it means. */
/* clang-format off */
static const struct row {
    const char *listed; /* as a verb lists it */
    option option;
} rows[] = {
    {"hw",          {"hw", "DEVICE", "hardware file, or the name of a shipped one", NULL, AT(hw), TEXT}},
    {"workload",    {"workload", "WORKLOAD", "workload file (.yaml, .csv), or the name of a shipped one", NULL, AT(workload), TEXT}},
    {"op",          {"op", "OP", "operator (dormer list ops)", NULL, AT(op), TEXT}},
    {"shape",       {"shape", "K=V,...", "its shape, such as m=16,n=4096,k=4096", NULL, AT(shape), TEXT}},
    {"dtype",       {"dtype", "T", "dtype recipe (dormer list dtypes); bf16 if not given", NULL, AT(dtype), TEXT}},
    {"stack",       {"stack", "S", "software stack, such as vllm-0.24.0", NULL, AT(stack), TEXT}},
    {"launch",      {"launch", "L", "graph, stream, eager or kernel", NULL, AT(launch), TEXT}},
    {"residency",   {"residency", "R", "what starts in L2: cold, or measured (what a loop leaves there)", NULL, AT(residency), TEXT}},
    {"weight-copies", {"weight-copies", "N", "distinct weight tensors that the loop walks through", NULL, AT(weight_copies), TEXT}},
    {"fidelity",    {"fidelity", "F", "roofline or analytic", fidelities, AT(fidelity), CHOICE}},
    {"clock",       {"clock", "C", "core clock: boost (default), base or datasheet", clocks, AT(clock), CHOICE}},
    {"calibration", {"calibration", "C", "none: specification and default parameters alone", NULL, AT(calibration), TEXT}},
    {"set",         {"set", "PATH=VALUE", "override one hardware field (dormer list fields); may be repeated", NULL, AT(overrides), LIST}},
    {"measured",    {"measured", "FILE...", "CSV files of measured times", NULL, AT(measured), FILES}},
    {"only-device", {"device", "D", "only rows of this device; may be repeated", NULL, AT(devices), LIST}},
    {"only-op",     {"op", "OP", "only rows of this operator; may be repeated", NULL, AT(ops), LIST}},
    {"only-stack",  {"stack", "S", "only rows of this software stack; may be repeated", NULL, AT(stacks), LIST}},
    {"only-dtype",  {"dtype", "T", "only rows of this dtype recipe; may be repeated", NULL, AT(dtypes), LIST}},
    {"residual",    {"residual", "on|off", "the residual field of a calibration (there is none without one)", switches, AT(residual), CHOICE}},
    {"keep-going",  {"keep-going", NULL, "count broken rows as skipped instead of stopping at the first", NULL, AT(keep_going), FLAG}},
    {"jobs",        {"jobs", "N", "threads; the result is the same for any number", NULL, AT(jobs), COUNT}},
    {"effective",   {"effective", NULL, "print every field with its value and source, defaults included", NULL, AT(effective), FLAG}},
    {"rows",        {"rows", "FILE", "write every row with its prediction to this CSV file", NULL, AT(rows), TEXT}},
    {"db",          {"db", "FILE", "keep the result in this SQLite database", NULL, AT(db), TEXT}},
    {"json",        {"json", NULL, "print one JSON document and nothing else", NULL, AT(json), FLAG}},
    {"help",        {"help", NULL, "show this page", NULL, AT(help), FLAG}},
};
/* clang-format on */

static const option *row_of(const char *listed)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].listed, listed) == 0)
            return &rows[i].option;
    return NULL;
}

static const option *find_option(const dm_verb *verb, dm_slice name, dm_nearest *nearest)
{
    for (size_t i = 0; verb->options[i] != NULL; i++) {
        const option *o = row_of(verb->options[i]);
        if (dm_slice_is(name, o->name))
            return o;
        dm_nearest_offer(nearest, o->name);
    }
    return NULL;
}

static dm_status add_text(dm_texts *texts, const char *text, int argc, dm_arena *arena, dm_err *err)
{
    if (texts->at == NULL && (texts->at = dm_arena_alloc_n(arena, (size_t)argc + 1, sizeof *texts->at)) == NULL)
        return dm_fail_memory(err);
    texts->at[texts->n++] = text;
    return DM_OK;
}

static dm_status set_choice(const option *o, const char *text, int *out, dm_err *err)
{
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start((dm_slice){text, strlen(text)});

    for (int i = 0; o->choices[i].name != NULL; i++) {
        if (strcmp(o->choices[i].name, text) == 0) {
            *out = i;
            return DM_OK;
        }
        dm_nearest_offer(&nearest, o->choices[i].name);
    }
    return dm_fail(err, DM_ERR_USAGE, "--%s: '%.60s' where one of its values is wanted (%s)%s", o->name, text, o->help,
                   dm_nearest_text(&nearest, hint));
}

static dm_status set_count(const option *o, const char *text, int64_t *out, dm_err *err)
{
    int64_t value;

    if (!dm_num_parse_int(text, strlen(text), &value) || value < 1 || value > 4096)
        return dm_fail(err, DM_ERR_USAGE, "--%s: '%.60s' where a number from 1 to 4096 is wanted", o->name, text);
    *out = value;
    return DM_OK;
}

static dm_status set_text(const option *o, const char *text, const char **out, dm_err *err)
{
    if (*out != NULL)
        return dm_fail(err, DM_ERR_USAGE, "--%s is given twice", o->name);
    *out = text;
    return DM_OK;
}

static dm_status set_value(const option *o, const char *text, int argc, dm_arena *arena, dm_options *out, dm_err *err)
{
    void *at = (char *)out + o->offset;

    switch (o->kind) {
    case FLAG:
        *(bool *)at = true;
        return DM_OK;
    case TEXT:
        return set_text(o, text, at, err);
    case LIST:
    case FILES:
        return add_text(at, text, argc, arena, err);
    case CHOICE:
        return set_choice(o, text, at, err);
    case COUNT:
        return set_count(o, text, at, err);
    }
    return DM_OK;
}

/* One option at argv[*i] with its values; *i ends on the last word used. */
static dm_status take_option(const dm_verb *verb, int argc, char **argv, int *i, dm_arena *arena, dm_options *out,
                             dm_err *err)
{
    const char *word = argv[*i] + 2, *equals = strchr(word, '=');
    const dm_slice name = {word, equals != NULL ? (size_t)(equals - word) : strlen(word)};
    char hint[DM_NEAREST_TEXT_MAX];
    dm_nearest nearest = dm_nearest_start(name);
    const option *o = find_option(verb, name, &nearest);

    if (o == NULL)
        return dm_fail(err, DM_ERR_USAGE, "dormer %s takes no --%.*s%s", verb->name, name.len < 60 ? (int)name.len : 60,
                       name.at, dm_nearest_text(&nearest, hint));
    if (o->kind == FLAG)
        return equals == NULL ? set_value(o, NULL, argc, arena, out, err)
                              : dm_fail(err, DM_ERR_USAGE, "--%s takes no value", o->name);
    if (equals == NULL && (*i + 1 >= argc || (argv[*i + 1][0] == '-' && argv[*i + 1][1] == '-')))
        return dm_fail(err, DM_ERR_USAGE, "--%s wants a value: %s (%s)", o->name, o->value_name, o->help);
    dm_status status = set_value(o, equals != NULL ? equals + 1 : argv[++*i], argc, arena, out, err);
    while (status == DM_OK && o->kind == FILES && equals == NULL && *i + 1 < argc && argv[*i + 1][0] != '-')
        status = set_value(o, argv[++*i], argc, arena, out, err);
    return status;
}

dm_status dm_args_parse(const dm_verb *verb, int argc, char **argv, dm_arena *arena, dm_options *out, dm_err *err)
{
    dm_options options = {.fidelity = -1};
    dm_status status = DM_OK;

    for (int i = 0; i < argc && status == DM_OK; i++) {
        if (strcmp(argv[i], "-h") == 0)
            options.help = true;
        else if (argv[i][0] == '-' && argv[i][1] == '-')
            status = take_option(verb, argc, argv, &i, arena, &options, err);
        else if (argv[i][0] == '-' && argv[i][1] != '\0')
            status = dm_fail(err, DM_ERR_USAGE, "dormer %s takes no '%.60s'; options start with --", verb->name, argv[i]);
        else if (verb->words == NULL)
            status = dm_fail(err, DM_ERR_USAGE, "dormer %s takes no '%.60s' (see dormer %s --help)", verb->name, argv[i],
                             verb->name);
        else
            status = add_text(&options.words, argv[i], argc, arena, err);
    }
    if (status == DM_OK)
        *out = options;
    return status;
}

const char *dm_args_option_help(const dm_verb *verb, size_t index, const char **name, const char **value_name)
{
    if (verb->options[index] == NULL)
        return NULL;
    const option *o = row_of(verb->options[index]);
    *name = o->name;
    *value_name = o->value_name;
    return o->help;
}

void dm_args_help(const dm_verb *verb, FILE *to)
{
    const char *name, *value_name, *help;

    (void)fprintf(to, "dormer %s %s\n\n%s\n\n", verb->name, verb->synopsis, verb->summary);
    for (size_t i = 0; (help = dm_args_option_help(verb, i, &name, &value_name)) != NULL; i++) {
        char left[64];
        (void)snprintf(left, sizeof left, "--%s %s", name, value_name != NULL ? value_name : "");
        (void)fprintf(to, "  %-22s %s\n", left, help);
    }
    (void)fprintf(to, "\nExamples\n%s", verb->examples);
}
