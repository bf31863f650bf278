/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Forks. libc calls libfc's handlers for most of them.  Those without handlers (_Fork, clone, the
 * system calls) are interposed here: a child must never make a record in a chunk that its parent
 * is writing to.
 */
#include "libfc/process/forks.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/base/libc.h"
#include "libfc/base/loader.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/count/counters.h"
#include "libfc/process/exit.h"
#include "libfc/process/modules.h"
#include "libfc/process/process.h"
#include "libfc/process/threads.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/switches.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>

static uint32_t fork_count; /* atomic: source of the tokens */

/* prepare_fork passes this to the handlers that run after the fork. */
static __thread struct
{
    uint64_t signals;
    uint64_t token;
    bool prepared;
} forking __attribute__((tls_model("initial-exec")));

/* Signals stay blocked from here until the handler on the other side has run, so no record of
 * the child gets into a chunk of the parent. */
static void prepare_fork(void)
{
    forking.prepared = false;
    if (fc_state_is_off())
        return;
    forking.signals = fc_block_signals();
    forking.prepared = true;
    if (fc_thread.number == 0)
        fc_threads_start();
    fc_modules_update(); /* the child, and the chunk that is sent next, need it */
    fc_loader_before_fork();
    fc_chunks_before_fork();
    /* relaxed: the tokens only have to differ */
    forking.token = __atomic_add_fetch(&fork_count, 1, __ATOMIC_RELAXED);
    struct FcMessage message = {
        .type = FC_MSG_FORK, .thread = fc_thread.number, .value = forking.token};
    uint64_t now = fc_clock_peek();
    if (fc_config.profile_mode == FC_MODE_FORK)
        fc_channel_send(&message, &now, sizeof now);
    fc_thread.is_blocking = false; /* the program's own handlers may unblock some */
}

static void forked_parent(void)
{
    if (!forking.prepared)
        return;
    fc_loader_after_fork();
    forking.prepared = false;
    fc_restore_signals(forking.signals);
}

static void forked_child(void)
{
    if (!forking.prepared)
        return;
    __atomic_store_n(&fork_count, 0, __ATOMIC_RELAXED);
    fc_process_after_fork(forking.token);
    fc_switches_end_pause();
    forking.prepared = false;
    fc_restore_signals(forking.signals);
}

typedef pid_t ForkFunction(void);
typedef int CloneFunction(int (*)(void *), void *, int, void *, ...);

static ForkFunction *real_fork;
static ForkFunction *real_bare_fork; /* NULL: libc has none, before 2.34 */
static CloneFunction *real_clone;

/* At start, since dlsym waits while another thread is in a library's constructor. */
__attribute__((constructor)) static void find_real(void)
{
    real_bare_fork = (ForkFunction *)fc_libc()->dlsym(RTLD_NEXT, "_Fork");
    if (!real_bare_fork)
        (void)fc_libc()->dlerror(); /* the program must not see this error */
    real_clone = (CloneFunction *)fc_libc()->dlsym(RTLD_NEXT, "clone");
    real_fork = (ForkFunction *)fc_libc()->dlsym(RTLD_NEXT, "fork");
}

static void send_child(pid_t child)
{
    if (fc_state_is_off() || fc_config.profile_mode != FC_MODE_FORK)
        return;
    struct FcMessage message = {.type = FC_MSG_FORK_DONE,
                                .thread = fc_thread.number,
                                .argument = child > 0,
                                .value = forking.token};
    fc_channel_send(&message, NULL, 0);
}

/* Interposed only to tell fcmanager whether the fork made a child.  libc's own forks, as in
 * daemon(), are not interposed.  fcmanager learns of these children from their hello. */
FC_EXPORT pid_t fork(void)
{
    if (!real_fork)
        find_real();
    pid_t child = real_fork();
    if (child != 0)
        send_child(child);
    return child;
}

/* The fork without handlers: libfc's are called here. */
FC_EXPORT pid_t _Fork(void)
{
    if (!real_fork)
        find_real();
    if (!real_bare_fork)
    {
        fc_errno = ENOSYS;
        return -1;
    }
    prepare_fork();
    pid_t child = real_bare_fork();
    if (child == 0)
    {
        forked_child();
        return child;
    }
    int saved_errno = fc_errno;
    forked_parent();
    send_child(child);
    fc_errno = saved_errno;
    return child;
}

/* ---- clone and the system calls -------------------------------------------------- */

struct Begin
{
    int (*function)(void *);
    void *argument;
};

static int begin_child(void *data)
{
    struct Begin begin = *(struct Begin *)data;
    forked_child();
    int status = begin.function(begin.argument);
    /* libc then ends the thread by a system call, which also ends a process with no other thread */
    fc_exit_send_status(status);
    fc_threads_end();
    return status;
}

