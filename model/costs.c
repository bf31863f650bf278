/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See costs.h.
 */
#include "model/costs.h"

#define PS_OF_NS 1000.0
#define FIRST_SHAPE 2 /* of a counted call, among the costs */

/* The shapes in which a counted call was measured differ by a few of its instructions.  In a
 * program the hooks also spoil what the processor predicts of the program's own calls, which mostly
 * took less than as much again as in the dearest shape. */
double fc_costs_error_ns(const guint64 *costs_ps, double cost_ns, double counted)
{
    guint64 least = G_MAXUINT64;
    guint64 most = 0;
    for (guint i = FIRST_SHAPE; i < FC_PROFILE_COSTS; i++)
    {
        least = MIN(least, costs_ps[i]);
        most = MAX(most, costs_ps[i]);
    }
    const double counted_ns = MIN(counted * (double)least / PS_OF_NS, cost_ns);
    return counted * (double)most / PS_OF_NS + FC_COSTS_ERROR * (cost_ns - counted_ns);
}
