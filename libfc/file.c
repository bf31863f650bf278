/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See file.h.  Without stdio, which belongs to the program, and without cancellation points.
 */
#include "libfc/file.h"

#include "libfc/sys.h"

#include <fcntl.h>

size_t fc_file_read(const char *path, char *into, size_t room)
{
    /* non-blocking: whatever the program's folder holds in place of a file, we go on */
    long fd = fc_sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    size_t used = 0;
    long got;
    if (fd < 0)
        return 0;
    while (used < room && (got = fc_sys(SYS_read, fd, into + used, room - used)) > 0)
        used += (size_t)got;
    fc_sys(SYS_close, fd);
    return used;
}
