/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One thread of a profiled process: takes its chunks in order, keeps records that follow a gap
 * until that is filled, and feeds its stack.  Owned by process.c.
 *
 * A gap is units that a hook has reserved but not filled, because a signal handler interrupted it
 * and recorded calls of its own.  The hook fills them when the handler returns.
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
    guint64 sampled_ahead; /* the last result of fc_proc_thread_read, in ns */
    guint64 sampled_time;  /* the time of that in ticks; 0: never */
    guint64 delay_ns;      /* until its last sample it was ready so long without a CPU */
    gboolean is_private;   /* its latest records are in memory that dies with the process */
    FcSharedMap *shared;   /* NULL: none */
    FcHeapThread *heap;    /* owned; NULL: memory is not profiled */
    guint32 next_sequence; /* of the chunk that the next record is in */
    guint32 next_unit;     /* its unit in that chunk, after what was read ahead */
} FcThread;

FcThread *fc_thread_new(guint32 number, FcCounts *counts, FcStack *stack, FcSharedMap *shared);
void fc_thread_free(FcThread *thread);

/* Reads the records that begin in the first `starts` units of a chunk that was taken from the
 * shared memory, and frees the chunk now or when its gaps are filled. */
void fc_thread_take_chunk(FcThread *thread, const FcChunkView *view, guint32 starts);
/* Takes records that came through the pipe, and copies them. */
void fc_thread_take_data(FcThread *thread, const struct FcDataHeader *header, const guint8 *units);

gboolean fc_thread_has_pending(const FcThread *thread);
/* The open frames as in fc_stack_open_frames, after the records that wait. */
GArray *fc_thread_open_frames(FcThread *thread);
/* Checks whether gaps were filled. */
void fc_thread_retry(FcThread *thread);
/* Gives the gaps up and reads the records after them.  `may_write`: the thread may still fill the
 * gaps, so the chunks are not freed before fc_thread_release. */
void fc_thread_give_up(FcThread *thread, gboolean may_write);
/* Reads every record that is there in a chunk that the thread may still use.  Frees nothing. */
void fc_thread_scan(FcThread *thread, const FcChunkView *view);

typedef enum
{
    FC_THREAD_GO_ON,   /* the chunk was read to its end: the next one may be read */
    FC_THREAD_STOP,    /* the other records are later than `time`, or were not made yet */
    FC_THREAD_MISSING, /* records may be missing: there is a gap, or an earlier chunk was not read
                        */
} FcThreadAhead;

/* Reads records up to `time` from a chunk that the running thread has not given away yet. */
FcThreadAhead fc_thread_read_ahead(FcThread *thread, const FcChunkView *view, guint64 time);
/* The thread counts in `view`. */
void fc_thread_add_counts(FcThread *thread, const FcChunkView *view);
/* The thread has counters of entries in `view`, which the manager has taken. */
void fc_thread_add_entries(FcThread *thread, const FcChunkView *view);
/* That chunk; NULL: the thread has no such one. */
const FcChunkView *fc_thread_entry_chunk(const FcThread *thread, guint32 index);
/* Adds the counters of entries and the samples of the program counter to the counts.  To be called
 * after fc_thread_finalize, since these times contain no overhead of hooks.  The samples
 * stand for no more than `most_ticks`, which the thread ran.  `ended`: the thread does not write to
 * the chunks any more, so they are freed.  Adds to `off` what the kernel told of waits. */
void fc_thread_sum_entries(FcThread *thread, FcEntries *entries, double ticks_per_ns,
                           guint64 most_ticks, gboolean ended, FcStackOff *off);
/* Begins to sample the thread, which is one of process `pid`. */
void fc_thread_watch(FcThread *thread, FcObserver *observer, const guint64 *current_word, gint pid);
/* Finds out which functions and call sites in [start, end) the counters from before `time` belong
 * to.  To be called before the modules forget what was at these addresses then. */
void fc_thread_keep_places(FcThread *thread, guint64 start, guint64 end, guint64 time);
/* Adds the counted calls to the counts and subtracts the overhead `costs`.  To be called when the
 * stack is closed.  `ended`: the thread does not write to the chunks any more, so they are freed.
 */
void fc_thread_finalize(FcThread *thread, gboolean ended, const FcCallOverhead *costs);

/* Frees the chunks of gaps that were given up.  To be called when the thread does not write any
 * more. */
void fc_thread_release(FcThread *thread);
