/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls that were counted and not recorded: which contexts they come to, and what time.
 */
#include "fcmanager/estimate/counted-attribute.h"
#include "fcmanager/estimate/totals.h"
#include "fcmanager/stack/frames.h"
#include "tests/unit/manager_fixture.h"

#include <string.h>

#define SITE(letter, number) fc_fixture_site((letter), (number))
#define FUNCTION(letter) fc_fixture_function(f.counts, (letter))

/* A calls B once, then B is counted: 100 calls, of which two are timed. */
static void test_leaf(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 1000, 'A', 0x99, 0);
    fc_fixture_enter(&f, 1100, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 1107, 'B', SITE('A', 0), 1);
    fc_fixture_count(&f, 1200, FC_COUNT_BEGINS, 'B', SITE('A', 0), 1);
    fc_fixture_sample(&f, 1300, 4, 'B', SITE('A', 0), 1);
    fc_fixture_sample(&f, 1400, 6, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 2000, 'A', 0x99, 0);
    fc_fixture_add(&f, 'B', SITE('A', 0), 100);
    fc_fixture_finalize(&f, 0);
    fc_fixture_check_context(&f, "A", 1, 1000, 1000 - 7 - 10 - 98 * 5);
    fc_fixture_check_context(&f, "AB", 101, 7 + 10 + 98 * 5, 7 + 10 + 98 * 5);
    fc_fixture_check_arc(&f, 'A', SITE('A', 0), 'B', 101);
    g_assert_false(fc_fixture_is_apportioned(&f, "AB"));
    const FcCountsFunction *b = FUNCTION('B');
    g_assert_cmpuint(b->calls, ==, 101);
    g_assert_cmpuint(b->total, ==, 7 + 10 + 98 * 5);
    g_assert_cmpuint(b->counted, ==, 100);
    g_assert_cmpuint(b->timed, ==, 2);
    /* min and max are of what was timed */
    g_assert_cmpuint(b->bounds.total_min, ==, 4);
    g_assert_cmpuint(b->bounds.total_max, ==, 7);
    /* a variance of 2 of one call, 98 of them drawn, and the mean is of 2 */
    g_assert_cmpfloat_with_epsilon(b->local_variance, 2.0 * 98 * 100 / 2, 1e-6);
    g_assert_cmpuint(f.counts->repairs.jumps + f.counts->repairs.missed_exits, ==, 0);
    fc_fixture_stop(&f);
}

/* A call that was preempted tells nothing of the others. */
static void test_preempted(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_sample(&f, 1000, 5, 'B', SITE('A', 0), 1);
    fc_fixture_sample(&f, 2000, 1000000, 'B', SITE('A', 0), 1);
    fc_fixture_sample(&f, 1003000, 7, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 2000000, 'A', 0x99, 0);
    fc_fixture_add(&f, 'B', SITE('A', 0), 103);
    fc_fixture_finalize(&f, 0);
    const guint64 local = 5 + 1000000 + 7 + 100 * 6;
    fc_fixture_check_context(&f, "AB", 103, local, local);
    fc_fixture_check_context(&f, "A", 1, 2000000, 2000000 - local);
    g_assert_cmpuint(FUNCTION('B')->timed, ==, 3);
    fc_fixture_stop(&f);
}

/* The estimate is more than the caller has. */
static void test_too_much(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_sample(&f, 10, 30, 'B', SITE('A', 0), 1);
    fc_fixture_sample(&f, 50, 10, 'C', SITE('A', 1), 1);
    fc_fixture_leave(&f, 100, 'A', 0x99, 0);
    fc_fixture_add(&f, 'B', SITE('A', 0), 101);
    fc_fixture_add(&f, 'C', SITE('A', 1), 101);
    fc_fixture_finalize(&f, 0);
    fc_fixture_check_context(&f, "A", 1, 100, 0);
    fc_fixture_check_context(&f, "AB", 101, 30 + 45, 30 + 45);
    fc_fixture_check_context(&f, "AC", 101, 10 + 15, 10 + 15);
    fc_fixture_stop(&f);
}

