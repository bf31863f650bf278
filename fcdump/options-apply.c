/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each option does to FcOptions; see options-apply.h.
 */
#include "fcdump/options-apply.h"

#include "fcdump/diff-rules.h"
#include "fcdump/report-suggest.h"
#include "fcdump/words.h"

#include <string.h>

gboolean fc_option_fail(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
    return FALSE;
}

gboolean fc_option_apply_value(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    G_STRUCT_MEMBER(gint, options, option->offset) = option->value;
    return TRUE;
}

/* --sort, and with a `value` --rsort. */
gboolean fc_option_apply_sort(FcOptions *options, const FcOption *option, const char *argument,
                              GError **error)
{
    static const char *const words[] = {"total", "local", "name", "calls", "min",
                                        "max",   "lmin",  "lmax", NULL};
    gint found = 0;
    if (!fc_words_find(words, argument, option->name, &found, error))
        return FALSE;
    options->sort = (FcSort)(FC_SORT_TOTAL + found);
    options->reverse = option->value;
    return TRUE;
}

gboolean fc_option_apply_time(FcOptions *options, const FcOption *option, const char *argument,
                              GError **error)
{
    static const char *const words[] = {[FC_TIME_PART_WALL] = "wall",
                                        [FC_TIME_PART_CPU] = "cpu",
                                        [FC_TIME_PART_WAIT] = "wait",
                                        NULL};
    gint found = 0;
    const char *word = strcmp(argument, "elapsed") == 0   ? words[FC_TIME_PART_WALL]
                       : strcmp(argument, "waiting") == 0 ? words[FC_TIME_PART_WAIT]
                                                          : argument;
    if (!fc_words_find(words, word, option->name, &found, error))
        return FALSE;
    options->time = (FcTimePart)found;
    options->has_time = TRUE;
    return TRUE;
}

gboolean fc_option_apply_weight(FcOptions *options, const FcOption *option, const char *argument,
                                GError **error)
{
    const char *words[FC_WEIGHTS + 1] = {NULL};
    gint found = 0;
    for (FcWeight weight = 0; weight < FC_WEIGHTS; weight++)
        words[weight] = fc_weight_name(weight);
    if (!fc_words_find(words, argument, option->name, &found, error))
        return FALSE;
    options->weight = (FcWeight)found;
    options->has_weight = TRUE;
    return TRUE;
}

gboolean fc_option_apply_cumul(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    options->cumul = TRUE;
    options->sort = FC_SORT_LOCAL;
    options->reverse = FALSE;
    return TRUE;
}

gboolean fc_option_apply_color(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    static const char *const words[] = {"auto", "always", "never", NULL};
    gint found = FC_WHEN_AUTO;
    if (!fc_words_find(words, argument ? argument : "always", option->name, &found, error))
        return FALSE;
    options->color = (FcWhen)found;
    return TRUE;
}

/* The original's styles of names.  The style is recognized from the name now; only whether
 * parameters are shown is a choice. */
gboolean fc_option_apply_demangle(FcOptions *options, const FcOption *option, const char *argument,
                                  GError **error)
{
    static const char *const words[] = {"auto", "gnu", "java", "ansi", "params", "none", NULL};
    static const FcDemangle meanings[] = {FC_DEMANGLE_PLAIN,  FC_DEMANGLE_PLAIN,  FC_DEMANGLE_PLAIN,
                                          FC_DEMANGLE_PARAMS, FC_DEMANGLE_PARAMS, FC_DEMANGLE_NONE};
    gint found = 0;
    if (!fc_words_find(words, argument ? argument : "auto", option->name, &found, error))
        return FALSE;
    options->demangle = meanings[found];
    return TRUE;
}

gboolean fc_option_apply_names(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    static const char *const words[] = {"short", "full", NULL};
    gint found = 0;
    if (!fc_words_find(words, argument, option->name, &found, error))
        return FALSE;
    options->whole_names = found == 1;
    return TRUE;
}

gboolean fc_option_apply_string(FcOptions *options, const FcOption *option, const char *argument,
                                GError **error)
{
    if (*argument == '\0')
        return fc_option_fail(error, "--%s: a name is missing", option->name);
    g_ptr_array_add(G_STRUCT_MEMBER(GPtrArray *, options, option->offset), g_strdup(argument));
    return TRUE;
}

