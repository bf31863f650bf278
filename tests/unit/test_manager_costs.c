/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is taken off for the hooks where it is more than there was: of calls that were counted, by a
 * caller that does next to nothing else.
 */
#include "fcmanager/estimate/counted-attribute.h"
#include "fcmanager/estimate/overhead.h"
#include "tests/unit/manager_fixture.h"

#define CALLS 4000u
#define SAMPLES 50u

/* Ticks. */
#define OF_A_CALL 1u
#define OUTSIDE 10u
#define INSIDE 10u
#define COUNTING 6u
#define EMPTY 2u

/* What libfc measured, in 1/256 ticks. */
static void test_measured(void)
{
    struct FcOverhead measured = {
        .recorded = 50 * 256, .inside = 20 * 256, .counted = 6 * 256 + 128};
    FcCallOverhead costs = fc_overhead_of(&measured);
    g_assert_cmpfloat(costs.recorded, ==, 50);
    g_assert_cmpfloat(costs.inside, ==, 20);
    g_assert_cmpfloat(costs.counted, ==, 6.5);
    g_assert_cmpfloat(costs.after_inlining, ==, 6.5);
    measured.after_inlining = 3 * 256;
    measured.inside = 60 * 256; /* inconsistent, as it was disturbed */
    costs = fc_overhead_of(&measured);
    g_assert_cmpfloat(costs.inside, ==, 50);
    g_assert_cmpfloat(costs.after_inlining, ==, 3);
}

/* The module that all functions are in. */
static void load(FcFixture *fixture)
{
    const struct FcModuleInfo info = {.start = fc_fixture_address('A'),
                                      .end = fc_fixture_address('z')};
    fc_modules_load(fixture->modules, &info, "/bin/it", 7, 0);
}

/* A calls B, each time from `site` with its frame at `depth`, for so many ticks, and what the hooks
 * took is taken off. */
static void run(FcFixture *fixture, guint64 site, guint depth, guint of_a_call)
{
    fc_fixture_start(fixture);
    load(fixture);
    fc_fixture_enter(fixture, 0, 'A', fc_fixture_site('Y', 0), 1);
    fc_fixture_count(fixture, 0, FC_COUNT_BEGINS, 'B', site, depth);
    guint64 now = 0;
    for (guint i = 0; i < SAMPLES; i++)
    {
        now += (CALLS / SAMPLES - 1) * (of_a_call + COUNTING) + OUTSIDE / 2;
        fc_fixture_count(fixture, now, FC_COUNT_SAMPLE, 'B', site, depth);
        now += INSIDE + of_a_call;
        fc_fixture_leave(fixture, now, 'B', site, depth);
        now += OUTSIDE / 2 + COUNTING;
    }
    fc_fixture_leave(fixture, now, 'A', fc_fixture_site('Y', 0), 1);
    FcCounted *counted = fc_stack_counted(fixture->stack);
    fc_counted_add(counted, fc_counted_find(counted, site, fc_fixture_address('B'), 0), CALLS,
                   FALSE);
    const FcCallOverhead costs = {
        .recorded = OUTSIDE + INSIDE, .inside = INSIDE, .counted = COUNTING, .empty = EMPTY};
    fc_counted_attribute(counted, 0, &costs);
    fc_overhead_subtract(fixture->counts, &costs, NULL);
    fc_counts_sum_functions(fixture->counts);
    g_assert_cmpuint(fc_fixture_function(fixture->counts, 'B')->calls, ==, CALLS);
}

/* B has a call site in A: it takes at least as long as a call of an empty function. */
static void test_called(void)
{
    FcFixture fixture;
    run(&fixture, fc_fixture_site('A', 1), 2, 0);
    const FcCountsFunction *caller = fc_fixture_function(fixture.counts, 'A');
    const FcCountsFunction *callee = fc_fixture_function(fixture.counts, 'B');
    g_assert_cmpuint(callee->local, ==, CALLS * EMPTY);
    g_assert_cmpuint(caller->total, ==, callee->total + caller->local);
    fc_fixture_stop(&fixture);
}

/* B has A's own call site, into which it was inlined: it may take next to nothing, and what is left
 * of A is what it did. */
static void test_inlined(void)
{
    FcFixture fixture;
    run(&fixture, fc_fixture_site('Y', 0), 1, OF_A_CALL);
    const FcCountsFunction *caller = fc_fixture_function(fixture.counts, 'A');
    const gint64 off = (gint64)caller->total - CALLS * OF_A_CALL;
    g_assert_cmpint(ABS(off), <=, SAMPLES * (OUTSIDE / 2 + COUNTING));
    fc_fixture_stop(&fixture);
}

