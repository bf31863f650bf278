/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The chunks that records go through: how a thread gets one and gives it away.  What
 * says `signals blocked` is to be called so, by the thread whose chunk it is.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is shown the records `from` to `to` of a chunk before it is given away.  Signals blocked. */
typedef void FcChunksLook(const struct FcChunk *chunk, uint32_t from, uint32_t to);

/* Uses the `count` chunks in `mapping` (a mapping of all of it, aligned to FC_CHUNK_BYTES, that
 * stays for the process's life or until fc_pool_shrink), or private buffers and the pipe where it
 * is NULL. `ahead_records` bounds what one thread may have given away and not got back. */
void fc_chunks_setup(struct FcShared *mapping, uint32_t count, uint32_t ahead_records,
                     FcChunksLook *look);

/* Gives the calling thread, which has no chunk, another one for its records: a shared one, or a
 * private buffer.  False where none is to be had now.  Signals blocked. */
bool fc_chunks_take(void);

/* How often fcmanager has freed a chunk of the pool: for fc_chunks_wait. */
uint32_t fc_chunks_count_freed(void);

/* Waits until fcmanager has freed a chunk since `freed` was read, or a while.  False when
 * fcmanager is gone: profiling is off then.  Not with signals blocked: it may take long. */
bool fc_chunks_wait(uint32_t freed);

/* Gives the calling thread's chunk to fcmanager, also if it is not full; the next
 * record takes a new one.  Signals blocked. */
void fc_chunks_flush(void);

/* The same where it is full, or there is none: fcmanager may be told a few chunks later. */
void fc_chunks_flush_full(void);

/* fc_chunks_flush, where the chunk is a private buffer.  Blocks signals itself; async-signal-safe;
 * keeps errno. */
void fc_chunks_flush_private(void);

/* fc_chunks_flush, and the calling thread keeps nothing: it ends.  Signals blocked. */
void fc_chunks_give_up(void);

/* fc_chunks_flush where the calling thread is about to fork.  Signals blocked until
 * fc_chunks_after_fork. */
void fc_chunks_before_fork(void);
/* In a forked child: the calling thread, which had that number in the parent, has no chunk. */
void fc_chunks_after_fork(uint32_t thread);

/* For messages that fcmanager answers (FC_MSG_QUIT, FC_MSG_LIVE): gives up the calling thread's
 * chunk, after which it has none, and says in which chunk the answer is to come: an index, 0 for
 * the reply pipe (transport `pipe`), or FC_NO_ANSWER where no chunk is to be had.  Signals
 * blocked. */
uint32_t fc_chunks_take_for_answer(void);

/* Waits until fcmanager has answered in chunk `index`.  Returns the answer's text, with
 * `bytes` its length, or NULL when the manager is gone; a text of none where the chunk is the
 * process's no more, as the program wrote over it: nobody would answer there. */
const char *fc_chunks_wait_for_answer(uint32_t index, size_t *bytes);
