/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tree of stacks; see stacks.h.
 */
#include "model/stacks.h"

#include "model/context-key.h"

#include <stdlib.h>

static const struct
{
    const char *name;
    const char *unit;
} weights[FC_WEIGHTS] = {
    [FC_WEIGHT_TIME] = {"time", "ns"},
    [FC_WEIGHT_CPU] = {"cpu", "ns"},
    [FC_WEIGHT_CALLS] = {"calls", "calls"},
    [FC_WEIGHT_BYTES] = {"bytes", "bytes"},
    [FC_WEIGHT_BLOCKS] = {"blocks", "blocks"},
    [FC_WEIGHT_LIVE_BYTES] = {"live-bytes", "bytes"},
    [FC_WEIGHT_LIVE_BLOCKS] = {"live-blocks", "blocks"},
    [FC_WEIGHT_PEAK_BYTES] = {"peak-bytes", "bytes"},
};

const char *fc_weight_name(FcWeight weight)
{
    return weights[weight].name;
}

const char *fc_weight_title(const FcModel *model, FcWeight weight)
{
    if (weight != FC_WEIGHT_TIME || model->time == FC_TIME_PART_WALL)
        return fc_weight_name(weight);
    return model->time == FC_TIME_PART_CPU ? fc_weight_name(FC_WEIGHT_CPU) : "wait";
}

const char *fc_weight_unit(FcWeight weight)
{
    return weights[weight].unit;
}

gboolean fc_weight_is_known(const FcModel *model, FcWeight weight)
{
    if (weight == FC_WEIGHT_CPU)
        return model->time == FC_TIME_PART_WALL &&
               fc_profile_waits(model->profile) != FC_WAITS_UNKNOWN;
    return weight <= FC_WEIGHT_CALLS || model->profile->heap.recorded;
}

/* ---- Making ---------------------------------------------------------------------- */

typedef struct
{
    FcStacks *stacks;
    GHashTable *known; /* FcContextKey -> node */
    GArray *depth;     /* guint, by node */
    GHashTable *lines; /* address of a call site -> line + 1; NULL: lines are not told apart */
} Maker;

/* Returns the node of `function` under `parent`, called at `line`, which it makes if there is none.
 * At the greatest depth it returns `parent`. */
static gint find_node(Maker *maker, gint parent, gint function, guint line)
{
    const FcContextKey key = {parent, function, line};
    gpointer found = g_hash_table_lookup(maker->known, &key);
    if (found)
        return GPOINTER_TO_INT(found);
    const guint depth = g_array_index(maker->depth, guint, parent) + 1;
    if (depth > FC_STACK_DEPTH_MAX)
    {
        maker->stacks->deep++;
        return parent;
    }
    const FcStackNode node = {.parent = parent, .function = function, .line = line};
    const gint index = (gint)maker->stacks->nodes->len;
    g_array_append_val(maker->stacks->nodes, node);
    g_array_append_val(maker->depth, depth);
    g_hash_table_insert(maker->known, g_memdup2(&key, sizeof key), GINT_TO_POINTER(index));
    return index;
}

static FcStackNode *node_at(const FcStacks *stacks, gint index)
{
    return &g_array_index(stacks->nodes, FcStackNode, index);
}

/* A copy of a header's function below another copy is recursion, which is folded.  Returns the node
 * at or above `parent` that it is folded onto; FC_NONE: none. */
static gint find_copy(const Maker *maker, gint parent, guint function)
{
    if (fc_model_function(maker->stacks->model, function)->copies < 2)
        return FC_NONE;
    while (parent != FC_NONE &&
           fc_stacks_node(maker->stacks, (guint)parent)->function != (gint)function)
        parent = fc_stacks_node(maker->stacks, (guint)parent)->parent;
    return parent;
}

/* The line of the call if it is in the file of the caller; else 0, as for calls from inlined
 * functions or through functions that are not shown. */
static guint find_line(const FcModel *model, const FcProfileContext *context)
{
    FcSymbol site;
    FcSymbol caller;
    if (context->parent == FC_NONE)
        return 0;
    const guint parent =
        g_array_index(model->profile->contexts, FcProfileContext, (guint)context->parent).function;
    fc_symbols_find(model->symbols, model->profile, &context->site, TRUE, &site);
    fc_symbols_find(model->symbols, model->profile,
                    &fc_model_function(model, model->function_of[parent])->figures.location, FALSE,
                    &caller);
    return site.file && g_strcmp0(site.file, caller.file) == 0 ? site.line : 0;
}

static guint line_of(const Maker *maker, const FcProfileContext *context)
{
    if (!maker->lines)
        return 0;
    gpointer known = g_hash_table_lookup(maker->lines, &context->site.address);
    if (!known)
    {
        known = GUINT_TO_POINTER(find_line(maker->stacks->model, context) + 1);
        g_hash_table_insert(maker->lines, (gpointer)&context->site.address, known);
    }
    return GPOINTER_TO_UINT(known) - 1;
}

/* `node_of` gets the node of each context.  If its function is not shown, it gets FC_NONE - N
 * instead: node N takes its place. */
