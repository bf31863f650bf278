/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See find.h.
 */
#include "control/find.h"

#include "libfc/fc-format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK "/memfd:functioncheck:"
/* The fields of the mark, as in libfc/process/join.c.  Before FC_WIRE_VERSION 6 the mark had no
 * version and no job. */
enum
{
    VERSION,
    MANAGER_PID,
    NAMESPACE,
    PIPE_FD,
    DEVICE = 7,
    INODE,
    FIELDS = 15
};

G_GNUC_PRINTF(3, 4)
static gboolean fail(GError **error, gint pid, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%d: %s", pid, text);
    return FALSE;
}

/* ---- Whose it is ------------------------------------------------------------------------- */

static const char *find_line(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? at + strlen(key) : NULL;
}

static void add_groups(GArray *groups, const char *at)
{
    while (*at == ' ' || *at == '\t' || g_ascii_isdigit(*at))
    {
        char *end;
        const gid_t group = (gid_t)strtoul(at, &end, 10);
        if (end == at)
            break;
        g_array_append_val(groups, group);
        at = end;
    }
}

gboolean fc_control_find_user(gint pid, FcControlUser *user, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status", pid);
    g_autofree char *text = NULL;
    if (pid <= 0 || !g_file_get_contents(path, &text, NULL, NULL))
        return fail(error, pid, "no such process");
    const char *whole = find_line(text, "\nTgid:");
    const char *state = find_line(text, "\nState:\t");
    const char *uid = find_line(text, "\nUid:");
    const char *gid = find_line(text, "\nGid:");
    const char *groups = find_line(text, "\nGroups:");
    if (!whole || !state || !uid || !gid || !groups)
        return fail(error, pid, "/proc does not say whose process it is");
    if (atoi(whole) != pid)
        return fail(error, pid, "is a thread of process %d", atoi(whole));
    if (*state == 'Z' || *state == 'X')
        return fail(error, pid, "the process has ended");
    *user = (FcControlUser){(uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10),
                            g_array_new(FALSE, FALSE, sizeof(gid_t))};
    add_groups(user->groups, groups);
    return TRUE;
}

/* ---- Its mark ---------------------------------------------------------------------------- */

static gboolean explain_denied(gint pid, int why, GError **error)
{
    FcControlUser user = {.groups = NULL};
    if (!fc_control_find_user(pid, &user, error))
        return FALSE;
    g_clear_pointer(&user.groups, g_array_unref);
    if (why != EACCES && why != EPERM)
        return fail(error, pid, "its memory map can't be read: %s", g_strerror(why));
    if (user.uid != geteuid())
        return fail(error, pid,
                    "is a process of another user (uid %u): the kernel lets only that "
                    "user and root ask",
                    user.uid);
    if (user.uid == 0)
        return fail(error, pid, "the kernel does not let us look at it: %s", g_strerror(why));
    return fail(error, pid,
                "the kernel lets nobody but root look at it: it has called "
                "prctl(PR_SET_DUMPABLE, 0), or has other rights than its user");
}

/* Parses the numbers of a mark into `fields` and returns how many it has, at most FIELDS + 1. */
static guint parse(const char *at, guint64 fields[FIELDS])
{
    guint count = 0;
    while (count <= FIELDS && g_ascii_isdigit(*at))
    {
        char *end;
        const guint64 number = g_ascii_strtoull(at, &end, 10);
        if (count < FIELDS)
            fields[count] = number;
        count++;
        at = *end == ':' ? end + 1 : end;
    }
    return count;
}

static gboolean check(gint pid, guint count, const guint64 *fields, GError **error)
{
    struct stat own;
    if (count == FIELDS - 1 || count == FIELDS - 2)
        return fail(error, pid, "is profiled by an older FunctionCheck, which can't be asked");
    if (fields[VERSION] != FC_WIRE_VERSION)
        return fail(error, pid,
                    "is profiled by another version of FunctionCheck (its protocol is "
                    "%" G_GUINT64_FORMAT ", ours %u)",
                    fields[VERSION], FC_WIRE_VERSION);
    if (count != FIELDS || fields[MANAGER_PID] == 0 || fields[MANAGER_PID] > G_MAXINT ||
        fields[PIPE_FD] > G_MAXINT)
        return fail(error, pid, "the mark in its memory map is none of FunctionCheck's");
    if (stat("/proc/self/ns/pid", &own) == 0 && own.st_ino != fields[NAMESPACE])
        return fail(error, pid,
                    "its profile manager is in another PID namespace (a container): "
                    "ask from in there");
    return TRUE;
}

gboolean fc_control_find(gint pid, FcControlTarget *target, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/maps", pid);
    g_autofree char *text = NULL;
    guint64 fields[FIELDS] = {0};
    errno = 0;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return explain_denied(pid, errno, error);
    const char *mark = strstr(text, MARK);
    if (!mark)
        return fail(error, pid,
                    "is not profiled: it was built without FunctionCheck's flags, or "
                    "runs without its library");
    if (!check(pid, parse(mark + strlen(MARK), fields), fields, error))
        return FALSE;
    *target = (FcControlTarget){pid, (gint)fields[MANAGER_PID], (gint)fields[PIPE_FD],
                                fields[DEVICE], fields[INODE]};
    return TRUE;
}

int fc_control_open(const FcControlTarget *target, GError **error)
{
    struct stat status;
    g_autofree char *path = g_strdup_printf("/proc/%d/fd/%d", target->manager, target->pipe_fd);
    const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    const int why = errno;
    const gboolean is_meant = fd >= 0 && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
                              status.st_dev == target->device && status.st_ino == target->inode;
    if (is_meant)
        return fd;
    if (fd >= 0)
        close(fd);
    if (fd < 0 && (why == EACCES || why == EPERM))
        fail(error, target->pid, "its profile manager (process %d) can't be asked: %s",
             target->manager, g_strerror(why));
    else
        fail(error, target->pid,
             "its profile manager (process %d) is gone, and nothing more is recorded",
             target->manager);
    return -1;
}
