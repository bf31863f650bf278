/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Call sites to arcs, cycles and reachability; see callgraph.h.  Nothing here
 * recurses: a graph may be a chain of a million functions.
 */
#include "model/callgraph.h"

#include <stdlib.h>
#include <string.h>

struct FcCallgraph
{
    guint functions;
    guint64 *total_ns;
    FcCallSite *sites; /* ordered by caller, callee, via */
    FcArc *arcs;
    guint arc_count;
    guint *callee_start;    /* arcs of caller f: [callee_start[f + 1], callee_start[f + 2]);
                               FC_NONE is -1 */
    const FcArc **incoming; /* arcs ordered by callee */
    guint *caller_start;    /* incoming of f: [caller_start[f], caller_start[f + 1]) */
    guint *cycle;           /* by function, from 1; 0: none */
    gboolean *recursive;
    guint cycle_count;
    guint *members;     /* functions ordered by cycle */
    guint *cycle_start; /* members of cycle c: [cycle_start[c - 1], cycle_start[c]) */
};

/* ---- Arcs ------------------------------------------------------------------ */

static int compare_numbers(gint64 a, gint64 b)
{
    return (a > b) - (a < b);
}

static int compare_sites(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const FcCallSite *x = a;
    const FcCallSite *y = b;
    int order = compare_numbers(x->caller, y->caller);
    if (order == 0)
        order = compare_numbers(x->callee, y->callee);
    return order != 0 ? order : compare_numbers(x->via, y->via);
}

static gboolean same_arc(const FcCallSite *a, const FcCallSite *b)
{
    return a->caller == b->caller && a->callee == b->callee && a->via == b->via;
}

static void add_up_arcs(FcCallgraph *graph, guint site_count)
{
    guint arc_count = 0;
    for (guint i = 0; i < site_count; i++)
        arc_count += i == 0 || !same_arc(&graph->sites[i - 1], &graph->sites[i]);
    graph->arcs = g_new0(FcArc, arc_count + 1);
    FcArc *arc = NULL;
    for (guint i = 0; i < site_count; i++)
    {
        const FcCallSite *site = &graph->sites[i];
        g_assert(site->callee < graph->functions && site->caller >= FC_NONE &&
                 site->caller < (gint)graph->functions);
        if (i == 0 || !same_arc(site - 1, site))
        {
            arc = &graph->arcs[graph->arc_count++];
            *arc = (FcArc){
                .caller = site->caller, .callee = site->callee, .via = site->via, .sites = site};
        }
        arc->site_count++;
        arc->calls += site->calls;
        arc->total_ns += site->total_ns;
    }
}

static void index_arcs(FcCallgraph *graph)
{
    guint functions = graph->functions;
    graph->callee_start = g_new0(guint, functions + 2);
    graph->caller_start = g_new0(guint, functions + 2);
    graph->incoming = g_new0(const FcArc *, graph->arc_count + 1);
    graph->recursive = g_new0(gboolean, functions + 1);
    for (guint i = 0; i < graph->arc_count; i++)
    {
        const FcArc *arc = &graph->arcs[i];
        graph->callee_start[arc->caller + 2]++;
        graph->caller_start[arc->callee + 1]++;
        if (arc->caller == (gint)arc->callee)
            graph->recursive[arc->callee] = TRUE;
    }
    for (guint f = 0; f <= functions; f++)
    {
        graph->callee_start[f + 1] += graph->callee_start[f];
        graph->caller_start[f + 1] += graph->caller_start[f];
    }
    g_autofree guint *next = g_memdup2(graph->caller_start, (functions + 2) * sizeof(guint));
    for (guint i = 0; i < graph->arc_count; i++)
        graph->incoming[next[graph->arcs[i].callee]++] = &graph->arcs[i];
}

/* ---- Cycles: Tarjan's strongly connected components, without recursion ------ */

typedef struct
{
    guint *order; /* when a function was first reached, from 1; 0: not yet */
    guint *low;   /* the earliest function on `open` that it reaches */
    gboolean *is_open;
    GArray *open; /* guint: functions reached, in components that are not complete */
    GArray *path; /* Step */
    guint reached;
} Search;

