/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Taking and giving away chunks (fc-format.h has the protocol).  Called when a chunk is full,
 * about once in 1,900 records, and at the start, the fork and the end of a thread.  Never
 * allocates from the program's heap, never waits for a manager that is dead.
 */
#include "libfc/chunks.h"

#include "libfc/beacon.h"
#include "libfc/buffers.h"
#include "libfc/channel.h"
#include "libfc/detail.h"
#include "libfc/signals.h"
#include "libfc/state.h"
#include "libfc/sys.h"
#include "libfc/thread.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* A thread that got no chunk in so many waits of WAIT_NS, in each of which fcmanager read all that
 * was in the pipe or freed chunks, which others were quicker to take, uses the pipe instead: more
 * threads may be alive, each with a chunk that it fills slowly, than there are chunks.  Where
 * fcmanager is stopped it waits: what is in a private buffer is lost if the process is killed. */
#define WAITS_MAX 4
#define WAIT_NS 50000000
/* A private buffer was sent so often, about a chunk's records, before its thread looks for a chunk
 * again: where there are more threads than chunks a look is in vain, and goes through all. */
#define PRIVATE_ROUNDS 16

/* Chunks that a process keeps of a pool that it shrinks. */
#define KEPT_CHUNKS 15

/* The pages of a chunk are touched when a process first has it: the hooks would, some microseconds
 * for each where the memory is new, and that would be the time of whoever calls. */
#define PAGE_BYTES 4096u
#define REMEMBERED_CHUNKS 1024u

/* Short threads, one after the other, take so many chunks in turn, as much as the cache of a
 * processor holds: what fcmanager has just read is in that of another one, from which each line
 * comes for itself, some 50 ns a record. */
#define FIRST_CHUNKS 32u

/* Whose a chunk is in a process that left it, see leave_chunks(), and at most how many of the pool
 * one leaves. */
#define OWNER_LEFT UINT64_MAX
#define LEFT_PART 16u

static struct FcShared *shared;
static uint8_t is_touched[REMEMBERED_CHUNKS + 1]; /* atomic: by index; for more it is not known */
/* Likewise, the number of the thread that had it last for its counts; 0: none. */
static uint32_t counting_thread[REMEMBERED_CHUNKS + 1];
static uint32_t left_count;    /* by this process and those that it is a fork of */
static uint32_t chunk_count;   /* atomic: only ever made smaller */
static uint32_t threads_begun; /* atomic: with a first chunk */
static uint32_t lookers;       /* atomic: threads that look at chunks whose owner they don't know */
static uint32_t in_flight_limit;

static struct FcChunk *chunk_at(uint32_t index)
{
    return (struct FcChunk *)((char *)shared + (size_t)index * FC_CHUNK_BYTES);
}

void fc_chunks_setup(struct FcShared *mapping, uint32_t count, uint32_t ahead_records)
{
    shared = mapping;
    chunk_count = mapping ? count : 0;
    const uint32_t records = FC_UNITS / FC_RECORD_UNITS;
    in_flight_limit = ahead_records / records;
    if (in_flight_limit < 2)
        in_flight_limit = 2;
    if (in_flight_limit > FC_IN_FLIGHT_MAX)
        in_flight_limit = FC_IN_FLIGHT_MAX;
}

/* Of the calling thread; of short records a chunk holds twice as many. */
static uint32_t most_in_flight(void)
{
    return fc_thread.names && in_flight_limit > 3 ? in_flight_limit / 2 : in_flight_limit;
}

/* ---- Shared chunks -------------------------------------------------------- */

/* From here to end_look() the first chunks, as many as it returns, are mapped.  Signals blocked:
 * fc_chunks_shrink waits for those who look. */
static uint32_t begin_look(void)
{
    /* pairs with fc_chunks_shrink: it sees us, or we see its count */
    __atomic_add_fetch(&lookers, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&chunk_count, __ATOMIC_SEQ_CST);
}

static void end_look(void)
{
    __atomic_sub_fetch(&lookers, 1, __ATOMIC_RELEASE);
}

