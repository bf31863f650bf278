/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the header says of how the profile was made, for the page as well.
 */
#pragma once

#include "fcdump/report.h"

extern const FcReport fc_report_header;

/* Whether records of calls were lost, so that counts may be too low (report-notes.c). */
gboolean fc_report_misses_calls(const FcReportContext *context);

/* The same whatever times are shown. */
void fc_report_header_notes(const FcReportContext *context);
