/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What nobody is left to print: see last-word.h.
 */
#include "fcmanager/last-word.h"

#include <glib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 40

/* Opened anew it gets our rights, so whoever gave it to us must have been able to write to it.  To
 * open a device can do anything, but for a terminal. */
static gboolean is_usable(int fd)
{
    struct stat status;
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0 &&
           fstat(fd, &status) == 0 &&
           (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || isatty(fd));
}

int fc_last_word_prepare(void)
{
    char path[PATH_BYTES];
    if (!is_usable(STDERR_FILENO))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", STDERR_FILENO);
    return open(path, O_PATH | O_CLOEXEC);
}

void fc_last_word_say(int place, const char *text)
{
    char path[PATH_BYTES];
    if (place < 0 || *text == '\0')
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    int fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    while (write(fd, text, strlen(text)) < 0 && errno == EINTR)
        continue;
    close(fd);
}
