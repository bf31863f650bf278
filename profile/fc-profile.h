/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A profile as data: what fcmanager writes into a .fc file and fcdump and fcgprof load from it.
 * The model is plain, owned by one FcProfile; it knows nothing of symbols, the wire or output.
 *
 * Times are nanoseconds, sizes bytes.  Indices are positions in the arrays of
 * the same profile; FC_NONE stands for "none".
 */
#pragma once

#include "profile/histogram.h"
#include "profile/square.h"

#include <glib.h>

#define FC_NONE (-1)

/* Bucket 0 counts calls of 0 ns, bucket k those of [2^(k-1), 2^k) ns; the last
 * takes everything longer. */
#define FC_HISTOGRAM_BUCKETS 48

/* A file mapped into the process.  A library that was unloaded and loaded again
 * stands here once for each time (its load epoch). */
typedef struct
{
    char *path;     /* owned; "" where unknown */
    char *build_id; /* owned, lower-case hex; NULL where the file has none */
    guint64 base;   /* run-time address less address in the file */
    guint64 start;  /* addresses [start, end) */
    guint64 end;
    guint64 load_ns;   /* since the process's start */
    guint64 unload_ns; /* G_MAXUINT64: stayed to the end */
} FcProfileModule;

/* A place in the code.  `module` and `offset` (address less the module's base)
 * identify it across runs; `address` is where it was in this one. */
typedef struct
{
    guint64 address;
    guint64 offset; /* == address where module is FC_NONE */
    gint module;
} FcProfilePlace;

/* The times of a function, an arc or a context, of a thread or of all.  Of an arc there are no
 * local ones. */
typedef struct
{
    guint64 total_ns;      /* on the stack, counted once however often it recurses */
    guint64 local_ns;      /* total less profiled callees */
    guint64 total_cost_ns; /* instrumentation overhead, taken off total_ns; */
    guint64 local_cost_ns; /* off local_ns */
    guint64 total_wait_ns; /* the part of total_ns off the CPU: waiting, or preempted; */
    guint64 local_wait_ns; /* of local_ns */
} FcProfileTimes;

/* What a thread waits for.  Other threads have a lock that it wants; or it wants a sign of them: a
 * condition variable, a semaphore, the end of a thread. */
typedef enum
{
    FC_WAIT_LOCK,
    FC_WAIT_SIGN,
    FC_WAIT_INPUT, /* or output: of a descriptor */
    FC_WAIT_SLEEP,
    FC_WAIT_DISK,
    FC_WAIT_OTHER,
    FC_WAIT_KINDS,
} FcWaitKind;

/* Of the time off the CPU that is in a function's local time. */
typedef struct
{
    guint64 preempted_ns;           /* not of its own accord; as it was measured */
    guint64 kind_ns[FC_WAIT_KINDS]; /* for which the samples of waiting threads stand */
} FcProfileOff;

void fc_profile_add_off(FcProfileOff *to, const FcProfileOff *more);

/* The least and the most of single calls. */
typedef struct
{
    guint64 total_min_ns;
    guint64 total_max_ns;
    guint64 local_min_ns;
    guint64 local_max_ns;
} FcProfileBounds;

typedef struct
{
    FcProfilePlace place;
    guint64 calls; /* activations entered; a frame inherited at fork adds none */
    FcProfileTimes times;
    FcProfileBounds bounds; /* of completed activations; 0 where there was none */
    FcHistogram histogram;  /* of total, per activation that was timed; owned */
    guint64 counted;        /* of the calls: those that were counted, not recorded; of these */
    guint64 timed;          /* so many, a random sample, were timed */
    guint64 total_error_ns; /* standard errors of what was estimated for the others, in the total */
    guint64 local_error_ns; /* and the local time */
    FcSquare total_square;  /* of sums: what their errors are the roots of; 0: the square of that */
    FcSquare local_square;
    gboolean has_cpu_bounds;     /* the bounds of calls on the CPU are others than those of their */
    gboolean has_elapsed_bounds; /* elapsed time, and are not in `bounds`; or, of these two one at
                                    most, fc_profile_choose_time has put them there: */
    union
    {
        FcProfileBounds cpu;
        FcProfileBounds elapsed;
    };
    FcProfileOff off;
} FcProfileFunction;

/* Those of times on the CPU, and of elapsed times, whichever were chosen. */
FcProfileBounds fc_profile_cpu_bounds(const FcProfileFunction *function);
FcProfileBounds fc_profile_elapsed_bounds(const FcProfileFunction *function);

