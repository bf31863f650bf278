/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many calls of a counted function are open within another call of it.  For framed.h and
 * detail.h.
 */
#pragma once

#include "libfc/base/frame-address.h"

#include <stdint.h>

/* Calls without a frame in the manager that are open within the framed one. */
struct FcNested
{
    uint32_t alike; /* at the same stack address: they were inlined into it */
    uint32_t below; /* further down the stack, from the same call site */
    uint32_t ended; /* whose exits were checked */
};

/* Adds a call at `address` from `site`, within the call at `outer_address` from `outer_site`. */
static inline void fc_nested_add(struct FcNested *nested, uint64_t outer_site,
                                 uint64_t outer_address, uint64_t site, uint64_t address)
{
    if (address == outer_address)
        nested->alike++;
    else if (site == outer_site)
        nested->below++;
}
