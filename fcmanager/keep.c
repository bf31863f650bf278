/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Older profiles: see keep.h.
 */
#include "fcmanager/keep.h"

#include "fcmanager/names.h"
#include "profile/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100 /* each lost to another manager */

/* Fails where `to` exists; where the file system knows no such rename, it is done in two steps. */
static int rename_to_new(int dirfd, const char *from, const char *to)
{
    if (renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (linkat(dirfd, from, dirfd, to, 0) == 0)
        return unlinkat(dirfd, from, 0);
    if (errno == EEXIST || faccessat(dirfd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
    {
        errno = EEXIST;
        return -1;
    }
    return renameat(dirfd, from, dirfd, to);
}

/* ---- What is too old ------------------------------------------------------------------ */

/* Whether it is a regular file of ours that begins like one: what somebody else has put there must
 * not have us delete other files.  `status` is of that file then. */
static gboolean is_own(int dirfd, const char *name, const char *magic, struct stat *status)
{
    char start[64];
    size_t bytes = MIN(strlen(magic), sizeof start);
    int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return FALSE;
    gboolean is_own = fstat(fd, status) == 0 && S_ISREG(status->st_mode) &&
                      status->st_uid == geteuid() && read(fd, start, bytes) == (ssize_t)bytes &&
                      memcmp(start, magic, bytes) == 0;
    close(fd);
    return is_own;
}

static gboolean is_own_profile(int dirfd, const char *name, struct stat *status)
{
    return is_own(dirfd, name, "functioncheck_v", status);
}

gboolean fc_keep_is_older(int dirfd, const char *name, const struct timespec *time)
{
    struct stat status;
    if (!is_own_profile(dirfd, name, &status) && !is_own(dirfd, name, FC_DESCRIPTOR_MAGIC, &status))
        return FALSE;
    return status.st_mtim.tv_sec != time->tv_sec ? status.st_mtim.tv_sec < time->tv_sec
                                                 : status.st_mtim.tv_nsec <= time->tv_nsec;
}

static void delete_listed(int dirfd, const char *name)
{
    struct stat status;
    if (fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid())
        return;
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d/%s", dirfd, name);
    g_autoptr(FcDescriptor) descriptor = fc_descriptor_read(path, NULL);
    for (guint i = 0; descriptor && i < descriptor->entries->len; i++)
    {
        const char *file = g_array_index(descriptor->entries, FcDescriptorEntry, i).file;
        if (!strchr(file, '/') && is_own_profile(dirfd, file, &status))
            unlinkat(dirfd, file, 0);
    }
}

static void delete_oldest(int dirfd, const char *name)
{
    if (g_str_has_suffix(name, ".fcd"))
        delete_listed(dirfd, name);
    unlinkat(dirfd, name, 0);
}

/* ---- Moving ----------------------------------------------------------------------------- */

static gboolean exists(int dirfd, const char *name)
{
    struct stat status;
    return fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* One attempt; EEXIST: another manager came between. */
static int move_all(int dirfd, const char *name, guint keep)
{
    guint free_age = 1;
    for (; free_age <= keep; free_age++)
    {
        g_autofree char *older = fc_names_older(name, free_age);
        if (!exists(dirfd, older))
            break;
    }
    if (free_age > keep)
    {
        g_autofree char *oldest = fc_names_older(name, keep);
        delete_oldest(dirfd, oldest);
        free_age = keep;
    }
    for (guint age = free_age; age > 0; age--)
    {
        g_autofree char *from = age > 1 ? fc_names_older(name, age - 1) : g_strdup(name);
        g_autofree char *to = fc_names_older(name, age);
        if (rename_to_new(dirfd, from, to) < 0 && errno != ENOENT)
            return -1;
    }
    return 0;
}

gboolean fc_keep_move(int dirfd, const char *name, guint keep)
{
    for (guint i = 0; i < TRIES; i++)
    {
        if (!exists(dirfd, name) || move_all(dirfd, name, keep) == 0)
            return TRUE;
        if (errno != EEXIST)
            break;
    }
    return FALSE;
}

gboolean fc_keep_put(int dirfd, const char *from, const char *name, guint keep)
{
    for (guint i = 0; i < TRIES; i++)
    {
        if (!fc_keep_move(dirfd, name, keep))
            return FALSE;
        if (rename_to_new(dirfd, from, name) == 0)
            return TRUE;
        if (errno != EEXIST)
            break;
    }
    return FALSE;
}
