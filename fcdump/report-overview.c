/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first screen: what ran, in a line; at most three findings, each with the option that shows
 * more of it; the heaviest functions.  What limits the figures is behind --notes.
 */
#include "fcdump/report-overview.h"

#include "fcdump/findings.h"
#include "fcdump/job.h"
#include "fcdump/report-groups.h"
#include "fcdump/report-header.h"
#include "model/contention.h"
#include "profile/path.h"
#include "symbols/shorten.h"

#include <math.h>
#include <string.h>

#define FINDINGS_MAX 3
#define FUNCTIONS_MAX 15 /* unless --top or --all */
#define FEW_SAMPLES 30u  /* samples: of so few no function can have its time by them */
#define WIDTH_OF_PLACES 100
#define PROGRAM_WIDTH 32 /* of a line of 80 columns */

/* ---- What ran ---------------------------------------------------------------------------- */

static const FcProfile *header_of(const FcModel *model, guint index)
{
    return ((const FcInput *)model->inputs->pdata[index])->header;
}

/* The program and its arguments, as far as there is room. */
static char *format_command(const FcModel *model, guint width)
{
    const FcProfile *header = header_of(model, 0);
    g_autofree char *programs = fc_report_programs(model, TRUE);
    g_autoptr(GString) text = g_string_new(programs);
    if (model->inputs->len == 1 && header->command_line)
        for (guint i = 1; header->command_line[0] && header->command_line[i]; i++)
            g_string_append_printf(text, " %s", header->command_line[i]);
    g_autofree char *plain = fc_format_text(text->str);
    if (width == 0 || (guint)g_utf8_strlen(plain, -1) <= width)
        return g_steal_pointer(&plain);
    g_autofree char *start = g_utf8_substring(plain, 0, width - MIN(width, 3));
    return g_strconcat(start, "...", NULL);
}

static char *format_end(const FcModel *model)
{
    guint64 failed = 0;
    const guint64 processes = fc_report_processes(model, &failed);
    const gboolean is_running = processes == 1 && header_of(model, 0)->end == FC_END_RUNNING;
    if (failed == 0 && !is_running)
        return NULL;
    if (processes == 1)
        return fc_report_end(header_of(model, 0));
    return g_strdup_printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " failed", failed,
                           processes);
}

typedef struct
{
    GString *line;
    guint width; /* 0: no limit */
} Facts;

/* Adds `fact`, which it takes over, if there is room for it; NULL: there is none. */
static void add_fact(Facts *facts, char *fact)
{
    const glong more = fact ? g_utf8_strlen(fact, -1) + 2 : 0;
    const glong length = g_utf8_strlen(facts->line->str, -1);
    if (fact && (facts->width == 0 || length + more <= (glong)facts->width))
        g_string_append_printf(facts->line, "%s%s",
                               facts->line->len == 0                     ? ""
                               : g_str_has_suffix(facts->line->str, ":") ? " "
                                                                         : "; ",
                               fact);
    g_free(fact);
}

static char *format_number(guint64 count, const char *what, const char *plural)
{
    g_autofree char *number = fc_format_brief_count(count);
    return g_strdup_printf("%s %s%s", number, what, count == 1 ? "" : plural);
}

static char *format_named(const char *what, guint64 ns)
{
    g_autofree char *time = fc_format_brief_time(ns);
    return g_strdup_printf("%s %s", what, time);
}

