/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far the costs of hooks are said to be wrong, with figures worked out by hand and with some
 * that real programs had.
 */
#include "model/costs.h"

#include <math.h>

static void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-6 * expected)
        g_error("%.12g in place of %.12g", found, expected);
}

static void test_shares(void)
{
    const guint64 costs_ps[FC_PROFILE_COSTS] = {20000, 8000, 4000, 3000, 5000, 4500};
    /* Of recorded calls alone: a quarter. */
    assert_near(fc_costs_error_ns(costs_ps, 20e6, 0), 5e6);
    /* Of counted ones alone as much again as in the dearest shape. */
    assert_near(fc_costs_error_ns(costs_ps, 3e6, 1e6), 5e6);
    /* Half a million recorded ones, 10 ms, and a million counted ones, 3 to 5. */
    assert_near(fc_costs_error_ns(costs_ps, 13e6, 1e6), 5e6 + 2.5e6);
    /* Less was taken off than the counted ones cost, as no time becomes negative. */
    assert_near(fc_costs_error_ns(costs_ps, 1e6, 1e6), 5e6);
    /* Nothing was measured. */
    const guint64 unknown[FC_PROFILE_COSTS] = {0};
    g_assert_cmpfloat(fc_costs_error_ns(unknown, 0, 1e6), ==, 0);
}

/* With more calls, and with dearer ones, never less. */
static void test_order(void)
{
    guint64 costs_ps[FC_PROFILE_COSTS] = {20000, 8000, 4000, 3000, 5000, 4500};
    double before = 0;
    for (guint millions = 0; millions < 10; millions++)
    {
        const double error = fc_costs_error_ns(costs_ps, 50e6, 1e6 * millions);
        g_assert_cmpfloat(error, >, before);
        before = error;
    }
    costs_ps[5] = 9900;
    g_assert_cmpfloat(fc_costs_error_ns(costs_ps, 50e6, 9e6), >, before);
}

/* Runs of tests/bench/table.py's group `plain` of 2026-11-22: what the header predicted beyond what
 * the plain run took is within the error. */
static void test_real(void)
{
    static const struct
    {
        guint64 costs_ps[FC_PROFILE_COSTS];
        double cost_ns;
        double counted;
        double off_ns;
    } runs[] = {
        {{17836, 9500, 4703, 3669, 4869, 4191}, 115.1e6, 22526374, 77.4e6}, /* Lua */
        {{17796, 9500, 4726, 3671, 4796, 4203}, 115.5e6, 22541184, 81.3e6},
    };
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++)
        g_assert_cmpfloat(fc_costs_error_ns(runs[i].costs_ps, runs[i].cost_ns, runs[i].counted), >,
                          runs[i].off_ns);
}
int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/costs/shares", test_shares);
    g_test_add_func("/costs/order", test_order);
    g_test_add_func("/costs/real", test_real);
    return g_test_run();
}
