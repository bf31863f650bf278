/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stretches in which the hooks of counted calls work twice, and what these tell of the times.
 */
#include "fcmanager/counted-settle.h"
#include "fcmanager/observed.h"
#include "fcmanager/stack-frames.h"
#include "fcmanager/stretches.h"
#include "libfc/beacon.h"
#include "tests/unit/manager_fixture.h"

#include <math.h>

#define OF_A 0x99u
#define OF_B fc_fixture_site('A', 0)
#define OF_C fc_fixture_site('A', 1)

#define SAMPLE_TICKS 20u
#define CALLS 64u  /* of B in a stretch */
#define COUNTED 8u /* fc_fixture_costs.counted */

/* The counter of B is used up; `is_double`: since the last time hooks have worked twice. */
static void use_up_at(FcFixture *f, guint64 time, enum FcCountRecord kind, gboolean is_double,
                      guint depth)
{
    const guint twice = FC_COUNT_DOUBLED << (FC_COUNT_SPARING_SHIFT - FC_COUNT_RECORD_SHIFT);
    fc_fixture_count(f, time, (enum FcCountRecord)(kind | (is_double ? twice : 0)), 'B', OF_B,
                     depth);
}

static void use_up(FcFixture *f, guint64 time, enum FcCountRecord kind, gboolean is_double)
{
    use_up_at(f, time, kind, is_double, 1);
}

/* A calls B in stretches of `once` ticks, one in 16 of `twice`, one in 5 of `seldom` more, and
 * behind every fourth sample a gap, and no stretch that is known; then it is at work for `beside`.
 * Returns how long it was. */
static guint64 run_beside(FcFixture *f, guint stretches, guint64 once, guint64 twice,
                          guint64 seldom, guint64 beside)
{
    guint64 now = 0;
    gboolean is_double = FALSE;
    fc_fixture_start(f);
    fc_fixture_enter(f, now, 'A', OF_A, 0);
    for (guint i = 0; i < stretches; i++)
    {
        use_up(f, now, FC_COUNT_SAMPLE, is_double);
        fc_fixture_leave(f, now + SAMPLE_TICKS, 'B', OF_B, 1);
        now += SAMPLE_TICKS;
        const gboolean has_gap = i % 4 == 3;
        if (has_gap)
            fc_fixture_count(f, now + 30, FC_COUNT_GAP_ENDS, 'B', OF_B, 1);
        is_double = !has_gap && i % 16 == 0;
        now += (is_double ? twice : once) + (i % 5 == 4 ? seldom : 0);
    }
    now += beside;
    fc_fixture_leave(f, now, 'A', OF_A, 0);
    fc_counted_add(fc_stack_counted(f->stack), OF_B, fc_fixture_address('B'), 0,
                   (guint64)stretches * CALLS);
    fc_counted_settle(fc_stack_counted(f->stack), 0, &fc_fixture_costs);
    return now;
}

static guint64 run_unlike(FcFixture *f, guint stretches, guint64 once, guint64 twice,
                          guint64 seldom)
{
    return run_beside(f, stretches, once, twice, seldom, 0);
}

static guint64 run(FcFixture *f, guint stretches, guint64 once, guint64 twice)
{
    return run_unlike(f, stretches, once, twice, 0);
}

/* What is left for A and B of their time, as it was seen but for the hooks: all, hardly in these.
 */
static guint64 left_of(FcFixture *f, gboolean with_stretches)
{
    const struct
    {
        guint64 beacon;
        double weight;
    } seen[] = {{FC_BEACON_HOOK, 1e3},
                {fc_beacon_left(fc_fixture_address('B'), OF_B), 5e5},
                {fc_beacon_entered(fc_fixture_address('B'), OF_B), 5e5}};
    FcObserved all = {.sightings = g_array_new(FALSE, FALSE, sizeof(FcSighting))};
    for (guint i = 0; i < G_N_ELEMENTS(seen); i++)
    {
        const FcSighting sighting = {
            .beacon = seen[i].beacon, .weight = seen[i].weight, .variance = seen[i].weight * 1000};
        g_array_append_val(all.sightings, sighting);
        all.weight += sighting.weight;
        all.squares += sighting.variance;
    }
    if (with_stretches)
        all.stretches = fc_stack_counted(f->stack)->stretches;
    fc_costs_take_off(f->counts, &fc_fixture_costs, &all);
    g_array_unref(all.sightings);
    const FcCountsFunction *a = fc_fixture_function(f->counts, 'A');
    const FcCountsFunction *b = fc_fixture_function(f->counts, 'B');
    g_assert_cmpuint(a->total + 1, >=, a->local + b->local); /* both are rounded */
    g_assert_cmpuint(a->total, <=, a->local + b->local + 2);
    return a->local + b->local;
}

