/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What several reports need; see report.h.
 */
#include "fcdump/report.h"

#include <math.h>
#include <string.h>

#include "model/contention.h"
#include "model/labels.h"
#include "profile/path.h"

char *fc_report_source(const FcReportContext *context, const FcProfileLocation *place,
                       gboolean is_return)
{
    const FcModel *model = context->model;
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, place, is_return, &symbol);
    return symbol.file ? fc_report_line(context, symbol.file, symbol.line) : NULL;
}

char *fc_report_wait_line(const FcReportContext *context, const FcProfileWaitSite *site)
{
    guint line;
    const char *file = fc_contention_site_line(context->model, site, &line);
    return file ? fc_report_line(context, file, line) : NULL;
}

char *fc_report_line(const FcReportContext *context, const char *file, guint line)
{
    /* "/home/me/build/../src/main.c" is easier to read as "/home/me/src/main.c". */
    g_autofree char *path =
        g_path_is_absolute(file) ? g_canonicalize_filename(file, NULL) : g_strdup(file);
    const char *shown = context->options->base_names ? fc_base_name(path) : path;
    return line != 0 ? g_strdup_printf("%s:%u", shown, line) : g_strdup(shown);
}

char *fc_report_name(const FcReportContext *context, gint function, guint via)
{
    const FcModel *model = context->model;
    const char *name =
        function == FC_NONE ? "<outside>" : fc_model_function(model, (guint)function)->label;
    if (via == 0)
        return g_strdup(name);
    return g_strdup_printf("%s (via %s)", name, fc_labels_of_name(model, fc_model_via(model, via)));
}

/* ---- Runs, cycles and threads -------------------------------------------------------- */

char *fc_report_end(const FcProfile *header)
{
    switch (header->end)
    {
    case FC_END_EXIT:
        return g_strdup_printf("exited with status %d", header->end_value);
    case FC_END_SIGNAL:
        return g_strdup_printf("killed by signal %d (%s)", header->end_value,
                               g_strsignal(header->end_value));
    case FC_END_EXEC:
        return g_strdup("replaced itself by another program (exec)");
    case FC_END_RUNNING:
        return g_strdup("running: a snapshot");
    case FC_END_UNKNOWN:
    default:
        /* Of a thread with a file of its own only the end of its process is known. */
        return header->extended && header->thread_id == 0 ? g_strdup("ended in an unknown way")
                                                          : NULL;
    }
}

guint64 fc_report_processes(const FcModel *model, guint64 *failed)
{
    guint64 processes = 0;
    guint64 bad = 0;
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcProfile *header = ((const FcInput *)model->inputs->pdata[i])->header;
        processes += fc_profile_processes(header);
        bad += fc_profile_failed(header);
    }
    if (failed)
        *failed = bad;
    return processes;
}

guint64 fc_report_elapsed_ns(const FcModel *model)
{
    gint64 start_ns = G_MAXINT64;
    gint64 end_ns = 0;
    if (fc_report_processes(model, NULL) == 1)
        return ((const FcInput *)model->inputs->pdata[0])->header->run_ns;
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcProfile *header = ((const FcInput *)model->inputs->pdata[i])->header;
        if (header->start_realtime_ns == 0)
            return 0;
        start_ns = MIN(start_ns, header->start_realtime_ns);
        end_ns = MAX(end_ns, header->end_realtime_ns);
    }
    return end_ns > start_ns ? (guint64)(end_ns - start_ns) : 0;
}

#define PROGRAMS_NAMED 4 /* of a sum */

char *fc_report_programs(const FcModel *model, gboolean base_names)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const char *program = ((const FcInput *)model->inputs->pdata[i])->header->executable;
        if (program && base_names)
            program = fc_base_name(program);
        if (program && g_hash_table_add(known, (gpointer)program) &&
            g_hash_table_size(known) <= PROGRAMS_NAMED)
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", program);
    }
    if (g_hash_table_size(known) > PROGRAMS_NAMED)
    {
        const guint others = g_hash_table_size(known) - PROGRAMS_NAMED;
        g_string_append_printf(text, " and %u other%s", others, others == 1 ? "" : "s");
    }
    return g_string_free(text, FALSE);
}

