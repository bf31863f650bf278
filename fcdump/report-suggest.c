/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --suggest-filter: what to leave out so that hooks take little time, and the expected effect.
 */
#include "fcdump/report-suggest.h"

#include "fcdump/export-json.h"
#include "fcdump/report.h"

#include <string.h>

/* Appends `text` with a backslash before each of the characters `special`. */
static void append_escaped(GString *out, const char *text, const char *special)
{
    for (; *text != '\0'; text++)
    {
        if (strchr(special, *text))
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
}

/* A way to leave out functions. */
typedef struct
{
    const char *set; /* the variable, compiler option or attribute */
    const char *title;
    const char *before; /* before each name */
    const char *between;
    const char *escaped;
    gboolean is_for_shell; /* "set='NAMES'" */
} Means;

static const Means filter = {"FC_FILTER",
                             "When it runs (a call that is skipped costs about what a counted one "
                             "does):",
                             "skip:",
                             ";",
                             "*?[\\",
                             TRUE};
static const Means flag = {"-finstrument-functions-exclude-function-list",
                           "When it is compiled, with gcc (what is left out costs nothing):",
                           "",
                           ",",
                           ",\\",
                           TRUE};
static const Means attribute = {"__attribute__((no_instrument_function))",
                                "When it is compiled (what is left out costs nothing):",
                                "",
                                ", ",
                                "",
                                FALSE};

static const Means *means_of(const FcSuggestion *suggestion, FcSuggestWay way)
{
    return way == FC_SUGGEST_FILTER ? &filter : suggestion->lacks_option ? &attribute : &flag;
}

/* The list of names to set.  The caller owns the result. */
static char *make_list(const FcSuggested *way, const Means *means)
{
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < way->names->len; i++)
    {
        g_string_append(list, i == 0 ? "" : means->between);
        g_string_append(list, means->before);
        append_escaped(list, way->names->pdata[i], means->escaped);
    }
    return g_string_free(list, FALSE);
}

/* The same for people, or to be given to a shell.  The caller owns the result. */
static char *make_words(const FcSuggested *way, const Means *means)
{
    g_autofree char *list = make_list(way, means);
    g_autofree char *quoted = means->is_for_shell ? g_shell_quote(list) : g_strdup(list);
    g_autofree char *shown = fc_format_text(quoted);
    return g_strconcat(means->set, means->is_for_shell ? "=" : ": ", shown, NULL);
}

char *fc_suggestion_flag(const FcSuggestion *suggestion)
{
    return make_words(&suggestion->ways[FC_SUGGEST_COMPILED], &flag);
}

static void show_run(const FcReportContext *context, const FcSuggestion *suggestion,
                     const FcSuggestRun *run)
{
    g_autofree char *calls = fc_format_count(run->calls);
    g_autofree char *cost = g_strchomp(fc_format_time((guint64)MIN(run->cost_ns + 0.5, 0x1p62)));
    fc_render_line(context->render,
                   "    Predicted: %s call%s left, %s for hooks, %.1f%%; %.1f%% of the time on the "
                   "CPU has no row of its own.",
                   calls, run->calls == 1 ? "" : "s", cost, run->percent,
                   100 * run->hidden_ns / suggestion->plain_ns);
}

static void show_way(const FcReportContext *context, const FcSuggestion *suggestion,
                     FcSuggestWay number)
{
    const FcSuggested *way = &suggestion->ways[number];
    const Means *means = means_of(suggestion, number);
    fc_render_line(context->render, "%s", means->title);
    if (way->names->len == 0)
    {
        fc_render_line(context->render, "    No function is worth naming.");
        return;
    }
    g_autofree char *words = make_words(way, means);
    fc_render_line(context->render, "    %s", words);
    show_run(context, suggestion, &way->run);
    if (!way->reached)
        fc_render_line(context->render, "    Hardly less can be had so.");
    if (way->others->len == 0)
        return;
    g_autoptr(GString) others = g_string_new(NULL);
    for (guint i = 0; i < way->others->len; i++)
        g_string_append_printf(others, "%s%s", i > 0 ? ", " : "", (char *)way->others->pdata[i]);
    g_autofree char *shown = fc_format_text(others->str);
    fc_render_line(
        context->render,
        "    gcc leaves out each function whose name contains one of these, so also: %s.", shown);
}

/* Shown if leaving out functions by name does not suffice. */
#define FILES_SHOWN 5u
#define FILE_LEAST_PERCENT 1.0

static void show_files(const FcReportContext *context, const FcSuggestion *suggestion)
{
    gboolean is_all_reached = TRUE;
    for (FcSuggestWay way = 0; way < FC_SUGGEST_WAYS; way++)
        is_all_reached = is_all_reached && suggestion->ways[way].reached;
    if (is_all_reached)
        return;
    fc_render_line(context->render, "Overhead, by the functions' files:");
    for (guint i = 0; i < MIN(suggestion->files->len, FILES_SHOWN); i++)
    {
        const FcSuggestFile *file = &g_array_index(suggestion->files, FcSuggestFile, i);
        const double percent = 100 * file->cost_ns / MAX(suggestion->now.cost_ns, 1);
        if (percent < FILE_LEAST_PERCENT)
            break;
        g_autofree char *name = fc_format_text(file->file ? file->file : "(not known)");
        g_autofree char *calls = fc_format_count(file->calls);
        fc_render_line(context->render, "    %5.1f%%  %s: %u function%s, %s call%s", percent, name,
                       file->functions, file->functions == 1 ? "" : "s", calls,
                       file->calls == 1 ? "" : "s");
    }
    if (!suggestion->lacks_option)
        fc_render_line(context->render, "    gcc leaves out whole files with "
                                        "-finstrument-functions-exclude-file-list=FILE,...");
}

