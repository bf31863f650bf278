/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time off the CPU for which there is no room before the look that tells of it.
 */
#include "fcmanager/counts/waits.h"
#include "fcmanager/stack/frames.h"
#include "tests/unit/manager_fixture.h"

#define SITE(letter, number) fc_fixture_site((letter), (number))

/* In a call of A, at the time 0. */
static void start_in_a(FcFixture *f)
{
    fc_fixture_start(f);
    fc_fixture_seen(f, 0, 0, 0);
    fc_fixture_enter(f, 0, 'A', 0x99, 0);
}

static void check_off(const FcFixture *f, guint64 off, guint64 unplaced)
{
    FcStackOff all;
    fc_stack_get_off(f->stack, &all);
    g_assert_cmpuint(all.off, ==, off);
    g_assert_cmpuint(all.unplaced, ==, unplaced);
}

/* More than the time since the record before: the thread lost the CPU after the hook had read its
 * clock, so it is the time of what goes on then. */
static void test_later(void)
{
    FcFixture f;
    start_in_a(&f);
    fc_fixture_seen(&f, 100, 80000, 0);
    fc_fixture_enter(&f, 100, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 90000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 90100, 150000, 0);
    fc_fixture_leave(&f, 90100, 'A', 0x99, 0); /* outside of all */
    fc_fixture_check(&f, 'A', 90100, 200, 80100, 200);
    fc_fixture_check(&f, 'B', 89900, 89900, 79900, 79900);
    fc_fixture_check_range(&f, 'B', 10000, 10000, 10000, 10000);
    fc_fixture_stop(&f);
}

/* More than there is room for behind the record, too: nobody saw when that was.  It is the thread's
 * and is spread over what this did. */
static void test_unplaced(void)
{
    FcFixture f;
    FcStackOff all;
    start_in_a(&f);
    fc_fixture_enter(&f, 10000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 910000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 911000, 455000, 0); /* 1,000 of it in A */
    fc_fixture_enter(&f, 911000, 'C', SITE('A', 1), 1);
    fc_fixture_leave(&f, 920000, 'C', SITE('A', 1), 1);
    fc_fixture_leave(&f, 1000000, 'A', 0x99, 0);
    fc_fixture_check_waits(&f, "A", 1000, 1000);
    check_off(&f, 455000, 454000);
    fc_stack_get_off(f.stack, &all);
    g_assert_cmpuint(all.preempted, ==, 455000);
    fc_waits_spread(f.counts, 499500); /* half of the time on the CPU */
    fc_waits_bound(f.counts);
    fc_counts_sum_functions(f.counts);
    fc_fixture_check(&f, 'A', 1000000, 91000, 500500, 46000);
    fc_fixture_check(&f, 'B', 900000, 900000, 450000, 450000);
    fc_fixture_check(&f, 'C', 9000, 9000, 4500, 4500);
    fc_fixture_check_arc_wait(&f, 'A', SITE('A', 0), 'B', 450000);
    fc_fixture_check_waits(&f, "A", 500500, 46000);
    fc_waits_spread(f.counts, G_MAXUINT64); /* no more than there is */
    fc_waits_bound(f.counts);
    fc_fixture_check_waits(&f, "A", 1000000, 91000);
    fc_waits_spread(f.counts, 1);
    fc_fixture_check_waits(&f, "A", 1000000, 91000);
    fc_fixture_stop(&f);
}

/* The stack is closed before another record comes: for so long the time goes on there. */
static void test_at_end(void)
{
    for (guint late = 0; late < 2; late++)
    {
        FcFixture f;
        start_in_a(&f);
        fc_fixture_seen(&f, 100, 80000, 0);
        fc_stack_close(f.stack, late ? 80100 : 50000);
        check_off(&f, 80000, late ? 0 : 79900);
        fc_fixture_check_waits(&f, "A", late ? 80000 : 100, late ? 80000 : 100);
        fc_fixture_stop(&f);
    }
}

