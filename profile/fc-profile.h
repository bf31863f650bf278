/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A profile as data: fcmanager writes it into a .fc file, and fcdump and fcgprof load it from
 * there. One FcProfile owns everything.  It knows nothing of symbols, the wire format or output.
 *
 * Times are nanoseconds, sizes bytes.  Indices are positions in the arrays of the same profile;
 * FC_NONE stands for "none".
 */
#pragma once

#include "profile/histogram.h"
#include "profile/square.h"

#include <glib.h>

#define FC_NONE (-1)

/* Bucket 0 counts calls of 0 ns, bucket k those of [2^(k-1), 2^k) ns.  The last bucket also counts
 * all longer ones. */
#define FC_HISTOGRAM_BUCKETS 48

/* A file mapped into the process.  A library that was unloaded and loaded again has an entry for
 * each time (its load epoch). */
typedef struct
{
    char *path;     /* owned; "" where unknown */
    char *build_id; /* owned, lower-case hex; NULL where the file has none */
    guint64 base;   /* run-time address minus address in the file */
    guint64 start;  /* its addresses are [start, end) */
    guint64 end;
    guint64 load_ns;   /* since the process's start */
    guint64 unload_ns; /* G_MAXUINT64: it stayed to the end */
} FcProfileModule;

/* A location in the code.  `module` and `offset` (address minus the module's base) identify it
 * across runs.  `address` is where it was in this run. */
typedef struct
{
    guint64 address;
    guint64 offset; /* equals `address` if module is FC_NONE */
    gint module;
} FcProfileLocation;

/* The times of a function, an arc or a context, in one thread or in all.  Arcs have no local times.
 */
typedef struct
{
    guint64 total_ns;      /* while it was on the stack; counted once, however often it recurses */
    guint64 local_ns;      /* total minus the time of profiled callees */
    guint64 total_cost_ns; /* instrumentation overhead that was subtracted from total_ns */
    guint64 local_cost_ns; /* the same, from local_ns */
    guint64 total_wait_ns; /* the part of total_ns off the CPU: waiting or preempted */
    guint64 local_wait_ns; /* the same of local_ns */
} FcProfileTimes;

/* What a thread waits for.  LOCK: a lock that another thread holds.  SIGN: a signal from another
 * thread, by a condition variable, a semaphore or its end. */
typedef enum
{
    FC_WAIT_LOCK,
    FC_WAIT_SIGN,
    FC_WAIT_INPUT, /* input or output on a descriptor */
    FC_WAIT_SLEEP,
    FC_WAIT_DISK,
    FC_WAIT_OTHER,
    FC_WAIT_KINDS,
} FcWaitKind;

/* The time off the CPU within a function's local time. */
typedef struct
{
    guint64 preempted_ns;           /* the thread was preempted; measured */
    guint64 kind_ns[FC_WAIT_KINDS]; /* waiting time by kind, estimated from samples of waiting
                                       threads */
} FcProfileOff;

/* Adds `more`, which may be NULL, to *to, which is made if it is NULL; its owner frees it. */
void fc_profile_add_off(FcProfileOff **to, const FcProfileOff *more);

/* A call in which a function waits itself, and for how long, estimated from samples.  What it calls
 * is not profiled.  The call sites of a function need not have all of its waiting time. */
typedef struct
{
    guint function;
    FcProfileLocation site;
    guint64 kind_ns[FC_WAIT_KINDS];
} FcProfileWaitSite;

/* The least and the greatest value of single calls. */
typedef struct
{
    guint64 total_min_ns;
    guint64 total_max_ns;
    guint64 local_min_ns;
    guint64 local_max_ns;
} FcProfileBounds;