static void add_contexts(Maker *maker, gint *node_of)
{
    const FcModel *model = maker->stacks->model;
    const GArray *contexts = model->profile->contexts;
    for (guint i = 0; i < contexts->len; i++)
    {
        const FcProfileContext *from = &g_array_index(contexts, FcProfileContext, i);
        const guint function = model->function_of[from->function];
        gint parent = from->parent == FC_NONE ? 0 : node_of[from->parent];
        if (fc_profile_is_folded(from))
            parent = find_node(maker, 0, FC_STACK_FOLDED, 0);
        if (parent < 0)
            parent = FC_NONE - parent;
        if (!fc_model_function(model, function)->shown)
        {
            node_of[i] = FC_NONE - parent;
            continue;
        }
        const gint copy = find_copy(maker, parent, function);
        node_of[i] =
            copy != FC_NONE ? copy : find_node(maker, parent, (gint)function, line_of(maker, from));
        FcStackNode *node = node_at(maker->stacks, node_of[i]);
        node->self[FC_WEIGHT_TIME] += from->times.local_ns;
        node->self[FC_WEIGHT_CPU] +=
            from->times.local_ns - MIN(from->times.local_wait_ns, from->times.local_ns);
        node->self[FC_WEIGHT_CALLS] += from->calls;
    }
}

static void add_functions(Maker *maker)
{
    const FcModel *model = maker->stacks->model;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (!function->shown)
            continue;
        FcStackNode *node = node_at(maker->stacks, find_node(maker, 0, (gint)i, 0));
        node->self[FC_WEIGHT_TIME] += function->figures.times.local_ns;
        node->self[FC_WEIGHT_CALLS] += function->figures.calls;
    }
}

/* Whether the selection leaves functions out.  Then allocations outside of all functions are left
 * out, too. */
static gboolean has_hidden(const FcModel *model)
{
    for (guint i = 0; i < model->functions->len; i++)
        if (!fc_model_function(model, i)->shown)
            return TRUE;
    return FALSE;
}

static void add_memory(Maker *maker, const gint *node_of)
{
    const FcModel *model = maker->stacks->model;
    const GArray *sites = model->profile->heap.alloc_sites;
    const gboolean hidden = has_hidden(model);
    for (guint i = 0; i < sites->len; i++)
    {
        const FcProfileAllocSite *site = &g_array_index(sites, FcProfileAllocSite, i);
        gint index;
        if (site->point.context != FC_NONE)
            index = node_of[site->point.context];
        else
            index = hidden ? -1 : find_node(maker, 0, FC_STACK_OUTSIDE, 0);
        if (index < 0)
            continue;
        FcStackNode *node = node_at(maker->stacks, index);
        node->self[FC_WEIGHT_BYTES] += site->bytes;
        node->self[FC_WEIGHT_BLOCKS] += site->allocations;
        node->self[FC_WEIGHT_LIVE_BYTES] += site->live_bytes;
        node->self[FC_WEIGHT_LIVE_BLOCKS] += site->live_blocks;
        node->self[FC_WEIGHT_PEAK_BYTES] += site->peak_bytes;
    }
}

static FcStacks *make_empty(const FcModel *model)
{
    FcStacks *stacks = g_new0(FcStacks, 1);
    const FcStackNode root = {.parent = FC_NONE, .function = FC_NONE};
    stacks->model = model;
    stacks->nodes = g_array_new(FALSE, TRUE, sizeof(FcStackNode));
    g_array_append_val(stacks->nodes, root);
    return stacks;
}

static FcStacks *make(const FcModel *model, GHashTable *lines)
{
    FcStacks *stacks = make_empty(model);
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(fc_context_key_hash, fc_context_key_equal, g_free, NULL);
    g_autoptr(GArray) depth = g_array_new(FALSE, TRUE, sizeof(guint));
    Maker maker = {stacks, known, depth, lines};
    g_autofree gint *node_of = g_new0(gint, model->profile->contexts->len + 1);
    g_array_set_size(depth, 1);
    if (model->profile->extended)
        add_contexts(&maker, node_of);
    else
        add_functions(&maker);
    add_memory(&maker, node_of);
    return stacks;
}

FcStacks *fc_stacks_new(const FcModel *model)
{
    return make(model, NULL);
}

FcStacks *fc_stacks_new_by_line(const FcModel *model)
{
    g_autoptr(GHashTable) lines = g_hash_table_new(g_int64_hash, g_int64_equal);
    return make(model, lines);
}

void fc_stacks_free(FcStacks *stacks)
{
    if (!stacks)
        return;
    g_array_unref(stacks->nodes);
    g_free(stacks);
}

/* ---- Reading --------------------------------------------------------------------- */

guint64 *fc_stacks_totals(const FcStacks *stacks, FcWeight weight)
{
    guint64 *totals = g_new0(guint64, stacks->nodes->len);
    for (guint i = stacks->nodes->len; i-- > 0;)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        totals[i] += node->self[weight];
        if (node->parent != FC_NONE)
            totals[node->parent] += totals[i];
    }
    return totals;
}

