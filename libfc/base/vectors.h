/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calling the C library, which uses vector registers, where a hook may have led that keeps every
 * register (after-inlining.h): they are kept if it did.  Of other hooks the compiler does it that
 * instrumented the program, and to do so here would take 2.7 KB of a stack that may be small.
 *
 * Async-signal-safe: where a handler comes in between, its hooks find what is true of them, or
 * that there is more to keep than there is.
 */
#pragma once

/* Room for the vector and floating-point registers as xsave lays them out, header included, up to
 * those of AVX-512: 2,688 bytes at most. */
#define FC_REGISTERS_BYTES 2688

#if !defined(__ASSEMBLER__)
#include "libfc/base/thread.h"

#include <stdint.h>

/* Calls `what` with the other arguments, and the vector and floating-point registers are kept. */
typedef void FcOfRecord(uint64_t time, void *function, void *site, uint64_t where);
void fc_after_inlining_keep_vectors(uint64_t time, void *function, void *site, uint64_t where,
                                    FcOfRecord *what);

static inline void fc_vectors_keep(uint64_t time, void *function, void *site, uint64_t where,
                                   FcOfRecord *what)
{
#if defined(FC_AFTER_INLINING)
    if (fc_thread.keeps_vectors)
    {
        fc_thread.keeps_vectors = false; /* they are kept until it comes back */
        fc_after_inlining_keep_vectors(time, function, site, where, what);
        fc_thread.keeps_vectors = true;
        return;
    }
#endif
    what(time, function, site, where);
}
#endif
