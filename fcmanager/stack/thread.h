/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One thread of a profiled process: takes its chunks in order, keeps records that follow a gap
 * until that is filled, and feeds its stack.  Owned by process.c.
 *
 * A gap is units that were taken but not filled: a signal handler interrupted a hook there and
 * recorded as well.  The hook fills them when the handler returns.
 */
#pragma once

#include "fcmanager/base/spill.h"
#include "fcmanager/estimate/entry-counts.h"
#include "fcmanager/estimate/observe.h"
#include "fcmanager/estimate/overhead.h"
#include "fcmanager/stack/stack.h"
#include "fcmanager/stream/shared.h"

typedef struct
{
    guint32 number;          /* within the process, from 1 */
    gint64 tid;              /* 0: not known */
    char *name;              /* owned; NULL: not known */
    gboolean has_label;      /* the program gave that name, which stays */
    guint64 start_time;      /* ticks; 0: not known */
    FcCounts *counts;        /* owned */
    FcStack *stack;          /* owned */
    GQueue *pending;         /* records that wait for earlier ones, oldest first */
    GArray *quarantine;      /* chunks with gaps that were given up and may still be filled */
    GArray *count_chunks;    /* FcChunkView: the chunks that it counts in */
    GArray *entry_chunks;    /* FcChunkView: those with its counters of entries */
    GArray *entry_counters;  /* FcEntryCounters: in these */
    FcPcSampled *pc_sampled; /* NULL: it is not known where it executes */
    gboolean is_not_sampled; /* as the kernel does not allow it */
    FcWatched *watched;      /* NULL: it is not sampled */
    GArray *unwatched; /* fc_stack_busy_so_far when sampling began or should have; NULL: it is not
                          sampled */
    GHashTable *kept;  /* fc_thread_keep_places: counter -> pair + 1; NULL: none yet */
    FcSpill *spill;    /* owned: copies of records that wait; NULL: none yet */
    guint64 gaps;      /* records given up */
    gint64 asked_us;   /* when it was sampled last, waiting or not; 0: never */
    guint64 sampled_ahead; /* what fc_proc_thread_read last said, in ns */
    guint64 sampled_time;  /* and when, in ticks; 0: never */
    gboolean is_private;   /* its latest records are in memory that dies with the process */
    FcSharedMap *shared;   /* NULL: none */
    FcHeapThread *heap;    /* owned; NULL: memory is not profiled */
    guint32 next_sequence; /* of the chunk that the next record is in */
    guint32 next_unit;     /* and the unit where it is, beyond what was read ahead */
} FcThread;

FcThread *fc_thread_new(guint32 number, FcCounts *counts, FcStack *stack, FcSharedMap *shared);
void fc_thread_free(FcThread *thread);

/* Takes over `view`, which was taken from the shared memory.  Reads the records that begin in
 * its first `starts` units, and gives it back now, or when its gaps are filled. */
void fc_thread_take_chunk(FcThread *thread, const FcChunkView *view, guint32 starts);
/* Takes records that came through the pipe, and copies them. */
void fc_thread_take_data(FcThread *thread, const struct FcDataHeader *header, const guint8 *units);

gboolean fc_thread_has_pending(const FcThread *thread);
/* The open frames as in fc_stack_open_frames, after the records that wait. */
GArray *fc_thread_open_frames(FcThread *thread);
/* Checks whether gaps were filled. */
void fc_thread_retry(FcThread *thread);
/* Reads on after the gaps.  `may_write`: the thread may still fill them, so the chunks must not
 * be used again before fc_thread_release. */
void fc_thread_give_up(FcThread *thread, gboolean may_write);
/* Reads every record that is there in a chunk whose use may go on.  Frees nothing. */
void fc_thread_scan(FcThread *thread, const FcChunkView *view);

typedef enum
{
    FC_THREAD_GO_ON,   /* the chunk was read to its end: the next one may be read */
    FC_THREAD_STOP,    /* the rest is later, or was not made yet */
    FC_THREAD_MISSING, /* records may be missing: a gap, or a chunk that was not passed yet */
} FcThreadAhead;

/* Reads what the thread, which goes on, has put into `view` up to `time`, before it gives the
 * chunk away. */
FcThreadAhead fc_thread_read_ahead(FcThread *thread, const FcChunkView *view, guint64 time);
/* The thread counts in `view`. */
void fc_thread_add_counts(FcThread *thread, const FcChunkView *view);
/* The thread has counters of entries in `view`, which the manager has taken. */
void fc_thread_add_entries(FcThread *thread, const FcChunkView *view);
/* That chunk; NULL: the thread has no such one. */
const FcChunkView *fc_thread_entry_chunk(const FcThread *thread, guint32 index);
/* The stack is closed: adds what its entries counted, and its samples.  Behind fc_thread_finalize,
 * as no hooks are in these times. */
void fc_thread_sum_entries(FcThread *thread, FcEntries *entries, double ticks_per_ns,
                           gboolean ended);
/* The thread of process `pid` is sampled from here on. */
void fc_thread_watch(FcThread *thread, FcObserver *observer, const guint64 *beacon, gint pid);
/* What was at the addresses [start, end) before `time` will soon not be known any more: finds
 * out to which functions and sites counters from that time belong. */
void fc_thread_keep_places(FcThread *thread, guint64 start, guint64 end, guint64 time);
/* The stack is closed and the thread is done: adds what it counted to its counts, and subtracts
 * the overhead `costs`.  `ended`: it does not write to the chunks any more. */
void fc_thread_finalize(FcThread *thread, gboolean ended, const FcCallOverhead *costs);

/* Gives back the chunks that were kept from further use: the thread does not write any more. */
void fc_thread_release(FcThread *thread);
