/* src/util/num.c
 *
 * The one place that calls strtod: it takes nan, inf, hex and a locale's comma, so only what was already seen to be a
 * plain decimal reaches it, with the program's locale left at "C". */
#include "util/num.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "0x10" and "3.3.5" begin like numbers and are none. */
static bool goes_on(char c)
{
    return c == 'x' || c == 'X' || c == '.' || c == ',' || c == '_' || is_digit(c);
}

/* Length of [sign] digits [. digits] [e [sign] digits] at the front of text; 0 if there is none. */
static size_t scan_number(const char *text, size_t len)
{
    size_t i = 0, digit_n = 0;

    if (i < len && (text[i] == '-' || text[i] == '+'))
        i++;
    for (; i < len && (is_digit(text[i]) || (text[i] == '_' && digit_n > 0)); i++)
        digit_n++;
    if (i < len && text[i] == '.')
        for (i++; i < len && is_digit(text[i]); i++)
            digit_n++;
    if (digit_n == 0)
        return 0;

    if (i < len && (text[i] == 'e' || text[i] == 'E')) {
        size_t j = i + 1;
        if (j < len && (text[j] == '-' || text[j] == '+'))
            j++;
        if (j < len && is_digit(text[j])) {
            while (j < len && is_digit(text[j]))
                j++;
            i = j;
        }
    }
    return i < len && goes_on(text[i]) ? 0 : i;
}

size_t dm_num_parse(const char *text, size_t len, double *out)
{
    enum { DIGITS_MAX = 400 };
    char plain[DIGITS_MAX];
    const size_t used = scan_number(text, len);
    size_t n = 0;

    if (used == 0)
        return 0;
    if (used >= DIGITS_MAX) { /* no range holds what takes so many digits */
        *out = text[0] == '-' ? -DBL_MAX : DBL_MAX;
        return used;
    }
    for (size_t i = 0; i < used; i++)
        if (text[i] != '_')
            plain[n++] = text[i];
    plain[n] = '\0';

    const double value = strtod(plain, NULL);
    *out = isfinite(value) ? value : copysign(DBL_MAX, value);
    return used;
}

bool dm_num_parse_int(const char *text, size_t len, int64_t *out)
{
    double value;

    if (dm_num_parse(text, len, &value) != len || len == 0)
        return false;
    if (value != floor(value))
        return false;
    /* Above 2^53 a double no longer tells neighbours apart; no shape is that large. */
    *out = (int64_t)fmax(fmin(value, 9007199254740992.0), -9007199254740992.0);
    return true;
}

bool dm_num_mul(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b < 0 || (b != 0 && a > INT64_MAX / b))
        return false;
    *out = a * b;
    return true;
}

void dm_num_format(double value, char out[DM_NUM_TEXT_MAX])
{
    if (fabs(value) < 1e6 && value == floor(value)) {
        (void)snprintf(out, DM_NUM_TEXT_MAX, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(out, DM_NUM_TEXT_MAX, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}
