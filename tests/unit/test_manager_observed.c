/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What becomes of a thread's times where it was seen at its functions.
 */
#include "fcmanager/estimate/counted-attribute.h"
#include "fcmanager/estimate/observed.h"
#include "libfc/current-word.h"
#include "tests/unit/manager_fixture.h"

#define OF_A 0x99u
#define OF_B fc_fixture_site('A', 0)
#define OF_C fc_fixture_site('A', 1)

/* A takes RUN ticks, of which it is within C, which is recorded and has no hooks in it, for the
 * last WITHIN_C.  B, which is called in the others, is counted. */
#define RUN 100000u
#define WITHIN_C 20000u
#define SAMPLES 20u
#define CALLS 1000u /* of B */

static void run_with(FcFixture *f, guint calls, guint samples)
{
    fc_fixture_start(f);
    fc_fixture_enter(f, 0, 'A', OF_A, 0);
    for (guint i = 0; i < samples; i++)
        fc_fixture_sample(f, 100 + i * 3000, 20, 'B', OF_B, 1);
    fc_fixture_enter(f, RUN - WITHIN_C, 'C', OF_C, 1);
    fc_fixture_leave(f, RUN, 'C', OF_C, 1);
    fc_fixture_leave(f, RUN, 'A', OF_A, 0);
    FcCounted *counted = fc_stack_counted(f->stack);
    fc_counted_add(counted, fc_counted_find(counted, OF_B, fc_fixture_address('B'), 0), calls,
                   FALSE);
    fc_counted_attribute(counted, 0, &fc_fixture_overhead);
}

static void run(FcFixture *f)
{
    run_with(f, CALLS, SAMPLES);
}

/* Seen so many times in a thousand. */
typedef struct
{
    guint64 current_word;
    guint samples;
} Seen;

static FcObserved observed(const Seen *seen, guint count, double weight)
{
    FcObserved all = {.words = g_array_new(FALSE, FALSE, sizeof(FcSampledWord))};
    for (guint i = 0; i < count; i++)
    {
        const double of_it = seen[i].samples * weight;
        const FcSampledWord sample = {
            .current_word = seen[i].current_word, .weight = of_it, .variance = of_it * weight};
        g_array_append_val(all.words, sample);
        all.weight += sample.weight;
        all.samples += seen[i].samples;
    }
    return all;
}

/* Local times, and what was taken off them. */
typedef struct
{
    guint64 local[3];
    guint64 cost[3];
    guint64 all; /* the sums */
} Times;

static Times times_of(FcFixture *f)
{
    Times times = {.all = 0};
    fc_counts_sum_functions(f->counts);
    for (guint i = 0; i < 3; i++)
    {
        const FcCountsFunction *function = fc_fixture_function(f->counts, (char)('A' + i));
        times.local[i] = function->local;
        times.cost[i] = function->cost_local;
        times.all += times.local[i] + times.cost[i];
    }
    return times;
}

static Times times_of_calls(const Seen *seen, guint count, double weight, guint calls,
                            guint samples)
{
    FcFixture f;
    run_with(&f, calls, samples);
    FcObserved all = observed(seen, count, weight);
    fc_overhead_subtract(f.counts, &fc_fixture_overhead, &all);
    const Times times = times_of(&f);
    const FcCountsFunction *a = fc_fixture_function(f.counts, 'A');
    const FcCountsFunction *b = fc_fixture_function(f.counts, 'B');
    g_assert_cmpuint(b->calls, ==, calls);
    g_assert_cmpuint(b->total, ==, b->local);
    g_assert_cmpuint(b->cost_total, ==, b->cost_local);
    g_assert_cmpuint(a->total + a->cost_total, ==, RUN);
    g_assert_cmpuint(times.all, >=, RUN - 3); /* rounded */
    g_assert_cmpuint(times.all, <=, RUN + 3);
    g_array_unref(all.words);
    fc_fixture_stop(&f);
    return times;
}

#define IN_A fc_current_left(fc_fixture_address('B'), OF_B)
#define IN_B fc_current_entered(fc_fixture_address('B'), OF_B)
#define IN_C fc_current_entered(fc_fixture_address('C'), OF_C)
#define WITH(seen, weight) times_of_calls(seen, G_N_ELEMENTS(seen), weight, CALLS, SAMPLES)