guint64 fc_report_cycle_ns(const FcModel *model, guint cycle)
{
    guint count;
    guint64 sum_ns = 0;
    const guint *members = fc_callgraph_cycle_members(model->graph, cycle, &count);
    for (guint i = 0; i < count; i++)
    {
        guint callers_count;
        const FcArc *const *callers =
            fc_callgraph_callers(model->graph, members[i], &callers_count);
        for (guint c = 0; c < callers_count; c++)
            if (callers[c]->caller == FC_NONE ||
                fc_callgraph_cycle_of(model->graph, (guint)callers[c]->caller) != cycle)
                sum_ns += callers[c]->total_ns;
    }
    return MIN(sum_ns, model->local_ns); /* sums of estimates may be more */
}

guint64 fc_report_thread_local_ns(const FcProfileThread *thread)
{
    guint64 local_ns = 0;
    for (guint i = 0; i < thread->functions->len; i++)
        local_ns += g_array_index(thread->functions, FcProfileThreadFunction, i).times.local_ns;
    return local_ns;
}

/* ---- Order ------------------------------------------------------------------- */

static int compare_numbers(guint64 a, guint64 b)
{
    return (a > b) - (a < b);
}

/* What functions are ordered by, other than the name; `elapsed`: bounds are those of elapsed time.
 */
static guint64 sort_key(FcSort sort, const FcProfileFunction *figures, gboolean elapsed)
{
    switch (sort)
    {
    case FC_SORT_LOCAL:
        return figures->times.local_ns;
    case FC_SORT_CALLS:
        return figures->calls;
    case FC_SORT_MIN:
        return elapsed ? fc_profile_elapsed_bounds(figures).total_min_ns
                       : figures->bounds.total_min_ns;
    case FC_SORT_MAX:
        return elapsed ? fc_profile_elapsed_bounds(figures).total_max_ns
                       : figures->bounds.total_max_ns;
    case FC_SORT_LMIN:
        return elapsed ? fc_profile_elapsed_bounds(figures).local_min_ns
                       : figures->bounds.local_min_ns;
    case FC_SORT_LMAX:
        return elapsed ? fc_profile_elapsed_bounds(figures).local_max_ns
                       : figures->bounds.local_max_ns;
    case FC_SORT_NAME:
        return 0;
    case FC_SORT_TOTAL:
    default:
        return figures->times.total_ns;
    }
}

/* Largest first. */
static int compare(const FcReportContext *context, guint a, guint b, gboolean elapsed)
{
    const FcFunction *x = fc_model_function(context->model, a);
    const FcFunction *y = fc_model_function(context->model, b);
    const FcSort sort = context->options->sort;
    int order =
        compare_numbers(sort_key(sort, &y->figures, elapsed), sort_key(sort, &x->figures, elapsed));
    if (order == 0 && sort == FC_SORT_NAME)
        order = strcmp(x->label, y->label);
    if (order != 0)
        return context->options->reverse ? -order : order;
    order = strcmp(x->label, y->label);
    return order != 0 ? order
                      : compare_numbers(x->figures.location.address, y->figures.location.address);
}

int fc_report_compare(const FcReportContext *context, guint a, guint b)
{
    return compare(context, a, b, FALSE);
}

static int compare_functions(gconstpointer a, gconstpointer b, gpointer context)
{
    return compare(context, *(const guint *)a, *(const guint *)b, FALSE);
}

static int compare_elapsed(gconstpointer a, gconstpointer b, gpointer context)
{
    return compare(context, *(const guint *)a, *(const guint *)b, TRUE);
}

void fc_report_sort(const FcReportContext *context, GArray *functions)
{
    g_array_sort_with_data(functions, compare_functions, (gpointer)context);
}

static GArray *shown_functions(const FcReportContext *context)
{
    GArray *functions = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < context->model->functions->len; i++)
        if (fc_model_function(context->model, i)->shown)
            g_array_append_val(functions, i);
    return functions;
}

