/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See findings.h.  One function for each finding, in the order in which they are reported.
 */
#include "fcdump/findings.h"

#include "fcdump/job.h"
#include "fcdump/rebuild.h"
#include "fcdump/short-names.h"
#include "model/balance.h"
#include "model/contention.h"
#include "model/hotpath.h"
#include "model/latency.h"
#include "model/regions.h"

#include <math.h>
#include <string.h>

/* Least figures that make a finding.  No time depends on them. */
#define NOTABLE_OWN 0.1    /* of all time, at least */
#define NOTABLE_UNEVEN 0.1 /* of the elapsed time: what even shares would save */
#define NOTABLE_SQUARE 0.1 /* of all time */
#define NOTABLE_TAIL 0.1   /* of the elapsed time */
#define TAIL_RATIO 40      /* 99th percentile to median, as in the page */
#define TAIL_CALLS 1000u   /* of fewer, a hundredth is a handful */
#define TAIL_SAME 0.9      /* of a caller's tail: a callee with as much causes it */
#define SQUARE_CALLS 30u   /* of fewer, a number may be chance */
#define LINE_WIDTH 80
#define NAME_WIDTH 36 /* of a function's name in a sentence */
#define NAME_LEAST 12
#define FRAMES_MAX 4 /* of the stack at death */

static void free_finding(gpointer data)
{
    FcFinding *finding = data;
    g_free(finding->text);
    g_free(finding->brief);
    g_free(finding->reason);
    g_free(finding->option);
    g_free(finding);
}

/* Adds a finding; takes `text` and `reason` over. */
static void add_with_reason(GPtrArray *findings, char *text, char *reason, const char *option)
{
    FcFinding *finding = g_new(FcFinding, 1);
    *finding = (FcFinding){.text = text, .reason = reason, .option = g_strdup(option)};
    g_ptr_array_add(findings, finding);
}

static void add(GPtrArray *findings, char *text, const char *option)
{
    add_with_reason(findings, text, NULL, option);
}

/* Whether another function's name is shortened to `name`, too. */
static gboolean is_of_another(const FcModel *model, const FcFunction *function, const char *name,
                              guint width, const char *ellipsis)
{
    if (strcmp(name, function->label) == 0)
        return FALSE;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *other = fc_model_function(model, i);
        g_autofree char *same = fc_short_names_brief(other->label, width, ellipsis);
        if (other != function && strcmp(same, name) == 0)
            return TRUE;
    }
    return FALSE;
}

/* The function's name, shortened to `width`; interned. */
static const char *brief_name(const FcModel *model, const FcFunction *function, guint width)
{
    const char *ellipsis = model->has_ascii_labels ? "..." : "…";
    g_autofree char *name = fc_short_names_brief(function->label, width, ellipsis);
    g_autofree char *ends = is_of_another(model, function, name, width, ellipsis)
                                ? fc_short_names_ends(function->label, width, ellipsis)
                                : NULL;
    return g_intern_string(ends ? ends : name);
}

static const char *name_of(const FcModel *model, guint function)
{
    return brief_name(model, fc_model_function(model, function), NAME_WIDTH);
}

/* Sets the last finding's brief text: as much of the function's name as fits a line, between
 * `before` and `after`. */
static void add_brief(GPtrArray *findings, const FcModel *model, gint function, const char *before,
                      const char *after)
{
    FcFinding *finding = findings->pdata[findings->len - 1];
    const gsize others = strlen("* ") + strlen(before) + strlen(after) +
                         (finding->option ? strlen(": ") + strlen(finding->option) : 0);
    const guint width = (guint)CLAMP(LINE_WIDTH - (gint64)others, NAME_LEAST, NAME_WIDTH);
    const char *name = brief_name(model, fc_model_function(model, (guint)function), width);
    finding->brief = g_strconcat(before, name, after, NULL);
}

/* Whether the time, less its standard error, is at least `part` of the whole.  Waiting is measured,
 * so it has no error. */
static gboolean is_beyond(const FcModel *model, guint64 ns, guint64 error_ns, double part)
{
    const double error = model->time == FC_TIME_PART_WAIT ? 0 : (double)error_ns;
    return ns > 0 && (double)ns - error >= part * (double)model->base_ns;
}

