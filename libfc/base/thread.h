/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What libfc keeps for each thread of the program.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FC_IN_FLIGHT_MAX 64
/* How many messages a thread may queue (fc_channel_send_later). */
#define FC_QUEUED_MAX 4

/* How many units of a chunk a record may begin in; an even number.  Hooks that find the chunk
 * full rely on the room after these units (slow.c).  Builds for tests have fewer, so that chunks
 * are full more often. */
#define FC_UNITS_MOST (FC_CHUNK_STARTS - 256u)
#if defined(FC_TEST_EAGER)
#define FC_UNITS 320u
#else
#define FC_UNITS FC_UNITS_MOST
#endif

/* A chunk that was given away. */
struct FcSent
{
    uint32_t index;
    uint32_t sequence;
};

struct FcDeferred;

struct FcThread
{
    /* Where the next record goes: address of the current chunk in bits 16-47, the chunk's
       generation, as short records have it, in bits 48-63, bytes taken in bits 0-15.  One word, so
       that one instruction takes them and a signal handler finds either the old or the new state.
       Chunks are aligned to 65536 for this. */
    uint64_t cursor;
    struct FcCallSites *call_sites; /* NULL: all records are long (call-sites.h) */

    /* The rest is not for the hooks. */
    uint32_t number;               /* within the process, from 1; 0: not started */
    uint32_t sequence;             /* of the next chunk */
    struct FcChunk *private_chunk; /* the private buffer in use */
    struct FcChunk *parked;        /* given up, not yet complete or not yet sent; oldest first */
    struct FcChunk *last_parked;   /* the newest one of them */
    struct FcChunk *spare;         /* buffers to be used again */
    struct FcThread *next_user;    /* the next thread with private buffers */
    uint32_t private_lock;         /* of private_chunk, parked, spare and is_taken */
    bool is_taken;                 /* the thread that ends the process has sent its private
                                      buffers */
    const void *last_freed; /* the last pointer given to free, by which interpose-cxx.c sees whether
                               an operator delete called free */
    bool is_listed;
    bool is_announced;           /* fcmanager knows that the thread has a private buffer */
    uint8_t private_rounds;      /* how often a private buffer was claimed since */
    bool has_ended;              /* its key's destructor ran for the last time */
    uint8_t end_rounds;          /* how often it ran */
    bool is_looking_up;          /* libfc looks a function up; what is allocated meanwhile is
                                    libfc's */
    bool has_signal_stack;       /* or had one */
    bool is_quitting;            /* it ends the process: for it alone profiling is on */
    bool is_blocking;            /* signals are blocked by fc_block_signals */
    bool keeps_vectors;          /* a hook is running that must keep every register (vectors.h) */
    struct FcDeferred *deferred; /* deferred records (deferred.h); NULL: none */
    struct FcStackInfo own_stack;
    struct FcStackInfo signal_stack; /* as it was set last; all 0: none */
    uint64_t blocked_before;         /* what the program had blocked when `is_blocking` began */
    char *const *environment;        /* mapped by the child of a vfork (exec.c) */
    size_t environment_bytes;        /* 0: none */
    struct FcDetail *detail;         /* NULL: no records were scanned yet (detail.c) */
    struct FcDepth *depth;           /* NULL: it is not known what is open (depth.c) */
    bool checks_all_calls;     /* with a user filter or FC_DEPTH: every call goes to counted.c */
    struct FcCounted *counted; /* NULL: nothing is counted yet (counters.c) */
    int tid;                   /* the kernel's number; from here on for switches.c */
    bool has_begun;            /* its first FC_OFF_SEEN was recorded */
    bool is_forked;            /* it was sent as a message instead, by a forked child */
    bool is_pausing;           /* libfc is working, or waits for the manager */
    bool is_time_still;        /* records made meanwhile get the time when that began */
    uint64_t pause_time;       /* that time, in ticks */
    uint64_t pause_ahead;      /* the clocks' difference at that time */
    uint64_t pause_ticks;      /* ticks of pauses that were not recorded yet */
    uint64_t pause_off_ns;     /* how long the thread was off the CPU in them */
    uint64_t recorded_ahead;   /* the clocks' difference in the last record of it */
    uint64_t checked_at; /* in ticks: the last record at which the clocks were checked coarsely */
    uint32_t waits;      /* vain waits for a free chunk */
    uint32_t rounds;     /* FcShared.rounds at the last of them */
    uint32_t sent_count; /* how many chunks were ever given away */
    uint32_t back_count; /* how many of them, from the first on, are back */
    uint32_t hint;       /* where to search for the next chunk */
    struct FcSent sent[FC_IN_FLIGHT_MAX];   /* chunk n is at n % FC_IN_FLIGHT_MAX */
    uint32_t queued_count;                  /* queued messages (fc_channel_send_later) */
    struct FcMessage queued[FC_QUEUED_MAX]; /* sent by one write */
    uint32_t gap_index; /* index of the chunk that was given away at a fork while a hook still had
                           to store a record in it; 0: none */
    uint32_t gap_units; /* how many of its units were taken */
};

