/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stops all other threads of the process, for scan.c: what they refer to is on their stacks and in
 * their registers, and must stay where it is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define FC_STOP_REGISTERS 27u /* as struct user_regs_struct */
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
    int32_t thread; /* that goes on */
    uint32_t count;
    int32_t helper;
    uint64_t registers[FC_STOP_THREADS_MAX][FC_STOP_REGISTERS];
};

/* The threads, which stay as they are until fc_stop_end, in memory that is shared and new; NULL and
 * a reason (-errno) where that can't be.  Waits some seconds, not for ever.  Signals blocked.
 * Meanwhile the caller must not wait for anything that one of them may hold. */
struct FcStopped *fc_stop_others(long *error);
void fc_stop_end(struct FcStopped *stopped);
