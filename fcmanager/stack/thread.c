/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of one thread's records: see thread.h.
 */
#include "fcmanager/stack/thread.h"

#include "fcmanager/counts/waits.h"
#include "fcmanager/estimate/counted-attribute.h"

#include <string.h>

/* When so many pieces wait behind a gap, it is given up.  They have 16 million calls of the signal
 * handler and 1 GiB.  A handler that never returns must not take all memory. */
#define PENDING_MAX 16384

typedef struct
{
    guint32 index;  /* of the chunk; 0: a copy */
    guint32 at;     /* unit of the next record to be read; from `starts` on: all were read */
    guint32 starts; /* records begin in so many units; one more can be read */
    guint32 generation;
    const struct FcUnit *units; /* in the chunk, or owned; NULL: in thread->spill */
    guint64 spilled_at;         /* the position in thread->spill */
} Piece;

/* Frees a piece that was not loaded. */
static void piece_free(Piece *piece)
{
    if (piece->index == 0)
        g_free((gpointer)piece->units);
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
    thread->quarantine = g_array_new(FALSE, FALSE, sizeof(Piece));
    thread->count_chunks = g_array_new(FALSE, FALSE, sizeof(FcChunkView));
    thread->entry_chunks = g_array_new(FALSE, FALSE, sizeof(FcChunkView));
    thread->entry_counters = g_array_new(FALSE, FALSE, sizeof(FcEntryCounters));
    return thread;
}

void fc_thread_free(FcThread *thread)
{
    if (!thread)
        return;
    g_queue_free_full(thread->pending, (GDestroyNotify)piece_free);
    g_array_unref(thread->quarantine);
    g_array_unref(thread->count_chunks);
    g_array_unref(thread->entry_chunks);
    g_array_unref(thread->entry_counters);
    if (thread->pc_sampled)
        fc_pc_sampler_end(thread->pc_sampled, NULL);
    if (thread->watched)
        fc_observer_end(thread->watched, NULL);
    g_clear_pointer(&thread->unwatched, g_array_unref);
    g_clear_pointer(&thread->kept, g_hash_table_unref);
    fc_spill_free(thread->spill);
    fc_stack_free(thread->stack);
    fc_heap_thread_free(thread->heap);
    fc_counts_free(thread->counts);
    g_free(thread->name);
    g_free(thread);
}

gboolean fc_thread_has_pending(const FcThread *thread)
{
    return !g_queue_is_empty(thread->pending);
}

/* Makes the records of a waiting piece readable, until the next piece is loaded. */
static void load(FcThread *thread, Piece *piece)
{
    if (!piece->units)
        piece->units = fc_spill_get(thread->spill, piece->spilled_at, piece->starts + 1);
}

/* A copy of the piece, which does not need the chunk.  All its records must be there. */
static Piece copy_of(FcThread *thread, const Piece *piece)
{
    Piece copy = *piece;
    copy.index = 0;
    copy.units = NULL;
    if (!thread->spill)
        thread->spill = fc_spill_new();
    if (!fc_spill_put(thread->spill, piece->units, piece->starts + 1, &copy.spilled_at))
        copy.units = g_memdup2(piece->units, (piece->starts + 1) * sizeof *piece->units);
    return copy;
}

/* Reads the piece up to the first gap.  TRUE: it was read to its end. */
static gboolean read_piece(FcThread *thread, Piece *piece)
{
    piece->at =
        fc_stack_feed(thread->stack, piece->units, piece->at, piece->starts, piece->generation);
    return piece->at >= piece->starts;
}

/* How many units the record at `at` has; 0: it is not there. */
static guint32 units_at(const Piece *piece, guint32 at)
{
    return fc_record_units(&piece->units[at], piece->generation);
}

/* The least number of records that are missing in a gap of so many units. */
static guint64 missing_in(guint32 units)
{
    return (units + FC_RECORD_UNITS - 1) / FC_RECORD_UNITS;
}

/* Reads the whole piece, counting what is missing between or before other records. */
static void read_behind_gaps(FcThread *thread, Piece *piece)
{
    while (!read_piece(thread, piece))
    {
        guint32 next = piece->at;
        while (next < piece->starts && units_at(piece, next) == 0)
            next++;
        if (next == piece->starts)
            return;
        thread->gaps += missing_in(next - piece->at);
        piece->at = next;
    }
}

