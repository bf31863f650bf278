/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The header: which tool read which files.
 */
#include "fcdump/report.h"
#include "libfc/fc-format.h"
#include "model/costs.h"

#include <math.h>

#define FILES_MAX 8 /* named one by one */
#define MANAGER_NOTABLE_NS 50000000u

/* What is exact and what is not, where there is anything that is not. */
static void note_estimates(const FcReportContext *context)
{
    const FcModel *model = context->model;
    guint functions = 0;
    guint64 counted = 0;
    guint64 timed = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        functions += figures->counted > figures->timed;
        counted += figures->counted;
        timed += figures->timed;
    }
    if (functions == 0)
        return;
    g_autofree char *all = fc_format_count(counted);
    g_autofree char *some = fc_format_count(timed);
    fc_render_note(context->render,
                   "Calls are exact. Of %u short function%s %s calls were counted, and %s of them "
                   "timed%s: times with ~ are estimates.",
                   functions, functions > 1 ? "s" : "", all, timed > 0 ? some : "none",
                   timed > 0 ? ", at random" : "");
}

/* What threads waited for the manager, or took to hand records to it. */
static guint64 sum_manager_ns(const FcProfile *profile)
{
    guint64 manager_ns = 0;
    for (guint i = 0; i < profile->threads->len; i++)
        manager_ns += g_array_index(profile->threads, FcProfileThread, i).manager_ns;
    return manager_ns;
}

/* What the program would have taken without hooks that took `added_ns`.  How long it waits or is
 * preempted depends on what else there is, so what it was on the CPU is told as well. */
static char *format_plain(const FcReportContext *context, guint64 added_ns)
{
    const guint64 run_ns = context->model->profile->run_ns;
    gboolean notable;
    const guint64 waits_ns = MIN(fc_report_waits_ns(context, &notable), run_ns);
    /* what the hooks took is work: the run would not have waited less */
    const guint64 work_ns = run_ns - waits_ns - MIN(added_ns, run_ns - waits_ns);
    g_autofree char *plain = g_strchomp(fc_format_time(waits_ns + work_ns));
    const gint mode = context->model->profile->time_mode;
    if (mode == FC_TIME_CPU || mode == FC_TIME_SYS) /* nothing else was measured */
        return g_strdup_printf("%s %s", plain,
                               mode == FC_TIME_CPU ? "on the CPU" : "in the kernel");
    if (!notable)
        return g_steal_pointer(&plain);
    g_autofree char *on_cpu = g_strchomp(fc_format_time(work_ns));
    return g_strdup_printf("%s, %s of it on the CPU", plain, on_cpu);
}

/* By how much what hooks took, `cost_ns`, may be wrong. */
static double error_of_costs(const FcReportContext *context, guint64 cost_ns)
{
    const FcModel *model = context->model;
    const FcProfile *profile = model->profile;
    const gboolean has_waits = fc_options_time(context->options) != FC_TIME_PART_CPU;
    double counted = 0;
    double errors = 0;
    double own_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        counted += (double)(figures->counted - MIN(figures->timed, figures->counted));
        errors += (double)figures->local_error_ns;
        own_ns += (double)(figures->local_ns -
                           (has_waits ? MIN(figures->local_wait_ns, figures->local_ns) : 0));
    }
    if (profile->looks == 0)
        errors = fc_costs_error_ns(profile->costs_ps, (double)cost_ns, counted);
    return hypot(errors, FC_COSTS_OF_CODE * own_ns);
}

static gboolean has_note(const GArray *notes, const char *kind)
{
    for (guint i = 0; i < notes->len; i++)
        if (g_str_equal(g_array_index(notes, FcProfileNote, i).kind, kind))
            return TRUE;
    return FALSE;
}

/* Whether the threads are known in which all the calls of all files were made. */
static gboolean lists_threads(const FcModel *model)
{
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        if (input->threads == 0 && input->calls > 0)
            return FALSE;
    }
    return model->profile->threads->len > 0 && !model->of_threads &&
           !has_note(model->profile->repairs, "threads-not-listed");
}

/* The same of several threads: on the CPU, in all, or as long as they have a clock that shows just
 * that.  NULL: it is not known of all. */
static char *format_plain_threads(const FcModel *model, guint64 cost_ns)
{
    const FcProfile *profile = model->profile;
    const gboolean is_own = profile->time_mode == FC_TIME_CPU || profile->time_mode == FC_TIME_SYS;
    guint64 work_ns = 0;
    if (!lists_threads(model))
        return NULL;
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        const guint64 off_ns = thread->wait_ns + thread->manager_ns;
        if (thread->waits == FC_WAITS_UNKNOWN && !is_own)
            return NULL;
        work_ns += thread->run_ns - MIN(off_ns, thread->run_ns);
    }
    g_autofree char *time = g_strchomp(fc_format_time(work_ns - MIN(cost_ns, work_ns)));
    return g_strdup_printf("%s %s", time,
                           profile->time_mode == FC_TIME_SYS ? "in the kernel" : "on the CPU");
}

/* Whether FC_FILTER has patterns by which functions are skipped: of their calls nothing is known,
 * so what these cost isn't either. */
