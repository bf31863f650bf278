/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time of libfc's own, which is no function's, and what is told of a frame behind its end.
 */
#include "fcmanager/stack/frames.h"
#include "tests/unit/manager_fixture.h"

#define SITE(letter, number) fc_fixture_site((letter), (number))

/* B waits for the manager for 500 us, 400 us of it off the CPU, then for itself for 50 us. */
static void test_pause(void)
{
    FcFixture f;
    FcStackOff all;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10000, 'B', SITE('A', 0), 1);
    fc_fixture_off(&f, 600000, FC_OFF_PAUSED, 500000, 400000);
    fc_fixture_seen(&f, 600000, 450000, 2);
    fc_fixture_leave(&f, 600000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 620000, 'A', 0x99, 0);
    fc_fixture_check(&f, 'A', 120000, 30000, 50000, 0);
    fc_fixture_check(&f, 'B', 90000, 90000, 50000, 50000);
    fc_fixture_check_range(&f, 'A', 120000, 120000, 30000, 30000);
    fc_fixture_check_range(&f, 'B', 90000, 90000, 90000, 90000);
    fc_stack_get_off(f.stack, &all);
    g_assert_cmpuint(all.paused, ==, 500000);
    g_assert_cmpuint(all.off, ==, 50000);
    fc_fixture_stop(&f);
}

/* Told twice, with the entry or the exit of a function in between that was at the time of the
 * first: what is told then was in that function, or behind it, alone. */
static void test_told_twice(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_off(&f, 1000, FC_OFF_PAUSED, 100, 0);
    fc_fixture_enter(&f, 1000, 'B', SITE('A', 0), 1);
    fc_fixture_off(&f, 1300, FC_OFF_PAUSED, 900, 0);
    fc_fixture_enter(&f, 1300, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 1310, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 1350, 'B', SITE('A', 0), 1);
    fc_fixture_enter(&f, 2000, 'B', SITE('A', 0), 1);
    fc_fixture_off(&f, 2500, FC_OFF_PAUSED, 100, 0);
    fc_fixture_leave(&f, 2500, 'B', SITE('A', 0), 1);
    fc_fixture_off(&f, 2600, FC_OFF_PAUSED, 400, 0);
    fc_fixture_seen(&f, 2600, 50, 1); /* of the same look: there is no time left for it */
    fc_fixture_leave(&f, 3000, 'A', 0x99, 0);
    fc_fixture_check(&f, 'C', 10, 10, 0, 0);
    fc_fixture_check(&f, 'B', 50 + 400, 40 + 400, 0, 0);
    fc_fixture_check(&f, 'A', 3000 - 100 - 300 - 100 - 100, 900 + 650 + 400, 0, 0);
    fc_fixture_stop(&f);
}

/* B waits, and ends with the record that tells of it.  What comes behind that can't have been in
 * B's time: neither more of a pause than passed since, nor of time off the CPU. */
static void test_behind_wait(void)
{
    for (guint kind = 0; kind < 2; kind++)
    {
        FcFixture f;
        fc_fixture_start(&f);
        fc_fixture_seen(&f, 100000, 0, 3);
        fc_fixture_enter(&f, 100000, 'A', 0x99, 0);
        fc_fixture_enter(&f, 200000, 'B', SITE('A', 0), 1);
        fc_fixture_seen(&f, 900000, 600000, 4);
        fc_fixture_leave(&f, 900000, 'B', SITE('A', 0), 1);
        if (kind == 0)
            fc_fixture_off(&f, 910000, FC_OFF_PAUSED, 500000, 0);
        else
            fc_fixture_seen(&f, 910000, 1100000, 5);
        fc_fixture_leave(&f, 950000, 'A', 0x99, 0);
        fc_stack_close(f.stack, 950000);
        const guint64 own = kind == 0 ? 140000 : 150000;
        const guint64 wait = kind == 0 ? 0 : 10000;
        fc_fixture_check(&f, 'A', own + 700000, own, 600000 + wait, wait);
        fc_fixture_check(&f, 'B', 700000, 700000, 600000, 600000);
        fc_fixture_stop(&f);
    }
}

/* C is told to have waited for longer than it took, as a pause is in the same time: the rest is its
 * callers', as far as they have time for it. */
static void test_told_as_both(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 1000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 2000, 9000, 1);
    fc_fixture_enter(&f, 2000, 'C', SITE('B', 0), 2);
    fc_fixture_off(&f, 11000, FC_OFF_PAUSED, 7500, 0);
    fc_fixture_leave(&f, 11000, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 12000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 13000, 'A', 0x99, 0);
    fc_fixture_check(&f, 'C', 1500, 1500, 1500, 1500);
    fc_fixture_check(&f, 'B', 3500, 2000, 3500, 2000);
    fc_fixture_check(&f, 'A', 5500, 2000, 5500,
                     5500); /* more than its local time, which bounds it */
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pauses/pause", test_pause);
    g_test_add_func("/pauses/told-twice", test_told_twice);
    g_test_add_func("/pauses/behind-wait", test_behind_wait);
    g_test_add_func("/pauses/told-as-both", test_told_as_both);
    return g_test_run();
}