typedef struct
{
    FcProfileLocation location;
    guint64 calls; /* activations entered; a frame inherited at fork adds none */
    FcProfileTimes times;
    FcProfileBounds bounds; /* of completed calls; 0 if there was none */
    FcHistogram histogram;  /* total times of the timed calls; owned */
    guint64 counted;        /* calls that were counted, not recorded */
    guint64 timed;          /* how many of these were timed, as a random sample */
    gboolean uncounted;     /* nothing counts its calls: only samples show that it executed */
    guint64 total_error_ns; /* standard error of the estimated part of the total time */
    guint64 local_error_ns; /* standard error of the estimated part of the local time */
    FcSquare total_square;  /* sums of profiles: the sum of squared errors, whose root is the error;
                               0: the square of the error */
    FcSquare local_square;
    gboolean has_cpu_bounds;     /* the bounds of calls on the CPU are others than those of their */
    gboolean has_elapsed_bounds; /* elapsed time, and are not in `bounds`; or, of these two one at
                                    most, fc_profile_choose_time has put them there: */
    union
    {
        FcProfileBounds cpu;
        FcProfileBounds elapsed;
    };
    FcProfileOff *off; /* owned; NULL: nothing is known */
} FcProfileFunction;

/* Return the bounds of CPU times and of elapsed times, whichever were chosen. */
FcProfileBounds fc_profile_cpu_bounds(const FcProfileFunction *function);
FcProfileBounds fc_profile_elapsed_bounds(const FcProfileFunction *function);

/* Calls of `callee` from one call site while `caller` was at the top of the stack. */
typedef struct
{
    gint caller; /* function; FC_NONE: no profiled function was active */
    guint callee;
    FcProfileLocation site;
    guint64 calls;
    FcProfileTimes times;
    gboolean apportioned; /* `calls` is an estimate; only the sum over the call site's callers is
                             exact */
} FcProfileArc;

/* How many timed calls by an arc had this total time.  A function's histogram has FC_LATENCY_PARTS
 * times fewer buckets; see latency.h. */
#define FC_LATENCY_PARTS 20u
#define FC_LATENCY_BUCKETS (FC_HISTOGRAM_BUCKETS * FC_LATENCY_PARTS)

typedef struct
{
    guint arc;
    guint bucket;
    guint64 calls;
} FcProfileLatency;

/* One of the slowest calls of a function (FC_SLOWEST). */
typedef struct
{
    guint function;
    gint context; /* FC_NONE: not known */
    gint64 tid;
    guint64 realtime_ns; /* when it was made, since the epoch */
    guint64 total_ns;    /* measured, with overhead */
} FcProfileSlowCall;

/* A node of the calling-context tree; a parent precedes its children.  A call of a function that is
 * already on the path is folded into that ancestor's node. */
typedef struct
{
    gint parent; /* context; FC_NONE: a root */
    guint function;
    FcProfileLocation site;
    guint64 calls;
    FcProfileTimes times;
    gboolean apportioned; /* `calls` is an estimate; the function's sum is exact */
} FcProfileContext;

/* A frame that was still open when its thread or process ended; the outermost comes first. */
typedef struct
{
    guint function;
    FcProfileLocation site;
} FcProfileFrame;

typedef struct
{
    guint function;
    guint64 calls;
    FcProfileTimes times;
    FcProfileOff *off; /* owned; NULL: nothing is known */
} FcProfileThreadFunction;

/* Returns a new empty array of these, which frees what they own. */
GArray *fc_profile_new_thread_functions(void);

/* One thread's part of an arc, whose index it has.  The arc has the sum of all threads. */
typedef struct
{
    guint arc;
    guint64 calls;
    FcProfileTimes times;
} FcProfileThreadArc;

/* One of the last records of a thread (FC_TRACE). */
typedef enum
{
    FC_TRACE_CALL,
    FC_TRACE_RETURN,
    FC_TRACE_OPEN, /* not a record: the call had not returned when the thread or process ended */
    FC_TRACE_KINDS,
} FcTraceKind;

#define FC_TRACE_UNKNOWN G_MAXUINT64

