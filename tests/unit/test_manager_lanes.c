/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a thread was off the CPU: the buckets alone, and from its records.
 */
#include "fcmanager/counts/lanes.h"
#include "fcmanager/stack/frames.h"
#include "tests/unit/manager_fixture.h"

#define SITE(letter, number) fc_fixture_site((letter), (number))

static FcLaneTimes sum_of(const FcLanes *lanes)
{
    FcLaneTimes sum = {0};
    for (guint i = 0; i < lanes->room; i++)
    {
        sum.off += lanes->times[i].off;
        sum.preempted += lanes->times[i].preempted;
    }
    return sum;
}

static guint64 off_in(const FcLanes *lanes, guint bucket)
{
    return bucket < lanes->room ? lanes->times[bucket].off : 0;
}

static void test_spread(void)
{
    FcLanes *lanes = fc_lanes_new(1000, 100);
    fc_lanes_add(lanes, 1050, 1300, (FcLaneTimes){250, 0});
    fc_lanes_add(lanes, 1300, 1400, (FcLaneTimes){50, 50}); /* exactly one */
    g_assert_cmpuint(off_in(lanes, 0), ==, 50);
    g_assert_cmpuint(off_in(lanes, 1), ==, 100);
    g_assert_cmpuint(off_in(lanes, 2), ==, 100);
    g_assert_cmpuint(off_in(lanes, 3), ==, 50);
    g_assert_cmpuint(lanes->times[3].preempted, ==, 50);
    g_assert_cmpuint(off_in(lanes, 4), ==, 0);
    fc_lanes_add(lanes, 1400, 1700, (FcLaneTimes){31, 0}); /* evenly, and no tick is lost */
    g_assert_cmpuint(off_in(lanes, 4), ==, 10);
    g_assert_cmpuint(off_in(lanes, 5), ==, 10);
    g_assert_cmpuint(off_in(lanes, 6), ==, 11);
    fc_lanes_add(lanes, 0, 1000, (FcLaneTimes){7, 0}); /* before the start, and at it */
    fc_lanes_add(lanes, 1000, 1000, (FcLaneTimes){8, 0});
    g_assert_cmpuint(off_in(lanes, 0), ==, 65);
    g_assert_cmpuint(lanes->width, ==, 100);
    fc_lanes_free(lanes);
}

/* The width doubles exactly when the last bucket is full, and what was in two is in one. */
static void test_doubling(void)
{
    FcLanes *lanes = fc_lanes_new(0, 10);
    for (guint64 i = 0; i < FC_LANE_BUCKETS; i++)
        fc_lanes_add(lanes, 10 * i, 10 * (i + 1), (FcLaneTimes){i % 10, i % 3});
    g_assert_cmpuint(lanes->width, ==, 10);
    g_assert_cmpuint(lanes->room, ==, FC_LANE_BUCKETS);
    fc_lanes_cover(lanes, 10 * FC_LANE_BUCKETS);
    g_assert_cmpuint(lanes->width, ==, 10);
    fc_lanes_cover(lanes, 10 * FC_LANE_BUCKETS + 1);
    g_assert_cmpuint(lanes->width, ==, 20);
    for (guint64 i = 0; i < FC_LANE_BUCKETS / 2; i++)
    {
        g_assert_cmpuint(off_in(lanes, i), ==, (2 * i) % 10 + (2 * i + 1) % 10);
        g_assert_cmpuint(lanes->times[i].preempted, ==, (2 * i) % 3 + (2 * i + 1) % 3);
        g_assert_cmpuint(off_in(lanes, FC_LANE_BUCKETS / 2 + i), ==, 0);
    }
    const FcLaneTimes before = sum_of(lanes);
    fc_lanes_add(lanes, 0, G_MAXUINT64, (FcLaneTimes){G_MAXINT64, 0}); /* at once */
    g_assert_cmpuint(sum_of(lanes).off, ==, before.off + G_MAXINT64);
    g_assert_cmpuint(lanes->room, ==, FC_LANE_BUCKETS);
    g_assert_cmpuint(G_MAXUINT64 / lanes->width, <, FC_LANE_BUCKETS);
    fc_lanes_free(lanes);
}

