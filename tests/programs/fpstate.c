/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: sets the floating-point unit up in an unusual way and says whether it stays so across
 * calls, in threads, children and handlers.
 */
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

struct state
{
    uint32_t vector;      /* MXCSR, or FPCR */
    uint16_t x87_control; /* the control word */
    uint16_t x87_tags;    /* which registers are in use */
    int rounding;
    int exceptions;
    uint64_t flags; /* the direction flag */
};

QUIET static struct state read_state(void)
{
    struct state state = {.rounding = fegetround(), .exceptions = fetestexcept(FE_ALL_EXCEPT)};
#if defined(__x86_64__)
    uint16_t environment[14];
    __asm__ volatile("stmxcsr %0" : "=m"(state.vector));
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "+m"(environment));
    state.x87_control = environment[0];
    state.x87_tags = environment[4];
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(state.flags));
    state.flags &= 0x400;
#endif
    return state;
}

QUIET static void set_state(void)
{
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_INEXACT);
#if defined(__x86_64__)
    uint32_t vector;
    uint16_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(vector));
    vector |= 0x8040; /* flush to zero, denormals are zero */
    __asm__ volatile("ldmxcsr %0" : : "m"(vector));
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control &= 0xfcff; /* single precision */
    __asm__ volatile("fldcw %0" : : "m"(control));
#endif
}

QUIET static int differs(const struct state *one, const struct state *other)
{
    return one->vector != other->vector || one->x87_control != other->x87_control ||
           one->x87_tags != other->x87_tags || one->rounding != other->rounding ||
           one->exceptions != other->exceptions || one->flags != other->flags;
}

static volatile int sink;

static void step(void)
{
    sink++;
}

static void check(const char *where)
{
    set_state();
    struct state before = read_state();
    int changes = 0;
    for (int i = 0; i < 20000; i++)
    {
        step();
        struct state now = read_state();
        changes += differs(&before, &now);
    }
    printf("%s: %d changes, rounding %d, control %#x %#x\n", where, changes,
           before.rounding == FE_UPWARD, (unsigned)before.vector, before.x87_control);
    fflush(stdout);
}

static void *in_thread(void *unused)
{
    check("thread");
    return unused;
}

static void handler(int signal)
{
    (void)signal;
    step();
}

int main(void)
{
    pthread_t thread;
    int status;
    check("main");
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    struct state before = read_state();
    raise(SIGUSR1);
    struct state after = read_state();
    printf("handler: %d changes\n", differs(&before, &after));
    fflush(stdout);
    if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0)
    {
        check("child");
        exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
    check("main again");
    return 0;
}
