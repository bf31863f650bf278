/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pool of shared chunks: which are whose.  What says `signals blocked` is to be called so.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* Uses the `count` chunks in `mapping`, as fc_chunks_setup() has it; none where that is NULL. */
void fc_pool_setup(struct FcShared *mapping, uint32_t count);

/* Its first words; NULL: there is none. */
struct FcShared *fc_pool_header(void);

/* Chunks have numbers from 1 on. */
struct FcChunk *fc_pool_chunk(uint32_t index);
uint32_t fc_pool_index(const struct FcChunk *chunk);

/* Whether a chunk that nobody needs to have soon may be that one: they are a part of all. */
bool fc_pool_is_to_spare(const struct FcChunk *chunk);

/* Unmaps what this process need not have of the pool, but for a few chunks and those that it owns.
 * At any time; other threads may be recording. */
void fc_pool_shrink(void);

/* A chunk for the calling thread's next records, and the generation of its new use; NULL where
 * there is none, or the thread has given away `most` that it has not got back.  *is_hopeless: none
 * will be free before a thread gives one away, so there is nothing to wait for.  Signals blocked.
 */
struct FcChunk *fc_pool_claim(uint32_t most, uint32_t *generation, bool *is_hopeless);

/* A chunk of counts for the calling thread, its `number`th from 0, of which fcmanager knows; all
 * zero.  The thread has it to its end.  NULL where there is none: three quarters of the pool are
 * left to records.  Signals blocked. */
struct FcChunk *fc_pool_claim_counts(uint32_t number);

/* A chunk that the calling thread gave away, and whose owner it is still told to be, which is told
 * that it is awaited; NULL: none. */
struct FcChunk *fc_pool_await_own(void);

/* The calling thread is about to fork, and uses so many units of `chunk`, NULL: it has none.
 * Signals blocked until fc_pool_after_fork. */
void fc_pool_before_fork(const struct FcChunk *chunk, uint32_t units);
/* In the child: the thread had that number in the parent. */
void fc_pool_after_fork(uint32_t thread);
