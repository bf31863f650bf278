/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that were over before there were enough looks at them.
 */
#include "fcmanager/counted-settle.h"
#include "fcmanager/looks.h"
#include "fcmanager/sightings.h"
#include "fcmanager/thread.h"
#include "libfc/beacon.h"
#include "tests/unit/manager_fixture.h"

#define OF_FIRST 0x99u
#define OF_B fc_fixture_site('A', 0)
#define RUN 100000u
#define CALLS 1000u  /* of B, which is counted */
#define LOOK 1000.0  /* the weight of one */
#define LOOKS 5u     /* at a thread: too few */
#define ENOUGH 30.0  /* are not */
#define KINDS 16u    /* are told apart */
#define BEACONS 4096 /* are kept of a kind */

/* A thread that begins with `first`, which calls B. */
static void start(FcFixture *f, char first)
{
    fc_fixture_start(f);
    fc_fixture_enter(f, 0, first, OF_FIRST, 0);
    for (guint i = 0; i < 20; i++)
        fc_fixture_sample(f, 100 + i * 3000, 20, 'B', OF_B, 1);
    fc_fixture_leave(f, RUN, first, OF_FIRST, 0);
    fc_counted_add(fc_stack_counted(f->stack), OF_B, fc_fixture_address('B'), 0, CALLS);
}

static void add(FcObserved *seen, guint64 beacon, double looks)
{
    const FcSighting sighting = {
        .beacon = beacon, .weight = looks * LOOK, .variance = looks * LOOK * LOOK};
    g_array_append_val(seen->sightings, sighting);
    seen->weight += sighting.weight;
    seen->squares += sighting.variance;
}

/* So many looks, a fifth of them at hooks, and half at B. */
static FcObserved observed(double looks)
{
    FcObserved seen = {.sightings = g_array_new(FALSE, FALSE, sizeof(FcSighting)),
                       .looks = (guint64)looks};
    add(&seen, FC_BEACON_HOOK, looks / 5);
    add(&seen, fc_beacon_entered(fc_fixture_address('B'), OF_B), looks / 2);
    add(&seen, fc_beacon_left(fc_fixture_address('B'), OF_B), looks * 3 / 10);
    return seen;
}

/* A thread of that kind is done that was seen so often.  What is known of it then; the caller has
 * none of its sightings. */
static FcObserved end(FcLooks *looks, char first, FcObserved seen)
{
    g_autoptr(GArray) own = seen.sightings;
    FcFixture f;
    start(&f, first);
    fc_counted_settle(fc_stack_counted(f.stack), 0, &fc_fixture_costs);
    fc_looks_add(looks, f.counts, &seen);
    fc_fixture_stop(&f);
    if (seen.sightings == own)
        seen.sightings = NULL;
    return seen;
}

/* Each adds to what is known of those behind it, of its kind. */
static void test_kinds(void)
{
    FcLooks *looks = fc_looks_new();
    for (guint i = 1; i <= 20; i++)
    {
        const FcObserved one = end(looks, 'A', observed(LOOKS));
        g_assert_cmpfloat_with_epsilon(one.weight, i * LOOKS * LOOK, 1e-3);
        g_assert_cmpint(fc_sightings_are_few(&one), ==, i * LOOKS < ENOUGH);
        g_assert_cmpuint(one.looks, ==, LOOKS); /* its own */
        g_assert_cmpuint(one.sightings->len, ==, 3);
        const FcSighting *in_b = &g_array_index(one.sightings, FcSighting, 1);
        g_assert_cmpfloat_with_epsilon(in_b->weight, one.weight / 2, 1e-3);
        const double alike = 0.25 * in_b->weight; /* how much threads may differ */
        g_assert_cmpfloat_with_epsilon(in_b->variance - alike * alike, LOOK * one.weight / 2, 1);
    }
    g_assert_cmpfloat(end(looks, 'D', observed(LOOKS)).weight, ==, LOOKS * LOOK);
    /* nobody looked at it, but at others */
    const FcObserved unseen = {.sightings = NULL};
    const FcObserved of_others = end(looks, 'A', unseen);
    g_assert_cmpfloat_with_epsilon(of_others.weight, 20 * LOOKS * LOOK, 1e-3);
    g_assert_cmpuint(of_others.looks, ==, 0);
    fc_looks_forget(looks);
    g_assert_cmpfloat(end(looks, 'A', observed(LOOKS)).weight, ==, LOOKS * LOOK);
    fc_looks_free(looks);
}

/* A thread of kind A that calls B and C so often was seen at them so often, and at hooks once;
 * `seen` NULL: it was not watched. */
static FcObserved end_of_calls(FcLooks *looks, const guint calls[2], const double *seen)
{
    const guint64 sites[2] = {OF_B, fc_fixture_site('A', 1)};
    g_autoptr(GArray) own = seen ? g_array_new(FALSE, FALSE, sizeof(FcSighting)) : NULL;
    FcObserved observed = {.sightings = own};
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', OF_FIRST, 0);
    if (seen)
        add(&observed, FC_BEACON_HOOK, 1);
    for (guint which = 0; which < 2; which++)
    {
        const char callee = (char)('B' + which);
        for (guint i = 0; i < calls[which]; i++)
        {
            fc_fixture_enter(&f, RUN + i, callee, sites[which], 1);
            fc_fixture_leave(&f, RUN + i, callee, sites[which], 1);
        }
        if (seen && seen[which] > 0)
            add(&observed, fc_beacon_entered(fc_fixture_address(callee), sites[which]),
                seen[which]);
    }
    fc_fixture_leave(&f, 2 * RUN, 'A', OF_FIRST, 0);
    fc_looks_add(looks, f.counts, &observed);
    fc_fixture_stop(&f);
    return observed;
}

