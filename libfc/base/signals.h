/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks signals while libfc's own state is incomplete.  Calls may be nested.
 */
#pragma once

#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/base/vectors.h"

/* Upper bound for the stack that is used while signals are blocked, in bytes: 2,136 where a
 * notice is printed, by gcc's -fcallgraph-info=su for x86-64, and 176 for libc's dl_iterate_phdr
 * of glibc 2.36. fc_start needs more, at the first call. */
#define FC_STACK_NEEDED 2400
/* The same where the vector registers may have to be saved as well (vectors.h). */
#define FC_STACK_OF_VECTORS (FC_REGISTERS_BYTES + 256)

/* Faults here if less stack than that is left.  It only reads: below a small stack there may be
 * other memory. */
#if defined(__x86_64__)
#define FC_REACH(room) __asm__ volatile("testb $0, %0" : : "m"(room) : "cc")
#elif defined(__aarch64__)
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

#define FC_SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

/* Flags in the mask that is restored: signals were blocked before; the program was
 * single-stepped.  These two signals can't be blocked, and the kernel ignores their bits. */
#define FC_SIGNALS_NESTED FC_SIGNAL_BIT(SIGKILL)
#define FC_SIGNALS_STEPPED FC_SIGNAL_BIT(SIGSTOP)

/* Signals that an instruction or a system call raises.  If they were blocked the kernel would
 * end the program, which may have a handler for them (a seccomp filter, a watched address). */
#define FC_SIGNALS_AT_ONCE                                                                         \
    (FC_SIGNAL_BIT(SIGSEGV) | FC_SIGNAL_BIT(SIGBUS) | FC_SIGNAL_BIT(SIGFPE) |                      \
     FC_SIGNAL_BIT(SIGILL) | FC_SIGNAL_BIT(SIGTRAP) | FC_SIGNAL_BIT(SIGSYS))

/* A program may let the processor trap after each instruction, for its own SIGTRAP handler.  It
 * runs at full speed while signals are blocked.  Without such a handler it is a debugger that
 * steps, which sets the same flag. */
static inline bool fc_signals_stop_steps(void)
{
#if defined(__x86_64__)
    const uint64_t trap_flag = 0x100;
    struct
    {
        uint64_t handler; /* as the kernel has it */
        uint64_t rest[3];
    } action = {0, {0}};
    const uint64_t flags = __builtin_ia32_readeflags_u64();
    if (fc_likely((flags & trap_flag) == 0) ||
        fc_sys(SYS_rt_sigaction, SIGTRAP, NULL, &action, 8) != 0 || action.handler <= 1)
        return false;
    __builtin_ia32_writeeflags_u64(flags & ~trap_flag);
    return true;
#else
    return false;
#endif
}

static inline void fc_signals_go_on_in_steps(void)
{
#if defined(__x86_64__)
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | 0x100);
#endif
}

/* Blocks every signal that can wait, libc's private ones included.  Between the two calls only
 * handlers of FC_SIGNALS_AT_ONCE interrupt, whose records deferred.h keeps.  What the program
 * has blocked stays blocked.  The kernel's mask has 8 bytes.  If the program's stack ended in
 * between, the kernel would end the program, since it can't call a handler of a blocked SIGSEGV;
 * so the end of the stack is touched before. */
static inline uint64_t fc_block_signals(void)
{
    const bool is_nested = fc_thread.is_blocking;
    uint64_t all = ~FC_SIGNALS_AT_ONCE;
    uint64_t old = 0;
    if (!is_nested && fc_thread.keeps_vectors)
        fc_signals_reach_stack_of_vectors();
    else if (!is_nested)
        fc_signals_reach_stack();
    const bool is_stepped = fc_signals_stop_steps();
    fc_sys(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof all);
    if (!is_nested)
        fc_thread.blocked_before = old;
    fc_thread.is_blocking = true;
    return old | (is_nested ? FC_SIGNALS_NESTED : 0) | (is_stepped ? FC_SIGNALS_STEPPED : 0);
}

/* Moves deferred records (deferred.h) to the thread's chunk.  Called just before signals are
 * unblocked.  Defined in deferred.c, which may include what this header must not. */
void fc_deferred_flush(void);

static inline void fc_restore_signals(uint64_t old)
{
    if (!(old & FC_SIGNALS_NESTED))
        fc_thread.is_blocking = false;
    while (fc_unlikely(fc_thread.deferred) && !(old & FC_SIGNALS_NESTED))
    {
        fc_thread.is_blocking = true; /* one of these handlers may come here as well */
        fc_deferred_flush();
        fc_thread.is_blocking = false;
    }
    fc_sys(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
    if (fc_unlikely(old & FC_SIGNALS_STEPPED))
        fc_signals_go_on_in_steps();
}
