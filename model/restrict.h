/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes from a profile what some of its threads did.  Called by load.c for each file, before it
 * is summed; never prints.
 */
#pragma once

#include "profile/fc-profile.h"

typedef enum
{
    FC_RESTRICT_NONE,      /* none of the threads is wanted */
    FC_RESTRICT_WHOLE,     /* all of them are: nothing was changed */
    FC_RESTRICT_FUNCTIONS, /* functions and threads are those of the wanted ones, without what is
                              known of all together only: bounds, histograms, latencies; arcs,
                              contexts and the heap are still of all */
    FC_RESTRICT_ARCS,      /* the arcs are those of the wanted ones, too */
} FcRestricted;

/* Whether `number` in decimal, or `name` (may be NULL), is one of `patterns` (char *, of the shell)
 * or fits it.  Sets the entries of `fitted`, one a pattern, of those that it is or fits. */
gboolean fc_restrict_fits(const GPtrArray *patterns, gint64 number, const char *name,
                          gboolean *fitted);

/* Leaves the threads whose number or name fits `patterns`; `fitted` as above. */
FcRestricted fc_restrict_threads(FcProfile *profile, const GPtrArray *patterns, gboolean *fitted);
