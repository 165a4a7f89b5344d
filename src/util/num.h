/* src/util/num.h
 *
 * Numbers from text, and integer arithmetic that can't overflow in silence. */
#ifndef DM_UTIL_NUM_H
#define DM_UTIL_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number at the front of text: digits, one point, an exponent; a sign. No nan, inf, hex, or locale.
 * `_` may group digits ("128_256"). Returns the bytes used, 0 if there is no number. What is beyond a double becomes
 * the largest one, so that the caller's range refuses it. */
size_t dm_num_parse(const char *text, size_t len, double *out);

/* The whole of text as an integer; "4e6" and "2.0" count when they are whole, and what is beyond 2^53 becomes 2^53.
 * False if it is none. */
bool dm_num_parse_int(const char *text, size_t len, int64_t *out);

/* *out = a * b or a + b; false on overflow or a negative operand, out untouched. */
bool dm_num_mul(int64_t a, int64_t b, int64_t *out);

/* Ceiling of a / b for a >= 0, b > 0. */
static inline int64_t dm_num_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static inline double dm_num_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double dm_num_max(double a, double b)
{
    return a > b ? a : b;
}

/* Shortest decimal that reads back as the same double, but whole numbers below a million in full (20, not 2e+01). */
enum { DM_NUM_TEXT_MAX = 32 };
void dm_num_format(double value, char out[DM_NUM_TEXT_MAX]);

#endif
