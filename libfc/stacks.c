/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stands in for swapcontext, setcontext and sigaltstack to see where the program
 * has its other stacks, and tells fcmanager before a record is made on one.  The
 * real functions are jumped to: they save and restore the program's own frame.
 */
#include "libfc/stacks.h"

#include "libfc/channel.h"
#include "libfc/process.h"
#include "libfc/sys.h"

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>

/* A program goes round the same few stacks: those that were told of last, by a hash of
 * the address, are not told of again.  A lost race only repeats a message. */
#define REMEMBERED 256
static uint64_t remembered[REMEMBERED][2];

static struct
{
    int (*swapcontext)(ucontext_t *, const ucontext_t *);
    int (*setcontext)(const ucontext_t *);
    int (*sigaltstack)(const stack_t *, stack_t *);
} real;

void fc_stacks_setup(void)
{
    *(void **)&real.setcontext = dlsym(RTLD_NEXT, "setcontext");
    *(void **)&real.sigaltstack = dlsym(RTLD_NEXT, "sigaltstack");
    *(void **)&real.swapcontext = dlsym(RTLD_NEXT, "swapcontext");
}

static void tell(const stack_t *stack)
{
    if (real.swapcontext == NULL)
        fc_stacks_setup();
    if (stack == NULL || stack->ss_sp == NULL || stack->ss_size == 0 || fc_process_is_off())
        return;
    struct FcStackInfo info = {.start = (uint64_t)(uintptr_t)stack->ss_sp,
                               .end = (uint64_t)(uintptr_t)stack->ss_sp + stack->ss_size};
    uint64_t *place = remembered[(info.start >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (__atomic_load_n(&place[0], __ATOMIC_RELAXED) == info.start &&
        __atomic_load_n(&place[1], __ATOMIC_RELAXED) == info.end)
        return;
    __atomic_store_n(&place[0], info.start, __ATOMIC_RELAXED);
    __atomic_store_n(&place[1], info.end, __ATOMIC_RELAXED);
    struct FcMessage message = {.type = FC_MSG_STACK};
    fc_channel_send(&message, &info, sizeof info);
}

FC_EXPORT FC_JUMPING int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    tell(&to->uc_stack);
    FC_JUMP real.swapcontext(from, to);
}

FC_EXPORT FC_JUMPING int setcontext(const ucontext_t *to)
{
    tell(&to->uc_stack);
    FC_JUMP real.setcontext(to);
}

FC_EXPORT FC_JUMPING int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    tell(stack);
    FC_JUMP real.sigaltstack(stack, old);
}
