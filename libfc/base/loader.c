/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See loader.h.  A thread that is going to ask stores that first, and then checks whether the list
 * is held.  A thread that is going to hold it stores that first, and then checks whether any
 * thread asks, which it lets finish.  So no thread asks while the program's function is running,
 * and none waits for that.
 */
#include "libfc/base/loader.h"

#include "libfc/base/libc.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"

#include <dlfcn.h>
#include <stdint.h>
#include <unwind.h>

/* How often a fork gives way to threads that ask.  The first times it yields, then it sleeps. */
#define PATIENCE 1000
#define YIELDS 16
#define DELAY_NS 100000

typedef int Visit(struct dl_phdr_info *object, size_t bytes, void *data);
typedef int Iterate(Visit *visit, void *data);

static Iterate *real_iterate;
static void (*report_loaded)(void);

static uint32_t asking;              /* atomic: number of threads */
static uint32_t forking;             /* atomic: number of threads */
static uint32_t wanting;             /* atomic: number of threads that wait for the list */
static const struct FcThread *owner; /* atomic: the thread whose function is running */
static bool is_lost;                 /* a thread of the parent had the lock at the fork */

void fc_loader_setup(void (*report)(void))
{
    report_loaded = report;
    real_iterate = (Iterate *)fc_libc()->dlsym(RTLD_NEXT, "dl_iterate_phdr");
}

/* ---- Asking -------------------------------------------------------------------- */

bool fc_loader_begin(void)
{
    /* seq_cst: pairs with hold and fc_loader_before_fork, which store first and then check */
    __atomic_add_fetch(&asking, 1, __ATOMIC_SEQ_CST);
    const struct FcThread *current = __atomic_load_n(&owner, __ATOMIC_SEQ_CST);
    if ((!current || current == &fc_thread) && !is_lost &&
        __atomic_load_n(&forking, __ATOMIC_SEQ_CST) == 0)
        return true;
    fc_loader_end();
    return false;
}

bool fc_loader_begin_often(void)
{
    /* relaxed: a thread that just misses a waiter delays it once */
    return (__atomic_load_n(&wanting, __ATOMIC_RELAXED) == 0 ||
            __atomic_load_n(&owner, __ATOMIC_RELAXED) == &fc_thread) &&
           fc_loader_begin();
}

void fc_loader_end(void)
{
    __atomic_sub_fetch(&asking, 1, __ATOMIC_RELEASE);
}

/* A thread that asks may wait for a processor.  With a lower priority than this thread it gets
 * none while this one only yields. */
static void give_way(int round)
{
    const struct timespec delay = {0, DELAY_NS};
    if (round < YIELDS)
        fc_sys(SYS_sched_yield);
    else
        fc_sys(SYS_nanosleep, &delay, NULL);
}

/* Bounded: a thread that asks may wait for one that waits for this fork, if the program's
 * function was called without the interposer. */
void fc_loader_before_fork(void)
{
    __atomic_add_fetch(&forking, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < PATIENCE && __atomic_load_n(&asking, __ATOMIC_SEQ_CST) != 0; i++)
        give_way(i);
}

void fc_loader_after_fork(void)
{
    __atomic_sub_fetch(&forking, 1, __ATOMIC_RELEASE);
}

void fc_loader_after_fork_in_child(void)
{
    is_lost = is_lost || owner || asking != 0;
    owner = NULL;
    asking = 0;
    wanting = 0;
    forking = 0;
}

/* ---- Bounds of what is loaded ---------------------------------------------------- */

void fc_loader_read_bounds(const struct dl_phdr_info *object, uint64_t *start, uint64_t *end)
{
    *start = UINT64_MAX;
    *end = 0;
    for (int i = 0; i < object->dlpi_phnum; i++)
    {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uint64_t at = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        *start = at < *start ? at : *start;
        *end = at + segment->p_memsz > *end ? at + segment->p_memsz : *end;
    }
}