static void add_times(Facts *facts, const FcModel *model)
{
    const gboolean own_clocks = header_of(model, 0)->time_mode > 2; /* cpu, sys */
    const guint64 elapsed_ns = fc_report_elapsed_ns(model);
    const FcProfile *profile = model->profile;
    guint64 blocked_ns = 0;
    guint64 preempted_ns = 0;
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        preempted_ns += MIN(thread->preempted_ns, thread->wait_ns);
        blocked_ns += thread->wait_ns - MIN(thread->preempted_ns, thread->wait_ns);
    }
    const guint64 polling_ns = MIN(fc_contention_polling_ns(model), preempted_ns);
    preempted_ns -= polling_ns;
    blocked_ns += polling_ns;
    if (!own_clocks && elapsed_ns > 0)
        add_fact(facts, fc_format_brief_time(elapsed_ns));
    add_fact(facts, format_named(fc_report_time_name(model->time), model->local_ns));
    const guint64 ranks = fc_job_count_ranks(model);
    add_fact(facts, fc_job_ranks(model));
    const guint64 processes = fc_report_processes(model, NULL);
    if (processes > MAX(ranks, 1) && header_of(model, 0)->thread_id == 0)
        add_fact(facts, format_number(processes, "process", "es"));
    const guint64 threads = fc_profile_threads(profile);
    if (threads > 0)
        add_fact(facts, format_number(threads, "thread", "s"));
    guint64 calls = 0;
    for (guint i = 0; i < model->functions->len; i++)
        calls += fc_model_function(model, i)->figures.calls;
    add_fact(facts, format_number(calls, "call", "s"));
    if (blocked_ns > 0)
        add_fact(facts, format_named("blocked", blocked_ns));
    if (preempted_ns > 0)
        add_fact(facts, format_named("preempted", preempted_ns));
    if (profile->heap.recorded)
    {
        g_autofree char *bytes = fc_format_bytes(profile->heap.bytes);
        add_fact(facts, g_strdup_printf("%s allocated", bytes));
    }
}

static char *format_facts(const FcModel *model, guint width, guint command_width)
{
    g_autofree char *command = format_command(model, command_width);
    GString *line = g_string_new(NULL);
    Facts facts = {line, width};
    if (*command != '\0')
        g_string_append_printf(line, "%s:", command);
    add_fact(&facts, format_end(model));
    add_times(&facts, model);
    return g_string_free(line, FALSE);
}

/* The command gets the room that its facts leave. */
static void print_facts(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const guint width = fc_render_width(context->render);
    g_autofree char *brief = format_facts(model, width, PROGRAM_WIDTH);
    const guint taken = (guint)g_utf8_strlen(brief, -1);
    g_autofree char *line =
        format_facts(model, width, width == 0 ? 0 : PROGRAM_WIDTH + width - MIN(width, taken));
    fc_render_title(context->render, "%s", line);
}

/* ---- What is notable --------------------------------------------------------------------- */

/* The finding in one line.  If it does not fit, drops the reason, then takes the brief text, then
 * cuts its end. */
static char *fit_finding(const FcFinding *finding, guint width)
{
    g_autofree char *option =
        finding->option ? g_strdup_printf(": %s", finding->option) : g_strdup("");
    const guint room = width - MIN(width, 2 + (guint)g_utf8_strlen(option, -1));
    g_autofree char *whole = g_strconcat(finding->text, finding->reason, NULL);
    if (width == 0 || finding->is_to_copy || g_utf8_strlen(whole, -1) <= (glong)room)
        return g_strconcat(whole, option, NULL);
    if (g_utf8_strlen(finding->text, -1) <= (glong)room)
        return g_strconcat(finding->text, option, NULL);
    const char *text = finding->brief ? finding->brief : finding->text;
    if (g_utf8_strlen(text, -1) <= (glong)room)
        return g_strconcat(text, option, NULL);
    g_autofree char *start = g_utf8_substring(text, 0, room - MIN(room, 3));
    return g_strconcat(start, "...", option, NULL);
}

void fc_report_findings(const FcReportContext *context)
{
    g_autoptr(GPtrArray) findings = fc_findings_new(context);
    if (findings->len > 0)
        fc_render_line(context->render, "%s", "");
    for (guint i = 0; i < findings->len && i < FINDINGS_MAX; i++)
    {
        const FcFinding *finding = findings->pdata[i];
        g_autofree char *line = fit_finding(finding, fc_render_width(context->render));
        const char *mark = fc_render_utf8(context->render) ? "•" : "*";
        if (finding->is_to_copy)
            fprintf(fc_render_file(context->render), "%s %s\n", mark, line);
        else
            fc_render_line(context->render, "%s %s", mark, line);
    }
}

/* ---- The heaviest functions -------------------------------------------------------------- */

