/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the manager says by itself: at once, later, or not at all.
 */
#include "fcmanager/base/notice.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
    int read_fd;
    int place;
    int write_fd;
} Fixture;

static Fixture begin(void)
{
    int ends[2];
    sigset_t all;
    g_assert_cmpint(pipe(ends), ==, 0);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", ends[1]);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* as in the manager */
    return (Fixture){ends[0], open(path, O_PATH | O_CLOEXEC), ends[1]};
}

static void end(const Fixture *f)
{
    close(f->read_fd);
    close(f->place);
    close(f->write_fd);
}

static void assert_said(const Fixture *f, const char *text)
{
    char buffer[64] = {0};
    struct pollfd poll_fd = {f->read_fd, POLLIN, 0};
    while (poll(&poll_fd, 1, -1) < 0) /* the alarm ends it */
        continue;
    g_assert_cmpint(read(f->read_fd, buffer, sizeof buffer - 1), ==, (gssize)strlen(text));
    g_assert_cmpstr(buffer, ==, text);
}

static void assert_silent(const Fixture *f)
{
    struct pollfd poll_fd = {f->read_fd, POLLIN, 0};
    g_assert_cmpint(poll(&poll_fd, 1, 0), ==, 0);
}

static void test_later(void)
{
    Fixture f = begin();
    fc_notice_print(f.place, "now\n");
    assert_said(&f, "now\n");
    fc_notice_print_later(f.place, "later\n", 1);
    assert_said(&f, "later\n");
    fc_notice_cancel();
    end(&f);
}

/* Neither what was withdrawn is said, nor what somebody else's signal asks for. */
static void test_withdrawn(void)
{
    Fixture f = begin();
    fc_notice_print_later(f.place, "later\n", 3600 * 1000);
    raise(SIGALRM);
    assert_silent(&f);
    fc_notice_cancel();
    raise(SIGALRM);
    assert_silent(&f);
    fc_notice_print_later(f.place, "later\n", 3600 * 1000);
    assert_silent(&f);
    fc_notice_cancel();
    fc_notice_print_later(-1, "nowhere\n", 1);
    assert_silent(&f);
    end(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/notice/later", test_later);
    g_test_add_func("/notice/withdrawn", test_withdrawn);
    return g_test_run();
}
