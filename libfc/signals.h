/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocking signals where libfc's own state is not whole.  Calls may be nested.
 */
#pragma once

#include "libfc/sys.h"
#include "libfc/thread.h"
#include "libfc/vectors.h"

/* What is done while signals are blocked needs less stack than that, in bytes: 2,136 where a notice
 * is printed, by gcc's -fcallgraph-info=su for x86-64, and libc's dl_iterate_phdr 176 of
 * glibc 2.36. fc_start needs more, at the first call. */
#define FC_STACK_NEEDED 2400
/* And where the vector registers may have to be kept meanwhile (vectors.h), so much more. */
#define FC_STACK_OF_VECTORS (FC_REGISTERS_BYTES + 256)

/* Faults here where so much stack is not left.  It is only read: below a small stack there may be
 * what is another's. */
#if defined(__x86_64__)
#define FC_REACH(room) __asm__ volatile("testb $0, %0" : : "m"(room) : "cc")
#else
#define FC_REACH(room) __asm__ volatile("ldrb wzr, %0" : : "Q"((room)[0]))
#endif
__attribute__((noinline, unused)) static void fc_signals_reach_stack(void)
{
    char room[FC_STACK_NEEDED];
    FC_REACH(room);
}
__attribute__((noinline, unused)) static void fc_signals_reach_stack_of_vectors(void)
{
    char room[FC_STACK_NEEDED + FC_STACK_OF_VECTORS];
    FC_REACH(room);
}

/* In the mask that is restored: signals were blocked before.  Nobody can block SIGKILL, and the
 * kernel makes nothing of its bit. */
#define FC_SIGNALS_NESTED (UINT64_C(1) << (SIGKILL - 1))

/* Every signal, libc's private ones included, so that nothing at all interrupts what is between the
 * two calls.  The kernel's mask is 8 bytes.
 * Where the program's stack ended in between, the kernel would end the program, as it does where
 * SIGSEGV is blocked, in place of calling its handler: so the end is met before. */
static inline uint64_t fc_block_signals(void)
{
    const bool is_nested = fc_thread.is_blocking;
    uint64_t all = UINT64_MAX;
    uint64_t old = 0;
    if (!is_nested && fc_thread.keeps_vectors)
        fc_signals_reach_stack_of_vectors();
    else if (!is_nested)
        fc_signals_reach_stack();
    fc_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof all);
    if (!is_nested)
        fc_thread.blocked_before = old;
    fc_thread.is_blocking = true;
    return is_nested ? old | FC_SIGNALS_NESTED : old;
}

static inline void fc_restore_signals(uint64_t old)
{
    if (!(old & FC_SIGNALS_NESTED))
        fc_thread.is_blocking = false;
    fc_sys(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
}
