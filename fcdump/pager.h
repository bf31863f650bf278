/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pager that shows reports on a terminal, as git has it.  Called by main alone, around all
 * that goes to standard output; says nothing itself.
 */
#pragma once

#include <glib.h>

/* Makes standard output a pipe to $FC_PAGER, else $PAGER, else less; does nothing where that is
 * empty or "cat", or can't be started.  Standard output must be a terminal, and nothing written
 * yet. */
void fc_pager_start(void);

/* Ends the output and waits until the reader has seen enough; nothing where there is no pager. */
void fc_pager_finish(void);
