/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Notices: what libfc says to the user, on standard error if that is a terminal, or in the file
 * of FC_LOG.  Where standard error is a pipe or a file, only one line is printed, and only if
 * there is no profile: whatever reads it expects the program's own text. (What goes down the pipe
 * to fcmanager is a message; see channel.h.) For every file of libfc; async-signal-safe.
 */
#pragma once

#include "libfc/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Remembers what standard error is.  Called once, before any notice. */
void fc_notice_setup(void);

/* What the user asked for: FC_QUIET; FC_VERBOSE, by which standard error gets notices whatever it
 * is; and FC_LOG, the file that gets them in its place, or NULL.  `is_beside`: another rank of
 * the job prints the notices for this one, except that the program is not profiled.  Returns
 * false if the file can't be written; then it is not used.  `log` is copied. */
bool fc_notice_choose(bool quiet, bool is_beside, bool verbose, const char *log);

/* Whether fc_notice prints. */
bool fc_notice_is_heard(void);

/* The file of FC_LOG, absolute; NULL: none is in use. */
const char *fc_notice_log(void);

/* Prints "FCheck: TEXT\n" if fc_notice_is_heard. */
void fc_notice(const char *text);
/* The same for a line, whose newline it adds. */
void fc_notice_line(struct FcLine *line);

/* The same whatever standard error is, unless FC_QUIET is set.  For the notice that the program
 * is not profiled. */
void fc_notice_unprofiled(const char *text);
void fc_notice_unprofiled_line(struct FcLine *line);

/* The same, even with FC_QUIET.  For the notice that a profile that was begun is lost, or its
 * end. */
void fc_notice_always(const char *text);

/* Prints the text as it is, even with FC_QUIET.  Standard error gets nothing once the program has
 * closed it or opened another file under its number, or where it is a pipe that stays full. */
void fc_notice_print(const char *text, size_t bytes);
