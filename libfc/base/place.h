/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where an activation is on the stack, as its records have it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdint.h>

/* `function` as in FcRecord, with FC_FUNCTION_AFTER_INLINING if it is such a one; `where` as there.
 * A multiple of 16, and of 8 after inlining: gcc does not align the stack for a call of a function
 * that calls nothing, whose return address may be next to that of its caller. */
static inline __attribute__((always_inline)) uint64_t fc_place_of(uint64_t function, uint64_t where)
{
    const uint64_t low = (function & FC_FUNCTION_AFTER_INLINING) != 0 ? 8 : 0;
    return (where & FC_WHERE_ADDRESS_MASK) | (where >> FC_WHERE_RETURN_SHIFT & low);
}