struct Bounds
{
    uint64_t address;
    uint64_t start;
    uint64_t end;
};

static int is_at_address(struct dl_phdr_info *object, size_t bytes, void *data)
{
    struct Bounds *bounds = data;
    (void)bytes;
    fc_loader_read_bounds(object, &bounds->start, &bounds->end);
    return bounds->address >= bounds->start && bounds->address < bounds->end;
}

bool fc_loader_find_bounds(const void *address, uintptr_t *start, uintptr_t *end)
{
    struct Bounds bounds = {.address = (uint64_t)(uintptr_t)address};
    if (fc_libc()->iterate_phdr(is_at_address, &bounds) == 0)
        return false;
    *start = (uintptr_t)bounds.start;
    *end = (uintptr_t)bounds.end;
    return true;
}

/* ---- Interposing dl_iterate_phdr ------------------------------------------------- */

struct Walk
{
    Visit *visit;
    void *data;
    int result;
    bool is_done;
    bool is_wanting;
    uint64_t signals;
};

static void release(void)
{
    /* release: a thread that finds the list free sees what was reported before */
    if (__atomic_load_n(&owner, __ATOMIC_RELAXED) == &fc_thread)
        __atomic_store_n(&owner, NULL, __ATOMIC_RELEASE);
}

_Unwind_Reason_Code
fc_loader_unwind(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                 struct _Unwind_Exception *exception, struct _Unwind_Context *context)
    __attribute__((visibility("hidden")));

/* An exception, or the end of the thread, leaves the program's function: the loader's lock is
 * released after this. */
_Unwind_Reason_Code fc_loader_unwind(int version, _Unwind_Action actions,
                                     _Unwind_Exception_Class class,
                                     struct _Unwind_Exception *exception,
                                     struct _Unwind_Context *context)
{
    (void)version;
    (void)class;
    (void)exception;
    (void)context;
    if (actions & _UA_CLEANUP_PHASE)
        release();
    return _URC_CONTINUE_UNWIND;
}

/* Called with the loader's lock, which a thread can take several times: the program's function
 * is called from a second, inner dl_iterate_phdr.  Signals are blocked except in that: a handler
 * may wait for a thread as well. */
__attribute__((noinline)) static int hold(struct dl_phdr_info *object, size_t bytes, void *data)
{
    __asm__ volatile(
        ".cfi_personality 0x1b, fc_loader_unwind"); /* relative to the place, 4 bytes */
    struct Walk *walk = data;
    (void)object;
    (void)bytes;
    walk->signals = fc_block_signals();
    if (fc_state_is_own_process())
        report_loaded();
    __atomic_store_n(&owner, &fc_thread, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&asking, __ATOMIC_SEQ_CST) == 0)
    {
        if (walk->is_wanting)
            __atomic_sub_fetch(&wanting, 1, __ATOMIC_RELAXED);
        fc_restore_signals(walk->signals);
        walk->result = real_iterate(walk->visit, walk->data);
        walk->is_done = true;
        walk->signals = fc_block_signals();
    }
    release();
    return 1;
}

FC_EXPORT int dl_iterate_phdr(Visit *visit, void *data)
{
    struct Walk walk = {.visit = visit, .data = data};
    if (!real_iterate)
        return fc_libc()->iterate_phdr(visit, data);
    if (fc_state_is_off() || __atomic_load_n(&owner, __ATOMIC_RELAXED) == &fc_thread)
        return real_iterate(visit, data);
    for (int round = 0;; round++)
    {
        fc_libc()->iterate_phdr(hold, &walk);
        fc_restore_signals(walk.signals);
        if (walk.is_done)
            return walk.result;
        if (!walk.is_wanting)
            __atomic_add_fetch(&wanting, 1, __ATOMIC_RELAXED);
        walk.is_wanting = true;
        give_way(round);
    }
}

extern Iterate fc_loader_iterate __attribute__((alias("dl_iterate_phdr")));