/* Calls of `callee` from one call site while `caller` was on top of the stack. */
typedef struct
{
    gint caller; /* function; FC_NONE: no profiled function was active */
    guint callee;
    FcProfilePlace site;
    guint64 calls;
    FcProfileTimes times;
    gboolean apportioned; /* calls: by estimate, those of the call site and the callee are exact */
} FcProfileArc;

/* How many of the calls by an arc that were timed took so long in total: FC_LATENCY_PARTS buckets
 * for each of a function's histogram, see latency.h. */
#define FC_LATENCY_PARTS 20u
#define FC_LATENCY_BUCKETS (FC_HISTOGRAM_BUCKETS * FC_LATENCY_PARTS)

typedef struct
{
    guint arc;
    guint bucket;
    guint64 calls;
} FcProfileLatency;

/* One of the slowest calls of a function, which are kept with FC_SLOWEST. */
typedef struct
{
    guint function;
    gint context; /* FC_NONE: not known */
    gint64 tid;
    guint64 realtime_ns; /* when it was made, since the epoch */
    guint64 total_ns;    /* as it was measured */
} FcProfileSlowCall;

/* A node of the calling-context tree; a parent precedes its children.  A
 * function that was already on the path is folded onto its ancestor's node. */
typedef struct
{
    gint parent; /* context; FC_NONE: a root */
    guint function;
    FcProfilePlace site;
    guint64 calls;
    FcProfileTimes times;
    gboolean apportioned; /* calls: by estimate, those of the function are exact */
} FcProfileContext;

/* A frame that was still open when its thread or process ended; outermost first. */
typedef struct
{
    guint function;
    FcProfilePlace site;
} FcProfileFrame;

typedef struct
{
    guint function;
    guint64 calls;
    FcProfileTimes times;
    FcProfileOff off;
} FcProfileThreadFunction;

/* What one thread has of an arc, itself an index; of all threads together it is the arc's own. */
typedef struct
{
    guint arc;
    guint64 calls;
    FcProfileTimes times;
} FcProfileThreadArc;

/* One of the last records of a thread, which are kept with FC_TRACE. */
typedef enum
{
    FC_TRACE_CALL,
    FC_TRACE_RETURN,
    FC_TRACE_OPEN, /* no record: the call had not returned when the thread or process ended */
    FC_TRACE_KINDS,
} FcTraceKind;

#define FC_TRACE_UNKNOWN G_MAXUINT64

typedef struct
{
    FcTraceKind kind;
    guint function;
    guint stack;      /* of the thread: 0 is its own, others are of coroutines and of handlers */
    guint depth;      /* there: 1 is the outermost call */
    guint64 time_ns;  /* since the process's start */
    guint64 begun_ns; /* when the call was made, or FC_TRACE_UNKNOWN */
} FcProfileTraceRecord;

/* Whether it is known how long a thread was off the CPU. */
typedef enum
{
    FC_WAITS_UNKNOWN,
    FC_WAITS_SEEN,
    FC_WAITS_COARSE, /* short times may be with functions that the thread ran later */
    FC_WAITS_COUNT,
} FcWaits;

typedef struct
{
    gint64 tid;
    char *name;       /* owned; NULL where unknown */
    guint64 start_ns; /* since the process's start */
    guint64 end_ns;
    guint64 run_ns; /* first to last event */
    guint64 calls;
    gboolean ended; /* FALSE: it was alive when the process ended */
    FcWaits waits;
    guint64 wait_ns;      /* off the CPU, also in no function; */
    guint64 preempted_ns; /* of it not of its own accord */
    guint64 manager_ns;   /* libfc was at work, or waited for fcmanager: in no function's time */
    GArray *functions;    /* of FcProfileThreadFunction, owned; may be empty */
    GArray *arcs;         /* of FcProfileThreadArc, owned; NULL: not known */
    GArray *stack;        /* of FcProfileFrame, owned: open at the end */
    GArray *trace;        /* of FcProfileTraceRecord in order of time, owned; NULL: none */
    guint64 trace_all;    /* so many records there were, of which the last are in `trace` */
} FcProfileThread;

#define FC_PROFILE_COSTS 4

typedef enum
{
    FC_END_UNKNOWN,
    FC_END_EXIT,    /* end_value: status */
    FC_END_SIGNAL,  /* end_value: signal number */
    FC_END_EXEC,    /* replaced by another image */
    FC_END_RUNNING, /* a snapshot: it went on */
} FcProfileEnd;

/* A block of memory that was never freed, or the invalid pointer of a bad free or
 * realloc.  These are the three last lists of version 3.0: addresses only. */