typedef struct
{
    FcTraceKind kind;
    guint function;
    guint stack;      /* 0: the thread's own; others are of coroutines and signal handlers */
    guint depth;      /* depth on that stack; 1 is the outermost call */
    guint64 time_ns;  /* since the process's start */
    guint64 begun_ns; /* when the call was made, or FC_TRACE_UNKNOWN */
} FcProfileTraceRecord;

/* Whether it is known how long a thread was off the CPU. */
typedef enum
{
    FC_WAITS_UNKNOWN,
    FC_WAITS_SEEN,
    FC_WAITS_COARSE, /* short waits may be attributed to functions that the thread ran later */
    FC_WAITS_COUNT,
} FcWaits;

/* When a thread was off the CPU: its time in equal buckets. */
#define FC_LANE_BUCKETS 128u

typedef struct
{
    guint bucket; /* less than FC_LANE_BUCKETS */
    guint64 wait_ns;
    guint64 preempted_ns; /* the part of wait_ns in which the thread was preempted */
} FcProfileLane;

typedef struct
{
    gint64 tid;
    char *name;       /* owned; NULL where unknown */
    guint64 start_ns; /* since the process's start */
    guint64 end_ns;
    guint64 run_ns; /* from the first event to the last */
    guint64 calls;
    gboolean ended; /* FALSE: it was alive when the process ended */
    FcWaits waits;
    guint64 wait_ns;       /* off the CPU, also outside of all functions */
    guint64 preempted_ns;  /* the part of wait_ns in which it was preempted */
    guint64 manager_ns;    /* libfc was at work, or waited for fcmanager; in no function's time */
    GArray *functions;     /* of FcProfileThreadFunction, owned; may be empty */
    GArray *arcs;          /* of FcProfileThreadArc, owned; NULL: not known */
    GArray *stack;         /* of FcProfileFrame, owned: open at the end */
    GArray *trace;         /* of FcProfileTraceRecord in order of time, owned; NULL: none */
    guint64 trace_all;     /* how many records there were; `trace` has the last of them */
    guint64 lane_start_ns; /* when bucket 0 begins, since the process's start */
    guint64 lane_ns;       /* the width of a bucket; 0: not known when it was off the CPU */
    GArray *lanes;         /* of FcProfileLane, owned: those that are not 0; NULL: none */
} FcProfileThread;

#define FC_PROFILE_COSTS 4

typedef enum
{
    FC_END_UNKNOWN,
    FC_END_EXIT,    /* end_value: status */
    FC_END_SIGNAL,  /* end_value: signal number */
    FC_END_EXEC,    /* replaced by another image */
    FC_END_RUNNING, /* a snapshot: the process continued */
} FcProfileEnd;

/* A block that was never freed, or the invalid pointer of a bad free or realloc.  These are the
 * last three lists of version 3.0, which have addresses only. */
typedef struct
{
    guint64 pointer;
    guint64 size_bytes;   /* leaks only: size as first allocated */
    guint64 site;         /* of the allocation, the free or the realloc */
    guint64 realloc_site; /* leaks only; 0: it was not reallocated */
    GArray *stack; /* guint64: call sites, innermost first; none is 0.  A reference: blocks may
                      share a stack, so it must not be changed */
} FcProfileBlock;

/* At most this many blocks are listed one by one in a profile, or in a sum of profiles; a program
 * may leave millions.  The others are counted, and are in the figures. */
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

/* A frame of an unwound stack (FC_MEMORY_UNWIND); a parent precedes its children. */
typedef struct
{
    gint parent;                /* the frame that called it; FC_NONE: the outermost that is known */
    FcProfileLocation location; /* return address */
} FcProfileHeapFrame;

/* Where something happened to memory.  `call` is an enum FcMemoryCall of libfc/fc-format.h. */
typedef struct
{
    gint context;           /* FC_NONE: no profiled function was active */
    FcProfileLocation site; /* return address of the call to the allocator */
    guint call;             /* 0: not known; then the other members are FC_NONE and 0 */
    gint frames;            /* the frame that called the one of `site`; FC_NONE: not unwound */
} FcProfileHeapPoint;

