/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules of --fail-on; see diff-rules.h.
 */
#include "fcdump/diff-rules.h"

#include "fcdump/render.h"
#include "fcdump/words.h"
#include "model/select.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* ---- Values -------------------------------------------------------------------------- */

char *fc_diff_format(FcDiffMetric metric, double value)
{
    if (fc_diff_is_time(metric))
        return fc_format_time((guint64)llround(value));
    if (metric == FC_DIFF_BYTES)
        return fc_format_bytes((guint64)llround(value));
    if (value == floor(value))
        return fc_format_count((guint64)value);
    return g_strdup_printf("%.1f", value); /* the mean of runs that differ */
}

char *fc_diff_format_change(FcDiffMetric metric, double before, double change)
{
    const char *sign = change < 0 ? "-" : "+";
    if (before > 0)
    {
        const double percent = 100 * fabs(change) / before;
        return g_strdup_printf(percent < 1000 ? "%s%.1f%%" : "%s%.3g%%", sign, percent);
    }
    g_autofree char *value = fc_diff_format(metric, fabs(change));
    return g_strconcat(sign, value, NULL);
}

/* ---- Parsing ------------------------------------------------------------------------- */

void fc_diff_rule_free(FcDiffRule *rule)
{
    if (!rule)
        return;
    g_free(rule->text);
    g_ptr_array_unref(rule->patterns);
    g_free(rule);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcDiffRule, fc_diff_rule_free)

static gboolean fail(const char *text, const char *reason, GError **error)
{
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--fail-on=%s: %s", text, reason);
    return FALSE;
}

static gboolean parse_metric(FcDiffRule *rule, const char *word, GError **error)
{
    rule->run = strcmp(word, "run") == 0;
    rule->metric = FC_DIFF_TOTAL;
    if (rule->run)
        return TRUE;
    for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
    {
        rule->metric = metric;
        if (strcmp(fc_diff_metric_name(metric), word) == 0)
            return TRUE;
    }
    return fail(rule->text, "it begins with none of calls, total, local, per-call, bytes, run",
                error);
}

/* What the unit behind a limit is worth; 0: it is none of the metric. */
static double unit_value(FcDiffMetric metric, const char *unit)
{
    static const struct
    {
        const char *name;
        double value;
        gboolean is_time;
    } units[] = {
        {"ns", 1, TRUE}, {"us", 1e3, TRUE},    {"ms", 1e6, TRUE},       {"s", 1e9, TRUE},
        {"B", 1, FALSE}, {"KiB", 1024, FALSE}, {"MiB", 1 << 20, FALSE}, {"GiB", 1 << 30, FALSE},
    };
    if (*unit == '\0')
        return 1;
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (strcmp(units[i].name, unit) == 0 && units[i].is_time == fc_diff_is_time(metric) &&
            metric != FC_DIFF_CALLS)
            return units[i].value;
    return 0;
}

static gboolean parse_limit(FcDiffRule *rule, const char *text, GError **error)
{
    char *end = NULL;
    rule->direction = *text == '+' ? 1 : *text == '-' ? -1 : 0;
    const char *number = rule->direction != 0 ? text + 1 : text;
    if (!g_ascii_isdigit(*number) && *number != '.')
        return fail(rule->text, "a limit such as +5% or +0 is missing behind the colon", error);
    rule->limit = g_ascii_strtod(number, &end);
    rule->is_percent = strcmp(end, "%") == 0;
    const double unit = rule->is_percent ? 1 : unit_value(rule->metric, end);
    if (end == number || unit == 0 || !isfinite(rule->limit))
        return fail(rule->text, "its limit is no number, or has a unit that does not fit", error);
    rule->limit *= unit;
    return TRUE;
}

FcDiffRule *fc_diff_rule_parse(const char *text, GError **error)
{
    g_autoptr(FcDiffRule) rule = g_new0(FcDiffRule, 1);
    rule->text = g_strdup(text);
    rule->patterns = g_ptr_array_new_with_free_func(g_free);
    const gsize length = strcspn(text, "(:");
    const char *colon = strrchr(text, ':'); /* patterns may have some, too */
    g_autofree char *word = g_strndup(text, length);
    if (!parse_metric(rule, word, error))
        return NULL;
    if (!colon || !parse_limit(rule, colon + 1, error))
    {
        if (!colon)
            fail(text, "a limit such as :+5% is missing", error);
        return NULL;
    }
    if (text + length == colon)
        return g_steal_pointer(&rule);
    if (text[length] != '(' || colon[-1] != ')' || rule->run)
    {
        fail(text, "between metric and limit a list of functions in brackets may stand", error);
        return NULL;
    }
    const char *first = text + length + 1;
    g_autofree char *list = g_strndup(first, (gsize)(colon - 1 - first));
    fc_words_split(list, rule->patterns);
    if (rule->patterns->len == 0)
    {
        fail(text, "the list of functions is empty", error);
        return NULL;
    }
    return g_steal_pointer(&rule);
}

/* ---- Checking ------------------------------------------------------------------------ */

static gboolean fits(const char *pattern, const FcDiffFunction *function)
{
    return strcmp(pattern, function->name) == 0 || strcmp(pattern, function->label) == 0 ||
           fnmatch(pattern, function->name, 0) == 0 ||
           (function->raw_name && fnmatch(pattern, function->raw_name, 0) == 0);
}

