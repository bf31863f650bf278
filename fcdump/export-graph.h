/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which nodes and arcs a drawn graph has.  Used by the exports for graphviz and VCG
 * viewers, so that both draw the same.
 */
#pragma once

#include "fcdump/report.h"

/* Calls `put_node` for each shown function that takes at least --min per cent, then `put_arc`
 * for each arc between two of them. */
void fc_export_graph(const FcReportContext *context,
                     void (*put_node)(const FcReportContext *context, guint function),
                     void (*put_arc)(const FcReportContext *context, const FcArc *arc));

/* What a function's node says: name, times and calls, a line each.  The caller owns the result. */
char *fc_export_label(const FcModel *model, const FcFunction *function);

/* `text` between double quotes, with those inside and backslashes escaped; `newline`
 * and `ampersand` stand for each line break and ampersand.  The caller owns the result. */
char *fc_export_quote(const char *text, const char *newline, const char *ampersand);
