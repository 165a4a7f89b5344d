/* src/cli/common.c
 *
 * Shared by the verbs: see the header. */
#include "cli/common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const dm_search *dm_cli_search(void)
{
    static const char *dirs[4];
    static dm_search search = {dirs, 0};

    if (search.dir_n > 0)
        return &search;
    const char *data = getenv("DORMER_DATA");
    if (data != NULL && data[0] != '\0')
        dirs[search.dir_n++] = data;
    dirs[search.dir_n++] = ".";
    dirs[search.dir_n++] = DM_DATA_DIR;
    dirs[search.dir_n++] = DM_SOURCE_ROOT;
    return &search;
}

static int given_argc;
static char **given_argv;

void dm_cli_remember(int argc, char **argv)
{
    given_argc = argc;
    given_argv = argv;
}

const char *dm_cli_command_line(void)
{
    static char text[4096];
    size_t len = 0;

    for (int i = 0; i < given_argc && len < sizeof text; i++) {
        const int n = snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? " " : "", given_argv[i]);
        len += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* Red on a terminal, unless NO_COLOR (no-color.org) asks for none. */
static const char *error_label(void)
{
    const char *no_color = getenv("NO_COLOR");
    const bool colour = isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == '\0');

    return colour ? "\033[1;31merror:\033[0m" : "error:";
}

static void print_excerpt(const dm_err *err)
{
    (void)fprintf(stderr, "%5d | %s\n      | %*s^", err->line, err->excerpt, err->excerpt_col - 1, "");
    for (int i = 1; i < err->width && i < 80; i++)
        (void)fputc('~', stderr);
    (void)fputc('\n', stderr);
}

int dm_cli_fail(const dm_err *err)
{
    (void)fflush(stdout);
    if (err->path[0] == '\0')
        (void)fprintf(stderr, "dormer: %s %s\n", error_label(), err->message);
    else if (err->line > 0)
        (void)fprintf(stderr, "%s:%d:%d: %s %s\n", err->path, err->line, err->col, error_label(), err->message);
    else
        (void)fprintf(stderr, "%s: %s %s\n", err->path, error_label(), err->message);
    if (err->excerpt[0] != '\0')
        print_excerpt(err);
    return DM_EXIT_WRONG;
}

int dm_cli_usage(const char *format, ...)
{
    dm_err err = {.status = DM_ERR_USAGE};
    va_list args;

    va_start(args, format);
    (void)vsnprintf(err.message, sizeof err.message, format, args);
    va_end(args);
    return dm_cli_fail(&err);
}

int dm_cli_flush(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? DM_EXIT_DONE : dm_cli_usage("standard output: %s", strerror(errno));
}

int dm_cli_print(dm_str *out)
{
    if (!out->failed && out->len > 0)
        (void)fwrite(out->text, 1, out->len, stdout);
    const int code = out->failed ? dm_cli_usage("%s", dm_status_text(DM_ERR_MEMORY)) : dm_cli_flush();
    dm_str_fini(out);
    return code;
}

int dm_cli_print_json(dm_json *json)
{
    dm_str_add(&json->out, "\n");
    return dm_cli_print(&json->out);
}

int dm_cli_write(const char *path, dm_str *out)
{
    char beside[600];
    int code = DM_EXIT_DONE;

    (void)snprintf(beside, sizeof beside, "%.500s.partial", path);
    FILE *file = out->failed ? NULL : fopen(beside, "w");
    bool written = file != NULL && fwrite(out->text, 1, out->len, file) == out->len;
    if (file != NULL && fclose(file) != 0)
        written = false;
    if (!written || rename(beside, path) != 0) {
        code = dm_cli_usage("%.400s: %s", path, out->failed ? dm_status_text(DM_ERR_MEMORY) : strerror(errno));
        (void)remove(beside);
    }
    dm_str_fini(out);
    return code;
}

dm_status dm_cli_overrides(const dm_options *options, dm_arena *arena, const dm_override **out, dm_err *err)
{
    const size_t n = options->overrides.n;
    dm_override *overrides = dm_arena_alloc_n(arena, n + 1, sizeof *overrides);

    if (overrides == NULL)
        return dm_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        overrides[i].text = options->overrides.at[i];
    *out = overrides;
    return DM_OK;
}

dm_status dm_cli_check_calibration(const dm_options *options, dm_err *err)
{
    if (options->calibration == NULL || strcmp(options->calibration, "none") == 0)
        return DM_OK;
    return dm_fail(err, DM_ERR_UNSUPPORTED, "--calibration %.100s: this version has no calibrations, only 'none'",
                   options->calibration);
}

static void add_list(const char *name, const dm_texts *texts, dm_str *out)
{
    for (size_t i = 0; i < texts->n; i++)
        dm_str_addf(out, "--%s %s\n", name, texts->at[i]);
}

void dm_cli_settings(const dm_options *options, dm_str *out)
{
    add_list("set", &options->overrides, out);
    add_list("device", &options->devices, out);
    add_list("op", &options->ops, out);
    add_list("stack", &options->stacks, out);
    add_list("dtype", &options->dtypes, out);
    if (options->residency != NULL)
        dm_str_addf(out, "--residency %s\n", options->residency);
    if (options->clock != DM_CLOCK_BOOST)
        dm_str_addf(out, "--clock %s\n", dm_clock_name((dm_clock)options->clock));
    if (options->keep_going)
        dm_str_add(out, "--keep-going\n");
}
