/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much memory the manager may still take.  It runs under the limits of the program that starts
 * it, of address space (ulimit -v) and of the control group; if it hits one, everything is lost.
 * Used by main.c, counts.c and session.c.  Nothing is limited before fc_memory_limit_start.
 */
#pragma once

#include <glib.h>

/* Reads the limits.  If an allocation fails, which ends the manager, a notice goes to
 * `notice_fd` (notice.h). */
void fc_memory_limit_start(int notice_fd);

/* Whether the growth since then, and what the end needs for it, comes near a limit; from then on
 * always TRUE.  To be asked before something optional is added.  Reads the system's figures from
 * time to time only. */
gboolean fc_memory_is_short(void);

/* Which limit that was, as text; NULL: none so far.  The caller frees it. */
char *fc_memory_limit_reason(void);
