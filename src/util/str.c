/* src/util/str.c
 *
 * Strings: see the header. */
#include "util/str.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dm_slice_is(dm_slice slice, const char *text)
{
    return strlen(text) == slice.len && memcmp(slice.at, text, slice.len) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

dm_slice dm_slice_trim(dm_slice slice)
{
    while (slice.len > 0 && is_space(slice.at[0])) {
        slice.at++;
        slice.len--;
    }
    while (slice.len > 0 && is_space(slice.at[slice.len - 1]))
        slice.len--;
    return slice;
}

size_t dm_utf8_len(const char *text, size_t len)
{
    /* The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences"; bytes after the second are 80..bf. */
    static const struct {
        unsigned char first_lo, first_hi, second_lo, second_hi, len;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *at = (const unsigned char *)text;

    if (len > 0 && at[0] < 0x80)
        return 1;
    for (size_t i = 0; len > 0 && i < sizeof forms / sizeof forms[0]; i++) {
        if (at[0] < forms[i].first_lo || at[0] > forms[i].first_hi)
            continue;
        if (len < forms[i].len || at[1] < forms[i].second_lo || at[1] > forms[i].second_hi)
            return 0;
        for (size_t j = 2; j < forms[i].len; j++)
            if ((at[j] & 0xc0u) != 0x80u)
                return 0;
        return forms[i].len;
    }
    return 0;
}

int dm_slice_shown(dm_slice slice)
{
    enum { SHOWN_MAX = 60 };
    size_t n = slice.len;

    if (n > SHOWN_MAX)
        for (n = SHOWN_MAX; n > 0 && ((unsigned char)slice.at[n] & 0xC0u) == 0x80u;)
            n--;
    return (int)n;
}

static bool grow(dm_str *str, size_t need)
{
    if (str->failed || need > SIZE_MAX / 4)
        return false;
    if (need <= str->size)
        return true;

    size_t size = str->size != 0 ? str->size : 256;
    while (size < need)
        size *= 2;
    char *text = realloc(str->text, size);
    if (text == NULL) {
        str->failed = true;
        return false;
    }
    str->text = text;
    str->size = size;
    return true;
}

void dm_str_add_n(dm_str *str, const char *text, size_t len)
{
    if (!grow(str, str->len + len + 1))
        return;
    if (len > 0)
        memcpy(str->text + str->len, text, len);
    str->len += len;
    str->text[str->len] = '\0';
}

void dm_str_add(dm_str *str, const char *text)
{
    dm_str_add_n(str, text, strlen(text));
}

void dm_str_addf(dm_str *str, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && grow(str, str->len + (size_t)n + 1)) {
        (void)vsnprintf(str->text + str->len, (size_t)n + 1, format, again);
        str->len += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void dm_str_fini(dm_str *str)
{
    free(str->text);
    *str = (dm_str){0};
}

enum { NAME_MAX_LEN = 64, STEP = 2, FAR = 1000 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Restricted Damerau-Levenshtein distance: three rows of the usual table. A change of case costs one half step. */
int dm_str_distance(dm_slice a, const char *b)
{
    int row[3][NAME_MAX_LEN + 1];
    const size_t n = strlen(b);

    if (a.len > NAME_MAX_LEN || n > NAME_MAX_LEN)
        return FAR;
    for (size_t j = 0; j <= n; j++)
        row[0][j] = (int)j * STEP;
    for (size_t i = 1; i <= a.len; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];
        now[0] = (int)i * STEP;
        for (size_t j = 1; j <= n; j++) {
            const char x = a.at[i - 1], y = b[j - 1];
            const int swap = x == y ? 0 : lower(x) == lower(y) ? STEP / 2 : STEP;
            now[j] = min3(before[j] + STEP, now[j - 1] + STEP, before[j - 1] + swap);
            if (i > 1 && j > 1 && x == b[j - 2] && a.at[i - 2] == y && now[j] > before2[j - 2] + STEP)
                now[j] = before2[j - 2] + STEP;
        }
    }
    return row[a.len % 3][n];
}

dm_nearest dm_nearest_start(dm_slice wanted)
{
    /* Up to a third of the letters may differ; beyond that a hint misleads. */
    return (dm_nearest){.wanted = wanted,
                        .distance = wanted.len <= NAME_MAX_LEN ? (int)(wanted.len * STEP / 3) + STEP : 0};
}

void dm_nearest_offer(dm_nearest *nearest, const char *name)
{
    const int distance = dm_str_distance(nearest->wanted, name);

    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

const char *dm_nearest_text(const dm_nearest *nearest, char out[DM_NEAREST_TEXT_MAX])
{
    out[0] = '\0';
    if (nearest->name != NULL)
        (void)snprintf(out, DM_NEAREST_TEXT_MAX, "; did you mean '%s'?", nearest->name);
    return out;
}