/* Outside of all frames there is time too. */
static void test_no_frame(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_sample(&f, 10, 5, 'B', 0x99, 1);
    fc_fixture_add(&f, 'B', 0x99, 11);
    fc_fixture_finalize(&f, 1000);
    fc_fixture_check_context(&f, "B", 11, 55, 55);
    g_assert_cmpuint(FUNCTION('B')->total, ==, 55);
    fc_fixture_check_arc(&f, 0, 0x99, 'B', 11);
    fc_fixture_stop(&f);
}

/* B is called by the same call site in two contexts of A. */
static void test_apportioned(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'X', 0x99, 0);
    fc_fixture_enter(&f, 0, 'A', SITE('X', 0), 1);
    fc_fixture_enter(&f, 1, 'B', SITE('A', 0), 2);
    fc_fixture_leave(&f, 2, 'B', SITE('A', 0), 2);
    fc_fixture_count(&f, 3, FC_COUNT_BEGINS, 'B', SITE('A', 0), 2);
    for (guint i = 0; i < 3; i++)
        fc_fixture_sample(&f, 100 + 10 * i, 0, 'B', SITE('A', 0), 2);
    fc_fixture_leave(&f, 1000, 'A', SITE('X', 0), 1);
    fc_fixture_enter(&f, 1000, 'A', SITE('X', 1), 1);
    fc_fixture_sample(&f, 1100, 0, 'B', SITE('A', 0), 2);
    fc_fixture_count(&f, 1200, FC_COUNT_SEEN, 'B', SITE('A', 0), 2);
    fc_fixture_leave(&f, 2000, 'A', SITE('X', 1), 1);
    fc_fixture_leave(&f, 2000, 'X', 0x99, 0);
    fc_fixture_add(&f, 'B', SITE('A', 0), 500);
    fc_fixture_finalize(&f, 0);
    guint64 calls[2] = {0};
    for (guint32 i = 1, found = 0; i < f.counts->node_count; i++)
        if (f.counts->functions[f.counts->nodes[i].function].address == fc_fixture_address('B'))
        {
            calls[found++] = f.counts->nodes[i].calls;
            g_assert_true(fc_counts_is_marked(f.counts->apportioned_nodes, i));
        }
    g_assert_cmpuint(calls[0], ==, 1 + 300);
    g_assert_cmpuint(calls[1], ==, 200);
    g_assert_cmpuint(FUNCTION('B')->calls, ==, 501);
    fc_fixture_check_arc(&f, 'A', SITE('A', 0), 'B', 501);
    g_assert_false(fc_counts_is_marked(
        f.counts->apportioned_arcs,
        (guint32)(fc_fixture_arc(f.counts, 'A', SITE('A', 0), 'B') - f.counts->arcs)));
    fc_fixture_stop(&f);
}

/* No context takes longer than its caller's, but for what is its own. */
static void test_bounds(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'B', SITE('A', 0), 1);
    fc_fixture_enter(&f, 20, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 30, 'C', SITE('B', 0), 2);
    fc_fixture_enter(&f, 30, 'D', SITE('B', 1), 2);
    fc_fixture_leave(&f, 40, 'D', SITE('B', 1), 2);
    fc_fixture_leave(&f, 50, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 100, 'A', 0x99, 0);
    FcCounts *counts = f.counts;
    const guint32 c = (guint32)(fc_fixture_context(counts, "ABC") - counts->nodes);
    const guint32 d = (guint32)(fc_fixture_context(counts, "ABD") - counts->nodes);
    counts->nodes[c].total = 70; /* of a B that took 40 */
    counts->functions[counts->nodes[c].function].total = 70;
    counts->arcs[fc_fixture_arc(counts, 'B', SITE('B', 0), 'C') - counts->arcs].total = 70;
    counts->nodes[d].total = 90;
    counts->nodes[d].local = 60; /* of a coroutine that B began, and that went on without it */
    g_autofree guint64 *local = fc_totals_local_times(counts);
    fc_totals_update(counts, local);
    fc_fixture_check_context(&f, "A", 1, 100, 60);
    fc_fixture_check_context(&f, "AB", 1, 40, 20);
    fc_fixture_check_context(&f, "ABC", 1, 40, 10);
    fc_fixture_check_context(&f, "ABD", 1, 60, 60);
    g_assert_cmpuint(FUNCTION('A')->total, ==, 100);
    g_assert_cmpuint(FUNCTION('C')->total, ==, 40);
    g_assert_cmpuint(fc_fixture_arc(counts, 'B', SITE('B', 0), 'C')->total, ==, 40);
    fc_fixture_stop(&f);
}