/* B was estimated at about 10 ticks a call: 10,000.  Seen were 30,000, and 35,000 of A. */
static void test_seen(void)
{
    const Seen seen[] = {{FC_CURRENT_HOOK, 150}, {IN_A, 350}, {IN_B, 300}, {IN_C, 200}};
    const Times times = WITH(seen, 1000);
    g_assert_cmpuint(times.local[1], >=, 24000);
    g_assert_cmpuint(times.local[1], <=, 32000);
    g_assert_cmpuint(times.local[0], >=, 28000);
    g_assert_cmpuint(times.local[0], <=, 40000);
    /* by the calibration they are 8,000 */
    g_assert_cmpuint(times.cost[0] + times.cost[1], >=, 11000);
}

/* Half of the calls of B are by itself: whatever is seen of B, so much of it is theirs. */
static void test_recursion(void)
{
    const guint64 within = fc_fixture_site('B', 0);
    const Seen seen[] = {{FC_CURRENT_HOOK, 100}, {IN_A, 300}, {IN_B, 600}};
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', OF_A, 0);
    fc_fixture_enter(&f, 100, 'B', OF_B, 1);
    fc_fixture_enter(&f, 110, 'B', within, 2);
    fc_fixture_leave(&f, 111, 'B', within, 2);
    fc_fixture_leave(&f, 120, 'B', OF_B, 1);
    for (guint i = 1; i < SAMPLES; i++)
        fc_fixture_sample(&f, 100 + i * 3000, 20, 'B', OF_B, 1);
    fc_fixture_leave(&f, RUN, 'A', OF_A, 0);
    FcCounted *counted = fc_stack_counted(f.stack);
    fc_counted_add(counted, fc_counted_find(counted, OF_B, fc_fixture_address('B'), 0), CALLS,
                   FALSE);
    fc_counted_add(counted, fc_counted_find(counted, within, fc_fixture_address('B'), 0), CALLS,
                   FALSE);
    fc_counted_attribute(counted, 0, &fc_fixture_overhead);
    FcObserved all = observed(seen, G_N_ELEMENTS(seen), 1000);
    fc_overhead_subtract(f.counts, &fc_fixture_overhead, &all);
    const guint64 total = fc_fixture_function(f.counts, 'B')->total;
    g_assert_cmpuint(total, >=, 40000);
    g_assert_cmpuint(fc_fixture_arc(f.counts, 'B', within, 'B')->total, >=, total * 2 / 5);
    g_assert_cmpuint(fc_fixture_arc(f.counts, 'B', within, 'B')->total, <=, total * 3 / 5);
    g_array_unref(all.words);
    fc_fixture_stop(&f);
}

/* All of the frame was in one call of B, and nobody timed that: the other one, which was, took 10,
 * and is not believed, as samples that see 80,000 are no chance. */
static void test_unseen(void)
{
    const Seen seen[] = {{IN_A, 2}, {IN_B, 798}, {IN_C, 200}};
    const Times times = times_of_calls(seen, G_N_ELEMENTS(seen), 1000, 2, 1);
    g_assert_cmpuint(times.local[1], >=, 70000);
    g_assert_cmpuint(times.local[0], <=, 1000);
}

/* What was measured, and has no hooks in it, is as it was, whatever was seen. */
static void test_measured(void)
{
    const Seen seen[] = {{FC_CURRENT_HOOK, 400}, {IN_A, 350}, {IN_B, 200}, {IN_C, 50}};
    const Times times = WITH(seen, 1000);
    g_assert_cmpuint(times.local[2], >=, WITHIN_C - 40);
    g_assert_cmpuint(times.local[2], <=, WITHIN_C);
}

/* The time of the recorded frame is all that there is, however much more was seen. */
static void test_frame(void)
{
    const Seen seen[] = {{FC_CURRENT_HOOK, 1}, {IN_A, 450}, {IN_B, 549}};
    const Times times = WITH(seen, 1000);
    g_assert_cmpuint(times.local[0] + times.local[1], <=, RUN - WITHIN_C + 2);
    g_assert_cmpuint(times.local[1], >=, 35000);
}

/* Code that is instrumented after inlining leaves its call site alone. */
static void test_site(void)
{
    const Seen by_function[] = {{FC_CURRENT_HOOK, 200}, {IN_A, 350}, {IN_B, 250}, {IN_C, 200}};
    const Seen by_site[] = {
        {FC_CURRENT_HOOK, 200}, {fc_current_left_to(OF_B), 350}, {IN_B, 250}, {IN_C, 200}};
    const Times one = WITH(by_function, 1000);
    const Times other = WITH(by_site, 1000);
    g_assert_cmpuint(one.local[0], ==, other.local[0]);
    g_assert_cmpuint(one.local[1], ==, other.local[1]);
}

