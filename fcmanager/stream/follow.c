/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pidfds, and what to do where there are none: see follow.h.
 */
#include "fcmanager/stream/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* struct pidfd_info of Linux 6.15, which older headers lack. */
struct PidfdInfo
{
    guint64 mask;
    guint64 cgroup_id;
    guint32 ids[11];
    gint32 exit_code;
};
#define INFO_EXIT (UINT64_C(1) << 3)
#define GET_INFO _IOWR(0xFF, 11, struct PidfdInfo)

/* Numbers of fields in /proc/PID/stat, as proc(5) has them. */
#define STAT_START_TIME 22
#define STAT_EXIT_CODE 52

/* ---- /proc, which may be that of another PID namespace ------------------------------- */

/* The PID of the process in /proc; 0: it has none there, or the process is dead. */
static gint number_in_proc(const FcFollow *follow)
{
    g_autofree char *path = g_strdup_printf("/proc/self/fdinfo/%d", follow->fd);
    g_autofree char *text = NULL;
    if (follow->fd < 0)
    {
        g_autofree char *self = g_file_read_link("/proc/self", NULL);
        return self && atoi(self) == getpid() ? follow->pid : 0;
    }
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return 0;
    const char *at = strstr(text, "\nPid:");
    return at ? MAX(atoi(at + strlen("\nPid:")), 0) : 0;
}

/* Reads field `number`, at least 3, of /proc/PID/stat.  FALSE: it can't be read. */
static gboolean read_stat(const FcFollow *follow, int number, guint64 *value)
{
    gint pid = number_in_proc(follow);
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid);
    g_autofree char *text = NULL;
    if (pid == 0 || !g_file_get_contents(path, &text, NULL, NULL))
        return FALSE;
    const char *at = strrchr(text, ')'); /* the name may hold anything */
    for (int field = 2; at && field < number; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return FALSE;
    *value = g_ascii_strtoull(at + 1, NULL, 10);
    return TRUE;
}

/* ---- Beginning and end ----------------------------------------------------------------- */

gboolean fc_follow_begin(FcFollow *follow, gint pid)
{
    *follow = (FcFollow){.pid = pid, .fd = (int)syscall(SYS_pidfd_open, pid, 0)};
    if (follow->fd >= 0)
        return TRUE;
    if (errno == ESRCH)
        return FALSE;
    read_stat(follow, STAT_START_TIME, &follow->start_time);
    return TRUE;
}

static struct flock lock_of(guint64 key, gint64 what, short type)
{
    return (struct flock){.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (gint64)((key + (guint64)what) & G_MAXINT64),
                          .l_len = 1};
}

/* The PID of the process that has locked the byte of `key`; 0: none has; -1: it is a process of a
 * PID namespace that the manager does not see. */
static gint signer(int pipe_fd, guint64 key)
{
    struct flock lock = lock_of(key, 0, F_RDLCK);
    if (fcntl(pipe_fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
        return 0;
    return lock.l_pid > 0 ? lock.l_pid : -1;
}

gboolean fc_follow_begin_hello(FcFollow *follow, int pipe_fd, guint64 key,
                               const struct FcHello *hello)
{
    const gboolean is_elsewhere = (hello->flags & FC_HELLO_ELSEWHERE) != 0;
    const gboolean has_signed = (hello->flags & FC_HELLO_SIGNED) != 0;
    gint pid = has_signed ? signer(pipe_fd, key) : 0;
    if (pid > 0)
    {
        if (!fc_follow_begin(follow, pid))
            return FALSE;
        if (signer(pipe_fd, key) == pid || !is_elsewhere)
            return TRUE;
        fc_follow_end(follow); /* it died meanwhile, and a later process may have its PID */
        return FALSE;
    }
    if (pid == 0 && !is_elsewhere) /* it has closed the pipe, or is dead */
        return fc_follow_begin(follow, hello->pid);
    *follow = (FcFollow){.fd = -1};
    return pid < 0 || !has_signed; /* a living process that has signed still has the lock */
}

gboolean fc_follow_signal(int pipe_fd, guint64 key, gint64 what, gboolean is_so)
{
    struct flock lock = lock_of(key, what, is_so ? F_RDLCK : F_UNLCK);
    return fcntl(pipe_fd, F_OFD_SETLK, &lock) == 0;
}

gboolean fc_follow_can_signal(int pipe_fd, guint64 key, gint64 what)
{
    struct flock lock = lock_of(key, what, F_RDLCK);
    return fcntl(pipe_fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

void fc_follow_end(FcFollow *follow)
{
    if (follow->fd >= 0)
        close(follow->fd);
    follow->fd = -1;
}

gboolean fc_follow_is_alive(const FcFollow *follow)
{
    if (follow->pid == 0)
        return TRUE;
    if (kill(follow->pid, 0) < 0 && errno == ESRCH)
        return FALSE;
    guint64 start_time;
    if (follow->start_time == 0 || !read_stat(follow, STAT_START_TIME, &start_time))
        return TRUE;
    return start_time == follow->start_time;
}

gboolean fc_follow_is_same(const FcFollow *one, const FcFollow *other)
{
    struct pollfd ends[] = {{one->fd, POLLIN, 0}, {other->fd, POLLIN, 0}};
    return one->pid != 0 && one->pid == other->pid && one->start_time == other->start_time &&
           poll(ends, G_N_ELEMENTS(ends), 0) == 0;
}

static void set_status(gint status, FcProfileEnd *end, gint *value)
{
    *end = WIFSIGNALED(status) ? FC_END_SIGNAL : FC_END_EXIT;
    *value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* Asks the pidfd, which has the exit status once the parent has reaped the process. */
static gboolean ask_pidfd(const FcFollow *follow, FcProfileEnd *end, gint *value)
{
    struct PidfdInfo info = {.mask = INFO_EXIT};
    if (follow->fd < 0 || ioctl(follow->fd, GET_INFO, &info) < 0 || !(info.mask & INFO_EXIT))
        return FALSE;
    set_status(info.exit_code, end, value);
    return TRUE;
}

/* Asks /proc, where the process is a zombie until its parent reaps it.  If the manager may not
 * read the field it is 0, so that can't be told from success. */
static gboolean ask_proc(const FcFollow *follow, FcProfileEnd *end, gint *value)
{
    guint64 status = 0;
    if (!read_stat(follow, STAT_EXIT_CODE, &status) || status == 0)
        return FALSE;
    set_status((gint)status, end, value);
    return TRUE;
}

gboolean fc_follow_result(const FcFollow *follow, FcProfileEnd *end, gint *value)
{
    return ask_pidfd(follow, end, value) || ask_proc(follow, end, value) ||
           ask_pidfd(follow, end, value);
}
