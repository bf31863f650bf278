/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One profiled process: its threads, modules and sums.  Owned by session.c, which hands
 * it the messages that concern it; output.c turns it into a profile.  Does no input or
 * output of its own.
 */
#pragma once

#include "fcmanager/base/clock.h"
#include "fcmanager/heap/live.h"
#include "fcmanager/stack/thread.h"
#include "fcmanager/stream/decode.h"
#include "fcmanager/stream/shared.h"

/* What all processes of a session have in common. */
typedef struct
{
    FcClock clock;
    FcSharedMap *shared;  /* NULL: transport `pipe` */
    FcObserver *observer; /* NULL: none */
    enum FcProfileMode profile_mode;
    FcCountsSizes sizes;        /* for a process's first thread */
    guint32 node_limit;         /* contexts of all counts; 0: the default */
    guint32 *contexts_in_use;   /* of all processes; owned by the session */
    gboolean memory;            /* memory is profiled */
    guint32 slowest;            /* calls of each function that are kept */
    gboolean latency;           /* how long calls took is kept by arc */
    guint32 memory_blocks;      /* first size of that table */
    guint32 memory_frames;      /* kept of a block's stack in the lists of version 3.0 */
    FcTraceRoom *trace_room;    /* of all processes; owned by the session */
    const char *filter;         /* FC_FILTER, where it is in use; else NULL */
    guint32 depth;              /* FC_DEPTH; 0: not set */
    struct FcOverhead overhead; /* as the first process measured them; all 0: not known */
} FcProcessSetup;

/* A thread that is done: times in ticks, function numbers those of the sums it was merged into. */
typedef struct
{
    gint64 tid;
    guint32 number;
    char *name; /* owned */
    guint64 start_time;
    guint64 end_time;
    guint64 calls;
    gboolean ended;
    FcStackOff off;
    GArray *functions; /* FcProfileThreadFunction, times in ticks; owned */
    GArray *arcs;      /* FcProfileThreadArc, likewise; NULL: not kept */
    GArray *stack;     /* FcProfileFrame; owned */
    FcTrace *trace;    /* owned; NULL: none */
} FcThreadResult;

/* THREAD mode: a thread that is done, with its own counts, until session-files.c has written its
 * file. */
typedef struct
{
    FcThreadResult result; /* without functions and stack */
    FcCounts *counts;      /* owned */
    gboolean was_last;     /* no other thread was alive */
    GArray *repairs;       /* FcProfileNote: what was noted since the thread before was done */
    GArray *losses;
} FcThreadDone;

typedef struct
{
    const FcProcessSetup *setup;
    guint64 key;
    guint order; /* of the hellos, from 0 */
    struct FcHello hello;
    guint64 run_from; /* ticks: libfc's start is over */
    guint64 end_time; /* ticks, of the last event; good once finished */
    gint64 end_realtime_ns;
    gboolean finished;       /* all records were taken; later ones are ignored */
    FcModules *modules;      /* owned */
    FcRegions *regions;      /* owned: stacks beside the threads' own */
    FcHeap *heap;            /* owned; NULL: memory is not profiled */
    FcHeapOrder *heap_order; /* owned: the way to it; NULL likewise */
    FcLive *live;            /* owned: what libfc could look through at the end; NULL: nothing */
    guint sampling_rounds;   /* of process-waits.c: how often it looked, of many threads */
    FcHeapThread *late;      /* owned: records of threads that are gone; NULL: none yet */
    FcCounts *counts;        /* owned: sums of the threads that are done */
    GHashTable *threads;     /* number -> FcThread, owned: those that are not */
    GArray *results;         /* FcThreadResult */
    guint result_budget;     /* what may still go into the results, */
    guint arc_budget;        /* and so many arcs */
    GArray *done;            /* FcThreadDone, for session-files.c; empty but in THREAD mode */
    char *executable;
    char *directory;
    GStrv command_line;
    FcProfileEnd end;
    gint end_value;
    gboolean executing; /* FC_MSG_EXEC came, and not that it failed */
    guint64 exec_time;
    guint32 exec_thread;
    struct FcOverhead overhead; /* of a call; all 0: not measured */
    GArray *repairs;            /* FcProfileNote */
    GArray *losses;
} FcProcess;

/* `setup` must outlive it.  `parent`, that it was forked from, gives it its modules and texts;
 * NULL: none, or not known. */
FcProcess *fc_process_new(const FcProcessSetup *setup, guint64 key, const struct FcHello *hello,
                          const FcProcess *parent);
void fc_process_free(FcProcess *process);
/* Keeps of a finished process only what a child may inherit. */
void fc_process_shrink(FcProcess *process);

/* The living thread of that number, from 1; made where there is none. */
FcThread *fc_process_thread(FcProcess *process, guint32 number);
/* It ended at `time`: takes what is left of its records and adds it to the sums. */
void fc_process_end_thread(FcProcess *process, guint32 number, guint64 time);

/* Whether the kernel can be asked about its threads, by the numbers that we know, and says what
 * their times off the CPU want. */
gboolean fc_process_is_in_proc(const FcProcess *process);

/* Its threads are at other code than ours from here on, or, as that failed, are not. */
void fc_process_pause_sampling(FcProcess *process, gboolean pauses);

/* Adds `count` to the repairs or losses `notes`, if it is not 0. */
void fc_process_note(GArray *notes, const char *kind, guint64 count);

/* The stack of a thread that is about to fork, as far as it went: outermost first; the caller
 * unrefs the array of FcOpenFrame. */
GArray *fc_process_fork(FcProcess *process, guint32 thread);
/* What the forked process begins with; `parent` may be gone: NULL. */
void fc_process_adopt(FcProcess *process, const FcProcess *parent, const GArray *frames);
/* Takes what is left of its records, closes the open frames at `time` (ticks) and sums up.
 * `time` 0: each thread's frames end at its last event.  Where each thread has its own clock (cpu,
 * sys) `time` holds for `thread` only.  `dead`: nobody writes to the chunks any more and they are
 * freed. */
void fc_process_finish(FcProcess *process, guint64 time, guint32 thread, gboolean dead);
