/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chooses the blocks that a profile lists one by one, if a program left millions unfreed.  For
 * output.c; the sums are made of all blocks.
 */
#pragma once

#include "fcmanager/heap/heap.h"

/* At most `most` blocks, in no order: const FcHeapBlock * into the heap's table.  The caller
 * frees the array.  Every allocation site gets the same share, unless it has fewer blocks.  Of
 * each site these are its largest blocks and as many of the blocks that were allocated first.
 * Takes memory for `most` pointers, not for all blocks. */
GPtrArray *fc_leaks_choose(const FcHeap *heap, guint most);