/* What the arc has is no more than what its callee has. */
static void test_bounded_arc(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 50, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 100, 'A', 0x99, 0);
    FcCounts *counts = f.counts;
    counts->arcs[fc_fixture_arc(counts, 'A', SITE('A', 0), 'B') - counts->arcs].total = 70;
    g_autofree guint64 *local = fc_totals_local_times(counts);
    fc_totals_update(counts, local);
    g_assert_cmpuint(fc_fixture_arc(counts, 'A', SITE('A', 0), 'B')->total, ==, 40);
    fc_fixture_check_context(&f, "AB", 1, 40, 40);
    fc_fixture_stop(&f);
}

/* F calls itself: of three open frames the outermost stays, what comes within it is counted. */
static void test_recursion(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'F', SITE('A', 0), 1);
    fc_fixture_enter(&f, 20, 'F', SITE('F', 0), 2);
    fc_fixture_enter(&f, 30, 'G', SITE('F', 1), 3);
    fc_fixture_enter(&f, 40, 'F', SITE('G', 0), 4);
    fc_fixture_count(&f, 50, FC_COUNT_BEGINS_NESTED, 'F', SITE('G', 0), 4);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 3); /* A, F, G */
    fc_fixture_leave(&f, 70, 'G', SITE('F', 1), 3);
    fc_fixture_leave(&f, 100, 'F', SITE('A', 0), 1);
    fc_fixture_leave(&f, 200, 'A', 0x99, 0);
    fc_fixture_add(&f, 'F', SITE('F', 0), 1000000);
    fc_fixture_finalize(&f, 0);
    fc_fixture_check_context(&f, "A", 1, 200, 110);
    g_assert_cmpuint(FUNCTION('F')->calls, ==, 1000003);
    g_assert_cmpuint(FUNCTION('F')->total, ==, 90);
    fc_fixture_check_arc(&f, 'F', SITE('F', 0), 'F', 1000001);
    g_assert_cmpuint(fc_fixture_arc(f.counts, 'F', SITE('F', 0), 'F')->total, ==, 90);
    /* the innermost ended at 50, and G began at 30 */
    fc_fixture_check_context(&f, "AFG", 1, 40, 30);
    fc_fixture_check_context(&f, "AF", 1000003, 90, 60);
    g_assert_cmpuint(f.counts->repairs.jumps + f.counts->repairs.missed_exits, ==, 0);
    g_assert_cmpuint(f.counts->repairs.unmatched_exits, ==, 0);
    fc_fixture_stop(&f);
}

/* Of four calls of F, which take 100 ticks each and wait for half of it, the first calls F twice.
 */
