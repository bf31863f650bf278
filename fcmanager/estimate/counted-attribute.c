/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See counted-attribute.h.  Runs the steps, and decides in which order calls are given to contexts.
 */
#include "fcmanager/estimate/counted-attribute.h"

#include "fcmanager/estimate/counted-work.h"

/* ---- The order ---------------------------------------------------------------------- */

/* One counted function calls another.  A caller's own calls are apportioned before its callees'. */
typedef struct
{
    guint32 callee;
    guint32 next; /* of the same caller, index + 1; 0: none */
} Edge;

typedef struct
{
    FcAttribution *work;
    GArray *edges;       /* Edge */
    guint32 *first_edge; /* by function */
    guint32 *waits_for; /* by function: how many edges lead to it from callers that were not visited
                           yet */
    GArray *queue;      /* guint32: functions */
    guint8 *visited;
} Order;

static void add_edge(Order *order, guint32 caller, guint32 callee)
{
    if (caller == 0 || caller - 1 == callee || !order->work->is_counted[caller - 1])
        return;
    const Edge edge = {callee, order->first_edge[caller - 1]};
    g_array_append_val(order->edges, edge);
    order->first_edge[caller - 1] = order->edges->len;
    order->waits_for[callee]++;
}

static void add_edges(Order *order, const FcCountedPair *pair)
{
    const FcAttribution *work = order->work;
    gboolean any = FALSE;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        if (fc_attribution_sure_calls(work, at - 1) == 0)
            continue;
        any = TRUE;
        add_edge(order, work->counts->arcs[at - 1].caller, pair->function);
    }
    if (!any)
        add_edge(order, fc_attribution_likely_caller(work, pair), pair->function);
}

static void visit(Order *order, guint32 function)
{
    order->visited[function] = 1;
    for (guint32 at = order->work->first_pair[function]; at != 0;
         at = *fc_attribution_link(order->work->next_pair, at - 1))
        fc_attribution_apportion(order->work, at - 1);
    for (guint32 at = order->first_edge[function]; at != 0;)
    {
        const Edge *edge = &g_array_index(order->edges, Edge, at - 1);
        if (--order->waits_for[edge->callee] == 0 && !order->visited[edge->callee])
            g_array_append_val(order->queue, edge->callee);
        at = edge->next;
    }
}

/* Apportions callers first.  If functions call each other in a circle, the one that was met first
 * goes first. */
static void apportion_all(FcAttribution *work)
{
    const guint32 count = work->counts->function_count;
    const guint pairs = work->counted->pairs->len;
    g_autofree guint32 *first_edge = g_new0(guint32, count);
    g_autofree guint32 *waits_for = g_new0(guint32, count);
    g_autofree guint8 *visited = g_new0(guint8, count);
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
    g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(guint32));
    Order order = {work, edges, first_edge, waits_for, queue, visited};
    for (guint32 i = pairs; i-- > 0;)
    {
        const FcCountedPair *pair = &g_array_index(work->counted->pairs, FcCountedPair, i);
        if (pair->calls > 0)
            add_edges(&order, pair);
    }
    for (guint32 i = 0; i < count; i++)
        if (waits_for[i] == 0)
            g_array_append_val(queue, i);
    for (guint32 next = 0, stuck = 0; next < count; next++)
    {
        while (next >= queue->len && (visited[stuck] || waits_for[stuck] == 0))
            stuck++;
        if (next >= queue->len)
        {
            waits_for[stuck] = 0;
            g_array_append_val(queue, stuck);
        }
        visit(&order, g_array_index(queue, guint32, next));
    }
}

/* ---- The steps ------------------------------------------------------------------------ */

/* Finds the likely callers of all pairs before calls move, so that moving calls does not change
 * them. */
static void find_likely_callers(FcAttribution *work)
{
    const guint pairs = work->counted->pairs->len;
    work->likely = g_array_new(FALSE, TRUE, sizeof(guint32));
    g_array_set_size(work->likely, pairs);
    for (guint i = 0; i < pairs; i++)
        fc_attribution_likely_caller(work, &g_array_index(work->counted->pairs, FcCountedPair, i));
}

void fc_counted_attribute(FcCounted *counted, guint64 outside, const FcCallOverhead *of_call)
{
    FcAttribution work;
    if (!counted->begun && counted->pairs->len == 0)
        return;
    fc_counted_begin(counted);
    fc_counted_forget_samples_map(counted);
    fc_attribution_begin(&work, counted, of_call);
    apportion_all(&work);
    fc_nodes_clear(&work.share_table);
    fc_attribution_times(&work, outside);
    g_clear_pointer(&work.shares, g_array_unref);
    find_likely_callers(&work);
    fc_attribution_move(&work);
    g_clear_pointer(&work.likely, g_array_unref);
    fc_attribution_end(&work);
}