static gboolean is_whole(const Piece *piece)
{
    return fc_records_are_whole(piece->units, piece->at, piece->starts, piece->generation);
}

/* Counts the records that were not read as lost. */
static void count_missing(FcThread *thread, const Piece *piece)
{
    if (piece->at < piece->starts)
        thread->gaps += missing_in(piece->starts - piece->at);
}

/* Frees a piece that was loaded. */
static void forget(FcThread *thread, Piece *piece)
{
    if (piece->index == 0 && thread->spill && fc_spill_owns(thread->spill, piece->units))
        piece->units = NULL;
    piece_free(piece);
    if (thread->spill && g_queue_is_empty(thread->pending))
        fc_spill_empty(thread->spill);
}

static void hold_back(FcThread *thread, const Piece *piece)
{
    g_queue_push_tail(thread->pending, g_memdup2(piece, sizeof *piece));
    if (g_queue_get_length(thread->pending) > PENDING_MAX)
        fc_thread_give_up(thread, TRUE);
}

/* The first unit of chunk `sequence` that was not read ahead. */
static guint32 first_unread(const FcThread *thread, guint32 sequence, guint32 starts)
{
    gint32 ahead = (gint32)(thread->next_sequence - sequence);
    if (ahead > 0)
        return starts;
    return ahead == 0 ? MIN(thread->next_unit, starts) : 0;
}

static void passed(FcThread *thread, guint32 sequence)
{
    thread->next_sequence = sequence + 1;
    thread->next_unit = 0;
}

void fc_thread_take_chunk(FcThread *thread, const FcChunkView *view, guint32 starts)
{
    starts = MIN(starts, FC_CHUNK_STARTS);
    Piece piece = {view->index, first_unread(thread, view->sequence, starts), starts,
                   view->generation, view->units};
    if ((gint32)(thread->next_sequence - view->sequence) <= 0)
        passed(thread, view->sequence);
    fc_thread_retry(thread);
    if (!fc_thread_has_pending(thread))
    {
        if (read_piece(thread, &piece))
            fc_shared_free(thread->shared, view->index);
        else
            hold_back(thread, &piece);
        return;
    }
    /* Free a chunk without gaps at once: the thread may be waiting for a free one. */
    if (is_whole(&piece))
    {
        piece = copy_of(thread, &piece);
        fc_shared_free(thread->shared, view->index);
    }
    hold_back(thread, &piece);
}

void fc_thread_take_data(FcThread *thread, const struct FcDataHeader *header, const guint8 *units)
{
    Piece piece = {.starts = header->count, .generation = header->generation};
    if (header->count == 0)
        return;
    passed(thread, header->sequence);
    fc_thread_retry(thread);
    g_autofree struct FcUnit *aligned = g_new(struct FcUnit, header->count + 1);
    memcpy(aligned, units, (header->count + 1) * sizeof *aligned);
    piece.units = aligned;
    if (fc_thread_has_pending(thread))
    {
        piece = copy_of(thread, &piece);
        hold_back(thread, &piece);
        return;
    }
    read_behind_gaps(thread, &piece);
    count_missing(thread, &piece); /* a copy will never be completed */
}

/* Takes the call-site numbers of records that were given up and may be complete by now, since later
 * records use them. */
static void learn_sites(FcThread *thread)
{
    for (guint i = 0; i < thread->quarantine->len; i++)
    {
        const Piece *piece = &g_array_index(thread->quarantine, Piece, i);
        fc_stack_learn_sites(thread->stack, piece->units, piece->at, piece->starts,
                             piece->generation);
    }
}

/* Frees chunks whose gaps were given up but have been filled since: nothing writes to them any
 * more. */
static void free_completed(FcThread *thread)
{
    for (guint i = thread->quarantine->len; i > 0; i--)
    {
        const Piece *piece = &g_array_index(thread->quarantine, Piece, i - 1);
        if (!is_whole(piece))
            continue;
        fc_shared_free(thread->shared, piece->index);
        g_array_remove_index_fast(thread->quarantine, i - 1);
    }
}