FcOptions fc_report_by_local_time(const FcOptions *options, guint most)
{
    FcOptions own = *options;
    if (own.sort == FC_SORT_DEFAULT)
        own.sort = FC_SORT_LOCAL;
    if (own.top == 0 && !fc_format_is_csv())
        own.top = most;
    return own;
}

GArray *fc_report_functions(const FcReportContext *context)
{
    GArray *functions = shown_functions(context);
    fc_report_sort(context, functions);
    return functions;
}

GArray *fc_report_functions_elapsed(const FcReportContext *context)
{
    GArray *functions = shown_functions(context);
    g_array_sort_with_data(functions, compare_elapsed, (gpointer)context);
    return functions;
}

gboolean fc_report_is_small(const FcReportContext *context, guint64 part, guint64 whole)
{
    return (double)part < context->options->min_percent / 100.0 * (double)whole;
}

guint64 fc_report_least_ns(const FcReportContext *context)
{
    const double least_ns = context->options->min_percent / 100.0 * (double)context->model->base_ns;
    return MAX(context->options->min_time_ns, (guint64)least_ns);
}

gboolean fc_report_keep(const FcReportContext *context, FcReportCut *cut, guint64 part,
                        guint64 whole)
{
    const FcOptions *options = context->options;
    if (fc_report_is_small(context, part, whole))
        cut->small++;
    else if (options->top > 0 && cut->kept >= options->top)
        cut->beyond++;
    else
    {
        cut->kept++;
        return TRUE;
    }
    return FALSE;
}

void fc_report_note_cut(const FcReportContext *context, const FcReportCut *cut, const char *what)
{
    if (cut->small > 0)
        fc_render_note(context->render, "%u %s%s left out by --min.", cut->small, what,
                       cut->small > 1 ? "s" : "");
    if (cut->beyond > 0)
        fc_render_note(context->render, "%u more %s%s with --all.", cut->beyond, what,
                       cut->beyond > 1 ? "s" : "");
}

void fc_report_add_cut(FcTable *table, guint columns, const char *indent, const FcReportCut *cut)
{
    const guint left_out = cut->small + cut->beyond;
    if (left_out == 0)
        return;
    fc_table_remark(table, FC_STYLE_DIM);
    for (guint c = 0; c + 1 < columns; c++)
        fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup_printf("%s(%u more)", indent, left_out));
}

char *fc_report_function(const FcReportContext *context, const FcFunction *function)
{
    g_autofree char *source = context->options->details
                                  ? fc_report_source(context, &function->figures.location, FALSE)
                                  : NULL;
    return source ? g_strdup_printf("%s  %s", function->label, source) : g_strdup(function->label);
}

gboolean fc_report_shows_waits(const FcReportContext *context)
{
    gboolean notable;
    fc_report_waits_ns(context, &notable);
    return notable && fc_options_time(context->options) == FC_TIME_PART_CPU;
}

gboolean fc_report_prints(const FcReportCut *cut)
{
    return cut->kept > 0 || fc_format_is_csv();
}

static gboolean is_filtered(const FcModel *model)
{
    for (guint i = 0; i < model->inputs->len; i++)
        if (((const FcInput *)model->inputs->pdata[i])->header->filter)
            return TRUE;
    return FALSE;
}

void fc_report_no_function(const FcReportContext *context)
{
    fc_render_line(context->render, "No function to show.");
    if (context->model->functions->len > 0)
        return;
    if (is_filtered(context->model))
        fc_render_note(context->render,
                       "FC_FILTER let through no function that ran, or nothing that "
                       "ran was compiled with the flags of fc-config --cflags.");
    else
        fc_render_note(context->render, "Nothing that ran was compiled with the flags of "
                                        "fc-config --cflags, or other hooks came before libfc's.");
}

/* ---- Estimates ------------------------------------------------------------------- */

FcWeight fc_report_weight(const FcReportContext *context)
{
    if (context->options->has_weight)
        return context->options->weight;
    if (context->options->has_time) /* the model has only that part */
        return FC_WEIGHT_TIME;
    return fc_weight_is_known(context->model, FC_WEIGHT_CPU) ? FC_WEIGHT_CPU : FC_WEIGHT_TIME;
}

gboolean fc_report_is_sampled(const FcProfileFunction *figures)
{
    return figures->counted > figures->timed;
}

