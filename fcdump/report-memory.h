/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports of memory share.  Nobody else includes it.
 */
#pragma once

#include "fcdump/report.h"

/* Begins report `name`: prints its title and returns TRUE if there is something to print.  If not
 * (the profile has no memory records, or `is_empty`), returns FALSE; then it has printed the title
 * and that there is nothing, if the report was asked for. */
gboolean fc_report_memory_begin(const FcReportContext *context, const char *name, const char *title,
                                gboolean is_empty);

/* Completes the row that was begun, which lacks only its last cell, with "PREFIX CALL in FUNCTION
 * at FILE:LINE" of `point`.  Adds a row for each caller. */
void fc_report_stack(const FcReportContext *context, FcTable *table, guint cells,
                     const char *prefix, const FcProfileHeapPoint *point);

/* The same for --csv, where fc_report_stack makes one cell of it: "CALL;FUNCTION at FILE:LINE;...",
 * the innermost first.  The caller owns it. */
char *fc_report_stack_line(const FcReportContext *context, const FcProfileHeapPoint *point);

/* "N thing" or "N things". */
char *fc_report_number(guint64 count, const char *thing);

/* The indexes (guint) of those of `count` figures whose member at offset `figure` is not 0, the
 * largest first, then by index.  The caller owns the result. */
GArray *fc_report_largest(const FcProfileAllocSite *figures, guint count, gsize figure);

/* Mean lifetime of the freed blocks; "-" where none was. */
char *fc_report_lifetime(const FcProfileAllocSite *figures);

/* What is printed for profiles of version 3.0, which list blocks by address. */
void fc_report_v3_leaks(const FcReportContext *context);
void fc_report_v3_bad(const FcReportContext *context, const GArray *blocks);