/* The room that it takes is not there for what the next record tells of. */
static void test_then_more(void)
{
    FcFixture f;
    start_in_a(&f);
    fc_fixture_seen(&f, 100, 80000, 0);
    fc_fixture_enter(&f, 100, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 90000, 150000, 0); /* 10,000 in B, 60,000 behind this */
    fc_fixture_leave(&f, 90000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 200000, 'A', 0x99, 0);
    fc_fixture_check_waits(&f, "AB", 89900, 89900);
    fc_fixture_check_waits(&f, "A", 150000, 60100);
    check_off(&f, 150000, 0);
    fc_fixture_stop(&f);
}

/* A last look, of a wait that no record ends, does not make it forgotten. */
static void test_at_last_wait(void)
{
    FcFixture f;
    start_in_a(&f);
    fc_fixture_seen(&f, 10000, 500000, 0);
    fc_stack_take_last_wait(f.stack, FIXTURE_CLOCKS + 800000, 1000000);
    fc_stack_close(f.stack, 1000000);
    fc_fixture_check_waits(&f, "A", 800000, 800000);
    check_off(&f, 800000, 0);
    fc_fixture_stop(&f);
}

/* What comes behind the last function is in nothing, if it was told of before it came, too. */
static void test_behind(void)
{
    FcFixture f;
    start_in_a(&f);
    fc_fixture_seen(&f, 10000, 500000, 0);
    fc_fixture_leave(&f, 10000, 'A', 0x99, 0);
    fc_fixture_seen(&f, 600000, 500000, 1);
    fc_stack_end_outside(f.stack);
    g_assert_cmpuint(fc_stack_last_time(f.stack), ==, 10000);
    check_off(&f, 10000, 0);
    fc_fixture_stop(&f);
}

/* The letter of a call at that depth, each by a call site of its caller. */
static void change_depth(FcFixture *f, guint64 time, guint *depth, gboolean enters)
{
    const guint above = enters ? *depth : *depth - 1;
    const guint64 site = above > 0 ? SITE('A' + (char)above - 1, 0) : 0x99;
    if (enters)
        fc_fixture_enter(f, time, 'A' + (char)above, site, above);
    else
        fc_fixture_leave(f, time, 'A' + (char)above, site, above);
    *depth = enters ? above + 1 : above;
}

/* Calls and returns at random.  Before some records the thread was off the CPU, before some looks,
 * behind the hook's clock, too: what the thread waited is what its functions did, and neither is
 * more than is true. */
static void test_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (guint round = 0; round < 2000; round++)
    {
        FcFixture f;
        FcStackOff all;
        guint depth = 0;
        guint64 time = 0;
        guint64 off = 0;
        guint64 late = 0;
        guint64 sum = 0;
        fc_fixture_start(&f);
        fc_fixture_seen(&f, 0, 0, 0);
        change_depth(&f, 0, &depth, TRUE);
        for (guint32 i = 1; i <= 12; i++)
        {
            const guint64 before = g_rand_int_range(random, 0, 4) == 0
                                       ? (guint64)g_rand_int_range(random, 0, 20000)
                                       : 0;
            time += (guint64)g_rand_int_range(random, 1, 30000) + before + late;
            late = g_rand_int_range(random, 0, 4) == 0
                       ? (guint64)g_rand_int_range(random, 0, 100000)
                       : 0;
            off += before + late;
            if (before + late > 0)
                fc_fixture_seen(&f, time, off, i);
            change_depth(&f, time, &depth, depth == 1 || (depth < 4 && g_rand_boolean(random)));
        }
        while (depth > 0)
            change_depth(&f, time + late, &depth, FALSE);
        fc_stack_get_off(f.stack, &all);
        g_assert_cmpuint(all.off, <=, off);
        fc_waits_spread(f.counts, all.unplaced);
        fc_waits_bound(f.counts);
        for (guint32 i = 1; i < f.counts->node_count; i++)
            sum += fc_counts_wait(f.counts->node_waits, i).local;
        g_assert_cmpuint(sum, <=, all.off);
        g_assert_cmpuint(sum + 64, >=, all.off);
        fc_fixture_stop(&f);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pending/later", test_later);
    g_test_add_func("/pending/unplaced", test_unplaced);
    g_test_add_func("/pending/at-end", test_at_end);
    g_test_add_func("/pending/then-more", test_then_more);
    g_test_add_func("/pending/at-last-wait", test_at_last_wait);
    g_test_add_func("/pending/behind", test_behind);
    g_test_add_func("/pending/random", test_random);
    return g_test_run();
}