gboolean fc_report_is_estimated(const FcProfileFunction *figures)
{
    return fc_report_is_sampled(figures) || figures->total_error_ns > 0;
}

gboolean fc_report_is_local_estimated(const FcProfileFunction *figures)
{
    return fc_report_is_estimated(figures) || figures->local_error_ns > 0;
}

gboolean fc_report_is_apportioned(const FcModel *model, const FcArc *arc)
{
    for (guint i = 0; i < arc->site_count; i++)
        if (g_array_index(model->profile->arcs, FcProfileArc, arc->sites[i].tag).apportioned)
            return TRUE;
    return FALSE;
}

char *fc_report_mark(char *text, gboolean marked)
{
    if (!marked || fc_format_is_csv())
        return text;
    char *with_mark = g_strconcat("~", text, NULL);
    g_free(text);
    return with_mark;
}

char *fc_report_calls(const FcProfileFunction *figures, char *count)
{
    if (!figures->uncounted || figures->calls > 0)
        return count;
    g_free(count);
    return g_strdup(fc_format_is_csv() ? "" : "-");
}

/* Whether the standard error is more than half of the time or, if no error is known, the overhead
 * more than twice the time.  Waiting has neither. */
static gboolean is_doubtful(const FcReportContext *context, guint64 ns, guint64 error_ns,
                            guint64 cost_ns)
{
    if (fc_options_time(context->options) == FC_TIME_PART_WAIT)
        return FALSE;
    return error_ns > 0 ? (double)error_ns > (double)ns / 2 : cost_ns / 2 > ns;
}

const char *fc_report_time_mark(const FcReportContext *context, const FcTimeSum *sum)
{
    const guint64 error_ns = (guint64)MIN(sqrt(sum->variance), 0x1p62);
    return is_doubtful(context, sum->ns, error_ns, sum->cost_ns) ? "?" : sum->estimated ? "~" : "";
}

char *fc_report_time(const FcReportContext *context, const FcTimeSum *sum)
{
    if (fc_format_is_csv())
        return fc_format_time(sum->ns);
    g_autofree char *time = fc_format_time(sum->ns);
    return g_strconcat(fc_report_time_mark(context, sum), time, NULL);
}

void fc_report_add_total(FcTimeSum *sum, const FcProfileFunction *figures)
{
    sum->ns += figures->times.total_ns;
    sum->cost_ns += figures->times.total_cost_ns;
    sum->variance += (double)figures->total_error_ns * (double)figures->total_error_ns;
    sum->estimated = sum->estimated || fc_report_is_estimated(figures);
}

void fc_report_add_local(FcTimeSum *sum, const FcProfileFunction *figures)
{
    sum->ns += figures->times.local_ns;
    sum->cost_ns += figures->times.local_cost_ns;
    sum->variance += (double)figures->local_error_ns * (double)figures->local_error_ns;
    sum->estimated = sum->estimated || fc_report_is_local_estimated(figures);
}

/* FALSE: no call of the function was timed, and the standard error is as large as the time. */
static gboolean is_known(const FcProfileFunction *figures, guint64 ns, guint64 error_ns)
{
    return fc_format_is_csv() || figures->counted == 0 || figures->timed > 0 ||
           figures->counted < figures->calls || error_ns < MAX(ns, 1);
}

gboolean fc_report_is_local_known(const FcProfileFunction *figures)
{
    return is_known(figures, figures->times.local_ns, figures->local_error_ns);
}

const char *fc_report_time_name(FcTimePart part)
{
    return part == FC_TIME_PART_CPU    ? "CPU"
           : part == FC_TIME_PART_WAIT ? "waiting"
                                       : "in functions";
}

char *fc_report_total_time(const FcReportContext *context, const FcProfileFunction *figures)
{
    FcTimeSum sum = {0};
    if (!is_known(figures, figures->times.total_ns, figures->total_error_ns))
        return g_strdup("unknown");
    fc_report_add_total(&sum, figures);
    return fc_report_time(context, &sum);
}