_Static_assert(FC_QUEUED_MAX * sizeof(struct FcMessage) <= FC_MESSAGE_MAX, "one write");

/* initial-exec: it is reached by one instruction and never allocated.  libfc is mostly loaded at
 * start; if it comes with a plug-in, glibc has spare room for it. */
extern __thread struct FcThread fc_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Whether `address` is on the calling thread's own stack.  False before that is known. */
static inline bool fc_thread_is_on_own_stack(uint64_t address)
{
    return address - fc_thread.own_stack.start <
           fc_thread.own_stack.end - fc_thread.own_stack.start;
}

#define FC_CURSOR_GENERATION_SHIFT 48
#define FC_CURSOR_ADDRESS_SHIFT 16 /* after a rotation by this many bits */
#define FC_CURSOR(chunk, generation, units)                                                        \
    ((uint64_t)(uintptr_t)(chunk) |                                                                \
     (uint64_t)FC_GENERATION_OF_SHORT(generation) << FC_CURSOR_GENERATION_SHIFT |                  \
     (uint64_t)(units) * sizeof(struct FcUnit))
/* A cursor without a chunk: every hook takes the slow path. */
#define FC_CURSOR_NONE ((uint64_t)FC_UNITS_MOST * sizeof(struct FcUnit))
#define FC_CURSOR_UNITS(cursor) ((uint32_t)(uint16_t)(cursor) / (uint32_t)sizeof(struct FcUnit))
#define FC_CURSOR_CHUNK(cursor) ((struct FcChunk *)(uintptr_t)((cursor) << 16 >> 32 << 16))
_Static_assert((FC_CHUNK_UNITS - FC_UNITS_MOST) * sizeof(struct FcUnit) >= 4096,
               "room to count on");

/* Whether the loader has not initialized the first thread's variables yet: all of them are 0. It
 * is still relocating the program, and calls ifunc resolvers. */
static inline bool fc_thread_is_early(void)
{
    return fc_thread.cursor == 0;
}

/* For the slow path of the thread itself.  Another thread may read the cursor
 * (fc_buffers_send_others). */
static inline void fc_thread_set_cursor(uint64_t cursor)
{
    __atomic_store_n(&fc_thread.cursor, cursor, __ATOMIC_RELAXED);
}

/* Returns the cursor and leaves FC_CURSOR_NONE, in one step: a handler may record in between
 * (deferred.h). */
static inline uint64_t fc_thread_take_cursor(void)
{
    return __atomic_exchange_n(&fc_thread.cursor, FC_CURSOR_NONE, __ATOMIC_RELAXED);
}

/* relaxed: only the thread itself calls this, or the thread that ends the process, when this one
 * has stopped. */
static inline uint32_t fc_thread_next_sequence(struct FcThread *thread)
{
    return __atomic_fetch_add(&thread->sequence, 1, __ATOMIC_RELAXED);
}
