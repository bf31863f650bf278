/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See entry-timer.h and timer_create(2).
 *
 * The signal is SIGURG, which the kernel ignores where no handler is set: if the program resets all
 * handlers, it loses samples and no more.  If the program has a handler for it, it is not sampled.
 * Each signal is asked for by the handler of the one before, so a handler that the program sets
 * later gets no more than one for each thread.
 *
 * The handler must not touch memory that may not be there.  It copies the rest of the page that
 * the stack pointer is in, and the next page only within the thread's own stack.
 */
#include "libfc/process/entry-timer.h"

#include "libfc/base/maps.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/fc-entries.h"
#include "libfc/stream/channel.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>

#if defined(__x86_64__)

#define SIGNAL SIGURG
/* The kernel fires a timer of CPU time at its next tick, so there may be fewer samples. */
#define PERIOD_NS 1000000
/* A sample stands for no more than this.  It comes late if the thread blocked the signal. */
#define MOST_NS UINT64_C(100000000)
#define PAGE_BYTES UINT64_C(4096)

struct Sample
{
    struct FcMessage message;
    struct FcPlace place;
    unsigned char stack[FC_MESSAGE_MAX - sizeof(struct FcMessage) - sizeof(struct FcPlace)];
};
_Static_assert(sizeof(struct Sample) == FC_MESSAGE_MAX, "fills a message");

struct Timer
{
    struct Sample *sample; /* NULL: the thread is not sampled */
    uint64_t stack_start, stack_end;
    uint64_t cpu_ns; /* at the last sample */
    int number;
};

static bool is_wanted;  /* fcmanager asked for it */
static bool is_allowed; /* the handler is set */
static __thread struct Timer own __attribute__((tls_model("initial-exec")));

/* What a handler returns to; the kernel wants it from the program. */
void fc_entry_timer_restore(void) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".hidden fc_entry_timer_restore\n"
        ".globl fc_entry_timer_restore\n"
        ".type fc_entry_timer_restore, @function\n"
        "fc_entry_timer_restore: movq $15, %rax\n"
        "syscall\n"
        ".size fc_entry_timer_restore, . - fc_entry_timer_restore\n"
        ".popsection");

/* As the kernel has it. */
struct Action
{
    uint64_t handler;
    uint64_t flags;
    uint64_t restorer;
    uint64_t mask;
};
#define WITH_RESTORER UINT64_C(0x04000000)

static uint64_t cpu_time(void)
{
    struct timespec now = {0, 0};
    fc_sys(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* How much of the stack from `at` on may be read. */
static size_t readable(uint64_t at)
{
    const uint64_t most = sizeof own.sample->stack;
    const uint64_t in_page = PAGE_BYTES - at % PAGE_BYTES;
    uint64_t end = at + in_page;
    if (at >= own.stack_start && at < own.stack_end)
        end = own.stack_end;
    return (size_t)(end - at < most ? end - at : most);
}

static void stop(void)
{
    if (!own.sample)
        return;
    struct Sample *sample = own.sample;
    own.sample = NULL;
    fc_sys(SYS_timer_delete, own.number);
    fc_unmap(sample, sizeof *sample);
}

static void send_sample(const mcontext_t *machine)
{
    static const int numbers[FC_PLACE_REGISTERS] = {REG_RBX, REG_RBP, REG_RSP, REG_RIP,
                                                    REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                    REG_R12, REG_R13, REG_R14, REG_R15};
    struct Sample *sample = own.sample;
    const uint64_t now = cpu_time();
    const uint64_t took = now - own.cpu_ns;
    const uint64_t top = (uint64_t)machine->gregs[REG_RSP];
    const size_t bytes = readable(top);
    own.cpu_ns = now;
    sample->message = (struct FcMessage){.type = FC_MSG_PLACE, .thread = fc_thread.number};
    sample->place.cpu_ns = took < MOST_NS ? took : MOST_NS;
    for (size_t i = 0; i < FC_PLACE_REGISTERS; i++)
        sample->place.registers[i] = (uint64_t)machine->gregs[numbers[i]];
    memcpy(sample->stack, (const void *)(uintptr_t)top, bytes);
    fc_channel_send_whole(&sample->message, offsetof(struct Sample, stack) + bytes);
}

static bool ask(void)
{
    const struct itimerspec once = {{0, 0}, {0, PERIOD_NS}};
    return fc_sys(SYS_timer_settime, own.number, 0, &once, NULL) == 0;
}

static void handle(int number, siginfo_t *info, void *context)
{
    (void)number;
    if (!own.sample || info->si_code != SI_TIMER || info->si_value.sival_ptr != &own)
        return;
    const uint64_t old = fc_block_signals();
    if (fc_state_is_off())
        stop();
    else
    {
        send_sample(&((const ucontext_t *)context)->uc_mcontext);
        ask();
    }
    fc_restore_signals(old);
}

void fc_entry_timer_allow(void)
{
    struct Action action;
    is_wanted = true;
    if (fc_sys(SYS_rt_sigaction, SIGNAL, NULL, &action, sizeof action.mask) < 0 ||
        action.handler > (uint64_t)(uintptr_t)SIG_IGN)
        return;
    action = (struct Action){.handler = (uint64_t)(uintptr_t)handle,
                             .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | WITH_RESTORER,
                             .restorer = (uint64_t)(uintptr_t)fc_entry_timer_restore};
    is_allowed = fc_sys(SYS_rt_sigaction, SIGNAL, &action, NULL, sizeof action.mask) == 0;
}

/* Finds where the thread's stack is.  That of the first thread grows. */
static void find_stack(void)
{
    const uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    struct rlimit limit;
    own.stack_start = own.stack_end = 0;
    if (!fc_maps_range(here, (char *)own.sample, sizeof *own.sample, &own.stack_start,
                       &own.stack_end))
        own.stack_start = own.stack_end = 0;
    else if (fc_sys(SYS_gettid) == fc_sys(SYS_getpid) &&
             fc_sys(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit) == 0 &&
             limit.rlim_cur < own.stack_end)
        own.stack_start = own.stack_end - limit.rlim_cur;
}

void fc_entry_timer_begin(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};
    if (!is_wanted || own.sample)
        return;
    own.sample = is_allowed ? fc_map(sizeof *own.sample) : NULL;
    if (own.sample)
        find_stack();
    event._sigev_un._tid = (int)fc_sys(SYS_gettid);
    event.sigev_value.sival_ptr = &own;
    own.cpu_ns = cpu_time();
    if (own.sample && fc_sys(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &own.number) == 0 &&
        ask())
        return;
    if (own.sample)
        fc_unmap(own.sample, sizeof *own.sample);
    own.sample = NULL;
    struct FcMessage message = {.type = FC_MSG_PLACE, .thread = fc_thread.number};
    fc_channel_send(&message, NULL, 0);
}

void fc_entry_timer_end(void)
{
    stop();
}

void fc_entry_timer_leave(void)
{
    if (own.sample)
        fc_unmap(own.sample, sizeof *own.sample);
    own.sample = NULL;
}

#else /* not x86-64: there are no counters of entries */

void fc_entry_timer_allow(void)
{
}

void fc_entry_timer_begin(void)
{
}

void fc_entry_timer_end(void)
{
}

void fc_entry_timer_leave(void)
{
}

#endif