static void test_arc_to_itself(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    for (guint i = 1; i <= 4; i++)
    {
        const guint begun = 1000 * i;
        fc_fixture_enter(&f, begun, 'F', SITE('A', 0), 1);
        for (guint which = 0; i == 1 && which < 2; which++)
        {
            fc_fixture_enter(&f, begun + 10 + which, 'F', SITE('F', which), 2);
            fc_fixture_leave(&f, begun + 11 + which, 'F', SITE('F', which), 2);
        }
        fc_fixture_seen(&f, begun + 90, 50 * i, i);
        fc_fixture_leave(&f, begun + 100, 'F', SITE('A', 0), 1);
        if (i == 1)
            fc_fixture_count(&f, begun + 200, FC_COUNT_BEGINS_NESTED, 'F', SITE('A', 0), 1);
    }
    fc_fixture_leave(&f, 9000, 'A', 0x99, 0);
    fc_fixture_add(&f, 'F', SITE('F', 0), 11);
    fc_fixture_add(&f, 'F', SITE('F', 1), 3);
    fc_fixture_finalize(&f, 0);
    g_assert_cmpuint(FUNCTION('F')->total, ==, 400);
    g_assert_cmpuint(fc_fixture_arc(f.counts, 'A', SITE('A', 0), 'F')->total, ==, 400);
    fc_fixture_check_arc(&f, 'F', SITE('F', 0), 'F', 12);
    fc_fixture_check_arc(&f, 'F', SITE('F', 1), 'F', 4);
    g_assert_cmpuint(fc_fixture_arc(f.counts, 'F', SITE('F', 0), 'F')->total, ==,
                     1 + 400 * 11 / 16);
    g_assert_cmpuint(fc_fixture_arc(f.counts, 'F', SITE('F', 1), 'F')->total, ==, 1 + 400 * 3 / 8);
    fc_fixture_check_arc_wait(&f, 'F', SITE('F', 0), 'F', (200 * 11 + 8) / 16);
    fc_fixture_check_arc_wait(&f, 'F', SITE('F', 1), 'F', 200 * 3 / 8);
    fc_fixture_stop(&f);
}

/* First the calls of F within itself are counted, then all; one is open then, and stays so. */
static void test_outermost(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'F', SITE('A', 0), 1);
    fc_fixture_leave(&f, 20, 'F', SITE('A', 0), 1);
    const guint32 function = (guint32)(FUNCTION('F') - f.counts->functions);
    fc_fixture_count(&f, 20, FC_COUNT_BEGINS_NESTED, 'F', 0, 0);
    g_assert_false(fc_counted_is_counted(fc_stack_counted(f.stack), function));
    fc_fixture_enter(&f, 30, 'F', SITE('A', 0), 1);
    fc_fixture_count(&f, 40, FC_COUNT_BEGINS, 'F', 0, 0);
    g_assert_true(fc_counted_is_counted(fc_stack_counted(f.stack), function));
    fc_fixture_count(&f, 45, FC_COUNT_BEGINS_NESTED, 'F', 0, 0); /* hardly: it remains so */
    g_assert_true(fc_counted_is_counted(fc_stack_counted(f.stack), function));
    fc_fixture_leave(&f, 50, 'F', SITE('A', 0), 1);
    fc_fixture_leave(&f, 200, 'A', 0x99, 0);
    fc_fixture_add(&f, 'F', SITE('A', 0), 100);
    fc_fixture_finalize(&f, 0);
    g_assert_cmpuint(FUNCTION('F')->calls, ==, 102);
    fc_fixture_check_arc(&f, 'A', SITE('A', 0), 'F', 102);
    g_assert_cmpuint(f.counts->repairs.jumps + f.counts->repairs.missed_exits, ==, 0);
    g_assert_cmpuint(f.counts->repairs.unmatched_exits, ==, 0);
    fc_fixture_stop(&f);
}

/* Calls that had no counter. */
static void test_one(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_count(&f, 10, FC_COUNT_ONE, 'B', SITE('A', 0), 1);
    fc_fixture_count(&f, 11, FC_COUNT_ONE, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 100, 'A', 0x99, 0);
    fc_fixture_finalize(&f, 0);
    fc_fixture_check_context(&f, "A", 1, 100, 100);
    fc_fixture_check_context(&f, "AB", 2, 0, 0);
    fc_fixture_check_arc(&f, 'A', SITE('A', 0), 'B', 2);
    fc_fixture_stop(&f);
}