static void set_after_inlining(const FcFixture *f)
{
    for (guint32 i = 0; i < f->counts->function_count; i++)
        f->counts->functions[i].is_after_inlining = f->counts->functions[i].counted > 0;
}

/* What is left where one stretch takes `once` ticks, and `twice`; `without`: what is left where
 * nothing is known of stretches. */
static guint64 left_of_run(guint stretches, guint64 once, guint64 twice, gboolean is_after_inlining,
                           guint64 *without)
{
    guint64 left[2];
    for (guint with = 0; with < G_N_ELEMENTS(left); with++)
    {
        FcFixture f;
        run(&f, stretches, once, twice);
        if (is_after_inlining)
            set_after_inlining(&f);
        left[with] = left_of(&f, with == 1);
        fc_fixture_stop(&f);
    }
    *without = left[0];
    return left[1];
}

/* Hooks that work twice take so much longer: by that, `weight` counts. */
static void expect_mean(guint64 once, guint64 twice, gboolean is_after_inlining, double weight)
{
    FcFixture f;
    guint64 without;
    const double whole = (double)run(&f, 400, once, twice);
    fc_fixture_stop(&f);
    const double left = (double)left_of_run(400, once, twice, is_after_inlining, &without);
    const double more = twice > once ? (double)(twice - once) / (double)once : 0;
    const double known = (double)without;
    const double expected = known * pow(exp(-0.85 * more) * whole / known, weight);
    const double change = fabs(expected - known);
    g_assert_cmpfloat(change, >, 0.01 * whole);
    g_assert_cmpfloat_with_epsilon(left, expected, 0.2 * change);
}

/* How much longer stretches take when hooks work twice tells what these take there, whatever they
 * do in the calibration: the geometric mean of what is left by that and of what is known without.
 */
static void test_mean(void)
{
    const guint64 cost = CALLS * COUNTED;
    for (gboolean is_after_inlining = FALSE; is_after_inlining <= TRUE; is_after_inlining++)
    {
        expect_mean(3 * cost, 9 * cost / 2, is_after_inlining, 0.5);
        expect_mean(20 * cost, 23 * cost, is_after_inlining, 0.5);
        expect_mean(20 * cost, 15 * cost, is_after_inlining, 0.5);
    }
}

/* Where it is much more than is known without, it counts more. */
static void test_held_up(void)
{
    const guint64 cost = CALLS * COUNTED;
    /* 0.93 of the time is left by the others, 0.61 by this, which is 0.12 more than 0.2 */
    expect_mean(12 * cost, 19 * cost, FALSE, 0.74);
    expect_mean(12 * cost, 36 * cost, FALSE, 0.9);
    expect_mean(12 * cost, 36 * cost, TRUE, 0.9);
}

static void test_few(void)
{
    const guint64 cost = CALLS * COUNTED;
    guint64 without;
    const guint64 left = left_of_run(40, 20 * cost, 30 * cost, FALSE, &without);
    g_assert_cmpuint(left, ==, without);
}

/* Most of the time passes where there are none. */
static void test_uncovered(void)
{
    const guint64 once = CALLS * COUNTED * 3;
    guint64 left[2];
    for (guint with = 0; with < G_N_ELEMENTS(left); with++)
    {
        FcFixture f;
        run_beside(&f, 400, once, 2 * once, 0, 400 * once);
        left[with] = left_of(&f, with == 1);
        fc_fixture_stop(&f);
    }
    g_assert_cmpuint(left[1], ==, left[0]);
}

/* Every fifth stretch has a call that does much: what hooks cost in the others is no part of its
 * time. */
static void test_seldom_long(void)
{
    const guint64 once = CALLS * COUNTED * 12;
    FcFixture f;
    run_unlike(&f, 400, once, once + once / 2, 12 * once);
    const guint64 without = left_of(&f, FALSE);
    fc_fixture_stop(&f);
    run_unlike(&f, 400, once, once + once / 2, 12 * once);
    g_assert_cmpuint(left_of(&f, TRUE), ==, without);
    fc_fixture_stop(&f);
}

/* What is left of A and B after inlining, where the part `within` of B's calls is made within
 * another one of it, which costs twice as much by the calibration. */
