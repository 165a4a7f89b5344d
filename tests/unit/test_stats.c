/* tests/unit/test_stats.c */
#include "text_fixture.h"

#include "util/stats.h"

static void the_mean_is_the_sum_over_the_number(void **state)
{
    static const double values[] = {1, 2, 4, 9};

    (void)state;
    assert_close(dm_stats_mean(values, 4), 4, 1e-15);
    assert_close(dm_stats_mean(values, 1), 1, 0);
}

static void sorting_is_ascending(void **state)
{
    double values[] = {3, -1, 2, 2, 0};
    static const double sorted[] = {-1, 0, 2, 2, 3};

    (void)state;
    dm_stats_sort(values, 5);
    for (int i = 0; i < 5; i++)
        assert_close(values[i], sorted[i], 0);
}

/* Quantile q of n values lies at (n - 1) q, counted from 0, linear between neighbours. Of 10, 20, 40, 80:
 * q = 0.5 at 1.5: 20 + 0.5 * 20 = 30; q = 0.9 at 2.7: 40 + 0.7 * 40 = 68; q = 0.1 at 0.3: 10 + 0.3 * 10 = 13. */
static void a_quantile_is_linear_between_neighbours(void **state)
{
    static const double sorted[] = {10, 20, 40, 80};

    (void)state;
    assert_close(dm_stats_quantile(sorted, 4, 0), 10, 0);
    assert_close(dm_stats_quantile(sorted, 4, 0.1), 13, 1e-15);
    assert_close(dm_stats_quantile(sorted, 4, 0.5), 30, 1e-15);
    assert_close(dm_stats_quantile(sorted, 4, 0.9), 68, 1e-15);
    assert_close(dm_stats_quantile(sorted, 4, 1), 80, 0);
    assert_close(dm_stats_quantile(sorted, 1, 0.9), 10, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_the_sum_over_the_number),
        cmocka_unit_test(sorting_is_ascending),
        cmocka_unit_test(a_quantile_is_linear_between_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
