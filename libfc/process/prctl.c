/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interposes prctl for three of its options.  After PR_SET_TSC (SIGSEGV) a hook that reads the
 * time-stamp counter would kill the program.  After strict seccomp a hook that waits or sends would
 * kill it.  In both cases profiling stops.  With PR_SET_SYSCALL_USER_DISPATCH a handler of SIGSYS
 * makes the program's system calls, and it must not see libfc's.  Called by the program alone;
 * nothing includes it.
 */
#include "libfc/base/clock.h"
#include "libfc/base/libc.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"

#include <dlfcn.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

#if !defined(PR_SET_SYSCALL_USER_DISPATCH)
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#endif

typedef int PrctlFunction(int, unsigned long, unsigned long, unsigned long, unsigned long);

/* libc declares an ellipsis for the last four parameters. */
FC_EXPORT PrctlFunction own_prctl __asm__("prctl");

static PrctlFunction *real_prctl;

/* At start, since dlsym waits while another thread is in a library's constructor. */
__attribute__((constructor)) static void find_real(void)
{
    real_prctl = (PrctlFunction *)fc_libc()->dlsym(RTLD_NEXT, "prctl");
}

/* Handles PR_SET_SYSCALL_USER_DISPATCH.  The program may give the address of a byte that
 * switches dispatch off and on.  If it gives none, libfc passes its own byte, so that libfc can
 * switch dispatch off for its own system calls. */
static int dispatch(unsigned long how, unsigned long start, unsigned long bytes,
                    volatile char *byte)
{
    static __thread char own_byte __attribute__((tls_model("initial-exec")));
    if (how != PR_SYS_DISPATCH_OFF && !byte)
    {
        own_byte = 1; /* SYSCALL_DISPATCH_FILTER_BLOCK */
        byte = &own_byte;
    }
    int result = real_prctl(PR_SET_SYSCALL_USER_DISPATCH, how, start, bytes, (unsigned long)byte);
    if (result == 0)
        fc_sys_dispatch = how != PR_SYS_DISPATCH_OFF ? byte : NULL;
    return result;
}

FC_JUMPING int own_prctl(int what, unsigned long a, unsigned long b, unsigned long c,
                         unsigned long d)
{
    if (!real_prctl)
        find_real();
    const bool is_counter = what == PR_SET_TSC && a == PR_TSC_SIGSEGV;
    /* forbids the counter and all other clocks, too */
    const bool is_strict = what == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT;
    if (is_counter || is_strict)
        fc_thread.call_sites =
            NULL; /* else the thread's hooks read the counter first, as in state.c */
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
    if (what == PR_SET_SYSCALL_USER_DISPATCH)
        return dispatch(a, b, c, (volatile char *)d);
    FC_JUMP real_prctl(what, a, b, c, d);
}
