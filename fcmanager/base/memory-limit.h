/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much memory the manager may still take.  It has the limits of the program that starts it:
 * of address space (ulimit -v) and of the control group.  If it exceeds one, the profile is lost.
 * Used by main.c, counts.c and session.c.  Before fc_memory_limit_start there is no limit.
 */
#pragma once

#include <glib.h>

/* Reads the limits.  If an allocation fails later, the manager ends after a notice to `notice_fd`
 * (notice.h), which stays the caller's. */
void fc_memory_limit_start(int notice_fd);

/* Whether memory is near a limit, with what writing the profile will need.  Once TRUE, it stays
 * TRUE.  To be called before something optional is added.  Most calls do not read the system's
 * figures, so they cost little. */
gboolean fc_memory_is_short(void);

/* The limit that fc_memory_is_short found to be near, as text; NULL: none so far.  The caller
 * frees it. */
char *fc_memory_limit_reason(void);
