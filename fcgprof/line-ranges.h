/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranges of addresses that units lay claim to, and a loss in the table that gprof's library
 * keeps of them: where more than FC_GLINE_CROWD_MAX meet within FC_GLINE_CROWD_BYTES bytes (small
 * functions in sections of their own, or that several units share), it finds no unit for the
 * last of these bytes.  Used by line-units.c; never asks units itself.
 */
#pragma once

#include <glib.h>

enum
{
    FC_GLINE_CROWD_BYTES = 256,
    FC_GLINE_CROWD_MAX = 16
};

/* [low, high) of a unit */
typedef struct
{
    guint64 low;
    guint64 high;
    guint64 max_high; /* of all ranges up to this one; set by fc_gline_ranges_sort() */
    guint unit;
    guint64 time; /* when it became known; 0: with its unit */
    guint order;  /* among those that became known with the unit */
    guint64 turn; /* the time of the range of its unit that it extends, else `time` */
} FcGLineRange;

/* Sorts an array of FcGLineRange by start. */
void fc_gline_ranges_sort(GArray *ranges);

/* How many of the sorted `ranges` start at or below `addr`. */
guint fc_gline_ranges_upto(const GArray *ranges, guint64 addr);

/* Whether `claims`, ranges that all touch the same FC_GLINE_CROWD_BYTES bytes and have their
 * times set, are too many.  Leaves them in another order, and some longer. */
gboolean fc_gline_ranges_are_crowd(GArray *claims);
