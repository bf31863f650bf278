/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports of memory share.  Nobody else includes it.
 */
#pragma once

#include "fcdump/report.h"

/* Prints the title of report `name` if it has something to say or was asked for; without
 * memory records or anything to say (`is_empty`) that instead.  FALSE: it is done. */
gboolean fc_report_memory_begin(const FcReportContext *context, const char *name, const char *title,
                                gboolean is_empty);

/* Fills the row that was begun, whose cells but the last are there, with "PREFIX CALL in
 * FUNCTION at FILE:LINE" of `point`, and adds a row for each caller. */
void fc_report_stack(const FcReportContext *context, FcTable *table, guint cells,
                     const char *prefix, const FcProfileHeapPoint *point);

/* "N thing" or "N things". */
char *fc_report_number(guint64 count, const char *thing);

/* The largest first by `figure`, a member of FcProfileAllocSite, then in order of index: guint of
 * those of `count` figures that have any.  The caller owns the result. */
GArray *fc_report_largest(const FcProfileAllocSite *figures, guint count, gsize figure);

/* Mean lifetime of the freed blocks; "-" where none was. */
char *fc_report_lifetime(const FcProfileAllocSite *figures);

/* Lists of version 3.0. */
void fc_report_v3_leaks(const FcReportContext *context);
void fc_report_v3_bad(const FcReportContext *context, const GArray *blocks);