void fc_thread_retry(FcThread *thread)
{
    Piece *piece;
    learn_sites(thread);
    free_completed(thread);
    while ((piece = g_queue_peek_head(thread->pending)))
    {
        load(thread, piece);
        if (!read_piece(thread, piece))
            return;
        if (piece->index != 0)
            fc_shared_free(thread->shared, piece->index);
        forget(thread, g_queue_pop_head(thread->pending));
    }
}

GArray *fc_thread_open_frames(FcThread *thread)
{
    fc_thread_retry(thread);
    GArray *open = fc_stack_open_frames(thread->stack);
    for (const GList *at = thread->pending->head; at; at = at->next)
    {
        Piece piece = *(const Piece *)at->data;
        load(thread, &piece);
        fc_stack_open_ahead(thread->stack, piece.units, piece.at, piece.starts, piece.generation,
                            open);
    }
    return open;
}

void fc_thread_give_up(FcThread *thread, gboolean may_write)
{
    Piece *piece;
    learn_sites(thread);
    while ((piece = g_queue_pop_head(thread->pending)))
    {
        load(thread, piece);
        const Piece unread = *piece;
        gboolean whole = read_piece(thread, piece);
        read_behind_gaps(thread, piece);
        count_missing(thread, piece);
        if (piece->index != 0 && (whole || !may_write))
            fc_shared_free(thread->shared, piece->index);
        else if (piece->index != 0)
            g_array_append_val(thread->quarantine, unread);
        forget(thread, piece);
    }
}

void fc_thread_scan(FcThread *thread, const FcChunkView *view)
{
    Piece piece = {view->index, first_unread(thread, view->sequence, FC_CHUNK_STARTS),
                   FC_CHUNK_STARTS, view->generation, view->units};
    learn_sites(thread);
    read_behind_gaps(thread, &piece);
}

/* ---- Reading ahead ---------------------------------------------------------------- */

/* The most records that a gap is taken to have. */
#define GAP_MAX 8u

static gboolean has_gap_at(const Piece *piece)
{
    for (guint32 i = piece->at + 1; i < piece->starts && i <= piece->at + GAP_MAX * FC_RECORD_UNITS;
         i++)
        if (units_at(piece, i) != 0)
            return TRUE;
    return FALSE;
}

/* The unit of the first record from piece->at on that is not there or is later than `time`.  The
 * record before piece->at was at `last`. */
static guint32 find_time(const Piece *piece, guint64 last, guint64 time)
{
    guint32 at = piece->at;
    while (at < piece->starts)
    {
        const guint32 units = units_at(piece, at);
        guint64 found = __atomic_load_n(&piece->units[at].last, __ATOMIC_RELAXED);
        if (units == 1)
            found = fc_record_time(found, last);
        if (units == 0 || found > time)
            break;
        last = MAX(last, found);
        at += units;
    }
    return at;
}

FcThreadAhead fc_thread_read_ahead(FcThread *thread, const FcChunkView *view, guint64 time)
{
    gint32 ahead = (gint32)(thread->next_sequence - view->sequence);
    if (ahead > 0)
        return FC_THREAD_GO_ON;
    if (ahead < 0 || fc_thread_has_pending(thread))
        return FC_THREAD_MISSING;
    Piece piece = {view->index, thread->next_unit, FC_CHUNK_STARTS, view->generation, view->units};
    guint32 whole = piece.starts;
    learn_sites(thread);
    piece.starts = find_time(&piece, fc_stack_last_time(thread->stack), time);
    gboolean had_all = piece.starts < whole && units_at(&piece, piece.starts) == 0;
    if (!read_piece(thread, &piece))
        return FC_THREAD_MISSING; /* the program overwrote a record just now */
    thread->next_unit = piece.at;
    if (piece.at >= whole)
    {
        passed(thread, view->sequence);
        return FC_THREAD_GO_ON;
    }
    piece.starts = whole;
    if (had_all && has_gap_at(&piece))
        return FC_THREAD_MISSING;
    return FC_THREAD_STOP;
}

