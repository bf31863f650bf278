/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many calls of a counted function are open within another one of it.  For held.h and detail.h.
 */
#pragma once

#include "libfc/base/place.h"

#include <stdint.h>

/* Activations without a frame that are open within the one that has it: */
struct FcNested
{
    uint32_t alike; /* at the same place of the stack, into which they were inlined */
    uint32_t below; /* further down, from the same call site */
    uint32_t ended; /* whose exits were looked at */
};

/* One at `place`, from `site`, within that at `outer_place` from `outer_site`. */
static inline void fc_nested_add(struct FcNested *nested, uint64_t outer_site, uint64_t outer_place,
                                 uint64_t site, uint64_t place)
{
    if (place == outer_place)
        nested->alike++;
    else if (site == outer_site)
        nested->below++;
}
