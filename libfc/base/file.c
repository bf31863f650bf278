/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See file.h.  Without stdio, which belongs to the program, and without cancellation points.
 */
#include "libfc/base/file.h"

#include "libfc/base/signals.h"
#include "libfc/base/sys.h"

#include <fcntl.h>

size_t fc_file_read_fd(int fd, char *into, size_t room)
{
    size_t used = 0;
    long got;
    while (used < room && (got = fc_sys(SYS_read, fd, into + used, room - used)) > 0)
        used += (size_t)got;
    fc_sys(SYS_close, fd);
    return used;
}

size_t fc_file_read_at(int folder, const char *path, char *into, size_t room)
{
    long fd = fc_sys(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fc_file_read_fd((int)fd, into, room) : 0;
}

size_t fc_file_read(const char *path, char *into, size_t room)
{
    return fc_file_read_at(AT_FDCWD, path, into, room);
}

long fc_file_write(int fd, const void *data, size_t bytes)
{
    /* A reader that is gone must not kill the program: SIGPIPE is blocked and, if this write
       raised it, taken back.  If the program does not block SIGPIPE itself, none is pending when
       we block it.  Signals that are blocked already are not blocked again: for each chunk this
       saves three system calls, a hundredth of the time of a program of which every call is
       recorded. */
    const bool is_nested = fc_thread.is_blocking;
    const uint64_t old = is_nested ? 0 : fc_block_signals();
    uint64_t pending = 0;
    if (fc_thread.blocked_before & FC_SIGNAL_BIT(SIGPIPE))
        fc_sys(SYS_rt_sigpending, &pending, sizeof pending);

    const char *from = data;
    long result = 0;
    while (bytes > 0)
    {
        long written = fc_sys(SYS_write, fd, from, bytes);
        if (written == -EINTR)
            continue;
        if (written <= 0)
        {
            result = written == 0 ? -EIO : written;
            break;
        }
        from += written;
        bytes -= (size_t)written;
    }
    if (result == -EPIPE && !(pending & FC_SIGNAL_BIT(SIGPIPE)))
    {
        uint64_t pipe_signal = FC_SIGNAL_BIT(SIGPIPE);
        struct timespec zero = {0, 0};
        fc_sys(SYS_rt_sigtimedwait, &pipe_signal, NULL, &zero, sizeof pipe_signal);
    }
    if (!is_nested)
        fc_restore_signals(old);
    return result;
}
