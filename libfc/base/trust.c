/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See trust.h.
 */
#include "libfc/base/trust.h"

#include "libfc/base/file.h"
#include "libfc/base/libc.h"
#include "libfc/base/sys.h"
#include "libfc/base/text.h"
#include "libfc/fc-format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* Why the last file was refused: the folder that somebody else can change; empty: the file
 * itself. */
static char fault[FC_WRITERS_PATH];

/* ---- This process ------------------------------------------------------------------- */

/* Whether real, effective and saved id are one. */
static bool is_one(long call)
{
    uint32_t real = 0, effective = 0, saved = 0;
    fc_sys(call, &real, &effective, &saved);
    return real == effective && effective == saved;
}

bool fc_trust_is_privileged(void)
{
    return fc_libc()->getauxval(AT_SECURE) != 0 || !is_one(SYS_getresuid) || !is_one(SYS_getresgid);
}

static bool has_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    fc_sys(SYS_capget, &header, data);
    return (data[0].permitted | data[1].permitted) != 0;
}

/* ---- Files ---------------------------------------------------------------------------- */

/* Whether nothing has that name.  Needs no descriptor. */
static bool is_missing(const char *folder, const char *name)
{
    static char path[PATH_MAX];
    struct stat status;
    if (strlen(folder) + 1 + strlen(name) >= sizeof path)
        return false;
    strcpy(stpcpy(stpcpy(path, folder), "/"), name);
    return fc_sys(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == -ENOENT;
}

int fc_trust_open(const char *folder, const char *name)
{
    struct FcWriters writers;
    long folder_fd =
        fc_sys(SYS_openat, AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    long file = folder_fd;
    if (folder_fd >= 0)
    {
        fc_writers_self(&writers);
        file = fc_writers_open(&writers, (int)folder_fd, name, O_RDONLY, fault);
        fc_sys(SYS_close, folder_fd);
    }
    return file < 0 && is_missing(folder, name) ? -ENOENT : (int)file;
}

/* Whether `data` has the note FC_MANAGER_NOTE. */
static bool has_note(const char *data, size_t bytes)
{
    ElfW(Nhdr) note;
    while (bytes >= sizeof note)
    {
        memcpy(&note, data, sizeof note);
        const uint64_t size = sizeof note + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3)) +
                              (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
        if (size > bytes)
            return false;
        if (note.n_namesz == sizeof FC_MANAGER_NOTE &&
            memcmp(data + sizeof note, FC_MANAGER_NOTE, sizeof FC_MANAGER_NOTE) == 0)
            return true;
        data += size;
        bytes -= size;
    }
    return false;
}

/* Whether it was built as an fcmanager: no script, and no other program. */
static bool is_manager(int file)
{
    static char data[4096];
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
    if (fc_sys(SYS_pread64, file, &header, sizeof header, 0) != sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof segment)
        return false;
    for (size_t i = 0; i < header.e_phnum; i++)
    {
        const uint64_t at = header.e_phoff + i * sizeof segment;
        if (fc_sys(SYS_pread64, file, &segment, sizeof segment, at) != sizeof segment)
            return false;
        if (segment.p_type != PT_NOTE || segment.p_filesz > sizeof data)
            continue;
        const long bytes = fc_sys(SYS_pread64, file, data, segment.p_filesz, segment.p_offset);
        if (bytes > 0 && has_note(data, (size_t)bytes))
            return true;
    }
    return false;
}

/* Checks a manager that the environment names.  A process may have got rights from a set-user-id
 * or set-group-id program that executed this one: the kernel forgets this at the second exec.
 * The user who started that program can't make files of its owner, and can't give a file a group
 * without being in it.  So the file's owner and group are checked.  A file of root's must be an
 * fcmanager, because such a user could name any program of root's. */
static long check_named(int file, const char *path)
{
    struct stat status;
    const long user = fc_sys(SYS_geteuid);
    const bool has_power = user == 0 || has_capabilities();
    const long result = fc_sys(SYS_fstat, file, &status);
    if (result < 0)
        return result;
    if (status.st_uid != 0 &&
        (has_power || (status.st_gid != 0 && (long)status.st_gid != fc_sys(SYS_getegid))))
    {
        fault[0] = '\0';
        return -EPERM;
    }
    if (status.st_uid != 0)
        return 0;
    const long opened = fc_sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (opened < 0)
        return opened;
    const bool is_one_of_ours = is_manager((int)opened);
    fc_sys(SYS_close, opened);
    return is_one_of_ours ? 0 : -ENOEXEC;
}

long fc_trust_find_named(const char *path, char real[FC_WRITERS_PATH])
{
    struct FcWriters writers;
    fc_writers_self(&writers);
    const long file = fc_writers_open_path(&writers, path, O_PATH, real, fault);
    if (file < 0)
        return file;
    const long result = check_named((int)file, real);
    fc_sys(SYS_close, file);
    return result;
}

long fc_trust_find_installed(const char *path, const char *libfc, char real[FC_WRITERS_PATH])
{
    struct FcWriters writers;
    fc_writers_self(&writers);
    fc_writers_add(&writers, libfc);
    const long file = fc_writers_open_path(&writers, path, O_PATH, real, fault);
    if (file >= 0)
        fc_sys(SYS_close, file);
    return file < 0 ? file : 0;
}

void fc_trust_add_reason(struct FcLine *line, long error)
{
    if (error == -EPERM)
    {
        fc_line_add(line, fault[0] != '\0' ? "its folder " : "it");
        fc_line_add(line, fault);
        fc_line_add(line, " belongs to another user, or others can write to it");
    }
    else if (error == -ELOOP)
        fc_line_add(line, "it is a symbolic link");
    else if (error == -EINVAL)
        fc_line_add(line, "it is no regular file");
    else if (error == -ENOEXEC)
        fc_line_add(line, "it is no fcmanager, and no other program of root's is run");
    else if (error == -ENOSYS)
        fc_line_add(line, "its folders can't be looked up without /proc");
    else
    {
        const char *text = fc_libc()->strerrordesc((int)-error);
        fc_line_add(line, "it can't be opened: ");
        fc_line_add(line, text ? text : "?");
    }
}

/* ---- Links ------------------------------------------------------------------------------ */

/* Opens the next part of *path, within `folder`, and moves *path past it.  Does not follow a
 * link. */
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

/* ---- Processes -------------------------------------------------------------------------- */

/* Whether two texts of /proc/PID/status have the same line `label`. */
static bool is_same_line(const char *one, const char *other, const char *label)
{
    const char *a = strstr(one, label);
    const char *b = strstr(other, label);
    const size_t bytes = a ? strcspn(a + 1, "\n") + 2 : 0; /* with both newlines */
    return a && b && strlen(a) >= bytes && strncmp(a, b, bytes) == 0;
}

/* Whether the process has our ids and, unless we are root, our capabilities.  For a user other
 * than root, capabilities are rights beyond the user's own.  Root's differ between user
 * namespaces. */
static bool has_our_rights(int process)
{
    static char own[4096];
    static char others[4096];
    own[fc_file_read("/proc/self/status", own, sizeof own - 1)] = '\0';
    others[fc_file_read_at(process, "status", others, sizeof others - 1)] = '\0';
    return is_same_line(own, others, "\nUid:") && is_same_line(own, others, "\nGid:") &&
           (fc_sys(SYS_geteuid) == 0 || is_same_line(own, others, "\nCapPrm:"));
}

int fc_trust_open_process(int pid)
{
    char path[32] = "/proc/";
    *fc_text_number(path + strlen(path), (uint64_t)pid) = '\0';
    long process = fc_sys(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (process < 0)
        return -1;
    if (has_our_rights((int)process))
        return (int)process;
    fc_sys(SYS_close, process);
    return -1;
}

static bool is_of_us(int fd)
{
    struct stat status;
    return fc_sys(SYS_fstat, fd, &status) == 0 && (long)status.st_uid == fc_sys(SYS_geteuid) &&
           (long)status.st_gid == fc_sys(SYS_getegid);
}

int fc_trust_open_fd_of(int process, int fd, int flags)
{
    char path[32] = "fd/";
    *fc_text_number(path + strlen(path), (uint64_t)fd) = '\0';
    long opened = fc_sys(SYS_openat, process, path, flags | O_CLOEXEC);
    if (opened < 0)
        return -1;
    if (is_of_us((int)opened))
        return (int)opened;
    fc_sys(SYS_close, opened);
    return -1;
}

bool fc_trust_is_own(int fd)
{
    return is_of_us(fd) && (fc_sys(SYS_geteuid) == 0 || !has_capabilities());
}
