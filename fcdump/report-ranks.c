/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --ranks: each function by the ranks of a job, and with --tree each context: how much the ranks
 * differ, and what would be gained if all had the same.
 */
#include "fcdump/job.h"
#include "fcdump/report.h"
#include "model/spread.h"

#include <math.h>

static const FcColumn columns[] = {
    {NULL, "gain", FALSE, .unit = "CPU ns"},
    {NULL, "mean", FALSE, .unit = "CPU ns"},
    {NULL, "min", FALSE, 5, .unit = "CPU ns"},
    {NULL, "max", FALSE, .unit = "CPU ns"},
    {NULL, "of rank", FALSE},
    {NULL, "deviation", FALSE, 3, .unit = "CPU ns"},
    {NULL, "ranks", FALSE, 4},
    {"calls", "mean", FALSE},
    {"calls", "min", FALSE, 2},
    {"calls", "max", FALSE, 2},
    {"calls", "of rank", FALSE, 2},
    {NULL, "function", TRUE},
};
#define NAME_WIDTH_OF_LEVEL 2

static const FcColumn one_columns[] = {
    {NULL, "time", FALSE, .unit = "CPU ns"},
    {NULL, "mean", FALSE, .unit = "CPU ns"},
    {NULL, "more", FALSE, .unit = "CPU ns"},
    {NULL, "deviations", FALSE},
    {"calls", "time's", FALSE},
    {"calls", "mean", FALSE},
    {NULL, "function", TRUE},
};

/* ---- Figures -------------------------------------------------------------------------------- */

static double mean_of(const FcReportContext *context, const FcProfileSpread *spread)
{
    return fc_spread_mean(spread, context->model->profile->ranks);
}

static double deviation_of(const FcReportContext *context, const FcProfileSpread *spread)
{
    return fc_spread_deviation(spread, context->model->profile->ranks);
}

static guint64 gain_of(const FcReportContext *context, const FcProfileSpread *spread)
{
    return fc_spread_gain(spread, context->model->profile->ranks);
}

static gboolean is_everywhere(const FcReportContext *context, const FcProfileRanks *record)
{
    return record->ranks == context->model->profile->ranks;
}

static const FcFunction *function_of(const FcModel *model, guint profile_function)
{
    return fc_model_function(model, model->function_of[profile_function]);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static char *format_number(gint64 number)
{
    return g_strdup_printf("%" G_GINT64_FORMAT, number);
}

static char *format_mean(double number)
{
    return number < 100 ? g_strdup_printf("%.1f", number) : fc_format_count((guint64)number);
}

/* `name` is taken over. */
static void add_row(const FcReportContext *context, FcTable *table, const FcProfileRanks *record,
                    const FcProfileSpread *time, char *name)
{
    const gboolean everywhere = is_everywhere(context, record);
    const FcProfileSpread *calls = &record->calls;
    fc_table_row(table, fc_render_heat(gain_of(context, time), MAX(time->most, 1)));
    fc_table_cell(table, fc_format_time(gain_of(context, time)));
    fc_table_cell(table, fc_format_time((guint64)mean_of(context, time)));
    fc_table_cell(table, everywhere ? fc_format_time(time->least) : g_strdup("-"));
    fc_table_cell(table, fc_format_time(time->most));
    fc_table_cell(table, format_number(time->most_rank));
    fc_table_cell(table, fc_format_time((guint64)deviation_of(context, time)));
    fc_table_cell(table, fc_format_count(record->ranks));
    fc_table_cell(table, format_mean(mean_of(context, calls)));
    fc_table_cell(table, everywhere ? fc_format_count(calls->least) : g_strdup("-"));
    fc_table_cell(table, fc_format_count(calls->most));
    fc_table_cell(table, format_number(calls->most_rank));
    fc_table_cell(table, name);
}

/* Adds the row of the rank that was asked for, with the mean of all. */
static void add_chosen_row(const FcReportContext *context, FcTable *table,
                           const FcProfileRanks *record, const FcProfileSpread *time, char *name)
{
    const double mean = mean_of(context, time);
    const double deviation = deviation_of(context, time);
    const double more = (double)time->chosen - mean;
    g_autofree char *size = g_strchug(fc_format_time((guint64)fabs(more)));
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, fc_format_time(time->chosen));
    fc_table_cell(table, fc_format_time((guint64)mean));
    fc_table_cell(table, g_strconcat(more < 0 ? "-" : "+", size, NULL));
    fc_table_cell(table,
                  deviation > 0 ? g_strdup_printf("%+.1f", more / deviation) : g_strdup("-"));
    fc_table_cell(table, fc_format_count(record->calls.chosen));
    fc_table_cell(table, format_mean(mean_of(context, &record->calls)));
    fc_table_cell(table, name);
}

