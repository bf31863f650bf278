/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The blocks that are live at the end of a process, in memory that libfc maps as well.  libfc
 * notes there which of them the program can still reach (libfc/memory/scan.c).
 */
#pragma once

#include "fcmanager/heap/heap.h"

typedef struct FcLive FcLive;

/* Returns a list of the heap's live blocks; the caller frees it.  NULL: it can't be made. */
FcLive *fc_live_new(const FcHeap *heap);
void fc_live_free(FcLive *live);

/* Returns the descriptor of the list, which stays open as long as `live` exists. */
int fc_live_fd(const FcLive *live);

/* Reads what libfc noted.  FALSE: it did not scan everything. */
gboolean fc_live_take(FcLive *live);
/* Returns what libfc noted for the block at `pointer`.  To be called after fc_live_take. */
FcProfileBlockState fc_live_state(const FcLive *live, guint64 pointer);
