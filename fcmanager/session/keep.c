/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Older profiles: see keep.h.
 */
#include "fcmanager/session/keep.h"

#include "fcmanager/session/names.h"
#include "profile/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100 /* attempts; each one fails only if another manager came between */

void fc_keep_placed_clear(FcKeepPlaced *placed)
{
    g_clear_pointer(&placed->beside, g_free);
}

static gboolean exists(int dirfd, const char *name)
{
    struct stat status;
    return fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether a rename failed because the file system or a sandbox does not know its flags. */
static gboolean is_unknown(int why)
{
    return why == EINVAL || why == ENOSYS || why == EPERM;
}

/* Renames `from` to `to`; fails if `to` exists.  If the file system can't do this in one step, it
 * takes two. */
static int rename_to_new(int dirfd, const char *from, const char *to)
{
    if (renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (!is_unknown(errno))
        return -1;
    if (linkat(dirfd, from, dirfd, to, 0) == 0)
        return unlinkat(dirfd, from, 0);
    if (errno == EEXIST || exists(dirfd, to))
    {
        errno = EEXIST;
        return -1;
    }
    return renameat(dirfd, from, dirfd, to);
}

/* ---- What there is -------------------------------------------------------------------- */

/* Whether it is a regular file of our user that begins with `magic`; sets `status` then.  A file
 * that somebody else put there must not make us delete other files. */
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

static gboolean is_newer(const struct stat *status, const FcKeepRule *rule)
{
    return status->st_mtim.tv_sec != rule->began.tv_sec
               ? status->st_mtim.tv_sec > rule->began.tv_sec
               : status->st_mtim.tv_nsec > rule->began.tv_nsec;
}

/* Whether this run wrote the file.  Compares the time as well: another file may have got its inode
 * number. */
static gboolean is_this_runs(const struct stat *status, const FcKeepRule *rule)
{
    return rule->own.st_ino != 0 && status->st_ino == rule->own.st_ino &&
           status->st_dev == rule->own.st_dev &&
           status->st_mtim.tv_sec == rule->own.st_mtim.tv_sec &&
           status->st_mtim.tv_nsec == rule->own.st_mtim.tv_nsec;
}

gboolean fc_keep_is_older(int dirfd, const char *name, const FcKeepRule *rule)
{
    struct stat status;
    return (is_own_profile(dirfd, name, &status) ||
            is_own(dirfd, name, FC_DESCRIPTOR_MAGIC, &status)) &&
           !is_newer(&status, rule);
}

gboolean fc_keep_is_beside(int dirfd, const char *name, const FcKeepRule *rule)
{
    struct stat status;
    return fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
           is_newer(&status, rule) && !is_this_runs(&status, rule);
}

/* ---- What goes ------------------------------------------------------------------------ */

static void delete_listed(int dirfd, const char *name, const FcKeepRule *rule)
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
        if (!strchr(file, '/') && is_own_profile(dirfd, file, &status) && !is_newer(&status, rule))
            unlinkat(dirfd, file, 0);
    }
}

static void delete_oldest(int dirfd, const char *name, const FcKeepRule *rule)
{
    if (g_str_has_suffix(name, ".fcd"))
        delete_listed(dirfd, name, rule);
    unlinkat(dirfd, name, 0);
}

/* ---- Moving ----------------------------------------------------------------------------- */

/* Returns the lowest age whose name is free; frees the last one if none is. */
static guint find_free_age(int dirfd, const char *name, const FcKeepRule *rule)
{
    for (guint age = 1;; age++)
    {
        g_autofree char *older = fc_names_older(name, age);
        if (!exists(dirfd, older))
            return age;
        if (age >= rule->keep && !fc_keep_is_beside(dirfd, older, rule))
        {
            delete_oldest(dirfd, older, rule);
            return age;
        }
    }
}

/* Tries once to give `from` the next older name of `name`.  EEXIST: another manager came between.
 * If a concurrent run wrote the file that is moved, *beside is its new name. */
static int move_all(int dirfd, const char *from, const char *name, const FcKeepRule *rule,
                    char **beside)
{
    const guint free_age = find_free_age(dirfd, name, rule);
    for (guint age = free_age; age > 1; age--)
    {
        g_autofree char *newer = fc_names_older(name, age - 1);
        g_autofree char *older = fc_names_older(name, age);
        if (rename_to_new(dirfd, newer, older) < 0 && errno != ENOENT)
            return -1;
    }
    g_autofree char *older = fc_names_older(name, 1);
    const gboolean is_beside = fc_keep_is_beside(dirfd, from, rule);
    if (rename_to_new(dirfd, from, older) < 0)
        return errno == ENOENT ? 0 : -1;
    if (is_beside && beside)
    {
        g_free(*beside);
        *beside = g_steal_pointer(&older);
    }
    return 0;
}

