/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See spread.h.
 */
#include "model/spread.h"

#include <math.h>

double fc_spread_mean(const FcProfileSpread *spread, guint64 ranks)
{
    return (double)spread->sum / (double)ranks;
}

double fc_spread_deviation(const FcProfileSpread *spread, guint64 ranks)
{
    const double mean = fc_spread_mean(spread, ranks);
    const double square = fc_square_value(spread->squares) / (double)ranks;
    return sqrt(MAX(square - mean * mean, 0));
}

guint64 fc_spread_gain(const FcProfileSpread *spread, guint64 ranks)
{
    return (guint64)MAX((double)spread->most - fc_spread_mean(spread, ranks), 0);
}
