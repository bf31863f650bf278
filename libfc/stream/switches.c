/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See switches.h.  Called by the hooks, by the slow path and by whatever waits for the manager.
 */
#include "libfc/stream/switches.h"

#include "libfc/base/clock.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/thread.h"
#include "libfc/stream/record.h"

#include <sys/resource.h>

/* glibc's symbol, from 2.35 on: the offset of the area from the thread pointer; 0: there is
 * none. */
extern const ptrdiff_t __rseq_offset __attribute__((weak, visibility("default")));
extern const unsigned int __rseq_size __attribute__((weak, visibility("default")));

/* Members of struct rseq: the number of the CPU, negative if the area is not registered, and the
 * pointer. */
#define RSEQ_CPU 4
#define RSEQ_POINTER 8
#define LONG_NS 20000u /* FC_SWITCHES_LONG_TICKS with another clock */
/* How often the clocks are read again if reading them takes that long itself. */
#define TRIES_MAX 8u

/* Replaces the kernel's pointer where that can't be used. */
static __thread const void *own_pointer __attribute__((tls_model("initial-exec")));

intptr_t fc_switches_offset;
bool fc_switches_are_coarse;

static enum {
    CHECK_NEVER, /* the pointer is own_pointer, which points to one of the marks */
    CHECK_BY_RSEQ,
    CHECK_COARSELY, /* the pointer is own_pointer, and NULL */
} how;

/* ---- Start ---------------------------------------------------------------------------- */

static bool is_registered(const void **pointer)
{
    const int32_t *cpu =
        (const int32_t *)(const void *)((const char *)pointer - RSEQ_POINTER + RSEQ_CPU);
    return __atomic_load_n(cpu, __ATOMIC_RELAXED) >= 0;
}

/* Some kernels handle the pointer where a thread was interrupted, but not where it waits of its
 * own accord.  A short wait may be over before the thread is switched out, if the timer has no
 * slack, as with a real-time policy. */
static bool sees_waits(const void **pointer)
{
    bool is_seen = false;
    __atomic_store_n(pointer, &fc_mark, __ATOMIC_RELAXED);
    for (long ns = 1; ns <= 1000000 && !is_seen; ns *= 1000)
    {
        const struct timespec wait = {0, ns};
        fc_sys(SYS_nanosleep, &wait, NULL);
        is_seen = !__atomic_load_n(pointer, __ATOMIC_RELAXED);
    }
    __atomic_store_n(pointer, NULL, __ATOMIC_RELAXED);
    return is_seen;
}

void fc_switches_setup(bool is_wall)
{
    how = is_wall ? CHECK_COARSELY : CHECK_NEVER;
    const unsigned int *bytes = &__rseq_size;
    if (is_wall && bytes && *bytes > 0)
    {
        fc_switches_offset = __rseq_offset + RSEQ_POINTER;
        const void **pointer = fc_switches_pointer();
        if (is_registered(pointer) && !__atomic_load_n(pointer, __ATOMIC_RELAXED) &&
            sees_waits(pointer))
        {
            how = CHECK_BY_RSEQ;
            return;
        }
    }
    fc_switches_are_coarse = how == CHECK_COARSELY;
    fc_switches_offset = 0;
    fc_switches_offset = (intptr_t)&own_pointer - (intptr_t)fc_switches_pointer();
}

/* ---- Clocks --------------------------------------------------------------------------- */

/* Grows by the time that the thread is off the CPU; only differences mean something.  The first
 * of the two clocks runs at the rate of the second. */
static uint64_t ahead_ns(void)
{
    return fc_clock_raw_ns() - fc_clock_thread_ns();
}

static bool is_long_time(uint64_t ticks)
{
    return ticks > (fc_clock_is_fast() ? FC_SWITCHES_LONG_TICKS : LONG_NS);
}

/* Reads both clocks for one moment, *time.  A thread is mostly switched out at the end of a
 * system call, and the clocks are read by system calls.  If one clock were read before a switch
 * and the other after it, they would show time off the CPU that never was. */
static uint64_t read_together(uint64_t *time)
{
    uint64_t ahead;
    uint64_t before;
    uint32_t tries = 0;
    do
    {
        before = fc_clock_peek();
        ahead = ahead_ns();
        *time = fc_clock_peek();
    } while (is_long_time(*time - before) && ++tries < TRIES_MAX);
    return ahead;
}

/* False in the child of a vfork, which has the parent's memory and its own clocks. */
static bool is_own_thread(void)
{
    return fc_sys(SYS_gettid) == fc_thread.tid;
}