static void render_suggest_filter(const FcReportContext *context)
{
    const FcOptions *options = context->options;
    const double percent = options->suggest_percent;
    fc_render_title(context->render, "Suggested filter");
    if (options->raw || context->model->time == FC_TIME_PART_WAIT)
    {
        fc_render_line(context->render, "That goes by times on the CPU without hooks: leave --raw "
                                        "and --time=wait out.");
        return;
    }
    g_autoptr(FcSuggestion) suggestion = fc_suggest(context->model, percent);
    if (!suggestion)
    {
        fc_render_line(context->render, "The profile does not hold what its hooks cost.");
        return;
    }
    g_autofree char *calls = fc_format_count(suggestion->now.calls);
    g_autofree char *cost =
        g_strchomp(fc_format_time((guint64)MIN(suggestion->now.cost_ns + 0.5, 0x1p62)));
    g_autofree char *plain =
        g_strchomp(fc_format_time((guint64)MIN(suggestion->plain_ns + 0.5, 0x1p62)));
    fc_render_line(context->render,
                   "Hooks took about %s for %s call%s: %.1f%% of the %s on the CPU without them.",
                   cost, calls, suggestion->now.calls == 1 ? "" : "s", suggestion->now.percent,
                   plain);
    if (suggestion->now.percent <= percent)
    {
        fc_render_line(context->render, "That is no more than %g%%: leave out nothing.", percent);
        return;
    }
    fc_render_line(context->render, "For %g%% or less:", percent);
    for (FcSuggestWay way = 0; way < FC_SUGGEST_WAYS; way++)
        show_way(context, suggestion, way);
    show_files(context, suggestion);
    if (suggestion->after_inlining)
        fc_render_note(context->render,
                       "gcc instrumented some of it after inlining. With %s all other functions of "
                       "those files get their hooks before.",
                       flag.set);
    else
        fc_render_note(
            context->render,
            "%sWith optimization the flags of fc-config leave out all that is "
            "inlined, but for --every-function.",
            suggestion->lacks_option
                ? ""
                : "clang has no such option: __attribute__((no_instrument_function)) does the "
                  "same, one function at a time. ");
}

const FcReport fc_report_suggest_filter = {"suggest-filter", NULL, FC_REPORT_OPTION,
                                           render_suggest_filter, .is_text = TRUE};

/* ---- As JSON --------------------------------------------------------------------------------- */

static void put_run(FcJson *json, const FcSuggestRun *run)
{
    fc_json_unsigned(json, "calls", run->calls);
    fc_json_double(json, "cost_ns", run->cost_ns);
    fc_json_double(json, "cost_percent", run->percent);
}

static void put_names(FcJson *json, const char *key, const GPtrArray *names)
{
    fc_json_begin_array(json, key);
    for (guint i = 0; i < names->len; i++)
        fc_json_string(json, NULL, names->pdata[i]);
    fc_json_end_array(json);
}

static void put_way(FcJson *json, const FcSuggested *way, const Means *means)
{
    g_autofree char *list = make_list(way, means);
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "set", means->set);
    fc_json_string(json, "value", way->names->len > 0 ? list : NULL);
    put_names(json, "left_out", way->names);
    put_names(json, "left_out_too", way->others);
    fc_json_boolean(json, "reached", way->reached);
    put_run(json, &way->run);
    fc_json_double(json, "hidden_ns", way->run.hidden_ns);
    fc_json_end_object(json);
}

static void put_file(FcJson *json, const FcSuggestFile *file)
{
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "file", file->file);
    fc_json_unsigned(json, "functions", file->functions);
    fc_json_unsigned(json, "calls", file->calls);
    fc_json_double(json, "cost_ns", file->cost_ns);
    fc_json_end_object(json);
}

void fc_export_json_suggested(const FcReportContext *context, FcJson *json)
{
    const FcOptions *options = context->options;
    g_autoptr(FcSuggestion) suggestion =
        options->raw ? NULL : fc_suggest(context->model, options->suggest_percent);
    if (!suggestion)
    {
        fc_json_null(json, "suggested_filter");
        return;
    }
    fc_json_begin_object(json, "suggested_filter");
    fc_json_double(json, "percent", options->suggest_percent);
    put_run(json, &suggestion->now);
    fc_json_double(json, "plain_ns", suggestion->plain_ns);
    fc_json_begin_array(json, "ways");
    for (FcSuggestWay way = 0; way < FC_SUGGEST_WAYS; way++)
        put_way(json, &suggestion->ways[way], means_of(suggestion, way));
    fc_json_end_array(json);
    fc_json_begin_array(json, "files");
    for (guint i = 0; i < suggestion->files->len; i++)
        put_file(json, &g_array_index(suggestion->files, FcSuggestFile, i));
    fc_json_end_array(json);
    fc_json_end_object(json);
}
