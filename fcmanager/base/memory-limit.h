/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much memory the manager may still take: it lives under the limits of the program that starts
 * it, of address space (ulimit -v) and of the control group, and where it hits one all is lost.
 * Used by main.c, counts.c and session.c.  Until fc_memory_limit_start nothing is limited.
 */
#pragma once

#include <glib.h>

/* Finds the limits, below those that can be raised no more.  `notice_fd`: where it is said, by
 * notice.h, that an allocation failed, which ends the manager. */
void fc_memory_limit_start(int notice_fd);

/* Whether what has grown since then, and what the end needs for it, comes near a limit.  From then
 * on always.  To be asked before something is added that can be done without; reads the system's
 * figures now and then. */
gboolean fc_memory_is_short(void);

/* Which limit that was, for people; NULL: none yet.  The caller frees it. */
char *fc_memory_limit_reason(void);