/* All blocks allocated at one point. */
typedef struct
{
    FcProfileHeapPoint point;
    guint64 allocations; /* a realloc counts as an allocation of the new size and a free */
    guint64 bytes;       /* sum of all allocations */
    guint64 frees;
    guint64 live_blocks; /* at the end, leaked or still reachable */
    guint64 live_bytes;
    guint64 reachable_blocks; /* those of the live blocks that are reachable; see
                                 FcProfileHeap.scanned */
    guint64 reachable_bytes;
    guint64 indirect_blocks;
    guint64 indirect_bytes;
    guint64 peak_bytes;  /* live bytes when the whole heap was largest */
    guint64 temporary;   /* blocks freed before the thread allocated anything else */
    guint64 lifetime_ns; /* sum over the freed blocks */
    guint64 sizes[FC_SIZE_BUCKETS];
} FcProfileAllocSite;

typedef enum
{
    FC_BLOCK_LIVE,      /* not scanned */
    FC_BLOCK_LOST,      /* no pointer to it was found */
    FC_BLOCK_INDIRECT,  /* pointers to it are in lost blocks only */
    FC_BLOCK_REACHABLE, /* found from the program's data, stacks or registers */
} FcProfileBlockState;

/* A block that was live at the end. */
typedef struct
{
    guint64 pointer;
    guint64 size_bytes; /* after the last realloc */
    guint64 time_ns;    /* when it was allocated, since the process's start */
    guint alloc_site;   /* index in the heap's alloc_sites */
    FcProfileBlockState state;
} FcProfileHeapBlock;

typedef enum
{
    FC_BAD_UNKNOWN,  /* was never a block */
    FC_BAD_DOUBLE,   /* was freed before; `allocated` and `freed` say where */
    FC_BAD_INSIDE,   /* points into a live block; `allocated` says where that is from */
    FC_BAD_STACK,    /* points into a stack */
    FC_BAD_MISMATCH, /* wrong kind of release, such as free for a block of new; the block was freed
                      */
} FcProfileBadKind;

typedef struct
{
    FcProfileBadKind kind;
    guint64 pointer;
    guint64 block; /* start of the block that is meant; 0: none */
    guint64 size_bytes;
    guint64 time_ns;              /* since the process's start */
    FcProfileHeapPoint here;      /* FC_CALL_REALLOC: a realloc; otherwise a free */
    FcProfileHeapPoint allocated; /* if `block` is not 0 */
    FcProfileHeapPoint freed;     /* FC_BAD_DOUBLE: the first free */
} FcProfileBadFree;

/* The most live bytes between the previous time and this one. */
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
    guint64 scanned;       /* 1: live blocks were searched for at the end; 0: they were not */
    GArray *frames;        /* FcProfileHeapFrame */
    GArray *alloc_sites;   /* FcProfileAllocSite */
    GArray *blocks;        /* FcProfileHeapBlock, of one process by site, state and address */
    FcProfileSum unlisted; /* live blocks that are not listed */
    GArray *bad_frees;     /* FcProfileBadFree, in order of time */
    GArray *samples;       /* FcProfileHeapSample, in order of time */
} FcProfileHeap;

/* Something that was repaired or lost, by kind, such as "jump" or "unsent-buffers". */
typedef struct
{
    char *kind; /* owned; [a-z0-9-]+ */
    guint64 count;
} FcProfileNote;

/* One figure over all ranks that have it. */
typedef struct
{
    guint64 sum;
    guint64 least;
    guint64 most;
    gint64 most_rank; /* the first rank that has the most */
    FcSquare squares; /* the sum of the figures' squares */
    guint64 chosen;   /* the value of the rank that the user asked for; not in a file */
} FcProfileSpread;

/* Figures of the ranks for a function or context, with times on the CPU.  Present if the profiles
 * of several ranks are merged (fc_profile_begin_ranks). */
