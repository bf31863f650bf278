/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs interrupted.c and has SIGUSR1 come at instructions that are chosen at random, as a tracer.
 * Usage: interrupt SEED PROGRAM ARGUMENT...
 *
 * What the program does between two marks is a call.  To learn which instructions there are and how
 * often a call comes by each, it goes through some calls one by one.  Then each call gets a
 * breakpoint at one of them.
 *
 * Both run on one processor.  They take turns, and to wake another processor for each turn would
 * take seven times as long.
 *
 * Ends with the program's status, 77 where it may not trace, 99 if a signal ended the program.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first calls make tables, and take longer than all others. */
#define CALLS_PASSED 32
#define CALLS_LEARNT 32

#define PLACES 65536u /* of a hash table, a power of two */
struct place
{
    unsigned long address; /* 0: none */
    unsigned in_call;      /* how often this call came by, */
    unsigned most;         /* and how often one did */
};

static struct place places[PLACES];
static unsigned place_count;
/* Which of them calls came by, each call's once: one of these is chosen. */
static unsigned passed[CALLS_LEARNT * PLACES / 2];
static unsigned passed_count;
static pid_t traced;

static void stay_on_one_processor(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((size_t)sched_getcpu(), &here);
    (void)sched_setaffinity(0, sizeof here, &here);
}

/* Lets it go on, with that signal, until it stops; the signal then. */
static int go(enum __ptrace_request how, int signal)
{
    int status = 0;
    if (ptrace(how, traced, 0, signal) != 0 || waitpid(traced, &status, 0) != traced)
    {
        perror("interrupt: ptrace");
        exit(2);
    }
    if (!WIFSTOPPED(status))
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
    return WSTOPSIG(status);
}

static int is_mark(int signal)
{
    siginfo_t info;
    return signal == SIGTRAP && ptrace(PTRACE_GETSIGINFO, traced, 0, &info) == 0 &&
           info.si_code == SI_TKILL;
}

static void go_to_mark(int signal)
{
    while (!is_mark(signal = go(PTRACE_CONT, signal)))
        if (signal == SIGTRAP)
            signal = 0;
}

static struct user_regs_struct registers(void)
{
    struct user_regs_struct all;
    if (ptrace(PTRACE_GETREGS, traced, 0, &all) != 0)
        exit(2);
    return all;
}

static void come_by(unsigned long address)
{
    unsigned at = (unsigned)((address * 0x9e3779b97f4a7c15ul) >> 48) & (PLACES - 1);
    while (places[at].address != 0 && places[at].address != address)
        at = (at + 1) & (PLACES - 1);
    if (places[at].address == 0 && ++place_count > PLACES / 2)
        exit(2);
    places[at].address = address;
    if (places[at].in_call == 0)
        passed[passed_count++] = at;
    if (++places[at].in_call > places[at].most)
        places[at].most = places[at].in_call;
}

static void learn_call(void)
{
    for (unsigned i = 0; i < passed_count; i++)
        places[passed[i]].in_call = 0;
    while (!is_mark(go(PTRACE_SINGLESTEP, 0)))
        come_by(registers().rip);
}

/* Lets a call go on until it has come to that address, and by it so often: whether it did. */
static int go_to(unsigned long address, unsigned times)
{
    const long was = ptrace(PTRACE_PEEKTEXT, traced, address, 0);
    for (;; times--)
    {
        struct user_regs_struct all;
        int signal = 0;
        ptrace(PTRACE_POKETEXT, traced, address, (was & ~0xffl) | 0xcc);
        do
        {
            signal = go(PTRACE_CONT, signal == SIGTRAP ? 0 : signal);
            all = registers();
        } while (!is_mark(signal) && (signal != SIGTRAP || all.rip != address + 1));
        ptrace(PTRACE_POKETEXT, traced, address, was);
        if (is_mark(signal))
            return 0;
        all.rip = address;
        ptrace(PTRACE_SETREGS, traced, 0, &all);
        if (times == 0)
            return 1;
        if (is_mark(go(PTRACE_SINGLESTEP, 0)))
            return 0;
    }
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 3)
        return 2;
    srand((unsigned)atoi(argv[1]));
    stay_on_one_processor();
    traced = fork();
    if (traced == 0)
    {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
            _exit(77);
        execv(argv[2], &argv[2]);
        _exit(127);
    }
    if (waitpid(traced, &status, 0) != traced)
        return 2;
    if (!WIFSTOPPED(status))
        return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
    for (int call = 0;; call++)
    {
        go_to_mark(0);
        if (call < CALLS_PASSED)
            go_to_mark(0);
        else if (call < CALLS_PASSED + CALLS_LEARNT)
            learn_call();
        else
        {
            const struct place *place = &places[passed[(unsigned)rand() % passed_count]];
            if (go_to(place->address, (unsigned)rand() % place->most))
                go_to_mark(SIGUSR1);
        }
    }
}
