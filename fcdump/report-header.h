/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the header says of how the profile was made, for the page as well.
 */
#pragma once

#include "fcdump/report.h"

extern const FcReport fc_report_header;

/* The same whatever times are shown. */
void fc_report_header_notes(const FcReportContext *context);