/* Threads that begin alike may do other things: a call is what is alike. */
static void test_calls(void)
{
    const double expected[] = {2, 2, 6}; /* at hooks, at B, at C */
    FcLooks *looks = fc_looks_new();
    end_of_calls(looks, (const guint[]){1000, 0}, (const double[]){4, 0});
    end_of_calls(looks, (const guint[]){0, 1000}, (const double[]){0, 4});
    const FcObserved seen = end_of_calls(looks, (const guint[]){500, 1500}, NULL);
    g_assert_cmpuint(seen.sightings->len, ==, G_N_ELEMENTS(expected));
    g_assert_cmpfloat_with_epsilon(seen.weight, 10 * LOOK, 1e-3);
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
    {
        const double weight = g_array_index(seen.sightings, FcSighting, i).weight;
        g_assert_cmpfloat_with_epsilon(weight, expected[i] * LOOK, 0.01 * LOOK);
    }
    /* it was not watched, and tells nothing of others */
    const FcObserved same = end_of_calls(looks, (const guint[]){500, 1500}, NULL);
    const double at_c = g_array_index(same.sightings, FcSighting, 2).weight;
    g_assert_cmpfloat_with_epsilon(at_c, 6 * LOOK, 0.01 * LOOK);
    fc_looks_free(looks);
}

/* Of 400 looks those at what the thread does are three: too few, however much they are made of. */
static void test_worth(void)
{
    FcLooks *looks = fc_looks_new();
    end_of_calls(looks, (const guint[]){1000, 10}, (const double[]){397, 2});
    const FcObserved few = end_of_calls(looks, (const guint[]){0, 10}, NULL);
    g_assert_true(fc_sightings_are_few(&few));
    const FcObserved many = end_of_calls(looks, (const guint[]){100, 1}, NULL);
    g_assert_false(fc_sightings_are_few(&many));
    fc_looks_free(looks);
}

/* Nobody saw anything of what it does. */
static void test_none(void)
{
    FcLooks *looks = fc_looks_new();
    FcObserved seen = {.sightings = g_array_new(FALSE, FALSE, sizeof(FcSighting))};
    add(&seen, fc_beacon_entered(fc_fixture_address('B'), OF_B), 100);
    end(looks, 'A', seen);
    const FcObserved none = end_of_calls(looks, (const guint[]){0, 10}, NULL);
    g_assert_null(none.sightings);
    g_assert_cmpfloat(none.weight, ==, 0);
    fc_looks_free(looks);
}

/* What a thread's function took by the looks, which a calibrated hook does not tell. */
static guint64 local_of_b(FcLooks *looks, gboolean is_told)
{
    FcFixture f;
    start(&f, 'A');
    FcThread *thread = fc_thread_new(1, f.counts, f.stack, NULL);
    fc_thread_settle(thread, TRUE, &fc_fixture_costs, looks);
    g_assert_cmpuint(thread->counts->looks, ==, is_told ? 1 : 0);
    const guint64 local = fc_fixture_function(thread->counts, 'B')->local;
    fc_thread_free(thread);
    fc_modules_free(f.modules);
    return local;
}

/* The times of a thread that nobody looked at are told by those before it: B takes half. */
static void test_times(void)
{
    FcLooks *looks = fc_looks_new();
    const guint64 alone = local_of_b(looks, FALSE);
    g_assert_cmpuint(alone, <, 15000); /* about 10 a call */
    end(looks, 'D', observed(1000));
    g_assert_cmpuint(local_of_b(looks, FALSE), ==, alone);
    end(looks, 'A', observed(1000));
    g_assert_cmpuint(local_of_b(looks, TRUE), >, 35000);
    fc_looks_free(looks);
}

/* Neither threads of ever new kinds nor ever new beacons fill the memory: they are left alone. */
static void test_bounds(void)
{
    FcLooks *looks = fc_looks_new();
    FcObserved wild = observed(LOOKS);
    for (guint64 i = wild.sightings->len; i < BEACONS; i++)
        add(&wild, fc_beacon_entered(i << 4, 0), 1);
    end(looks, 'A', wild);
    const FcObserved known = end(looks, 'A', observed(LOOKS)); /* of these three there is no room */
    g_assert_null(known.sightings);
    g_assert_cmpfloat(known.weight, ==, LOOKS * LOOK);
    for (guint i = 1; i < KINDS; i++)
        g_assert_nonnull(end(looks, (char)('A' + i), observed(LOOKS)).sightings);
    g_assert_null(end(looks, (char)('A' + KINDS), observed(LOOKS)).sightings);
    g_assert_nonnull(end(looks, 'D', observed(LOOKS)).sightings);
    fc_looks_free(looks);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/looks/kinds", test_kinds);
    g_test_add_func("/looks/calls", test_calls);
    g_test_add_func("/looks/worth", test_worth);
    g_test_add_func("/looks/none", test_none);
    g_test_add_func("/looks/times", test_times);
    g_test_add_func("/looks/bounds", test_bounds);
    return g_test_run();
}
