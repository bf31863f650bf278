/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that wait while their process ends: no record of theirs follows that could tell of it.
 * Used by process.c while the process waits for the answer to its end.
 */
#pragma once

#include <glib.h>

/* FALSE: the thread does not wait, or that can't be known.  `*ahead_ns` gets what an FC_OFF_SEEN
 * of the thread would tell now. */
gboolean fc_last_wait_read(gint pid, gint64 tid, guint64 *ahead_ns);
