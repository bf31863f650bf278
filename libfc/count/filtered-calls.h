/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Applies the user's filter (user-filter.h) to the calls of a thread.  For counted.c and slow.c;
 * async-signal-safe.
 */
#pragma once

#include "libfc/count/counters.h"

enum FcFilteredWay
{
    FC_FILTERED_RECORD, /* or count, where the function is counted already */
    FC_FILTERED_SKIP,
    FC_FILTERED_COUNT, /* the function is counted from here on */
};

/* With a filter or FC_DEPTH: from here on every call of this thread goes through this module.
 * False: it does so already, or there is no memory.  Signals blocked. */
bool fc_filtered_begin(void);

/* What is to be done with an entry or an exit.  Later calls of functions that are skipped or
 * recorded are handled by the hooks alone. */
enum FcFilteredWay fc_filtered_enter(struct FcCounted *counted, uint64_t function, uint64_t site);
enum FcFilteredWay fc_filtered_exit(struct FcCounted *counted, uint64_t function);

/* The thread changes to another stack.  With coroutines nothing is counted any more, since it is
 * not known which calls are open (detail.c). */
void fc_filtered_switch(struct FcCounted *counted);

/* Whether a record of this function is to be dropped.  For a thread that has ended: it has no
 * tables any more. */
bool fc_filtered_drops(uint64_t function);

/* Whether detail.c may decide to count this function. */
bool fc_filtered_may_count(uint64_t function);
