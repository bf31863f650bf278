/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A thread's ring: the chunks that its records go through.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Uses the chunks in `mapping` (a mapping of all of it, aligned to FC_CHUNK_BYTES, that stays for
 * the process's life), or private buffers and the pipe where it is NULL. `ahead_records` bounds
 * what one thread may have given away and not got back. */
void fc_ring_setup(struct FcShared *mapping, uint32_t ahead_records);

/* The slow path of the hooks: no slot was free at the cursor.  Stores the record in
 * a new chunk, waiting for one if need be, or drops it when profiling is off.
 * Async-signal-safe; errno is kept. */
void fc_ring_record(uint64_t time, void *function, void *site, uint64_t frame);

/* Gives the calling thread's chunk to fcmanager, also if it is not full; the next
 * record takes a new one.  Signals blocked. */
void fc_ring_flush(void);

/* Sends what is in the calling thread's private buffer, and goes on with another.
 * Async-signal-safe; errno is kept. */
void fc_ring_send_private(void);

/* Sends a record of memory of a thread whose end was told.  Likewise. */
void fc_ring_send_late(const struct FcRecord *record);

/* Forgets the calling thread's buffers: it ends.  Signals blocked. */
void fc_ring_free(void);

/* In a forked child: the calling thread has no chunk. */
void fc_ring_after_fork(void);

/* For FC_MSG_QUIT: gives up the calling thread's chunk, after which it has none, and
 * says in which chunk the answer is to come: an index, 0 for the reply pipe
 * (transport `pipe`), or FC_NO_ANSWER where no chunk is to be had.  Signals blocked. */
uint32_t fc_ring_take_for_answer(void);

/* Waits until fcmanager has answered in chunk `index`.  Returns the answer's text, with
 * `bytes` its length, or NULL when the manager is gone. */
const char *fc_ring_wait_for_answer(uint32_t index, size_t *bytes);
