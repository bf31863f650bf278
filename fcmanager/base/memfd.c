/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See memfd.h, and fcntl(2) on file seals.
 */
#include "fcmanager/base/memfd.h"

#include <fcntl.h>
#include <sys/stat.h>

goffset fc_memfd_seal_size(int fd)
{
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0)
        return -1; /* no memfd: its size can always change */
    if ((seals & F_SEAL_SHRINK) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -1;
    return fstat(fd, &status) == 0 ? status.st_size : -1;
}