typedef struct
{
    guint64 pointer;
    guint64 size_bytes;   /* leaks only: as first allocated */
    guint64 site;         /* of the allocation, the free or the realloc */
    guint64 realloc_site; /* leaks only: 0 where it was not reallocated */
    GArray *stack;        /* of guint64: call sites, innermost first; none is 0.  A reference;
                             blocks with the same stack may share it: not to be changed. */
} FcProfileBlock;

/* So many single blocks are written of those that a program left, which may be millions, and kept
 * of what a profile lists, a sum of profiles too; the others are in the figures, and counted. */
#define FC_PROFILE_BLOCKS_MAX 250000

typedef struct
{
    guint64 blocks;
    guint64 bytes;
} FcProfileSum;

/* ---- The heap, with FC_MEMORY --------------------------------------------------------
 *
 * Bucket 0 of sizes counts blocks of 0 bytes, bucket k those of [2^(k-1), 2^k). */
#define FC_SIZE_BUCKETS 42

/* A frame of a real stack, as unwound with FC_MEMORY_UNWIND; a parent precedes its
 * children. */
typedef struct
{
    gint parent;          /* the frame that called it; FC_NONE: the outermost that is known */
    FcProfilePlace place; /* return address */
} FcProfileHeapFrame;

/* Where something happened to memory: numbers of `call` as enum FcMemoryCall of
 * libfc/fc-format.h. */
typedef struct
{
    gint context;        /* FC_NONE: no profiled function was active */
    FcProfilePlace site; /* return address of the call to the allocator */
    guint call;          /* 0: not known, and the others then FC_NONE and 0 */
    gint frames;         /* the frame around that of `site`; FC_NONE: not unwound */
} FcProfileHeapPoint;

/* All blocks that were allocated at one point. */
typedef struct
{
    FcProfileHeapPoint point;
    guint64 allocations; /* a realloc is an allocation of the new size, and a free */
    guint64 bytes;       /* of all of them together */
    guint64 frees;
    guint64 live_blocks; /* at the end: leaked, or reachable still */
    guint64 live_bytes;
    guint64 reachable_blocks; /* of the live ones, see FcProfileHeap.scanned */
    guint64 reachable_bytes;
    guint64 indirect_blocks;
    guint64 indirect_bytes;
    guint64 peak_bytes;  /* live when the whole heap was largest */
    guint64 temporary;   /* freed before the thread allocated anything else */
    guint64 lifetime_ns; /* of the freed ones together */
    guint64 sizes[FC_SIZE_BUCKETS];
} FcProfileAllocSite;

typedef enum
{
    FC_BLOCK_LIVE,      /* not looked at */
    FC_BLOCK_LOST,      /* no pointer to it was found */
    FC_BLOCK_INDIRECT,  /* only from lost blocks */
    FC_BLOCK_REACHABLE, /* from the program's data, stacks or registers */
} FcProfileBlockState;

/* A block that was live at the end. */
typedef struct
{
    guint64 pointer;
    guint64 size_bytes; /* as last reallocated */
    guint64 time_ns;    /* of its allocation, since the process's start */
    guint alloc_site;   /* of the heap's */
    FcProfileBlockState state;
} FcProfileHeapBlock;

typedef enum
{
    FC_BAD_UNKNOWN,  /* never was a block */
    FC_BAD_DOUBLE,   /* freed before: `allocated` and `freed` say where */
    FC_BAD_INSIDE,   /* points into a live block, `allocated` says which */
    FC_BAD_STACK,    /* points into a stack */
    FC_BAD_MISMATCH, /* new freed by free and the like; the block was freed */
} FcProfileBadKind;

typedef struct
{
    FcProfileBadKind kind;
    guint64 pointer;
    guint64 block; /* start of the block that is meant, 0: none */
    guint64 size_bytes;
    guint64 time_ns;              /* since the process's start */
    FcProfileHeapPoint here;      /* a call of FC_CALL_REALLOC: realloc, else a free */
    FcProfileHeapPoint allocated; /* where `block` is not 0 */
    FcProfileHeapPoint freed;     /* FC_BAD_DOUBLE: the first time */
} FcProfileBadFree;

/* The most that was live between the time before and this one. */
typedef struct
{
    guint64 time_ns;
    guint64 live_bytes;
} FcProfileHeapSample;

