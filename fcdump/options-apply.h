/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the options do: the functions that the rows of options-table.c name.  Called by the parser
 * of options.c, each for the options whose row has it; they change FcOptions and nothing else.
 */
#pragma once

#include "fcdump/options-table.h"

FcOptionApply fc_option_apply_value;
FcOptionApply fc_option_apply_classic;
FcOptionApply fc_option_apply_top;
FcOptionApply fc_option_apply_sort;
FcOptionApply fc_option_apply_weight;
FcOptionApply fc_option_apply_cumul;
FcOptionApply fc_option_apply_color;
FcOptionApply fc_option_apply_demangle;
FcOptionApply fc_option_apply_string;
FcOptionApply fc_option_apply_gmon;
FcOptionApply fc_option_apply_list;
FcOptionApply fc_option_apply_number;
FcOptionApply fc_option_apply_percent;
FcOptionApply fc_option_apply_memory;
FcOptionApply fc_option_apply_rgraph;
FcOptionApply fc_option_apply_no_reports;

/* Sets `error` to that text; FALSE. */
gboolean fc_option_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The classic reports in place of the first screen, if that is still what is to be printed. */
void fc_options_leave_screen(FcOptions *options);

/* The bits of the reports of `kind` whose names begin with `start`; those of
 * FC_REPORT_BOTH are of either kind. */
guint64 fc_options_reports_named(const FcReport *reports, const char *start, FcReportKind kind);
