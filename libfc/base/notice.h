/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Notices: what libfc says to the user, on standard error.  (What goes down the pipe to
 * fcmanager is a message; see channel.h.)  For every file of libfc; async-signal-safe.
 */
#pragma once

#include "libfc/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Remembers what standard error is.  Called once, before any notice. */
void fc_notice_setup(void);

/* With FC_QUIET: from here on only fc_notice_always and fc_notice_print print. */
void fc_notice_set_quiet(bool quiet);

/* "FCheck: TEXT\n", unless quiet. */
void fc_notice(const char *text);

/* The same, also when quiet: there is no profile, or not all of it. */
void fc_notice_always(const char *text);

/* The line, which is ended here, unless quiet. */
void fc_notice_line(struct FcLine *line);

/* Text as it is, also when quiet.  Standard error gets nothing once the program has closed it or
 * opened another file under its number, or where it is a pipe that stays full. */
void fc_notice_print(const char *text, size_t bytes);