/* B is called so often that hooks take half of the frame, as samples see, too.  Arguments and
 * registers are sampled as B's and A's time, and are not. */
static void test_outside(void)
{
    const Seen seen[] = {{FC_CURRENT_HOOK, 400}, {IN_A, 300}, {IN_B, 100}, {IN_C, 200}};
    const Times times = times_of_calls(seen, G_N_ELEMENTS(seen), 100, 5 * CALLS, SAMPLES);
    g_assert_cmpuint(times.local[1], >=, RUN / 10 / 3);
    g_assert_cmpuint(times.local[1], <=, RUN / 10 * 2 / 3);
}

static void expect_nothing(const Seen *seen, guint count)
{
    FcFixture f;
    run(&f);
    fc_overhead_subtract(f.counts, &fc_fixture_overhead, NULL);
    const Times without = times_of(&f);
    fc_fixture_stop(&f);
    const Times with = times_of_calls(seen, count, 1000, CALLS, SAMPLES);
    for (guint i = 0; i < 3; i++)
    {
        g_assert_cmpuint(with.local[i], ==, without.local[i]);
        g_assert_cmpuint(with.cost[i], ==, without.cost[i]);
    }
}

/* Few samples say nothing, nor do many at unknown addresses. */
static void test_too_little(void)
{
    const Seen few[] = {{FC_CURRENT_HOOK, 4}, {IN_A, 15}, {IN_B, 4}, {IN_C, 5}};
    expect_nothing(few, G_N_ELEMENTS(few));
    const Seen strange[] = {{FC_CURRENT_HOOK, 200}, {IN_A, 300}, {IN_B, 300}, {0x1234567890, 200}};
    expect_nothing(strange, G_N_ELEMENTS(strange));
    const Seen outside[] = {{fc_current_left(fc_fixture_address('A'), OF_A), 1000}};
    expect_nothing(outside, G_N_ELEMENTS(outside));
}

/* B was estimated at about 10,000 ticks.  Of 20 samples none may have met that by chance; of 200
 * hardly two alone, when the time of three is the likeliest. */
static void test_few(void)
{
    const Seen none[] = {{FC_CURRENT_HOOK, 6}, {IN_A, 11}, {IN_C, 3}};
    expect_nothing(none, G_N_ELEMENTS(none));
    const Seen two[] = {{FC_CURRENT_HOOK, 20}, {IN_A, 150}, {IN_B, 2}, {IN_C, 28}};
    const Times times = WITH(two, 1000);
    g_assert_cmpuint(times.local[1], >=, RUN / 200 / 2);
    g_assert_cmpuint(times.local[1], <=, 3 * RUN / 200);
    g_assert_cmpuint(times.local[0], >=, 40000);
}

/* Of 40 samples 20 were in B, so it took more than 10,000 ticks, and what that would leave of A is
 * too much. */
static void test_few_contradict(void)
{
    const Seen seen[] = {{FC_CURRENT_HOOK, 8}, {IN_A, 4}, {IN_B, 20}, {IN_C, 8}};
    const Times times = WITH(seen, 1000);
    g_assert_cmpuint(times.local[0], >=, RUN * 4 / 40 / 2);
    g_assert_cmpuint(times.local[0], <=, RUN * 5 / 40);
    g_assert_cmpuint(times.local[1], >=, RUN * 20 / 40 / 2);
    g_assert_cmpuint(times.local[1], <=, RUN * 21 / 40);
}

/* Before anybody looked A was at work for most of its time: what was seen is of the rest. */
static void test_late(void)
{
    const Seen seen[] = {{FC_CURRENT_HOOK, 300}, {IN_A, 100}, {IN_B, 300}, {IN_C, 300}};
    FcFixture f;
    run(&f);
    FcObserved all = observed(seen, G_N_ELEMENTS(seen), 1000);
    GArray *before = g_array_new(FALSE, TRUE, sizeof(guint64));
    g_array_set_size(before, f.counts->function_count);
    const FcCountsNode *a = fc_fixture_context(f.counts, "A");
    g_array_index(before, guint64, a->function) = RUN * 4 / 10;
    all.before = before;
    fc_overhead_subtract(f.counts, &fc_fixture_overhead, &all);
    const Times times = times_of(&f);
    g_assert_cmpuint(times.local[0], >=, RUN * 4 / 10);
    g_assert_cmpuint(times.local[1], >=, 10000);
    g_assert_cmpuint(times.local[1], <=, RUN * 6 / 10 * 3 / 10);
    g_array_unref(before);
    g_array_unref(all.words);
    fc_fixture_stop(&f);
}

