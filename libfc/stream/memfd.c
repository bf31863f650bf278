/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See memfd.h, and memfd_create(2) and fcntl(2) on file seals.
 */
#include "libfc/stream/memfd.h"

#include "libfc/base/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) /* F_SEAL_SEAL: the seals stay */

int fc_memfd_make(const char *name, size_t bytes)
{
    int fd = (int)fc_sys(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    /* another process of the user may have changed the size before it was sealed */
    if (fc_sys(SYS_ftruncate, fd, bytes) == 0 && fc_sys(SYS_fcntl, fd, F_ADD_SEALS, SEALS) == 0 &&
        fc_memfd_bytes(fd) == (long)bytes)
        return fd;
    fc_sys(SYS_close, fd);
    return -1;
}

long fc_memfd_bytes(int fd)
{
    struct stat status;
    long seals = fc_sys(SYS_fcntl, fd, F_GET_SEALS); /* only a memfd has seals */
    if (seals < 0 || (seals & SEALS) != SEALS || fc_sys(SYS_fstat, fd, &status) < 0)
        return -1;
    return (long)status.st_size;
}
