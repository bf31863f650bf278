/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --path=A,B: the contexts that go through A and then B.
 */
#include "fcdump/report-path.h"
#include "model/select.h"

#include <string.h>

/* A chain of calls from a function of the first pattern to one of the last. */
typedef struct
{
    char *chain; /* owned */
    guint64 calls;
    guint64 total_ns;
    guint64 local_ns;
    guint function;       /* the last one */
    gboolean apportioned; /* some of the calls */
} Way;

static const FcColumn columns[] = {
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {"local", "time", FALSE, .unit = "ns"},
    {NULL, "calls", FALSE},
    {NULL, "context", TRUE},
};

static void clear_way(gpointer data)
{
    g_free(((Way *)data)->chain);
}

static int compare_ways(gconstpointer a, gconstpointer b)
{
    const Way *x = a;
    const Way *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    if (x->calls != y->calls)
        return x->calls < y->calls ? 1 : -1;
    return strcmp(x->chain, y->chain);
}

static const FcProfileContext *context_at(const FcModel *model, guint index)
{
    return &g_array_index(model->profile->contexts, FcProfileContext, index);
}

/* The local time of each context with all contexts below it. */
static guint64 *sum_below(const FcModel *model)
{
    guint64 *sums = g_new0(guint64, model->profile->contexts->len + 1);
    for (guint i = model->profile->contexts->len; i-- > 0;)
    {
        const FcProfileContext *context = context_at(model, i);
        sums[i] += context->times.local_ns;
        if (context->parent != FC_NONE)
            sums[context->parent] += sums[i];
    }
    return sums;
}

/* "A > ... > B": the functions from `first` to `last`. */
static char *format_chain(const FcModel *model, gint first, gint last)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GString) text = g_string_new(NULL);
    for (gint c = last;; c = context_at(model, (guint)c)->parent)
    {
        const guint function = model->function_of[context_at(model, (guint)c)->function];
        g_ptr_array_add(names, (gpointer)fc_model_function(model, function)->label);
        if (c == first)
            break;
    }
    for (guint i = names->len; i-- > 0;)
        g_string_append_printf(text, "%s%s", (const char *)names->pdata[i], i > 0 ? " > " : "");
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* What the search knows of a context. */
typedef struct
{
    guint fitted; /* number of patterns matched from the root to here, in their order */
    gint first;   /* context that matched the first one */
} State;

/* The ways to the contexts where all patterns have first matched.  `sets`: each pattern's
 * functions. */
static GArray *find_ways(const FcModel *model, const GPtrArray *sets)
{
    const GArray *contexts = model->profile->contexts;
    g_autofree State *states = g_new0(State, contexts->len + 1);
    g_autofree guint64 *below = sum_below(model);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GArray *ways = g_array_new(FALSE, TRUE, sizeof(Way));
    g_array_set_clear_func(ways, clear_way);
    for (guint i = 0; i < contexts->len; i++)
    {
        const FcProfileContext *context = context_at(model, i);
        State *state = &states[i];
        *state = context->parent == FC_NONE ? (State){.first = FC_NONE} : states[context->parent];
        if (state->fitted == sets->len ||
            !((const gboolean *)sets->pdata[state->fitted])[model->function_of[context->function]])
            continue;
        if (state->fitted++ == 0)
            state->first = (gint)i;
        if (state->fitted < sets->len)
            continue;
        char *chain = format_chain(model, state->first, (gint)i);
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, chain));
        if (at == 0)
        {
            const Way fresh = {.chain = g_strdup(chain),
                               .function = model->function_of[context->function]};
            g_array_append_val(ways, fresh);
            at = ways->len;
        }
        g_hash_table_replace(known, chain, GUINT_TO_POINTER(at));
        Way *way = &g_array_index(ways, Way, at - 1);
        way->calls += context->calls;
        way->total_ns += below[i];
        way->local_ns += context->times.local_ns;
        way->apportioned |= context->apportioned;
    }
    g_array_sort(ways, compare_ways);
    return ways;
}