static gboolean move(int dirfd, const char *from, const char *name, const FcKeepRule *rule,
                     char **beside)
{
    for (guint i = 0; i < TRIES; i++)
    {
        if (!exists(dirfd, from) || move_all(dirfd, from, name, rule, beside) == 0)
            return TRUE;
        if (errno != EEXIST)
            break;
    }
    return FALSE;
}

gboolean fc_keep_move(int dirfd, const char *name, const FcKeepRule *rule)
{
    return move(dirfd, name, name, rule, NULL);
}

/* Returns a name that no other program uses. */
static char *hidden_name(void)
{
    return g_strdup_printf(".fc-%08x%08x.old", g_random_int(), (guint)getpid());
}

/* Checks the file again under the name `hidden`, at which nobody writes.  Before, somebody could
 * write to `name` at any time.  A file that turns out to be of a concurrent run gets the next older
 * name. */
static void finish_hidden(int dirfd, const char *hidden, const char *name, const FcKeepRule *rule,
                          FcKeepPlaced *placed)
{
    struct stat status;
    if (fc_keep_is_beside(dirfd, hidden, rule))
        move(dirfd, hidden, name, rule, &placed->beside);
    else
    {
        placed->replaced |= is_own_profile(dirfd, hidden, &status) && !is_this_runs(&status, rule);
        unlinkat(dirfd, hidden, 0);
    }
}

/* Tries once to rename `from` to `name`, which may be replaced.  Returns 1: done, 0: another
 * manager came between, -1: see errno. */
static int replace(int dirfd, const char *from, const char *name, const FcKeepRule *rule,
                   FcKeepPlaced *placed)
{
    struct stat status;
    if (fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
    {
        errno = EISDIR;
        return -1;
    }
    if (renameat2(dirfd, from, dirfd, name, RENAME_EXCHANGE) == 0)
    {
        finish_hidden(dirfd, from, name, rule, placed);
        return 1;
    }
    if (errno == ENOENT)
        return 0;
    if (!is_unknown(errno))
        return -1;
    g_autofree char *hidden = hidden_name();
    if (renameat(dirfd, name, dirfd, hidden) < 0)
        return errno == ENOENT ? 0 : -1;
    finish_hidden(dirfd, hidden, name, rule, placed);
    return 0;
}

/* Sets the file's time by the clock of `began`.  The file system's own time goes by kernel ticks,
 * and a run may be shorter than one. */
static void stamp(int dirfd, const char *name, struct stat *status)
{
    struct timespec now[2];
    clock_gettime(CLOCK_REALTIME, &now[0]);
    now[1] = now[0];
    utimensat(dirfd, name, now, AT_SYMLINK_NOFOLLOW);
    if (fstatat(dirfd, name, status, AT_SYMLINK_NOFOLLOW) < 0)
        status->st_ino = 0;
}

gboolean fc_keep_put(int dirfd, const char *from, const char *name, const FcKeepRule *rule,
                     FcKeepPlaced *placed)
{
    for (guint i = 0; i < TRIES; i++)
    {
        stamp(dirfd, from, &placed->status);
        if (rename_to_new(dirfd, from, name) == 0)
            return TRUE;
        if (errno != EEXIST)
            return FALSE;
        if (rule->keep > 0 || fc_keep_is_beside(dirfd, name, rule))
        {
            if (!move(dirfd, name, name, rule, &placed->beside))
                return FALSE;
            continue;
        }
        int done = replace(dirfd, from, name, rule, placed);
        if (done != 0)
            return done > 0;
    }
    return FALSE;
}

gboolean fc_keep_take_away(int dirfd, const char *name, const FcKeepRule *rule)
{
    if (fc_keep_is_beside(dirfd, name, rule))
    {
        errno = EEXIST;
        return FALSE;
    }
    if (rule->keep > 0 && fc_keep_move(dirfd, name, rule))
        return TRUE;
    struct stat status;
    if (fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
        return TRUE;
    g_autofree char *hidden = hidden_name();
    if (renameat(dirfd, name, dirfd, hidden) < 0)
        return errno == ENOENT;
    g_auto(FcKeepPlaced) placed = {.beside = NULL};
    finish_hidden(dirfd, hidden, name, rule, &placed);
    return TRUE;
}

void fc_keep_delete_own(int dirfd, const char *name, const FcKeepRule *rule)
{
    struct stat status;
    if (fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && is_this_runs(&status, rule))
        fc_keep_take_away(dirfd, name, &(FcKeepRule){.began = rule->began, .own = rule->own});
}
