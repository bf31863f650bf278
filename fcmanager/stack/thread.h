/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One thread of a profiled process: takes its chunks in order, holds back what stands
 * behind a gap until that is filled, and feeds its stack.  Owned by process.c.
 *
 * A gap is a slot that was reserved but not written: a hook was interrupted there by a
 * signal handler that recorded as well, and will write it when the handler returns.
 */
#pragma once

#include "fcmanager/base/spill.h"
#include "fcmanager/estimate/costs.h"
#include "fcmanager/estimate/observe.h"
#include "fcmanager/stack/stack.h"
#include "fcmanager/stream/shared.h"

typedef struct
{
    guint32 number;        /* within the process, from 1 */
    gint64 tid;            /* 0: not known */
    char *name;            /* owned; NULL: not known */
    guint64 start_time;    /* ticks; 0: not known */
    FcCounts *counts;      /* owned */
    FcStack *stack;        /* owned */
    GQueue *pending;       /* what is held back, oldest first */
    GArray *quarantine;    /* chunks with gaps that were given up and may still be filled */
    GArray *count_chunks;  /* FcChunkView: where it counts */
    FcWatched *watched;    /* NULL: it is not */
    GArray *unwatched;     /* fc_stack_busy_so_far when that began or should; NULL: nobody looks */
    GHashTable *kept;      /* fc_thread_keep_places: counter -> pair + 1; NULL: none yet */
    FcSpill *spill;        /* owned; copies of what is held back; NULL: none yet */
    guint64 gaps;          /* records given up */
    guint64 sampled_ahead; /* what fc_proc_thread_read said last, in ns, */
    guint64 sampled_time;  /* and when, in ticks; 0: never */
    gboolean is_private;   /* its latest records are in memory that dies with the process */
    FcSharedMap *shared;   /* NULL: none */
    FcHeapThread *heap;    /* owned; NULL: memory is not profiled */
    guint32 next_sequence; /* of the chunk that the next record is in, */
    guint32 next_unit;     /* and where: beyond what was read ahead */
} FcThread;

FcThread *fc_thread_new(guint32 number, FcCounts *counts, FcStack *stack, FcSharedMap *shared);
void fc_thread_free(FcThread *thread);

/* Takes over `view`, which was taken from the shared memory: reads the records that begin in its
 * first `starts` units and gives it back, now or when its gaps are filled. */
void fc_thread_take_chunk(FcThread *thread, const FcChunkView *view, guint32 starts);
/* Records that came through the pipe; copied. */
void fc_thread_take_data(FcThread *thread, const struct FcDataHeader *header, const guint8 *units);

gboolean fc_thread_has_pending(const FcThread *thread);
/* The open frames, as fc_stack_open_frames has them, and what is held back makes of them. */
GArray *fc_thread_open_frames(FcThread *thread);
/* Looks whether gaps were filled. */
void fc_thread_retry(FcThread *thread);
/* Reads on behind the gaps.  `may_write`: the thread may yet fill them, so that the chunks
 * must not be used again before fc_thread_release. */
void fc_thread_give_up(FcThread *thread, gboolean may_write);
/* Reads every record there is in a chunk whose use is not known to have ended; frees nothing. */
void fc_thread_scan(FcThread *thread, const FcChunkView *view);

typedef enum
{
    FC_THREAD_GO_ON,   /* the chunk was read to its end: the next may be looked at */
    FC_THREAD_STOP,    /* the rest is later, or was not made yet */
    FC_THREAD_MISSING, /* records may be missing: a gap, or a chunk that is still under way */
} FcThreadAhead;

/* Reads what the thread, which goes on, has put into `view` up to `time`, before it gives the
 * chunk away. */
FcThreadAhead fc_thread_read_ahead(FcThread *thread, const FcChunkView *view, guint64 time);
/* The thread counts in `view`. */
void fc_thread_add_counts(FcThread *thread, const FcChunkView *view);
/* From here on is looked at: process `pid`. */
void fc_thread_watch(FcThread *thread, FcObserver *observer, const guint64 *beacon, gint pid);
/* What was at the addresses [start, end) at times before `time` will soon not be known any more:
 * finds out what the counters are of that were made then. */
void fc_thread_keep_places(FcThread *thread, guint64 start, guint64 end, guint64 time);
/* Its stack is closed and it is done: what it counted goes to its counts, and `costs` are taken off
 * them.  `ended`: it writes to the chunks no more. */
void fc_thread_finalize(FcThread *thread, gboolean ended, const FcCallCosts *costs);

/* Gives back the chunks that were kept from further use: the thread writes no more. */
void fc_thread_release(FcThread *thread);