/* ---- What went wrong ---------------------------------------------------------------------- */

/* The frames that were open, innermost first: "inner, called by outer, main". */
static char *format_stack(const FcModel *model, const GArray *stack)
{
    GString *text = g_string_new(NULL);
    for (guint i = stack->len; i-- > 0 && stack->len - i <= FRAMES_MAX;)
    {
        const FcProfileFrame *frame = &g_array_index(stack, FcProfileFrame, i);
        const guint function = model->function_of[frame->function];
        g_string_append_printf(text, "%s%s",
                               text->len == 0        ? ""
                               : i + 2 == stack->len ? ", called by "
                                                     : ", ",
                               name_of(model, function));
    }
    if (stack->len > FRAMES_MAX)
        g_string_append_printf(text, " and %u more", stack->len - FRAMES_MAX);
    return g_string_free(text, FALSE);
}

/* For one process that a signal killed.  --threads shows where each thread was. */
static void find_death(GPtrArray *findings, const FcModel *model)
{
    const FcProfile *header = ((const FcInput *)model->inputs->pdata[0])->header;
    if (model->inputs->len != 1 || header->end != FC_END_SIGNAL)
        return;
    for (guint i = 0; i < model->profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(model->profile->threads, FcProfileThread, i);
        if (thread->stack->len == 0)
            continue;
        g_autofree char *stack = format_stack(model, thread->stack);
        const guint64 threads = fc_profile_threads(model->profile);
        g_autofree char *which =
            threads > 1 ? g_strdup_printf(" (of %" G_GUINT64_FORMAT " threads)", threads)
                        : g_strdup("");
        add(findings, g_strdup_printf("It died in %s%s", stack, which), "--threads");
        return;
    }
}

static void find_bad_frees(GPtrArray *findings, const FcReportContext *context)
{
    const guint64 count = context->memory->bad_count;
    if (context->model->profile->heap.recorded && count > 0)
        add(findings,
            g_strdup_printf("Memory is freed wrongly %" G_GUINT64_FORMAT " time%s", count,
                            count == 1 ? "" : "s"),
            "--mem-free");
}

/* ---- Where the time is -------------------------------------------------------------------- */

/* Finding: hooks took more time than the program, which makes all times uncertain. */
static void find_hooks(GPtrArray *findings, const FcReportContext *context)
{
    const FcModel *model = context->model;
    guint64 cost_ns = 0;
    guint64 own_ns = 0;
    double variance = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        cost_ns += figures->times.local_cost_ns;
        own_ns += figures->times.local_ns;
        variance += (double)figures->local_error_ns * (double)figures->local_error_ns;
    }
    /* time that one has too much the other lacks, so their difference has twice the error */
    if (model->time == FC_TIME_PART_WAIT || cost_ns <= own_ns ||
        (double)(cost_ns - own_ns) < 2 * sqrt(variance))
        return;
    g_autofree char *what = own_ns == 0
                                ? g_strdup("Hooks took all of the time")
                                : g_strdup_printf("Hooks took %.1f times as long as the functions",
                                                  (double)cost_ns / (double)own_ns);
    gboolean says_what = FALSE;
    g_autofree char *advice = fc_rebuild_advise(context, &says_what);
    if (!says_what)
    {
        add_with_reason(findings, g_steal_pointer(&what), g_steal_pointer(&advice),
                        "--suggest-filter");
        return;
    }
    add(findings, g_strconcat(what, advice, NULL), "--suggest-filter");
    FcFinding *finding = findings->pdata[findings->len - 1];
    finding->is_to_copy = TRUE;
}

/* "f", with the file and line of `site`, a call in which it waits, which may be NULL, else of where
 * it begins, as far as they are known. */
static char *format_function(const FcReportContext *context, guint index,
                             const FcProfileWaitSite *site)
{
    const FcFunction *function = fc_model_function(context->model, index);
    FcOptions options = *context->options;
    FcReportContext own = *context;
    own.options = &options;
    options.base_names = TRUE;
    g_autofree char *place = site ? fc_report_wait_line(&own, site) : NULL;
    if (!place)
        place = fc_report_source(&own, &function->figures.location, FALSE);
    const guint taken = place ? (guint)g_utf8_strlen(place, -1) : 0;
    const char *name =
        brief_name(context->model, function, NAME_WIDTH - MIN(taken, NAME_WIDTH / 2));
    return place ? g_strdup_printf("%s (%s)", name, place) : g_strdup(name);
}