/* A context whose caller is another one than its arc's loses what the arc does. */
static void test_arc_of_another(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    const guint64 site = fc_fixture_site('B', 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'B', fc_fixture_site('A', 0), 1);
    fc_fixture_enter(&f, 20, 'C', site, 2);
    fc_fixture_leave(&f, 50, 'C', site, 2);
    fc_fixture_leave(&f, 60, 'B', fc_fixture_site('A', 0), 1);
    fc_fixture_leave(&f, 70, 'A', 0x99, 0);
    const FcCountsNode *a = fc_fixture_context(f.counts, "A");
    const FcCountsNode *c = fc_fixture_context(f.counts, "ABC");
    const guint32 from_a = fc_counts_add_node(f.counts, (guint32)(a - f.counts->nodes), site,
                                              c->site_module, c->function);
    const guint32 unknown =
        fc_counts_add_node(f.counts, from_a, site + 1, c->site_module, c->function);
    g_autofree guint32 *arcs = fc_counts_arcs_of_nodes(f.counts);
    const FcCountsArc *arc = fc_fixture_arc(f.counts, 'B', site, 'C');
    g_assert_cmpuint(arcs[from_a], ==, arc - f.counts->arcs + 1);
    g_assert_cmpuint(arcs[unknown], ==, 0);
    fc_fixture_stop(&f);
}

/* A calls B, which calls C by one of two call sites, and that D, which calls B again: an expression
 * of terms of factors.  Each takes OF_A_CALL itself, and the hooks what they do. */
static guint64 make_expression(FcFixture *f, guint64 now, guint level, guint depth)
{
    const guint64 of_b = level == 0 ? fc_fixture_site('A', 0) : fc_fixture_site('D', 0);
    const guint64 of_c = fc_fixture_site('B', level % 2);
    const guint64 of_d = fc_fixture_site('C', 0);
    fc_fixture_enter(f, now, 'B', of_b, depth);
    now += INSIDE / 2 + OF_A_CALL + OUTSIDE / 2;
    fc_fixture_enter(f, now, 'C', of_c, depth + 1);
    now += INSIDE / 2 + OF_A_CALL + OUTSIDE / 2;
    fc_fixture_enter(f, now, 'D', of_d, depth + 2);
    now += INSIDE / 2 + OF_A_CALL;
    if (level < 5)
        now = make_expression(f, now + OUTSIDE / 2, level + 1, depth + 3);
    now += INSIDE / 2;
    fc_fixture_leave(f, now, 'D', of_d, depth + 2);
    now += OUTSIDE / 2 + INSIDE / 2;
    fc_fixture_leave(f, now, 'C', of_c, depth + 1);
    now += OUTSIDE / 2 + INSIDE / 2;
    fc_fixture_leave(f, now, 'B', of_b, depth);
    return now + OUTSIDE / 2;
}

#define EXPRESSIONS 100u
#define OTHERS 300u /* calls of E that A makes itself */

/* At most so many contexts. */
static void run_expressions(FcFixture *f, guint32 contexts)
{
    guint64 now = 0;
    fc_fixture_start(f);
    f->counts->node_limit = contexts;
    fc_fixture_enter(f, now, 'A', 0x99, 0);
    for (guint i = 0; i < EXPRESSIONS; i++)
        now = make_expression(f, now + OUTSIDE / 2, 0, 1);
    for (guint i = 0; i < OTHERS; i++)
    {
        now += OUTSIDE / 2;
        fc_fixture_enter(f, now, 'E', fc_fixture_site('A', 1), 1);
        now += INSIDE + OF_A_CALL;
        fc_fixture_leave(f, now, 'E', fc_fixture_site('A', 1), 1);
        now += OUTSIDE / 2;
    }
    fc_fixture_leave(f, now, 'A', 0x99, 0);
    const FcCallOverhead costs = {.recorded = OUTSIDE + INSIDE, .inside = INSIDE};
    fc_overhead_subtract(f->counts, &costs, NULL);
    fc_counts_sum_functions(f->counts);
}

static guint64 sum_of_local(const FcCounts *counts)
{
    guint64 sum = 0;
    for (guint32 i = 1; i < counts->node_count; i++)
        sum += counts->nodes[i].local;
    return sum;
}

/* Nothing takes longer than who called it, though several contexts of C are active at a time and
 * what is within another call of B is in no context below D. */
