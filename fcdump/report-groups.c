/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --by: time and calls of files, modules, threads or processes in place of functions.
 */
#include "fcdump/report-groups.h"

#include "fcdump/job.h"
#include "profile/path.h"

typedef struct
{
    char *name; /* owned */
    FcTimeSum local;
    guint64 local_wait_ns;
    FcTimeSum total; /* while one of its functions was active */
    guint64 calls;
} Group;

static const FcColumn columns[] = {
    {"local", "time", FALSE, .unit = "ns"},
    {"local", "%", FALSE},
    {"local", "waiting", FALSE, .unit = "off-CPU ns"},
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {NULL, "calls", FALSE},
    {NULL, "name", TRUE},
};
static const FcColumn own_columns[] = {
    {NULL, "time", FALSE, .unit = "ns"},
    {NULL, "%", FALSE},
    {NULL, "waiting", FALSE, .unit = "off-CPU ns"},
    {NULL, "calls", FALSE},
    {NULL, "name", TRUE},
};
#define WAIT_COLUMN 2 /* in both tables */

static void clear_group(gpointer data)
{
    g_free(((Group *)data)->name);
}

static GArray *new_groups(void)
{
    GArray *groups = g_array_new(FALSE, TRUE, sizeof(Group));
    g_array_set_clear_func(groups, clear_group);
    return groups;
}

static int compare_groups(gconstpointer a, gconstpointer b)
{
    const Group *x = a;
    const Group *y = b;
    if (x->local.ns != y->local.ns)
        return x->local.ns < y->local.ns ? 1 : -1;
    return g_strcmp0(x->name, y->name);
}

/* ---- By what functions lie in ---------------------------------------------------------- */

/* The file or module of a function; the caller owns it. */
static char *name_of(const FcReportContext *context, const FcFunction *function)
{
    const FcModel *model = context->model;
    const FcProfileLocation *place = &function->figures.location;
    if (context->options->by == FC_BY_FILE)
    {
        FcSymbol symbol;
        fc_symbols_find(model->symbols, model->profile, place, FALSE, &symbol);
        if (symbol.file)
            return g_strdup(context->options->base_names ? fc_base_name(symbol.file) : symbol.file);
    }
    else if (place->module != FC_NONE)
    {
        const char *path =
            g_array_index(model->profile->modules, FcProfileModule, place->module).path;
        if (*path != '\0')
            return g_strdup(context->options->base_names ? fc_base_name(path) : path);
    }
    return g_strdup("(unknown)");
}

/* The groups, with local times and calls.  `group_of` gets each function's group, G_MAXUINT if the
 * function is not shown. */
static GArray *group_functions(const FcReportContext *context, guint *group_of)
{
    const FcModel *model = context->model;
    GArray *groups = new_groups();
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        group_of[i] = G_MAXUINT;
        if (!function->shown)
            continue;
        char *name = name_of(context, function);
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, name));
        if (at == 0)
        {
            const Group fresh = {.name = g_strdup(name)};
            g_array_append_val(groups, fresh);
            at = groups->len;
        }
        g_hash_table_replace(known, name, GUINT_TO_POINTER(at));
        Group *group = &g_array_index(groups, Group, at - 1);
        fc_report_add_local(&group->local, &function->figures);
        group->local_wait_ns += function->figures.times.local_wait_ns;
        group->calls += function->figures.calls;
        group_of[i] = at - 1;
    }
    return groups;
}

/* Adds each context's local time once to every group on its path from the root. */
static void add_totals(const FcModel *model, GArray *groups, const guint *group_of)
{
    const GArray *contexts = model->profile->contexts;
    g_autofree guint *seen = g_new0(guint, groups->len + 1); /* last context, from 1 */
    for (guint i = 0; i < contexts->len; i++)
    {
        const FcProfileContext *context = &g_array_index(contexts, FcProfileContext, i);
        const guint64 local_ns = context->times.local_ns;
        const gboolean estimated = fc_report_is_local_estimated(
            &fc_model_function(model, model->function_of[context->function])->figures);
        for (gint c = local_ns > 0 ? (gint)i : FC_NONE; c != FC_NONE;
             c = g_array_index(contexts, FcProfileContext, c).parent)
        {
            const guint group =
                group_of[model->function_of[g_array_index(contexts, FcProfileContext, c).function]];
            if (group == G_MAXUINT || seen[group] == i + 1)
                continue;
            seen[group] = i + 1;
            FcTimeSum *total = &g_array_index(groups, Group, group).total;
            total->ns += local_ns;
            total->estimated |= estimated;
        }
    }
}

/* ---- By who ran them --------------------------------------------------------------------- */

