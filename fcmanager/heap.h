/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The books of a process's memory: which blocks are live, where blocks are allocated,
 * what was freed wrongly.  Fed by stack.c with the records of each thread; output.c
 * turns it into a profile.  Bounded by live blocks and sites, not by events.
 *
 * Threads' records arrive chunk by chunk, so that of one address the free by one
 * thread may arrive after the next allocation by another.  Of one address their times are
 * in the true order (fc-format.h).  So while there are several threads their records
 * queue up, until process.c has read every thread up to one moment in time (a
 * consistent cut: whatever led to a record that is in it, is in it as well); then they are
 * taken in the order of their times, and what does not fit is an error for certain.
 */
#pragma once

#include "fcmanager/counts.h"
#include "fcmanager/heap-blocks.h"
#include "libfc/fc-format.h"
#include "profile/fc-profile.h"

/* As in the profile, with times in ticks and the process's counts' nodes as contexts. */
typedef struct
{
    guint32 context; /* node; 0: none */
    guint32 call;    /* enum FcMemoryCall */
    guint32 frames;  /* index in the heap's: the frame around that of `site`; 0: not unwound */
    guint64 site;
    guint64 time; /* when it was first met: tells what module the site is in */
} FcHeapPoint;

/* Of real stacks: see FcProfileHeapFrame. */
typedef struct
{
    guint32 parent;
    guint64 address;
    guint64 time; /* when it was first met */
} FcHeapFrame;

typedef struct
{
    FcHeapPoint point;
    guint64 allocations;
    guint64 bytes;
    guint64 frees;
    guint64 live_blocks;
    guint64 live_bytes;
    guint64 peak_bytes;
    guint64 peak_count; /* of the heap's peaks when peak_bytes was last right */
    guint64 temporary;
    guint64 lifetime; /* ticks */
    guint64 sizes[FC_SIZE_BUCKETS];
} FcAllocSite;

typedef struct
{
    FcProfileBadKind kind;
    guint64 pointer;
    guint64 block;
    guint64 size_bytes;
    guint64 time;
    FcHeapPoint here;
    FcHeapPoint allocated;
    FcHeapPoint freed;
} FcHeapBad;

#define FC_HEAP_SAMPLES 256

typedef struct FcHeap FcHeap;
struct FcHeap
{
    FcCounts *contexts; /* the process's; not owned */
    FcHeapBlocks blocks;
    GArray *alloc_sites;  /* FcAllocSite; [0] is for none, and for blocks that are not counted */
    FcMap alloc_site_map; /* context | call, site, frames -> allocation site */
    GArray *frames;       /* FcHeapFrame; [0] is for none */
    FcMap frame_map;      /* parent, address -> frame */
    GArray *bad;          /* FcHeapBad */
    guint64 allocations;
    guint64 frees;
    guint64 bytes;
    guint64 live_bytes;
    guint64 peak_bytes;
    guint64 peak_time;
    guint64 peak_count;
    guint64 maps;
    guint64 map_bytes;
    guint64 unmaps;
    guint64 unmap_bytes;
    guint64 untracked_frees; /* of blocks whose free was not seen before the address's next use */
    guint64 bad_not_listed;
    gboolean has_foreign_allocator; /* some code calls the C library's allocator unseen: any pointer
                               into the heap may be a block all the same */
    guint64 foreign_frees;          /* of such pointers */
    guint64 origin;                 /* ticks: time 0 of the samples */
    guint64 samples[FC_HEAP_SAMPLES]; /* most bytes live in each interval */
    guint sample_count;
    guint64 sample_level;        /* bytes live after the last sample */
    guint sample_shift;          /* sample_ticks is 2 to the power of this */
    struct FcHeapFreed *history; /* the last use of addresses, by hash */
    guint32 history_mask;
    guint64 search_budget; /* blocks that may still be looked through for an address in them */

    struct FcHeapThread *first_thread; /* owned: those that may make records or have any queued */
    guint thread_count;                /* of those that may */
    gboolean in_order; /* records of all threads arrive in the order that they were made in */
    guint queued;      /* records that wait for the others of their time */
    guint64 latest;    /* time of the latest of them */
};

/* `contexts`: the process's sums, where the sites' contexts are made; must outlive it.
 * `in_order`: the records of different threads come in the order in which they were made. */
FcHeap *fc_heap_new(FcCounts *contexts, guint64 origin, guint32 blocks, gboolean in_order);
/* What a child begins with that was forked at `time`: nothing made up to then may be queued.
 * `contexts`: the child's. */
FcHeap *fc_heap_copy(const FcHeap *heap, FcCounts *contexts, guint64 time);
void fc_heap_free(FcHeap *heap);

/* What is kept for each thread. */
typedef struct FcHeapThread FcHeapThread;
/* `counts` is the thread's own.  Belongs to the heap; fc_heap_thread_finish is its end. */
FcHeapThread *fc_heap_thread_new(FcHeap *heap, const FcCounts *counts);
/* Where the thread's own stack is, to recognise pointers into it. */
void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end);

/* One record of memory, made while `node` of the thread's counts was on top.  Fields as in
 * fc-format.h, the generation taken out of `site`. */
void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 frame, guint32 node);

/* The thread makes no more records, and its counts may go. */
void fc_heap_thread_finish(FcHeapThread *thread);

/* So many records in the queues are worth reading the other threads for. */
#define FC_HEAP_QUEUE_FULL 32768u
/* So many are not kept any longer, whatever may be missing. */
#define FC_HEAP_QUEUE_MAX (1u << 20)

/* Takes what is queued up to `time`, of all threads in order.  The records of each thread must
 * have been given up to then; a thread may have made one meanwhile that is not in memory yet:
 * no record that is here depends on it. */
void fc_heap_settle(FcHeap *heap, guint64 time);
/* Takes all that is queued, for a look at the blocks; names that did not come are lost. */
void fc_heap_flush(FcHeap *heap);
/* No thread makes any more records: takes all. */
void fc_heap_finish(FcHeap *heap);
