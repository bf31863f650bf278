/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See costs-samples.h.
 */
#include "libfc/process/costs-samples.h"

#include <stdbool.h>

static void add(struct FcMean *mean, uint64_t ticks, uint64_t most)
{
    if (ticks > most)
        return;
    mean->sum += ticks;
    mean->count++;
}

static enum FcRecordKind kind_of(const struct FcRecord *record)
{
    return (enum FcRecordKind)(record->where & FC_WHERE_KIND_MASK);
}

static bool is_sample(const struct FcRecord *record)
{
    return kind_of(record) == FC_RECORD_COUNT &&
           (record->function >> FC_COUNT_RECORD_SHIFT & FC_COUNT_RECORD_MASK) == FC_COUNT_SAMPLE;
}

void fc_costs_add_samples(struct FcSamples *samples, const struct FcChunk *chunk, uint32_t units)
{
    const uint64_t most = samples->most;
    const struct FcRecord *end = &chunk->records[units / FC_RECORD_UNITS];
    for (const struct FcRecord *at = chunk->records; at + 6 < end; at++)
    {
        if (!is_sample(at))
            continue;
        if (kind_of(at + 1) == FC_RECORD_EXIT)
            add(&samples->alone, at[1].time - at->time, most);
        else
        {
            const uint64_t first = at[2].time - at[1].time;
            const uint64_t second = at[4].time - at[3].time;
            add(&samples->calling, at[5].time - at->time - first - second, most);
            add(&samples->inner, first, most);
            add(&samples->inner, second, most);
        }
    }
}