/* The same, with the call in which it waits most for that. */
static char *format_waiter(const FcReportContext *context, const FcContentionPlace *place)
{
    const guint index = (guint)place->function;
    return format_function(context, index, fc_contention_site(context->model, index, place->kind));
}

static double percent_of(const FcContentionPlace *place)
{
    return 100 * (double)place->wait_ns / (double)place->whole_ns;
}

/* Threads that wait for one another. */
static void find_contention(GPtrArray *findings, const FcReportContext *context,
                            const FcContentionPlace *place)
{
    if (!fc_contention_is_notable(place))
        return;
    g_autofree char *time = fc_format_brief_time(place->wait_ns);
    g_autofree char *function = format_waiter(context, place);
    const char *what = place->kind == FC_WAIT_LOCK   ? " for a lock"
                       : place->kind == FC_WAIT_SIGN ? " for one another"
                                                     : "";
    g_autofree char *before = g_strdup_printf("%u threads wait%s in ", place->threads, what);
    g_autofree char *after = g_strdup_printf(" for %s", time);
    add_with_reason(findings, g_strconcat(before, function, after, NULL),
                    g_strdup_printf(", %.0f%% of the working threads' time", percent_of(place)),
                    "--waits");
    add_brief(findings, context->model, place->function, before, after);
}

/* Threads that wait for something other than each other. */
static void find_waits(GPtrArray *findings, const FcReportContext *context,
                       const FcContentionPlace *place)
{
    static const char *const words[] = {[FC_WAIT_INPUT] = "waits for input",
                                        [FC_WAIT_SLEEP] = "sleeps",
                                        [FC_WAIT_DISK] = "waits for the disk",
                                        [FC_WAIT_OTHER] = "waits"};
    if (!fc_contention_is_notable(place) || place->kind >= G_N_ELEMENTS(words) ||
        !words[place->kind])
        return;
    g_autofree char *time = fc_format_brief_time(place->wait_ns);
    g_autofree char *function = format_waiter(context, place);
    g_autofree char *threads =
        place->threads > 1 ? g_strdup_printf(" in %u threads", place->threads) : g_strdup("");
    g_autofree char *after = g_strdup_printf(" %s for %s%s", words[place->kind], time, threads);
    add_with_reason(findings, g_strconcat(function, after, NULL),
                    g_strdup_printf(", %.0f%% of all threads' time", percent_of(place)), "--waits");
    add_brief(findings, context->model, place->function, "", after);
}

static const char *time_phrase(FcTimePart part)
{
    return part == FC_TIME_PART_CPU    ? "the CPU time"
           : part == FC_TIME_PART_WAIT ? "all waiting"
                                       : "the time";
}

/* Whether the function's local time is notable, and certain enough to have no "?". */
static gboolean is_heavy(const FcReportContext *context, const FcProfileFunction *figures)
{
    FcTimeSum sum = {0};
    fc_report_add_local(&sum, figures);
    return fc_report_is_local_known(figures) && *fc_report_time_mark(context, &sum) != '?' &&
           is_beyond(context->model, sum.ns, figures->local_error_ns, NOTABLE_OWN);
}

static void find_heaviest(GPtrArray *findings, const FcReportContext *context,
                          const gboolean *waiting)
{
    const FcModel *model = context->model;
    const FcFunction *most = NULL;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (function->shown && !waiting[i] && is_heavy(context, &function->figures) &&
            (!most || function->figures.times.local_ns > most->figures.times.local_ns))
            most = function;
    }
    if (!most)
        return;
    g_autofree char *calls = fc_format_brief_count(most->figures.calls);
    g_autofree char *each =
        fc_format_brief_time(most->figures.times.local_ns / MAX(most->figures.calls, 1));
    g_autofree char *reason = most->figures.uncounted && most->figures.calls == 0
                                  ? g_strdup(", code without counters")
                                  : g_strdup_printf(" (%s call%s of %s)", calls,
                                                    most->figures.calls == 1 ? "" : "s", each);
    add_with_reason(
        findings,
        g_strdup_printf("%s itself takes %.0f%% of %s", brief_name(model, most, NAME_WIDTH),
                        100 * (double)most->figures.times.local_ns / (double)model->base_ns,
                        time_phrase(model->time)),
        g_steal_pointer(&reason), NULL);
}