static gboolean is_skipping(const char *filter)
{
    g_auto(GStrv) words = g_strsplit(filter ? filter : "", ";", -1);
    for (char **word = words; *word; word++)
        if (*g_strstrip(*word) && !g_str_has_prefix(*word, "count:") &&
            !g_str_has_prefix(*word, "time:"))
            return TRUE;
    return FALSE;
}

static gboolean has_skipped(const FcModel *model)
{
    for (guint i = 0; i < model->inputs->len; i++)
        if (is_skipping(((const FcInput *)model->inputs->pdata[i])->header->filter))
            return TRUE;
    return FALSE;
}

/* What the hooks took and what the program would have taken without. */
static void note_costs(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const FcProfile *profile = model->profile;
    guint64 cost_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
        cost_ns += fc_model_function(model, i)->figures.local_cost_ns;
    if (cost_ns == 0)
        return;
    const double error = MIN(error_of_costs(context, cost_ns), 0x1p62);
    g_autofree char *cost = g_strchomp(fc_format_time(cost_ns));
    g_autofree char *off = g_strchomp(fc_format_time((guint64)error));
    const gboolean is_one =
        model->inputs->len == 1 && profile->threads->len <= 1 && !model->of_threads;
    g_autofree char *rest = is_one ? format_plain(context, cost_ns + sum_manager_ns(profile))
                                   : format_plain_threads(model, cost_ns);
    if (has_skipped(model))
        fc_render_note(context->render,
                       "Times are without what the hooks took, %s in all, give or take %s, but for "
                       "those of skipped calls. --raw shows them as measured.",
                       cost, off);
    else if (rest)
        fc_render_note(context->render,
                       "Times are without what the hooks took, %s in all%s, give or take %s: a "
                       "plain run would have taken about %s. --raw shows them as measured.",
                       cost, is_one ? "" : " threads", off, rest);
    else
        fc_render_note(context->render,
                       "Times are without what the hooks took, %s in %s threads, give or take "
                       "%s. --raw shows them as measured.",
                       cost, model->of_threads ? "these" : "all", off);
}

/* What is in the times and what is not. */
static void note_waits(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    const FcTimePart part = fc_options_time(context->options);
    gboolean notable;
    const guint64 manager_ns = sum_manager_ns(profile);
    g_autofree char *waits = g_strchomp(fc_format_time(fc_report_waits_ns(context, &notable)));
    const char *coarse =
        fc_profile_waits(profile) == FC_WAITS_COARSE ? ", which is known coarsely" : "";
    if (part == FC_TIME_PART_WAIT)
        fc_render_note(context->render,
                       "Times are those that threads waited or were preempted, %s in all%s.", waits,
                       coarse);
    else if (notable && part == FC_TIME_PART_CPU)
        fc_render_note(context->render,
                       "Times are on the CPU. Threads waited or were preempted for %s in these "
                       "functions%s: --time=wait shows where, --time=wall both together.",
                       waits, coarse);
    else if (notable)
        fc_render_note(context->render,
                       "Times hold %s in which threads waited or were preempted%s: --time=cpu is "
                       "without.",
                       waits, coarse);
    if (manager_ns < MANAGER_NOTABLE_NS)
        return;
    g_autofree char *manager = g_strchomp(fc_format_time(manager_ns));
    fc_render_note(context->render,
                   "Threads waited for the profile manager, or handed records to it, for %s in "
                   "all, which is in none of these times.",
                   manager);
}

/* What was left out when the profile was made, which nothing else tells. */
static void note_filters(const FcReportContext *context)
{
    const GPtrArray *inputs = context->model->inputs;
    g_autoptr(GHashTable) told = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < inputs->len; i++)
    {
        const char *filter = ((const FcInput *)inputs->pdata[i])->header->filter;
        if (!filter || !g_hash_table_add(told, (gpointer)filter))
            continue;
        g_autofree char *text = fc_format_text(filter);
        fc_render_note(context->render, "Recorded with FC_FILTER=%s%s.", text,
                       is_skipping(filter) ? ": what that skips has no calls, and its time, with "
                                             "what its hooks took, is that of its callers"
                                           : "");
    }
}

static void note_depths(const FcReportContext *context)
{
    const GPtrArray *inputs = context->model->inputs;
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < inputs->len; i++)
    {
        const guint depth = ((const FcInput *)inputs->pdata[i])->header->depth;
        if (depth == 0 || !g_hash_table_add(told, GUINT_TO_POINTER(depth)))
            continue;
        fc_render_note(
            context->render,
            "Recorded with FC_DEPTH=%u: deeper calls are only counted, and their time is "
            "that of the calls they were made in.",
            depth);
    }
}

void fc_report_header_notes(const FcReportContext *context)
{
    note_filters(context);
    note_depths(context);
    note_estimates(context);
    note_costs(context);
}

void fc_report_header(const FcReportContext *context)
{
    const GPtrArray *operands = context->model->operands;
    g_autoptr(GString) files = g_string_new(NULL);
    for (guint i = 0; i < operands->len && i < FILES_MAX; i++)
    {
        g_autofree char *path = fc_format_text(operands->pdata[i]);
        g_string_append_printf(files, "%s%s", i > 0 ? ", " : "", path);
    }
    if (operands->len > FILES_MAX)
        g_string_append_printf(files, " and %u more", operands->len - FILES_MAX);
    fc_render_title(context->render, "FunctionCheck " FC_VERSION " profile: %s", files->str);
    fc_report_header_notes(context);
    note_waits(context);
}
