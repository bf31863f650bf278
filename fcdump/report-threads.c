/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads, where there are several, and what was still active when the program was
 * stopped from outside.
 */
#include "fcdump/report.h"

#define FUNCTIONS_MAX 5 /* of a thread, unless --details, --top or --all */
#define THREADS_MAX 8   /* whose functions are shown, unless --details, --top or --all */

static const FcColumn columns[] = {
    {NULL, "thread", FALSE},
    {NULL, "start", FALSE, .unit = "elapsed ns"},
    {NULL, "end", FALSE, .unit = "elapsed ns"},
    {NULL, "run", FALSE, .unit = "elapsed ns"},
    {NULL, "calls", FALSE},
    {NULL, "ended", TRUE},
    {NULL, "name", TRUE},
};
static const FcColumn function_columns[] = {
    {NULL, "thread", FALSE, .reader = FC_READER_PROGRAM},
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {"local", "time", FALSE, .unit = "ns"},
    {"local", "%", FALSE},
    {NULL, "calls", FALSE},
    {NULL, "function", TRUE},
};

static const FcProfileThread *thread_at(const FcReportContext *context, guint index)
{
    return &g_array_index(context->model->profile->threads, FcProfileThread, index);
}

static char *thread_title(const FcProfileThread *thread)
{
    g_autofree char *name = thread->name ? fc_format_text(thread->name) : NULL;
    return name ? g_strdup_printf("%" G_GINT64_FORMAT " (%s)", thread->tid, name)
                : g_strdup_printf("%" G_GINT64_FORMAT, thread->tid);
}

/* In modes cpu and sys each thread has a clock of its own: what it shows says nothing of
 * the process's. */
static gboolean has_common_clock(const FcModel *model)
{
    return ((const FcInput *)model->inputs->pdata[0])->header->time_mode <= 2;
}

static void print_list(const FcReportContext *context)
{
    gboolean common = has_common_clock(context->model);
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    FcReportCut cut = {0};
    for (guint i = 0; i < context->model->profile->threads->len; i++)
    {
        const FcProfileThread *thread = thread_at(context, i);
        if (!fc_report_keep(context, &cut, fc_report_thread_local_ns(thread),
                            context->model->local_ns))
            continue;
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, g_strdup_printf("%" G_GINT64_FORMAT, thread->tid));
        fc_table_cell(table, common ? fc_format_time(thread->start_ns) : g_strdup("-"));
        fc_table_cell(table, common ? fc_format_time(thread->end_ns) : g_strdup("-"));
        fc_table_cell(table, fc_format_time(thread->run_ns));
        fc_table_cell(table, fc_format_count(thread->calls));
        fc_table_cell(table, g_strdup(thread->ended ? "itself" : "with process"));
        fc_table_cell(table, g_strdup(thread->name));
    }
    fc_render_title(context->render, "Threads");
    fc_render_note(context->render, "%srun: from the thread's first to its last event.",
                   common ? "start, end: since the start of the process; " : "");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "thread");
}

/* ---- A thread's functions ------------------------------------------------------- */

typedef struct
{
    guint function; /* FcFunction */
    guint64 calls;
    guint64 total_ns;
    guint64 local_ns;
} Share;

static int compare_shares(gconstpointer a, gconstpointer b, gpointer context)
{
    const Share *x = a;
    const Share *y = b;
    if (x->local_ns != y->local_ns)
        return x->local_ns < y->local_ns ? 1 : -1;
    if (x->calls != y->calls)
        return x->calls < y->calls ? 1 : -1;
    return fc_report_compare(context, x->function, y->function);
}

/* The thread's shown functions, those with most local time first.  *base_ns: the local time of all
 * its functions. */
static GArray *shares_of(const FcReportContext *context, const FcProfileThread *thread,
                         guint64 *base_ns)
{
    const FcModel *model = context->model;
    GArray *shares = g_array_new(FALSE, FALSE, sizeof(Share));
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    *base_ns = 0;
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *from =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        guint function = model->function_of[from->function];
        *base_ns += from->times.local_ns;
        if (!fc_model_function(model, function)->shown)
            continue;
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, GUINT_TO_POINTER(function)));
        if (at == 0)
        {
            Share fresh = {.function = function};
            g_array_append_val(shares, fresh);
            at = shares->len;
            g_hash_table_insert(known, GUINT_TO_POINTER(function), GUINT_TO_POINTER(at));
        }
        Share *share = &g_array_index(shares, Share, at - 1);
        share->calls += from->calls;
        share->total_ns += from->times.total_ns;
        share->local_ns += from->times.local_ns;
    }
    /* copies may call each other: their sum is at most the time in all threads */
    for (guint i = 0; i < shares->len; i++)
    {
        Share *share = &g_array_index(shares, Share, i);
        share->total_ns =
            MIN(share->total_ns, fc_model_function(model, share->function)->figures.times.total_ns);
    }
    g_array_sort_with_data(shares, compare_shares, (gpointer)context);
    return shares;
}

static FcTable *new_function_table(void)
{
    return fc_table_new(function_columns, G_N_ELEMENTS(function_columns));
}

