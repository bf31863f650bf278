/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an option is, and what options do: the functions that the rows of options-table.c name.
 * Called by options-parse.c, each for the options whose row has it; they change FcOptions and
 * nothing else.
 */
#pragma once

#include "fcdump/options.h"

/* Sections of --help. */
typedef enum
{
    FC_GROUP_INPUT,
    FC_GROUP_REPORTS,
    FC_GROUP_EXPORTS,
    FC_GROUP_SELECT,
    FC_GROUP_MEMORY,
    FC_GROUP_DIFF,
    FC_GROUP_NAMES,
    FC_GROUP_OTHER,
} FcOptionGroup;

typedef struct FcOption FcOption;

/* FALSE and `error` where the argument can't be used. */
typedef gboolean FcOptionApply(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error);

struct FcOption
{
    const char *name;
    const char *alias;    /* another name, or NULL */
    const char *argument; /* "LIST"; "[STYLE]": may be left out; NULL: none */
    const char *help;
    FcOptionGroup group;
    FcOptionApply *apply;
    gsize offset; /* of the FcOptions member that `apply` sets */
    gint value;   /* what it is set to */
};

FcOptionApply fc_option_apply_value;
FcOptionApply fc_option_apply_classic;
FcOptionApply fc_option_apply_top;
FcOptionApply fc_option_apply_sort;
FcOptionApply fc_option_apply_weight;
FcOptionApply fc_option_apply_time;
FcOptionApply fc_option_apply_cumul;
FcOptionApply fc_option_apply_color;
FcOptionApply fc_option_apply_demangle;
FcOptionApply fc_option_apply_names;
FcOptionApply fc_option_apply_string;
FcOptionApply fc_option_apply_name;
FcOptionApply fc_option_apply_baseline;
FcOptionApply fc_option_apply_fail_on;
FcOptionApply fc_option_apply_list;
FcOptionApply fc_option_apply_report;
FcOptionApply fc_option_apply_by;
FcOptionApply fc_option_apply_units;
FcOptionApply fc_option_apply_number;
FcOptionApply fc_option_apply_width;
FcOptionApply fc_option_apply_duration;
FcOptionApply fc_option_apply_trace;
FcOptionApply fc_option_apply_percent;
FcOptionApply fc_option_apply_ranks;
FcOptionApply fc_option_apply_suggest;
FcOptionApply fc_option_apply_memory;
FcOptionApply fc_option_apply_rgraph;
FcOptionApply fc_option_apply_no_reports;

/* Sets `error` to that text.  Returns FALSE. */
gboolean fc_option_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Replaces the first screen, if that is still selected, with the classic reports. */
void fc_options_leave_screen(FcOptions *options);
/* Replaces it likewise with the reports that every selection has (losses); the caller adds those
 * that are named. */
void fc_options_name_report(FcOptions *options);

/* The bits of the reports of `kind` whose names begin with `start`; those of
 * FC_REPORT_BOTH are of either kind. */
guint64 fc_options_reports_named(const FcReport *const *reports, const char *start,
                                 FcReportKind kind);
