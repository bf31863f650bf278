/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Saves the vector registers around calls of the C library, which uses them, where a hook must
 * keep every register (after-inlining.h).  The callers of other hooks expect no such thing, and
 * saving takes 2.7 KB of a stack that may be small.
 *
 * Async-signal-safe: a handler that comes in between saves all that it must, and at worst more.
 */
#pragma once

/* Room for the vector and floating-point registers in the layout of xsave, with its header, up
 * to those of AVX-512: 2,688 bytes at most. */
#define FC_REGISTERS_BYTES 2688

#if !defined(__ASSEMBLER__)
#include "libfc/base/thread.h"

#include <stdint.h>

/* Calls `what` with the other arguments and keeps the vector and floating-point registers. */
typedef void FcOfRecord(uint64_t time, void *function, void *site, uint64_t where);
void fc_after_inlining_keep_vectors(uint64_t time, void *function, void *site, uint64_t where,
                                    FcOfRecord *what);

static inline void fc_vectors_keep(uint64_t time, void *function, void *site, uint64_t where,
                                   FcOfRecord *what)
{
#if defined(FC_AFTER_INLINING)
    if (fc_thread.keeps_vectors)
    {
        fc_thread.keeps_vectors = false; /* they are saved until it returns */
        fc_after_inlining_keep_vectors(time, function, site, where, what);
        fc_thread.keeps_vectors = true;
        return;
    }
#endif
    what(time, function, site, where);
}
#endif
