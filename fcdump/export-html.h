/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of the HTML export share.  Nobody else includes it.
 */
#pragma once

#include "fcdump/json.h"
#include "fcdump/report.h"

/* The part of `ns` on the CPU, without `wait_ns`; all of `ns` if the model's times are already one
 * part. */
guint64 fc_export_html_cpu_ns(const FcModel *model, guint64 ns, guint64 wait_ns);

/* An array of the parts of the time off the CPU: preempted, then waits by FcWaitKind, then unknown.
 */
void fc_export_html_off(FcJson *json, const FcProfileTimes *times, const FcProfileOff *off);

/* "", "~", "<" or "<~": the mark before the time of an arc and of its call sites. */
const char *fc_export_html_arc_mark(const FcReportContext *context, const FcArc *arc);

/* Member `findings`: those of the first screen, whose times are on the CPU. */
void fc_export_html_findings(const FcReportContext *context, FcJson *json);
/* Members `threads` and `trace`, which is null where there is none. */
void fc_export_html_threads(const FcReportContext *context, FcJson *json);
/* Member `heap`: an object, null where the profile has none. */
void fc_export_html_heap(const FcReportContext *context, FcJson *json);
/* Member `ranks`: null, or of several ranks the time on the CPU of functions by rank. */
void fc_export_html_ranks(const FcReportContext *context, FcJson *json);
/* Member `difference`: of --diff. */
void fc_export_html_diff(const FcReportContext *context, FcJson *json);
/* Member `sources`: the lines of the heaviest functions, where their files can be read. */
void fc_export_html_sources(const FcReportContext *context, FcJson *json);