enum
{
    OWN,
    ERROR,
    SHARE,
    TOTAL,
    WAITED,
    CALLS,
    PLACE,
    FUNCTION,
};
static const FcColumn columns[] = {
    [OWN] = {NULL, "own", FALSE, .unit = "ns"},
    [ERROR] = {NULL, "±", FALSE, .csv = "own error", .unit = "%"},
    [SHARE] = {NULL, "%", FALSE},
    [TOTAL] = {NULL, "total", FALSE, .unit = "ns"},
    [WAITED] = {NULL, "waited", FALSE, .unit = "off-CPU ns"},
    [CALLS] = {NULL, "calls", FALSE},
    [PLACE] = {NULL, "begins at", TRUE},
    [FUNCTION] = {NULL, "function", TRUE},
};
/* What the footnote must explain. */
typedef struct
{
    gboolean has_errors;
    gboolean has_doubts;
    gboolean has_unknown;
    gboolean has_places;
    gboolean has_waits;
    gboolean has_overloads;
    gboolean has_uncounted;
} Seen;

/* The standard error as a part of the time, in per cent; NULL where the time was measured. */
static char *format_error(const FcReportContext *context, const FcProfileFunction *figures,
                          Seen *seen)
{
    FcTimeSum sum = {0};
    fc_report_add_local(&sum, figures);
    if (!fc_report_is_local_known(figures))
        return NULL;
    if (sum.estimated && sum.ns > 0 && sum.variance > 0)
    {
        const double percent = 100 * sqrt(sum.variance) / (double)sum.ns;
        seen->has_errors = TRUE;
        if (fc_format_is_csv())
            return g_strdup_printf("%.6f", percent);
        return percent < 1      ? g_strdup("<1%")
               : percent > 99.5 ? g_strdup(">99%")
                                : g_strdup_printf("%.0f%%", percent);
    }
    if (*fc_report_time_mark(context, &sum) != '?' || fc_format_is_csv())
        return NULL;
    seen->has_doubts = TRUE;
    return g_strdup("?");
}

static char *format_share(const FcModel *model, guint64 ns)
{
    if (fc_format_is_csv())
        return fc_report_share(model, ns);
    const double percent = model->base_ns > 0 ? 100 * (double)ns / (double)model->base_ns : 0;
    return g_strdup_printf(percent >= 9.95 ? "%.0f%%" : "%.1f%%", percent);
}

static void add_row(const FcReportContext *context, FcTable *table, const FcFunction *function,
                    Seen *seen)
{
    const FcModel *model = context->model;
    const FcProfileFunction *figures = &function->figures;
    const guint64 own_ns = figures->times.local_ns;
    const gboolean is_known = fc_report_is_local_known(figures);
    g_autofree char *error = format_error(context, figures, seen);
    const gboolean is_doubtful =
        !is_known || g_strcmp0(error, "?") == 0 || g_strcmp0(error, ">99%") == 0;
    seen->has_unknown = seen->has_unknown || !is_known;
    fc_table_row(table, is_doubtful ? FC_STYLE_DIM : fc_render_heat(own_ns, model->base_ns));
    fc_table_cell(table, is_known ? fc_format_brief_time(own_ns) : g_strdup("unknown"));
    fc_table_cell(table, g_steal_pointer(&error));
    fc_table_cell(table, is_known ? format_share(model, own_ns) : NULL);
    fc_table_cell(table, fc_format_brief_time(figures->times.total_ns));
    fc_table_cell(table, figures->times.total_wait_ns > 0
                             ? fc_format_brief_time(figures->times.total_wait_ns)
                             : NULL);
    seen->has_waits = seen->has_waits || figures->times.total_wait_ns > 0;
    fc_table_cell(table, fc_report_calls(figures, fc_format_brief_count(figures->calls)));
    seen->has_uncounted = seen->has_uncounted || (figures->uncounted && figures->calls == 0);
    seen->has_overloads = seen->has_overloads || fc_shorten_has_parameters(function->label);
    char *place = fc_report_source(context, &figures->location, FALSE);
    seen->has_places = seen->has_places || place;
    fc_table_cell(table, place);
    fc_table_cell(table, fc_report_function(context, function));
}

/* A sentence of the footnote, and when it is dropped for lack of room.  Those that change how rows
 * are read stay. */
