/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What /proc says of a thread that may tell no more itself: how long it has waited, as it may until
 * its process ends, and its name.  Used by process.c while the process waits for the answer to its
 * end, and by process-waits.c.
 */
#pragma once

#include <glib.h>

/* FALSE: the thread does not wait, or that can't be known.  `*ahead_ns` gets what an FC_OFF_SEEN
 * of the thread would tell now; `*name` is set anew to its name, owned by the caller, unless that
 * can't be known. */
gboolean fc_proc_thread_read(gint pid, gint64 tid, char **name, guint64 *ahead_ns);