/* What libraries and other code without counters take together. */
static void find_uncounted(GPtrArray *findings, const FcReportContext *context)
{
    const FcModel *model = context->model;
    FcTimeSum sum = {0};
    guint functions = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (!function->shown || !function->figures.uncounted)
            continue;
        fc_report_add_local(&sum, &function->figures);
        functions++;
    }
    if (functions < 2 || !is_beyond(model, sum.ns, (guint64)sqrt(sum.variance), NOTABLE_OWN))
        return;
    add_with_reason(findings,
                    g_strdup_printf("Code without counters takes %.0f%% of %s",
                                    100 * (double)sum.ns / (double)model->base_ns,
                                    time_phrase(model->time)),
                    g_strdup(", as in libraries: its calls are unknown"), NULL);
}

/* Finding: kernel time that is in no function's, because sampling the kernel was not permitted. */
static void find_unsampled(GPtrArray *findings, const FcModel *model)
{
    const guint64 ns = model->profile->unsampled_ns;
    if ((double)ns < NOTABLE_OWN * (double)(model->local_ns + ns) || ns == 0)
        return;
    g_autofree char *time = fc_format_brief_time(ns);
    add_with_reason(findings, g_strdup_printf("%s in the kernel are in no function's time", time),
                    g_strdup(": perf_event_paranoid is above 1"), NULL);
}

/* ---- The rest ----------------------------------------------------------------------------- */

static void find_leaks(GPtrArray *findings, const FcReportContext *context)
{
    const FcMemory *memory = context->memory;
    if (!context->model->profile->heap.recorded || memory->lost.blocks == 0)
        return;
    g_autofree char *bytes = fc_format_bytes(memory->lost.bytes);
    g_autofree char *blocks = fc_format_brief_count(memory->lost.blocks);
    add(findings,
        g_strdup_printf("%s leaked in %s block%s", bytes, blocks,
                        memory->lost.blocks == 1 ? "" : "s"),
        "--mem-leaks");
}

/* The least time that the slowest hundredth of the function's calls took together; 0: not notable,
 * or too few calls were timed. */
static guint64 tail_ns(FcLatencyTable *latencies, const FcModel *model, guint function)
{
    const FcPercentileSet set = fc_latency_of_function(latencies, function);
    const FcFunction *own = fc_model_function(model, function);
    if (!own->shown || set.calls < TAIL_CALLS ||
        (double)set.ns[FC_PERCENTILE_99] < TAIL_RATIO * (double)set.ns[FC_PERCENTILE_50])
        return 0;
    return own->figures.calls / 100 * set.ns[FC_PERCENTILE_99];
}

/* If a callee's calls are slow, so are its caller's.  Finds the innermost such function. */
static guint innermost_tail(const FcModel *model, const guint64 *tails, guint function)
{
    guint found = function;
    for (guint steps = 0; steps < model->functions->len; steps++)
    {
        guint count;
        const FcArc *callees = fc_callgraph_callees(model->graph, found, &count);
        guint next = found;
        for (guint i = 0; i < count; i++)
            if (callees[i].callee != found &&
                (double)tails[callees[i].callee] >= TAIL_SAME * (double)tails[found])
                next = callees[i].callee;
        if (next == found)
            break;
        found = next;
    }
    return found;
}

/* Finding: a few calls take far longer than the others, and together much time.  Functions that
 * wait have a finding already. */
