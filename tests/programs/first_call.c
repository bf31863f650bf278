/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each of 90 call sites of leaf() is called for the first time by a handler, which comes after so
 * many instructions of the same call: single steps by the trap flag, as of a debugger, from the
 * caller on through the hooks.  leaf() is counted by then.  With an argument, all of them are
 * called before, and the handler forks: the child goes on with the call, and ends.  Prints how
 * often leaf() was called, and on standard error how a child ended that should not have.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NO_HOOKS __attribute__((no_instrument_function))
#define NO_INLINE __attribute__((noinline, noipa))
#define TRAP_FLAG 0x100L
#define WARM 20000

static long calls;
static int steps;
static int wanted;
static int current;
static int forks;
static int is_child;

NO_INLINE int leaf(int x)
{
    calls++;
    return x + 1;
}

NO_INLINE int warm(int x)
{
    return leaf(x) + leaf(x + 1);
}

#define SITE(number)                                                                               \
    NO_HOOKS NO_INLINE static int site##number(int x)                                              \
    {                                                                                              \
        int result = leaf(x);                                                                      \
        __asm__ volatile("# " #number);                                                            \
        return result;                                                                             \
    }
#define TEN(what, tens)                                                                            \
    what(tens##0) what(tens##1) what(tens##2) what(tens##3) what(tens##4) what(tens##5)            \
        what(tens##6) what(tens##7) what(tens##8) what(tens##9)
#define ALL(what)                                                                                  \
    TEN(what, 1)                                                                                   \
    TEN(what, 2)                                                                                   \
    TEN(what, 3) TEN(what, 4) TEN(what, 5) TEN(what, 6) TEN(what, 7) TEN(what, 8) TEN(what, 9)
#define NAME(number) site##number,
ALL(SITE)
static int (*const sites[])(int) = {ALL(NAME)};

NO_HOOKS static void fork_child(void)
{
    int status = 0;
    const pid_t child = fork();
    is_child = child == 0;
    if (!is_child && (waitpid(child, &status, 0) != child || status != 0))
        fprintf(stderr, "after %d instructions: the child ended with %x\n", wanted,
                (unsigned)status);
}

NO_HOOKS static void on_trap(int signal_number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)signal_number;
    (void)info;
    if (++steps != wanted)
        return;
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if (forks)
        fork_child();
    else
        sites[current](1);
}

NO_HOOKS int main(int argc, char **argv)
{
    (void)argv;
    const int count = sizeof sites / sizeof *sites;
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < WARM; i++)
        warm(i);
    forks = argc > 1;
    for (int i = 0; forks && i < count; i++)
        sites[i](0);
    for (current = 0; current < count; current++)
    {
        steps = 0;
        wanted = current + 1;
        __asm__ volatile("pushf\n orq $0x100, (%%rsp)\n popf" ::: "memory", "cc");
        sites[current](2);
        __asm__ volatile("pushf\n andq $~0x100, (%%rsp)\n popf" ::: "memory", "cc");
        if (is_child)
            exit(0);
    }
    printf("%ld\n", calls);
    return 0;
}
