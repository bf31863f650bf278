/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pool of shared chunks, and which thread owns which.  What says `signals blocked` is to be
 * called so.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* Uses the `count` chunks in `mapping`, as in fc_chunks_setup().  NULL: there is no pool. */
void fc_pool_setup(struct FcShared *mapping, uint32_t count);

/* The header of the shared memory; NULL: there is no pool. */
struct FcShared *fc_pool_header(void);

/* Chunks are numbered from 1 on. */
struct FcChunk *fc_pool_chunk(uint32_t index);
uint32_t fc_pool_index(const struct FcChunk *chunk);

/* Whether this chunk, when it is full, may be announced to fcmanager later.  Only a part of all
 * chunks may. */
bool fc_pool_is_to_spare(const struct FcChunk *chunk);

/* Unmaps the pool, except for a few chunks and those that this process owns.  May be called at
 * any time, also while other threads record. */
void fc_pool_shrink(void);

/* A chunk for the calling thread's next records, and the generation of its new use.  NULL: no
 * chunk is free, or the thread has given away `most` chunks that it has not got back.
 * *is_hopeless: no chunk will become free before some thread gives one away, so waiting makes no
 * sense.  Signals blocked. */
struct FcChunk *fc_pool_claim(uint32_t most, uint32_t *generation, bool *is_hopeless);

/* A chunk of counts for the calling thread, its `number`th from 0, zeroed and announced to
 * fcmanager.  The thread keeps it to its end.  NULL: there is none; three quarters of the pool
 * are reserved for records.  Signals blocked. */
struct FcChunk *fc_pool_claim_counts(uint32_t number);

/* A chunk for pages of counters of function entries of that thread, its `number`th from 0, kept in
 * the same way.  Its pages are as its last user left them.  NULL: there is none.  Signals blocked.
 */
struct FcChunk *fc_pool_claim_entries(uint32_t thread, uint32_t number);

/* A chunk for the process's figures of MPI, zeroed and announced to fcmanager, kept to the end of
 * the process.  NULL: there is none.  The calling thread has a number; signals blocked. */
struct FcChunk *fc_pool_claim_mpi(void);

/* A chunk that the calling thread gave away and that fcmanager has not freed yet, marked as
 * awaited; NULL: there is none. */
struct FcChunk *fc_pool_await_own(void);

/* Before the calling thread forks.  It uses so many units of `chunk`, or has none if that is
 * NULL.  Signals blocked until fc_pool_after_fork. */
void fc_pool_before_fork(const struct FcChunk *chunk, uint32_t units);
/* In the child.  `thread` is the thread's number in the parent. */
void fc_pool_after_fork(uint32_t thread);
