/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes chunks and gives them away (fc-format.h has the protocol).  Called when a chunk is full,
 * about once in 1,900 records, and at the start, the fork and the end of a thread.  Never
 * allocates from the program's heap, and never waits for a dead manager.
 */
#include "libfc/stream/chunks.h"

#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/stream/buffers.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/pool.h"
#include "libfc/stream/streams.h"

#include <linux/futex.h>
#include <time.h>

/* After so many vain waits of WAIT_NS a thread uses the pipe instead.  Only waits count in which
 * fcmanager emptied the pipe or freed chunks, which other threads were quicker to take: there
 * may be more threads than chunks, each with a chunk that it fills slowly.  While fcmanager is
 * stopped the thread waits, since the contents of a private buffer are lost if the process is
 * killed. */
#define WAITS_MAX 4
#define WAIT_NS 50000000
/* How many private buffers a thread fills, about a chunk's records, before it tries to get a
 * chunk again.  If there are more threads than chunks, the try is in vain and scans all chunks. */
#define PRIVATE_ROUNDS 16

static uint32_t in_flight_limit;
static FcChunksScan *scan;

void fc_chunks_setup(struct FcShared *mapping, uint32_t count, uint32_t ahead_records,
                     FcChunksScan *function)
{
    scan = function;
    fc_pool_setup(mapping, count);
    const uint32_t records = FC_UNITS / FC_RECORD_UNITS;
    in_flight_limit = ahead_records / records;
    if (in_flight_limit < 2)
        in_flight_limit = 2;
    if (in_flight_limit > FC_IN_FLIGHT_MAX)
        in_flight_limit = FC_IN_FLIGHT_MAX;
}

/* How many chunks the calling thread may have given away and not got back.  A chunk holds twice
 * as many short records as long ones, so half as many chunks are enough.  Not if records are
 * stored past the caches: then fcmanager's poll intervals may be long. */
static uint32_t most_in_flight(void)
{
    const bool are_short = fc_thread.call_sites && !fc_streams_are_on;
    return are_short && in_flight_limit > 3 ? in_flight_limit / 2 : in_flight_limit;
}

/* ---- Shared chunks -------------------------------------------------------- */

/* Marks the `count` chunks that were given away last. fcmanager has been told of them, so they
 * will be free soon. */
static void mark_sent(uint32_t count)
{
    for (; count > 0; count--)
    {
        const uint32_t at = (fc_thread.sent_count - count) % FC_IN_FLIGHT_MAX;
        struct FcChunk *chunk = fc_pool_chunk(fc_thread.sent[at].index);
        __atomic_store_n(&chunk->is_sent, 1, __ATOMIC_RELAXED);
    }
}

/* `is_hasty`: fcmanager is to be told at once. */
static void send_shared(struct FcChunk *chunk, uint32_t units, bool is_hasty)
{
    uint32_t index = fc_pool_index(chunk);
    uint32_t at = fc_thread.sent_count++ % FC_IN_FLIGHT_MAX;
    fc_thread.sent[at].index = index;
    fc_thread.sent[at].sequence = chunk->sequence;
    /* With a few chunks in use, taking them in turn keeps them in the caches. */
    const uint32_t most = most_in_flight();
    if (fc_thread.sent_count >= most)
        fc_thread.hint = fc_thread.sent[(fc_thread.sent_count - most) % FC_IN_FLIGHT_MAX].index;
    fc_streams_publish();
    if (is_hasty || fc_thread.queued_count + 1 == FC_QUEUED_MAX)
        mark_sent(fc_thread.queued_count + 1);
    struct FcMessage message = {
        .type = FC_MSG_CHUNK, .thread = fc_thread.number, .argument = index, .value = units};
    const bool was_sent = is_hasty ? fc_channel_send_whole(&message, sizeof message)
                                   : fc_channel_send_later(&message);
    /* At the end of the process this is no fault: fcmanager reads the chunk in place. relaxed:
       it reads when the process is dead */
    if (!was_sent && !fc_state_has_ended())
        __atomic_store_n(&chunk->stopped, 1, __ATOMIC_RELAXED);
}

/* Signals blocked. */
static bool send_queued(void)
{
    mark_sent(fc_thread.queued_count);
    return fc_channel_send_queued();
}

