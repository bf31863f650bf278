/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: has handlers for what instructions and system calls raise, which are instrumented.
 * Usage: traps KIND CALLS: KIND is step (the processor traps after each instruction, so many
 * calls of `leaf`), break (int3 in each), dispatch or range (the kernel hands over the system
 * calls, of which the program makes one in each; with a byte that says which, or by their place
 * alone), or filter (a filter of seccomp, for this and other calls that libfc makes).  Prints how
 * often `leaf` and the handler were called.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))
#define DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH */

static volatile char dispatching;
static volatile long leaves, handled, below;
static unsigned long returning;
static long own;
static int is_by_place;

UNSEEN static long pass(const greg_t *gregs)
{
    long result = gregs[REG_RAX];
    __asm__ volatile("syscall\nbare_end:"
                     : "+a"(result)
                     : "D"(gregs[REG_RDI]), "S"(gregs[REG_RSI]), "d"(gregs[REG_RDX])
                     : "rcx", "r11", "memory");
    return result;
}

static long get_pid(void)
{
    long result = SYS_getpid;
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
    return result;
}

static void work(long i)
{
    below += i;
}

static void count(void)
{
    handled++;
    for (int i = 0; i < 3; i++)
        work(i);
}

static void handler(int number, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    const char was = dispatching;
    dispatching = 0; /* the handler's own calls, and its return, are made */
    (void)info;
    if (number == SIGSYS)
        context->uc_mcontext.gregs[REG_RAX] = is_by_place ? own : pass(context->uc_mcontext.gregs);
    count();
    dispatching = was;
}

static void leaf(int is_call, int is_break)
{
    leaves++;
    if (is_call && get_pid() != own)
        abort();
    if (is_break)
        __asm__ volatile("int3");
}

/* Only the handler's return, which is libc's, is let pass by its place. */
UNSEEN static int dispatch(int with_byte)
{
    unsigned long action[4] = {0}; /* as the kernel has it: the third word is what returns */
    register long size __asm__("r10") = 8;
    long result = SYS_rt_sigaction;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(SIGSYS), "S"(0), "d"(action), "r"(size)
                     : "rcx", "r11", "memory");
    returning = action[2];
    return prctl(DISPATCH, 1, returning, 16, with_byte ? &dispatching : NULL);
}

/* By the instruction there, behind one of seven bytes. */
UNSEEN static void end_by_place(int status)
{
    __asm__ volatile("jmp *%0" : : "r"(returning + 7), "a"(SYS_exit_group), "D"(status));
}

/* All these calls, libfc's too, but what the handler makes itself at `bare_end`. */
UNSEEN static int filter(void)
{
    extern const char bare_end[];
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(unsigned long)bare_end, 4, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const char *kind = argv[1];
    const int calls = atoi(argv[2]);
    const int steps = strcmp(kind, "step") == 0;
    const int breaks = strcmp(kind, "break") == 0;
    const int dispatches = strcmp(kind, "dispatch") == 0;
    const int ranges = strcmp(kind, "range") == 0;
    is_by_place = ranges;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
    own = getpid();
    action.sa_sigaction = handler;
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGSYS, &action, NULL);
    if ((dispatches || ranges) && dispatch(dispatches) != 0)
        return 77;
    if (strcmp(kind, "filter") == 0 && filter() != 0)
        return 77;
    dispatching = (char)dispatches;
    if (steps)
        __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "memory", "cc");
    for (int i = 0; i < calls; i++)
        leaf(!steps && !breaks, breaks);
    if (steps)
        __asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq" ::: "memory", "cc");
    dispatching = 0;
    if (ranges)
        end_by_place(handled == calls ? 0 : 3); /* nothing can be said without a system call */
    printf("%ld leaves, %ld handled, %s\n", leaves, handled,
           below == 3 * handled ? "whole" : "torn");
    return 0;
}
