/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See unwind.h.  This file alone uses libunwind.  It loads libunwind by dlopen, so that a program
 * that is profiled without FC_MEMORY_UNWIND does not get it.
 */
#include "libfc/memory/unwind.h"

#include "libfc/base/clock.h"
#include "libfc/base/libc.h"
#include "libfc/base/loader.h"
#include "libfc/base/notice.h"
#include "libfc/base/signals.h"
#include "libfc/hooks/deferred.h"
#include "libfc/memory/early.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

#include <dlfcn.h>

/* Frames between libunwind and the caller of the allocator. */
#define OWN_MAX 8

/* From <libunwind.h>: return addresses, innermost first; returns their number. */
typedef int Backtrace(void **addresses, int most);

bool fc_unwind_is_on;

static Backtrace *backtrace;
static uintptr_t own_start; /* where libunwind is mapped */
static uintptr_t own_end;

/* The thread is in libunwind.  What libunwind allocates, or libc for it, is not the program's
 * allocation.  A signal handler that interrupts libunwind must not enter it again. */
static __thread bool is_busy __attribute__((tls_model("initial-exec")));

void fc_unwind_start(void)
{
    void *addresses[OWN_MAX];
    fc_early_pause(true); /* what the loader allocates is not the program's */
    /* RTLD_DEEPBIND: libunwind calls libc's functions, not the program's functions of the same
       names */
    void *library = fc_libc()->dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (library)
        backtrace = (Backtrace *)fc_libc()->dlsym(library, "unw_backtrace");
    if (backtrace)
    {
        backtrace(addresses, OWN_MAX); /* it initializes itself */
        fc_loader_find_bounds((const void *)(uintptr_t)backtrace, &own_start, &own_end);
    }
    else
        (void)fc_libc()->dlerror();
    fc_early_pause(false);
    fc_unwind_is_on = backtrace != NULL;
    if (!fc_unwind_is_on)
        fc_notice("libunwind.so.8 could not be loaded, stacks are not unwound");
}

static void record_piece(uint64_t number, const uint64_t *addresses)
{
    uint64_t time = fc_clock_now();
    void *function = (void *)(uintptr_t)(addresses[0] | number << FC_POINTER_CALL_SHIFT);
    void *site = (void *)(uintptr_t)addresses[2];
    uint64_t where = (uint64_t)FC_RECORD_STACK | addresses[1] << FC_STACK_SECOND_SHIFT;
    if (fc_switches_any())
        fc_switches_check(time);
    fc_record_make(time, function, site, where);
}

bool fc_unwind_is_own(const void *caller)
{
    return (uintptr_t)caller - own_start < own_end - own_start;
}

/* Reads the stack into `frames` and returns the number of frames; 0: not possible now.
 * libunwind holds its own lock while it takes the loader's.  If a thread that holds the loader's
 * lock came here, the two could deadlock, so libunwind is not called then (loader.h). */
static int ask(void **frames, int most)
{
    int count = 0;
    const uint64_t old = fc_block_signals();
    if (fc_loader_begin_often())
    {
        count = backtrace(frames, most);
        fc_loader_end();
    }
    fc_restore_signals(old);
    return count;
}

bool fc_unwind_record(const void *caller)
{
    void *frames[OWN_MAX + FC_STACK_MAX];
    if (is_busy)
        return false;
    if (fc_deferred_is_needed())
        return true;
    int saved_errno = fc_errno;
    is_busy = true;
    int count = ask(frames, OWN_MAX + FC_STACK_MAX);
    int at = 0;
    while (at < count && at < OWN_MAX && frames[at] != caller)
        at++;
    at = at < count && frames[at] == caller ? at + 1 : count;
    for (uint64_t number = 0; at < count && number < FC_STACK_MAX / 3; number++)
    {
        uint64_t piece[3] = {0};
        for (int i = 0; i < 3 && at < count; i++)
            piece[i] = (uint64_t)(uintptr_t)frames[at++] & FC_POINTER_MASK;
        record_piece(number, piece);
    }
    is_busy = false;
    fc_errno = saved_errno;
    return true;
}
