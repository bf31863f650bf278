/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stands in for prctl, for two of its uses: a program that forbids itself the time-stamp counter,
 * or system calls but for four of them, would be ended by the next hook, or by one that waits or
 * sends. Called by the program alone; nothing includes it.
 */
#include "libfc/channel.h"
#include "libfc/chunks.h"
#include "libfc/clock.h"
#include "libfc/libc.h"
#include "libfc/state.h"
#include "libfc/sys.h"
#include "libfc/thread.h"

#include <dlfcn.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

typedef int PrctlFunction(int, unsigned long, unsigned long, unsigned long, unsigned long);

/* As libc's function, which has an ellipsis in the place of the last four. */
FC_EXPORT PrctlFunction own_prctl __asm__("prctl");

static PrctlFunction *real_prctl;

/* At start, as dlsym waits while another thread is in a library's constructor. */
__attribute__((constructor)) static void find_real(void)
{
    real_prctl = (PrctlFunction *)fc_libc()->dlsym(RTLD_NEXT, "prctl");
}

FC_JUMPING int own_prctl(int what, unsigned long a, unsigned long b, unsigned long c,
                         unsigned long d)
{
    if (!real_prctl)
        find_real();
    const bool is_counter = what == PR_SET_TSC && a == PR_TSC_SIGSEGV;
    /* this forbids the counter as well, and all other clocks */
    const bool is_strict = what == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT;
    if (is_counter || is_strict)
        fc_thread.names = NULL; /* else its hooks read the counter before all else; as in state.c */
    if (is_counter && !fc_state_is_off())
    {
        fc_clock_forbid_counter();
        fc_chunks_flush_private();
        if (fc_clock_is_fast())
            fc_channel_stop(
                "the program forbids itself the time-stamp counter, profiling stops here");
    }
    if (is_strict && !fc_state_is_off())
    {
        fc_chunks_flush_private();
        fc_channel_stop("the program forbids itself system calls, profiling stops here");
    }
    FC_JUMP real_prctl(what, a, b, c, d);
}
