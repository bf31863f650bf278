/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See pool.h, and fc-format.h for the protocol.
 */
#include "libfc/stream/pool.h"

#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/beacon.h"
#include "libfc/stream/buffers.h"
#include "libfc/stream/channel.h"

#include <string.h>
#include <sys/mman.h>

/* Chunks that a process keeps of a pool that it shrinks. */
#define KEPT_CHUNKS 15

/* The pages of a chunk are touched when a process first has it: the hooks would, some microseconds
 * for each where the memory is new, and that would be the time of whoever calls. */
#define PAGE_BYTES 4096u
#define REMEMBERED_CHUNKS 1024u

/* Which of the chunks, the first ones, may be full and not be told of. */
#define SPARE_PART 4u

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
static uint32_t scanners;      /* atomic: threads that look at chunks whose owner they don't know */

struct FcChunk *fc_pool_chunk(uint32_t index)
{
    return (struct FcChunk *)((char *)shared + (size_t)index * FC_CHUNK_BYTES);
}

uint32_t fc_pool_index(const struct FcChunk *chunk)
{
    return (uint32_t)(((const char *)chunk - (const char *)shared) / FC_CHUNK_BYTES);
}

struct FcShared *fc_pool_header(void)
{
    return shared;
}

bool fc_pool_is_to_spare(const struct FcChunk *chunk)
{
    /* relaxed: a hint */
    return fc_pool_index(chunk) <= __atomic_load_n(&chunk_count, __ATOMIC_RELAXED) / SPARE_PART;
}

void fc_pool_setup(struct FcShared *mapping, uint32_t count)
{
    shared = mapping;
    chunk_count = mapping ? count : 0;
}

/* From here to end_scan() the first chunks, as many as it returns, are mapped.  Signals blocked:
 * fc_pool_shrink waits for those who look. */
static uint32_t begin_scan(void)
{
    /* pairs with fc_pool_shrink: it sees us, or we see its count */
    __atomic_add_fetch(&scanners, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&chunk_count, __ATOMIC_SEQ_CST);
}

static void end_scan(void)
{
    __atomic_sub_fetch(&scanners, 1, __ATOMIC_RELEASE);
}