static void find_tail(GPtrArray *findings, const FcModel *model, const FcContention *contention)
{
    const guint64 elapsed_ns = fc_report_elapsed_ns(model);
    if (model->profile->latencies->len == 0 || model->lacks_arcs || elapsed_ns == 0)
        return;
    g_autoptr(FcLatencyTable) latencies = fc_latency_table_new(model);
    g_autofree guint64 *tails = g_new0(guint64, model->functions->len + 1);
    guint most = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        tails[i] = tail_ns(latencies, model, i);
        most = tails[i] > tails[most] ? i : most;
    }
    if ((double)tails[most] < NOTABLE_TAIL * (double)elapsed_ns)
        return;
    const guint function = innermost_tail(model, tails, most);
    if ((fc_contention_is_notable(&contention->contended) &&
         contention->contended.function == (gint)function) ||
        (fc_contention_is_notable(&contention->waiting) &&
         contention->waiting.function == (gint)function))
        return;
    const FcPercentileSet set = fc_latency_of_function(latencies, function);
    const FcProfileBounds bounds =
        fc_profile_elapsed_bounds(&fc_model_function(model, function)->figures);
    g_autofree char *tail = fc_format_brief_time(set.ns[FC_PERCENTILE_99]);
    g_autofree char *half = fc_format_brief_time(set.ns[FC_PERCENTILE_50]);
    g_autofree char *slowest = fc_format_brief_time(bounds.total_max_ns);
    add_with_reason(
        findings,
        g_strdup_printf("1 call in 100 of %s takes %s or more", name_of(model, function), tail),
        g_strdup_printf(" (half %s, slowest %s, elapsed)", half, slowest), "--latency");
}

/* Finding: ranks arrive early at an MPI function and wait. */
static void find_late_rank(GPtrArray *findings, const FcModel *model)
{
    char *text = fc_job_waits(model);
    if (text)
        add(findings, text, "--ranks");
}

#define NOTABLE_REGIONS 0.1 /* of all threads' time */

/* Finding: threads of OpenMP wait for one another. */
static void find_regions(GPtrArray *findings, const FcModel *model, const FcContention *contention)
{
    const FcRegionsWait wait = fc_regions_find_wait(model);
    if (wait.function == FC_NONE || contention->run_ns == 0 ||
        (double)wait.wait_ns < NOTABLE_REGIONS * (double)contention->run_ns)
        return;
    g_autofree char *time = fc_format_brief_time(wait.wait_ns);
    add_with_reason(findings, g_strdup_printf("OpenMP's threads wait for one another for %s", time),
                    g_strdup_printf(", %.0f%% of all threads' time, most in %s",
                                    100 * (double)wait.wait_ns / (double)contention->run_ns,
                                    name_of(model, (guint)wait.function)),
                    "--tree");
}

static void find_preemption(GPtrArray *findings, const FcContention *contention)
{
    char *reason;
    if (!fc_contention_is_preempted(contention))
        return;
    char *text = fc_contention_preemption(contention, &reason);
    add_with_reason(findings, text, reason, NULL);
}

static void find_idle(GPtrArray *findings, const FcContention *contention)
{
    if (contention->idle < 2 || contention->idle == contention->threads) /* one may wait for all */
        return;
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < contention->names->len; i++)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : " (",
                               (const char *)contention->names->pdata[i]);
    add(findings,
        g_strdup_printf("%u of %u threads only waited%s%s", contention->idle, contention->threads,
                        names->str, names->len > 0 ? ")" : ""),
        "--threads");
}

static void find_cycle(GPtrArray *findings, const FcModel *model)
{
    guint heaviest = 0;
    for (guint cycle = 1; cycle <= fc_callgraph_cycle_count(model->graph); cycle++)
        if (heaviest == 0 || fc_report_cycle_ns(model, cycle) > fc_report_cycle_ns(model, heaviest))
            heaviest = cycle;
    if (heaviest == 0)
        return;
    guint count;
    const guint *members = fc_callgraph_cycle_members(model->graph, heaviest, &count);
    guint64 error_ns = 0; /* the largest of the members' errors */
    for (guint i = 0; i < count; i++)
        error_ns = MAX(error_ns, fc_model_function(model, members[i])->figures.total_error_ns);
    if (!is_beyond(model, fc_report_cycle_ns(model, heaviest), error_ns, FC_NOTABLE_CYCLE))
        return;
    add(findings,
        g_strdup_printf("%s and %u other function%s call one another", name_of(model, members[0]),
                        count - 1, count == 2 ? "" : "s"),
        "--cycles");
}

