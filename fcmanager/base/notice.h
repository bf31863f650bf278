/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Notices that the manager itself prints on the program's standard error, or in the file of FC_LOG,
 * because no process of the program can: it was killed, it became a program that is not profiled,
 * or it waits for its profile.  Used by main.c and session.c.
 *
 * The manager must not keep standard error open for writing.  If that is a pipe, its reader waits
 * until the last writer has closed it.
 */
#pragma once

#include <glib.h>

/* Remembers the file for notices: `log` if it is not NULL and can be written, else standard error.
 * To be called before standard error is redirected.  Returns a descriptor for fc_notice_print,
 * which is not open for writing and is the caller's; -1: there is nothing to write to. */
int fc_notice_prepare(const char *log);

/* Writes `text` to the file of `fd`, as much as is possible without waiting.  -1: does nothing. */
void fc_notice_print(int fd, const char *text);

/* Writes `text`, of which it keeps a copy, after `after_ms` unless fc_notice_cancel is called
 * before.  A handler of SIGALRM writes it, so the calling thread may be blocked.  There is one
 * such notice at a time. */
void fc_notice_print_later(int fd, const char *text, guint after_ms);
void fc_notice_cancel(void);
