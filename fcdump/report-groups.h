/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of --by=file and the like, which the reports of functions print in place of theirs.
 */
#pragma once

#include "fcdump/report.h"

void fc_report_groups(const FcReportContext *context);