/* Adds the thread's functions to the table. */
static FcReportCut add_functions(const FcReportContext *context, FcTable *table,
                                 const FcProfileThread *thread)
{
    guint64 base_ns;
    FcOptions options = *context->options;
    FcReportContext own = *context;
    own.options = &options;
    if (options.top == 0 && !options.details)
        options.top = FUNCTIONS_MAX;
    g_autoptr(GArray) shares = shares_of(context, thread, &base_ns);
    FcReportCut cut = {0};
    for (guint i = 0; i < shares->len; i++)
    {
        const Share *share = &g_array_index(shares, Share, i);
        if (!fc_report_keep(&own, &cut, share->total_ns, base_ns))
            continue;
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, g_strdup_printf("%" G_GINT64_FORMAT, thread->tid));
        const FcFunction *function = fc_model_function(context->model, share->function);
        fc_table_cell(table, fc_report_mark(fc_format_time(share->total_ns),
                                            fc_report_is_estimated(&function->figures)));
        fc_table_cell(table, fc_format_share(MIN(share->total_ns, base_ns), base_ns));
        fc_table_cell(table, fc_report_mark(fc_format_time(share->local_ns),
                                            fc_report_is_local_estimated(&function->figures)));
        fc_table_cell(table, fc_format_share(share->local_ns, base_ns));
        fc_table_cell(table, fc_format_count(share->calls));
        fc_table_cell(table, g_strdup(function->label));
    }
    return cut;
}

static void print_functions(const FcReportContext *context, const FcProfileThread *thread,
                            gboolean is_first)
{
    g_autoptr(FcTable) table = new_function_table();
    const FcReportCut cut = add_functions(context, table, thread);
    if (cut.kept == 0)
        return;
    g_autofree char *title = thread_title(thread);
    fc_render_title(context->render, "Thread %s, by local time", title);
    fc_table_print(table, context->render);
    if (is_first)
        fc_report_note_marks(context);
    fc_report_note_cut(context, &cut, "function");
}

/* ---- Open frames ------------------------------------------------------------------ */

static gboolean was_stopped(const FcModel *model)
{
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcProfile *header = ((const FcInput *)model->inputs->pdata[i])->header;
        if (header->end == FC_END_SIGNAL || header->end == FC_END_UNKNOWN ||
            header->end == FC_END_RUNNING)
            return TRUE;
    }
    return FALSE;
}

static void print_stack(const FcReportContext *context, const FcProfileThread *thread)
{
    const FcModel *model = context->model;
    g_autofree char *title = thread_title(thread);
    fc_render_line(context->render, "Thread %s:", title);
    for (guint i = thread->stack->len; i-- > 0;)
    {
        const FcProfileFrame *frame = &g_array_index(thread->stack, FcProfileFrame, i);
        g_autofree char *source = fc_report_source(context, &frame->site, TRUE);
        g_autofree char *name =
            fc_format_text(fc_model_function(model, model->function_of[frame->function])->label);
        /* An inlined function has the call site of what it was inlined into. */
        const FcProfileFrame *outer =
            i > 0 ? &g_array_index(thread->stack, FcProfileFrame, i - 1) : NULL;
        gboolean inlined = outer && outer->function != frame->function &&
                           outer->site.address == frame->site.address;
        g_autofree char *where = inlined  ? g_strdup(", inlined")
                                 : source ? g_strdup_printf(", called at %s", source)
                                          : g_strdup("");
        fc_render_line(context->render, "  %2u  %s%s", thread->stack->len - 1 - i, name, where);
    }
}

static void print_stacks(const FcReportContext *context)
{
    gboolean any = FALSE;
    for (guint i = 0; i < context->model->profile->threads->len; i++)
    {
        const FcProfileThread *thread = thread_at(context, i);
        if (thread->stack->len == 0)
            continue;
        if (!any)
            fc_render_title(context->render, "Active at the end, innermost first");
        any = TRUE;
        print_stack(context, thread);
    }
}

/* One table: of the threads, with --details of the functions of all. */
static void print_csv(const FcReportContext *context)
{
    if (!context->options->details)
    {
        print_list(context);
        return;
    }
    g_autoptr(FcTable) table = new_function_table();
    for (guint i = 0; i < context->model->profile->threads->len; i++)
        add_functions(context, table, thread_at(context, i));
    fc_table_print(table, context->render);
}

static void render_threads(const FcReportContext *context)
{
    guint count = context->model->profile->threads->len;
    if (fc_format_is_csv())
    {
        print_csv(context);
        return;
    }
    if (count > 1)
    {
        print_list(context);
        const guint top = context->options->top;
        const guint most = top > 0 ? top : context->options->details ? count : THREADS_MAX;
        const guint shown = MIN(count, most);
        for (guint i = 0; i < shown; i++)
            print_functions(context, thread_at(context, i), i == 0);
        if (shown < count)
            fc_render_note(context->render, "The functions of %u more threads with --all.",
                           count - shown);
    }
    if (was_stopped(context->model) || context->options->details)
        print_stacks(context);
}

const FcReport fc_report_threads = {"threads", "each thread, where there are several",
                                    FC_REPORT_CLASSIC, render_threads};
