/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: virtual functions, predicted and not, beside a switch.
 */
#include "phases.h"

#include <memory>
#include <vector>

struct Shape
{
    virtual ~Shape() = default;
    virtual uint64_t area(uint64_t scale) const = 0;
    int kind = 0;
    uint64_t side = 3;
};
struct Square : Shape
{
    uint64_t area(uint64_t scale) const override
    {
        return side * side * scale;
    }
};
struct Triangle : Shape
{
    uint64_t area(uint64_t scale) const override
    {
        return side * side * scale / 2;
    }
};
struct Ring : Shape
{
    uint64_t area(uint64_t scale) const override
    {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < 8; i++)
            sum += (side + i) * scale;
        return sum;
    }
};

static std::vector<std::unique_ptr<Shape>> make(bool is_mixed)
{
    std::vector<std::unique_ptr<Shape>> shapes;
    uint32_t state = 1;
    for (int i = 0; i < 1000; i++)
        switch (is_mixed ? phase_random(&state) % 3 : 0)
        {
        case 0:
            shapes.emplace_back(new Square);
            break;
        case 1:
            shapes.emplace_back(new Triangle);
            shapes.back()->kind = 1;
            break;
        default:
            shapes.emplace_back(new Ring);
            shapes.back()->kind = 2;
        }
    return shapes;
}

static const std::vector<std::unique_ptr<Shape>> alike = make(false);
static const std::vector<std::unique_ptr<Shape>> mixed = make(true);

static void sum_all(const std::vector<std::unique_ptr<Shape>> &shapes, int rounds)
{
    uint64_t sum = 0;
    const std::unique_ptr<Shape> *all = &shapes[0];
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 1000; i++)
            sum += (&*all[i])->area((uint64_t)round);
    sink += sum;
}

PHASE(alike)
{
    sum_all(alike, 500);
}

PHASE(mixed)
{
    sum_all(mixed, 250);
}

PHASE(switch)
{
    uint64_t sum = 0;
    static int kinds[1000];
    uint32_t state = 1;
    for (int i = 0; i < 1000; i++)
        kinds[i] = (int)(phase_random(&state) % 3);
    for (uint64_t round = 0; round < 1000; round++)
        for (int i = 0; i < 1000; i++)
            switch (kinds[i])
            {
            case 0:
                sum += 9 * round;
                break;
            case 1:
                sum += 9 * round / 2;
                break;
            default:
                for (uint64_t k = 0; k < 8; k++)
                    sum += (3 + k) * round;
            }
    sink += sum;
}

PHASES_MAIN(PHASE_ROW(alike), PHASE_ROW(mixed), PHASE_ROW(switch))
