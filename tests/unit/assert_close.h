/* tests/unit/assert_close.h
 *
 * The assertion that cmocka lacks: two doubles within a relative tolerance. NaN is never close. */
#ifndef DM_TESTS_ASSERT_CLOSE_H
#define DM_TESTS_ASSERT_CLOSE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <math.h>

static inline void assert_close_at(double got, double want, double rel, const char *what, const char *file, int line)
{
    if (!(fabs(got - want) <= rel * fabs(want))) {
        print_error("%s:%d: %s is %.17g, %.17g is wanted (within %g)\n", file, line, what, got, want, rel);
        _fail(file, line);
    }
}

#define assert_close(got, want, rel) assert_close_at(got, want, rel, #got, __FILE__, __LINE__)

#endif
