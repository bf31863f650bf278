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
/* Messages that wait for others (fc_channel_send_later), at most. */
#define FC_QUEUED_MAX 4

/* In so many units of a chunk records begin; an even number.  It leaves room behind them, in which
 * hooks count on that find it full (slow.c).  Tests that are to decide often what is counted, and
 * on little, have few. */
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
    struct FcChunk *private_chunk; /* private buffers: that in use; */
    struct FcChunk *parked;        /* those given up that wait for a gap to be filled or to be
                                      sent, oldest first; */
    struct FcChunk *last_parked;   /* of them; */
    struct FcChunk *spare;         /* those to be used again */
    struct FcThread *next_user;    /* of private buffers */
    uint32_t private_lock;         /* of private_chunk, parked, spare and is_taken */
    bool is_taken;                 /* another thread ends the process and has sent them */
    const void *last_freed;        /* the last pointer given to free; interpose-cxx.c sees by it
                                      whether an operator delete called free */
    bool is_listed;
    bool is_announced;           /* fcmanager knows that the thread has a private buffer */
    uint8_t private_rounds;      /* how often it was claimed since */
    bool has_ended;              /* its key's destructor ran for the last time */
    uint8_t end_rounds;          /* how often it ran */
    bool is_looking_up;          /* what is allocated meanwhile is libfc's own doing */
    bool has_signal_stack;       /* or had one */
    bool is_quitting;            /* it ends the process: for it alone profiling is still on */
    bool is_blocking;            /* signals, by fc_block_signals */
    bool keeps_vectors;          /* a hook is at work that keeps every register (vectors.h) */
    struct FcDeferred *deferred; /* deferred records (deferred.h); NULL: none */
    struct FcStackInfo own_stack;
    struct FcStackInfo signal_stack; /* as it was set last; all 0: none */
    uint64_t blocked_before;         /* by the program, when `is_blocking` began */
    char *const *environment;        /* mapped by the child of a vfork (exec.c) */
    size_t environment_bytes;        /* 0: none */
    struct FcDetail *detail;         /* NULL: nothing was looked at yet (detail.c) */
    struct FcDepth *depth;           /* NULL: what is open is not known (depth.c) */
    bool checks_all_calls;     /* with a user filter or FC_DEPTH: every call goes to counted.c */
    struct FcCounted *counted; /* NULL: nothing is counted yet (counters.c) */
    int tid;                   /* the kernel's number, as of switches.c, like what follows: */
    bool has_begun;            /* where its clocks stood first was told */
    bool is_forked;            /* the same, by a message */
    bool is_pausing;           /* libfc is at work, or waits for the manager, */
    bool is_time_still;        /* and its records are all of the time when that began, */
    uint64_t pause_time;       /* this, in ticks, */
    uint64_t pause_ahead;      /* when the clocks stood so; */
    uint64_t pause_ticks;      /* so much of it was not told yet, */
    uint64_t pause_off_ns;     /* of which off the CPU */
    uint64_t recorded_ahead;   /* where the clocks stood when it was last told */
    uint64_t checked_at;       /* ticks: the last record that was looked at coarsely */
    uint32_t waits;            /* for a free chunk, without success */
    uint32_t rounds;           /* of fcmanager's, at the last of them */
    uint32_t sent_count;       /* of chunks given away, ever, */
    uint32_t back_count;       /* of which the first ones, so many, are back */
    uint32_t hint;             /* where to look for the next chunk */
    struct FcSent sent[FC_IN_FLIGHT_MAX];   /* the last, at sent_count % FC_IN_FLIGHT_MAX */
    uint32_t queued_count;                  /* of these: */
    struct FcMessage queued[FC_QUEUED_MAX]; /* one write takes them all */
    uint32_t gap_index; /* of the chunk that was given away at a fork while a hook had yet to store
                           a record in it; 0: there is none; */
    uint32_t gap_units; /* so many were taken in it */
};

_Static_assert(FC_QUEUED_MAX * sizeof(struct FcMessage) <= FC_MESSAGE_MAX, "one write");

/* initial-exec: one instruction to reach it, and never an allocation.  libfc is loaded at
 * start as a rule; where it comes with a plug-in, glibc keeps room for such. */
extern __thread struct FcThread fc_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Of the calling thread.  False of any address before its stack is known. */
static inline bool fc_thread_is_on_own_stack(uint64_t address)
{
    return address - fc_thread.own_stack.start <
           fc_thread.own_stack.end - fc_thread.own_stack.start;
}

#define FC_CURSOR_GENERATION_SHIFT 48
#define FC_CURSOR_ADDRESS_SHIFT 16 /* once it is rotated by so much */
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

/* For the slow path of the thread itself: another one may look at it (fc_buffers_send_others). */
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

/* Relaxed: for the thread itself, or for whoever ends the process, when it does no more. */
static inline uint32_t fc_thread_next_sequence(struct FcThread *thread)
{
    return __atomic_fetch_add(&thread->sequence, 1, __ATOMIC_RELAXED);
}