/* A burst is ended, and what is called then need not be by who it seems. */
static void test_ended_burst(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_count(&f, 1, FC_COUNT_SAMPLE, 'G', SITE('A', 0), 1);
    for (guint64 i = 0; i < 100; i++)
    {
        fc_fixture_enter(&f, 10 * i + 10, 'K', SITE('G', 0), 2);
        fc_fixture_leave(&f, 10 * i + 12, 'K', SITE('G', 0), 2);
    }
    fc_fixture_count(&f, 1100, FC_COUNT_BURST_ENDS, 'G', SITE('A', 0), 1);
    const FcCounted *counted = fc_stack_counted(f.stack);
    const FcCountedSample *first = &g_array_index(counted->samples, FcCountedSample, 0);
    g_assert_cmpuint(first->timed.calls, ==, 1);
    g_assert_cmpfloat_with_epsilon(first->timed.local, 1100 - 1 - 100 * 2, 0.1);
    fc_fixture_enter(&f, 5000, 'L', SITE('X', 0), 2);
    fc_fixture_leave(&f, 5001, 'L', SITE('X', 0), 2);
    const guint32 arc =
        (guint32)(fc_fixture_arc(f.counts, 'G', SITE('X', 0), 'L') - f.counts->arcs);
    g_assert_true(arc >= counted->sure->len || g_array_index(counted->sure, guint64, arc) == 0);
    fc_fixture_leave(&f, 6000, 'G', SITE('A', 0), 1);
    fc_fixture_leave(&f, 6000, 'A', 0x99, 0);
    g_assert_cmpuint(first->timed.calls, ==, 1);
    fc_fixture_stop(&f);
}

/* The innermost frame of the stack below is taken out, too, and ended where the one above began. */
static void test_other_stack(void)
{
    const guint64 start = 0x10000000;
    FcFixture f;
    fc_fixture_start(&f);
    FcRegions *regions = fc_regions_new();
    fc_regions_add(regions, start, start + 0x10000);
    fc_stack_set_regions(f.stack, regions);
    const char below[] = {'M', 'X', 'G', 'X'};
    for (guint i = 0; i < G_N_ELEMENTS(below); i++)
        fc_fixture_enter(&f, 1 + i, below[i], SITE('A', i), 1 + i);
    struct FcRecord records[] = {fc_fixture_record(FC_RECORD_ENTER, 5, 'H', SITE('A', 9), 0),
                                 fc_fixture_record(FC_RECORD_COUNT, 1000, 'X', SITE('A', 9), 0),
                                 fc_fixture_record(FC_RECORD_EXIT, 1001, 'H', SITE('A', 9), 0)};
    records[1].function |= (guint64)FC_COUNT_BEGINS << FC_COUNT_RECORD_SHIFT;
    for (guint i = 0; i < G_N_ELEMENTS(records); i++)
        records[i].where =
            (start + 0x8000) | (records[i].where & (FC_WHERE_KIND_MASK | UINT64_C(0xffff) << 48));
    fc_fixture_feed(f.stack, records, 0, 3, FIXTURE_GENERATION);
    fc_fixture_leave(&f, 1003, 'G', SITE('A', 2), 3);
    fc_fixture_leave(&f, 1004, 'X', SITE('A', 1), 2);
    fc_fixture_leave(&f, 1005, 'M', SITE('A', 0), 1);
    fc_stack_close(f.stack, 1005);
    fc_fixture_check(&f, 'H', 996, 996, 0, 0);
    fc_fixture_check(&f, 'G', 1000, 3, 0, 0);
    fc_fixture_check(&f, 'X', 1002, 3, 0, 0);
    fc_fixture_check(&f, 'M', 1004, 2, 0, 0);
    fc_stack_set_regions(f.stack, NULL);
    fc_regions_free(regions);
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/counted/leaf", test_leaf);
    g_test_add_func("/counted/preempted", test_preempted);
    g_test_add_func("/counted/too-much", test_too_much);
    g_test_add_func("/counted/no-frame", test_no_frame);
    g_test_add_func("/counted/apportioned", test_apportioned);
    g_test_add_func("/counted/bounds", test_bounds);
    g_test_add_func("/counted/bounded-arc", test_bounded_arc);
    g_test_add_func("/counted/recursion", test_recursion);
    g_test_add_func("/counted/arc-to-itself", test_arc_to_itself);
    g_test_add_func("/counted/outermost", test_outermost);
    g_test_add_func("/counted/one", test_one);
    g_test_add_func("/counted/ended-burst", test_ended_burst);
    g_test_add_func("/counted/other-stack", test_other_stack);
    return g_test_run();
}
