/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the manager naps, by what came in the naps before.
 */
#include "fcmanager/base/naps.h"

static void adapt(FcNaps *naps, gboolean is_streamed, guint times, gsize came)
{
    while (times-- > 0)
        fc_naps_adapt(naps, is_streamed, came);
}

static void test_cached(void)
{
    FcNaps naps;
    fc_naps_begin(&naps, FALSE);
    adapt(&naps, FALSE, 10, 1);
    g_assert_cmpint(naps.ns, ==, 50000);
    adapt(&naps, FALSE, 2, 0);
    g_assert_cmpint(naps.ns, ==, 200000);
    adapt(&naps, FALSE, 10, 0);
    g_assert_cmpint(naps.ns, ==, 400000);
    adapt(&naps, FALSE, 1, 1); /* few come: there is time */
    g_assert_cmpint(naps.ns, ==, 400000);
    adapt(&naps, FALSE, 1, 2);
    g_assert_cmpint(naps.ns, ==, 50000);
    fc_naps_shorten(&naps, FALSE);
    g_assert_cmpint(naps.ns, ==, 50000);
}

static void test_streamed(void)
{
    FcNaps naps;
    fc_naps_begin(&naps, FALSE);
    adapt(&naps, TRUE, 1, 4);
    g_assert_cmpint(naps.ns, ==, 100000);
    adapt(&naps, TRUE, 10, 15);
    g_assert_cmpint(naps.ns, ==, 800000);
    adapt(&naps, TRUE, 10, 20);
    g_assert_cmpint(naps.ns, ==, 800000);
    adapt(&naps, TRUE, 1, 27);
    g_assert_cmpint(naps.ns, ==, 400000);
    adapt(&naps, TRUE, 10, 100);
    g_assert_cmpint(naps.ns, ==, 50000);
    adapt(&naps, TRUE, 10, 4);
    adapt(&naps, TRUE, 1, 0); /* in vain no longer than elsewhere */
    g_assert_cmpint(naps.ns, ==, 400000);
}

/* Half of the one that was too long, whatever the longest is, and no longer from then on. */
static void test_shortened(void)
{
    FcNaps naps;
    fc_naps_begin(&naps, FALSE);
    adapt(&naps, TRUE, 2, 4);
    g_assert_cmpint(naps.ns, ==, 200000);
    fc_naps_shorten(&naps, TRUE);
    g_assert_cmpint(naps.ns, ==, 100000);
    adapt(&naps, TRUE, 10, 4);
    g_assert_cmpint(naps.ns, ==, 100000);
    for (guint i = 0; i < 10; i++)
        fc_naps_shorten(&naps, TRUE);
    adapt(&naps, TRUE, 10, 4);
    g_assert_cmpint(naps.ns, ==, 50000);
    fc_naps_begin(&naps, FALSE);
    adapt(&naps, TRUE, 10, 4);
    g_assert_cmpint(naps.ns, ==, 800000);
}

static void test_beside_others(void)
{
    FcNaps naps;
    fc_naps_begin(&naps, TRUE);
    adapt(&naps, TRUE, 10, 4);
    g_assert_cmpint(naps.ns, ==, 200000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/naps/cached", test_cached);
    g_test_add_func("/naps/streamed", test_streamed);
    g_test_add_func("/naps/shortened", test_shortened);
    g_test_add_func("/naps/beside-others", test_beside_others);
    return g_test_run();
}