static gboolean is_meant(const FcDiffRule *rule, const FcDiffFunction *function)
{
    for (guint i = 0; i < rule->patterns->len; i++)
        if (fits(rule->patterns->pdata[i], function))
            return function->shown;
    return rule->patterns->len == 0 && function->shown;
}

/* Calls `check` for each function that the rule means. */
typedef void Check(const FcDiffRule *rule, const FcDiff *diff, const FcDiffFunction *function,
                   gpointer data);

static void for_each(const GPtrArray *rules, const FcDiff *diff, Check *check, gpointer data)
{
    for (guint i = 0; i < rules->len; i++)
    {
        const FcDiffRule *rule = rules->pdata[i];
        if (rule->run)
            check(rule, diff, &diff->whole, data);
        for (guint f = 0; !rule->run && f < diff->functions->len; f++)
            if (is_meant(rule, fc_diff_function(diff, f)))
                check(rule, diff, fc_diff_function(diff, f), data);
    }
}

static void add_tail(const FcDiffRule *rule, const FcDiff *diff, const FcDiffFunction *function,
                     gpointer data)
{
    GArray *tails = data;
    double tail;
    if (fc_diff_tail(diff, function, rule->metric, &tail))
        g_array_append_val(tails, tail);
}

static gboolean is_broken(const FcDiffRule *rule, const FcDiffChange *change)
{
    if (change->verdict != FC_VERDICT_FOUND && change->verdict != FC_VERDICT_UNKNOWN)
        return FALSE;
    if (rule->is_percent && change->before <= 0)
        return FALSE; /* what was not there before has no percentage */
    const double amount = rule->is_percent ? 100 * change->change / change->before : change->change;
    const double far = rule->direction == 0 ? fabs(amount) : rule->direction * amount;
    return far > rule->limit + 1e-9 * (1 + rule->limit);
}

typedef struct
{
    double level;
    GPtrArray *reasons;
} Verdicts;

static void add_reason(const FcDiffRule *rule, const FcDiff *diff, const FcDiffFunction *function,
                       gpointer data)
{
    const Verdicts *verdicts = data;
    const FcDiffChange change = fc_diff_change(diff, function, rule->metric, verdicts->level);
    if (!is_broken(rule, &change))
        return;
    g_autofree char *before = fc_diff_format(rule->metric, change.before);
    g_autofree char *after = fc_diff_format(rule->metric, change.after);
    g_autofree char *by = fc_diff_format_change(rule->metric, change.before, change.change);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "--fail-on=%s: %s: %s %s before, %s after: %s", rule->text,
                           rule->run ? "the program" : function->label,
                           rule->run ? "run" : fc_diff_metric_name(rule->metric), before, after,
                           by);
    if (change.margin > 0)
    {
        g_autofree char *low =
            fc_diff_format_change(rule->metric, change.before, change.change - change.margin);
        g_autofree char *high =
            fc_diff_format_change(rule->metric, change.before, change.change + change.margin);
        g_string_append_printf(text, " (%s to %s)", low, high);
    }
    if (change.verdict == FC_VERDICT_UNKNOWN)
        g_string_append(text, " (of one run each: it may be noise)");
    g_ptr_array_add(verdicts->reasons, g_string_free(g_steal_pointer(&text), FALSE));
}

void fc_diff_rules_check(const GPtrArray *rules, const FcDiff *diff, GPtrArray *reasons)
{
    g_autoptr(GArray) tails = g_array_new(FALSE, FALSE, sizeof(double));
    for_each(rules, diff, add_tail, tails);
    Verdicts verdicts = {
        .level = fc_discovery_level((double *)(void *)tails->data, tails->len, FC_DIFF_RATE),
        .reasons = reasons};
    for_each(rules, diff, add_reason, &verdicts);
}

void fc_diff_rules_find_missing(const GPtrArray *rules, const FcDiff *diff, GPtrArray *missing)
{
    for (guint i = 0; i < rules->len; i++)
    {
        const FcDiffRule *rule = rules->pdata[i];
        g_autofree char *option = g_strconcat("--fail-on=", rule->text, NULL);
        for (guint p = 0; p < rule->patterns->len; p++)
        {
            gboolean found = FALSE;
            for (guint f = 0; !found && f < diff->functions->len; f++)
                found = fits(rule->patterns->pdata[p], fc_diff_function(diff, f));
            if (!found)
                g_ptr_array_add(missing,
                                fc_select_missing(option, rule->patterns->pdata[p], "function"));
        }
    }
}

void fc_diff_rules_find_unknown(const GPtrArray *rules, const FcDiff *diff, GPtrArray *problems)
{
    for (guint i = 0; i < rules->len && !diff->memory; i++)
    {
        const FcDiffRule *rule = rules->pdata[i];
        if (rule->metric == FC_DIFF_BYTES)
            g_ptr_array_add(problems,
                            g_strdup_printf("--fail-on=%s: nothing is known of memory in %s: "
                                            "set FC_MEMORY=1 for all runs",
                                            rule->text, diff->no_memory));
    }
}