void fc_thread_release(FcThread *thread)
{
    for (guint i = 0; i < thread->quarantine->len; i++)
        fc_shared_free(thread->shared, g_array_index(thread->quarantine, Piece, i).index);
    g_array_set_size(thread->quarantine, 0);
}

/* ---- What it counted --------------------------------------------------------------- */

void fc_thread_add_counts(FcThread *thread, const FcChunkView *view)
{
    g_array_append_val(thread->count_chunks, *view);
}

/* The contents of a program's counter, read once. */
typedef struct
{
    guint64 function; /* 0: it is not in use */
    guint64 site;
    guint64 time;
    guint64 calls;
    gboolean deep;
    gboolean is_after_inlining;
} Counter;

static Counter read_counter(const struct FcCount *count)
{
    /* acquire: pairs with the release that completes the counter */
    const guint64 marked = __atomic_load_n(&count->function, __ATOMIC_ACQUIRE);
    return (Counter){.function = marked & FC_POINTER_MASK,
                     .site = __atomic_load_n(&count->site, __ATOMIC_RELAXED) & FC_SITE_ADDRESS_MASK,
                     .time = __atomic_load_n(&count->time, __ATOMIC_RELAXED),
                     .calls = fc_count_calls(__atomic_load_n(&count->word, __ATOMIC_RELAXED)),
                     .deep = (marked & FC_COUNT_DEEP) != 0,
                     .is_after_inlining = (marked & FC_FUNCTION_AFTER_INLINING) != 0};
}

void fc_thread_watch(FcThread *thread, FcObserver *observer, const guint64 *current_word, gint pid)
{
    thread->watched = fc_observer_watch(observer, current_word, pid, thread->tid);
    g_clear_pointer(&thread->unwatched, g_array_unref);
    thread->unwatched = fc_stack_busy_so_far(thread->stack);
}

static void keep_place(FcThread *thread, const struct FcCount *count, guint64 start, guint64 end,
                       guint64 time)
{
    const Counter counter = read_counter(count);
    const gboolean is_within =
        counter.function - start < end - start || counter.site - start < end - start;
    if (counter.function == 0 || !is_within || counter.time >= time)
        return;
    if (!thread->kept)
        thread->kept = g_hash_table_new(NULL, NULL);
    if (g_hash_table_contains(thread->kept, count))
        return;
    const guint32 pair = fc_counted_find(fc_stack_counted(thread->stack), counter.site,
                                         counter.function, counter.time);
    g_hash_table_insert(thread->kept, (gpointer)count, GUINT_TO_POINTER(pair + 1));
}

void fc_thread_keep_places(FcThread *thread, guint64 start, guint64 end, guint64 time)
{
    for (guint i = 0; i < thread->count_chunks->len; i++)
    {
        const FcChunkView *view = &g_array_index(thread->count_chunks, FcChunkView, i);
        for (guint32 slot = 0; slot < FC_CHUNK_COUNTS; slot++)
            keep_place(thread, &view->counts[slot], start, end, time);
    }
}

static void read_counts(FcThread *thread, const FcChunkView *view)
{
    for (guint32 i = 0; i < FC_CHUNK_COUNTS; i++)
    {
        const Counter counter = read_counter(&view->counts[i]);
        if (counter.function == 0)
            continue;
        FcCounted *counted = fc_stack_counted(thread->stack);
        const guint kept =
            thread->kept ? GPOINTER_TO_UINT(g_hash_table_lookup(thread->kept, &view->counts[i]))
                         : 0;
        const guint32 pair =
            kept != 0 ? kept - 1
                      : fc_counted_find(counted, counter.site, counter.function, counter.time);
        const guint32 function = fc_counted_add(counted, pair, counter.calls, counter.deep);
        thread->counts->functions[function].is_after_inlining |= counter.is_after_inlining;
    }
}

/* ---- Counters of entries ----------------------------------------------------------- */

void fc_thread_add_entries(FcThread *thread, const FcChunkView *view)
{
    g_array_append_val(thread->entry_chunks, *view);
}

const FcChunkView *fc_thread_entry_chunk(const FcThread *thread, guint32 index)
{
    for (guint i = 0; i < thread->entry_chunks->len; i++)
        if (g_array_index(thread->entry_chunks, FcChunkView, i).index == index)
            return &g_array_index(thread->entry_chunks, FcChunkView, i);
    return NULL;
}

