/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap of a process: its live blocks, the figures of its allocation sites, and the bad frees.
 * order.c passes the events, one after the other; output.c turns the heap into a profile.  Memory
 * grows with live blocks and allocation sites, not with events.
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/heap/blocks.h"
#include "profile/fc-profile.h"

/* Where something happened to memory, as FcProfileHeapPoint, but with times in ticks and nodes of
 * the process's counts as contexts. */
typedef struct
{
    guint32 context; /* node; 0: none */
    guint32 call;    /* enum FcMemoryCall */
    guint32 frames;  /* index of the heap frame around that of `site`; 0: not unwound */
    guint64 site;
    guint64 time; /* when the point was first met, which decides the module of `site` */
} FcHeapPoint;

/* A frame of an unwound stack: see FcProfileHeapFrame. */
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
    guint64 peak_count; /* how many peaks the heap had when peak_bytes was last set */
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

/* The last block that was freed at an address, by which a second free is recognized. */
struct FcHeapFreed
{
    guint64 pointer; /* 0: none */
    guint64 size_bytes;
    guint32 alloc_site;
    FcHeapPoint point; /* of the free */
};

#define FC_HEAP_SAMPLES 256

typedef struct
{
    FcCounts *contexts; /* the process's; not owned */
    FcHeapBlocks blocks;
    GArray *alloc_sites;  /* FcAllocSite; [0] stands for blocks that are not counted */
    FcMap alloc_site_map; /* context | call, site, frames -> allocation site */
    GArray *frames;       /* FcHeapFrame; [0] is none */
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
    guint64
        untracked_frees; /* blocks whose address was used again before a free of them was seen */
    guint64 bad_not_listed;
    gboolean has_foreign_allocator;   /* a library calls the C library's allocator directly: any
                                         pointer into the heap may be a block of it */
    guint64 foreign_frees;            /* frees of pointers into the heap that may be such blocks */
    guint64 origin;                   /* ticks: time 0 of the samples */
    guint64 samples[FC_HEAP_SAMPLES]; /* most live bytes in each interval */
    guint sample_count;
    guint64 sample_level;        /* live bytes after the last sample */
    guint sample_shift;          /* an interval has 2^sample_shift ticks */
    struct FcHeapFreed *history; /* the last freed blocks, by hash of their address */
    guint32 history_mask;
    guint64 search_budget; /* blocks that may still be searched for an address inside them */
} FcHeap;

/* Returns an empty heap; the caller frees it.  `contexts` are the process's sums; contexts of
 * allocation sites are made there.  They must outlive the heap. */
FcHeap *fc_heap_new(FcCounts *contexts, guint64 origin, guint32 blocks);
/* Returns the heap that a forked child begins with; the caller frees it.  `contexts` are the
 * child's; `cache` as in fc_counts_intern_node. */
FcHeap *fc_heap_copy(const FcHeap *heap, FcCounts *contexts, GArray *cache);
void fc_heap_free(FcHeap *heap);

/* ---- Events -------------------------------------------------------------------------
 *
 * One allocation, release or half of a realloc by the program. */

typedef enum
{
    FC_HEAP_ALLOCATE,
    FC_HEAP_NAME, /* sets the site of a block that was just allocated, or of one whose allocation
                     was not seen */
    FC_HEAP_FREE,
    FC_HEAP_REALLOC,     /* a realloc begins: the block does not exist until it ends */
    FC_HEAP_REALLOCATED, /* a realloc ends; pointer 0: it failed or only freed */
} FcHeapEventKind;

typedef struct
{
    guint8 kind;        /* FcHeapEventKind */
    gboolean temporary; /* a free; the thread allocated nothing since that block */
    gboolean on_stack;  /* FC_HEAP_FREE: the address is on the thread's own stack */
    guint64 pointer;
    guint64 size_bytes;
    FcHeapPoint point; /* its time is that of the event */
} FcHeapEvent;

guint32 fc_heap_alloc_site(FcHeap *heap, const FcHeapPoint *point);
/* Returns the number of a frame of an unwound stack; makes it if there is none.  `parent` 0: it is
 * the outermost frame. */
guint32 fc_heap_frame(FcHeap *heap, guint32 parent, guint64 address, guint64 time);

/* Adds a block.  No block may be live at the event's address.  `first`: the block that was
 * reallocated to it; NULL: none. */
void fc_heap_allocate(FcHeap *heap, const FcHeapEvent *event, const FcHeapBlock *first);
void fc_heap_release(FcHeap *heap, FcHeapBlock *block, const FcHeapEvent *event);
/* Changes the allocation site of `block` to that of `point`. */
void fc_heap_rename(FcHeap *heap, FcHeapBlock *block, const FcHeapPoint *point);
/* A release in two steps; fc_heap_put_back undoes the first. */
FcHeapBlock fc_heap_take_out(FcHeap *heap, FcHeapBlock *block, guint64 time);
void fc_heap_put_back(FcHeap *heap, const FcHeapBlock *block, guint64 time);
void fc_heap_count_release(FcHeap *heap, const FcHeapBlock *block, const FcHeapEvent *event);
/* Removes `block`: its address was allocated again, so no free of it will come. */
void fc_heap_replace_untracked(FcHeap *heap, FcHeapBlock *block, guint64 time);
/* Records a free of something that is not a block. */
void fc_heap_report_bad(FcHeap *heap, const FcHeapEvent *event);
