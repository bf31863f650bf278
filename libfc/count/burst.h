/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sampling burst: from the entry of a timed call (a SAMPLE record) to its exit, all calls of the
 * thread are recorded, so that the manager learns who calls whom.  Meanwhile the hooks see an
 * empty table.
 *
 * The manager takes everything between the SAMPLE and its EXIT as part of the burst, so no call
 * may be counted there.  The burst begins before the SAMPLE is recorded and ends after the EXIT
 * is.
 *
 * For counted.c.  All functions work on the calling thread and are async-signal-safe.
 */
#pragma once

#include "libfc/count/counters.h"

/* What an exit ends, as bits.  FRAME: a call that is to be recorded.  SAMPLE: the timed call as
 * well, so the burst is to be closed. */
enum FcEnds
{
    FC_ENDS_NOTHING = 0,
    FC_ENDS_FRAME = 1,
    FC_ENDS_SAMPLE = 2,
};

/* The first opens a burst, before the SAMPLE of `known` is recorded.  The second closes it, after
 * the EXIT was recorded. */
void fc_burst_open(struct FcCounted *counted, const struct FcFunction *known, uint64_t site,
                   uint64_t where);
void fc_burst_close(struct FcCounted *counted);

/* From here on calls are counted again although the timed call goes on.  Tells the manager.  Of
 * each function with open calls one call stays framed (framed.h).  Blocks signals itself. */
void fc_burst_end_early(struct FcCounted *counted);

/* An entry during the burst.  False: the burst is over, and the caller has to decide about the
 * call again. */
bool fc_burst_enter(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where);

/* An exit during the burst: bits of enum FcEnds. */
unsigned fc_burst_exit(struct FcCounted *counted, uint64_t function);

/* After a jump back to `address`: forgets the calls that it left.  False: the timed call itself
 * was left, and the burst is to be ended. */
bool fc_burst_cut(struct FcCounted *counted, uint64_t address);
