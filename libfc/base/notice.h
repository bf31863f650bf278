/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Notices: what libfc says to the user, on standard error if that is a terminal, or in the file of
 * FC_LOG.  What reads a program's standard error must not find them there: it gets a line only
 * where there is no profile.  (What goes down the pipe to fcmanager is a message; see channel.h.)
 * For every file of libfc; async-signal-safe.
 */
#pragma once

#include "libfc/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Remembers what standard error is.  Called once, before any notice. */
void fc_notice_setup(void);

/* What the user asked for: FC_QUIET; FC_VERBOSE, by which standard error gets notices whatever it
 * is; and FC_LOG, the file that gets them in its place, or NULL.  `is_beside`: another rank of the
 * job speaks for this one, but where the program is not profiled.  Returns false where that file
 * can't be written, and is not used.  `log` is copied. */
bool fc_notice_choose(bool quiet, bool is_beside, bool verbose, const char *log);

/* Whether fc_notice prints. */
bool fc_notice_is_heard(void);

/* The file of FC_LOG, absolute; NULL: none is in use. */
const char *fc_notice_log(void);

/* "FCheck: TEXT\n", where notices are heard. */
void fc_notice(const char *text);
/* The line, which is ended here, likewise. */
void fc_notice_line(struct FcLine *line);

/* The same wherever standard error leads, but with FC_QUIET: the program is not profiled. */
void fc_notice_unprofiled(const char *text);
void fc_notice_unprofiled_line(struct FcLine *line);

/* The same, also with FC_QUIET: a profile that was begun is lost, or its end. */
void fc_notice_always(const char *text);

/* Text as it is, also with FC_QUIET.  Standard error gets nothing once the program has closed it or
 * opened another file under its number, or where it is a pipe that stays full. */
void fc_notice_print(const char *text, size_t bytes);
