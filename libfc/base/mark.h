/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The values of a thread's rseq pointer by which libfc knows that the thread was not off the CPU
 * (switches.h).
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
/* The same, while the next record has to report a pause. */
extern const struct FcMark fc_mark_of_pause __attribute__((visibility("hidden")));

/* What the hooks compare the pointer with: the address of the first of these.  Once profiling is
 * off for good it is an address that the pointer never has.  Atomic. */
extern const struct FcMark *fc_mark_sought __attribute__((visibility("hidden")));

/* Profiling is off for good: from here on the comparison of every hook fails. */
void fc_mark_turn_off(void);
