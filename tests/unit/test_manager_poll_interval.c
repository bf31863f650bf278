/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the manager interval, by what came in the interval before.
 */
#include "fcmanager/base/poll-interval.h"

static void adapt(FcPollInterval *interval, gboolean is_streamed, guint times, gsize came)
{
    while (times-- > 0)
        fc_poll_interval_adapt(interval, is_streamed, came);
}

static void test_cached(void)
{
    FcPollInterval interval;
    fc_poll_interval_begin(&interval, FALSE);
    adapt(&interval, FALSE, 10, 1);
    g_assert_cmpint(interval.ns, ==, 50000);
    adapt(&interval, FALSE, 2, 0);
    g_assert_cmpint(interval.ns, ==, 200000);
    adapt(&interval, FALSE, 10, 0);
    g_assert_cmpint(interval.ns, ==, 400000);
    adapt(&interval, FALSE, 1, 1); /* few come: there is time */
    g_assert_cmpint(interval.ns, ==, 400000);
    adapt(&interval, FALSE, 1, 2);
    g_assert_cmpint(interval.ns, ==, 50000);
    fc_poll_interval_shorten(&interval, FALSE);
    g_assert_cmpint(interval.ns, ==, 50000);
}

static void test_streamed(void)
{
    FcPollInterval interval;
    fc_poll_interval_begin(&interval, FALSE);
    adapt(&interval, TRUE, 1, 4);
    g_assert_cmpint(interval.ns, ==, 100000);
    adapt(&interval, TRUE, 10, 15);
    g_assert_cmpint(interval.ns, ==, 800000);
    adapt(&interval, TRUE, 10, 20);
    g_assert_cmpint(interval.ns, ==, 800000);
    adapt(&interval, TRUE, 1, 27);
    g_assert_cmpint(interval.ns, ==, 400000);
    adapt(&interval, TRUE, 10, 100);
    g_assert_cmpint(interval.ns, ==, 50000);
    adapt(&interval, TRUE, 10, 4);
    adapt(&interval, TRUE, 1, 0); /* in vain no longer than elsewhere */
    g_assert_cmpint(interval.ns, ==, 400000);
}

/* Half of the one that was too long, whatever the longest is, and no longer from then on. */
static void test_shortened(void)
{
    FcPollInterval interval;
    fc_poll_interval_begin(&interval, FALSE);
    adapt(&interval, TRUE, 2, 4);
    g_assert_cmpint(interval.ns, ==, 200000);
    fc_poll_interval_shorten(&interval, TRUE);
    g_assert_cmpint(interval.ns, ==, 100000);
    adapt(&interval, TRUE, 10, 4);
    g_assert_cmpint(interval.ns, ==, 100000);
    for (guint i = 0; i < 10; i++)
        fc_poll_interval_shorten(&interval, TRUE);
    adapt(&interval, TRUE, 10, 4);
    g_assert_cmpint(interval.ns, ==, 50000);
    fc_poll_interval_begin(&interval, FALSE);
    adapt(&interval, TRUE, 10, 4);
    g_assert_cmpint(interval.ns, ==, 800000);
}

static void test_beside_others(void)
{
    FcPollInterval interval;
    fc_poll_interval_begin(&interval, TRUE);
    adapt(&interval, TRUE, 10, 4);
    g_assert_cmpint(interval.ns, ==, 200000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/interval/cached", test_cached);
    g_test_add_func("/interval/streamed", test_streamed);
    g_test_add_func("/interval/shortened", test_shortened);
    g_test_add_func("/interval/beside-others", test_beside_others);
    return g_test_run();
}
