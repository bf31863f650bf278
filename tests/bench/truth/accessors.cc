/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: accessors that the compiler inlines, and the same work without them.
 */
#include "phases.h"

#include <vector>

class Body
{
  public:
    double x() const
    {
        return x_;
    }
    double y() const
    {
        return y_;
    }
    double mass() const
    {
        return mass_;
    }
    void move(double dx, double dy)
    {
        x_ += dx, y_ += dy;
    }
    void set_mass(double mass)
    {
        mass_ = mass;
    }
    double x_ = 1, y_ = 2, mass_ = 3;
};

static std::vector<Body> bodies(2000);

PHASE(accessors)
{
    double sum = 0;
    for (int round = 0; round < 600; round++)
        for (size_t i = 0; i < bodies.size(); i++)
            sum += bodies[i].x() * bodies[i].mass() - bodies[i].y();
    sink += (uint64_t)sum;
}

PHASE(setters)
{
    for (int round = 0; round < 1000; round++)
        for (Body &body : bodies)
        {
            body.move(0.5, 0.25);
            body.set_mass(body.mass() * 1.0001);
        }
    sink += (uint64_t)bodies[7].x_;
}

PHASE(fields)
{
    double sum = 0;
    const Body *all = bodies.data();
    for (int round = 0; round < 600; round++)
        for (int i = 0; i < 2000; i++)
            sum += all[i].x_ * all[i].mass_ - all[i].y_;
    sink += (uint64_t)sum;
}

NOINLINE static double pull(const Body &one, const Body &other)
{
    double dx = one.x_ - other.x_, dy = one.y_ - other.y_;
    return one.mass_ * other.mass_ / (dx * dx + dy * dy + 1);
}

PHASE(pairs)
{
    double sum = 0;
    for (int i = 0; i < 600; i++)
        for (int k = 0; k < 600; k++)
            sum += pull(bodies[i], bodies[k]);
    sink += (uint64_t)sum;
}

PHASES_MAIN(PHASE_ROW(accessors), PHASE_ROW(setters), PHASE_ROW(fields), PHASE_ROW(pairs))