void fc_pool_shrink(void)
{
    uint32_t count = __atomic_load_n(&chunk_count, __ATOMIC_RELAXED);
    if (count <= KEPT_CHUNKS ||
        !__atomic_compare_exchange_n(&chunk_count, &count, KEPT_CHUNKS, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        return;
    while (__atomic_load_n(&scanners, __ATOMIC_SEQ_CST) != 0)
        fc_sys(SYS_sched_yield);
    /* What this process owns stays: its threads record there, or the manager has yet to read it,
       and it gets none of the others any more.  So does what it left. */
    for (uint32_t index = KEPT_CHUNKS + 1; index <= count; index++)
    {
        const uint64_t owner = __atomic_load_n(&fc_pool_chunk(index)->owner, __ATOMIC_RELAXED);
        if (owner != fc_state_key && owner != OWNER_LEFT)
            fc_unmap(fc_pool_chunk(index), FC_CHUNK_BYTES);
    }
}

/* Whether the thread has not got that one back, of the chunks that it gave away, and it is among
 * the `mapped` first ones. */
static bool is_in_flight(const struct FcSent *sent, uint32_t mapped)
{
    if (sent->index > mapped)
        return false;
    const struct FcChunk *chunk = fc_pool_chunk(sent->index);
    /* acquire: pairs with the manager's release of the chunk.  Another thread may just
       be claiming it: then it is counted or not, and looked at again soon. */
    return __atomic_load_n(&chunk->owner, __ATOMIC_ACQUIRE) == fc_state_key &&
           __atomic_load_n(&chunk->thread, __ATOMIC_RELAXED) == fc_thread.number &&
           __atomic_load_n(&chunk->sequence, __ATOMIC_RELAXED) == sent->sequence;
}

/* How many are; *oldest is one that fcmanager frees as soon as any of them, NULL where there is
 * none. */
static uint32_t count_in_flight(uint32_t mapped, struct FcChunk **oldest)
{
    uint32_t count = 0;
    *oldest = NULL;
    uint32_t least = 0;
    uint32_t known =
        fc_thread.sent_count < FC_IN_FLIGHT_MAX ? fc_thread.sent_count : FC_IN_FLIGHT_MAX;
    for (uint32_t i = 0; i < known; i++)
    {
        const struct FcSent *sent = &fc_thread.sent[i];
        if (!is_in_flight(sent, mapped))
            continue;
        count++;
        if (!*oldest || (int32_t)(sent->sequence - least) < 0)
        {
            *oldest = fc_pool_chunk(sent->index);
            least = sent->sequence;
        }
    }
    return count;
}

/* Whether less than `most` are.  As a rule they come back in the order in which they were given
 * away, and one that is not back is all that is looked at: each is in a line of the cache that
 * fcmanager has written to. */
static bool are_few_in_flight(uint32_t mapped, uint32_t most)
{
    struct FcChunk *oldest;
    if (fc_thread.sent_count - fc_thread.back_count > FC_IN_FLIGHT_MAX)
        fc_thread.back_count = fc_thread.sent_count - FC_IN_FLIGHT_MAX;
    while (fc_thread.back_count != fc_thread.sent_count &&
           !is_in_flight(&fc_thread.sent[fc_thread.back_count % FC_IN_FLIGHT_MAX], mapped))
        fc_thread.back_count++;
    return fc_thread.sent_count - fc_thread.back_count < most ||
           count_in_flight(mapped, &oldest) < most;
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

static struct FcChunk *find_chunk(uint32_t count, uint32_t most, uint32_t *generation,
                                  bool *is_hopeless)
{
    *is_hopeless = false;
    if (!are_few_in_flight(count, most))
        return NULL;
    *is_hopeless = true;
    uint32_t index = fc_thread.hint != 0 ? fc_thread.hint : first_hint();
    for (uint32_t tried = 0; tried < count; tried++, index++)
    {
        if (index < 1 || index > count)
            index = 1;
        struct FcChunk *chunk = fc_pool_chunk(index);
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

struct FcChunk *fc_pool_claim(uint32_t most, uint32_t *generation, bool *is_hopeless)
{
    *is_hopeless = !shared;
    if (!shared)
        return NULL;
    struct FcChunk *chunk = find_chunk(begin_scan(), most, generation, is_hopeless);
    end_scan();
    return chunk;
}

struct FcChunk *fc_pool_claim_counts(uint32_t number)
{
    /* from the end: records go through the first ones, over and over */
    uint32_t count = begin_scan();
    uint32_t index = count;
    while (index > count - count / 4 && !claim(fc_pool_chunk(index)))
        index--;
    end_scan();
    if (index <= count - count / 4)
        return NULL;
    struct FcChunk *chunk = fc_pool_chunk(index);
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

struct FcChunk *fc_pool_await_own(void)
{
    struct FcChunk *own;
    uint64_t old = fc_block_signals();
    count_in_flight(begin_scan(), &own);
    /* seq_cst: pairs with the manager's, which frees the chunk first */
    if (own)
        __atomic_store_n(&own->is_awaited, 1, __ATOMIC_SEQ_CST);
    end_scan();
    fc_restore_signals(old);
    return own;
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
        left_count += leave(fc_pool_chunk(fc_thread.gap_index));
    fc_thread.gap_index = 0;
    for (uint32_t index = 1; index <= REMEMBERED_CHUNKS; index++)
    {
        if (counting_thread[index] == 0)
            continue;
        /* the parent's thread has it to its end: it is mapped */
        if (counting_thread[index] == thread && left_count < most)
            left_count += leave(fc_pool_chunk(index));
        counting_thread[index] = 0;
    }
}

static bool has_gap(uint32_t index, uint32_t units)
{
    const struct FcChunk *chunk = fc_pool_chunk(index);
    return !fc_records_are_whole(chunk->units, 0, units, chunk->generation);
}

/* Of two with gaps, as of a handler that interrupted the hook of another handler, the first is
 * remembered. */
void fc_pool_before_fork(const struct FcChunk *chunk, uint32_t units)
{
    if (fc_thread.gap_index > chunk_count ||
        (fc_thread.gap_index != 0 && !has_gap(fc_thread.gap_index, fc_thread.gap_units)))
        fc_thread.gap_index = 0;
    if (fc_thread.gap_index == 0 && chunk && has_gap(fc_pool_index(chunk), units))
    {
        fc_thread.gap_index = fc_pool_index(chunk);
        fc_thread.gap_units = units;
    }
}

void fc_pool_after_fork(uint32_t thread)
{
    leave_chunks(thread);
    scanners = 0; /* threads of the parent */
    memset(is_touched, 0, sizeof is_touched);
}