uint32_t fc_chunks_count_freed(void)
{
    const struct FcShared *shared = fc_pool_header();
    /* relaxed: fc_chunks_wait compares it again in the kernel */
    return shared ? __atomic_load_n(&shared->freed, __ATOMIC_RELAXED) : 0;
}

/* Waits until that chunk is free.  The manager wakes this thread only. */
static long wait_for_own(struct FcChunk *chunk, const struct timespec *wait)
{
    /* it may be unmapped by now, which the kernel reports */
    long result =
        fc_sys(SYS_futex, &chunk->owner, FUTEX_WAIT, (uint32_t)fc_state_key, wait, NULL, 0);
    fc_thread.hint = fc_pool_index(chunk);
    return result;
}

/* Waits until any chunk is free.  All such waiters are woken. */
static long wait_for_any(uint32_t freed, const struct timespec *wait)
{
    struct FcShared *shared = fc_pool_header();
    __atomic_add_fetch(&shared->waiters, 1, __ATOMIC_SEQ_CST); /* pairs with the manager's load */
    long result = fc_sys(SYS_futex, &shared->freed, FUTEX_WAIT, freed, wait, NULL, 0);
    __atomic_sub_fetch(&shared->waiters, 1, __ATOMIC_SEQ_CST);
    return result;
}

bool fc_chunks_wait(uint32_t freed)
{
    const struct timespec wait = {0, WAIT_NS};
    const uint64_t old = fc_block_signals();
    const bool was_sent =
        send_queued(); /* the thread may be about to wait for one of these chunks */
    struct FcChunk *own = fc_pool_await_own();
    fc_restore_signals(old);
    if (!was_sent)
        return false;
    long result = own ? wait_for_own(own, &wait) : wait_for_any(freed, &wait);
    uint32_t rounds = __atomic_load_n(&fc_pool_header()->rounds, __ATOMIC_RELAXED);
    bool is_in_vain = !own && result != -ETIMEDOUT; /* one was freed: the next attempt will show */
    if (is_in_vain || ((!own || result == -ETIMEDOUT) && rounds != fc_thread.rounds))
        fc_thread.waits++;
    fc_thread.rounds = rounds;
    if (result != -ETIMEDOUT || fc_channel_is_alive())
        return true;
    fc_state_stop_alone();
    return false;
}

/* ---- Shared chunks and private buffers ------------------------------------- */

/* Whether the message about a full chunk may wait for the next one's, which will follow soon.  A
 * write for each chunk takes a fiftieth of the time in which the chunk is filled.  If the process
 * dies meanwhile, fcmanager reads the chunk in place.  Not if fcmanager would find the chunk in a
 * cache, if chunks are few and others may want them, or while a buffer is parked, whose records
 * are older. */
static bool can_wait(const struct FcChunk *chunk)
{
    return fc_streams_are_on && fc_thread.call_sites && !fc_thread.parked &&
           most_in_flight() > 2 * FC_QUEUED_MAX && fc_pool_is_to_spare(chunk);
}

static void flush(bool is_hasty)
{
    struct FcChunk *chunk = FC_CURSOR_CHUNK(fc_thread.cursor);
    if (chunk && chunk == fc_thread.private_chunk)
    {
        const uint32_t taken = FC_CURSOR_UNITS(fc_thread.cursor);
        scan(chunk, FC_BUFFER_FIRST, taken < FC_UNITS ? taken : FC_UNITS);
        fc_buffers_flush(chunk);
        return;
    }
    uint32_t units = FC_CURSOR_UNITS(fc_thread_take_cursor());
    if (!chunk)
        return;
    units = units < FC_UNITS ? units : FC_UNITS;
    scan(chunk, 0, units);
    /* also an empty one: the manager frees it */
    send_shared(chunk, units, is_hasty || !can_wait(chunk));
}

void fc_chunks_flush(void)
{
    flush(true);
    send_queued(); /* where there was no chunk */
}

void fc_chunks_flush_full(void)
{
    flush(false);
}

void fc_chunks_give_up(void)
{
    fc_chunks_flush();
    fc_buffers_free();
    fc_thread_set_cursor(FC_CURSOR_NONE);
}

