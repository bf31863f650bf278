/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One profiled process: its threads, modules and sums.  Owned by session.c, which passes the
 * messages about it; output.c turns it into a profile.  Does no input or output of its own.
 */
#pragma once

#include "fcmanager/base/clock.h"
#include "fcmanager/base/machine.h"
#include "fcmanager/heap/live.h"
#include "fcmanager/session/proc-thread.h"
#include "fcmanager/session/wait-stack.h"
#include "fcmanager/stack/thread.h"
#include "fcmanager/stream/decode.h"
#include "fcmanager/stream/shared.h"

/* Whether something is added to a process's profile, see pauses.h. */
typedef struct
{
    gboolean is_on; /* it is paused */
    int part_fd; /* the text of a profile: while it is paused, what there was before; otherwise what
                    the pauses had; -1: nothing */
    int writer_fd; /* descriptor of the process that writes this text; -1: it is complete */
    gint64 begun_us;
    gint64 ended_us; /* the length of all earlier pauses */
} FcPauses;

/* What all processes of a session share. */
typedef struct
{
    FcClock clock;
    FcSharedMap *shared;     /* NULL: transport `pipe` */
    FcObserver *observer;    /* NULL: none */
    FcPcSampler *pc_sampler; /* NULL: none */
    enum FcProfileMode profile_mode;
    FcCountsSizes sizes;      /* for a process's first thread */
    guint32 node_limit;       /* contexts of all counts; 0: the default */
    guint32 *contexts_in_use; /* by all processes; owned by the session */
    gboolean memory;          /* memory is profiled */
    guint32 slowest;          /* slowest calls to keep of each function */
    gboolean latency;         /* latencies are kept by arc */
    guint32 memory_blocks;    /* starting size of that table */
    guint32 memory_frames;    /* frames of a block's stack in the lists of version 3.0 */
    FcTraceRoom *trace_room;  /* of all processes; owned by the session */
    const char *filter;       /* FC_FILTER, where it is in use; else NULL */
    const FcProfileJob *job;
    const FcAffinity *may_use;  /* the processors that the first process could use when it started
                                   the manager; NULL: not known.  The caller's, like the others */
    guint32 depth;              /* FC_DEPTH; 0: not set */
    struct FcOverhead overhead; /* as the first process measured them; all 0: not known */
} FcProcessSetup;

/* The result of a thread that has ended.  Times are in ticks.  Functions have their numbers in the
 * sums that the thread was merged into. */
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
    FcLanes *lanes;    /* likewise */
} FcThreadResult;

/* In THREAD mode, a thread that has ended, with its own counts.  Kept until session-files.c has
 * written its file. */
typedef struct
{
    FcThreadResult result; /* without functions and stack; owned */
    FcCounts *counts;      /* owned */
    gboolean was_last;     /* no other thread was alive then */
    GArray *repairs;       /* FcProfileNote: noted since the previous thread ended */
    GArray *losses;
} FcThreadDone;