typedef struct
{
    guint of;      /* the function or context */
    guint64 ranks; /* how many ranks have it */
    FcProfileSpread calls;
    FcProfileSpread local;
    FcProfileSpread total;
} FcProfileRanks;

/* ---- Figures of MPI, see mpi.c -------------------------------------------------------- */

/* Partners that are no rank: the same numbers as in libfc/fc-mpi.h. */
#define FC_PARTNER_OTHERS (-1)    /* ranks for which there was no room */
#define FC_PARTNER_ELSEWHERE (-2) /* not of the world, or not known */
#define FC_PARTNER_ANY (-3)       /* receives from any rank that were posted */

/* What a rank sent to and received from another one, which has numbers in the world. */
typedef struct
{
    gint64 rank;   /* FC_NONE: not known */
    gint64 peer;   /* or FC_PARTNER_... */
    guint64 width; /* the record is of so many ranks and peers, from these on; a power of two */
    guint64 sent;  /* messages; the next two likewise */
    guint64 sent_bytes;
    guint64 received;
    guint64 received_bytes;
    guint64 posted; /* receives that were to come later, with the sizes of their buffers */
    guint64 posted_bytes;
} FcProfilePartner;

/* A sum of merges has wider records from so many on. */
#define FC_PROFILE_PARTNERS_MAX 16384

/* Calls of a collective function from one call site, on communicators of the same ranks. */
typedef struct
{
    FcProfileLocation function;
    FcProfileLocation site;
    guint64 group; /* a hash of the ranks; 0: the world */
    guint64 first; /* the lowest rank of the group */
    guint64 size;
    guint64 ranks;       /* so many of them are in the profile */
    guint64 calls;       /* of all */
    guint64 calls_least; /* of a rank */
    guint64 calls_most;
    guint64 sum_ns; /* elapsed time in the calls */
    guint64 least_ns;
    gint64 least_rank;
    guint64 most_ns;
    gint64 most_rank;
} FcProfileCollective;

/* Which process of a parallel job it is, as its launcher said. */
typedef struct
{
    gint64 rank;       /* FC_NONE: none is known, or several are summed */
    gint64 local_rank; /* on the host; FC_NONE: not known */
    guint64 size;      /* ranks of the job; 0: not known */
    char *name;        /* the same for all ranks of one step; owned, may be NULL, like all below */
    char *launcher;
    char *host;
    char *cpus; /* the processors that the rank was bound to, such as "0-3,8" */
} FcProfileJob;

/* How busy the processors were that the process could use.  Times are of all of them together,
 * since the machine booted, without fcmanager's.  A sum has them from the first start to the last
 * end. */
typedef struct
{
    guint64 processors;     /* 0: nothing is known; so it is in a sum over several machines */
    guint64 booted_s;       /* since the epoch */
    guint64 used_before_ns; /* at the start */
    guint64 used_after_ns;  /* at the end */
    guint64 own_ns;         /* CPU time of the process itself */
} FcProfileMachine;

