/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reports and exports of a difference, in place of those of a profile, and what they have in
 * common.  Called by main.
 */
#pragma once

#include "fcdump/report.h"

void fc_report_diff(const FcReportContext *context);
void fc_report_diff_tree(const FcReportContext *context);
void fc_report_diff_markdown(const FcReportContext *context);
void fc_export_diff_json(const FcReportContext *context);
/* "a;b before after": for difffolded.pl and flamegraph.pl. */
void fc_export_diff_folded(const FcReportContext *context);

/* The functions to show (guint, in order), and how many are left out. */
typedef struct
{
    GArray *rows;
    guint more;  /* changed as well, beyond the number that is shown */
    guint noise; /* changed by no more than noise */
    guint same;
} FcDiffRows;

/* Takes at most `most` functions that changed, or as many as --top says; with --all, all functions.
 */
void fc_diff_rows_init(FcDiffRows *rows, const FcReportContext *context, guint most);
/* The number of rows to show.  `most`: the table's own limit. */
guint fc_diff_most(const FcReportContext *context, guint most);
void fc_diff_rows_clear(FcDiffRows *rows);

/* What times are compared: "CPU time", "waiting", "time in functions"; and as --time has it: "cpu".
 */
const char *fc_diff_time_name(const FcReportContext *context);
const char *fc_diff_time_word(const FcReportContext *context);

/* "slower, more calls"; "noise"; "new".  The caller owns the result, as those of the next. */
char *fc_diff_finding(const FcDiff *diff, const FcDiffFunction *function);
/* "noise", "+10.0%", "+3.1% ?", "=". */
char *fc_diff_change_text(FcDiffMetric metric, const FcDiffChange *change);
/* "1.2%" of what was before, without a sign; "" where there is no interval. */
char *fc_diff_margin_text(const FcDiffChange *change);
/* "more than noise", "noise", ... as JSON has it. */
const char *fc_diff_verdict_name(FcDiffVerdict verdict);
