/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks the profile manager of a running program, for fcctl and fcdump.  The pipe is found and
 * opened through /proc, so the kernel allows this only to the program's own user and to root.  Does
 * not trust what the program says.  Never prints.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

/* Returns the answer of the manager of process `pid`: the text of a profile, or lines.  The caller
 * frees it.  NULL and *error, which names the process: it can't be asked, or refuses.
 *
 * If the caller is root, a child asks with the rights of the program's user. */
GString *fc_control_ask(gint pid, enum FcControlWhat what, GError **error);

/* Returns the process id that `word` stands for; 0: `word` is not a number. */
gint fc_control_pid(const char *word);