typedef struct
{
    gboolean recorded; /* FALSE: run without FC_MEMORY; everything below is empty */
    guint64 allocations;
    guint64 frees;
    guint64 bytes;
    guint64 live_blocks;
    guint64 live_bytes;
    guint64 peak_bytes;
    guint64 peak_ns; /* since the process's start */
    guint64 maps;    /* mmap and munmap by the program itself */
    guint64 map_bytes;
    guint64 unmaps;
    guint64 unmap_bytes;
    guint64 scanned;       /* 1: live blocks were told apart at the end, 0: they were not */
    GArray *frames;        /* FcProfileHeapFrame */
    GArray *alloc_sites;   /* FcProfileAllocSite */
    GArray *blocks;        /* FcProfileHeapBlock, those of one process by site, state and address */
    FcProfileSum unlisted; /* live blocks that are not among them */
    GArray *bad_frees;     /* FcProfileBadFree, in order of time */
    GArray *samples;       /* FcProfileHeapSample, in order of time */
} FcProfileHeap;

/* Something that had to be mended or was lost, by kind, e.g. "jump", "unsent-buffers". */
typedef struct
{
    char *kind; /* owned; [a-z0-9-]+ */
    guint64 count;
} FcProfileNote;

/* A figure of all ranks that have one. */
typedef struct
{
    guint64 sum;
    guint64 least;
    guint64 most;
    gint64 most_rank; /* the first rank that has the most */
    FcSquare squares; /* the sum of the figures' squares */
    guint64 chosen;   /* that of the rank that was asked for; not in a file */
} FcProfileSpread;

/* What ranks have of a function or context, times on the CPU: where the profiles of several are one
 * (fc_profile_begin_ranks). */
typedef struct
{
    guint of;      /* the function or context */
    guint64 ranks; /* that have it */
    FcProfileSpread calls;
    FcProfileSpread local;
    FcProfileSpread total;
} FcProfileRanks;

/* Which process of a parallel job it is, by what the launcher told it. */
typedef struct
{
    gint64 rank;       /* FC_NONE: none is known, or several are summed */
    gint64 local_rank; /* on the host; FC_NONE: not known */
    guint64 size;      /* ranks of the job; 0: not known */
    char *name;        /* the same for all ranks of one step; owned, may be NULL, as all below */
    char *launcher;
    char *host;
    char *cpus; /* the processors that the rank was bound to, such as "0-3,8" */
} FcProfileJob;

typedef struct
{
    char *unique_id;   /* the same for all processes of a session */
    gint time_mode;    /* enum FcTimeMode, 1-4 */
    gint profile_mode; /* enum FcProfileMode, 1-3 */
    gint64 pid;
    gint64 ppid;
    guint64 run_ns;    /* from the end of libfc's start to the process's last event */
    gboolean extended; /* FALSE: a plain version 3.0 file: nothing below, only
                          addresses, libraries, functions, arcs in microseconds */

    double ticks_per_second;
    guint64 costs_ps[FC_PROFILE_COSTS]; /* of a call, as measured at the start: of one that is
                          recorded in all, and between its two times; of one that is counted, and
                          of one instrumented after inlining.  All 0: not measured, and nothing was
                          taken off */
    guint64 looks;            /* at what threads were at, by which their times were corrected */
    guint64 executed;         /* samples of where threads executed, from which times are */
    gint64 start_realtime_ns; /* since the epoch */
    gint64 end_realtime_ns;
    char *executable; /* owned, may be NULL, as the three below */
    char *directory;
    char *filter;  /* FC_FILTER, where one was in use */
    guint32 depth; /* FC_DEPTH; 0: was not set */
    GStrv command_line;
    FcProfileEnd end;
    gint end_value;
    gint64 thread_id; /* THREAD mode: this file's thread; else 0 */
    FcProfileJob job;

    guint64 ranks; /* so many are summed, each with the figures below; 0: nothing is known */
    guint64 merged_threads; /* of them */

    GArray *modules;   /* FcProfileModule */
    GArray *functions; /* FcProfileFunction */
    GArray *arcs;      /* FcProfileArc */
    GArray *contexts;  /* FcProfileContext */
    GArray *latencies; /* FcProfileLatency, by arc and bucket, each once; older files have none */
    GArray *slowest;   /* FcProfileSlowCall, by function, slowest first */
    GArray *rank_functions; /* FcProfileRanks */
    GArray *rank_contexts;  /* likewise */
    GArray *threads;        /* FcProfileThread */
    GArray *repairs;        /* FcProfileNote: mended */
    GArray *losses;         /* FcProfileNote: lost */

    GArray *leaks; /* FcProfileBlock, as the two below; in plain files too */
    GArray *bad_frees;
    GArray *bad_reallocs;
    FcProfileSum unlisted_leaks; /* that are not among `leaks`; not in plain files */

    FcProfileHeap heap;
} FcProfile;

/* Never fails; the caller owns the result and frees it with fc_profile_free.
 * Empty, with `extended` set and the default modes; all arrays exist. */
