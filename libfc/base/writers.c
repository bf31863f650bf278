/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See writers.h. Compiled into fcmanager, too, so it uses system calls only, and no other part of
 * libfc but text.c.
 */
#include "libfc/base/writers.h"

#include "libfc/base/sys.h"

#include <fcntl.h>
#include <string.h>

#define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

static bool has(const uint32_t *ids, uint32_t count, uint32_t id)
{
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* Adds an id.  If there is no room, it is left out and so not trusted. */
static void add(uint32_t ids[8], uint32_t *count, uint32_t id)
{
    if (*count < 8 && !has(ids, *count, id))
        ids[(*count)++] = id;
}

/* Which mode bits let users other than the owner change the file, or replace files in the folder.
 */
static mode_t shared_with(const struct stat *status)
{
    const bool is_sticky = S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX) != 0;
    return is_sticky ? 0 : status->st_mode & (S_IWGRP | S_IWOTH);
}

static void proc_path(char path[48], long fd)
{
    long unit = 1;
    while (fd / unit >= 10)
        unit *= 10;
    char *at = stpcpy(path, "/proc/self/fd/");
    for (; unit > 0; unit /= 10)
        *at++ = (char)('0' + fd / unit % 10);
    *at = '\0';
}

/* Whether the file has an access control list, of whose entries the mode shows only a summary, in
 * the group's bits. */
static bool has_acl(long fd)
{
    char path[48];
    proc_path(path, fd);
    return fc_sys(SYS_getxattr, path, "system.posix_acl_access", NULL, 0) > 0;
}

static bool allows(const struct FcWriters *writers, long fd, const struct stat *status)
{
    const mode_t shared = shared_with(status);
    return has(writers->users, writers->user_count, status->st_uid) &&
           ((shared & S_IWOTH) == 0 || writers->anybody) &&
           ((shared & S_IWGRP) == 0 ||
            (has(writers->groups, writers->group_count, status->st_gid) && !has_acl(fd)));
}

static void add_of(struct FcWriters *writers, const struct stat *status)
{
    const mode_t shared = shared_with(status);
    add(writers->users, &writers->user_count, status->st_uid);
    if (shared & S_IWGRP)
        add(writers->groups, &writers->group_count, status->st_gid);
    writers->anybody |= (shared & S_IWOTH) != 0;
}

void fc_writers_self(struct FcWriters *writers)
{
    const uint32_t user = (uint32_t)fc_sys(SYS_geteuid);
    *writers = (struct FcWriters){0};
    add(writers->users, &writers->user_count, 0);
    add(writers->users, &writers->user_count, user);
    if (user != 0 && fc_sys(SYS_getuid) == user && fc_sys(SYS_getgid) == user &&
        fc_sys(SYS_getegid) == user)
        add(writers->groups, &writers->group_count, user);
}

/* Gets the path of an open file.  False: there is no /proc, or no room for the path. */
static bool path_of(long fd, char path[FC_WRITERS_PATH])
{
    char link[48];
    proc_path(link, fd);
    const long bytes = fc_sys(SYS_readlinkat, AT_FDCWD, link, path, FC_WRITERS_PATH - 1);
    path[bytes > 0 ? bytes : 0] = '\0';
    return bytes > 0 && bytes < FC_WRITERS_PATH - 1 && path[0] == '/';
}

/* Opens the folder above `folder`, whose status is `status`.  Returns 0 if it is /, or -errno. */
static long open_above(long folder, const struct stat *status)
{
    struct stat above;
    const long fd = fc_sys(SYS_openat, folder, "..", FOLDER);
    if (fd < 0)
        return fd;
    long result = fc_sys(SYS_fstat, fd, &above);
    if (result == 0 && (above.st_dev != status->st_dev || above.st_ino != status->st_ino))
        return fd;
    fc_sys(SYS_close, fd);
    return result;
}

typedef bool Visit(void *data, long fd, const struct stat *status);

/* Visits `folder` and all above it; 0, or -errno.  -EPERM: `visit` is false for one of them, whose
 * path goes to `fault`. */
