/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text for the user, on standard error, and the two ways in which libfc writes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes all of it; SIGPIPE is not raised.  0, or -errno of the write that failed
 * (-EAGAIN on a full non-blocking descriptor, only before the first byte).
 * Async-signal-safe. */
long fc_write(int fd, const void *data, size_t bytes);

/* Remembers what standard error is.  Called once, before any message. */
void fc_message_setup(void);

/* Writes to standard error, unless that number is another file by now.
 * Async-signal-safe. */
void fc_message_print(const char *text, size_t bytes);

/* Writes `number` in decimal, no NUL; returns where it ends.  At most 20 characters. */
char *fc_append_number(char *at, uint64_t number);

/* Assembles one line in a fixed buffer, too long a line is cut: no stdio, no
 * allocation.  Async-signal-safe. */
struct FcLine
{
    size_t bytes;
    char text[512];
};
void fc_line_start(struct FcLine *line, const char *text);
void fc_line_add(struct FcLine *line, const char *text);
void fc_line_add_number(struct FcLine *line, unsigned long number);
/* Ends the line and writes it to standard error in one write. */
void fc_line_print(struct FcLine *line);

/* "FCheck: a b c\n" unless FC_QUIET is set; NULL strings are left out. */
void fc_message(const char *a, const char *b, const char *c);