static void test_circle(void)
{
    FcFixture f;
    run_expressions(&f, FC_CONTEXTS_DEFAULT);
    guint64 longest = fc_fixture_function(f.counts, 'A')->total;
    const guint64 all = sum_of_local(f.counts);
    const guint64 of_e = fc_fixture_function(f.counts, 'E')->total;
    g_assert_cmpuint(longest, ==, all);
    g_assert_cmpuint(of_e, <=, OTHERS * (OF_A_CALL + 1));
    for (const char *letter = "BCD"; *letter; letter++)
    {
        const guint64 total = fc_fixture_function(f.counts, *letter)->total;
        g_assert_cmpuint(total, <=, longest);
        /* the outermost call of each of them is nearly all of A's but E's */
        g_assert_cmpuint(total, >=, (all - of_e) * 8 / 10);
        longest = total;
    }
    for (guint32 i = 1; i < f.counts->node_count; i++)
        if (f.counts->nodes[i].parent != 0)
            g_assert_cmpuint(f.counts->nodes[i].total, <=,
                             f.counts->nodes[f.counts->nodes[i].parent].total);
    fc_fixture_stop(&f);
}

/* No context's total is less than the local times in and below it. */
static void check_below(const FcCounts *counts)
{
    g_autofree guint64 *below = g_new0(guint64, counts->node_count);
    for (guint32 i = counts->node_count; i-- > 1;)
    {
        below[i] += counts->nodes[i].local;
        below[counts->nodes[i].parent] += below[i];
        g_assert_cmpuint(below[i], <=, counts->nodes[i].total);
    }
}

/* What was taken off contexts that others were folded on is in the totals of who called them. */
static void test_folded(void)
{
    for (guint32 contexts = 2; contexts < 8; contexts++)
    {
        FcFixture f;
        run_expressions(&f, contexts);
        const guint64 all = sum_of_local(f.counts);
        check_below(f.counts);
        g_assert_cmpuint(fc_fixture_function(f.counts, 'A')->total, <=, all);
        g_assert_cmpuint(fc_fixture_function(f.counts, 'A')->total, >=, all * 8 / 10);
        for (const char *letter = "BCD"; *letter; letter++)
            g_assert_cmpuint(fc_fixture_function(f.counts, *letter)->total, <=, all);
        fc_fixture_stop(&f);
    }
}

/* A calls B and that C, both deeper than FC_DEPTH: neither has any time, and A's is without
 * what counting both cost. */
static void test_deep(void)
{
    enum
    {
        OF_A = 100000,
        OF_C = 3
    };
    const guint64 site_of_b = fc_fixture_site('A', 1);
    const guint64 site_of_c = fc_fixture_site('B', 1);
    const FcCallOverhead costs = {
        .recorded = OUTSIDE + INSIDE, .inside = INSIDE, .counted = COUNTING};
    FcFixture fixture;
    fc_fixture_start(&fixture);
    load(&fixture);
    fc_fixture_enter(&fixture, 0, 'A', fc_fixture_site('Y', 0), 1);
    fc_fixture_count(&fixture, 50, FC_COUNT_DEEP_SEEN, 'B', site_of_b, 2);
    fc_fixture_count(&fixture, 60, FC_COUNT_DEEP_SEEN, 'C', site_of_c, 3);
    fc_fixture_leave(&fixture, OF_A, 'A', fc_fixture_site('Y', 0), 1);
    FcCounted *counted = fc_stack_counted(fixture.stack);
    fc_counted_add(counted, fc_counted_find(counted, site_of_b, fc_fixture_address('B'), 0), CALLS,
                   TRUE);
    fc_counted_add(counted, fc_counted_find(counted, site_of_c, fc_fixture_address('C'), 0),
                   OF_C * CALLS, TRUE);
    fc_counted_attribute(counted, 0, &costs);
    fc_overhead_subtract(fixture.counts, &costs, NULL);
    fc_counts_sum_functions(fixture.counts);
    g_assert_cmpuint(fc_fixture_context(fixture.counts, "ABC")->calls, ==, OF_C * CALLS);
    for (char name = 'B'; name <= 'C'; name++)
    {
        const FcCountsFunction *deep = fc_fixture_function(fixture.counts, name);
        g_assert_cmpuint(deep->calls, ==, name == 'B' ? CALLS : OF_C * CALLS);
        g_assert_cmpuint(deep->counted, ==, 0);
        g_assert_cmpuint(deep->total + deep->local + deep->cost_total + deep->cost_local, ==, 0);
    }
    const FcCountsFunction *caller = fc_fixture_function(fixture.counts, 'A');
    g_assert_cmpuint(caller->cost_local, ==, INSIDE + (1 + OF_C) * CALLS * COUNTING);
    g_assert_cmpuint(caller->local + caller->cost_local, ==, OF_A);
    g_assert_cmpuint(caller->total, ==, caller->local);
    fc_fixture_stop(&fixture);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/costs/measured", test_measured);
    g_test_add_func("/costs/called", test_called);
    g_test_add_func("/costs/inlined", test_inlined);
    g_test_add_func("/costs/arc-of-another", test_arc_of_another);
    g_test_add_func("/costs/circle", test_circle);
    g_test_add_func("/costs/folded", test_folded);
    g_test_add_func("/costs/deep", test_deep);
    return g_test_run();
}
