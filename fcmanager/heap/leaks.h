/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chooses the blocks that a profile lists one by one when a program left millions unfreed.  For
 * output.c.  Sums are made of all blocks.
 */
#pragma once

#include "fcmanager/heap/heap.h"

/* Returns at most `most` blocks, in no order, as const FcHeapBlock * into the heap's table.  The
 * caller frees the array.  Every allocation site gets the same share, unless it has fewer blocks.
 * Of each site these are its largest blocks and as many of its first allocated ones. Needs memory
 * for `most` pointers, not for all blocks. */
GPtrArray *fc_leaks_choose(const FcHeap *heap, guint most);
