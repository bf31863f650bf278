/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of one thread's records: see thread.h.
 */
#include "fcmanager/thread.h"

#include <string.h>

/* So much is held back behind a gap before it is given up. */
#define PENDING_MAX 64

typedef struct
{
    guint32 index; /* of the chunk; 0: `records` is a copy */
    guint32 at;    /* next slot to read */
    guint32 slots;
    guint32 generation;
    const struct FcRecord *records; /* in the chunk, or owned */
} Piece;

static void piece_free(Piece *piece)
{
    if (piece->index == 0)
        g_free((gpointer)piece->records);
    g_free(piece);
}

FcThread *fc_thread_new(guint32 number, FcCounts *counts, FcStack *stack, FcSharedMap *shared)
{
    FcThread *thread = g_new0(FcThread, 1);
    thread->number = number;
    thread->counts = counts;
    thread->stack = stack;
    thread->shared = shared;
    thread->pending = g_queue_new();
    thread->quarantine = g_array_new(FALSE, FALSE, sizeof(guint32));
    return thread;
}

void fc_thread_free(FcThread *thread)
{
    if (thread == NULL)
        return;
    g_queue_free_full(thread->pending, (GDestroyNotify)piece_free);
    g_array_unref(thread->quarantine);
    fc_stack_free(thread->stack);
    fc_heap_thread_free(thread->heap);
    fc_counts_free(thread->counts);
    g_free(thread->name);
    g_free(thread);
}

gboolean fc_thread_is_held_back(const FcThread *thread)
{
    return !g_queue_is_empty(thread->pending);
}

/* TRUE where the piece was read to its end. */
static gboolean read_piece(FcThread *thread, Piece *piece)
{
    piece->at =
        fc_stack_feed(thread->stack, piece->records, piece->at, piece->slots, piece->generation);
    return piece->at >= piece->slots;
}

static gboolean is_there(const Piece *piece, guint32 slot)
{
    return __atomic_load_n(&piece->records[slot].site, __ATOMIC_ACQUIRE) >>
               FC_SITE_GENERATION_SHIFT ==
           piece->generation;
}

/* Reads the whole piece, counting what is missing between or before other records. */
static void read_behind_gaps(FcThread *thread, Piece *piece)
{
    while (!read_piece(thread, piece))
    {
        guint32 next = piece->at;
        while (next < piece->slots && !is_there(piece, next))
            next++;
        if (next == piece->slots)
            return;
        thread->gaps += next - piece->at;
        piece->at = next;
    }
}

static gboolean is_whole(const Piece *piece)
{
    for (guint32 i = piece->at; i < piece->slots; i++)
        if (!is_there(piece, i))
            return FALSE;
    return TRUE;
}

static void hold_back(FcThread *thread, const Piece *piece)
{
    g_queue_push_tail(thread->pending, g_memdup2(piece, sizeof *piece));
    if (g_queue_get_length(thread->pending) > PENDING_MAX)
        fc_thread_give_up(thread, TRUE);
}

/* Where to begin in chunk `sequence`: what was read ahead is not read again. */
static guint32 first_unread(const FcThread *thread, guint32 sequence, guint32 slots)
{
    gint32 ahead = (gint32)(thread->next_sequence - sequence);
    if (ahead > 0)
        return slots;
    return ahead == 0 ? MIN(thread->next_slot, slots) : 0;
}

static void passed(FcThread *thread, guint32 sequence)
{
    thread->next_sequence = sequence + 1;
    thread->next_slot = 0;
}

void fc_thread_take_chunk(FcThread *thread, const FcChunkView *view, guint32 slots)
{
    slots = MIN(slots, FC_CHUNK_RECORDS);
    Piece piece = {view->index, first_unread(thread, view->sequence, slots), slots,
                   view->generation, view->records};
    if ((gint32)(thread->next_sequence - view->sequence) <= 0)
        passed(thread, view->sequence);
    fc_thread_retry(thread);
    if (!fc_thread_is_held_back(thread))
    {
        if (read_piece(thread, &piece))
            fc_shared_free(thread->shared, view->index);
        else
            hold_back(thread, &piece);
        return;
    }
    /* Give back at once what has no gap: the thread may be waiting for a free chunk. */
    if (is_whole(&piece))
    {
        piece.records = g_memdup2(view->records, piece.slots * sizeof(struct FcRecord));
        piece.index = 0;
        fc_shared_free(thread->shared, view->index);
    }
    hold_back(thread, &piece);
}

