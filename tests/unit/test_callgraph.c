/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Unit tests of model/callgraph.c: arcs from call sites, cycles and reachability,
 * by hand and against a plain closure of the same relation on random graphs.
 */
#include "model/callgraph.h"

#include <string.h>

static void test_arcs(void)
{
    const guint64 totals[] = {100, 60, 30};
    const FcCallSite sites[] = {
        {1, 2, 0, 10, 2, 15}, {0, 1, 0, 11, 1, 20}, {FC_NONE, 0, 0, 12, 1, 100},
        {0, 1, 0, 13, 3, 40}, {1, 2, 7, 14, 1, 5},
    };
    g_autoptr(FcCallgraph) graph = fc_callgraph_new(totals, 3, sites, G_N_ELEMENTS(sites));
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(graph, &count);
    g_assert_cmpuint(count, ==, 4);
    g_assert_cmpint(arcs[0].caller, ==, FC_NONE);
    g_assert_cmpuint(arcs[0].total_ns, ==, 100);

    const FcArc *callees = fc_callgraph_callees(graph, 0, &count);
    g_assert_cmpuint(count, ==, 1);
    g_assert_cmpuint(callees[0].calls, ==, 4);
    g_assert_cmpuint(callees[0].total_ns, ==, 60);
    g_assert_false(callees[0].at_most);
    g_assert_cmpuint(callees[0].site_count, ==, 2);
    g_assert_cmpuint(callees[0].sites[0].tag, ==, 11); /* in the order given */
    g_assert_cmpuint(callees[0].sites[1].tag, ==, 13);

    /* The same two functions, but by way of another one: an arc of its own. */
    callees = fc_callgraph_callees(graph, 1, &count);
    g_assert_cmpuint(count, ==, 2);
    g_assert_cmpuint(callees[0].via, ==, 0);
    g_assert_cmpuint(callees[1].via, ==, 7);
    fc_callgraph_callees(graph, 2, &count);
    g_assert_cmpuint(count, ==, 0);
    fc_callgraph_callees(graph, FC_NONE, &count);
    g_assert_cmpuint(count, ==, 1);

    const FcArc *const *callers = fc_callgraph_callers(graph, 2, &count);
    g_assert_cmpuint(count, ==, 2);
    g_assert_cmpuint(callers[0]->calls + callers[1]->calls, ==, 3);
    callers = fc_callgraph_callers(graph, 0, &count);
    g_assert_cmpuint(count, ==, 1);
    g_assert_cmpint(callers[0]->caller, ==, FC_NONE);
    g_assert_cmpuint(fc_callgraph_cycle_count(graph), ==, 0);
}

/* Two call sites of one arc add up where they can't be active at once; else their sum
 * is cut to what both functions took. */
static void test_nesting_sites(void)
{
    const guint64 totals[] = {100, 80, 70};
    const FcCallSite sites[] = {
        {0, 1, 0, 0, 1, 50}, {0, 1, 0, 0, 1, 30}, /* into the cycle: they never nest */
        {1, 2, 0, 0, 1, 60}, {1, 2, 0, 0, 1, 40}, /* within it: at most 70 */
        {2, 1, 0, 0, 1, 55},                      /* one site: as measured */
        {1, 1, 0, 0, 1, 45}, {1, 1, 0, 0, 9, 0},  /* another site that took no time */
        {2, 2, 0, 0, 1, 20}, {2, 2, 0, 0, 1, 25}, /* below the bound: still no more than that */
    };
    g_autoptr(FcCallgraph) graph = fc_callgraph_new(totals, 3, sites, G_N_ELEMENTS(sites));
    static const struct
    {
        gint caller;
        guint callee;
        guint64 total_ns;
        gboolean at_most;
    } expected[] = {
        {0, 1, 80, FALSE}, {1, 1, 45, FALSE}, {1, 2, 70, TRUE}, {2, 1, 55, FALSE}, {2, 2, 45, TRUE},
    };
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(graph, &count);
    g_assert_cmpuint(count, ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < count; i++)
    {
        g_assert_cmpint(arcs[i].caller, ==, expected[i].caller);
        g_assert_cmpuint(arcs[i].callee, ==, expected[i].callee);
        g_assert_cmpuint(arcs[i].total_ns, ==, expected[i].total_ns);
        g_assert_cmpint(arcs[i].at_most, ==, expected[i].at_most);
    }
    g_assert_true(fc_callgraph_is_recursive(graph, 1));
    g_assert_false(fc_callgraph_is_recursive(graph, 0));
}

static void test_empty(void)
{
    g_autoptr(FcCallgraph) graph = fc_callgraph_new(NULL, 0, NULL, 0);
    guint count = 1;
    fc_callgraph_arcs(graph, &count);
    g_assert_cmpuint(count, ==, 0);
    fc_callgraph_callees(graph, FC_NONE, &count);
    g_assert_cmpuint(count, ==, 0);
    g_assert_cmpuint(fc_callgraph_cycle_count(graph), ==, 0);
}

