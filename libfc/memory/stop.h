/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stops all other threads of the process for scan.c, so that references on their stacks and in
 * their registers do not change.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define FC_STOP_REGISTERS 27u /* as in struct user_regs_struct */
#define FC_STOP_SP 19u
#else
#define FC_STOP_REGISTERS 34u
#define FC_STOP_SP 31u
#endif
#define FC_STOP_THREADS_MAX 4096u

struct FcStopped
{
    uint32_t state; /* atomic futex: see stop.c */
    int32_t error;
    int32_t process;
    int32_t thread; /* the thread that goes on */
    uint32_t count;
    int32_t helper;
    uint64_t registers[FC_STOP_THREADS_MAX][FC_STOP_REGISTERS];
};

/* Stops all other threads until fc_stop_end.  Returns their registers, in new shared memory that
 * is never freed.  NULL: it failed, and *error is the reason (-errno).  Waits for some seconds
 * at most.  Signals blocked.  Until fc_stop_end the caller must not wait for anything that a
 * stopped thread may hold. */
struct FcStopped *fc_stop_others(long *error);
void fc_stop_end(struct FcStopped *stopped);
