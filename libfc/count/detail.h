/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which functions of a thread are to be counted from now on instead of recorded: decided from
 * the thread's own records, each time that it gives a chunk away.  Looks at records and remembers;
 * what is decided counted.c does.  All functions: signals blocked.
 */
#pragma once

#include "libfc/count/activations.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* Once, at start: nothing is ever decided unless `is_on`. */
void fc_detail_setup(bool is_on);

/* Looks at the calling thread's records in `chunk`, units `from` to `to`, which is about to be
 * given away; those that fc_detail_scan_rest saw are left out. */
void fc_detail_scan(const struct FcChunk *chunk, uint32_t from, uint32_t to);

/* Looks at what is in the chunk that is in use, up to `to`.  False where it is not known what is
 * open, so that nothing can begin to be counted. */
bool fc_detail_scan_rest(const struct FcChunk *chunk, uint32_t to);

/* What was decided since this was called before, at `decisions`; returns how many. */
uint32_t fc_detail_take(const struct FcDecision **decisions);

/* All of these will be taken again, when it is known what is open, if it ever is. */
void fc_detail_put_back(uint32_t count);

/* What is open as far as the records tell, outermost first. */
const struct FcOpen *fc_detail_get_open(uint32_t *count);

/* The outermost open activation of the function, NULL: there is none.  Those nested in it are
 * added to `nested` and forgotten. */
struct FcNested;
const struct FcOpen *fc_detail_take_outermost(uint64_t function, struct FcNested *nested);

/* The thread ends. */
void fc_detail_end(void);

/* In a forked child, `is_seen` where the fork handlers ran: the decisions are not the child's, the
 * open activations are. */
void fc_detail_after_fork(bool is_seen);