/* More samples, less error. */
static void test_variance(void)
{
    const Seen seen[] = {{FC_CURRENT_HOOK, 15}, {IN_A, 35}, {IN_B, 30}, {IN_C, 20}};
    double variance[2];
    for (guint i = 0; i < 2; i++)
    {
        FcFixture f;
        run(&f);
        Seen more[G_N_ELEMENTS(seen)];
        for (guint k = 0; k < G_N_ELEMENTS(seen); k++)
            more[k] = (Seen){seen[k].current_word, seen[k].samples * (i == 0 ? 1 : 100)};
        FcObserved all = observed(more, G_N_ELEMENTS(more), 1000);
        fc_overhead_subtract(f.counts, &fc_fixture_overhead, &all);
        variance[i] = fc_fixture_function(f.counts, 'B')->local_variance;
        g_array_unref(all.words);
        fc_fixture_stop(&f);
    }
    g_assert_cmpfloat(variance[1], >, 0);
    g_assert_cmpfloat(variance[1], <, variance[0]);
}

/* A calls B, deeper than FC_DEPTH: where the thread was seen in B, that was A's time. */
static void test_deep(void)
{
    enum
    {
        WITHOUT_HOOKS = RUN / 4
    };
    const Seen seen[] = {{IN_A, 100}, {IN_B, 150}, {FC_CURRENT_HOOK, 750}};
    guint64 local[2];
    for (guint i = 0; i < 2; i++)
    {
        FcFixture f;
        fc_fixture_start(&f);
        fc_fixture_enter(&f, 0, 'A', OF_A, 0);
        fc_fixture_count(&f, 50, FC_COUNT_DEEP_SEEN, 'B', OF_B, 1);
        fc_fixture_leave(&f, RUN, 'A', OF_A, 0);
        FcCounted *counted = fc_stack_counted(f.stack);
        fc_counted_add(counted, fc_counted_find(counted, OF_B, fc_fixture_address('B'), 0),
                       5 * CALLS, TRUE);
        fc_counted_attribute(counted, 0, &fc_fixture_overhead);
        FcObserved all = observed(seen, G_N_ELEMENTS(seen), 1);
        fc_overhead_subtract(f.counts, &fc_fixture_overhead, i == 0 ? NULL : &all);
        fc_counts_sum_functions(f.counts);
        const FcCountsFunction *a = fc_fixture_function(f.counts, 'A');
        const FcCountsFunction *b = fc_fixture_function(f.counts, 'B');
        g_assert_cmpuint(b->calls, ==, 5 * CALLS);
        g_assert_cmpuint(b->total + b->local + b->cost_total + b->cost_local, ==, 0);
        g_assert_cmpuint(a->local + a->cost_local, ==, RUN);
        local[i] = a->local;
        g_array_unref(all.words);
        fc_fixture_stop(&f);
    }
    /* by the calibration hooks took 40 ticks in 100, by the samples three quarters */
    g_assert_cmpuint(local[0], >, RUN / 2);
    g_assert_cmpuint(local[1], <, local[0]);
    g_assert_cmpuint(local[1], >, WITHOUT_HOOKS / 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/observed/seen", test_seen);
    g_test_add_func("/observed/recursion", test_recursion);
    g_test_add_func("/observed/unseen", test_unseen);
    g_test_add_func("/observed/measured", test_measured);
    g_test_add_func("/observed/frame", test_frame);
    g_test_add_func("/observed/site", test_site);
    g_test_add_func("/observed/outside", test_outside);
    g_test_add_func("/observed/too-little", test_too_little);
    g_test_add_func("/observed/few", test_few);
    g_test_add_func("/observed/few-contradict", test_few_contradict);
    g_test_add_func("/observed/late", test_late);
    g_test_add_func("/observed/variance", test_variance);
    g_test_add_func("/observed/deep", test_deep);
    return g_test_run();
}