gboolean fc_option_apply_name(FcOptions *options, const FcOption *option, const char *argument,
                              GError **error)
{
    if (*argument == '\0')
        return fc_option_fail(error, "--%s: a name is missing", option->name);
    char **member = &G_STRUCT_MEMBER(char *, options, option->offset);
    g_free(*member);
    *member = g_strdup(argument);
    return TRUE;
}

gboolean fc_option_apply_list(FcOptions *options, const FcOption *option, const char *argument,
                              GError **error)
{
    GPtrArray *list = G_STRUCT_MEMBER(GPtrArray *, options, option->offset);
    fc_words_split(argument, list);
    return list->len > 0 || fc_option_fail(error, "--%s: the list is empty", option->name);
}

/* Selects the report of the option's name, in place of the first screen. */
static void choose_report(FcOptions *options, const FcOption *option)
{
    if (!options->classic)
        options->reports = 0;
    options->classic = TRUE;
    options->reports |= fc_options_reports_named(options->table, option->name, FC_REPORT_OPTION);
}

/* As a text report, or as the export to standard output. */
gboolean fc_option_apply_trace(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    static const char *const words[] = {"text", "chrome", NULL};
    gint found = 0;
    if (!fc_words_find(words, argument ? argument : "text", option->name, &found, error))
        return FALSE;
    if (found == 0)
    {
        choose_report(options, option);
        return TRUE;
    }
    FcExportFile file = {.path = g_strdup("-")};
    while (strcmp(options->table[file.row]->name, words[found]) != 0)
        file.row++;
    g_array_append_val(options->files, file);
    return TRUE;
}

gboolean fc_option_apply_report(FcOptions *options, const FcOption *option, const char *argument,
                                GError **error)
{
    choose_report(options, option);
    return fc_option_apply_list(options, option, argument, error);
}

gboolean fc_option_apply_by(FcOptions *options, const FcOption *option, const char *argument,
                            GError **error)
{
    static const char *const words[] = {"function", "file", "module", "thread", "process", NULL};
    gint found = FC_BY_FUNCTION;
    if (!fc_words_find(words, argument, option->name, &found, error))
        return FALSE;
    options->by = (FcBy)found;
    return TRUE;
}

gboolean fc_option_apply_units(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    static const char *const words[] = {"ns", "us", "ms", "s", NULL};
    gint found = 0;
    if (!fc_words_find(words, argument, option->name, &found, error))
        return FALSE;
    options->unit = (FcUnit)(FC_UNIT_NS + found);
    return TRUE;
}

gboolean fc_option_apply_number(FcOptions *options, const FcOption *option, const char *argument,
                                GError **error)
{
    guint64 number = 0;
    if (!g_ascii_string_to_unsigned(argument, 10, 0, G_MAXINT, &number, NULL))
        return fc_option_fail(error, "--%s: '%s' is no number", option->name, argument);
    G_STRUCT_MEMBER(gint, options, option->offset) = (gint)number;
    return TRUE;
}

gboolean fc_option_apply_width(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    if (!fc_option_apply_number(options, option, argument, error))
        return FALSE;
    if (options->width == 0 || options->width >= FC_WIDTH_LEAST)
        return TRUE;
    return fc_option_fail(
        error, "--%s: '%s' columns are too few: %d and more, or 0 for as many as it takes",
        option->name, argument, FC_WIDTH_LEAST);
}

