/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Means, Student's t, many tests; see statistics.h.
 */
#include "model/statistics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

void fc_moments_add(FcMoments *spread, guint count, double value)
{
    const double from_old = value - spread->mean;
    spread->mean += from_old / (count + 1);
    spread->squares += from_old * (value - spread->mean);
}

void fc_moments_fill(FcMoments *spread, guint count, guint all)
{
    for (; count < all; count++)
        fc_moments_add(spread, count, 0);
}

FcWelch fc_welch(const FcMoments *spread, const guint *count, const double *variance)
{
    double known[2] = {0, 0}; /* variance of each side's mean */
    guint freedom[2];
    FcWelch welch = {.change = spread[1].mean - spread[0].mean};
    for (guint side = 0; side < 2; side++)
        freedom[side] = count[side] - 1;
    if (freedom[0] + freedom[1] == 0)
    {
        welch.error = sqrt(variance[0] + variance[1]);
        welch.freedom = welch.error > 0 ? G_MAXUINT32 : 0;
        return welch;
    }
    for (guint side = 0; side < 2; side++)
    {
        const guint from = freedom[side] > 0 ? side : 1 - side;
        known[side] = MAX(spread[from].squares / freedom[from], variance[side]) / count[side];
    }
    const double sum = known[0] + known[1];
    welch.error = sqrt(sum);
    /* By Welch and Satterthwaite.  For a side with one value, only the other's spread is known. */
    if (freedom[0] == 0 || freedom[1] == 0 || sum <= 0)
        welch.freedom = freedom[0] + freedom[1];
    else
        welch.freedom =
            sum * sum / (known[0] * known[0] / freedom[0] + known[1] * known[1] / freedom[1]);
    return welch;
}

/* ---- Student's t --------------------------------------------------------------------- */

/* A factor of the continued fraction must not be 0, as the next step divides by it. */
static double not_zero(double x)
{
    return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8) by
 * Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
    double c = 1;
    double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
    double result = d;
    for (guint m = 1; m < 1000; m++)
    {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        result *= d * c;
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        result *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return result;
}

/* The regularized incomplete beta function.  `rest` is 1 - x, which the caller may know more
 * exactly. */
static double incomplete_beta(double x, double rest, double a, double b)
{
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(rest, b, a) / b;
}

double fc_student_tail(double t, double freedom)
{
    if (freedom > 1e6)
        return erfc(fabs(t) / M_SQRT2);
    const double whole = freedom + t * t;
    return incomplete_beta(freedom / whole, t * t / whole, freedom / 2, 0.5);
}

double fc_student_bound(double tail, double freedom)
{
    double low = 0;
    double high = 1;
    while (fc_student_tail(high, freedom) > tail && high < 1e300)
        high *= 2;
    for (guint i = 0; i < 100 && high - low > 1e-12 * high; i++)
    {
        const double middle = (low + high) / 2;
        if (fc_student_tail(middle, freedom) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- Many tests ---------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double fc_moments_bound(const FcMoments *spread, guint count)
{
    return count < 2 ? NAN
                     : fc_student_bound(1 - FC_INTERVAL_SURE, count - 1) *
                           sqrt(spread->squares / (count - 1) / count);
}

double fc_discovery_level(double *tails, guint count, double rate)
{
    if (count == 0)
        return rate;
    qsort(tails, count, sizeof *tails, compare_doubles);
    guint found = count;
    while (found > 1 && tails[found - 1] > found * rate / count)
        found--;
    return found * rate / count;
}