const char *fc_stacks_name(const FcStacks *stacks, const FcStackNode *node)
{
    switch (node->function)
    {
    case FC_NONE:
        return "all";
    case FC_STACK_OUTSIDE:
        return "<outside>";
    case FC_STACK_OMITTED:
        return "(left out)";
    case FC_STACK_FOLDED:
        return FC_MODEL_FOLDED;
    default:
        return fc_model_function(stacks->model, (guint)node->function)->name;
    }
}

/* ---- Pruning --------------------------------------------------------------------- */

/* Returns the share of each node in the whole, in the weight where that is largest.  A parent's
 * share is never less than a child's.  The caller owns the result. */
static double *largest_shares(const FcStacks *stacks, FcWeight only)
{
    double *shares = g_new0(double, stacks->nodes->len);
    for (FcWeight weight = 0; weight < FC_WEIGHTS; weight++)
    {
        if (only < FC_WEIGHTS && weight != only)
            continue;
        g_autofree guint64 *totals = fc_stacks_totals(stacks, weight);
        for (guint i = 0; totals[0] > 0 && i < stacks->nodes->len; i++)
            shares[i] = MAX(shares[i], (double)totals[i] / (double)totals[0]);
    }
    shares[0] = 1.0;
    return shares;
}

static int compare_shares(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Returns the share of the node at place `most`, the largest first.  `*ties` gets how many nodes
 * with just that share are among the first `most`. */
static double find_bound(const double *shares, guint count, guint most, guint *ties)
{
    g_autofree double *sorted = g_memdup2(shares, count * sizeof *shares);
    qsort(sorted, count, sizeof *sorted, compare_shares);
    const double bound = sorted[most - 1];
    guint above = 0;
    while (above < most && sorted[above] > bound)
        above++;
    *ties = most - above;
    return bound;
}

static void add_weights(FcStackNode *into, const FcStackNode *from)
{
    for (FcWeight weight = 0; weight < FC_WEIGHTS; weight++)
        into->self[weight] += from->self[weight];
}

/* Returns the child of `parent` that holds what is left out below it.  Makes it if there is
 * none. */
static FcStackNode *omitted_child(FcStacks *stacks, GHashTable *rest, gint parent)
{
    gpointer found = g_hash_table_lookup(rest, GINT_TO_POINTER(parent));
    if (!found)
    {
        const FcStackNode node = {.parent = parent, .function = FC_STACK_OMITTED};
        found = GUINT_TO_POINTER(stacks->nodes->len);
        g_array_append_val(stacks->nodes, node);
        g_hash_table_insert(rest, GINT_TO_POINTER(parent), found);
    }
    return node_at(stacks, GPOINTER_TO_INT(found));
}

FcStacks *fc_stacks_prune(const FcStacks *stacks, guint most, double least_share, FcWeight only)
{
    FcStacks *pruned = make_empty(stacks->model);
    const guint count = stacks->nodes->len;
    g_autofree double *shares = largest_shares(stacks, only);
    g_autofree gint *kept = g_new0(gint, count); /* new node; FC_NONE - N: nearest kept is N */
    g_autoptr(GHashTable) rest = g_hash_table_new(g_direct_hash, g_direct_equal);
    guint ties = count;
    const double bound = most < count ? find_bound(shares, count, most, &ties) : 0;
    pruned->deep = stacks->deep;
    pruned->omitted = stacks->omitted;
    add_weights(node_at(pruned, 0), fc_stacks_node(stacks, 0));
    for (guint i = 1; i < count; i++)
    {
        FcStackNode node = *fc_stacks_node(stacks, i);
        const gint parent = kept[node.parent];
        const gboolean has_room = shares[i] > bound || (shares[i] >= bound && ties > 0);
        if (parent >= 0 && has_room && shares[i] >= least_share)
        {
            ties -= shares[i] > bound ? 0 : 1;
            node.parent = parent;
            kept[i] = (gint)pruned->nodes->len;
            g_array_append_val(pruned->nodes, node);
            continue;
        }
        kept[i] = parent < 0 ? parent : FC_NONE - parent;
        add_weights(omitted_child(pruned, rest, FC_NONE - kept[i]), &node);
        pruned->omitted++;
    }
    return pruned;
}

FcStacks *fc_stacks_keep(const FcStacks *stacks, const gboolean *kept)
{
    FcStacks *rest = make_empty(stacks->model);
    const guint count = stacks->nodes->len;
    g_autofree gint *number =
        g_new0(gint, count); /* new node; until it has a number, whether there is one */
    rest->deep = stacks->deep;
    rest->omitted = stacks->omitted;
    for (guint i = count; i-- > 1;)
        if (kept[i] || number[i] != 0)
            number[i] = number[fc_stacks_node(stacks, i)->parent] = 1;
    number[0] = 0;
    for (guint i = 1; i < count; i++)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        FcStackNode copy = {
            .parent = number[node->parent], .function = node->function, .line = node->line};
        if (number[i] == 0)
            continue;
        if (kept[i])
            add_weights(&copy, node);
        number[i] = (gint)rest->nodes->len;
        g_array_append_val(rest->nodes, copy);
    }
    return rest;
}
