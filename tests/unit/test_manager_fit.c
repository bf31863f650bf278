/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The gaps behind timed calls of counted functions, and what they tell of the calls' times.
 */
#include "fcmanager/counted-settle.h"
#include "fcmanager/stack-frames.h"
#include "tests/unit/manager_fixture.h"

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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fit/fit", test_fit);
    g_test_add_func("/fit/no-gap", test_no_gap);
    return g_test_run();
}