static void print_ways(const FcReportContext *context, const GArray *ways)
{
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    const guint64 base_ns = context->model->base_ns;
    FcReportCut cut = {0};
    Way sum = {0};
    gboolean estimated = FALSE;
    for (guint i = 0; i < ways->len; i++)
    {
        const Way *way = &g_array_index(ways, Way, i);
        const FcProfileFunction *figures =
            &fc_model_function(context->model, way->function)->figures;
        sum.calls += way->calls;
        sum.total_ns += way->total_ns;
        sum.apportioned |= way->apportioned;
        estimated |= fc_report_is_estimated(figures);
        if (!fc_report_keep(context, &cut, way->total_ns, base_ns))
            continue;
        fc_table_row(table, fc_render_heat(way->local_ns, base_ns));
        fc_table_cell(
            table, fc_report_mark(fc_format_time(way->total_ns), fc_report_is_estimated(figures)));
        fc_table_cell(table, fc_report_share(context->model, way->total_ns));
        fc_table_cell(table, fc_report_mark(fc_format_time(way->local_ns),
                                            fc_report_is_local_estimated(figures)));
        fc_table_cell(table, fc_report_mark(fc_format_count(way->calls), way->apportioned));
        fc_table_cell(table, g_strdup(way->chain));
    }
    g_autofree char *time = g_strchomp(fc_report_mark(fc_format_time(sum.total_ns), estimated));
    g_autofree char *share = fc_report_share(context->model, sum.total_ns);
    g_autofree char *calls = fc_report_mark(fc_format_count(sum.calls), sum.apportioned);
    fc_render_note(context->render, "%s in all, %s%%, in %s call%s.", time, share, calls,
                   sum.calls == 1 ? "" : "s");
    fc_report_note_marks(context);
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "context");
}

/* For each pattern, the set of functions that match it.  The caller owns the result. */
static GPtrArray *make_sets(const FcReportContext *context)
{
    const GPtrArray *patterns = context->options->path;
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < patterns->len; i++)
    {
        gboolean *set = g_new0(gboolean, context->model->functions->len + 1);
        g_ptr_array_add(sets, set);
        fc_select_mark(context->model, patterns->pdata[i], set);
    }
    return sets;
}

/* Keeps the stacks of `made` that --path selects.  Takes `made` over; the caller owns the result.
 */
static FcStacks *choose_stacks(const FcReportContext *context, FcStacks *made)
{
    g_autoptr(FcStacks) all = made;
    if (context->options->path->len == 0)
        return g_steal_pointer(&all);
    g_autoptr(GPtrArray) sets = make_sets(context);
    g_autofree guint *fitted = g_new0(guint, all->nodes->len);
    g_autofree gboolean *kept = g_new0(gboolean, all->nodes->len);
    for (guint i = 1; i < all->nodes->len; i++)
    {
        const FcStackNode *node = fc_stacks_node(all, i);
        fitted[i] = fitted[node->parent];
        if (fitted[i] < sets->len && node->function >= 0 &&
            ((const gboolean *)sets->pdata[fitted[i]])[node->function])
            fitted[i]++;
        kept[i] = fitted[i] == sets->len;
    }
    return fc_stacks_keep(all, kept);
}

FcStacks *fc_report_stacks(const FcReportContext *context)
{
    return choose_stacks(context, fc_stacks_new(context->model));
}

FcStacks *fc_report_stacks_by_line(const FcReportContext *context)
{
    return choose_stacks(context, fc_stacks_new_by_line(context->model));
}

static void render_path(const FcReportContext *context)
{
    if (fc_report_lacks_contexts(context, "Contexts by way of functions"))
        return;
    const FcModel *model = context->model;
    const GPtrArray *patterns = context->options->path;
    g_autoptr(GPtrArray) sets = make_sets(context);
    g_autoptr(GString) title = g_string_new(NULL);
    for (guint i = 0; i < patterns->len; i++)
        g_string_append_printf(title, "%s%s", i > 0 ? " > " : "", (const char *)patterns->pdata[i]);
    g_autoptr(GArray) ways = find_ways(model, sets);
    fc_render_title(context->render, "Contexts by way of %s", title->str);
    if (ways->len > 0 || fc_format_is_csv())
        print_ways(context, ways);
    else
        fc_render_line(context->render, model->profile->extended
                                            ? "No context to show."
                                            : "A version 3.0 profile has no calling contexts.");
}

const FcReport fc_report_path = {"path", NULL, FC_REPORT_OPTION, render_path};
