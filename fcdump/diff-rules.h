/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --fail-on: which changes are too large.  Parsed with the command line, checked by main once the
 * runs have been compared.  Never prints.
 *
 *     METRIC[(PATTERN[,PATTERN]...)]:[+|-]NUMBER[%|UNIT]
 */
#pragma once

#include "model/diff.h"

typedef struct
{
    char *text; /* as it was given */
    FcDiffMetric metric;
    gboolean run;        /* of the whole run, not of functions */
    GPtrArray *patterns; /* char *; empty: all functions */
    gint direction;      /* 1: what grows by more, -1: what shrinks by more, 0: either */
    double limit;        /* per cent, or in the metric's unit */
    gboolean is_percent;
} FcDiffRule;

/* NULL and `error` where it is none.  The caller owns the result. */
FcDiffRule *fc_diff_rule_parse(const char *text, GError **error);
void fc_diff_rule_free(FcDiffRule *rule);

/* Adds to `reasons` (char *, which it owns) a line for each function that breaks one of `rules`,
 * and to `notes` likewise one for each rule that may be broken, which more runs would prove. */
void fc_diff_rules_check(const GPtrArray *rules, const FcDiff *diff, GPtrArray *reasons,
                         GPtrArray *notes);

/* Adds the patterns of rules that fit no function, as fc_select_missing makes them. */
void fc_diff_rules_find_missing(const GPtrArray *rules, const FcDiff *diff, GPtrArray *missing);

/* Adds a message for each rule of what some of the runs did not record. */
void fc_diff_rules_find_unknown(const GPtrArray *rules, const FcDiff *diff, GPtrArray *problems);

/* "6.000 ms", "12": a value of the metric.  The caller owns the result, as that of the next. */
char *fc_diff_format(FcDiffMetric metric, double value);
/* "+10.0%", "-1"; of what was not there before the value itself. */
char *fc_diff_format_change(FcDiffMetric metric, double before, double change);