static GArray *group_threads(const FcModel *model)
{
    GArray *groups = new_groups();
    for (guint i = 0; i < model->profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(model->profile->threads, FcProfileThread, i);
        Group group = {.name = g_strdup_printf("%" G_GINT64_FORMAT "  %s", thread->tid,
                                               thread->name ? thread->name : ""),
                       .calls = thread->calls};
        for (guint f = 0; f < thread->functions->len; f++)
        {
            const FcProfileThreadFunction *function =
                &g_array_index(thread->functions, FcProfileThreadFunction, f);
            if (!fc_model_function(model, model->function_of[function->function])->shown)
            {
                group.calls -= MIN(function->calls, group.calls);
                continue;
            }
            group.local.ns += function->times.local_ns;
            group.local.estimated |=
                function->times.local_ns > 0 &&
                fc_report_is_local_estimated(
                    &fc_model_function(model, model->function_of[function->function])->figures);
            group.local_wait_ns += function->times.local_wait_ns;
        }
        g_array_append_val(groups, group);
    }
    return groups;
}

/* Adds the figures of the functions that are shown. */
static void add_shown(const FcModel *model, const FcInput *input, Group *group)
{
    for (guint i = 0; i < input->functions->len; i++)
    {
        const FcInputFunction *function = &g_array_index(input->functions, FcInputFunction, i);
        if (!fc_model_function(model, model->function_of[function->function])->shown)
            continue;
        group->local.ns += function->local_ns;
        group->local.estimated |= function->local_ns > 0 && function->estimated;
        group->local_wait_ns += function->local_wait_ns;
        group->calls += function->calls;
    }
}

static GArray *group_processes(const FcModel *model)
{
    GArray *groups = new_groups();
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        Group group = {.local = {.ns = input->local_ns, .estimated = input->estimated},
                       .local_wait_ns = input->local_wait_ns,
                       .calls = input->calls};
        if (input->functions)
        {
            group = (Group){.calls = 0};
            add_shown(model, input, &group);
            if (group.calls == 0 && group.local.ns == 0)
                continue;
        }
        group.name = fc_job_process(input->header);
        g_array_append_val(groups, group);
    }
    return groups;
}

/* ---- The report --------------------------------------------------------------------------- */

static void print_groups(const FcReportContext *context, const GArray *groups, gboolean totals)
{
    const FcModel *model = context->model;
    g_autoptr(FcTable) table = totals ? fc_table_new(columns, G_N_ELEMENTS(columns))
                                      : fc_table_new(own_columns, G_N_ELEMENTS(own_columns));
    if (!fc_report_shows_waits(context))
        fc_table_hide(table, WAIT_COLUMN);
    FcReportCut cut = {0};
    for (guint i = 0; i < groups->len; i++)
    {
        const Group *group = &g_array_index(groups, Group, i);
        if (!fc_report_keep(context, &cut, MAX(group->total.ns, group->local.ns), model->base_ns))
            continue;
        fc_table_row(table, fc_render_heat(group->local.ns, model->base_ns));
        fc_table_cell(table, fc_report_time(context, &group->local));
        fc_table_cell(table, fc_report_share(model, group->local.ns));
        fc_table_cell(table, fc_format_time(group->local_wait_ns));
        if (totals)
        {
            fc_table_cell(table, fc_report_time(context, &group->total));
            fc_table_cell(table, fc_report_share(model, group->total.ns));
        }
        fc_table_cell(table, fc_format_count(group->calls));
        fc_table_cell(table, g_strdup(group->name));
    }
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_render_line(context->render, "None to show.");
    fc_report_note_cut(context, &cut, "row");
}

void fc_report_groups(const FcReportContext *context)
{
    static const char *const titles[] = {[FC_BY_FILE] = "Files",
                                         [FC_BY_MODULE] = "Modules",
                                         [FC_BY_THREAD] = "Threads by time",
                                         [FC_BY_PROCESS] = "Processes by time"};
    const FcModel *model = context->model;
    const FcBy by = context->options->by;
    const gboolean of_functions = by == FC_BY_FILE || by == FC_BY_MODULE;
    g_autofree guint *group_of = g_new0(guint, model->functions->len + 1);
    g_autoptr(GArray) groups = of_functions         ? group_functions(context, group_of)
                               : by == FC_BY_THREAD ? group_threads(model)
                                                    : group_processes(model);
    const gboolean totals = of_functions && model->profile->contexts->len > 0 && !model->of_threads;
    if (totals)
        add_totals(model, groups, group_of);
    g_array_sort(groups, compare_groups);
    fc_render_title(context->render, "%s", titles[by]);
    fc_report_note_base(context);
    fc_report_note_marks(context);
    print_groups(context, groups, totals);
}
