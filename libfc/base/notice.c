/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See notice.h.  Never uses stdio, which belongs to the program.
 */
#include "libfc/base/notice.h"

#include "libfc/base/file.h"
#include "libfc/base/sys.h"

#include <poll.h>
#include <sys/stat.h>

#define WAIT_NS 200000000

/* What standard error was at the start: a program that closes it may get the number back
 * for a file of its own. */
static struct
{
    bool open;
    dev_t device;
    ino_t inode;
} first_stderr;

static bool is_quiet;

void fc_notice_setup(void)
{
    struct stat status = {0};
    first_stderr.open = fc_sys(SYS_fstat, STDERR_FILENO, &status) == 0;
    first_stderr.device = status.st_dev;
    first_stderr.inode = status.st_ino;
}

void fc_notice_set_quiet(bool quiet)
{
    is_quiet = quiet;
}

/* Whether there is room in a pipe, or soon: nobody may be reading at the other end, and the program
 * must not wait for that on our account. */
static bool has_room(void)
{
    static bool was_stuck; /* atomic; relaxed: so long one waits, at most */
    struct pollfd poll = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct timespec wait = {0, __atomic_load_n(&was_stuck, __ATOMIC_RELAXED) ? 0 : WAIT_NS};
    const bool is_stuck = fc_sys(SYS_ppoll, &poll, 1, &wait, NULL, 8) == 0;
    __atomic_store_n(&was_stuck, is_stuck, __ATOMIC_RELAXED);
    return !is_stuck;
}

void fc_notice_print(const char *text, size_t bytes)
{
    struct stat now;
    if (first_stderr.open && fc_sys(SYS_fstat, STDERR_FILENO, &now) == 0 &&
        now.st_dev == first_stderr.device && now.st_ino == first_stderr.inode && has_room())
        fc_file_write(STDERR_FILENO, text, bytes);
}

void fc_notice_line(struct FcLine *line)
{
    fc_line_end(line);
    if (!is_quiet)
        fc_notice_print(line->text, line->bytes);
}

void fc_notice(const char *text)
{
    if (!is_quiet)
        fc_notice_always(text);
}

void fc_notice_always(const char *text)
{
    struct FcLine line;
    fc_line_start(&line, "FCheck: ");
    fc_line_add(&line, text);
    fc_line_end(&line);
    fc_notice_print(line.text, line.bytes);
}