typedef void (*AddRow)(const FcReportContext *context, FcTable *table, const FcProfileRanks *record,
                       const FcProfileSpread *time, char *name);

static AddRow row_of(const FcReportContext *context)
{
    return context->options->rank != FC_NONE ? add_chosen_row : add_row;
}

static FcTable *new_table(const FcReportContext *context)
{
    return context->options->rank != FC_NONE ? fc_table_new(one_columns, G_N_ELEMENTS(one_columns))
                                             : fc_table_new(columns, G_N_ELEMENTS(columns));
}

/* What the rows are ordered by. */
static double weight_of(const FcReportContext *context, const FcProfileSpread *time)
{
    return context->options->rank != FC_NONE ? fabs((double)time->chosen - mean_of(context, time))
                                             : (double)gain_of(context, time);
}

/* ---- Functions ------------------------------------------------------------------------------ */

static int compare_records(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcReportContext *context = data;
    const FcProfileRanks *x = *(const FcProfileRanks *const *)a;
    const FcProfileRanks *y = *(const FcProfileRanks *const *)b;
    const double of_x = weight_of(context, &x->local);
    const double of_y = weight_of(context, &y->local);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x->of < y->of ? -1 : x->of > y->of;
}

static void print_functions(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const GArray *records = model->profile->rank_functions;
    g_autoptr(GPtrArray) shown = g_ptr_array_new();
    g_autoptr(FcTable) table = new_table(context);
    FcReportCut cut = {0};
    for (guint i = 0; i < records->len; i++)
    {
        const FcProfileRanks *record = &g_array_index(records, FcProfileRanks, i);
        if (function_of(model, record->of)->shown)
            g_ptr_array_add(shown, (gpointer)record);
    }
    g_ptr_array_sort_with_data(shown, compare_records, (gpointer)context);
    for (guint i = 0; i < shown->len; i++)
    {
        const FcProfileRanks *record = shown->pdata[i];
        if (fc_report_keep(context, &cut, record->local.sum, model->base_ns))
            row_of(context)(context, table, record, &record->local,
                            fc_report_function(context, function_of(model, record->of)));
    }
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_report_no_function(context);
    fc_report_note_cut(context, &cut, "function");
}

/* ---- Contexts ------------------------------------------------------------------------------- */

typedef struct
{
    const FcReportContext *context;
    FcTable *table;
    const FcProfileRanks **records; /* by context; NULL: no rank has it */
    GArray **children;              /* guint, by context; the last one is the root's */
    FcReportCut cut;
} Tree;

static int compare_children(gconstpointer a, gconstpointer b, gpointer data)
{
    const Tree *tree = data;
    const guint x = *(const guint *)a;
    const guint y = *(const guint *)b;
    const guint64 of_x = tree->records[x] ? tree->records[x]->total.most : 0;
    const guint64 of_y = tree->records[y] ? tree->records[y]->total.most : 0;
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x < y ? -1 : x > y;
}

static void add_level(Tree *tree, const GArray *nodes)
{
    const FcModel *model = tree->context->model;
    const guint limit = tree->context->options->depth;
    /* of each node the level; the deepest tree needs no more stack than that */
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(guint) * 2);
    for (guint i = nodes ? nodes->len : 0; i > 0; i--)
    {
        const guint entry[2] = {g_array_index(nodes, guint, i - 1), 0};
        g_array_append_vals(stack, entry, 1);
    }
    while (stack->len > 0)
    {
        const guint *top = (const guint *)(gpointer)stack->data + 2 * (stack->len - 1);
        const guint node = top[0];
        const guint level = top[1];
        const FcProfileRanks *record = tree->records[node];
        g_array_set_size(stack, stack->len - 1);
        const FcProfileContext *from =
            &g_array_index(model->profile->contexts, FcProfileContext, node);
        if (!record ||
            !fc_report_keep(tree->context, &tree->cut, record->total.sum, model->base_ns))
            continue;
        g_autofree char *name =
            fc_report_function(tree->context, function_of(model, from->function));
        row_of(tree->context)(
            tree->context, tree->table, record, &record->total,
            g_strdup_printf("%*s%s", (int)(NAME_WIDTH_OF_LEVEL * level), "", name));
        const GArray *below = limit == 0 || level + 1 < limit ? tree->children[node] : NULL;
        for (guint i = below ? below->len : 0; i > 0; i--)
        {
            const guint entry[2] = {g_array_index(below, guint, i - 1), level + 1};
            g_array_append_vals(stack, entry, 1);
        }
    }
}

