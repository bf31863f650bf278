/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The gaps behind timed calls of counted functions, and what they tell of the calls' times.
 */
#include "fcmanager/counted-settle.h"
#include "fcmanager/stack-frames.h"
#include "tests/unit/manager_fixture.h"

#include <math.h>

#define SITE(letter, number) fc_fixture_site((letter), (number))

static const FcCallCosts no_costs;

#define PERIODS 40u
#define EXCESS 25u /* what is added between two time stamps */

/* B takes `own` ticks and is called each 40; one call in 25 is timed, by which it and what A does
 * up to the next hook seem to take longer.  Of `gaps` of the timed ones that is known, too. */
static void call_closely(FcFixture *f, guint64 own, guint gaps)
{
    guint64 now = 0;
    fc_fixture_start(f);
    fc_fixture_enter(f, now, 'A', 0x99, 0);
    for (guint i = 0; i < PERIODS; i++)
    {
        now += 24 * 40;
        fc_fixture_sample(f, now, own + EXCESS, 'B', SITE('A', 0), 1);
        now += own + EXCESS;
        if (i >= gaps)
        {
            now += 40 - own;
            continue;
        }
        now += 40 - own + EXCESS;
        fc_fixture_count(f, now, FC_COUNT_GAP_ENDS, 'B', SITE('A', 0), 1);
    }
    fc_fixture_leave(f, now, 'A', 0x99, 0);
    fc_counted_add(fc_stack_counted(f->stack), SITE('A', 0), fc_fixture_address('B'), 0,
                   25 * PERIODS);
    fc_counted_settle(fc_stack_counted(f->stack), 0, &no_costs);
}

/* What a caller does between two calls, and these, take together no longer than it did. */
static void test_fit(void)
{
    const guint64 timed = PERIODS;
    const guint64 untimed = 24 * PERIODS;
    for (guint64 own = 0; own <= 40; own += 10)
    {
        FcFixture f;
        call_closely(&f, own, PERIODS);
        const FcCountsNode *b = fc_fixture_context(f.counts, "AB");
        g_assert_cmpuint(b->calls, ==, timed + untimed);
        /* all but what the few gaps themselves took too long, which A's time has too */
        const gdouble known = (gdouble)(timed * (own + EXCESS));
        g_assert_cmpfloat((gdouble)b->local, >=, known + (gdouble)(untimed * own));
        g_assert_cmpfloat((gdouble)b->local, <=, known + (gdouble)(untimed * (own + 2)));
        fc_fixture_stop(&f);
    }
    FcFixture f;
    call_closely(&f, 10, 15); /* too few to tell */
    g_assert_cmpuint(fc_fixture_context(f.counts, "AB")->local, ==,
                     (timed + untimed) * (10 + EXCESS));
    fc_fixture_stop(&f);
}

/* Between the end of the sample and the next hook the thread was off the CPU: that is no gap. */
static void test_no_gap(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_count(&f, 5, FC_COUNT_GAP_ENDS, 'B', SITE('A', 0), 1); /* of nothing */
    fc_fixture_sample(&f, 10, 5, 'B', SITE('A', 0), 1);
    fc_fixture_enter(&f, 20, 'C', SITE('A', 1), 1);
    fc_fixture_leave(&f, 30, 'C', SITE('A', 1), 1);
    fc_fixture_count(&f, 40, FC_COUNT_GAP_ENDS, 'B', SITE('A', 0), 1);
    fc_fixture_sample(&f, 50, 5, 'B', SITE('A', 0), 1);
    fc_fixture_count(&f, 2000000, FC_COUNT_GAP_ENDS, 'B', SITE('A', 0),
                     1); /* too long to stand for others */
    fc_fixture_sample(&f, 2000010, 5, 'B', SITE('A', 0), 1);
    fc_fixture_count(&f, 2000022, FC_COUNT_GAP_ENDS, 'B', SITE('A', 0), 1);
    fc_fixture_count(&f, 2000030, FC_COUNT_GAP_ENDS, 'B', SITE('A', 0), 1); /* again */
    const GArray *samples = fc_stack_counted(f.stack)->samples;
    g_assert_cmpuint(samples->len, ==, 1);
    g_assert_cmpuint(g_array_index(samples, FcCountedSample, 0).gaps, ==, 1);
    g_assert_cmpfloat(g_array_index(samples, FcCountedSample, 0).gap, ==, 7);
    fc_fixture_leave(&f, 2000040, 'A', 0x99, 0);
    g_assert_cmpuint(f.counts->repairs.bad_records, ==, 0);
    fc_fixture_stop(&f);
}

/* A calls B, which takes 15 ticks, and that C, which takes 30; no call of C is a sample, but those
 * within B's samples are known.  Timing one takes `inside` ticks of its own time. */