typedef struct
{
    char *unique_id;   /* the same for all processes of a session */
    gint time_mode;    /* enum FcTimeMode, 1-4 */
    gint profile_mode; /* enum FcProfileMode, 1-3 */
    gint64 pid;
    gint64 ppid;
    guint64 run_ns;    /* from the end of libfc's start to the last event of the process */
    gboolean extended; /* FALSE: a plain version 3.0 file; only addresses, libraries, functions and
                          arcs in microseconds */

    double ticks_per_second;
    guint64 costs_ps[FC_PROFILE_COSTS]; /* overhead of a call, measured at the start: of a recorded
                                           call in all, of that the part between its two time
                                           stamps, of a counted call, of a call instrumented after
                                           inlining.  All 0: not measured, nothing was subtracted */
    guint64 samples;           /* how many samples of current functions corrected the times */
    guint64 executed;          /* how many samples of executed addresses the times are from */
    guint64 executed_by_timer; /* those of them that a timer's signal took */
    guint64 unsampled_ns;      /* time on the CPU that no sample shows, in the kernel */
    gint64 start_realtime_ns;  /* since the epoch */
    gint64 end_realtime_ns;
    FcProfileMachine machine;
    char *executable; /* owned, may be NULL, as the three below */
    char *directory;
    char *filter;  /* FC_FILTER, if it was in use */
    guint32 depth; /* FC_DEPTH; 0: not set */
    GStrv command_line;
    FcProfileEnd end;
    gint end_value;
    guint64 processes; /* how many are merged; 0: it is of one, or a thread's */
    guint64 failed;    /* how many of these were killed or exited with another status than 0 */
    gint64 thread_id;  /* THREAD mode: this file's thread; else 0 */
    FcProfileJob job;

    guint64 ranks; /* how many ranks are merged; each has the figures below.  0: not known */
    guint64 merged_threads; /* threads of these ranks */
    guint32 distinct;       /* 1 << FcArrayName of the arrays in which merging found no two equal
                               records.  Merging keeps it so.  Other code that appends records
                               must set 0 */

    GArray *modules;        /* FcProfileModule */
    GArray *functions;      /* FcProfileFunction */
    GArray *arcs;           /* FcProfileArc */
    GArray *contexts;       /* FcProfileContext */
    GArray *latencies;      /* FcProfileLatency by arc and bucket, each once; none in older files */
    GArray *slowest;        /* FcProfileSlowCall, by function, slowest first */
    GArray *rank_functions; /* FcProfileRanks */
    GArray *rank_contexts;  /* likewise */
    GArray *partners;       /* FcProfilePartner, by rank and peer */
    GArray *collectives;    /* FcProfileCollective */
    GArray *wait_sites;     /* FcProfileWaitSite */
    GArray *threads;        /* FcProfileThread */
    GArray *repairs;        /* FcProfileNote: repaired */
    GArray *losses;         /* FcProfileNote: lost */

    GArray *leaks; /* FcProfileBlock; the next two likewise; also in plain files */
    GArray *bad_frees;
    GArray *bad_reallocs;
    FcProfileSum unlisted_leaks; /* leaks that are not listed; not in plain files */

    FcProfileHeap heap;
} FcProfile;

/* Returns an empty profile with `extended` and the default modes set; all arrays exist.  Never
 * fails; the caller frees it with fc_profile_free. */
FcProfile *fc_profile_new(void);
void fc_profile_free(FcProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcProfile, fc_profile_free)

/* Returns whether the time off the CPU is known for any thread; FC_WAITS_COARSE if it is coarse for
 * any. */
FcWaits fc_profile_waits(const FcProfile *profile);

/* Which part of all total and local times is left. */
typedef enum
{
    FC_TIME_PART_WALL, /* both */
    FC_TIME_PART_CPU,
    FC_TIME_PART_WAIT,
} FcTimePart;
void fc_profile_choose_time(FcProfile *profile, FcTimePart part);

/* Returns the module that contains `address` at `time_ns` since the process's start; FC_NONE: none.
 * If several were there one after the other, it is the one loaded at that time, else the nearest in
 * time, else the later loaded one.  (A constructor runs before its library is announced.) */
gint fc_profile_find_module(const FcProfile *profile, guint64 address, guint64 time_ns);

/* Sets `location` for `address` at `time_ns`. */
void fc_profile_locate(const FcProfile *profile, guint64 address, guint64 time_ns,
                       FcProfileLocation *location);

/* Whether the context stands for all of its function's calls beyond FC_CONTEXTS.  It has no parent
 * in the file, but is no root.  Its call site is an address that has no code.  The call site of a
 * root may be 0, as at the bottom of a coroutine's stack. */
#define FC_FOLDED_SITE G_MAXUINT64
gboolean fc_profile_is_folded(const FcProfileContext *context);
/* Returns the FC_CONTEXTS that would have sufficed, as far as is known; 0: nothing was folded. */
guint64 fc_profile_contexts_wanted(const FcProfile *profile);

