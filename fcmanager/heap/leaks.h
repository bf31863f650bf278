/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of the blocks that were never freed a profile lists one by one, where a program left
 * millions.  For output.c; the sums are made of all of them.
 */
#pragma once

#include "fcmanager/heap/heap.h"

/* At most `most` blocks, const FcHeapBlock * into the heap's table, in no order; the caller frees
 * the array.  All of them where there are no more.  Else no allocation site has less than another
 * while it has blocks that are not chosen; of such a site they are the largest, and as many of the
 * others that were allocated first.  Needs memory for `most` pointers, not for all blocks. */
GPtrArray *fc_leaks_choose(const FcHeap *heap, guint most);
