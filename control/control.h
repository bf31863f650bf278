/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks the profile manager of a running program, for fcctl and fcdump.  The kernel decides who may:
 * the pipe is found and opened in /proc, as only the program's own user and root can.  Never
 * prints.  Of the program nothing is trusted.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

/* What the manager of process `pid` answers: the text of a profile, or lines.  NULL and *error,
 * which names the process: it can't be asked, or refuses.
 *
 * Root asks in the name of the program's user, in a child. */
GString *fc_control_ask(gint pid, enum FcControlWhat what, GError **error);

/* Whether `word` is what a process could be named by: a number, and no more.  0: it is not. */
gint fc_control_pid(const char *word);