/* Adds `count` to the note `kind` in `notes`; makes the note if there is none. */
void fc_profile_note(GArray *notes, const char *kind, guint64 count);
/* Adds all notes of `from` to `into`. */
void fc_profile_add_notes(GArray *into, const GArray *from);

/* Frees what the job owns, and leaves a job without a rank. */
void fc_profile_clear_job(FcProfileJob *job);
/* Replaces `into` by a copy of `from`. */
void fc_profile_copy_job(FcProfileJob *into, const FcProfileJob *from);

/* Deletes the modules that nothing refers to, except the first, which is the program. */
void fc_profile_drop_modules(FcProfile *profile);

/* Copies the members up to `job` from `from`, replacing those of `into`.  Copies no arrays. */
void fc_profile_copy_header(FcProfile *into, const FcProfile *from);

/* Whether a call of the function was timed to its end, so that it has a minimum and a maximum.
 * `has_histogram` is the `extended` of its profile. */
gboolean fc_profile_has_completed(const FcProfileFunction *function, gboolean has_histogram);

/* Adds the times.  A sum that does not fit into 64 bits becomes the greatest number. */
void fc_profile_add_times(FcProfileTimes *into, const FcProfileTimes *other);

/* Adds the figures of `other` to those of `into`, whose location stays.  A minimum or maximum
 * counts only if that function completed a call, as its histogram shows; each `..._has_histogram`
 * is the `extended` of the function's profile.  A sum that does not fit into 64 bits becomes the
 * greatest number. */
void fc_profile_add_figures(FcProfileFunction *into, gboolean into_has_histogram,
                            const FcProfileFunction *other, gboolean other_has_histogram);

/* The same for two allocation sites; the point of `into` stays. */
void fc_profile_add_heap_figures(FcProfileAllocSite *into, const FcProfileAllocSite *other);

/* Adds the overhead to all times that it was subtracted from, except those of threads.  This gives
 * the measured times. */
void fc_profile_put_costs_back(FcProfile *profile);

/* How many processes the profile is of, and how many of them were killed or exited with another
 * status than 0. */
guint64 fc_profile_processes(const FcProfile *profile);
guint64 fc_profile_failed(const FcProfile *profile);

/* The repair that counts the threads that are in the sums, but not listed. */
#define FC_THREADS_NOT_LISTED "threads-not-listed"
/* How many threads there were, listed or not. */
guint64 fc_profile_threads(const FcProfile *profile);

/* Makes the profile one of `rank`, to be merged with those of others, unless it is a merged one
 * already.  `is_chosen`: its figures are also kept separately. */
void fc_profile_begin_ranks(FcProfile *profile, gint64 rank, gboolean is_chosen);

/* Replaces all threads by one that has their sums: the threads of all ranks would be too many. */
void fc_profile_fold_threads(FcProfile *profile);

/* Merges the parts of the figures that are not sums. */
void fc_profile_add_ranks(FcProfileRanks *into, const FcProfileRanks *other);

/* Adds the partners, which stay in order and few. */
void fc_profile_add_partners(FcProfile *into, const FcProfile *other);
/* Merges the parts of the figures that are not sums. */
void fc_profile_add_collective(FcProfileCollective *into, const FcProfileCollective *other);
/* Subtracts what `part`, an earlier profile of the same rank, has. */
void fc_profile_take_off_mpi(FcProfile *profile, const FcProfile *part);

/* Adds everything in `other` to `into`.  Functions, arcs, contexts and threads match if their
 * modules (by build-id, else path) and offsets do.  `other` is unchanged. */
void fc_profile_merge(FcProfile *into, const FcProfile *other);
/* The same.  Returns the function of `into` for each function of `other`; the caller frees it. */
guint *fc_profile_merge_mapped(FcProfile *into, const FcProfile *other);
