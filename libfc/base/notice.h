/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Notices: lines for the user, on standard error.  (What goes to fcmanager is a message; see
 * channel.h.) For every file of libfc; async-signal-safe.
 */
#pragma once

#include "libfc/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Remembers what standard error is.  Called once, before any notice. */
void fc_notice_setup(void);

/* With FC_QUIET: from here on only fc_notice_always and fc_notice_print write. */
void fc_notice_set_quiet(bool quiet);

/* Writes "FCheck: TEXT\n", unless quiet. */
void fc_notice(const char *text);

/* The same, even if quiet: there is no profile, or it is incomplete. */
void fc_notice_always(const char *text);

/* Ends the line and writes it, unless quiet. */
void fc_notice_line(struct FcLine *line);

/* Writes text as it is, even if quiet.  Nothing is written if the program has closed standard
 * error or opened another file under its number, or if it is a pipe that stays full. */
void fc_notice_print(const char *text, size_t bytes);
