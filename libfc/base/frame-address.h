/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stack address of a call, as its records have it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdint.h>

/* `function` and `where` are as in FcRecord, the former with FC_FUNCTION_AFTER_INLINING where
 * that applies.  The result is a multiple of 16, and after inlining of 8: gcc does not align the
 * stack in a function that calls nothing, so its return address may be next to that of its
 * caller. */
static inline __attribute__((always_inline)) uint64_t fc_frame_address(uint64_t function,
                                                                       uint64_t where)
{
    const uint64_t low = (function & FC_FUNCTION_AFTER_INLINING) != 0 ? 8 : 0;
    return (where & FC_WHERE_ADDRESS_MASK) | (where >> FC_WHERE_RETURN_SHIFT & low);
}
