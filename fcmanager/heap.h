/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The books of a process's memory: which blocks are live, where blocks are allocated,
 * what was freed wrongly.  Fed by stack.c with the records of each thread; output.c
 * turns it into a profile.  Bounded by live blocks and places, not by events.
 *
 * Threads' records arrive chunk by chunk, so that of one address the free by one
 * thread may arrive after the next allocation by another.  Their times are in the true
 * order (fc-format.h), so what does not fit waits until what is missing has come, and
 * counts as an error only when it can't come any more.
 */
#pragma once

#include "fcmanager/heap-blocks.h"
#include "fcmanager/tally.h"
#include "libfc/fc-format.h"
#include "profile/fc-profile.h"

/* As in the profile, with times in ticks and the process's tally's nodes as contexts. */
typedef struct
{
    guint32 context; /* node; 0: none */
    guint32 call;    /* enum FcMemoryCall */
    guint64 site;
    guint64 time; /* when it was first met: tells what module the site is in */
} FcHeapPoint;

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
} FcHeapPlace;

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
    FcTally *contexts; /* the process's; not owned */
    FcHeapBlocks blocks;
    GArray *places;  /* FcHeapPlace; [0] is for none */
    FcMap place_map; /* context | call, site -> place */
    GArray *bad;     /* FcHeapBad */
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
    guint64 origin; /* ticks: time 0 of the samples */
    guint64 sample_ticks;
    guint64 samples[FC_HEAP_SAMPLES]; /* most bytes live in each interval */
    guint sample_count;
    guint64 sample_level;        /* bytes live after the last sample */
    guint threads;               /* that ever made a record */
    GHashTable *waiting;         /* address -> GArray of what does not fit yet */
    struct FcHeapFreed *history; /* the last use of addresses, by hash */
};

/* `contexts`: the process's sums, where the places' contexts are made; must outlive it. */
FcHeap *fc_heap_new(FcTally *contexts, guint64 origin, guint32 blocks);
/* What a forked child begins with.  `contexts`: the child's. */
FcHeap *fc_heap_copy(const FcHeap *heap, FcTally *contexts);
void fc_heap_free(FcHeap *heap);

/* What is kept for each thread. */
typedef struct FcHeapThread FcHeapThread;
/* `tally` is the thread's own. */
FcHeapThread *fc_heap_thread_new(FcHeap *heap, const FcTally *tally);
void fc_heap_thread_free(FcHeapThread *thread);
/* Where the thread's own stack is, to recognise pointers into it. */
void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end);

/* One record of memory, made while `node` of the thread's tally was on top.  Fields as in
 * fc-format.h, the generation taken out of `site`. */
void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 frame, guint32 node);

/* The thread makes no more records. */
void fc_heap_thread_finish(FcHeapThread *thread);
/* No thread does: what still waits is decided. */
void fc_heap_finish(FcHeap *heap);
