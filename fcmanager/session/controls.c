/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See controls.h.
 */
#include "fcmanager/session/controls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

gboolean fc_controls_decode(const FcWireMessage *message, struct FcControl *control)
{
    if (message->value != FC_WIRE_VERSION || message->payload_bytes != sizeof *control)
        return FALSE;
    memcpy(control, message->payload, sizeof *control);
    return control->pid > 0 && control->asker > 0 && control->fd >= 0;
}

int fc_controls_open(const struct FcControl *control)
{
    struct stat status;
    g_autofree char *path = g_strdup_printf("/proc/%d/fd/%d", control->asker, control->fd);
    const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_dev == control->device &&
        status.st_ino == control->inode)
        return fd;
    close(fd);
    return -1;
}

/* Writes `bytes` to the pipe.  FALSE: the reader is gone, or takes nothing for `waits_ms`. */
static gboolean put(int fd, const char *at, gsize bytes, int waits_ms)
{
    while (bytes > 0)
    {
        const gssize written = write(fd, at, bytes);
        struct pollfd room = {fd, POLLOUT, 0};
        if (written < 0 && errno == EAGAIN && poll(&room, 1, waits_ms) <= 0)
            return FALSE;
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return FALSE;
        at += MAX(written, 0);
        bytes -= (gsize)MAX(written, 0);
    }
    return TRUE;
}

gboolean fc_controls_answer(int fd, enum FcControlState state, const char *text, gsize bytes,
                            int waits_ms)
{
    const struct FcControlAnswer answer = {FC_CONTROL_MAGIC, state, bytes};
    return put(fd, (const char *)&answer, sizeof answer, waits_ms) &&
           put(fd, text, bytes, waits_ms);
}
