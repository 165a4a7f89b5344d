/* src/util/err.c
 *
 * Error records, and the excerpt of the offending line that goes with them. */
#include "util/err.h"

#include <stdio.h>
#include <string.h>

const char *dm_status_text(dm_status status)
{
#define TEXT(name, text) text,
    static const char *const texts[] = {DM_STATUS_LIST(TEXT)};
#undef TEXT

    return (unsigned)status < DM_STATUS_N ? texts[status] : "unknown status";
}

static bool is_continuation_byte(char c)
{
    return ((unsigned char)c & 0xC0u) == 0x80u;
}

/* What a file holds must not steer the terminal that shows the message, nor leave it with half a character. */
static void make_printable(char *text)
{
    size_t left = strlen(text), n;

    for (; left > 0; text += n, left -= n) {
        n = dm_utf8_len(text, left);
        if (n == 1 && ((unsigned char)*text < 0x20 || *text == 0x7f))
            *text = ' ';
        else if (n == 0)
            *text = '?';
        else if (n == 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0)
            memcpy(text, "\xc2\xa0", 2); /* U+0080 to U+009F steer terminals too: a blank of the same width */
        n = n > 0 ? n : 1;
    }
}

/* Bytes of a line before its column `col`. */
static size_t bytes_before(const char *line, size_t len, int col)
{
    size_t at = 0;

    for (int i = 1; i < col && at < len; i++) {
        at++;
        while (at < len && is_continuation_byte(line[at]))
            at++;
    }
    return at;
}

/* Copies the line, cut to the record's size. A long line is cut at the front too, so that the caret is in view. */
static void copy_excerpt(dm_err *err, const char *line, size_t len, int col)
{
    enum { LEAD = 60 };
    const bool far = bytes_before(line, len, col) >= sizeof err->excerpt - LEAD && col > LEAD;
    const int skipped_n = far ? col - LEAD : 0;
    const size_t start = bytes_before(line, len, skipped_n + 1);

    size_t n = len - start;
    if (n > sizeof err->excerpt - 1)
        n = sizeof err->excerpt - 1;
    while (n > 0 && start + n < len && is_continuation_byte(line[start + n]))
        n--;
    memcpy(err->excerpt, line + start, n);
    err->excerpt[n] = '\0';
    for (char *nul = err->excerpt; (nul = memchr(nul, '\0', (size_t)(err->excerpt + n - nul))) != NULL;)
        *nul = ' ';
    make_printable(err->excerpt);
    err->excerpt_col = col - skipped_n;
}

static void set_excerpt(dm_err *err, const dm_source *source, int line, int col)
{
    static const char bom[] = "\xef\xbb\xbf";
    const char *at = source->text;

    err->excerpt[0] = '\0';
    err->excerpt_col = 0;
    if (at == NULL || line < 1)
        return;
    const char *end = at + source->len;
    if (source->len >= sizeof bom - 1 && memcmp(at, bom, sizeof bom - 1) == 0)
        at += sizeof bom - 1; /* columns do not count it, and terminals do not show it */
    for (int i = 1; i < line; i++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        if (nl == NULL)
            return;
        at = nl + 1;
    }

    const char *nl = memchr(at, '\n', (size_t)(end - at));
    size_t len = (size_t)((nl != NULL ? nl : end) - at);
    if (len > 0 && at[len - 1] == '\r')
        len--;
    copy_excerpt(err, at, len, col);
}

static int code_points(const char *text, size_t len)
{
    int n = 0;

    for (size_t i = 0; i < len; i++)
        n += !is_continuation_byte(text[i]);
    return n;
}

dm_place dm_slice_place(const char *text, dm_slice slice)
{
    const int width = code_points(slice.at, slice.len);

    return (dm_place){1, code_points(text, (size_t)(slice.at - text)) + 1, width > 0 ? width : 1};
}

dm_status dm_fail(dm_err *err, dm_status status, const char *format, ...)
{
    va_list args;

    *err = (dm_err){.status = status};
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    make_printable(err->message);
    return status;
}

dm_status dm_fail_at(dm_err *err, dm_status status, const dm_source *source, dm_place place, const char *format, ...)
{
    va_list args;

    *err = (dm_err){.status = status, .line = place.line, .col = place.col, .width = place.width};
    (void)snprintf(err->path, sizeof err->path, "%s", source->path);
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    make_printable(err->message);
    set_excerpt(err, source, place.line, place.col);
    return status;
}

dm_status dm_fail_memory(dm_err *err)
{
    return dm_fail(err, DM_ERR_MEMORY, "out of memory");
}