/* Finding: threads share work, and one has much more of it. */
static void find_balance(GPtrArray *findings, const FcReportContext *context)
{
    const FcBalance balance = fc_balance_of(context->model);
    const guint64 elapsed_ns = fc_report_elapsed_ns(context->model);
    if (balance.function == FC_NONE || elapsed_ns == 0 || balance.cpu_ns == 0 ||
        (double)balance.saved_ns < NOTABLE_UNEVEN * (double)elapsed_ns)
        return;
    g_autofree char *function = format_function(context, (guint)balance.function, NULL);
    g_autofree char *time = fc_format_brief_time(balance.saved_ns);
    g_autofree char *before = g_strdup_printf("1 of %u threads in ", balance.threads);
    g_autofree char *after = g_strdup_printf(
        " has %.0f%% of their work", 100 * (double)balance.busiest_ns / (double)balance.cpu_ns);
    add_with_reason(findings, g_strconcat(before, function, after, NULL),
                    g_strdup_printf(", %s more than its share", time), "--threads");
    add_brief(findings, context->model, balance.function, before, after);
}

/* Whether `callees` is n(n-1)/2 or n(n+1)/2 for n = `calls`: each item is handled with all items
 * before it.  n*n proves nothing, as each call may loop n times. */
static gboolean is_triangle(guint64 callees, guint64 calls)
{
    if (calls < SQUARE_CALLS || calls > G_MAXUINT32)
        return FALSE;
    return callees == calls * (calls - 1) / 2 || callees == calls * (calls + 1) / 2;
}

/* The standard error of the arc's time: its share of the callee's error. */
static guint64 arc_error_ns(const FcModel *model, const FcArc *arc)
{
    const FcProfileFunction *callee = &fc_model_function(model, arc->callee)->figures;
    return callee->times.total_ns == 0
               ? 0
               : (guint64)((double)callee->total_error_ns * (double)arc->total_ns /
                           (double)callee->times.total_ns);
}

static void find_square(GPtrArray *findings, const FcModel *model)
{
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    const FcArc *most = NULL;
    for (guint i = 0; i < count; i++)
        if (arcs[i].caller != FC_NONE && arcs[i].caller != (gint)arcs[i].callee &&
            !fc_report_is_apportioned(model, &arcs[i]) &&
            (!most || arcs[i].total_ns > most->total_ns) &&
            is_triangle(arcs[i].calls,
                        fc_model_function(model, (guint)arcs[i].caller)->figures.calls))
            most = &arcs[i];
    if (!most || !is_beyond(model, most->total_ns, arc_error_ns(model, most), NOTABLE_SQUARE))
        return;
    const char *caller = name_of(model, (guint)most->caller);
    g_autofree char *calls =
        fc_format_brief_count(fc_model_function(model, (guint)most->caller)->figures.calls);
    g_autofree char *callees = fc_format_brief_count(most->calls);
    g_autofree char *option = g_strdup_printf("--peek='%s'", caller);
    add_with_reason(findings,
                    g_strdup_printf("%s calls of %s make %s of %s", calls, caller, callees,
                                    name_of(model, most->callee)),
                    g_strdup(": each one more than the one before"), option);
}

GPtrArray *fc_findings_new(const FcReportContext *context)
{
    const FcModel *model = context->model;
    GPtrArray *findings = g_ptr_array_new_with_free_func(free_finding);
    g_autofree gboolean *waiting = fc_hot_waiting(model);
    g_autoptr(FcContention) contention = fc_contention_new(model);
    find_death(findings, model);
    find_bad_frees(findings, context);
    find_hooks(findings, context);
    find_contention(findings, context, &contention->contended);
    find_late_rank(findings, model);
    find_regions(findings, model, contention);
    find_heaviest(findings, context, waiting);
    find_uncounted(findings, context);
    find_unsampled(findings, model);
    if (!model->lacks_arcs)
        find_square(findings, model);
    find_leaks(findings, context);
    find_tail(findings, model, contention);
    find_balance(findings, context);
    const gboolean waits_more = contention->waiting.wait_ns > contention->preempted_ns;
    if (waits_more)
        find_waits(findings, context, &contention->waiting);
    find_preemption(findings, contention);
    if (!waits_more)
        find_waits(findings, context, &contention->waiting);
    find_idle(findings, contention);
    if (!model->lacks_arcs)
        find_cycle(findings, model);
    return findings;
}
