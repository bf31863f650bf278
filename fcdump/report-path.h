/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The contexts that --path names, for the exports of stacks.
 */
#pragma once

#include "fcdump/report.h"

/* The stacks of an export; with --path, only those that it selects.  The caller owns the result. */
FcStacks *fc_report_stacks(const FcReportContext *context);
/* The same, made by fc_stacks_new_by_line. */
FcStacks *fc_report_stacks_by_line(const FcReportContext *context);
