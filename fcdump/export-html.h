/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the parts of the HTML export.  Nobody else includes it.
 */
#pragma once

#include "fcdump/json.h"
#include "fcdump/report.h"

/* "", "~", "<" or "<~": what stands before the time of an arc, and of its call sites. */
const char *fc_export_html_arc_mark(const FcReportContext *context, const FcArc *arc);

/* Member `heap`: an object, null where the profile has none. */
void fc_export_html_heap(const FcReportContext *context, FcJson *json);
/* Member `difference`: of --diff. */
void fc_export_html_diff(const FcReportContext *context, FcJson *json);
/* Member `sources`: the lines of the heaviest functions, where their files can be read. */
void fc_export_html_sources(const FcReportContext *context, FcJson *json);
