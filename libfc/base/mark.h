/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel's pointer of a thread leads to while the thread was not off the CPU (switches.h).
 */
#pragma once

#include <stdint.h>

/* The kernel's struct rseq_cs. */
struct FcMark
{
    _Alignas(32) uint32_t version;
    uint32_t flags;
    const void *start;
    uint64_t bytes;
    const void *abort;
};
extern const struct FcMark fc_mark __attribute__((visibility("hidden")));
/* The same, while there is a pause to be told of. */
extern const struct FcMark fc_mark_of_pause __attribute__((visibility("hidden")));

/* What hooks look for: leads to the first of these, or to nothing that the pointer ever leads to,
 * once profiling is off for good.  Atomic. */
extern const struct FcMark *fc_mark_sought __attribute__((visibility("hidden")));

/* Profiling is off for good: from here on no hook finds what it looks for. */
void fc_mark_turn_off(void);
