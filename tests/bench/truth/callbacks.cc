/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: the C++ library's algorithms with small objects to call, a tree of the library, and an array
 * that is filled and summed without a call.
 */
#include "phases.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

struct Entry
{
    uint32_t key;
    uint32_t weight;
    bool operator<(const Entry &other) const
    {
        return key < other.key;
    }
};

static std::vector<Entry> entries(600);

PHASE(sorted)
{
    uint32_t state = 5;
    for (int round = 0; round < 12; round++)
    {
        for (Entry &entry : entries)
            entry = {phase_random(&state), 1};
        std::sort(entries.begin(), entries.end());
    }
    sink += entries[3].key;
}

PHASE(tree)
{
    std::map<uint32_t, uint32_t> found;
    for (int round = 0; round < 10; round++)
        for (const Entry &entry : entries)
            found[(entry.key >> 6 & 255) ^ (uint32_t)round] += entry.weight;
    for (const auto &each : found)
        sink += each.second;
}

PHASE(called_back)
{
    uint64_t sum = 0;
    std::function<void(const Entry &)> add = [&sum](const Entry &entry)
    { sum += entry.key ^ entry.weight; };
    for (int round = 0; round < 250; round++)
        std::for_each(entries.begin(), entries.end(), add);
    sink += sum;
}

PHASE(array)
{
    static uint32_t all[8192];
    for (int round = 0; round < 40; round++)
        for (uint32_t i = 1; i < 8192; i++)
            all[i] = all[i - 1] * 3u + i;
    sink += all[8191];
}

PHASES_MAIN(PHASE_ROW(sorted), PHASE_ROW(tree), PHASE_ROW(called_back), PHASE_ROW(array))
