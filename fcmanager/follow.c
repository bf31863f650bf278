/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pidfds, and what to do where there are none: see follow.h.
 */
#include "fcmanager/follow.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
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

/* Field `number` (from 3) of /proc/PID/stat; FALSE where it can't be read. */
static gboolean read_stat(gint pid, int number, guint64 *value)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return FALSE;
    const char *at = strrchr(text, ')'); /* the name may hold anything */
    for (int field = 2; at && field < number; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return FALSE;
    *value = g_ascii_strtoull(at + 1, NULL, 10);
    return TRUE;
}

gboolean fc_follow_begin(FcFollow *follow, gint pid)
{
    *follow = (FcFollow){.pid = pid, .fd = (int)syscall(SYS_pidfd_open, pid, 0)};
    if (follow->fd >= 0)
        return TRUE;
    if (errno == ESRCH)
        return FALSE;
    read_stat(pid, STAT_START_TIME, &follow->start_time);
    return TRUE;
}

void fc_follow_end(FcFollow *follow)
{
    if (follow->fd >= 0)
        close(follow->fd);
    follow->fd = -1;
}

gboolean fc_follow_is_alive(const FcFollow *follow)
{
    if (kill(follow->pid, 0) < 0 && errno == ESRCH)
        return FALSE;
    guint64 start_time;
    if (follow->start_time == 0 || !read_stat(follow->pid, STAT_START_TIME, &start_time))
        return TRUE;
    return start_time == follow->start_time;
}

static void set_status(gint status, FcProfileEnd *end, gint *value)
{
    *end = WIFSIGNALED(status) ? FC_END_SIGNAL : FC_END_EXIT;
    *value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* What the kernel keeps with the pidfd once the parent has asked about the process. */
static gboolean ask_pidfd(const FcFollow *follow, FcProfileEnd *end, gint *value)
{
    struct PidfdInfo info = {.mask = INFO_EXIT};
    if (follow->fd < 0 || ioctl(follow->fd, GET_INFO, &info) < 0 || !(info.mask & INFO_EXIT))
        return FALSE;
    set_status(info.exit_code, end, value);
    return TRUE;
}

/* Until then it is a zombie.  Without the right to read the field it is 0, which must not be
 * taken for a success. */
static gboolean ask_proc(const FcFollow *follow, FcProfileEnd *end, gint *value)
{
    guint64 status = 0;
    if (!read_stat(follow->pid, STAT_EXIT_CODE, &status) || status == 0)
        return FALSE;
    set_status((gint)status, end, value);
    return TRUE;
}

gboolean fc_follow_result(const FcFollow *follow, FcProfileEnd *end, gint *value)
{
    return ask_pidfd(follow, end, value) || ask_proc(follow, end, value) ||
           ask_pidfd(follow, end, value);
}
