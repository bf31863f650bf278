/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Detects that the thread was off the CPU, by one comparison in each hook that records.
 *
 * The C library registers an area for restartable sequences (rseq) for each thread, with a pointer
 * to a descriptor.  The kernel sets that pointer to NULL whenever it takes the CPU from the
 * thread, for another thread or because the thread waits, and when it delivers a signal.  libfc
 * has a descriptor of code that never runs and lets the pointer point there.  While it does, the
 * thread was not off the CPU.  Otherwise the clocks are read, and an FC_RECORD_OFF reports the
 * time.
 *
 * libfc never overwrites a descriptor of the program's own.  While the pointer has that value, and
 * where there is no such area, the clocks are read after each long time without a record.  That is
 * called coarse.
 *
 * Async-signal-safe; a handler may come between any two instructions.
 */
#pragma once

#include "libfc/base/mark.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* The state of a thread's clocks. */
struct FcClocks
{
    uint64_t time;  /* ticks */
    uint64_t ahead; /* as in FC_OFF_SEEN */
    uint64_t waits; /* likewise */
};

/* The pointer's offset from the thread pointer.  0 before fc_switches_setup: then it is that of
 * a word that never equals the mark. */
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

/* In a thread that is checked coarsely, the clocks are read after this many ticks of the counter
 * without a record, some 20 us. fc_switches_are_coarse: all threads are checked so. */
#define FC_SWITCHES_LONG_TICKS 50000u
extern bool fc_switches_are_coarse __attribute__((visibility("hidden")));

/* Whether fc_switches_check has nothing to do although fc_switches_any is true: the thread is
 * checked coarsely, and made its last record shortly before `time`, in ticks of the counter.
 * For hooks for which that call is expensive. */
static inline __attribute__((always_inline)) bool fc_switches_is_soon(uint64_t time)
{
    if (!fc_switches_are_coarse || !fc_thread.has_begun ||
        (fc_thread.pause_ticks | fc_thread.pause_off_ns) != 0 ||
        time - fc_thread.checked_at > FC_SWITCHES_LONG_TICKS)
        return false;
    fc_thread.checked_at = time;
    return true;
}

/* Chooses how to check.  `is_wall`: a thread's time goes on while it is off the CPU; otherwise
 * there is nothing to detect.  Called once, at start. */
void fc_switches_setup(bool is_wall);

/* The calling thread is about to be announced to fcmanager. */
void fc_switches_begin_thread(void);

/* Reads the calling thread's clocks. */
void fc_switches_read(struct FcClocks *clocks);
/* In a forked child: sends the state of its clocks, `since`, at its hello.  The frames that it
 * inherits are timed from there on, and it may never make a record.  What libfc did since then
 * is a pause, which goes on.  Signals blocked. */
void fc_switches_begin_forked(const struct FcClocks *since);

/* The thread has a chunk with room, and its own records follow.  Records the state of its clocks,
 * unless that was done before, and sets *time, which is the first record's, to the time of that
 * state.  So the time that the thread waited before, for the manager or for a chunk, is in no
 * function's time.  Signals blocked. */
void fc_switches_begin_records(uint64_t *time);

/* For a thread that has not begun and measures the overhead of hooks: pretends that it was
 * checked just now. */
void fc_switches_pretend(void);

/* Before a record that is made at `time`: records what went before it.  Also detects a fork that
 * libfc did not notice; the child goes its own way from here. */
void fc_switches_check(uint64_t time);

/* The same, and makes the record. */
void fc_switches_record(uint64_t time, void *function, void *site, uint64_t where);

/* What the thread does between these two is libfc's work, or waiting for the manager.  It is
 * reported with the next record and is no part of the program's time.  If a handler that comes
 * in between calls the first one as well, the outer pause ends there. */
void fc_switches_begin_pause(void);
void fc_switches_end_pause(void);
/* The same where a pause may have begun already; then returns false, and that pause goes on. */
bool fc_switches_begin_inner_pause(void);
/* In a pause, signals blocked until it ends: records that follow get the time at which the pause
 * began.  The manager subtracts a pause from the time before the record that reports it.  If
 * records were made in the pause at their own times, the time up to them would count as the
 * program's. */
void fc_switches_stop_time(void);
/* Ends a pause, if there is one, and records all that went before.  The thread makes no record
 * after this in its process or program.  Returns the time of the end, as the thread may be off
 * the CPU right after it.  Signals blocked. */
uint64_t fc_switches_check_last(void);