FcProfile *fc_profile_new(void);
void fc_profile_free(FcProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcProfile, fc_profile_free)

/* Whether it is known for any thread how long it was off the CPU: FC_WAITS_COARSE if that is so for
 * any. */
FcWaits fc_profile_waits(const FcProfile *profile);

/* Leaves of all total and local times the part on the CPU, or off it. */
typedef enum
{
    FC_TIME_PART_WALL, /* both */
    FC_TIME_PART_CPU,
    FC_TIME_PART_WAIT,
} FcTimePart;
void fc_profile_choose_time(FcProfile *profile, FcTimePart part);

/* The module that holds `address` at `time_ns` since the process's start, or
 * FC_NONE.  Where several did one after the other: the one loaded at that time,
 * else (a constructor runs before its library is announced) the nearest in time,
 * the later loaded of two. */
gint fc_profile_find_module(const FcProfile *profile, guint64 address, guint64 time_ns);

/* Fills `place` for `address` as of `time_ns`. */
void fc_profile_locate(const FcProfile *profile, guint64 address, guint64 time_ns,
                       FcProfilePlace *place);

/* Whether the context stands for all of its function's calls beyond FC_CONTEXTS: it has no parent
 * in the file, but is no root.  Its call site has an address where no code is; that of a root may
 * be 0, as at the bottom of a coroutine's stack. */
#define FC_FOLDED_SITE G_MAXUINT64
gboolean fc_profile_is_folded(const FcProfileContext *context);
/* The FC_CONTEXTS that would have been enough, as far as is known; 0: nothing was folded. */
guint64 fc_profile_contexts_wanted(const FcProfile *profile);

/* Adds `count` to the note `kind` of `notes`, making it if need be. */
void fc_profile_note(GArray *notes, const char *kind, guint64 count);
/* Adds all notes of `from` to `into`. */
void fc_profile_add_notes(GArray *into, const GArray *from);

/* Frees what the job owns, and sets it to one that has no rank. */
void fc_profile_clear_job(FcProfileJob *job);
/* Puts a copy of `from` in place of what `into` says. */
void fc_profile_copy_job(FcProfileJob *into, const FcProfileJob *from);

/* Leaves of the modules the first, which is the program, and those that something lies in. */
void fc_profile_drop_modules(FcProfile *profile);

/* What `from` says of its process, up to `job`, in place of what `into` says; no arrays. */
void fc_profile_copy_header(FcProfile *into, const FcProfile *from);

/* Whether a call of the function was timed to its end, so that there is a minimum and a maximum.
 * `has_histogram` is the `extended` of the profile that it is from. */
gboolean fc_profile_has_completed(const FcProfileFunction *function, gboolean has_histogram);

/* A sum that does not fit into 64 bits stays at the greatest number. */
void fc_profile_add_times(FcProfileTimes *into, const FcProfileTimes *other);

/* Adds the figures of `other` to those of `into`, whose place stays.  A minimum or maximum is that
 * of both only where both completed a call, which the histogram tells; each `..._has_histogram` is
 * the `extended` of the profile that the function is from.  A sum that does not fit into 64 bits
 * stays at the greatest number. */
void fc_profile_add_figures(FcProfileFunction *into, gboolean into_has_histogram,
                            const FcProfileFunction *other, gboolean other_has_histogram);

/* Likewise for what was allocated at two points; the point stays. */
void fc_profile_add_heap_figures(FcProfileAllocSite *into, const FcProfileAllocSite *other);

/* Adds overhead to the times that it was taken off, but for those of threads: the times
 * as they were measured. */
void fc_profile_put_costs_back(FcProfile *profile);

/* Makes of a profile one of `rank`, to be merged with those of others, unless it is one of ranks
 * already.  `is_chosen`: figures of it are also kept by themselves. */
void fc_profile_begin_ranks(FcProfile *profile, gint64 rank, gboolean is_chosen);

/* Puts one thread in place of all, with what can be summed: those of all ranks together would be
 * too many. */
void fc_profile_fold_threads(FcProfile *profile);

/* Adds what is no sum. */
void fc_profile_add_ranks(FcProfileRanks *into, const FcProfileRanks *other);

/* Adds everything in `other` to `into`: functions, arcs, contexts and threads
 * are matched by module (build-id, else path) and offset.  `other` is unchanged. */
void fc_profile_merge(FcProfile *into, const FcProfile *other);
/* The same.  Returns which function of `into` each of `other` is; the caller frees it. */
guint *fc_profile_merge_mapped(FcProfile *into, const FcProfile *other);