static double left_within(double within)
{
    const guint64 once = CALLS * COUNTED * 3;
    FcCallCosts dear = fc_fixture_costs;
    dear.within = 2 * COUNTED;
    FcFixture f;
    const guint64 whole = run(&f, 400, once, once + once / 2);
    set_after_inlining(&f);
    const guint32 a = (guint32)(fc_fixture_context(f.counts, "A") - f.counts->nodes);
    const guint32 b = (guint32)(fc_fixture_context(f.counts, "AB") - f.counts->nodes);
    const guint32 count = f.counts->node_count;
    g_autofree guint32 *frames = g_new0(guint32, count);
    g_autofree double *parts = g_new0(double, f.counts->function_count);
    g_autofree double *busy = g_new0(double, count);
    g_autofree double *local = g_new0(double, count);
    g_autofree guint64 *removed = g_new0(guint64, count);
    frames[a] = frames[b] = a;
    parts[f.counts->nodes[b].function] = within;
    removed[b] = (guint64)((double)fc_counts_unrecorded(f.counts, b) * COUNTED * (1 + within));
    busy[a] = (double)(whole - removed[b]);
    local[a] = (double)whole / 2;
    const FcStretchedTimes times = {
        .frames = frames, .within = parts, .busy = busy, .removed = removed, .local = local};
    fc_stretches_weigh(f.counts, fc_stack_counted(f.stack)->stretches, &dear, &times);
    const double left = local[a];
    g_assert_cmpfloat(left, >, 0.5 * (double)whole);
    fc_fixture_stop(&f);
    return left;
}

/* Stretches tell of all that counted calls cost, also within a recursion: what the calibration has
 * more for these is not taken off beside that. */
static void test_recursion(void)
{
    g_assert_cmpfloat_with_epsilon(left_within(1), left_within(0), 1);
}

/* They leave at least a thirty-second. */
static void test_all(void)
{
    const guint64 once = CALLS * COUNTED * 12;
    guint64 without;
    FcFixture f;
    const double whole = (double)run(&f, 400, once, 8 * once);
    fc_fixture_stop(&f);
    const double left = (double)left_of_run(400, once, 8 * once, FALSE, &without);
    g_assert_cmpfloat_with_epsilon(left, pow((double)without, 0.1) * pow(whole / 32, 0.9),
                                   0.002 * whole);
}

/* What lies between them, where it begins without a sample, and where it doesn't count. */
static void test_stretch(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', OF_A, 0);
    use_up(&f, 10, FC_COUNT_SEEN, FALSE); /* nobody knows since when */
    use_up(&f, 110, FC_COUNT_SEEN, FALSE);
    use_up(&f, 140, FC_COUNT_SEEN, TRUE);
    use_up(&f, 150, FC_COUNT_SAMPLE, FALSE);
    fc_fixture_leave(&f, 200, 'B', OF_B, 1);
    fc_fixture_enter(&f, 210, 'C', OF_C, 1);
    fc_fixture_leave(&f, 220, 'C', OF_C, 1);
    use_up(&f, 1000, FC_COUNT_SEEN, TRUE);            /* C came in between */
    use_up(&f, 1000 + 1000000, FC_COUNT_SEEN, FALSE); /* too long */
    f.stack->is_pending = TRUE; /* it was off the CPU when the next is told of */
    f.stack->off_pending.off = 90;
    f.stack->off_time = 1000 + 1000000;
    use_up(&f, 1000 + 1000000, FC_COUNT_SEEN, FALSE);
    use_up(&f, 1000 + 1000100, FC_COUNT_SEEN, FALSE);
    fc_fixture_leave(&f, 1001110, 'A', OF_A, 0);
    const GArray *all = fc_stack_counted(f.stack)->stretches;
    const guint32 a = (guint32)(fc_fixture_context(f.counts, "A") - f.counts->nodes);
    g_assert_cmpuint(all->len, ==, a + 1);
    const FcStretches *of = &g_array_index(all, FcStretches, a);
    g_assert_cmpfloat(of->count[0], ==, 3);
    g_assert_cmpfloat(of->middle[0], >, log(5));
    g_assert_cmpfloat(of->middle[0], <, log(100));
    g_assert_cmpfloat(of->count[1], ==, 1);
    g_assert_cmpfloat_with_epsilon(of->middle[1], log(30), 1e-9);
    g_assert_cmpfloat(of->ticks, ==, 140);
    fc_fixture_stop(&f);
}

/* It held `length` sevenths of the span. */
static void use_up_long(FcFixture *f, guint64 time, guint length)
{
    const guint told = length << (FC_COUNT_LENGTH_SHIFT - FC_COUNT_RECORD_SHIFT);
    use_up(f, time, (enum FcCountRecord)(FC_COUNT_SEEN | told), FALSE);
}

/* Where one counter was used up twice in a row, how many calls it held tells how long the stretch
 * was; where another was first, it was some part of them. */
static void test_length(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', OF_A, 0);
    use_up_long(&f, 10, 7);
    use_up_long(&f, 10 + 40, 1);
    const FcStretches *of = &g_array_index(fc_stack_counted(f.stack)->stretches, FcStretches,
                                           fc_fixture_context(f.counts, "A") - f.counts->nodes);
    g_assert_cmpfloat_with_epsilon(of->middle[0], log(40 / (0.5 + 0.5 / 7)), 1e-9);
    fc_fixture_count(&f, 60, FC_COUNT_SEEN, 'C', OF_C, 1);
    g_array_set_size(fc_stack_counted(f.stack)->stretches, 0);
    use_up_long(&f, 100, 1);
    of = &g_array_index(fc_stack_counted(f.stack)->stretches, FcStretches,
                        fc_fixture_context(f.counts, "A") - f.counts->nodes);
    g_assert_cmpfloat_with_epsilon(of->middle[0], log(40), 1e-9);
    fc_fixture_stop(&f);
}