typedef struct
{
    gboolean is_due;
    guint spare; /* the greatest goes first; 0: never */
    const char *text;
} Remark;

static guint remarks_width(const Remark *remarks, guint count)
{
    guint width = 0;
    for (guint i = 0; i < count; i++)
        width += remarks[i].is_due ? (guint)g_utf8_strlen(remarks[i].text, -1) + 1 : 0;
    return width - MIN(width, 1);
}

/* Drops remarks until the others fit. */
static void fit_remarks(Remark *remarks, guint count, guint width)
{
    while (width > 0 && remarks_width(remarks, count) > width)
    {
        Remark *least = &remarks[0];
        for (guint i = 1; i < count; i++)
            if (remarks[i].is_due && (!least->is_due || remarks[i].spare > least->spare))
                least = &remarks[i];
        if (!least->is_due || least->spare == 0)
            return;
        least->is_due = FALSE;
    }
}

static void print_footnote(const FcReportContext *context, const Seen *seen, guint more)
{
    const FcModel *model = context->model;
    g_autofree char *others = g_strdup_printf("%u more: --all.", more);
    Remark remarks[] = {
        {model->profile->extended && !fc_report_misses_calls(context), 5, "Calls are exact."},
        {(seen->has_errors || seen->has_unknown) && model->profile->samples < FEW_SAMPLES, 1,
         "Few samples: own times are rough."},
        {seen->has_errors, 3,
         fc_render_utf8(context->render) ? "±: standard error." : "+-: standard error."},
        {seen->has_doubts, 0, "?: overhead was more."},
        {seen->has_unknown, 0, "unknown: never timed."},
        {seen->has_uncounted, 2, "-: not counted, as in libraries."},
        {seen->has_waits, 2, "waited: blocked or preempted, all threads."},
        {seen->has_overloads, 3, "f(int): one of several f."},
        {more > 0, 0, others},
        {TRUE, 4, "How sure: --notes."},
    };
    fit_remarks(remarks, G_N_ELEMENTS(remarks), fc_render_width(context->render));
    g_autoptr(GString) line = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(remarks); i++)
        if (remarks[i].is_due)
            g_string_append_printf(line, "%s%s", line->len > 0 ? " " : "", remarks[i].text);
    fc_render_note(context->render, "%s", line->str);
}

static void print_functions(const FcReportContext *context)
{
    FcOptions options = fc_report_by_local_time(context->options, FUNCTIONS_MAX);
    FcReportContext own = *context;
    own.options = &options;
    options.base_names = TRUE;
    if (options.by != FC_BY_FUNCTION)
    {
        fc_report_groups(&own);
        return;
    }
    const FcModel *model = context->model;
    const guint width = fc_render_width(context->render);
    g_autoptr(GArray) functions = fc_report_functions(&own);
    FcColumn shown[G_N_ELEMENTS(columns)];
    memcpy(shown, columns, sizeof shown);
    if (!fc_render_utf8(context->render))
        shown[ERROR].heading = "+-";
    g_autoptr(FcTable) table = fc_table_new(shown, G_N_ELEMENTS(shown));
    if (!fc_report_shows_waits(context))
        fc_table_hide(table, WAITED);
    FcReportCut cut = {0};
    Seen seen = {0};
    for (guint i = 0; i < functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, g_array_index(functions, guint, i));
        if (fc_report_keep(&own, &cut, function->figures.times.total_ns, model->base_ns))
            add_row(&own, table, function, &seen);
    }
    seen.has_waits = seen.has_waits && fc_report_shows_waits(context);
    if (!seen.has_places || (width > 0 && width < WIDTH_OF_PLACES))
        fc_table_hide(table, PLACE);
    fc_render_line(context->render, "%s", "");
    if (model->base != FC_NONE)
        fc_report_note_base(context);
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_report_no_function(context);
    print_footnote(&own, &seen, cut.beyond);
}

static void render_overview(const FcReportContext *context)
{
    if (!fc_format_is_csv())
    {
        print_facts(context);
        fc_report_findings(context);
    }
    print_functions(context);
}

const FcReport fc_report_overview = {"overview",
                                     "what ran, what is notable and the heaviest functions",
                                     FC_REPORT_SCREEN, render_overview};
