/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What several exports need: to say on standard error what their format can't hold, and not to
 * write over what they are made from.  Used by the export-*.c files and by main.c, which opens the
 * files.
 */
#pragma once

#include "fcdump/report.h"
#include "profile/output.h"

/* What a format may be unable to hold.  A note names only what the profile has. */
typedef enum
{
    FC_LOST_CONTEXTS = 1 << 0,
    FC_LOST_CALLS = 1 << 1,
    FC_LOST_SITES = 1 << 2,   /* where in the caller the call is */
    FC_LOST_BOUNDS = 1 << 3,  /* minima, maxima, histograms */
    FC_LOST_THREADS = 1 << 4, /* threads are added up */
    FC_LOST_PROCESSES = 1 << 5,
    FC_LOST_MEMORY = 1 << 6,
    FC_LOST_LEAKS = 1 << 7, /* the format has memory, but not single blocks and bad frees */
    FC_LOST_NOTES = 1 << 8, /* repairs and losses */
    FC_LOST_MARKS = 1 << 9, /* which times are estimates */
} FcLost;

/* Adds a line for standard error. */
void fc_export_note(const FcReportContext *context, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Adds a note: which of `lost` (FcLost) the profile has and --NAME does not hold. */
void fc_export_note_lost(const FcReportContext *context, const char *name, guint lost);

/* Adds notes: which contexts --NAME adds to their callers, and which it leaves out. */
void fc_export_note_stacks(const FcReportContext *context, const char *name,
                           const FcStacks *stacks);

/* FALSE and `error` if `path` is a profile, a descriptor of several, or a program: none is ever
 * overwritten. */
gboolean fc_export_may_write(const char *path, GError **error);

/* As fc_output_begin(), but also NULL if the file is a profile or a program: a wrong argument must
 * not destroy it. */
FcOutput *fc_export_begin(const char *path, GError **error);

/* "12.3 ms (45.6%)", for a node of a graph.  The caller owns the result. */
char *fc_export_time(const FcModel *model, guint64 ns);

/* `text` between double quotes, for the language of a graph: those inside and backslashes escaped;
 * `newline` and `ampersand` stand for each line break and ampersand.  The caller owns the result.
 */
char *fc_export_quote(const char *text, const char *newline, const char *ampersand);