/* How long one may be goes with how many calls are in it: eight times 64. */
static void test_many_calls(void)
{
    const guint sparing = 3u << (FC_COUNT_SPARING_SHIFT - FC_COUNT_RECORD_SHIFT);
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', OF_A, 0);
    use_up(&f, 10, (enum FcCountRecord)(FC_COUNT_SEEN | sparing), FALSE);
    use_up(&f, 500010, (enum FcCountRecord)(FC_COUNT_SEEN | sparing), FALSE);
    use_up(&f, 1500010, (enum FcCountRecord)(FC_COUNT_SEEN | sparing), FALSE); /* too long */
    const FcStretches *of = &g_array_index(fc_stack_counted(f.stack)->stretches, FcStretches,
                                           fc_fixture_context(f.counts, "A") - f.counts->nodes);
    g_assert_cmpfloat(of->count[0], ==, 1);
    g_assert_cmpfloat_with_epsilon(of->middle[0], log(500000.0 / 8), 1e-9);
    fc_fixture_stop(&f);
}

/* They go with their context, which is moved and numbered anew: K was called by G, whose calls are
 * counted. */
static void test_moved(void)
{
    const guint64 of_g = fc_fixture_site('A', 2);
    const guint64 of_k = fc_fixture_site('G', 1);
    const guint64 of_e = fc_fixture_site('A', 3);
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', OF_A, 0);
    fc_fixture_enter(&f, 10, 'G', of_g, 1);
    fc_fixture_enter(&f, 11, 'K', of_k, 2);
    fc_fixture_leave(&f, 12, 'K', of_k, 2);
    fc_fixture_leave(&f, 20, 'G', of_g, 1);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'G', of_g, 1);
    fc_fixture_count(&f, 100, FC_COUNT_SAMPLE, 'G', of_g, 1);
    fc_fixture_enter(&f, 101, 'K', of_k, 2);
    fc_fixture_leave(&f, 103, 'K', of_k, 2);
    fc_fixture_leave(&f, 105, 'G', of_g, 1);
    fc_fixture_enter(&f, 300, 'K', of_k, 2);
    use_up_at(&f, 310, FC_COUNT_SEEN, FALSE, 3);
    use_up_at(&f, 320, FC_COUNT_SEEN, FALSE, 3);
    fc_fixture_leave(&f, 330, 'K', of_k, 2);
    fc_fixture_enter(&f, 400, 'E', of_e, 1);
    use_up_at(&f, 410, FC_COUNT_SEEN, FALSE, 2);
    use_up_at(&f, 450, FC_COUNT_SEEN, FALSE, 2);
    use_up_at(&f, 490, FC_COUNT_SEEN, TRUE, 2);
    fc_fixture_leave(&f, 500, 'E', of_e, 1);
    fc_fixture_leave(&f, 1000, 'A', OF_A, 0);
    fc_counted_add(fc_stack_counted(f.stack), of_g, fc_fixture_address('G'), 0, 50);
    fc_counted_settle(fc_stack_counted(f.stack), 0, &fc_fixture_costs);
    const GArray *all = fc_stack_counted(f.stack)->stretches;
    const FcCountsNode *nodes = f.counts->nodes;
    const guint32 k = (guint32)(fc_fixture_context(f.counts, "AGK") - nodes);
    const guint32 e = (guint32)(fc_fixture_context(f.counts, "AE") - nodes);
    g_assert_cmpfloat(g_array_index(all, FcStretches, k).ticks, ==, 10);
    g_assert_cmpfloat(g_array_index(all, FcStretches, e).ticks, ==, 80);
    g_assert_cmpfloat(g_array_index(all, FcStretches, e).count[1], ==, 1);
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stretches/mean", test_mean);
    g_test_add_func("/stretches/held-up", test_held_up);
    g_test_add_func("/stretches/few", test_few);
    g_test_add_func("/stretches/uncovered", test_uncovered);
    g_test_add_func("/stretches/seldom-long", test_seldom_long);
    g_test_add_func("/stretches/recursion", test_recursion);
    g_test_add_func("/stretches/all", test_all);
    g_test_add_func("/stretches/stretch", test_stretch);
    g_test_add_func("/stretches/length", test_length);
    g_test_add_func("/stretches/many-calls", test_many_calls);
    g_test_add_func("/stretches/moved", test_moved);
    return g_test_run();
}