static void print_tree(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    const guint count = profile->contexts->len;
    g_autoptr(FcTable) table = new_table(context);
    Tree tree = {context,
                 table,
                 g_new0(const FcProfileRanks *, count + 1),
                 g_new0(GArray *, count + 1),
                 {0}};
    for (guint i = 0; i < profile->rank_contexts->len; i++)
    {
        const FcProfileRanks *record = &g_array_index(profile->rank_contexts, FcProfileRanks, i);
        tree.records[record->of] = record;
    }
    for (guint i = 0; i < count; i++)
    {
        const gint parent = g_array_index(profile->contexts, FcProfileContext, i).parent;
        GArray **children = &tree.children[parent == FC_NONE ? count : (guint)parent];
        if (!*children)
            *children = g_array_new(FALSE, FALSE, sizeof(guint));
        g_array_append_val(*children, i);
    }
    for (guint i = 0; i <= count; i++)
        if (tree.children[i])
            g_array_sort_with_data(tree.children[i], compare_children, &tree);
    add_level(&tree, tree.children[count]);
    if (fc_report_prints(&tree.cut))
        fc_table_print(table, context->render);
    else
        fc_render_line(context->render, "None to show.");
    fc_report_note_cut(context, &tree.cut, "context");
    for (guint i = 0; i <= count; i++)
        if (tree.children[i])
            g_array_unref(tree.children[i]);
    g_free(tree.children);
    g_free((gpointer)tree.records);
}

/* ---- The report ------------------------------------------------------------------------------ */

/* Whether any rank has that number. */
static gboolean has_rank(const FcModel *model, gint64 rank)
{
    const GArray *records = model->profile->rank_functions;
    for (guint i = 0; i < records->len; i++)
    {
        const FcProfileRanks *record = &g_array_index(records, FcProfileRanks, i);
        if (record->calls.chosen > 0 || record->total.chosen > 0)
            return TRUE;
    }
    return rank == FC_NONE;
}

static void render_ranks(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const gboolean tree = context->options->rank_tree;
    const gint64 rank = context->options->rank;
    g_autofree char *job = fc_job_text(model);
    g_autofree char *chosen =
        rank != FC_NONE ? g_strdup_printf("rank %" G_GINT64_FORMAT, rank) : NULL;
    g_autofree char *count = fc_format_count(model->profile->ranks);
    fc_render_title(context->render, "%s of %s%s%s", tree ? "Contexts" : "Functions",
                    chosen ? chosen : "ranks", job ? ": " : "", job ? job : "");
    if (!has_rank(model, rank))
        fc_render_line(context->render, "No file is of %s.", chosen);
    else if (chosen)
        fc_render_note(context->render,
                       "time: on the CPU, of %s; mean: of all %s; deviations: how many standard "
                       "deviations of the ranks it is off that.",
                       chosen, count);
    else
        fc_render_note(context->render,
                       "Times are on the CPU, %s. gain: what the slowest rank would save if all %s "
                       "had the mean. ranks: so many have it; others count as 0 in mean and "
                       "deviation, and min is then -.",
                       tree ? "with callees" : "without callees", count);
    if (!fc_job_count_ranks(model) && model->profile->ranks == model->inputs->len)
        fc_render_note(context->render, "No launcher numbered them: ranks are processes' ids.");
    (tree ? print_tree : print_functions)(context);
}

const FcReport fc_report_ranks = {
    "ranks", "functions (with --tree: contexts) by rank: min, mean, max, who, what balance gains",
    FC_REPORT_OPTION, render_ranks};