/* How often the thread gave up the CPU of its own accord. */
static uint64_t count_waits(void)
{
    struct rusage usage = {0};
    fc_sys(SYS_getrusage, RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nvcsw & FC_OFF_WAITS_MASK;
}

void fc_switches_read(struct FcClocks *clocks)
{
    *clocks = (struct FcClocks){0};
    if (how == CHECK_NEVER)
    {
        clocks->time = fc_clock_peek();
        return;
    }
    clocks->ahead = read_together(&clocks->time);
    clocks->waits = count_waits();
}

/* ---- Recording ------------------------------------------------------------------------- */

/* Makes a record; or sends a message if the thread has made no record yet and may never make
 * one. */
static void record_off(enum FcOffRecord which, uint64_t time, uint64_t value, uint64_t site)
{
    uint64_t where = FC_RECORD_OFF | (uint64_t)which << FC_OFF_RECORD_SHIFT;
    value &= FC_OFF_VALUE_MASK;
    if (!fc_thread.has_begun)
    {
        const struct FcRecord record = {where, time, value, site};
        fc_record_send_off(&record);
        return;
    }
    fc_record_make(time, (void *)(uintptr_t)value, (void *)(uintptr_t)site, where);
}

static void record_clocks(const struct FcClocks *clocks, bool is_coarse)
{
    fc_thread.recorded_ahead = clocks->ahead;
    if (how != CHECK_NEVER)
        record_off(is_coarse ? FC_OFF_COARSE : FC_OFF_SEEN, clocks->time, clocks->ahead,
                   clocks->waits);
}

static void record_ahead(uint64_t time, uint64_t ahead, bool is_coarse)
{
    const struct FcClocks clocks = {time, ahead, count_waits()};
    record_clocks(&clocks, is_coarse);
}

/* Records the pauses that were not recorded yet. */
static void record_pause(uint64_t time)
{
    uint64_t ticks = __atomic_exchange_n(&fc_thread.pause_ticks, 0, __ATOMIC_RELAXED);
    uint64_t off_ns = __atomic_exchange_n(&fc_thread.pause_off_ns, 0, __ATOMIC_RELAXED);
    if (ticks != 0 || off_ns != 0)
        record_off(FC_OFF_PAUSED, time, ticks, off_ns <= FC_SITE_ADDRESS_MASK ? off_ns : 0);
}

/* ---- Checking -------------------------------------------------------------------------- */

static const void *get_pointer(void)
{
    return __atomic_load_n(fc_switches_pointer(), __ATOMIC_RELAXED);
}

static void set_pointer(const struct FcMark *mark)
{
    __atomic_store_n(fc_switches_pointer(), mark, __ATOMIC_RELAXED);
}

/* Whether this thread is checked coarsely: because all threads are, or because the C library
 * could not register this thread's area. */
static bool is_coarse_here(void)
{
    return how == CHECK_COARSELY || (how == CHECK_BY_RSEQ && !is_registered(fc_switches_pointer()));
}

static bool is_long(uint64_t time)
{
    uint64_t since = time - fc_thread.checked_at;
    fc_thread.checked_at = time;
    return is_long_time(since);
}

/* Records pauses.  Returns whether the clocks are to be read. */
static bool must_ask(uint64_t time, bool *is_coarse)
{
    /* A forked child begins with NULL in the kernel's pointer, so it comes here before its first
       record, which must not be stored in its parent's chunk.  The slow path handles that. */
    if (fc_unlikely(fc_state_forked_unseen()))
    {
        fc_thread_set_cursor(FC_CURSOR_NONE);
        return false;
    }
    if (!fc_thread.has_begun)
        return false;
    const void *found = get_pointer();
    bool is_coarse_thread = is_coarse_here();
    bool has_mark = found == &fc_mark_of_pause || found == &fc_mark;
    bool is_foreign = found && !has_mark;
    /* before the clocks are read: a later switch is seen by the next check */
    if (!is_coarse_thread && !is_foreign)
        set_pointer(&fc_mark);
    record_pause(time);
    *is_coarse = is_coarse_thread || is_foreign;
    return how != CHECK_NEVER && !has_mark && (!*is_coarse || is_long(time)) && is_own_thread();
}

FC_REALIGN void fc_switches_check(uint64_t time)
{
    bool is_coarse;
    /* Each single step ends in the kernel, and leads here again. */
    const bool is_stepped = fc_signals_stop_steps();
    if (must_ask(time, &is_coarse))
        record_ahead(time, ahead_ns(), is_coarse);
    if (fc_unlikely(is_stepped))
        fc_signals_go_on_in_steps();
}

FC_REALIGN void fc_switches_record(uint64_t time, void *function, void *site, uint64_t where)
{
    fc_switches_check(time);
    fc_record_make(time, function, site, where);
}

void fc_switches_pretend(void)
{
    if (how == CHECK_BY_RSEQ && !is_coarse_here() && !get_pointer())
        set_pointer(&fc_mark);
}

void fc_switches_begin_thread(void)
{
    fc_thread.has_begun = false;
    fc_thread.is_forked = false;
    fc_thread.is_pausing = false;
    fc_thread.is_time_still = false;
    fc_thread.pause_ticks = 0;
    fc_thread.pause_off_ns = 0;
    fc_thread.tid = (int)fc_sys(SYS_gettid);
}

/* ---- Pauses ---------------------------------------------------------------------------- */

/* Whether the thread has begun, so that its time belongs to functions. */
static bool has_clocks(void)
{
    return fc_thread.has_begun || fc_thread.is_forked;
}

/* Whether the thread may have been off the CPU since the last record of it. */
static bool may_have_been_off(void)
{
    const void *found = get_pointer();
    return how != CHECK_NEVER && found != &fc_mark && found != &fc_mark_of_pause && is_own_thread();
}

/* The state of the clocks, and *time; `recorded` if the thread was not off the CPU since then. */
static uint64_t read_for_pause(uint64_t *time, uint64_t recorded)
{
    /* before the pointer is read, so that no switch in between is missed */
    *time = fc_clock_peek();
    return may_have_been_off() ? read_together(time) : recorded;
}

/* `ahead`: the current difference of the clocks. */
static void add_pause(uint64_t time, uint64_t ahead)
{
    uint64_t off_ns = ahead - fc_thread.pause_ahead;
    fc_thread.is_pausing = false;
    fc_thread.is_time_still = false;
    fc_thread.pause_ticks += time - fc_thread.pause_time;
    fc_thread.pause_off_ns += (int64_t)off_ns > 0 ? off_ns : 0;
}

void fc_switches_begin_pause(void)
{
    if (!has_clocks())
        return;
    uint64_t time;
    uint64_t ahead = read_for_pause(&time, fc_thread.recorded_ahead);
    if (fc_thread.is_pausing)
        add_pause(time, ahead);
    fc_thread.pause_time = time;
    fc_thread.pause_ahead = ahead;
    fc_thread.is_pausing = true;
}

bool fc_switches_begin_inner_pause(void)
{
    if (!has_clocks() || fc_thread.is_pausing)
        return false;
    fc_switches_begin_pause();
    return true;
}

void fc_switches_stop_time(void)
{
    fc_thread.is_time_still = fc_thread.is_pausing;
}

void fc_switches_end_pause(void)
{
    if (!fc_thread.is_pausing)
        return;
    uint64_t time;
    uint64_t ahead = read_for_pause(&time, fc_thread.pause_ahead);
    add_pause(time, ahead);
    if (!may_have_been_off() && !is_coarse_here())
        set_pointer(&fc_mark_of_pause); /* so that the next hook checks */
}

/* ---- Beginning ------------------------------------------------------------------------- */

void fc_switches_begin_forked(const struct FcClocks *since)
{
    fc_thread.is_forked = true;
    fc_thread.pause_time = since->time;
    fc_thread.pause_ahead = since->ahead;
    fc_thread.is_pausing = true;
    record_clocks(since, is_coarse_here());
}

/* Records the pause up to `now`, in which the thread gets its first chunk.  The pause goes on. */
static void record_pause_so_far(const struct FcClocks *now)
{
    if (fc_thread.is_pausing)
    {
        add_pause(now->time, now->ahead);
        fc_thread.pause_time = now->time;
        fc_thread.pause_ahead = now->ahead;
        fc_thread.is_pausing = true;
    }
    record_pause(now->time);
}

void fc_switches_begin_records(uint64_t *time)
{
    if (fc_thread.has_begun)
        return;
    fc_thread.has_begun = true;
    /* before the clocks are read, as in fc_switches_check */
    const void *found = get_pointer();
    bool is_coarse = is_coarse_here();
    if (how == CHECK_BY_RSEQ && !is_coarse && (!found || found == &fc_mark_of_pause))
        set_pointer(&fc_mark);
    struct FcClocks now;
    fc_switches_read(&now);
    record_pause_so_far(&now);
    record_clocks(&now, is_coarse);
    *time = now.time;
}

/* ---- The end ---------------------------------------------------------------------------- */

uint64_t fc_switches_check_last(void)
{
    bool is_coarse;
    fc_switches_end_pause();
    if (has_clocks() && !fc_thread.has_begun)
    {
        struct FcClocks now;
        fc_switches_read(&now);
        record_pause(now.time);
        record_clocks(&now, is_coarse_here());
        return now.time;
    }
    uint64_t time = fc_clock_peek();
    if (fc_switches_any() && must_ask(time, &is_coarse))
    {
        /* no record follows that could correct what the clocks did not show */
        uint64_t ahead = read_together(&time);
        record_ahead(time, ahead, is_coarse);
    }
    return time;
}
