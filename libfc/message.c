/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages to the user.  Called from every part of libfc that has to say
 * something; never uses stdio, which belongs to the program.
 */
#include "libfc/message.h"

#include "libfc/config.h"
#include "libfc/sys.h"

#include <string.h>
#include <sys/stat.h>

#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

long fc_write(int fd, const void *data, size_t bytes)
{
    /* A reader that is gone must not kill the program: SIGPIPE is blocked and, if
       this write raised it, taken back. */
    uint64_t old = fc_block_signals();
    uint64_t pending = 0;
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
    if (result == -EPIPE && !(pending & SIGNAL_BIT(SIGPIPE)))
    {
        uint64_t pipe_signal = SIGNAL_BIT(SIGPIPE);
        struct timespec zero = {0, 0};
        fc_sys(SYS_rt_sigtimedwait, &pipe_signal, NULL, &zero, sizeof pipe_signal);
    }
    fc_restore_signals(old);
    return result;
}

void fc_line_add(struct FcLine *line, const char *text)
{
    size_t bytes = strlen(text);
    size_t room = sizeof line->text - 1 - line->bytes; /* one byte stays for the newline */
    if (bytes > room)
        bytes = room;
    memcpy(line->text + line->bytes, text, bytes);
    line->bytes += bytes;
}

void fc_line_start(struct FcLine *line, const char *text)
{
    line->bytes = 0;
    fc_line_add(line, text);
}

char *fc_append_number(char *at, uint64_t number)
{
    if (number >= 10)
        at = fc_append_number(at, number / 10);
    *at++ = (char)('0' + number % 10);
    return at;
}

void fc_line_add_number(struct FcLine *line, unsigned long number)
{
    char digits[24];
    *fc_append_number(digits, number) = '\0';
    fc_line_add(line, digits);
}

/* What standard error was at the start: a program that closes it may get the number back
 * for a file of its own. */
static struct
{
    bool open;
    dev_t device;
    ino_t inode;
} first_stderr;

void fc_message_setup(void)
{
    struct stat status = {0};
    first_stderr.open = fc_sys(SYS_fstat, STDERR_FILENO, &status) == 0;
    first_stderr.device = status.st_dev;
    first_stderr.inode = status.st_ino;
}

void fc_message_print(const char *text, size_t bytes)
{
    struct stat now;
    if (first_stderr.open && fc_sys(SYS_fstat, STDERR_FILENO, &now) == 0 &&
        now.st_dev == first_stderr.device && now.st_ino == first_stderr.inode)
        fc_write(STDERR_FILENO, text, bytes);
}

void fc_line_print(struct FcLine *line)
{
    line->text[line->bytes] = '\n';
    fc_message_print(line->text, line->bytes + 1);
}

void fc_message(const char *a, const char *b, const char *c)
{
    if (fc_config.quiet)
        return;
    struct FcLine line;
    fc_line_start(&line, "FCheck: ");
    if (a != NULL)
        fc_line_add(&line, a);
    if (b != NULL)
        fc_line_add(&line, b);
    if (c != NULL)
        fc_line_add(&line, c);
    fc_line_print(&line);
}
