/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a thread gets a chunk for its records and gives it away.  What says `signals blocked` is to
 * be called so, by the thread whose chunk it is.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gets the records `from` to `to` of a chunk before it is given away.  Signals blocked. */
typedef void FcChunksScan(const struct FcChunk *chunk, uint32_t from, uint32_t to);

/* Lets threads use the `count` chunks in `mapping`, which is aligned to FC_CHUNK_BYTES and stays
 * mapped for the process's life or until fc_pool_shrink.  NULL: they use private buffers and the
 * pipe.  `ahead_records` bounds what one thread may have given away and not got back.
 * `function` is called for each chunk that is given away. */
void fc_chunks_setup(struct FcShared *mapping, uint32_t count, uint32_t ahead_records,
                     FcChunksScan *function);

/* Gives the calling thread, which has no chunk, a new one: a shared one, or a private buffer.
 * False: none is to be had now.  Signals blocked. */
bool fc_chunks_take(void);

/* How many chunks of the pool fcmanager has freed so far.  For fc_chunks_wait. */
uint32_t fc_chunks_count_freed(void);

/* Waits until fcmanager has freed a chunk since `freed` was read, or for a while.  False:
 * fcmanager is gone; then profiling is off.  Not with signals blocked: it may take long. */
bool fc_chunks_wait(uint32_t freed);

/* Gives the calling thread's chunk to fcmanager, even if it is not full.  The next record takes
 * a new one.  Signals blocked. */
void fc_chunks_flush(void);

/* The same for a chunk that is full, or where there is none. fcmanager may get to know a few
 * chunks later. */
void fc_chunks_flush_full(void);

/* fc_chunks_flush, if the chunk is a private buffer.  Blocks signals itself; async-signal-safe;
 * keeps errno. */
void fc_chunks_flush_private(void);

/* fc_chunks_flush for a thread that ends: it keeps no memory.  Signals blocked. */
void fc_chunks_give_up(void);

/* fc_chunks_flush before the calling thread forks.  Signals blocked until fc_chunks_after_fork. */
void fc_chunks_before_fork(void);
/* In a forked child: the calling thread has no chunk.  `thread` is its number in the parent. */
void fc_chunks_after_fork(uint32_t thread);

/* For messages that fcmanager answers (FC_MSG_QUIT, FC_MSG_LIVE).  Gives the calling thread's
 * chunk away and returns where the answer is to come: the index of a chunk, 0 for the reply pipe
 * (transport `pipe`), or FC_NO_ANSWER if no chunk is to be had.  Signals blocked. */
uint32_t fc_chunks_take_for_answer(void);

/* Waits until fcmanager has answered in chunk `index`.  Returns the text of the answer, and its
 * length in *bytes.  NULL: the manager is gone.  The text is empty if the chunk is not the
 * process's any more, as where the program wrote over it: no answer would come. */
const char *fc_chunks_wait_for_answer(uint32_t index, size_t *bytes);