static void test_inner(void)
{
    for (guint inside = 0; inside <= 8; inside += 8)
    {
        const FcCallCosts costs = {.inner = inside};
        FcFixture f;
        guint64 now = 1000; /* in which C was slow */
        fc_fixture_start(&f);
        fc_fixture_enter(&f, 0, 'A', 0x99, 0);
        fc_fixture_enter(&f, 0, 'C', SITE('A', 1), 1);
        fc_fixture_leave(&f, now, 'C', SITE('A', 1), 1);
        fc_fixture_count(&f, now, FC_COUNT_BEGINS, 'B', SITE('A', 0), 1);
        fc_fixture_count(&f, now, FC_COUNT_BEGINS, 'C', SITE('B', 0), 2);
        for (guint i = 0; i < PERIODS; i++)
        {
            now += 24 * 45;
            fc_fixture_count(&f, now, FC_COUNT_SAMPLE, 'B', SITE('A', 0), 1);
            fc_fixture_enter(&f, now + 5, 'C', SITE('B', 0), 2);
            fc_fixture_leave(&f, now + 35 + inside, 'C', SITE('B', 0), 2);
            now += 45 + inside;
            fc_fixture_leave(&f, now, 'B', SITE('A', 0), 1);
        }
        fc_fixture_leave(&f, now, 'A', 0x99, 0);
        FcCounted *counted = fc_stack_counted(f.stack);
        const guint64 untimed = 24 * PERIODS;
        fc_counted_add(counted, SITE('A', 0), fc_fixture_address('B'), 0, untimed + PERIODS);
        fc_counted_add(counted, SITE('B', 0), fc_fixture_address('C'), 0, untimed);
        fc_counted_settle(counted, 0, &costs);
        g_assert_cmpuint(fc_fixture_context(f.counts, "AB")->local, ==, (untimed + PERIODS) * 15);
        const FcCountsNode *c = fc_fixture_context(f.counts, "ABC");
        g_assert_cmpuint(c->calls, ==, untimed + PERIODS);
        g_assert_cmpuint(c->local, ==, untimed * 30 + (guint64)PERIODS * (30 + inside));
        fc_fixture_stop(&f);
    }
}

#define OWN 10u
#define GAP 30u
#define COUNTING 5u

/* A counted call costs COUNTING by the calibration, and here `more` in addition: as much again is
 * taken off the caller, but a caller that has much more time does other work. */
static void test_hidden_costs(void)
{
    for (guint64 more = 0; more <= 4 * COUNTING; more += 2 * COUNTING / 2)
    {
        const FcCallCosts costs = {.counted = COUNTING, .within = COUNTING};
        FcFixture f;
        guint64 now = 0;
        fc_fixture_start(&f);
        fc_fixture_enter(&f, now, 'A', 0x99, 0);
        for (guint i = 0; i < PERIODS; i++)
        {
            now += 24 * (OWN + GAP + COUNTING + more);
            fc_fixture_sample(&f, now, OWN, 'B', SITE('A', 0), 1);
            now += OWN + GAP;
            fc_fixture_count(&f, now, FC_COUNT_GAP_ENDS, 'B', SITE('A', 0), 1);
        }
        fc_fixture_leave(&f, now, 'A', 0x99, 0);
        fc_counted_add(fc_stack_counted(f.stack), SITE('A', 0), fc_fixture_address('B'), 0,
                       25 * PERIODS);
        fc_counted_settle(fc_stack_counted(f.stack), 0, &costs);
        const FcCountsNode *a = fc_fixture_context(f.counts, "A");
        const double hidden = fc_counts_hidden_cost(f.counts, (guint32)(a - f.counts->nodes));
        /* beside it there are the gaps of the timed calls, in which nothing was counted */
        const double most = more <= COUNTING ? (double)more : more >= 2 * COUNTING ? 0 : COUNTING;
        g_assert_cmpfloat(fabs(hidden - 24 * PERIODS * most), <=, 2 * PERIODS * GAP);
        fc_costs_take_off(f.counts, &costs, NULL);
        const double off = (double)a->local - 25.0 * PERIODS * GAP;
        g_assert_cmpfloat(fabs(off - 24 * PERIODS * ((double)more - most)), <=, 2 * PERIODS * GAP);
        fc_fixture_stop(&f);
    }
}

/* Largest remainders, sums that are exact, numbers that don't fit into 64 bits when multiplied. */
static void test_divide(void)
{
    const guint64 weights[] = {1, 1, 1, G_MAXUINT64, 0};
    guint64 parts[5];
    fc_settle_divide(10, weights, 3, parts);
    g_assert_cmpuint(parts[0], ==, 4);
    g_assert_cmpuint(parts[1], ==, 3);
    g_assert_cmpuint(parts[2], ==, 3);
    fc_settle_divide(G_MAXUINT64, weights, 5, parts);
    g_assert_cmpuint(parts[0] + parts[1] + parts[2] + parts[3] + parts[4], ==, G_MAXUINT64);
    g_assert_cmpuint(parts[4], ==, 0);
    fc_settle_divide(7, &weights[4], 1, parts);
    g_assert_cmpuint(parts[0], ==, 7);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fit/fit", test_fit);
    g_test_add_func("/fit/no-gap", test_no_gap);
    g_test_add_func("/fit/inner", test_inner);
    g_test_add_func("/fit/hidden-costs", test_hidden_costs);
    g_test_add_func("/fit/divide", test_divide);
    return g_test_run();
}
