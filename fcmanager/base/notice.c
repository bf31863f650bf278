/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See notice.h.
 */
#include "fcmanager/base/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define PATH_BYTES 40
#define LATER_BYTES 256

/* Whether the file of `fd` may be opened again for notices.  Opening uses the manager's rights, so
 * `fd` must be open for writing: whoever passed it could write to the file.  Of devices only
 * terminals are opened, since opening another one may have side effects. */
static gboolean is_usable(int fd)
{
    struct stat status;
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0 &&
           fstat(fd, &status) == 0 &&
           (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || isatty(fd));
}

static int remember(int fd)
{
    char path[PATH_BYTES];
    if (!is_usable(fd))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_PATH | O_CLOEXEC);
}

int fc_notice_prepare(const char *log)
{
    const int fd =
        log ? open(log, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666)
            : -1;
    const int place = remember(fd >= 0 ? fd : STDERR_FILENO);
    if (fd >= 0)
        close(fd);
    return place;
}

static void write_to(const char *path, const char *text, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    while (write(fd, text, bytes) < 0 && errno == EINTR)
        continue;
    close(fd);
}

void fc_notice_print(int fd, const char *text)
{
    char path[PATH_BYTES];
    if (fd < 0 || *text == '\0')
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    write_to(path, text, strlen(text));
}

/* ---- Later ------------------------------------------------------------------------------ */

/* What the signal handler writes.  It changes only while SIGALRM is blocked. */
static struct
{
    char path[PATH_BYTES];
    char text[LATER_BYTES];
    size_t bytes;
} later;

static void set_alarm(guint after_ms)
{
    const struct itimerval value = {
        .it_value = {.tv_sec = after_ms / 1000, .tv_usec = after_ms % 1000 * 1000}};
    setitimer(ITIMER_REAL, &value, NULL);
}

static void allow_alarm(int how)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(how, &alarm, NULL);
}

static void print_now(int number)
{
    struct itimerval left;
    const int before = errno;
    /* if the timer still runs, another process sent the signal */
    if (getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_sec == 0 &&
        left.it_value.tv_usec == 0)
        write_to(later.path, later.text, later.bytes);
    errno = before;
}

void fc_notice_print_later(int fd, const char *text, guint after_ms)
{
    struct sigaction action = {.sa_handler = print_now, .sa_flags = SA_RESTART};
    const struct timespec none = {0};
    sigset_t alarm;
    if (fd < 0)
        return;
    snprintf(later.path, sizeof later.path, "/proc/self/fd/%d", fd);
    later.bytes = MIN(strlen(text), sizeof later.text);
    memcpy(later.text, text, later.bytes);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigaction(SIGALRM, &action, NULL);
    while (sigtimedwait(&alarm, NULL, &none) >
           0) /* discard one that another process sent meanwhile */
        continue;
    set_alarm(MAX(after_ms, 1));
    allow_alarm(SIG_UNBLOCK);
}

void fc_notice_cancel(void)
{
    allow_alarm(SIG_BLOCK);
    set_alarm(0);
}
