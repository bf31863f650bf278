/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: the C++ library's containers, used by functions of the program.
 */
#include "phases.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

static uint32_t state = 9;

struct Less
{
    bool operator()(uint32_t a, uint32_t b) const
    {
        return a < b;
    }
};

class Table
{
  public:
    void add(uint32_t key)
    {
        counts_[key]++;
    }
    uint32_t get(uint32_t key) const
    {
        auto found = counts_.find(key);
        return found == counts_.end() ? 0 : found->second;
    }
    size_t size() const
    {
        return counts_.size();
    }

  private:
    std::map<uint32_t, uint32_t, Less> counts_;
};

PHASE(map)
{
    Table table;
    for (int i = 0; i < 6000; i++)
        table.add(phase_random(&state) % 1000);
    for (uint32_t i = 0; i < 6000; i++)
        sink += table.get(i % 1500);
}

PHASE(vector)
{
    std::vector<uint32_t> values;
    for (int i = 0; i < 50000; i++)
        values.push_back(phase_random(&state));
    uint64_t sum = 0;
    for (auto value : values)
        sum += value;
    sink += sum;
}

PHASE(sort)
{
    std::vector<uint32_t> values(8000);
    for (auto &value : values)
        value = phase_random(&state);
    std::sort(values.begin(), values.end(), [](uint32_t a, uint32_t b) { return a > b; });
    sink += values[3];
}

PHASE(strings)
{
    std::unordered_map<std::string, int> counts;
    for (int i = 0; i < 4000; i++)
        counts["key" + std::to_string(phase_random(&state) % 300)]++;
    sink += counts.size();
}

PHASE(matrix)
{
    static double a[64][64], b[64][64], c[64][64];
    for (int i = 0; i < 8 * 64; i++)
        for (int k = 0; k < 64; k++)
            for (int j = 0; j < 64; j++)
                c[i & 63][j] += a[i & 63][k] * b[k][j] + 1;
    sink += (uint64_t)c[3][3];
}

PHASES_MAIN(PHASE_ROW(map), PHASE_ROW(vector), PHASE_ROW(sort), PHASE_ROW(strings),
            PHASE_ROW(matrix))
