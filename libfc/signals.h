/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocking signals where libfc's own state is not whole.  Calls may be nested.
 */
#pragma once

#include "libfc/sys.h"
#include "libfc/thread.h"

/* What is done while signals are blocked needs less stack than that, in bytes: 1,976 where a notice
 * is printed, by gcc's -fcallgraph-info=su for x86-64.  fc_start needs more, at the first call. */
#define FC_STACK_NEEDED 2048

/* Faults here where so much stack is not left.  It is only read: below a small stack there may be
 * what is another's. */
__attribute__((noinline, unused)) static void fc_signals_reach_stack(void)
{
    char room[FC_STACK_NEEDED];
#if defined(__x86_64__)
    __asm__ volatile("testb $0, %0" : : "m"(room) : "cc");
#else
    __asm__ volatile("ldrb wzr, %0" : : "Q"(room[0]));
#endif
}

/* Every signal, libc's private ones included, so that nothing at all interrupts what is between the
 * two calls.  The kernel's mask is 8 bytes.
 * Where the program's stack ended in between, the kernel would end the program, as it does where
 * SIGSEGV is blocked, in place of calling its handler: so the end is met before. */
static inline uint64_t fc_block_signals(void)
{
    uint64_t all = UINT64_MAX;
    uint64_t old = 0;
    if (!fc_thread.is_blocking)
        fc_signals_reach_stack();
    fc_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof all);
    fc_thread.is_blocking = true;
    return old;
}

static inline void fc_restore_signals(uint64_t old)
{
    /* blocked by the caller's caller: as none can block these two, nothing else blocks all others
     */
    const uint64_t nested =
        UINT64_MAX & ~(UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1));
    if (old != nested)
        fc_thread.is_blocking = false;
    fc_sys(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
}