/* The ticks that a ns of the samples stands for, if all of them are to be at most `most` ticks: a
 * thread that ran less than its only sample stands for has no more time than that. */
static double ticks_of_samples(const FcPcSamples *seen, double ticks_per_ns, guint64 most)
{
    return seen->ns * ticks_per_ns > (double)most ? (double)most / seen->ns : ticks_per_ns;
}

/* Adds the waits that the kernel told, as far as the thread did not execute. */
static void add_waits(FcStackOff *off, const FcPcSamples *seen, double ticks_per_ns,
                      guint64 most_ticks)
{
    const double most = MAX(0, (double)most_ticks - seen->ns * ticks_per_ns);
    if (!seen->has_waits)
        return;
    off->seen = MAX(off->seen, FC_WAITS_SEEN);
    off->off = MAX(off->off, (guint64)MIN((double)seen->wait_ns * ticks_per_ns, most));
    off->preempted =
        MAX(off->preempted, MIN((guint64)((double)seen->preempted_ns * ticks_per_ns), off->off));
}

void fc_thread_sum_entries(FcThread *thread, FcEntries *entries, double ticks_per_ns,
                           guint64 most_ticks, gboolean ended, FcStackOff *off)
{
    FcPcSamples seen;
    const gboolean is_sampled = thread->pc_sampled != NULL;
    if (is_sampled)
        fc_pc_sampler_end(g_steal_pointer(&thread->pc_sampled), &seen);
    fc_entry_counts_add(thread->counts, entries, thread->entry_counters, is_sampled ? &seen : NULL,
                        is_sampled ? ticks_of_samples(&seen, ticks_per_ns, most_ticks) : 0);
    if (is_sampled)
    {
        add_waits(off, &seen, ticks_per_ns, most_ticks);
        g_ptr_array_unref(seen.stacks);
    }
    for (guint i = 0; ended && i < thread->entry_chunks->len; i++)
        fc_shared_free(thread->shared, g_array_index(thread->entry_chunks, FcChunkView, i).index);
    g_array_set_size(thread->entry_chunks, 0);
    g_array_set_size(thread->entry_counters, 0);
}

/* ---- The end ----------------------------------------------------------------------- */

/* The ticks of the thread's run in which no frame was open. */
static guint64 time_outside(const FcThread *thread)
{
    const FcCounts *counts = thread->counts;
    guint64 first = fc_stack_first_time(thread->stack);
    guint64 last = fc_stack_last_time(thread->stack);
    guint64 inside = 0;
    if (first == FC_STACK_NO_TIME)
        return 0;
    for (guint32 i = 1; i < counts->node_count; i++)
        if (counts->nodes[i].parent == 0)
            inside += counts->nodes[i].total;
    FcStackOff off;
    fc_stack_get_off(thread->stack, &off);
    inside += off.paused;
    return last - first > inside ? last - first - inside : 0;
}

void fc_thread_finalize(FcThread *thread, gboolean ended, const FcCallOverhead *costs)
{
    FcObserved seen = {0};
    if (thread->watched)
        fc_observer_end(g_steal_pointer(&thread->watched), &seen);
    seen.before = thread->unwatched;
    fc_counts_drop_sums(thread->counts);
    fc_counts_forget_edges(thread->counts); /* the memory is needed for what follows */
    for (guint i = 0; i < thread->count_chunks->len; i++)
    {
        const FcChunkView *view = &g_array_index(thread->count_chunks, FcChunkView, i);
        read_counts(thread, view);
        if (ended)
            fc_shared_free(thread->shared, view->index);
    }
    if (fc_stack_has_counted(thread->stack))
        fc_counted_attribute(fc_stack_counted(thread->stack), time_outside(thread), costs);
    FcStackOff off;
    fc_stack_get_off(thread->stack, &off);
    fc_waits_spread(thread->counts, off.unplaced);
    fc_overhead_subtract(thread->counts, costs, &seen);
    g_clear_pointer(&seen.words, g_array_unref);
    fc_waits_bound(thread->counts);
    g_array_set_size(thread->count_chunks, 0);
}
