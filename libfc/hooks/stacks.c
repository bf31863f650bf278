/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interposes makecontext and sigaltstack to learn which other stacks the program has, and reports
 * each to fcmanager before a record is made on it.  Interposes swapcontext and setcontext to record
 * switches between stacks.
 */
#include "libfc/hooks/stacks.h"

#include "libfc/base/clock.h"
#include "libfc/base/libc.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/count/counted.h"
#include "libfc/count/counter-table.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>

/* A hash table of the stacks that were sent last.  A program uses the same few stacks again and
 * again, and they are not sent again.  A lost race only repeats a message. */
#define REMEMBERED_BITS 8
static uint64_t remembered[1 << REMEMBERED_BITS][2];

/* Used by the assembly below. */
void (*fc_stacks_real_makecontext)(void) __attribute__((visibility("hidden")));
void fc_stacks_made(const ucontext_t *context) __attribute__((visibility("hidden")));

static int (*real_sigaltstack)(const stack_t *, stack_t *);
static int (*real_swapcontext)(ucontext_t *, const ucontext_t *);
static int (*real_setcontext)(const ucontext_t *);

void fc_stacks_setup(void)
{
    *(void **)&real_setcontext = fc_libc()->dlsym(RTLD_NEXT, "setcontext");
    *(void **)&real_swapcontext = fc_libc()->dlsym(RTLD_NEXT, "swapcontext");
    *(void **)&real_sigaltstack = fc_libc()->dlsym(RTLD_NEXT, "sigaltstack");
    *(void **)&fc_stacks_real_makecontext = fc_libc()->dlsym(RTLD_NEXT, "makecontext");
}

static struct FcStackInfo info_of(const stack_t *stack)
{
    return (struct FcStackInfo){.start = (uint64_t)(uintptr_t)stack->ss_sp,
                                .end = (uint64_t)(uintptr_t)stack->ss_sp + stack->ss_size};
}

static void send_stack(const stack_t *stack)
{
    if (!fc_stacks_real_makecontext)
        fc_stacks_setup();
    if (!stack || !stack->ss_sp || stack->ss_size == 0 || fc_state_is_off())
        return;
    struct FcStackInfo info = info_of(stack);
    uint64_t hash = (info.start >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t *entry = remembered[hash >> (64 - REMEMBERED_BITS)];
    if (__atomic_load_n(&entry[0], __ATOMIC_RELAXED) == info.start &&
        __atomic_load_n(&entry[1], __ATOMIC_RELAXED) == info.end)
        return;
    __atomic_store_n(&entry[0], info.start, __ATOMIC_RELAXED);
    __atomic_store_n(&entry[1], info.end, __ATOMIC_RELAXED);
    struct FcMessage message = {.type = FC_MSG_STACK};
    fc_channel_send(&message, &info, sizeof info);
}

void fc_stacks_made(const ucontext_t *context)
{
    int saved_errno = fc_errno;
    send_stack(&context->uc_stack);
    fc_errno = saved_errno;
}

static void record(enum FcRecordKind kind, uint64_t address)
{
    uint64_t where = (address & FC_WHERE_ADDRESS_MASK) | kind;
    if (fc_state_is_off())
        return;
    uint64_t *current_word = fc_hooks.current_word;
    const uint64_t was = current_word ? *current_word : FC_CURRENT_HOOK;
    if (current_word)
        fc_current_set(current_word, FC_CURRENT_HOOK);
    if (kind == FC_RECORD_SWITCH)
        fc_counted_switch();
    else
        fc_counted_jump(address);
    uint64_t time = fc_clock_now();
    if (fc_switches_any())
        fc_switches_check(time);
    fc_record_make(time, NULL, NULL, where);
    if (kind != FC_RECORD_SWITCH)
        fc_counted_has_jumped();
    if (current_word)
        fc_current_set(current_word, was);
}

/* Records a switch, since there may be no call on the other stack before the next switch, and
 * fcmanager would not notice this one. */
static void record_switch(const ucontext_t *to)
{
#if defined(__x86_64__)
    uint64_t address = (uint64_t)to->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uint64_t address = to->uc_mcontext.sp;
#else
    uint64_t address = 0;
#endif
    if (address != 0)
        record(FC_RECORD_SWITCH, address);
}

FC_EXPORT FC_JUMPING int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    if (!real_swapcontext)
        fc_stacks_setup();
    record_switch(to);
    FC_JUMP real_swapcontext(from, to);
}

FC_EXPORT FC_JUMPING int setcontext(const ucontext_t *to)
{
    if (!real_setcontext)
        fc_stacks_setup();
    record_switch(to);
    FC_JUMP real_setcontext(to);
}

/* makecontext is variadic, and C can't pass the arguments on. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl makecontext\n"
        ".type makecontext, @function\n"
        "makecontext:\n"
        ".cfi_startproc\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n"
        "    push %r8\n    push %r9\n    push %rax\n"
        ".cfi_adjust_cfa_offset 56\n"
        "    call fc_stacks_made\n"
        "    pop %rax\n    pop %r9\n    pop %r8\n"
        "    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        ".cfi_adjust_cfa_offset -56\n"
        "    jmp *fc_stacks_real_makecontext(%rip)\n"
        ".cfi_endproc\n"
        ".size makecontext, .-makecontext\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl makecontext\n"
        ".type makecontext, %function\n"
        "makecontext:\n"
        ".cfi_startproc\n"
        "    hint #34\n" /* bti c: it is called through a PLT */
        "    stp x29, x30, [sp, #-80]!\n"
        ".cfi_adjust_cfa_offset 80\n"
        "    stp x0, x1, [sp, #16]\n    stp x2, x3, [sp, #32]\n"
        "    stp x4, x5, [sp, #48]\n    stp x6, x7, [sp, #64]\n"
        "    bl fc_stacks_made\n"
        "    ldp x0, x1, [sp, #16]\n    ldp x2, x3, [sp, #32]\n"
        "    ldp x4, x5, [sp, #48]\n    ldp x6, x7, [sp, #64]\n"
        "    ldp x29, x30, [sp], #80\n"
        ".cfi_adjust_cfa_offset -80\n"
        "    adrp x16, fc_stacks_real_makecontext\n"
        "    ldr x16, [x16, #:lo12:fc_stacks_real_makecontext]\n"
        "    br x16\n"
        ".cfi_endproc\n"
        ".size makecontext, .-makecontext\n");
#endif

FC_EXPORT FC_JUMPING int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    send_stack(stack);
    if (stack)
    {
        fc_thread.has_signal_stack = true;
        fc_thread.signal_stack = info_of(stack);
    }
    FC_JUMP real_sigaltstack(stack, old);
}

/* If the thread is in a handler on its signal stack and jumps to `address` on another stack, all
 * frames on the signal stack are gone: the next handler starts at the stack's end.  Asks the
 * kernel whether the thread is on its signal stack, since a coroutine may use a former signal
 * stack, and its frames stay. */
static void record_end_of_handlers(uint64_t address)
{
    stack_t now;
    if (!real_sigaltstack || real_sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_ONSTACK))
        return;
    uint64_t start = (uint64_t)(uintptr_t)now.ss_sp;
    if (address - start >= now.ss_size)
        record(FC_RECORD_JUMP, start + now.ss_size);
}

void fc_stacks_record_jump(uint64_t address)
{
    if (fc_thread.has_signal_stack)
        record_end_of_handlers(address);
    record(FC_RECORD_JUMP, address);
}
