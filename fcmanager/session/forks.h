/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What forked processes are to inherit, stacks and heaps, between the fork and the child's hello.
 * Used by session.c.
 */
#pragma once

#include "fcmanager/session/process-heap.h"

typedef struct FcForks FcForks;

FcForks *fc_forks_new(void);
void fc_forks_free(FcForks *forks);

/* Takes over `frames`, of FcOpenFrame, and `heap`, which may be NULL. */
void fc_forks_add(FcForks *forks, guint64 parent, guint64 token, GArray *frames,
                  FcHeapSnapshot *heap);

/* The frames of that fork, for the caller to unref; NULL where there are none.  `heap` is set
 * likewise, for the caller to free.  They are forgotten here. */
GArray *fc_forks_take(FcForks *forks, guint64 parent, guint64 token, FcHeapSnapshot **heap);

/* Takes over `process`, which has left the session: keeps what children that have not yet said
 * hello may need of it, or frees it. */
void fc_forks_parent_gone(FcForks *forks, FcProcess *process);
/* That process, good until the next call; or NULL. */
const FcProcess *fc_forks_departed(FcForks *forks, guint64 key);
