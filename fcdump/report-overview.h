/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the first screen shares with the report of several runs.
 */
#pragma once

#include "fcdump/report.h"

/* Up to three findings, a line each, behind an empty one. */
void fc_report_findings(const FcReportContext *context);