typedef struct
{
    guint function;
    guint next; /* index of its next callee */
} Step;

static void search_enter(Search *search, guint function)
{
    Step step = {function, 0};
    search->order[function] = search->low[function] = ++search->reached;
    search->is_open[function] = TRUE;
    g_array_append_val(search->open, function);
    g_array_append_val(search->path, step);
}

/* Takes the component of `function` off `open`.  `function` is the first that was reached in it. */
static void close_component(FcCallgraph *graph, Search *search, guint function)
{
    guint first = search->open->len;
    guint member;
    do
    {
        member = g_array_index(search->open, guint, --first);
        search->is_open[member] = FALSE;
    } while (member != function);
    if (search->open->len - first > 1)
    {
        graph->cycle_count++;
        for (guint i = first; i < search->open->len; i++)
            graph->cycle[g_array_index(search->open, guint, i)] = graph->cycle_count;
    }
    g_array_set_size(search->open, first);
}

static void search_from(FcCallgraph *graph, Search *search, guint root)
{
    search_enter(search, root);
    while (search->path->len > 0)
    {
        Step *step = &g_array_index(search->path, Step, search->path->len - 1);
        guint function = step->function;
        guint position = graph->callee_start[function + 1] + step->next++;
        if (position < graph->callee_start[function + 2])
        {
            guint callee = graph->arcs[position].callee;
            if (search->order[callee] == 0)
                search_enter(search, callee); /* may move `step` */
            else if (search->is_open[callee])
                search->low[function] = MIN(search->low[function], search->order[callee]);
            continue;
        }
        g_array_set_size(search->path, search->path->len - 1);
        if (search->low[function] == search->order[function])
            close_component(graph, search, function);
        if (search->path->len > 0)
        {
            guint parent = g_array_index(search->path, Step, search->path->len - 1).function;
            search->low[parent] = MIN(search->low[parent], search->low[function]);
        }
    }
}

/* Renumbers the cycles by their lowest function and lists their members. */
static void number_cycles(FcCallgraph *graph)
{
    g_autofree guint *number = g_new0(guint, graph->cycle_count + 1);
    guint numbered = 0;
    graph->cycle_start = g_new0(guint, graph->cycle_count + 2);
    graph->members = g_new0(guint, graph->functions + 1);
    for (guint f = 0; f < graph->functions; f++)
    {
        guint found = graph->cycle[f];
        if (found == 0)
            continue;
        if (number[found] == 0)
            number[found] = ++numbered;
        graph->cycle[f] = number[found];
        graph->cycle_start[number[found]]++;
    }
    for (guint c = 1; c <= graph->cycle_count; c++)
        graph->cycle_start[c] += graph->cycle_start[c - 1];
    g_autofree guint *next =
        g_memdup2(graph->cycle_start, (graph->cycle_count + 2) * sizeof(guint));
    for (guint f = 0; f < graph->functions; f++)
        if (graph->cycle[f] != 0)
            graph->members[next[graph->cycle[f] - 1]++] = f;
}

static void find_cycles(FcCallgraph *graph)
{
    Search search = {.order = g_new0(guint, graph->functions + 1),
                     .low = g_new0(guint, graph->functions + 1),
                     .is_open = g_new0(gboolean, graph->functions + 1),
                     .open = g_array_new(FALSE, FALSE, sizeof(guint)),
                     .path = g_array_new(FALSE, FALSE, sizeof(Step))};
    graph->cycle = g_new0(guint, graph->functions + 1);
    for (guint f = 0; f < graph->functions; f++)
        if (search.order[f] == 0)
            search_from(graph, &search, f);
    number_cycles(graph);
    g_free(search.order);
    g_free(search.low);
    g_free(search.is_open);
    g_array_unref(search.open);
    g_array_unref(search.path);
}

/* Two sites of one arc can be active at once only if the callee can call the caller again.  Then
 * the sum counts some time twice, so it is bounded by the total times of both functions. */