/* Stops profiling for a child that shares all memory with its running parent, including
 * thread-local memory.  Both would record as the same thread. */
static void stop_for_twin(int flags)
{
    if ((flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) != CLONE_VM || fc_state_is_off())
        return;
    fc_chunks_flush_private();
    fc_channel_stop("a child shares the program's memory (CLONE_VM), profiling stops here");
    fc_counters_stop();
}

/* With CLONE_VM the child shares this process's memory, like a thread or the child of a vfork.
 * It is not profiled as a process of its own. */
FC_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list list;
    va_start(list, argument);
    pid_t *parent_id = va_arg(list, pid_t *);
    void *thread_area = va_arg(list, void *);
    pid_t *child_id = va_arg(list, pid_t *);
    va_end(list);
    if (!real_clone)
        find_real();
    stop_for_twin(flags);
    if ((flags & CLONE_VM) != 0 || !function || !stack)
        return real_clone(function, stack, flags, argument, parent_id, thread_area, child_id);
    struct Begin begin = {function, argument};
    prepare_fork();
    pid_t child = real_clone(begin_child, stack, flags, &begin, parent_id, thread_area, child_id);
    int saved_errno = fc_errno;
    forked_parent();
    send_child(child);
    fc_errno = saved_errno;
    return child;
}

/* Used by the assembly below. */
long fc_forks_fail(long error) __attribute__((visibility("hidden")));
long fc_forks_call(long number, long a, long b, long c, long d, long e)
    __attribute__((visibility("hidden")));

long fc_forks_fail(long error)
{
    fc_errno = (int)-error;
    return -1;
}

/* Makes a system call that creates a process.  Both parent and child return from here. */
long fc_forks_call(long number, long a, long b, long c, long d, long e)
{
    prepare_fork();
    const long result = fc_sys(number, a, b, c, d, e);
    if (result == 0)
    {
        forked_child();
        return 0;
    }
    forked_parent();
    send_child((pid_t)result);
    return result < 0 ? fc_forks_fail(result) : result;
}

/* syscall() as in libc.  SYS_fork (on x86-64 57), and SYS_clone (56; 220) and SYS_clone3 (435)
 * without CLONE_VM (0x100) and without a stack for the child, go through fc_forks_call. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    cmp $56, %rdi\n"
        "    je 2f\n"
        "    cmp $57, %rdi\n"
        "    je fc_forks_call\n"
        "    cmp $435, %rdi\n"
        "    je 3f\n"
        "1:  mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    cmp $-4095, %rax\n"
        "    jae 4f\n"
        "    ret\n"
        "2:  test $0x100, %esi\n"
        "    jnz 1b\n"
        "    test %rdx, %rdx\n"
        "    jnz 1b\n"
        "    jmp fc_forks_call\n"
        "3:  test %rsi, %rsi\n"
        "    jz 1b\n"
        "    cmp $64, %rdx\n" /* the size of the first struct clone_args */
        "    jb 1b\n"
        "    testl $0x100, (%rsi)\n"
        "    jnz 1b\n"
        "    cmpq $0, 40(%rsi)\n"
        "    jne 1b\n"
        "    jmp fc_forks_call\n"
        "4:  mov %rax, %rdi\n"
        "    jmp fc_forks_fail\n"
        ".cfi_endproc\n"
        ".size syscall, .-syscall\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    hint #34\n" /* bti c: it is called by way of a PLT */
        "    cmp x0, #220\n"
        "    b.eq 2f\n"
        "    cmp x0, #435\n"
        "    b.eq 3f\n"
        "1:  mov x8, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    mov x4, x5\n"
        "    mov x5, x6\n"
        "    svc #0\n"
        "    cmn x0, #4095\n"
        "    b.hs fc_forks_fail\n"
        "    ret\n"
        "2:  tbnz x1, #8, 1b\n"
        "    cbnz x2, 1b\n"
        "    b fc_forks_call\n"
        "3:  cbz x1, 1b\n"
        "    cmp x2, #64\n" /* the size of the first struct clone_args */
        "    b.lo 1b\n"
        "    ldr x9, [x1]\n"
        "    tbnz x9, #8, 1b\n"
        "    ldr x9, [x1, #40]\n"
        "    cbnz x9, 1b\n"
        "    b fc_forks_call\n"
        ".cfi_endproc\n"
        ".size syscall, .-syscall\n");
#endif

/* ---- The start ------------------------------------------------------------------- */

/* By this libc knows which library a handler belongs to; it is in the compiler's start files. */
extern void *own_library __asm__("__dso_handle") __attribute__((visibility("hidden")));

void fc_forks_setup(void)
{
    fc_libc()->register_atfork(prepare_fork, forked_parent, forked_child, &own_library);
}
