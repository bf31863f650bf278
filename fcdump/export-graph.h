/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which nodes and arcs a drawn graph has.  Used by the exports for graphviz and VCG
 * viewers, so that both draw the same.
 */
#pragma once

#include "fcdump/report.h"

/* Shown functions that take at least --min per cent.  The caller owns the result: one
 * entry a function. */
gboolean *fc_export_nodes(const FcReportContext *context);

/* Whether both ends of `arc` are in `nodes`. */
gboolean fc_export_has_arc(const gboolean *nodes, const FcArc *arc);

/* `text` between double quotes, with those inside and backslashes escaped; `newline`
 * and `ampersand` stand for each line break and ampersand.  The caller owns the result. */
char *fc_export_quote(const char *text, const char *newline, const char *ampersand);

/* "12.3 ms (45.6%)".  The caller owns the result. */
char *fc_export_time(const FcModel *model, guint64 ns);
