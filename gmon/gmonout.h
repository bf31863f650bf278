/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A gmon.out file on its way out: own times become histograms, calls become arc
 * records, and all of it the bytes that GNU gprof reads.  export-gmon.c fills it; it knows
 * addresses and figures only, neither profiles nor symbols.
 *
 * Addresses are those that the image was linked to.
 */
#pragma once

#include "gmon/gmon.h"

#include <stdio.h>

/* Own time of a function as gprof sees it: its code is [start, end). */
typedef struct
{
    guint64 start;
    guint64 end; /* where the next symbol begins */
    guint64 local_ns;
    guint64 shown_ns; /* filled in: what the file says */
} FcGmonTime;

typedef struct
{
    guint64 from; /* an address inside the call instruction */
    guint64 self; /* the callee's entry */
    guint64 calls;
} FcGmonArc;

typedef struct
{
    guint32 rate;  /* ticks a second */
    GArray *hists; /* FcGmonHist; equal ranges add up */
    GArray *arcs;  /* FcGmonArc */
} FcGmonOut;

/* Empty; the caller frees it with fc_gmonout_free. */
FcGmonOut *fc_gmonout_new(void);
void fc_gmonout_free(FcGmonOut *out);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGmonOut, fc_gmonout_free)

/* Chooses the clock and makes the histograms, so that gprof gives each function its own
 * time and nobody another's.  `times` is ordered by start, no two overlap.  To be called
 * once. */
void fc_gmonout_set_times(FcGmonOut *out, FcGmonTime *times, guint count);

/* Whether what the file says of the function is farther off than one part in 200. */
gboolean fc_gmonout_is_inexact(const FcGmonTime *time);

/* Whether several records have one range, as a bin can't hold all.  gprof adds them up as it
 * reads, but what it sums has 16 bits again in the file that it writes. */
gboolean fc_gmonout_has_layers(const FcGmonOut *out);

void fc_gmonout_add_arc(FcGmonOut *out, guint64 from, guint64 self, guint64 calls);

/* How many arc records the file needs: each has 32 bits for its calls. */
guint64 fc_gmonout_count_arc_records(const FcGmonOut *out);

/* Writes it all to the start of `file`.  FALSE, with errno set, where that fails. */
gboolean fc_gmonout_write(const FcGmonOut *out, const FcGmonLayout *layout, FILE *file);