void fc_thread_take_data(FcThread *thread, const struct FcDataHeader *header, const guint8 *records)
{
    Piece piece = {.slots = header->count, .generation = header->generation};
    if (header->count == 0)
        return;
    passed(thread, header->sequence);
    fc_thread_retry(thread);
    struct FcRecord *copy = g_new(struct FcRecord, header->count);
    memcpy(copy, records, header->count * sizeof *copy);
    piece.records = copy;
    if (fc_thread_is_held_back(thread))
    {
        hold_back(thread, &piece);
        return;
    }
    read_behind_gaps(thread, &piece);
    thread->gaps += piece.slots - piece.at; /* a copy will never be completed */
    g_free(copy);
}

void fc_thread_retry(FcThread *thread)
{
    Piece *piece;
    while ((piece = g_queue_peek_head(thread->pending)) != NULL && read_piece(thread, piece))
    {
        if (piece->index != 0)
            fc_shared_free(thread->shared, piece->index);
        piece_free(g_queue_pop_head(thread->pending));
    }
}

void fc_thread_give_up(FcThread *thread, gboolean may_write)
{
    Piece *piece;
    while ((piece = g_queue_pop_head(thread->pending)) != NULL)
    {
        gboolean whole = read_piece(thread, piece);
        read_behind_gaps(thread, piece);
        thread->gaps += piece->slots - piece->at;
        if (piece->index != 0 && (whole || !may_write))
            fc_shared_free(thread->shared, piece->index);
        else if (piece->index != 0)
            g_array_append_val(thread->quarantine, piece->index);
        piece_free(piece);
    }
}

void fc_thread_scan(FcThread *thread, const FcChunkView *view)
{
    Piece piece = {view->index, first_unread(thread, view->sequence, FC_CHUNK_RECORDS),
                   FC_CHUNK_RECORDS, view->generation, view->records};
    read_behind_gaps(thread, &piece);
}

/* ---- Reading ahead ---------------------------------------------------------------- */

/* A record behind a gap follows closely. */
#define GAP_MAX 8u

static gboolean has_gap_at(const Piece *piece)
{
    for (guint32 i = piece->at + 1; i < piece->slots && i <= piece->at + GAP_MAX; i++)
        if (is_there(piece, i))
            return TRUE;
    return FALSE;
}

/* The first slot from piece->at on whose record is not there or later than `time`. */
static guint32 find_time(const Piece *piece, guint64 time)
{
    guint32 at = piece->at;
    while (at < piece->slots && is_there(piece, at) &&
           __atomic_load_n(&piece->records[at].time, __ATOMIC_RELAXED) <= time)
        at++;
    return at;
}

FcThreadAhead fc_thread_read_ahead(FcThread *thread, const FcChunkView *view, guint64 time)
{
    gint32 ahead = (gint32)(thread->next_sequence - view->sequence);
    if (ahead > 0)
        return FC_THREAD_GO_ON;
    if (ahead < 0 || fc_thread_is_held_back(thread))
        return FC_THREAD_MISSING;
    Piece piece = {view->index, thread->next_slot, FC_CHUNK_RECORDS, view->generation,
                   view->records};
    guint32 whole = piece.slots;
    piece.slots = find_time(&piece, time);
    gboolean had_all = piece.slots < whole && !is_there(&piece, piece.slots);
    if (!read_piece(thread, &piece))
        return FC_THREAD_MISSING; /* scribbled over just now */
    thread->next_slot = piece.at;
    if (piece.at == whole)
    {
        passed(thread, view->sequence);
        return FC_THREAD_GO_ON;
    }
    piece.slots = whole;
    if (had_all && has_gap_at(&piece))
        return FC_THREAD_MISSING;
    return FC_THREAD_STOP;
}

void fc_thread_release(FcThread *thread)
{
    for (guint i = 0; i < thread->quarantine->len; i++)
        fc_shared_free(thread->shared, g_array_index(thread->quarantine, guint32, i));
    g_array_set_size(thread->quarantine, 0);
}
