/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See notice.h.  Never uses stdio, which belongs to the program.
 */
#include "libfc/base/notice.h"

#include "libfc/base/file.h"
#include "libfc/base/sys.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define WAIT_NS 200000000

/* What standard error was at the start: a program that closes it may get the number back
 * for a file of its own. */
static struct
{
    bool open;
    bool is_terminal;
    dev_t device;
    ino_t inode;
} first_stderr;

static bool is_quiet;
static bool is_heard;
static char log_path[4096]; /* absolute; empty: standard error */

void fc_notice_setup(void)
{
    struct stat status = {0};
    first_stderr.open = fc_sys(SYS_fstat, STDERR_FILENO, &status) == 0;
    first_stderr.device = status.st_dev;
    first_stderr.inode = status.st_ino;
    char settings[64]; /* the kernel's struct termios has 36 bytes */
    first_stderr.is_terminal = fc_sys(SYS_ioctl, STDERR_FILENO, TCGETS, settings) == 0;
    fc_notice_choose(false, false, false, NULL);
}

/* Opens the log for each text: the program may close all descriptors that it does not know. */
static int open_log(void)
{
    return (int)fc_sys(SYS_openat, AT_FDCWD, log_path,
                       O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
}

/* Makes the path absolute, as the program may change its working directory.  False: the file
 * can't be opened. */
static bool set_log(const char *path)
{
    size_t folder = 0;
    if (path[0] != '/')
    {
        const long bytes = fc_sys(SYS_getcwd, log_path, sizeof log_path); /* with the NUL */
        if (bytes <= 1 || log_path[0] != '/')
            return false;
        folder = (size_t)bytes;
        log_path[folder - 1] = '/';
    }
    const size_t bytes = strlen(path) + 1;
    if (bytes == 1 || folder + bytes > sizeof log_path)
        return false;
    memcpy(log_path + folder, path, bytes);
    const int fd = open_log();
    if (fd >= 0)
        fc_sys(SYS_close, fd);
    return fd >= 0;
}

bool fc_notice_choose(bool quiet, bool is_beside, bool verbose, const char *log)
{
    const bool has_log = log && set_log(log);
    if (!has_log)
        log_path[0] = '\0';
    is_quiet = quiet;
    is_heard = !quiet && !is_beside && (has_log || verbose || first_stderr.is_terminal);
    return has_log || !log;
}

bool fc_notice_is_heard(void)
{
    return is_heard;
}

const char *fc_notice_log(void)
{
    return log_path[0] != '\0' ? log_path : NULL;
}

/* Whether standard error has room, at least after a short wait.  It may be a pipe that nobody
 * reads, and the program must not wait for a reader because of libfc. */
static bool has_room(void)
{
    static bool was_stuck; /* atomic; relaxed: at worst a thread waits once more */
    struct pollfd poll = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct timespec wait = {0, __atomic_load_n(&was_stuck, __ATOMIC_RELAXED) ? 0 : WAIT_NS};
    const bool is_stuck = fc_sys(SYS_ppoll, &poll, 1, &wait, NULL, 8) == 0;
    __atomic_store_n(&was_stuck, is_stuck, __ATOMIC_RELAXED);
    return !is_stuck;
}

void fc_notice_print(const char *text, size_t bytes)
{
    struct stat now;
    const int log = log_path[0] != '\0' ? open_log() : -1;
    if (log >= 0)
    {
        fc_file_write(log, text, bytes);
        fc_sys(SYS_close, log);
    }
    else if (first_stderr.open && fc_sys(SYS_fstat, STDERR_FILENO, &now) == 0 &&
             now.st_dev == first_stderr.device && now.st_ino == first_stderr.inode && has_room())
        fc_file_write(STDERR_FILENO, text, bytes);
}

static void print_line(struct FcLine *line)
{
    fc_line_end(line);
    fc_notice_print(line->text, line->bytes);
}

void fc_notice_line(struct FcLine *line)
{
    if (is_heard)
        print_line(line);
}

void fc_notice_unprofiled_line(struct FcLine *line)
{
    if (!is_quiet)
        print_line(line);
}

void fc_notice(const char *text)
{
    if (is_heard)
        fc_notice_always(text);
}

void fc_notice_unprofiled(const char *text)
{
    if (!is_quiet)
        fc_notice_always(text);
}

void fc_notice_always(const char *text)
{
    struct FcLine line;
    fc_line_start(&line, "FCheck: ");
    fc_line_add(&line, text);
    print_line(&line);
}