typedef struct
{
    const FcProcessSetup *setup;
    guint64 key;
    guint order; /* the process's position in the order of hellos, from 0 */
    struct FcHello hello;
    guint64 run_from; /* ticks: when libfc had finished its start */
    guint64 end_time; /* ticks, of the last event; set when it is finished */
    gint64 end_realtime_ns;
    FcAffinity *may_use;      /* the processors that it may use; owned; NULL: not known */
    FcMachine machine_before; /* when the process was new, and when it was finished */
    FcMachine machine_after;
    gboolean finished;       /* all records were taken; later ones are ignored */
    FcModules *modules;      /* owned */
    FcRegions *regions;      /* owned: stacks beside the threads' own */
    gboolean is_timed;       /* its threads' timers send samples of where they execute */
    FcEntries *entries;      /* owned: functions whose entries are counted; NULL: none */
    GArray *home_counters;   /* FcEntryCounters: the counters of the modules themselves */
    GArray *home_chunks;     /* FcChunkView: the chunks that hold them */
    FcHeap *heap;            /* owned; NULL: memory is not profiled */
    FcHeapOrder *heap_order; /* owned: puts its events in order; NULL likewise */
    FcLive *live; /* owned: the list of live blocks, which libfc may scan at the end; NULL: none */
    FcWaitStack wait_stack; /* for the samples of its threads' waits */
    guint sampling_rounds;  /* of process-waits.c: rounds with too many threads to sample all */
    FcHeapThread *late;     /* owned: for records of threads that have ended; NULL: none yet */
    FcCounts *counts;       /* owned: sums of the threads that have ended */
    const struct FcMpiTable *mpi; /* figures of MPI, in a chunk; NULL: none */
    struct FcMpiTable *mpi_copy;  /* owned: as they were at the end of the process, or were sent;
                                     NULL  likewise */
    GHashTable *threads;          /* number -> FcThread, owned: the living threads */
    GArray *results;              /* FcThreadResult */
    guint result_budget;          /* how many functions and frames `results` may still take */
    guint arc_budget;             /* how many arcs it may still take */
    guint ended_results;          /* how many of `results` are of threads that ended before the
                                     process, and how many of these have arcs */
    guint ended_with_arcs;
    GArray *done; /* FcThreadDone, for session-files.c; empty except in THREAD mode */
    char *executable;
    char *directory;
    GStrv command_line;
    FcProfileEnd end;
    gint end_value;
    gboolean executing; /* FC_MSG_EXEC came, and FC_MSG_EXEC_FAILED did not */
    guint64 exec_time;
    guint32 exec_thread;
    struct FcOverhead overhead; /* of a call; all 0: not measured */
    FcPauses pauses;
    GArray *repairs; /* FcProfileNote */
    GArray *losses;
} FcProcess;

/* Returns a new process; the caller frees it.  `setup` must outlive it.  `parent` is the process
 * that it was forked from, whose modules and texts it copies; NULL: none, or not known. */
FcProcess *fc_process_new(const FcProcessSetup *setup, guint64 key, const struct FcHello *hello,
                          const FcProcess *parent);
void fc_process_free(FcProcess *process);
/* Frees a finished process except for what a child may inherit. */
void fc_process_shrink(FcProcess *process);

/* Returns the living thread with that number, from 1; makes it if there is none. */
FcThread *fc_process_thread(FcProcess *process, guint32 number);
/* The thread ended at `time`: takes the rest of its records and adds it to the sums. */
void fc_process_end_thread(FcProcess *process, guint32 number, guint64 time);

/* Whether /proc can be read for its threads by the ids that the manager knows, and tells enough to
 * know their times off the CPU. */
gboolean fc_process_is_in_proc(const FcProcess *process);

/* Asks the kernel about a thread.  `at_end`: its process ends, so a wait that is new is no one's.
 * FALSE: it does not wait, or that can't be known. */
gboolean fc_process_sample_thread(FcProcess *process, FcThread *thread, gboolean at_end,
                                  FcProcThread *found);

/* `pauses`: its threads now execute another program, so they are not sampled.  FALSE: the exec
 * failed, and sampling goes on. */
void fc_process_pause_sampling(FcProcess *process, gboolean pauses);

/* Adds `count` to the repairs or losses `notes`, unless it is 0. */
void fc_process_note(GArray *notes, const char *kind, guint64 count);

/* Returns the known stack of a thread that is about to fork, outermost frame first: an array of
 * FcOpenFrame.  The caller unrefs it. */
GArray *fc_process_fork(FcProcess *process, guint32 thread);
/* Sets what the forked process begins with.  `parent` is NULL if it is gone. */
void fc_process_adopt(FcProcess *process, const FcProcess *parent, const GArray *frames);
/* Takes the rest of the process's records, closes the open frames at `time` (ticks) and sums up.
 * If `time` is 0, each thread's frames end at its last event.  If each thread has its own clock
 * (cpu, sys), `time` is for `thread` only.  `dead`: nothing writes to the chunks any more, so they
 * are freed. */
void fc_process_finish(FcProcess *process, guint64 time, guint32 thread, gboolean dead);
