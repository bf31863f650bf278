/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Seeing that the thread was off the CPU, by one comparison in each hook that records.
 *
 * The C library registers an area for restartable sequences (rseq) for each thread.  The kernel
 * sets its pointer to a descriptor to NULL whenever it takes the CPU away from the thread, for
 * another thread or because it waits, and when a signal is delivered.  libfc has a descriptor of
 * code that never runs: while the pointer leads to it, the thread was not off the CPU.  Only
 * where it does not, the clocks are asked, and an FC_RECORD_OFF tells the manager.
 *
 * A descriptor of the program's own is left alone.  Where it stands, and where there is no such
 * area, the clocks are asked after each long time without a record: that is coarse.
 *
 * Async-signal-safe; a handler may come between any two instructions.
 */
#pragma once

#include "libfc/base/mark.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a thread's clocks stand. */
struct FcClocks
{
    uint64_t time;  /* ticks */
    uint64_t ahead; /* as FC_OFF_SEEN tells it, */
    uint64_t waits; /* and this */
};

/* Where the pointer is, from the thread pointer on.  0, before fc_switches_setup: leads to a word
 * that is never that of the mark. */
extern intptr_t fc_switches_offset __attribute__((visibility("hidden")));

static inline __attribute__((always_inline)) const void **fc_switches_pointer(void)
{
#if defined(__x86_64__)
    uintptr_t thread;
    __asm__("movq %%fs:0, %0" : "=r"(thread));
#else
    uintptr_t thread = (uintptr_t)__builtin_thread_pointer();
#endif
    return (const void **)(thread + (uintptr_t)fc_switches_offset);
}

/* Whether fc_switches_check has anything to do, or profiling is off. */
static inline __attribute__((always_inline)) bool fc_switches_any(void)
{
#if defined(__x86_64__)
    bool differs;
    __asm__ volatile("cmpq %1, %%fs:(%2)"
                     : "=@ccne"(differs)
                     : "r"(__atomic_load_n(&fc_mark_sought, __ATOMIC_RELAXED)),
                       "r"(fc_switches_offset)
                     : "memory");
    return fc_unlikely(differs);
#else
    return fc_unlikely(__atomic_load_n(fc_switches_pointer(), __ATOMIC_RELAXED) !=
                       __atomic_load_n(&fc_mark_sought, __ATOMIC_RELAXED));
#endif
}

/* Ticks of the counter without a record, some 20 us, after which the clocks are asked where threads
 * are looked at coarsely; and whether all are. */
#define FC_SWITCHES_LONG_TICKS 50000u
extern bool fc_switches_are_coarse __attribute__((visibility("hidden")));

/* Whether fc_switches_check would have nothing to do though fc_switches_any says so: the thread is
 * looked at coarsely, and made its last record shortly before `time`, a tick of the counter.  For
 * hooks from which the way there is long. */
static inline __attribute__((always_inline)) bool fc_switches_is_soon(uint64_t time)
{
    if (!fc_switches_are_coarse || !fc_thread.has_begun ||
        (fc_thread.pause_ticks | fc_thread.pause_off_ns) != 0 ||
        time - fc_thread.checked_at > FC_SWITCHES_LONG_TICKS)
        return false;
    fc_thread.checked_at = time;
    return true;
}

/* Chooses how to look.  `is_wall`: a thread's time goes on while it is off the CPU; else there is
 * nothing to see.  Once, at start. */
void fc_switches_setup(bool is_wall);

/* The calling thread is about to be told of. */
void fc_switches_begin_thread(void);

/* Where the calling thread's clocks stand now. */
void fc_switches_read(struct FcClocks *clocks);
/* In a forked child: the frames that it inherits are timed from its hello on, when its clocks stood
 * as `since` says, and perhaps it never makes a record.  So this is told at once, by a message.
 * What libfc did since then is a pause, which goes on.  Signals blocked. */
void fc_switches_begin_forked(const struct FcClocks *since);

/* The thread has a chunk, with room, and records of its own are to follow: tells where its clocks
 * stand, if that was not told, and makes *time, of the first record, the time of that.  What it
 * waited until then, for the manager to start or for a chunk, is in no function's time.  Signals
 * blocked. */
void fc_switches_begin_records(uint64_t *time);

/* For a thread that has not begun, and measures what hooks take: as if it had been looked just now.
 */
void fc_switches_pretend(void);

/* Before a record that is made at `time`: tells, by a record, of what went before it.  The child of
 * a fork that nobody was told of goes its own way from here. */
void fc_switches_check(uint64_t time);

/* The same, and the record. */
void fc_switches_record(uint64_t time, void *function, void *site, uint64_t where);

/* What the thread does between these two is libfc's doing, and waiting for the manager: told with
 * the next record, it is no part of the program's time.  Where a handler comes in between that
 * does the same, the first of the two ends there. */
void fc_switches_begin_pause(void);
void fc_switches_end_pause(void);
/* The same within, perhaps, what is one already: false where it is, which goes on. */
bool fc_switches_begin_inner_pause(void);
/* Within a pause, if it is one, with signals blocked to its end: what the thread records from here
 * on is of the time when the pause began.  The manager takes a pause for what was last before the
 * record that tells of it: of one that has records within, the time up to these would be the
 * program's. */
void fc_switches_stop_time(void);
/* Ends a pause where there is one, and tells of all that went before: after this the thread makes
 * no record any more in its process, or program.  Returns the time of that, its end: the thread may
 * be off the CPU right after it.  Signals blocked. */
uint64_t fc_switches_check_last(void);
