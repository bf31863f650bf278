/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a thread waits for, by texts of /proc.
 */
#include "fcmanager/session/wait-kind.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static void check(FcWaitKind expected, char state, const char *call, const char *where)
{
    g_assert_cmpint(fc_wait_kind_of(state, call, where), ==, expected);
}

static void check_call(FcWaitKind expected, glong number, guint64 first, guint64 second,
                       guint64 third)
{
    g_autofree char *text =
        g_strdup_printf("%ld 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER
                        "x 0x%" G_GINT64_MODIFIER "x 0x0 0x0 0x0 0x7ffc0 0x7f150\n",
                        number, first, second, third);
    check(expected, 'S', text, NULL);
    check(expected, 'S', text, "do_poll"); /* the call says more */
    check(FC_WAIT_DISK, 'D', text, NULL);
}

static void test_calls(void)
{
    const guint64 lock = 0x55550000;
    check_call(FC_WAIT_LOCK, SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2);
    check_call(FC_WAIT_LOCK, SYS_futex, lock, FUTEX_WAIT, 2);
    check_call(FC_WAIT_LOCK, SYS_futex, lock, FUTEX_LOCK_PI_PRIVATE, 0);
    check_call(FC_WAIT_SIGN, SYS_futex, lock, FUTEX_WAIT_PRIVATE, 7);
    check_call(FC_WAIT_SIGN, SYS_futex, lock, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 2);
    check_call(FC_WAIT_INPUT, SYS_read, 0, lock, 1);
    check_call(FC_WAIT_INPUT, SYS_accept4, 3, 0, 0);
    check_call(FC_WAIT_INPUT, SYS_epoll_pwait, 3, lock, 10);
    check_call(FC_WAIT_INPUT, SYS_ppoll, lock, 1, 0);
    check_call(FC_WAIT_SLEEP, SYS_ppoll, 0, 0, lock);
    check_call(FC_WAIT_SLEEP, SYS_clock_nanosleep, 0, 0, lock);
    check_call(FC_WAIT_DISK, SYS_fsync, 3, 0, 0);
    check_call(FC_WAIT_OTHER, SYS_wait4, 1, 0, 0);
}

/* Where the call may not be read, and where it is none that tells. */
static void test_names(void)
{
    check(FC_WAIT_SIGN, 'S', NULL, "futex_do_wait");
    check(FC_WAIT_INPUT, 'S', NULL, "ep_poll");
    check(FC_WAIT_INPUT, 'S', NULL, "unix_stream_read_generic");
    check(FC_WAIT_SLEEP, 'S', NULL, "hrtimer_nanosleep");
    check(FC_WAIT_OTHER, 'S', NULL, "do_wait");
    check(FC_WAIT_OTHER, 'S', NULL, "0");
    check(FC_WAIT_OTHER, 'S', NULL, NULL);
    check(FC_WAIT_OTHER, 'S', "running\n", NULL);
    check(FC_WAIT_OTHER, 'S', "-1 0x7ffc0 0x7f150\n", NULL);
    check(FC_WAIT_INPUT, 'S', "running\n", "pipe_read");
    check(FC_WAIT_OTHER, 'S', "", "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/manager/wait-kind/calls", test_calls);
    g_test_add_func("/manager/wait-kind/names", test_names);
    return g_test_run();
}