/* ---- Against a closure --------------------------------------------------------- */

#define FUNCTIONS_MAX 24

typedef gboolean Relation[FUNCTIONS_MAX][FUNCTIONS_MAX];

static void close_relation(Relation reach, guint functions)
{
    for (guint k = 0; k < functions; k++)
        for (guint i = 0; i < functions; i++)
            for (guint j = 0; j < functions; j++)
                reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
}

static void check_cycles(const FcCallgraph *graph, Relation reach, guint functions)
{
    guint members = 0;
    guint listed = 0;
    for (guint i = 0; i < functions; i++)
    {
        gboolean in_cycle = FALSE;
        for (guint j = 0; j < functions; j++)
        {
            gboolean together = i != j && reach[i][j] && reach[j][i];
            guint cycle = fc_callgraph_cycle_of(graph, i);
            in_cycle = in_cycle || together;
            if (i != j)
                g_assert_cmpint(cycle != 0 && cycle == fc_callgraph_cycle_of(graph, j), ==,
                                together);
        }
        g_assert_cmpint(fc_callgraph_cycle_of(graph, i) != 0, ==, in_cycle);
        members += in_cycle;
    }
    guint lowest = 0;
    for (guint cycle = 1; cycle <= fc_callgraph_cycle_count(graph); cycle++)
    {
        guint count;
        const guint *list = fc_callgraph_cycle_members(graph, cycle, &count);
        g_assert_cmpuint(count, >, 1);
        g_assert_true(cycle == 1 || list[0] > lowest); /* numbered by their lowest */
        lowest = list[0];
        for (guint i = 0; i < count; i++)
            g_assert_cmpuint(fc_callgraph_cycle_of(graph, list[i]), ==, cycle);
        listed += count;
    }
    g_assert_cmpuint(listed, ==, members);
}

static void check_spread(const FcCallgraph *graph, Relation reach, guint functions)
{
    guint seed = (guint)g_test_rand_int_range(0, (gint)functions);
    gboolean down[FUNCTIONS_MAX] = {FALSE};
    gboolean up[FUNCTIONS_MAX] = {FALSE};
    down[seed] = up[seed] = TRUE;
    fc_callgraph_spread(graph, down, FC_SPREAD_CALLEES);
    fc_callgraph_spread(graph, up, FC_SPREAD_CALLERS);
    for (guint i = 0; i < functions; i++)
    {
        g_assert_cmpint(down[i], ==, i == seed || reach[seed][i]);
        g_assert_cmpint(up[i], ==, i == seed || reach[i][seed]);
    }
}

static void test_random(void)
{
    for (guint round = 0; round < 2000; round++)
    {
        Relation reach = {{FALSE}};
        guint64 totals[FUNCTIONS_MAX] = {0};
        FcCallSite sites[2 * FUNCTIONS_MAX];
        guint functions = (guint)g_test_rand_int_range(1, FUNCTIONS_MAX + 1);
        guint count = (guint)g_test_rand_int_range(0, (gint)(2 * functions) + 1);
        for (guint i = 0; i < count; i++)
        {
            gint caller = g_test_rand_int_range(-1, (gint)functions);
            guint callee = (guint)g_test_rand_int_range(0, (gint)functions);
            sites[i] = (FcCallSite){.caller = caller, .callee = callee, .calls = 1};
            if (caller != FC_NONE)
                reach[caller][callee] = TRUE;
        }
        close_relation(reach, functions);
        g_autoptr(FcCallgraph) graph = fc_callgraph_new(totals, functions, sites, count);
        check_cycles(graph, reach, functions);
        check_spread(graph, reach, functions);
    }
}

/* A ring of a million functions: no recursion on the machine's stack. */
static void test_large(void)
{
    const guint functions = 1000000;
    g_autofree guint64 *totals = g_new0(guint64, functions);
    g_autofree FcCallSite *sites = g_new0(FcCallSite, functions);
    g_autofree gboolean *set = g_new0(gboolean, functions);
    guint count;
    for (guint i = 0; i < functions; i++)
        sites[i] = (FcCallSite){.caller = (gint)i, .callee = (i + 1) % functions, .calls = 1};
    g_autoptr(FcCallgraph) graph = fc_callgraph_new(totals, functions, sites, functions);
    g_assert_cmpuint(fc_callgraph_cycle_count(graph), ==, 1);
    fc_callgraph_cycle_members(graph, 1, &count);
    g_assert_cmpuint(count, ==, functions);
    set[functions / 2] = TRUE;
    fc_callgraph_spread(graph, set, FC_SPREAD_CALLERS);
    for (guint i = 0; i < functions; i++)
        g_assert_true(set[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/callgraph/arcs", test_arcs);
    g_test_add_func("/callgraph/nesting-sites", test_nesting_sites);
    g_test_add_func("/callgraph/empty", test_empty);
    g_test_add_func("/callgraph/random", test_random);
    g_test_add_func("/callgraph/large", test_large);
    return g_test_run();
}
