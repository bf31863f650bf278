/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What forked processes inherit, stacks and heaps, between the fork and the child's hello.  Used
 * by session.c.
 */
#pragma once

#include "fcmanager/session/process-heap.h"

typedef struct FcForks FcForks;

FcForks *fc_forks_new(void);
void fc_forks_free(FcForks *forks);

/* Takes over `frames`, of FcOpenFrame, and `heap`, which may be NULL. */
void fc_forks_add(FcForks *forks, guint64 parent, guint64 token, GArray *frames,
                  FcHeapSnapshot *heap);

/* Returns and removes the frames of that fork; the caller unrefs them.  NULL: there are none.
 * The same for *heap, which the caller frees. */
GArray *fc_forks_take(FcForks *forks, guint64 parent, guint64 token, FcHeapSnapshot **heap);

/* Takes over `process`, which has left the session.  Keeps it while children of it may still say
 * hello; otherwise frees it. */
void fc_forks_parent_gone(FcForks *forks, FcProcess *process);
/* Returns the process with that key that was kept; NULL: it is not kept.  Valid until the next
 * call. */
const FcProcess *fc_forks_departed(FcForks *forks, guint64 key);
