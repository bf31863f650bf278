/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See trust.h.
 */
#include "libfc/trust.h"

#include "libfc/file.h"
#include "libfc/libc.h"
#include "libfc/namespace.h"
#include "libfc/sys.h"
#include "libfc/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* The real user of process `pid`; -1: not known. */
static long real_user_of(long pid)
{
    char text[4096];
    char path[48] = "/proc/";
    strcpy(fc_text_number(path + strlen(path), (uint64_t)pid), "/status");
    text[fc_file_read(path, text, sizeof text - 1)] = '\0';
    const char *at = strstr(text, "\nUid:\t");
    if (!at)
        return -1;
    long user = 0;
    for (at += strlen("\nUid:\t"); *at >= '0' && *at <= '9'; at++)
        user = user * 10 + (*at - '0');
    return user;
}

/* A set-user-id program may have become its owner altogether, and executed this image then. */
static bool is_callers_user(void)
{
    long self = fc_sys(SYS_openat, AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    long parent = self >= 0 ? fc_namespace_parent_in_proc((int)self) : 0; /* 0: out of sight */
    if (self >= 0)
        fc_sys(SYS_close, self);
    long user = parent > 0 ? real_user_of(parent) : -1;
    return user <= 0 || user == fc_sys(SYS_getuid);
}

bool fc_trust_is_privileged(void)
{
    return fc_libc()->getauxval(AT_SECURE) != 0 || fc_sys(SYS_getuid) != fc_sys(SYS_geteuid) ||
           fc_sys(SYS_getgid) != fc_sys(SYS_getegid) || !is_callers_user();
}

static bool is_trusted(const struct stat *status)
{
    return (status->st_uid == 0 || (long)status->st_uid == fc_sys(SYS_geteuid)) &&
           (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The folder must be, too, or the file could be replaced, by a link to another one for instance. */
static long check_file(int folder, int file)
{
    struct stat status;
    if (fc_sys(SYS_fstat, file, &status) < 0 || !S_ISREG(status.st_mode))
        return -EINVAL;
    if (!is_trusted(&status))
        return -EPERM;
    if (fc_sys(SYS_fstat, folder, &status) < 0 || !is_trusted(&status))
        return -EPERM;
    return file;
}

static long open_in(long folder, const char *name)
{
    /* non-blocking: a FIFO in the place of the file must not hold up the program */
    long file = fc_sys(SYS_openat, folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file == -ENXIO) /* a socket, or a device that is not there */
        return -EINVAL;
    long checked = file >= 0 ? check_file((int)folder, (int)file) : file;
    if (file >= 0 && checked < 0)
        fc_sys(SYS_close, file);
    return checked;
}

/* Whether there is nothing of that name, which can be told without a descriptor. */
static bool is_missing(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    if (strlen(folder) + 1 + strlen(name) >= sizeof path)
        return false;
    strcpy(stpcpy(stpcpy(path, folder), "/"), name);
    return fc_sys(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == -ENOENT;
}

int fc_trust_open(const char *folder, const char *name)
{
    long folder_fd =
        fc_sys(SYS_openat, AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    long file = folder_fd;
    if (folder_fd >= 0)
    {
        file = open_in(folder_fd, name);
        fc_sys(SYS_close, folder_fd);
    }
    return file < 0 && is_missing(folder, name) ? -ENOENT : (int)file;
}

void fc_trust_add_reason(struct FcLine *line, long error)
{
    if (error == -EPERM)
        fc_line_add(line, " or its folder belongs to another user, or others can write to it");
    else if (error == -ELOOP)
        fc_line_add(line, " is a symbolic link");
    else if (error == -EINVAL)
        fc_line_add(line, " is no regular file");
    else
    {
        const char *text = fc_libc()->strerrordesc((int)-error);
        fc_line_add(line, " can't be opened: ");
        fc_line_add(line, text ? text : "?");
    }
}

/* Opens the next of the folders of *path, of which it takes it off.  A link is opened itself. */
static long open_part(long folder, const char **path)
{
    char name[NAME_MAX + 1];
    const char *part = *path + strspn(*path, "/");
    size_t bytes = strcspn(part, "/");
    *path = part + bytes;
    if (bytes == 0 || bytes > NAME_MAX)
        return -ENOENT;
    memcpy(name, part, bytes);
    name[bytes] = '\0';
    return fc_sys(SYS_openat, folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

bool fc_trust_has_link(const char *path)
{
    struct stat status;
    bool has_link = false;
    long folder = AT_FDCWD;
    while (!has_link)
    {
        long next = open_part(folder, &path);
        if (folder >= 0)
            fc_sys(SYS_close, folder);
        folder = next;
        if (next < 0) /* the end, or what is not there */
            return false;
        has_link = fc_sys(SYS_fstat, next, &status) < 0 || S_ISLNK(status.st_mode);
    }
    fc_sys(SYS_close, folder);
    return true;
}

/* Whether the first two of the numbers behind `label` in `text`, of /proc/PID/status, are these. */
static bool has_ids(const char *text, const char *label, long real, long effective)
{
    char wanted[64];
    char *at = stpcpy(wanted, label);
    *at++ = '\t';
    at = fc_text_number(at, (uint64_t)real);
    *at++ = '\t';
    at = fc_text_number(at, (uint64_t)effective);
    *at++ = '\t';
    *at = '\0';
    return strstr(text, wanted) != NULL;
}

int fc_trust_open_process(int pid)
{
    char path[32] = "/proc/";
    *fc_text_number(path + strlen(path), (uint64_t)pid) = '\0';
    long process = fc_sys(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (process < 0)
        return -1;
    char text[4096];
    size_t bytes = fc_file_read_at((int)process, "status", text, sizeof text - 1);
    text[bytes] = '\0';
    if (has_ids(text, "\nUid:", fc_sys(SYS_getuid), fc_sys(SYS_geteuid)) &&
        has_ids(text, "\nGid:", fc_sys(SYS_getgid), fc_sys(SYS_getegid)))
        return (int)process;
    fc_sys(SYS_close, process);
    return -1;
}

int fc_trust_open_fd_of(int process, int fd, int flags)
{
    char path[32] = "fd/";
    *fc_text_number(path + strlen(path), (uint64_t)fd) = '\0';
    long opened = fc_sys(SYS_openat, process, path, flags | O_CLOEXEC);
    if (opened < 0)
        return -1;
    struct stat status;
    if (fc_sys(SYS_fstat, opened, &status) == 0 && (long)status.st_uid == fc_sys(SYS_geteuid))
        return (int)opened;
    fc_sys(SYS_close, opened);
    return -1;
}
