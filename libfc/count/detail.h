/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which functions of a thread are counted from now on, not recorded, from the thread's own
 * records, each time that the thread gives a chunk away.  It only reads records and remembers;
 * counted.c acts on the decisions.  All functions: signals blocked.
 */
#pragma once

#include "libfc/count/activations.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* Called once, at start.  Without `is_on` no function is ever decided. */
void fc_detail_setup(bool is_on);

/* Scans the calling thread's records in units `from` to `to` of `chunk`, which is about to be
 * given away.  Those that fc_detail_scan_rest has scanned are left out. */
void fc_detail_scan(const struct FcChunk *chunk, uint32_t from, uint32_t to);

/* Scans the chunk in use up to unit `to`.  False: it is not known which calls are open, so
 * counting can't begin. */
bool fc_detail_scan_rest(const struct FcChunk *chunk, uint32_t to);

/* The decisions since the last call, at *decisions.  Returns their number. */
uint32_t fc_detail_take(const struct FcDecision **decisions);

/* The last `count` decisions are to be returned again later, when it is known what is open, if
 * it ever is. */
void fc_detail_put_back(uint32_t count);

/* The open calls according to the records, outermost first.  Sets *count. */
const struct FcOpen *fc_detail_get_open(uint32_t *count);

/* The outermost open call of the function; NULL: there is none.  Calls of it that are nested in
 * that one are added to `nested` and forgotten. */
struct FcNested;
const struct FcOpen *fc_detail_take_outermost(uint64_t function, struct FcNested *nested);

/* The thread ends: gives its tables back. */
void fc_detail_end(void);

/* In a forked child.  `is_seen`: the fork handlers ran.  The child keeps the open calls, not the
 * decisions. */
void fc_detail_after_fork(bool is_seen);
