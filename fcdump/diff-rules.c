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

#define RUNS_MAX 100u /* named at most: nobody takes more */

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

/* The factor of the unit behind a limit; 0 if the metric has no such unit. */
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
    const char *colon = strrchr(text, ':'); /* the last one: patterns may contain colons */
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

/* Appends the tail probability of each change that the rule covers. */
static void add_tails(const FcDiffRule *rule, const FcDiff *diff, GArray *tails)
{
    double tail;
    if (rule->run && fc_diff_tail(diff, &diff->whole, rule->metric, &tail))
        g_array_append_val(tails, tail);
    for (guint f = 0; !rule->run && f < diff->functions->len; f++)
        if (is_meant(rule, fc_diff_function(diff, f)) &&
            fc_diff_tail(diff, fc_diff_function(diff, f), rule->metric, &tail))
            g_array_append_val(tails, tail);
}

/* Whether the means differ by more than the rule allows, whatever the noise is. */
static gboolean is_beyond(const FcDiffRule *rule, const FcDiffChange *change)
{
    if (rule->is_percent && change->before <= 0)
        return FALSE; /* what is new has no percentage */
    const double amount = rule->is_percent ? 100 * change->change / change->before : change->change;
    const double far = rule->direction == 0 ? fabs(amount) : rule->direction * amount;
    return far > rule->limit + 1e-9 * (1 + rule->limit);
}

typedef struct
{
    double level;
    GPtrArray *reasons;
    /* The largest change beyond the limit that is not proven, and the number of others. */
    FcDiffChange unproven;
    const FcDiffFunction *unproven_of;
    guint others;
} Verdicts;

static char *format_plain(FcDiffMetric metric, double value)
{
    return g_strstrip(fc_diff_format(metric, value));
}

static void note_unproven(Verdicts *verdicts, const FcDiffFunction *function,
                          const FcDiffChange *change)
{
    if (verdicts->unproven_of)
        verdicts->others++;
    if (verdicts->unproven_of && fabs(change->change) <= fabs(verdicts->unproven.change))
        return;
    verdicts->unproven = *change;
    verdicts->unproven_of = function;
}

static void add_reason(const FcDiffRule *rule, const FcDiff *diff, const FcDiffFunction *function,
                       Verdicts *verdicts)
{
    const FcDiffChange change = fc_diff_change(diff, function, rule->metric, verdicts->level);
    if (!is_beyond(rule, &change))
        return;
    if (change.verdict != FC_VERDICT_FOUND)
    {
        if (function->judged)
            note_unproven(verdicts, function, &change);
        return;
    }
    g_autofree char *before = format_plain(rule->metric, change.before);
    g_autofree char *after = format_plain(rule->metric, change.after);
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
    g_ptr_array_add(verdicts->reasons, g_string_free(g_steal_pointer(&text), FALSE));
}

/* How many runs of each side would prove such a change.  Its error shrinks with the square root of
 * their number. */
static guint runs_needed(const FcDiff *diff, const FcDiffChange *change)
{
    const guint runs = MAX(diff->runs[FC_DIFF_BEFORE], diff->runs[FC_DIFF_AFTER]);
    const double times = change->change != 0 ? change->margin / change->change : 1;
    const double needed = ceil(runs * times * times);
    return (guint)CLAMP(needed, MAX(FC_DIFF_RUNS_LEAST, runs + 1), G_MAXUINT / 2);
}

/* Says for a rule whose change may be noise how many runs would prove it. */
static void add_unproven(const FcDiffRule *rule, const FcDiff *diff, const Verdicts *verdicts,
                         GPtrArray *notes)
{
    const FcDiffChange *change = &verdicts->unproven;
    if (!verdicts->unproven_of)
        return;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "--fail-on=%s: not proven: %s", rule->text,
                           rule->run ? "the program" : verdicts->unproven_of->label);
    if (verdicts->others > 0)
        g_string_append_printf(text, " and %u more", verdicts->others);
    if (change->verdict == FC_VERDICT_UNKNOWN)
        g_string_append_printf(text,
                               ": times of one run each prove nothing, take %u of each or more",
                               FC_DIFF_RUNS_LEAST);
    else
    {
        const guint needed = runs_needed(diff, change);
        g_string_append_printf(text,
                               ": runs differ by more anyway, of such a change %s%u of each would "
                               "tell",
                               needed > RUNS_MAX ? "more than " : "some ", MIN(needed, RUNS_MAX));
    }
    g_ptr_array_add(notes, g_string_free(g_steal_pointer(&text), FALSE));
}

static void check_one(const FcDiffRule *rule, const FcDiff *diff, Verdicts *verdicts)
{
    if (rule->run)
        add_reason(rule, diff, &diff->whole, verdicts);
    for (guint f = 0; !rule->run && f < diff->functions->len; f++)
        if (is_meant(rule, fc_diff_function(diff, f)))
            add_reason(rule, diff, fc_diff_function(diff, f), verdicts);
}

void fc_diff_rules_check(const GPtrArray *rules, const FcDiff *diff, GPtrArray *reasons,
                         GPtrArray *notes)
{
    g_autoptr(GArray) tails = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint i = 0; i < rules->len; i++)
        add_tails(rules->pdata[i], diff, tails);
    const double level =
        fc_discovery_level((double *)(void *)tails->data, tails->len, FC_DIFF_RATE);
    for (guint i = 0; i < rules->len; i++)
    {
        Verdicts verdicts = {.level = level, .reasons = reasons};
        check_one(rules->pdata[i], diff, &verdicts);
        add_unproven(rules->pdata[i], diff, &verdicts, notes);
    }
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