/* At random: sums are right, no bucket has more than its width, and there is a limit to memory. */
static void test_random(void)
{
    FcLanes *lanes = fc_lanes_new(500, 16);
    FcLaneTimes all = {0};
    guint64 time = 500;
    for (guint i = 0; i < 20000; i++)
    {
        const guint64 from = time + g_test_rand_int_range(0, 40);
        time = from + g_test_rand_int_range(1, i % 50 == 0 ? 5000 : 50);
        const guint64 off = (guint64)g_test_rand_int_range(0, (gint)(time - from) + 1);
        const FcLaneTimes more = {off, i % 3 == 0 ? off : 0};
        fc_lanes_add(lanes, from, time, more);
        all.off += more.off;
        all.preempted += more.preempted;
    }
    g_assert_cmpuint(sum_of(lanes).off, ==, all.off);
    g_assert_cmpuint(sum_of(lanes).preempted, ==, all.preempted);
    g_assert_cmpuint(lanes->room * sizeof *lanes->times + sizeof *lanes, <=, 4096);
    g_assert_cmpuint(time - lanes->start, <=, lanes->width * FC_LANE_BUCKETS);
    g_assert_cmpuint(time - lanes->start, >, lanes->width / 2 * FC_LANE_BUCKETS);
    for (guint i = 0; i < lanes->room; i++)
        g_assert_cmpuint(off_in(lanes, i), <=, lanes->width + 1000); /* each part is rounded */
    fc_lanes_take_back(lanes, (FcLaneTimes){all.off - 100, all.preempted - 10});
    g_assert_cmpuint(sum_of(lanes).off, ==, 100);
    g_assert_cmpuint(off_in(lanes, 0) + off_in(lanes, 1), ==, 100);
    fc_lanes_take_back(lanes, all); /* no less than nothing */
    g_assert_cmpuint(sum_of(lanes).off, ==, 0);
    g_assert_cmpuint(sum_of(lanes).preempted, ==, 0);
    fc_lanes_free(lanes);
}

static void check_sums(const FcFixture *f, const FcLanes *lanes)
{
    FcStackOff all;
    fc_stack_get_off(f->stack, &all);
    g_assert_cmpuint(sum_of(lanes).off, ==, all.off);
    g_assert_cmpuint(sum_of(lanes).preempted, ==, all.preempted);
}

/* In a call of A it runs for 5 ms, waits for 20 ms, and runs for 5 ms (a tick is 1 ns). */
static void test_of_records(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 5000000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 25000000, 20000000, 1);
    fc_fixture_leave(&f, 25000000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 30000000, 'A', 0x99, 0);
    FcLanes *lanes = fc_stack_take_lanes(f.stack, 30000000);
    check_sums(&f, lanes);
    g_assert_cmpuint(lanes->start, ==, 0);
    g_assert_cmpuint(lanes->width, ==, 1000000);
    for (guint i = 0; i < 30; i++)
        g_assert_cmpuint(off_in(lanes, i), ==, i >= 5 && i < 25 ? 1000000 : 0);
    fc_lanes_free(lanes);
    fc_fixture_stop(&f);
}

/* The time that had no room before its record, and that which was after the last function. */
static void test_pending_and_outside(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_seen(&f, 100, 8000000, 0);
    fc_fixture_enter(&f, 9000000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 10000000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 10000100, 28000000, 0); /* 100 before it; the rest finds no room */
    fc_fixture_leave(&f, 11000000, 'A', 0x99, 0);
    fc_fixture_seen(&f, 60000000, 60000000, 1); /* in no function */
    fc_stack_end_outside(f.stack);
    g_assert_cmpuint(fc_stack_last_time(f.stack), ==, 11000000);
    FcLanes *lanes = fc_stack_take_lanes(f.stack, 11000000);
    check_sums(&f, lanes);
    g_assert_cmpuint(sum_of(lanes).off, ==, 28000000);
    g_assert_cmpuint(sum_of(lanes).preempted, ==, 28000000);
    fc_lanes_free(lanes);
    fc_fixture_stop(&f);
}

/* No look told of any time: nothing is known. */
static void test_unknown(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_leave(&f, 1000, 'A', 0x99, 0);
    g_assert_null(fc_stack_take_lanes(f.stack, 1000));
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lanes/spread", test_spread);
    g_test_add_func("/lanes/doubling", test_doubling);
    g_test_add_func("/lanes/random", test_random);
    g_test_add_func("/lanes/of-records", test_of_records);
    g_test_add_func("/lanes/pending-and-outside", test_pending_and_outside);
    g_test_add_func("/lanes/unknown", test_unknown);
    return g_test_run();
}