static long go_up(int folder, Visit *visit, void *data, char *fault)
{
    long at = fc_sys(SYS_fcntl, folder, F_DUPFD_CLOEXEC, 3);
    while (at > 0)
    {
        struct stat status;
        long next = fc_sys(SYS_fstat, at, &status);
        if (next == 0 && !visit(data, at, &status))
        {
            next = -EPERM;
            if (fault && !path_of(at, fault))
                strcpy(fault, "one above");
        }
        if (next == 0)
            next = open_above(at, &status);
        fc_sys(SYS_close, at);
        at = next;
    }
    return at;
}

static bool visit_to_add(void *data, long fd, const struct stat *status)
{
    (void)fd;
    add_of(data, status);
    return true;
}

static bool visit_to_check(void *data, long fd, const struct stat *status)
{
    return allows(data, fd, status);
}

/* Opens the folder of the file at `path`, and sets *name to the file's name in it.  Or returns
 * -errno. */
static long open_folder_of(const char *path, const char **name)
{
    static char folder[FC_WRITERS_PATH]; /* not on a stack, which may be a signal's */
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    const size_t bytes = slash ? (size_t)(slash + 1 - path) : 0;
    if (bytes >= sizeof folder)
        return -ENAMETOOLONG;
    memcpy(folder, path, bytes);
    strcpy(folder + bytes, bytes == 0 ? "." : "");
    return fc_sys(SYS_openat, AT_FDCWD, folder, FOLDER);
}

void fc_writers_add(struct FcWriters *writers, const char *path)
{
    struct stat status;
    const char *name;
    if (fc_sys(SYS_newfstatat, AT_FDCWD, path, &status, 0) < 0)
        return;
    const long folder = open_folder_of(path, &name);
    if (folder < 0)
        return;
    add_of(writers, &status);
    go_up((int)folder, visit_to_add, writers, NULL);
    fc_sys(SYS_close, folder);
}

static long check(const struct FcWriters *writers, int folder, long file, char *fault)
{
    struct stat status;
    struct FcWriters with_top = *writers;
    long result = fc_sys(SYS_fstat, file, &status);
    if (result < 0)
        return result;
    if (S_ISLNK(status.st_mode))
        return -ELOOP;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    if (!allows(writers, file, &status))
        return -EPERM;
    if (fc_sys(SYS_newfstatat, AT_FDCWD, "/", &status, 0) == 0)
        add(with_top.users, &with_top.user_count, status.st_uid);
    return go_up(folder, visit_to_check, &with_top, fault);
}

long fc_writers_open(const struct FcWriters *writers, int folder, const char *name, int flags,
                     char fault[FC_WRITERS_PATH])
{
    fault[0] = '\0';
    /* non-blocking: a FIFO in the place of the file must not hold up the program */
    const long file = fc_sys(SYS_openat, folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file == -ENXIO) /* a socket, or a device that is not there */
        return -EINVAL;
    const long result = file >= 0 ? check(writers, folder, file, fault) : file;
    if (file >= 0 && result < 0)
        fc_sys(SYS_close, file);
    return result < 0 ? result : file;
}

/* Gets the path without links that `path` leads to.  Returns 0 or -errno. */
static long resolve(const char *path, char real[FC_WRITERS_PATH])
{
    const long file = fc_sys(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC);
    if (file < 0)
        return file;
    const bool is_found = path_of(file, real);
    fc_sys(SYS_close, file);
    return is_found ? 0 : -ENOSYS;
}

long fc_writers_open_path(const struct FcWriters *writers, const char *path, int flags,
                          char real[FC_WRITERS_PATH], char fault[FC_WRITERS_PATH])
{
    static char target[FC_WRITERS_PATH];
    const char *name;
    fault[0] = '\0';
    long result = resolve(path, target);
    if (result < 0)
        return result;
    const long folder = open_folder_of(target, &name);
    if (folder < 0)
        return folder;
    result = fc_writers_open(writers, (int)folder, name, flags, fault);
    /* fails if the file that was checked has not the path that was found: somebody has replaced
       it */
    if (result >= 0 && (!path_of(result, real) || strcmp(real, target) != 0))
    {
        fc_sys(SYS_close, result);
        result = -ESTALE;
    }
    fc_sys(SYS_close, folder);
    return result;
}