void fc_chunks_shrink(void)
{
    uint32_t count = __atomic_load_n(&chunk_count, __ATOMIC_RELAXED);
    if (count <= KEPT_CHUNKS ||
        !__atomic_compare_exchange_n(&chunk_count, &count, KEPT_CHUNKS, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        return;
    while (__atomic_load_n(&lookers, __ATOMIC_SEQ_CST) != 0)
        fc_sys(SYS_sched_yield);
    /* What this process owns stays: its threads record there, or the manager has yet to read it,
       and it gets none of the others any more.  So does what it left. */
    for (uint32_t index = KEPT_CHUNKS + 1; index <= count; index++)
    {
        const uint64_t owner = __atomic_load_n(&chunk_at(index)->owner, __ATOMIC_RELAXED);
        if (owner != fc_state_key && owner != OWNER_LEFT)
            fc_unmap(chunk_at(index), FC_CHUNK_BYTES);
    }
}

/* How many of the chunks that the thread gave away it has not got back, those beyond the `mapped`
 * first ones left out; *oldest is one that fcmanager frees as soon as any of them, NULL where there
 * is none. */
static uint32_t count_in_flight(uint32_t mapped, struct FcChunk **oldest)
{
    uint32_t count = 0;
    *oldest = NULL;
    uint32_t least = 0;
    uint32_t known =
        fc_thread.sent_count < FC_IN_FLIGHT_MAX ? fc_thread.sent_count : FC_IN_FLIGHT_MAX;
    for (uint32_t i = 0; i < known; i++)
    {
        if (fc_thread.sent[i].index > mapped)
            continue;
        struct FcChunk *chunk = chunk_at(fc_thread.sent[i].index);
        /* acquire: pairs with the manager's release of the chunk.  Another thread may just
           be claiming it: then it is counted or not, and looked at again soon. */
        if (__atomic_load_n(&chunk->owner, __ATOMIC_ACQUIRE) == fc_state_key &&
            __atomic_load_n(&chunk->thread, __ATOMIC_RELAXED) == fc_thread.number &&
            __atomic_load_n(&chunk->sequence, __ATOMIC_RELAXED) == fc_thread.sent[i].sequence)
        {
            count++;
            if (!*oldest || (int32_t)(fc_thread.sent[i].sequence - least) < 0)
            {
                *oldest = chunk;
                least = fc_thread.sent[i].sequence;
            }
        }
    }
    return count;
}

/* Whether it was free.  Then it is the process's, and not yet ready. */
static bool claim(struct FcChunk *chunk)
{
    uint64_t free = 0;
    if (__atomic_load_n(&chunk->owner, __ATOMIC_RELAXED) != 0)
        return false;
    /* acquire: pairs with the manager's release when it freed the chunk */
    return __atomic_compare_exchange_n(&chunk->owner, &free, fc_state_key, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* `chunk` was claimed, and what is in it is nobody's any more. */
static void touch(struct FcChunk *chunk, uint32_t index)
{
    if (index > REMEMBERED_CHUNKS || __atomic_load_n(&is_touched[index], __ATOMIC_RELAXED))
        return;
    for (uint32_t at = 0; at < FC_CHUNK_UNITS; at += PAGE_BYTES / sizeof *chunk->units)
        __atomic_store_n(&chunk->units[at].last, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&is_touched[index], 1, __ATOMIC_RELAXED);
}

/* `chunk` was claimed. */
static void fill_header(struct FcChunk *chunk, enum FcChunkKind kind, uint32_t sequence)
{
    /* relaxed: for count_in_flight of other threads */
    __atomic_store_n(&chunk->thread, fc_thread.number, __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->sequence, sequence, __ATOMIC_RELAXED);
    chunk->answer = 0;
    chunk->stopped = 0;
    chunk->kind = kind;
    __atomic_store_n(&chunk->is_sent, 0, __ATOMIC_RELAXED);
    chunk->answer_bytes = 0;
    /* release: the manager reads the header of a dead process's chunk if ready */
    __atomic_store_n(&chunk->ready, 1, __ATOMIC_RELEASE);
}

/* Where a thread looks for its first chunk: not in that which another has just given away. */
static uint32_t first_hint(void)
{
    return 1 + __atomic_fetch_add(&threads_begun, 1, __ATOMIC_RELAXED) % FIRST_CHUNKS;
}

/* *is_hopeless: none will be free before a thread gives one away, so there is nothing to wait for.
 */
static struct FcChunk *find_chunk(uint32_t count, uint32_t *generation, bool *is_hopeless)
{
    *is_hopeless = false;
    struct FcChunk *oldest;
    if (count_in_flight(count, &oldest) >= most_in_flight())
        return NULL;
    *is_hopeless = true;
    uint32_t index = fc_thread.hint != 0 ? fc_thread.hint : first_hint();
    for (uint32_t tried = 0; tried < count; tried++, index++)
    {
        if (index < 1 || index > count)
            index = 1;
        struct FcChunk *chunk = chunk_at(index);
        if (!claim(chunk))
        {
            /* relaxed: a hint, the thread looks again with its next chunk */
            if (__atomic_load_n(&chunk->is_sent, __ATOMIC_RELAXED) != 0)
                *is_hopeless = false;
            continue;
        }
        *generation = fc_chunk_next_generation(chunk);
        touch(chunk, index);
        fill_header(chunk, FC_CHUNK_OF_RECORDS, fc_thread_next_sequence(&fc_thread));
        fc_thread.hint = index + 1;
        *is_hopeless = false;
        return chunk;
    }
    return NULL;
}

/* Signals blocked. */
static struct FcChunk *claim_chunk(uint32_t *generation, bool *is_hopeless)
{
    struct FcChunk *chunk = find_chunk(begin_look(), generation, is_hopeless);
    end_look();
    return chunk;
}

static uint32_t chunk_index(const struct FcChunk *chunk)
{
    return (uint32_t)(((const char *)chunk - (const char *)shared) / FC_CHUNK_BYTES);
}

struct FcChunk *fc_chunks_claim_counts(uint32_t number)
{
    /* from the end: records go through the first ones, over and over */
    uint32_t count = begin_look();
    uint32_t index = count;
    while (index > count - count / 4 && !claim(chunk_at(index)))
        index--;
    end_look();
    if (index <= count - count / 4)
        return NULL;
    struct FcChunk *chunk = chunk_at(index);
    fc_chunk_next_generation(chunk);
    memset(chunk->counts, 0, sizeof chunk->counts);
    chunk->beacon = FC_BEACON_HOOK;
    if (index <= REMEMBERED_CHUNKS)
        __atomic_store_n(&counting_thread[index], fc_thread.number, __ATOMIC_RELAXED);
    fill_header(chunk, FC_CHUNK_OF_COUNTS, number);
    struct FcMessage message = {
        .type = FC_MSG_COUNTS, .thread = fc_thread.number, .argument = index};
    fc_channel_send(&message, NULL, 0);
    return chunk;
}

static void send_shared(struct FcChunk *chunk, uint32_t units)
{
    uint32_t index = chunk_index(chunk);
    uint32_t place = fc_thread.sent_count++ % FC_IN_FLIGHT_MAX;
    fc_thread.sent[place].index = index;
    fc_thread.sent[place].sequence = chunk->sequence;
    /* With a few chunks in use, taking them in turn keeps them in the caches. */
    const uint32_t most = most_in_flight();
    if (fc_thread.sent_count >= most)
        fc_thread.hint = fc_thread.sent[(fc_thread.sent_count - most) % FC_IN_FLIGHT_MAX].index;
    __atomic_store_n(&chunk->is_sent, 1, __ATOMIC_RELAXED);
    struct FcMessage message = {
        .type = FC_MSG_CHUNK, .thread = fc_thread.number, .argument = index, .value = units};
    /* At the end of the process nothing is wrong: fcmanager reads the chunk in place.  relaxed: it
       looks when the process is dead */
    if (!fc_channel_send_whole(&message, sizeof message) && !fc_state_has_ended())
        __atomic_store_n(&chunk->stopped, 1, __ATOMIC_RELAXED);
}

uint32_t fc_chunks_count_freed(void)
{
    /* relaxed: fc_chunks_wait compares it again in the kernel */
    return shared ? __atomic_load_n(&shared->freed, __ATOMIC_RELAXED) : 0;
}

/* A chunk that the thread gave away, and whose owner it is still told to be; NULL: none. */
static struct FcChunk *await_own(void)
{
    struct FcChunk *own;
    uint64_t old = fc_block_signals();
    count_in_flight(begin_look(), &own);
    /* seq_cst: pairs with the manager's, which frees the chunk first */
    if (own)
        __atomic_store_n(&own->is_awaited, 1, __ATOMIC_SEQ_CST);
    end_look();
    fc_restore_signals(old);
    return own;
}

/* Until that one is free: the manager wakes the thread and nobody else. */
static long wait_for_own(struct FcChunk *chunk, const struct timespec *wait)
{
    /* it may be unmapped by now, which the kernel says */
    long result =
        fc_sys(SYS_futex, &chunk->owner, FUTEX_WAIT, (uint32_t)fc_state_key, wait, NULL, 0);
    fc_thread.hint = chunk_index(chunk);
    return result;
}

/* Until any chunk is free; all who wait so are woken. */
static long wait_for_any(uint32_t freed, const struct timespec *wait)
{
    __atomic_add_fetch(&shared->waiters, 1, __ATOMIC_SEQ_CST); /* pairs with the manager's load */
    long result = fc_sys(SYS_futex, &shared->freed, FUTEX_WAIT, freed, wait, NULL, 0);
    __atomic_sub_fetch(&shared->waiters, 1, __ATOMIC_SEQ_CST);
    return result;
}

bool fc_chunks_wait(uint32_t freed)
{
    const struct timespec wait = {0, WAIT_NS};
    struct FcChunk *own = await_own();
    long result = own ? wait_for_own(own, &wait) : wait_for_any(freed, &wait);
    uint32_t rounds = __atomic_load_n(&shared->rounds, __ATOMIC_RELAXED);
    bool is_in_vain = !own && result != -ETIMEDOUT; /* one was freed: the next look will tell */
    if (is_in_vain || ((!own || result == -ETIMEDOUT) && rounds != fc_thread.rounds))
        fc_thread.waits++;
    fc_thread.rounds = rounds;
    if (result != -ETIMEDOUT || fc_channel_is_alive())
        return true;
    fc_state_stop_alone();
    return false;
}

/* ---- Shared chunks and private buffers ------------------------------------- */

void fc_chunks_flush(void)
{
    struct FcChunk *chunk = FC_CURSOR_CHUNK(fc_thread.cursor);
    uint32_t units = FC_CURSOR_UNITS(fc_thread.cursor);
    if (chunk && chunk == fc_thread.private_chunk)
    {
        fc_detail_look(chunk, FC_BUFFER_FIRST, units < FC_UNITS ? units : FC_UNITS);
        fc_buffers_flush(chunk, units);
        return;
    }
    fc_thread_set_cursor(FC_CURSOR_NONE);
    if (!chunk)
        return;
    units = units < FC_UNITS ? units : FC_UNITS;
    fc_detail_look(chunk, 0, units);
    send_shared(chunk, units); /* also an empty one: the manager frees it */
}

void fc_chunks_give_up(void)
{
    fc_chunks_flush();
    fc_buffers_free();
    fc_thread_set_cursor(FC_CURSOR_NONE);
}

/* What is stored in the chunk from here on is seen by nobody.  The memory for that is mapped
 * elsewhere first: where there is none, the chunk stays as it is. */
static bool leave(struct FcChunk *chunk)
{
    struct FcChunk *own = fc_map(FC_CHUNK_BYTES);
    if (!own)
        return false;
    own->owner = OWNER_LEFT;
    const long at = fc_sys(SYS_mremap, own, FC_CHUNK_BYTES, FC_CHUNK_BYTES,
                           MREMAP_MAYMOVE | MREMAP_FIXED, chunk);
    if (at == (long)(uintptr_t)chunk)
        return true;
    fc_unmap(own, FC_CHUNK_BYTES);
    return false;
}

/* A hook that a handler interrupted to fork may have yet to count its call in a chunk of the
 * parent's, or to store its record there, which the parent's own hook does.  Of such chunks the
 * child has memory of its own.  They are lost to it and its children, so it leaves but some of the
 * pool. */
static void leave_chunks(uint32_t thread)
{
    const uint32_t most = chunk_count / LEFT_PART;
    if (fc_thread.gap_index != 0 && fc_thread.gap_index <= chunk_count && left_count < most)
        left_count += leave(chunk_at(fc_thread.gap_index));
    fc_thread.gap_index = 0;
    for (uint32_t index = 1; index <= REMEMBERED_CHUNKS; index++)
    {
        if (counting_thread[index] == 0)
            continue;
        /* the parent's thread has it to its end: it is mapped */
        if (counting_thread[index] == thread && left_count < most)
            left_count += leave(chunk_at(index));
        counting_thread[index] = 0;
    }
}

static bool has_gap(uint32_t index, uint32_t units)
{
    const struct FcChunk *chunk = chunk_at(index);
    return !fc_records_are_whole(chunk->units, 0, units, chunk->generation);
}

/* Of two with gaps, as of a handler that interrupted the hook of another handler, the first is
 * remembered. */
void fc_chunks_before_fork(void)
{
    const struct FcChunk *chunk = FC_CURSOR_CHUNK(fc_thread.cursor);
    uint32_t units = FC_CURSOR_UNITS(fc_thread.cursor);
    units = units < FC_UNITS ? units : FC_UNITS;
    if (fc_thread.gap_index > chunk_count ||
        (fc_thread.gap_index != 0 && !has_gap(fc_thread.gap_index, fc_thread.gap_units)))
        fc_thread.gap_index = 0;
    if (fc_thread.gap_index == 0 && chunk && chunk != fc_thread.private_chunk &&
        has_gap(chunk_index(chunk), units))
    {
        fc_thread.gap_index = chunk_index(chunk);
        fc_thread.gap_units = units;
    }
    fc_chunks_flush();
}

void fc_chunks_after_fork(uint32_t thread)
{
    leave_chunks(thread);
    fc_buffers_after_fork();
    lookers = 0; /* threads of the parent */
    memset(is_touched, 0, sizeof is_touched);
    fc_thread_set_cursor(FC_CURSOR_NONE);
    fc_thread.waits = 0;
}

/* A shared chunk, or the thread's private buffer where there is no shared memory, or too many
 * threads for its chunks. */
static struct FcChunk *choose_chunk(uint32_t *generation)
{
    bool is_hopeless = !shared;
    if (fc_thread.is_announced && fc_thread.private_rounds++ % PRIVATE_ROUNDS != 0)
        return fc_buffers_claim(true, generation);
    struct FcChunk *chunk = shared ? claim_chunk(generation, &is_hopeless) : NULL;
    if (chunk)
    {
        fc_thread.waits = 0;
        fc_thread.is_announced = false;
    }
    else if (is_hopeless || fc_thread.is_announced || fc_thread.waits > WAITS_MAX)
        chunk = fc_buffers_claim(shared != NULL, generation);
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

/* Where the program wrote over it fcmanager does not answer there. */
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
    if (!shared)
        return 0;
    uint32_t generation;
    bool is_hopeless;
    /* fcmanager reads what the process still owns in place, this chunk included. */
    fc_thread_set_cursor(FC_CURSOR_NONE);
    if (!chunk || was_private || !is_own(chunk))
        chunk = claim_chunk(&generation, &is_hopeless);
    return chunk ? chunk_index(chunk) : FC_NO_ANSWER;
}

const char *fc_chunks_wait_for_answer(uint32_t index, size_t *bytes)
{
    struct FcChunk *chunk = chunk_at(index);
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
