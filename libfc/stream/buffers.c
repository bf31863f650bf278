/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Private buffers: where a thread's records go if there is no shared memory, or if all chunks are
 * taken.  Their contents are sent through the pipe.
 *
 * A handler that interrupted a hook may fill the buffer in which that hook has yet to store its
 * record.  Such a buffer is parked, with all later ones, until the record is there.  So the order
 * is kept, nothing is lost, and no memory is reused while it may be written.
 */
#include "libfc/stream/buffers.h"

#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/stream/channel.h"

#include <sys/mman.h>

static struct FcThread *users; /* threads with private buffers */
static uint32_t users_lock;

static struct FcChunk *map_private(void)
{
    /* twice the size, from which an aligned piece is cut */
    long at = fc_sys(SYS_mmap, NULL, 2 * FC_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    if (at < 0 && at > -4096)
        return NULL;
    long aligned = (at + FC_CHUNK_BYTES - 1) & -(long)FC_CHUNK_BYTES;
    if (aligned != at)
        fc_sys(SYS_munmap, at, aligned - at);
    long rest = at + 2 * (long)FC_CHUNK_BYTES - (aligned + (long)FC_CHUNK_BYTES);
    if (rest != 0)
        fc_sys(SYS_munmap, aligned + (long)FC_CHUNK_BYTES, rest);
    return (struct FcChunk *)aligned;
}

/* Sends no records: says that this thread has a buffer that would be lost with the process. */
static void announce_private(void)
{
    struct
    {
        struct FcMessage message;
        struct FcDataHeader header;
    } empty = {.message = {.type = FC_MSG_CHUNK_DATA, .thread = fc_thread.number},
               .header = {.generation = FC_GENERATION_LONG}};
    fc_channel_send_whole(&empty.message, sizeof empty);
}

/* Lists the threads with private buffers: the thread that ends the process sends their contents. */
static void list_thread(void)
{
    /* A thread whose end was reported may be gone at any time, and with it its FcThread, through
       which the list goes. */
    if (fc_thread.is_listed || fc_thread.has_ended)
        return;
    fc_lock(&users_lock);
    fc_thread.next_user = users;
    users = &fc_thread;
    fc_unlock(&users_lock);
    fc_thread.is_listed = true;
}

void fc_buffers_leave(void)
{
    if (!fc_thread.is_listed)
        return;
    fc_lock(&users_lock);
    struct FcThread **at = &users;
    while (*at && *at != &fc_thread)
        at = &(*at)->next_user;
    if (*at)
        *at = fc_thread.next_user;
    fc_unlock(&users_lock);
    fc_thread.is_listed = false;
}

/* The manager is there: what other threads have in their buffers is sent before it is too late. */
static void stop_without_memory(void)
{
    if (!fc_state_ending())
        return;
    fc_buffers_send_others();
    fc_channel_stop("no memory for a thread's buffer, profiling stops here");
    fc_thread.is_quitting = false;
}

/* Before the generations begin again: clears the buffer, so that records of earlier uses do not
 * look new. */
static void clear_old(struct FcChunk *chunk)
{
    if (chunk->generation >= FC_GENERATION_LAST)
        for (uint32_t i = 0; i < FC_CHUNK_UNITS; i++)
            chunk->units[i].last = 0;
}

struct FcChunk *fc_buffers_claim(bool announce, uint32_t *generation)
{
    list_thread();
    fc_lock(&fc_thread.private_lock);
    struct FcChunk *chunk = fc_thread.spare;
    if (fc_thread.is_taken)
        chunk = NULL; /* profiling is about to be off */
    else if (chunk)
        fc_thread.spare = chunk->next;
    else
        chunk = map_private();
    fc_thread.private_chunk = chunk;
    if (chunk)
    {
        clear_old(chunk);
        *generation = fc_chunk_next_generation(chunk);
    }
    fc_unlock(&fc_thread.private_lock);
    if (!chunk && !fc_thread.is_taken)
        stop_without_memory();
    if (!fc_thread.is_announced)
        fc_thread.private_rounds = 1; /* this one */
    if (announce && !fc_thread.is_announced)
        announce_private();
    fc_thread.is_announced = true;
    return chunk;
}

/* The units of the record that begins there; 0: it is not there. */
static uint32_t units_at(const struct FcChunk *chunk, uint32_t at)
{
    return fc_record_units(&chunk->units[at], chunk->generation);
}

static bool has_gap(const struct FcChunk *chunk)
{
    return !fc_records_are_whole(chunk->units, FC_BUFFER_FIRST, chunk->taken, chunk->generation);
}

/* False: it could not be sent. */
static bool send_private(struct FcThread *thread, struct FcChunk *chunk)
{
    /* the headers are just before the records, so that one write sends both */
    struct FcUnit *first = &chunk->units[FC_BUFFER_FIRST];
    struct FcDataHeader *header = (struct FcDataHeader *)first - 1;
    struct FcMessage *message = (struct FcMessage *)header - 1;
    uint32_t count = chunk->taken - FC_BUFFER_FIRST;
    if (count == 0)
        return true;
    *header = (struct FcDataHeader){.sequence = fc_thread_next_sequence(thread),
                                    .count = count,
                                    .generation = chunk->generation};
    *message = (struct FcMessage){.type = FC_MSG_CHUNK_DATA, .thread = thread->number};
    return fc_channel_send_whole(message,
                                 sizeof *message + sizeof *header + (count + 1) * sizeof *first);
}

/* Sends parked buffers, up to the first one with a gap. */
static void send_parked(struct FcThread *thread, bool with_gaps)
{
    while (thread->parked && (with_gaps || !has_gap(thread->parked)))
    {
        struct FcChunk *chunk = thread->parked;
        bool reusable = !has_gap(chunk);
        if (!send_private(thread, chunk))
            return;
        thread->parked = chunk->next;
        if (!reusable)
            continue; /* the hook that owes a record may still write it: never to be used again */
        chunk->next = thread->spare;
        thread->spare = chunk;
    }
}

static void park(struct FcThread *thread, struct FcChunk *chunk, uint32_t units)
{
    struct FcChunk **end = thread->parked ? &thread->last_parked->next : &thread->parked;
    chunk->taken = units < FC_UNITS ? units : FC_UNITS;
    chunk->next = NULL;
    *end = chunk;
    thread->last_parked = chunk;
    thread->private_chunk = NULL;
}

/* Another thread may be using `chunk`.  Sends what is complete now, from a copy that nobody
 * writes to.  Under users_lock. */
static void send_copy(struct FcThread *thread, const struct FcChunk *chunk, uint32_t taken)
{
    static struct
    {
        struct FcMessage message;
        struct FcDataHeader header;
        struct FcUnit units[FC_DATA_UNITS + 1];
    } copy;
    uint32_t count = 0;
    for (uint32_t at = FC_BUFFER_FIRST, units; at < taken && at < FC_UNITS; at += units + !units)
    {
        units = units_at(chunk, at);
        for (uint32_t i = 0; i < units; i++)
            copy.units[count++] = chunk->units[at + i];
    }
    if (count > FC_DATA_UNITS) /* no record begins in the second unit of the last record, a long
                                  one */
        count = FC_DATA_UNITS;
    copy.header = (struct FcDataHeader){.sequence = fc_thread_next_sequence(thread),
                                        .count = count,
                                        .generation = chunk->generation};
    copy.message = (struct FcMessage){.type = FC_MSG_CHUNK_DATA, .thread = thread->number};
    fc_channel_send_whole(&copy.message,
                          offsetof(__typeof__(copy), units) + (count + 1) * sizeof *copy.units);
}

void fc_buffers_send_others(void)
{
    fc_lock(&users_lock);
    for (struct FcThread *thread = users; thread; thread = thread->next_user)
    {
        if (thread == &fc_thread)
            continue;
        fc_lock(&thread->private_lock);
        send_parked(thread, false);
        for (struct FcChunk *parked = thread->parked; parked; parked = parked->next)
            send_copy(thread, parked, parked->taken);
        /* relaxed: each record shows by itself whether it is there */
        uint64_t cursor = __atomic_load_n(&thread->cursor, __ATOMIC_RELAXED);
        struct FcChunk *chunk = FC_CURSOR_CHUNK(cursor);
        if (chunk && chunk == thread->private_chunk)
            send_copy(thread, chunk, FC_CURSOR_UNITS(cursor));
        thread->is_taken = true;
        fc_unlock(&thread->private_lock);
    }
    fc_unlock(&users_lock);
}

void fc_buffers_flush(struct FcChunk *chunk)
{
    fc_lock(&fc_thread.private_lock);
    if (!fc_thread.is_taken)
    {
        park(&fc_thread, chunk, FC_CURSOR_UNITS(fc_thread_take_cursor()));
        send_parked(&fc_thread, false);
    }
    fc_thread_set_cursor(FC_CURSOR_NONE);
    fc_unlock(&fc_thread.private_lock);
}

void fc_buffers_send_parked(void)
{
    send_parked(&fc_thread, true);
}

void fc_buffers_free(void)
{
    fc_buffers_leave();
    send_parked(&fc_thread, true);
    while (fc_thread.spare)
    {
        struct FcChunk *chunk = fc_thread.spare;
        fc_thread.spare = chunk->next;
        fc_sys(SYS_munmap, chunk, (size_t)FC_CHUNK_BYTES);
    }
    fc_thread.private_chunk = NULL;
    fc_thread.is_announced = false;
}

void fc_buffers_after_fork(void)
{
    users = NULL; /* threads of the parent */
    users_lock = 0;
    fc_thread.private_lock = 0;
    fc_thread.is_taken = false;
    fc_thread.is_listed = false;
    fc_thread.is_announced = false;
    fc_thread.private_chunk = NULL;
    fc_thread.parked = NULL; /* the parent sends them */
}
