/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Notices that the manager itself prints on the program's standard error, or in the file of FC_LOG,
 * because no process of the program can: it was killed, it became a program that is not profiled,
 * or it waits for its profile.  Used by main.c and session.c.  Must not keep the standard error
 * open for writing: who reads a pipe waits for its last writer.
 */
#pragma once

#include <glib.h>

/* Remembers where standard error leads, before it is redirected, or the file `log` if it is not
 * NULL and can be written.  Returns a descriptor for fc_notice_print that is not open for writing;
 * -1: there is nothing to write to later. */
int fc_notice_prepare(const char *log);

/* Writes `text` there, as far as that is possible without waiting.  `fd` may be -1. */
void fc_notice_print(int fd, const char *text);

/* The same after `after_ms`, unless fc_notice_cancel is called before.  Uses SIGALRM, so it
 * happens whatever the calling thread does then.  One notice at a time. */
void fc_notice_print_later(int fd, const char *text, guint after_ms);
void fc_notice_cancel(void);
