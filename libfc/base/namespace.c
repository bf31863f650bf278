/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See namespace.h.
 */
#include "libfc/base/namespace.h"

#include "libfc/base/file.h"
#include "libfc/base/sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t inode_of(const char *path)
{
    struct stat status;
    return fc_sys(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0 ? status.st_ino : 0;
}

uint64_t fc_namespace_own(void)
{
    return inode_of("/proc/self/ns/pid");
}

bool fc_namespace_changes(void)
{
    /* the second is 0 as long as the new namespace has no first process */
    uint64_t own = fc_namespace_own();
    return own != 0 && inode_of("/proc/self/ns/pid_for_children") != own;
}

static int number_at(const char *at)
{
    int number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (*at - '0');
    return number;
}

int fc_namespace_self_in_proc(void)
{
    char text[24];
    long bytes = fc_sys(SYS_readlinkat, AT_FDCWD, "/proc/self", text, sizeof text - 1);
    text[bytes > 0 ? bytes : 0] = '\0';
    return number_at(text);
}

int fc_namespace_parent_in_proc(int process)
{
    char text[1024];
    size_t bytes = fc_file_read_at(process, "stat", text, sizeof text - 1);
    text[bytes] = '\0';
    const char *at = strrchr(text, ')'); /* "PID (NAME) STATE PPID" */
    return at && strlen(at) > 4 ? number_at(at + 4) : 0;
}
