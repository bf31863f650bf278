/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What samples of counted calls (counted.h) took, as their records tell.  For costs.c, which makes
 * them.
 */
#pragma once

#include "libfc/fc-format.h"

struct FcMean
{
    uint64_t sum;
    uint32_t count;
};

struct FcSamples
{
    uint64_t most; /* ticks: what took longer was interrupted */
    struct FcMean alone;
    struct FcMean calling; /* without the two calls that it makes */
    struct FcMean inner;   /* these calls */
};

/* The samples in the chunk, of long records up to unit `units`: of functions that call nothing, or
 * two others that do not. */
void fc_costs_add_samples(struct FcSamples *samples, const struct FcChunk *chunk, uint32_t units);
