/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See mark.h.
 */
#include "libfc/base/mark.h"

/* The signature that the kernel requires just before a sequence's abort address. */
#if defined(__x86_64__)
#define SIGNATURE 0x53053053u
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00u
#endif

/* The sequence is the first word.  None of these words is ever executed. */
static const uint32_t sequence[4] = {SIGNATURE, SIGNATURE, SIGNATURE, SIGNATURE};
const struct FcMark fc_mark = {.start = &sequence[0], .bytes = 1, .abort = &sequence[2]};
const struct FcMark fc_mark_of_pause = {.start = &sequence[0], .bytes = 1, .abort = &sequence[2]};
const struct FcMark *fc_mark_sought = &fc_mark;

void fc_mark_turn_off(void)
{
    static const struct FcMark nowhere;
    __atomic_store_n(&fc_mark_sought, &nowhere, __ATOMIC_RELAXED);
}