static void bound_arcs(FcCallgraph *graph, const guint64 *function_total_ns)
{
    for (guint i = 0; i < graph->arc_count; i++)
    {
        FcArc *arc = &graph->arcs[i];
        guint timed = 0;
        for (guint s = 0; s < arc->site_count; s++)
            timed += arc->sites[s].total_ns != 0;
        if (arc->caller == FC_NONE || timed < 2)
            continue;
        guint cycle = graph->cycle[arc->callee];
        if (arc->caller != (gint)arc->callee && (cycle == 0 || cycle != graph->cycle[arc->caller]))
            continue;
        guint64 bound = MIN(function_total_ns[arc->caller], function_total_ns[arc->callee]);
        arc->total_ns = MIN(arc->total_ns, bound);
        arc->at_most = TRUE;
    }
}

/* ---- The graph ------------------------------------------------------------- */

FcCallgraph *fc_callgraph_new(const guint64 *function_total_ns, guint function_count,
                              const FcCallSite *sites, guint site_count)
{
    FcCallgraph *graph = g_new0(FcCallgraph, 1);
    graph->functions = function_count;
    graph->sites = g_new0(FcCallSite, site_count + 1);
    if (site_count > 0)
        memcpy(graph->sites, sites, site_count * sizeof *sites);
    /* Stable, so that the sites of an arc keep their order. */
    g_qsort_with_data(graph->sites, (gint)site_count, sizeof *sites, compare_sites, NULL);
    add_up_arcs(graph, site_count);
    index_arcs(graph);
    find_cycles(graph);
    bound_arcs(graph, function_total_ns);
    return graph;
}

void fc_callgraph_free(FcCallgraph *graph)
{
    if (!graph)
        return;
    g_free(graph->sites);
    g_free(graph->arcs);
    g_free(graph->callee_start);
    g_free(graph->incoming);
    g_free(graph->caller_start);
    g_free(graph->cycle);
    g_free(graph->recursive);
    g_free(graph->members);
    g_free(graph->cycle_start);
    g_free(graph);
}

const FcArc *fc_callgraph_arcs(const FcCallgraph *graph, guint *count)
{
    *count = graph->arc_count;
    return graph->arcs;
}

const FcArc *fc_callgraph_callees(const FcCallgraph *graph, gint function, guint *count)
{
    const guint *start = graph->callee_start + function + 1;
    *count = start[1] - start[0];
    return graph->arcs + start[0];
}

const FcArc *const *fc_callgraph_callers(const FcCallgraph *graph, guint function, guint *count)
{
    const guint *start = graph->caller_start + function;
    *count = start[1] - start[0];
    return graph->incoming + start[0];
}

guint fc_callgraph_cycle_count(const FcCallgraph *graph)
{
    return graph->cycle_count;
}

guint fc_callgraph_cycle_of(const FcCallgraph *graph, guint function)
{
    return graph->cycle[function];
}

const guint *fc_callgraph_cycle_members(const FcCallgraph *graph, guint cycle, guint *count)
{
    const guint *start = graph->cycle_start + cycle;
    *count = start[0] - start[-1];
    return graph->members + start[-1];
}

gboolean fc_callgraph_is_recursive(const FcCallgraph *graph, guint function)
{
    return graph->recursive[function];
}

void fc_callgraph_spread(const FcCallgraph *graph, gboolean *set, FcSpread direction)
{
    g_autoptr(GArray) pending = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint f = 0; f < graph->functions; f++)
        if (set[f])
            g_array_append_val(pending, f);
    while (pending->len > 0)
    {
        guint function = g_array_index(pending, guint, pending->len - 1);
        g_array_set_size(pending, pending->len - 1);
        guint count;
        const FcArc *callees = fc_callgraph_callees(graph, (gint)function, &count);
        const FcArc *const *callers = NULL;
        if (direction == FC_SPREAD_CALLERS)
            callers = fc_callgraph_callers(graph, function, &count);
        for (guint i = 0; i < count; i++)
        {
            gint other = callers ? callers[i]->caller : (gint)callees[i].callee;
            if (other == FC_NONE || set[other])
                continue;
            set[other] = TRUE;
            g_array_append_val(pending, other);
        }
    }
}
