/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be said of a difference between a few measurements before and a few after: Welch's
 * test, and the bound of false findings where many are tested at once.  Used by model/diff-judge.c
 * and by --fail-on; pure computation.
 */
#pragma once

#include <glib.h>

/* Values as they come, by Welford's method: of equal integers `squares` is exactly 0. */
typedef struct
{
    double mean;
    double squares; /* sum of the squared deviations from it */
} FcMoments;

/* Adds a value; `count` are in it already. */
void fc_moments_add(FcMoments *spread, guint count, double value);

/* Adds zeros to the `count` values, so that there are `all`. */
void fc_moments_fill(FcMoments *spread, guint count, guint all);

/* A change and how sure it is. */
typedef struct
{
    double change;  /* of the means: after less before */
    double error;   /* its standard error */
    double freedom; /* degrees of freedom of the error; 0: nothing is known about it */
} FcWelch;

/* Each argument is an array of two.  Compares `count[0]` values before with `count[1]` after.
 * `variance` is what is known of the variance of single values apart from how they spread, such as
 * that of an estimate; a side of one value takes the spread of the other, and where each has one
 * there is nothing else. */
FcWelch fc_welch(const FcMoments *spread, const guint *count, const double *variance);

/* How likely Student's t with that many degrees of freedom is at least as far from 0. */
double fc_student_tail(double t, double freedom);
/* The t that is exceeded, on either side together, with probability `tail`. */
double fc_student_bound(double tail, double freedom);

/* How sure an interval is to hold the mean. */
#define FC_INTERVAL_SURE 0.95
/* Half the width of the interval around the mean of `count` values; NaN: of one nothing is known.
 */
double fc_moments_bound(const FcMoments *spread, guint count);

/* Benjamini and Hochberg: the level at which each of `count` tests is to be taken so that of those
 * that are found different no more than a share of `rate` is expected to be the same.  `tails` is
 * sorted. */
double fc_discovery_level(double *tails, guint count, double rate);
