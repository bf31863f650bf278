/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * While a sample runs, its window, the thread's other calls are recorded in full, so that the
 * manager learns who calls whom.  The hooks are led to an empty table then.
 *
 * The manager takes all between the sample's two records for the window, so no call may be counted
 * there: it is open before the first of them is made, and closed behind the second.
 *
 * For counted.c.  Of the calling thread; async-signal-safe.
 */
#pragma once

#include "libfc/count/counters.h"

/* What an exit ends.  A frame: it is to be recorded; the sample, too: then the window is to be
 * closed. */
enum FcEnds
{
    FC_ENDS_NOTHING = 0,
    FC_ENDS_FRAME = 1,
    FC_ENDS_SAMPLE = 2,
};

/* The sample of `known` is going to be recorded; has been, to its end. */
void fc_window_open(struct FcCounted *counted, const struct FcFunction *known, uint64_t site,
                    uint64_t where);
void fc_window_close(struct FcCounted *counted);

/* Calls are counted again within the sample.  The manager is told; what is open is held (held.h).
 * Blocks signals itself. */
void fc_window_end_early(struct FcCounted *counted);

/* An entry in the window; false where that is over, and the call is to be looked at again. */
bool fc_window_enter(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where);

/* An exit in it: bits of enum FcEnds. */
unsigned fc_window_exit(struct FcCounted *counted, uint64_t function);

/* Forgets what was left by a jump back to `address`; false where that was the sample itself, and
 * the window is to be ended. */
bool fc_window_cut(struct FcCounted *counted, uint64_t address);
