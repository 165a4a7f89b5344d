/* tests/unit/test_rng.c */
#include "text_fixture.h"

#include "util/rng.h"

static dm_rng *start(uint32_t seed)
{
    dm_rng *rng = dm_rng_new(seed);

    assert_non_null(rng);
    return rng;
}

/* MT19937 with seed 5489 gives 3499211612 first (mt19937ar.out's generator, Matsumoto & Nishimura) and 4123659995 as
 * its 10,000th (ISO C++, [rand.predef], of the same seed); a draw from [0, 1) is that over 2^32. */
static void the_generator_is_the_mersenne_twister(void **state)
{
    dm_rng *rng = start(5489);
    double draw = dm_rng_uniform(rng, 0, 1);

    (void)state;
    assert_close(draw, 3499211612.0 / 4294967296.0, 0);
    for (int i = 1; i < 10000; i++)
        draw = dm_rng_uniform(rng, 0, 1);
    assert_close(draw, 4123659995.0 / 4294967296.0, 0);
    dm_rng_free(rng);
}

static void a_seed_repeats_and_another_differs(void **state)
{
    dm_rng *a = start(7), *b = start(7), *c = start(8);
    int same = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        const double draw = dm_rng_uniform(a, 0, 1);
        assert_close(dm_rng_uniform(b, 0, 1), draw, 0);
        same += !(fabs(dm_rng_uniform(c, 0, 1) - draw) > 0);
    }
    assert_in_range(same, 0, 2);
    dm_rng_free(a);
    dm_rng_free(b);
    dm_rng_free(c);
    dm_rng_free(NULL);
}

static void draws_stay_within_their_bounds_and_reach_them(void **state)
{
    dm_rng *rng = start(3);
    int64_t least = INT64_MAX, most = INT64_MIN, log_least = INT64_MAX, log_most = INT64_MIN;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        const double x = dm_rng_uniform(rng, -2, 3);
        const int64_t n = dm_rng_int(rng, -3, 4), m = dm_rng_log_int(rng, 2, 40);
        assert_true(x >= -2 && x < 3);
        least = n < least ? n : least;
        most = n > most ? n : most;
        log_least = m < log_least ? m : log_least;
        log_most = m > log_most ? m : log_most;
    }
    assert_int_equal(least, -3);
    assert_int_equal(most, 4);
    assert_int_equal(log_least, 2);
    assert_int_equal(log_most, 40);
    assert_int_equal(dm_rng_int(rng, 5, 5), 5);
    assert_int_equal(dm_rng_log_int(rng, 1, 1), 1);
    dm_rng_free(rng);
}

/* Between 1 and 1023 in the logarithm, a tenth of the draws falls in each of the ten octaves: below 32, half. */
static void shapes_are_even_in_the_logarithm(void **state)
{
    enum { N = 100000 };
    dm_rng *rng = start(4);
    int below = 0;

    (void)state;
    for (int i = 0; i < N; i++)
        below += dm_rng_log_int(rng, 1, 1023) < 32;
    assert_close((double)below / N, 0.5, 0.02);
    dm_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_the_mersenne_twister),
        cmocka_unit_test(a_seed_repeats_and_another_differs),
        cmocka_unit_test(draws_stay_within_their_bounds_and_reach_them),
        cmocka_unit_test(shapes_are_even_in_the_logarithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
