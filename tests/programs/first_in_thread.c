/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In each thread the first profiled call is interrupted after so many instructions, which are
 * single steps by the trap flag, as of a debugger, from the caller on through the hooks.  The
 * handler makes a profiled call then.  Prints how many threads there were, and in how many of them
 * the handler came in time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define NO_HOOKS __attribute__((no_instrument_function))
#define NO_INLINE __attribute__((noinline, noipa))
#define TRAP_FLAG 0x100L
#define INSTRUCTIONS 400

static volatile int sink;
static int steps;
static int wanted;
static int came;

NO_INLINE void in_handler(void)
{
    sink++;
}

NO_INLINE void first(void)
{
    sink++;
}

NO_INLINE void second(void)
{
    sink++;
}

NO_HOOKS static void on_trap(int signal_number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)signal_number;
    (void)info;
    if (++steps != wanted)
        return;
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    came++;
    in_handler();
}

NO_HOOKS static void *run(void *unused)
{
    __asm__ volatile("pushf\n orq $0x100, (%%rsp)\n popf" ::: "memory", "cc");
    first();
    __asm__ volatile("pushf\n andq $~0x100, (%%rsp)\n popf" ::: "memory", "cc");
    /* takes the place of a frame that was left open */
    second();
    return unused;
}

NO_HOOKS int main(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    for (wanted = 1; wanted <= INSTRUCTIONS; wanted++)
    {
        pthread_t thread;
        steps = 0;
        if (pthread_create(&thread, NULL, run, NULL) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    printf("%d %d\n", INSTRUCTIONS, came);
    return 0;
}