void fc_chunks_before_fork(void)
{
    struct FcChunk *chunk = FC_CURSOR_CHUNK(fc_thread.cursor);
    const uint32_t units = FC_CURSOR_UNITS(fc_thread.cursor);
    fc_pool_before_fork(chunk != fc_thread.private_chunk ? chunk : NULL,
                        units < FC_UNITS ? units : FC_UNITS);
    fc_chunks_flush();
}

void fc_chunks_after_fork(uint32_t thread)
{
    fc_pool_after_fork(thread);
    fc_buffers_after_fork();
    fc_thread.queued_count = 0; /* the parent sends them */
    fc_thread_set_cursor(FC_CURSOR_NONE);
    fc_thread.waits = 0;
}

/* A shared chunk; or the thread's private buffer if there is no shared memory, or there are too
 * many threads for its chunks. */
static struct FcChunk *choose_chunk(uint32_t *generation)
{
    bool is_hopeless;
    if (fc_thread.is_announced && fc_thread.private_rounds++ % PRIVATE_ROUNDS != 0)
        return fc_buffers_claim(true, generation);
    struct FcChunk *chunk = fc_pool_claim(most_in_flight(), generation, &is_hopeless);
    if (chunk)
    {
        fc_thread.waits = 0;
        fc_thread.is_announced = false;
    }
    else if (is_hopeless || fc_thread.is_announced || fc_thread.waits > WAITS_MAX)
        chunk = fc_buffers_claim(fc_pool_header() != NULL, generation);
    return chunk;
}

bool fc_chunks_take(void)
{
    uint32_t generation; /* not read again: others can write to the chunk, too */
    struct FcChunk *chunk = choose_chunk(&generation);
    if (!chunk)
        return false;
    fc_thread_set_cursor(
        FC_CURSOR(chunk, generation, chunk != fc_thread.private_chunk ? 0 : FC_BUFFER_FIRST));
    return true;
}

void fc_chunks_flush_private(void)
{
    if (fc_state_is_off())
        return;
    uint64_t old = fc_block_signals();
    if (fc_thread.private_chunk)
        fc_chunks_flush();
    fc_restore_signals(old);
}

/* If the program overwrote it, fcmanager does not answer there. */
static bool is_own(const struct FcChunk *chunk)
{
    return __atomic_load_n(&chunk->owner, __ATOMIC_RELAXED) == fc_state_key;
}

uint32_t fc_chunks_take_for_answer(void)
{
    struct FcChunk *chunk = FC_CURSOR_CHUNK(fc_thread.cursor);
    bool was_private = chunk != NULL && chunk == fc_thread.private_chunk;
    if (was_private)
        fc_chunks_flush();
    fc_buffers_send_parked();
    if (!fc_pool_header())
        return 0;
    uint32_t generation;
    bool is_hopeless;
    /* fcmanager reads what the process still owns in place, including this chunk. */
    fc_thread_set_cursor(FC_CURSOR_NONE);
    if (!chunk || was_private || !is_own(chunk))
        chunk = fc_pool_claim(most_in_flight(), &generation, &is_hopeless);
    return chunk ? fc_pool_index(chunk) : FC_NO_ANSWER;
}

const char *fc_chunks_wait_for_answer(uint32_t index, size_t *bytes)
{
    struct FcChunk *chunk = fc_pool_chunk(index);
    /* acquire: pairs with the manager's release after it wrote the text */
    while (__atomic_load_n(&chunk->answer, __ATOMIC_ACQUIRE) == 0)
    {
        struct timespec wait = {0, WAIT_NS};
        long result = fc_sys(SYS_futex, &chunk->answer, FUTEX_WAIT, 0, &wait, NULL, 0);
        if (result == -ETIMEDOUT && !fc_channel_is_alive())
            return NULL;
        if (result == -ETIMEDOUT && !is_own(chunk))
        {
            *bytes = 0;
            return (const char *)chunk->records;
        }
    }
    *bytes = __atomic_load_n(&chunk->answer_bytes, __ATOMIC_RELAXED);
    if (*bytes > sizeof chunk->records)
        *bytes = 0;
    return (const char *)chunk->records;
}
