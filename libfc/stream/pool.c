/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See pool.h, and fc-format.h for the protocol.
 */
#include "libfc/stream/pool.h"

#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/current-word.h"
#include "libfc/stream/buffers.h"
#include "libfc/stream/channel.h"

#include <string.h>
#include <sys/mman.h>

/* Chunks that a process keeps when it shrinks its pool. */
#define KEPT_CHUNKS 15

/* The pages of a chunk are touched when a process first gets it.  Otherwise the hooks would
 * touch them, at some microseconds each where the memory is new, and in the time of the calling
 * function. */
#define PAGE_BYTES 4096u
#define REMEMBERED_CHUNKS 1024u

/* One chunk in this many, the first ones, may be full while fcmanager does not know it yet. */
#define SPARE_PART 4u

/* Short threads, one after the other, take this many chunks in turn, as much as a processor's
 * cache holds.  What fcmanager has just read is in the cache of another processor, and each of
 * its lines would have to be fetched, some 50 ns a record. */
#define FIRST_CHUNKS 32u

/* The owner of a chunk in a process that left it, see leave_chunks(), and how many chunks of the
 * pool a process leaves at most. */
#define OWNER_LEFT UINT64_MAX
#define LEFT_PART 16u

static struct FcShared *shared;
static uint8_t is_touched[REMEMBERED_CHUNKS + 1]; /* atomic: by index; not known for higher ones */
/* Also by index: the number of the thread that last had the chunk for counts; 0: none. */
static uint32_t counting_thread[REMEMBERED_CHUNKS + 1];
static uint32_t left_count;    /* by this process and those that it was forked from */
static uint32_t chunk_count;   /* atomic: only ever made smaller */
static uint32_t threads_begun; /* atomic: threads that took a first chunk */
static uint32_t scanners;      /* atomic: threads that scan chunks whose owner they don't know */

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

/* Returns how many chunks, from the first on, are mapped until end_scan().  Signals blocked:
 * fc_pool_shrink waits for scanners. */
static uint32_t begin_scan(void)
{
    /* pairs with fc_pool_shrink: either it sees this scanner, or this one sees its count */
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
    /* Chunks of this process stay: its threads record there, or the manager has yet to read
       them.  The process gets no other chunk any more.  Chunks that it left stay as well. */
    for (uint32_t index = KEPT_CHUNKS + 1; index <= count; index++)
    {
        const uint64_t owner = __atomic_load_n(&fc_pool_chunk(index)->owner, __ATOMIC_RELAXED);
        if (owner != fc_state_key && owner != OWNER_LEFT)
            fc_unmap(fc_pool_chunk(index), FC_CHUNK_BYTES);
    }
}

/* Whether this chunk, which the thread gave away, has not come back, and is among the `mapped`
 * first ones. */
static bool is_in_flight(const struct FcSent *sent, uint32_t mapped)
{
    if (sent->index > mapped)
        return false;
    const struct FcChunk *chunk = fc_pool_chunk(sent->index);
    /* acquire: pairs with the manager's release of the chunk.  Another thread may just be
       claiming it: whether it is counted then does not matter, since it is checked again soon. */
    return __atomic_load_n(&chunk->owner, __ATOMIC_ACQUIRE) == fc_state_key &&
           __atomic_load_n(&chunk->thread, __ATOMIC_RELAXED) == fc_thread.number &&
           __atomic_load_n(&chunk->sequence, __ATOMIC_RELAXED) == sent->sequence;
}

/* How many chunks have not come back. *oldest is the one that fcmanager frees first; NULL: there
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

/* Whether less than `most` have not come back.  They mostly come back in the order in which they
 * were given away, so it is enough to check the first one that is missing.  Each check reads a
 * cache line that fcmanager has written to. */
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

/* Claims the chunk for this process.  False: it is not free.  Its header is still to be filled
 * in. */
static bool claim(struct FcChunk *chunk)
{
    uint64_t free = 0;
    if (__atomic_load_n(&chunk->owner, __ATOMIC_RELAXED) != 0)
        return false;
    /* acquire: pairs with the manager's release when it freed the chunk */
    return __atomic_compare_exchange_n(&chunk->owner, &free, fc_state_key, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* `chunk` was claimed, and its contents belong to nobody any more. */
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
    /* release: the manager reads the header of a dead process's chunk if it is ready */
    __atomic_store_n(&chunk->ready, 1, __ATOMIC_RELEASE);
}

/* Where a thread begins to search for its first chunk: not at a chunk that another thread has
 * just given away. */
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
            /* relaxed: a hint, the thread searches again for its next chunk */
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

/* A chunk that its thread keeps; 0: there is none. */
static uint32_t claim_to_keep(uint32_t quarters)
{
    /* from the end: records use the first ones over and over */
    uint32_t count = begin_scan();
    uint32_t index = count;
    const uint32_t first = count - count / 4 * quarters;
    while (index > first && !claim(fc_pool_chunk(index)))
        index--;
    end_scan();
    return index > first ? index : 0;
}

struct FcChunk *fc_pool_claim_counts(uint32_t number)
{
    const uint32_t index = claim_to_keep(1);
    if (index == 0)
        return NULL;
    struct FcChunk *chunk = fc_pool_chunk(index);
    fc_chunk_next_generation(chunk);
    memset(chunk->counts, 0, sizeof chunk->counts);
    chunk->current_word = FC_CURRENT_HOOK;
    if (index <= REMEMBERED_CHUNKS)
        __atomic_store_n(&counting_thread[index], fc_thread.number, __ATOMIC_RELAXED);
    fill_header(chunk, FC_CHUNK_OF_COUNTS, number);
    struct FcMessage message = {
        .type = FC_MSG_COUNTS, .thread = fc_thread.number, .argument = index};
    fc_channel_send(&message, NULL, 0);
    return chunk;
}

struct FcChunk *fc_pool_claim_entries(uint32_t thread, uint32_t number)
{
    const uint32_t index = shared ? claim_to_keep(3) : 0;
    if (index == 0)
        return NULL;
    struct FcChunk *chunk = fc_pool_chunk(index);
    fc_chunk_next_generation(chunk);
    fill_header(chunk, FC_CHUNK_OF_ENTRIES, number);
    chunk->thread = thread;
    return chunk;
}

struct FcChunk *fc_pool_claim_mpi(void)
{
    const uint32_t index = shared ? claim_to_keep(3) : 0;
    if (index == 0)
        return NULL;
    struct FcChunk *chunk = fc_pool_chunk(index);
    fc_chunk_next_generation(chunk);
    memset(&chunk->mpi, 0, sizeof chunk->mpi);
    fill_header(chunk, FC_CHUNK_OF_MPI, 0);
    struct FcMessage message = {.type = FC_MSG_MPI, .thread = fc_thread.number, .argument = index};
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

/* Replaces the chunk by memory of the process's own, so that nobody else sees what is stored
 * there from here on.  The memory is mapped elsewhere first: if there is none, the chunk stays as
 * it is, and the result is false. */
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

/* A hook that a handler interrupted to fork may still have to count its call in a chunk of the
 * parent's, or to store its record there; the parent's own hook does that, too.  So the child
 * gets memory of its own in place of such chunks.  They are lost to it and its children, so it
 * leaves only some of the pool. */
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
        /* the parent's thread keeps it to its end, so it is mapped */
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

/* If two chunks have gaps, as when a handler interrupted the hook of another handler, the first
 * is remembered. */
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