char *fc_report_local_time(const FcReportContext *context, const FcProfileFunction *figures)
{
    FcTimeSum sum = {0};
    if (!is_known(figures, figures->times.local_ns, figures->local_error_ns))
        return g_strdup("unknown");
    fc_report_add_local(&sum, figures);
    return fc_report_time(context, &sum);
}

gboolean fc_report_lacks_contexts(const FcReportContext *context, const char *title)
{
    if (!context->model->of_threads)
        return FALSE;
    fc_render_title(context->render, "%s", title);
    fc_render_line(context->render, FC_MODEL_LACKS_CONTEXTS);
    return TRUE;
}

gboolean fc_report_lacks_arcs(const FcReportContext *context, const char *title)
{
    if (!context->model->lacks_arcs)
        return FALSE;
    fc_render_title(context->render, "%s", title);
    fc_render_line(context->render, FC_MODEL_LACKS_ARCS);
    return TRUE;
}

char *fc_report_share(const FcModel *model, guint64 ns)
{
    return fc_format_share(model->base == FC_NONE ? MIN(ns, model->base_ns) : ns, model->base_ns);
}

void fc_report_note_base(const FcReportContext *context)
{
    const FcModel *model = context->model;
    g_autofree char *base = g_strchomp(fc_format_time(model->base_ns));
    if (model->base == FC_NONE)
        fc_render_note(context->render, "100%% is %s, the local times of all functions%s.", base,
                       model->of_threads ? " in these threads" : "");
    else
        fc_render_note(context->render, "100%% is %s, the total time of %s.", base,
                       fc_model_function(model, (guint)model->base)->label);
}

void fc_report_note_marks(const FcReportContext *context)
{
    gboolean estimated = FALSE;
    gboolean timed = FALSE;
    gboolean doubtful = FALSE;
    for (guint i = 0; i < context->model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(context->model, i)->figures;
        estimated = estimated || fc_report_is_local_estimated(figures);
        timed = timed || figures->timed > 0;
        doubtful = doubtful ||
                   is_doubtful(context, figures->times.total_ns, figures->total_error_ns,
                               figures->times.total_cost_ns) ||
                   is_doubtful(context, figures->times.local_ns, figures->local_error_ns,
                               figures->times.local_cost_ns);
    }
    const char *doubt = "? time: mostly uncertain, as overhead was several times as long or few "
                        "calls were timed.";
    const FcProfile *profile = context->model->profile;
    const guint64 samples = profile->samples;
    g_autofree char *seen = samples > 0 ? g_strdup_printf(", and by %" G_GUINT64_FORMAT
                                                          " samples of where threads were",
                                                          samples)
                                        : g_strdup("");
    g_autofree char *executed =
        g_strdup_printf("%" G_GUINT64_FORMAT " samples of where threads executed%s",
                        profile->executed, profile->executed_by_timer > 0 ? ", by timers" : "");
    if (estimated)
        fc_render_note(context->render,
                       "~ time: estimated from %s%s; ~ calls: apportioned, their sum is exact.%s%s",
                       timed ? "calls that were timed at random, of which minimum and maximum are"
                       : profile->executed > 0 ? executed
                                               : "the number of calls",
                       seen, doubtful ? " " : "", doubtful ? doubt : "");
    else if (doubtful)
        fc_render_note(context->render, "%s", doubt);
}

guint64 fc_report_waits_ns(const FcReportContext *context, gboolean *notable)
{
    const FcModel *model = context->model;
    guint64 waits_ns = 0;
    guint64 shown_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        waits_ns += fc_model_function(model, i)->figures.times.local_wait_ns;
        shown_ns += fc_model_function(model, i)->figures.times.local_ns;
    }
    const gboolean in_shown = fc_options_time(context->options) != FC_TIME_PART_CPU;
    *notable = waits_ns > (shown_ns + (in_shown ? 0 : waits_ns)) / 100;
    return waits_ns;
}

void fc_report_note_bounds(const FcReportContext *context)
{
    gboolean waits;
    fc_report_waits_ns(context, &waits);
    if (waits && fc_options_time(context->options) == FC_TIME_PART_WAIT)
        fc_render_note(context->render,
                       "min and max: of one call, elapsed time with what it waited, "
                       "without what it was preempted.");
}