/* A number and ns, us, ms or s. */
gboolean fc_option_apply_duration(FcOptions *options, const FcOption *option, const char *argument,
                                  GError **error)
{
    static const struct
    {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end = NULL;
    const double number = g_ascii_strtod(argument, &end);
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (end != argument && strcmp(end, units[i].name) == 0 && number >= 0 &&
            number * units[i].ns < 0x1p62)
        {
            G_STRUCT_MEMBER(guint64, options, option->offset) = (guint64)(number * units[i].ns);
            return TRUE;
        }
    return fc_option_fail(error, "--%s: '%s' is no time such as 500ns, 10us, 2.5ms or 1s",
                          option->name, argument);
}

gboolean fc_option_apply_top(FcOptions *options, const FcOption *option, const char *argument,
                             GError **error)
{
    guint64 number = 0;
    if (!g_ascii_string_to_unsigned(argument, 10, 1, FC_TOP_ALL, &number, NULL))
        return fc_option_fail(error, "--%s: '%s' is no number from 1 on", option->name, argument);
    options->top = (guint)number;
    return TRUE;
}

static gboolean read_percent(const FcOption *option, const char *argument, double most,
                             double *result, GError **error)
{
    char *end = NULL;
    double percent = g_ascii_strtod(argument, &end);
    if (end == argument || (*end != '\0' && strcmp(end, "%") != 0) ||
        !(percent >= 0 && percent <= most))
        return fc_option_fail(error, "--%s: '%s' is no percentage", option->name, argument);
    *result = percent;
    return TRUE;
}

gboolean fc_option_apply_percent(FcOptions *options, const FcOption *option, const char *argument,
                                 GError **error)
{
    options->has_min = read_percent(option, argument, 100, &options->min_percent, error);
    return options->has_min;
}

gboolean fc_option_apply_ranks(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error)
{
    guint64 rank = 0;
    if (argument && !g_ascii_string_to_unsigned(argument, 10, 0, G_MAXINT64, &rank, NULL))
        return fc_option_fail(error, "--%s: '%s' is no number", option->name, argument);
    choose_report(options, option);
    options->by_rank = TRUE;
    options->rank = argument ? (gint64)rank : FC_NONE;
    return TRUE;
}

/* The limit is high: hooks may take several times as long as the program. */
gboolean fc_option_apply_suggest(FcOptions *options, const FcOption *option, const char *argument,
                                 GError **error)
{
    choose_report(options, option);
    options->suggests = TRUE;
    return read_percent(option, argument ? argument : G_STRINGIFY(FC_SUGGEST_PERCENT), 1e6,
                        &options->suggest_percent, error);
}

gboolean fc_option_apply_baseline(FcOptions *options, const FcOption *option, const char *argument,
                                  GError **error)
{
    options->diff = TRUE;
    return fc_option_apply_string(options, option, argument, error);
}

gboolean fc_option_apply_fail_on(FcOptions *options, const FcOption *option, const char *argument,
                                 GError **error)
{
    FcDiffRule *rule = fc_diff_rule_parse(argument, error);
    if (rule)
        g_ptr_array_add(options->rules, rule);
    return rule != NULL;
}

static gboolean is_of_kind(FcReportKind kind, FcReportKind wanted)
{
    return kind == wanted ||
           (kind == FC_REPORT_BOTH && (wanted == FC_REPORT_SCREEN || wanted == FC_REPORT_CLASSIC));
}

guint64 fc_options_reports_named(const FcReport *const *reports, const char *start,
                                 FcReportKind kind)
{
    guint64 set = 0;
    for (guint i = 0; reports[i]; i++)
        if (is_of_kind(reports[i]->kind, kind) && g_str_has_prefix(reports[i]->name, start))
            set |= G_GUINT64_CONSTANT(1) << i;
    return set;
}

void fc_options_leave_screen(FcOptions *options)
{
    if (!options->classic)
        options->reports = fc_options_reports_named(options->table, "", FC_REPORT_CLASSIC);
    options->classic = TRUE;
}

void fc_options_name_report(FcOptions *options)
{
    if (!options->classic)
        options->reports = fc_options_reports_named(options->table, "", FC_REPORT_BOTH);
    options->classic = TRUE;
}

gboolean fc_option_apply_classic(FcOptions *options, const FcOption *option, const char *argument,
                                 GError **error)
{
    fc_options_leave_screen(options);
    options->reports |= fc_options_reports_named(options->table, "", FC_REPORT_CLASSIC);
    return TRUE;
}

gboolean fc_option_apply_memory(FcOptions *options, const FcOption *option, const char *argument,
                                GError **error)
{
    guint64 set = fc_options_reports_named(options->table, "mem-", FC_REPORT_CLASSIC) |
                  fc_options_reports_named(options->table, "mem-", FC_REPORT_ON_REQUEST);
    if (option->value)
        fc_options_name_report(options);
    else
        fc_options_leave_screen(options);
    options->reports = option->value ? options->reports | set : options->reports & ~set;
    options->asked = option->value ? options->asked | set : options->asked & ~set;
    return TRUE;
}

gboolean fc_option_apply_rgraph(FcOptions *options, const FcOption *option, const char *argument,
                                GError **error)
{
    options->callers = TRUE;
    fc_options_name_report(options);
    options->reports |= fc_options_reports_named(options->table, "graph", FC_REPORT_CLASSIC);
    return TRUE;
}

gboolean fc_option_apply_no_reports(FcOptions *options, const FcOption *option,
                                    const char *argument, GError **error)
{
    options->reports = 0;
    options->classic = TRUE;
    return TRUE;
}
