/* SPDX-License-Identifier: 0BSD
 *
 * The current-function word: a word in a thread's first chunk of counts (FcChunk.current_word) in
 * which its hooks store where the thread is. fcmanager reads it at times of its choice
 * (fcmanager/estimate/observe.h).  So it learns how the time is divided between functions, and how
 * much of it the hooks take, without a signal, a clock in the program or a privilege.
 *
 * Only threads that count have this word.  A handler may come between any two instructions; what
 * it stores stays until the next hook.
 */
#pragma once

#include <stdint.h>

/* A hook is at work. */
#define FC_CURRENT_HOOK 0u
/* Otherwise the function that was entered last, with the low bits of its call site; or, with
 * FC_CURRENT_LEFT, the function that was left last.  An exit after inlining knows its call site
 * only, which is stored in place of the function then. */
#define FC_CURRENT_FUNCTION_MASK UINT64_C(0x0000ffffffffffff)
#define FC_CURRENT_SITE_SHIFT 48
#define FC_CURRENT_SITE_BITS UINT64_C(0x7fff)
#define FC_CURRENT_LEFT (UINT64_C(1) << 63)

static inline __attribute__((always_inline)) uint64_t fc_current_entered(uint64_t function,
                                                                         uint64_t site)
{
    return function | (site & FC_CURRENT_SITE_BITS) << FC_CURRENT_SITE_SHIFT;
}

static inline __attribute__((always_inline)) uint64_t fc_current_left(uint64_t function,
                                                                      uint64_t site)
{
    return function | site << FC_CURRENT_SITE_SHIFT | FC_CURRENT_LEFT;
}

/* The same for an exit after inlining. */
static inline __attribute__((always_inline)) uint64_t fc_current_left_to(uint64_t site)
{
    return (site & FC_CURRENT_FUNCTION_MASK) | FC_CURRENT_LEFT;
}

/* relaxed: the manager may read it at any time */
static inline __attribute__((always_inline)) void fc_current_set(uint64_t *current_word,
                                                                 uint64_t what)
{
    __atomic_store_n(current_word, what, __ATOMIC_RELAXED);
}
