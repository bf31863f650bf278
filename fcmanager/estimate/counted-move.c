/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moves calls below their counted callers.  A counted caller that was not timed has no frame, so
 * its calls are recorded below the frame around it.  Here they go below the caller, with their
 * time.  See counted-attribute.h.
 */
#include "fcmanager/estimate/counted-work.h"
#include "fcmanager/estimate/totals.h"

#include <string.h>

typedef struct
{
    FcAttribution *work;
    guint8 *moved_arcs; /* by arc that existed at the start: its calls move, so their contexts move,
                           too */
    guint32 arc_count;
    gboolean any;
} Move;

/* A context that may move. */
typedef struct
{
    guint32 hidden;   /* function (+ 1) of its hidden caller; 0: it stays */
    guint32 arc;      /* the arc that leads to it, index + 1; 0: none */
    gboolean is_sure; /* `hidden` is certainly its caller */
} Mover;

/* ---- Where to ----------------------------------------------------------------------- */

static void unlink_child(FcAttribution *work, guint32 node)
{
    guint32 parent = work->counts->nodes[node].parent;
    guint32 *link = fc_attribution_link(work->first_child, parent);
    while (*link != node && *link != 0)
        link = fc_attribution_link(work->next_child, *link);
    if (*link == node)
        *link = *fc_attribution_link(work->next_child, node);
}

/* Returns the counted function (+ 1) that made the calls recorded as made by `recorded` (+ 1); 0:
 * `recorded` made them itself. */
static guint32 hidden_caller(const FcAttribution *work, const FcCountedPair *pair, guint32 recorded)
{
    const guint32 hidden = fc_attribution_hidden_caller(work, pair, recorded);
    return hidden != 0 && (work->is_counted[hidden - 1] & FC_ATTRIBUTION_COUNTED) ? hidden : 0;
}

/* Whether the call site of the arc lies in the function `hidden` (+ 1). */
static gboolean is_hiddens_own(const Move *move, guint32 arc, guint32 hidden)
{
    const FcCountsArc *own = &move->work->counts->arcs[arc];
    const FcCountedPair pair =
        *fc_counted_pair(move->work->counted, own->site, own->site_module, own->callee);
    return fc_attribution_likely_caller(move->work, &pair) == hidden;
}

static Mover mover_of(const Move *move, guint32 node)
{
    const FcAttribution *work = move->work;
    FcCounts *counts = work->counts;
    const FcCountsNode own = counts->nodes[node];
    if (own.site == 0)
        return (Mover){0};
    const FcCountedPair pair =
        *fc_counted_pair(work->counted, own.site, own.site_module, own.function);
    const guint32 recorded = own.parent != 0 ? counts->nodes[own.parent].function + 1 : 0;
    const guint32 arc =
        fc_counts_find_arc(counts, recorded, own.site, own.site_module, own.function);
    return (Mover){hidden_caller(work, &pair, recorded),
                   arc != 0 && arc - 1 < move->arc_count ? arc : 0,
                   fc_attribution_is_sure(work, &pair)};
}

/* Returns the arc for time spent in `callee`, called from `site` by `caller` (+ 1).  If that arc
 * would have no calls, since `caller` was guessed from the call site, it is the pair's arc with the
 * most calls. */
static guint32 arc_for_time(FcAttribution *work, guint32 caller, guint64 site, gint site_module,
                            guint32 callee)
{
    FcCounts *counts = work->counts;
    const guint32 own = fc_counts_find_arc(counts, caller, site, site_module, callee);
    if (own != 0 && counts->arcs[own - 1].calls > 0)
        return own - 1;
    const FcCountedPair *pair = fc_counted_pair(work->counted, site, site_module, callee);
    guint64 most = 0;
    guint32 best = 0;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        if (counts->arcs[at - 1].calls <= most)
            continue;
        most = counts->arcs[at - 1].calls;
        best = at;
    }
    return best != 0 ? best - 1 : fc_counts_get_arc(counts, caller, site, site_module, callee);
}

/* Adds `ticks` spent in `node` to its total and to those of the contexts above it.  Leaves out
 * `from` and the contexts above that, which have this time already. */
static void add_total(FcAttribution *work, guint32 node, guint32 from, guint64 ticks, guint64 wait)
{
    FcCounts *counts = work->counts;
    for (; !fc_attribution_is_on_path(counts, node, from); node = counts->nodes[node].parent)
    {
        const FcCountsNode own = counts->nodes[node];
        const guint32 caller = own.parent != 0 ? counts->nodes[own.parent].function + 1 : 0;
        counts->nodes[node].total += ticks;
        counts->functions[own.function].total += ticks;
        counts->functions[own.function].wait_total += wait;
        fc_counts_add_wait(&counts->node_waits, node, (FcCountsCost){wait, 0});
        if (own.site == FC_FOLDED_SITE) /* the arc is not known */
            continue;
        const guint32 arc = arc_for_time(work, caller, own.site, own.site_module, own.function);
        counts->arcs[arc].total += ticks;
        fc_counts_add_wait(&counts->arc_waits, arc, (FcCountsCost){wait, 0});
    }
}

static void move_node(Move *move, guint32 node, guint32 caller, gboolean is_sure)
{
    FcAttribution *work = move->work;
    FcCounts *counts = work->counts;
    const FcCountsNode own = counts->nodes[node];
    add_total(work, caller, own.parent, own.total, fc_counts_wait(counts->node_waits, node).total);
    unlink_child(work, node);
    counts->nodes[node].parent = caller;
    *fc_attribution_link(work->next_child, node) = *fc_attribution_link(work->first_child, caller);
    *fc_attribution_link(work->first_child, caller) = node;
    if (!is_sure)
        fc_counts_mark(&counts->apportioned_nodes, node);
    move->any = TRUE;
}

/* Returns the context of `function` below `node` that has the most calls, or the newest of several;
 * 0: there is none.  Considers the tree before any context moved.  If `without` is not 0, leaves
 * out the contexts below that. */
static guint32 best_below(const FcAttribution *work, guint32 node, guint32 function,
                          guint32 without)
{
    const FcCountsNode *nodes = work->counts->nodes;
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint32 best = 0;
    fc_attribution_find_below(work, node, function, found);
    for (guint i = 0; i < found->len; i++)
    {
        const guint32 at = g_array_index(found, guint32, i);
        if ((best == 0 || nodes[at].calls > nodes[best].calls) &&
            (without == 0 || !fc_attribution_is_on_path(work->counts, without, at)))
            best = at;
    }
    return best;
}

/* The same below the parent of `node`, which moves, but not below `node` itself.  `known` caches
 * results, since many contexts have the same parent. */
static guint32 best_caller(const FcAttribution *work, guint32 node, guint32 function, FcMap *known)
{
    const guint32 parent = work->counts->nodes[node].parent;
    const FcMapSlot *slot = fc_map_find(known, parent, function, 0);
    const guint32 best = slot ? slot->value : best_below(work, parent, function, 0);
    if (!slot)
        fc_map_add(known, parent, function, 0, best, 0);
    if (best != 0 && fc_attribution_is_on_path(work->counts, node, best))
        return best_below(work, parent, function, node);
    return best;
}

/* Returns, by context, where it moves; 0: nowhere yet. */
static guint32 *find_callers(const Move *move)
{
    const guint32 count = move->work->counts->node_count;
    guint32 *callers = g_new0(guint32, count);
    FcMap known;
    fc_map_init(&known, 0);
    for (guint32 i = 1; i < count; i++)
    {
        const Mover mover = mover_of(move, i);
        if (mover.hidden != 0)
            callers[i] = best_caller(move->work, i, mover.hidden - 1, &known);
    }
    fc_map_clear(&known);
    return callers;
}

/* Moves contexts below their hidden caller's context, if that exists.  If it does not, since no
 * counter reached zero there, makes a context for the caller. */
static void move_nodes(Move *move)
{
    FcAttribution *work = move->work;
    FcCounts *counts = work->counts;
    const guint32 nodes = counts->node_count;
    g_autofree guint32 *callers = find_callers(move);
    g_autoptr(GArray) left = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = 1; i < nodes; i++)
    {
        const Mover mover = mover_of(move, i);
        if (mover.hidden == 0)
            continue;
        /* a context that moved before may be below it now */
        if (callers[i] == 0 || fc_attribution_is_on_path(counts, i, callers[i]))
        {
            g_array_append_val(left, i);
            continue;
        }
        if (mover.arc != 0)
            move->moved_arcs[mover.arc - 1] = 1;
        move_node(move, i, callers[i], mover.is_sure);
    }
    for (guint i = 0; i < left->len; i++)
    {
        const guint32 node = g_array_index(left, guint32, i);
        const Mover mover = mover_of(move, node);
        if (mover.hidden == 0 || mover.hidden - 1 == counts->nodes[node].function ||
            (mover.arc != 0 && !move->moved_arcs[mover.arc - 1] &&
             !is_hiddens_own(move, mover.arc - 1, mover.hidden)))
            continue;
        const guint32 parent = counts->nodes[node].parent;
        const guint32 caller = fc_attribution_make_caller(work, parent, mover.hidden);
        if (caller != 0 && !fc_attribution_is_on_path(counts, node, caller))
            move_node(move, node, caller, mover.is_sure);
    }
}

/* ---- Arcs ----------------------------------------------------------------------------- */

static void move_arc(Move *move, guint32 from, guint32 to)
{
    FcCounts *counts = move->work->counts;
    if (to == from)
        return;
    counts->arcs[to].calls += counts->arcs[from].calls;
    counts->arcs[to].total += counts->arcs[from].total;
    counts->arcs[from].calls = 0;
    fc_counts_add_wait(&counts->arc_waits, to, fc_counts_wait(counts->arc_waits, from));
    if (counts->arc_latencies)
        fc_latency_merge(&counts->arc_latencies[to], &counts->latency_room,
                         &counts->arc_latencies[from]);
    move->moved_arcs[from] = 1;
}

/* Gives the calls of the frame around a hidden caller to that caller.  Then moves the time of arcs
 * without calls to the arcs that have them. */
static void move_arcs(Move *move)
{
    FcAttribution *work = move->work;
    FcCounts *counts = work->counts;
    for (guint32 i = 0; i < move->arc_count; i++)
    {
        const FcCountsArc own = counts->arcs[i];
        const FcCountedPair pair =
            *fc_counted_pair(work->counted, own.site, own.site_module, own.callee);
        const guint32 hidden = hidden_caller(work, &pair, own.caller);
        const gboolean moves =
            hidden != 0 && (move->moved_arcs[i] || is_hiddens_own(move, i, hidden));
        move->moved_arcs[i] = 0;
        if (!moves)
            continue;
        const guint32 to = fc_counts_get_arc(counts, hidden, own.site, own.site_module, own.callee);
        if (!fc_attribution_is_sure(work, &pair))
            fc_counts_mark(&counts->apportioned_arcs, to);
        move_arc(move, i, to);
    }
    move->moved_arcs = g_renew(guint8, move->moved_arcs, counts->arc_count + 1);
    memset(&move->moved_arcs[move->arc_count], 0, counts->arc_count - move->arc_count);
    move->arc_count = counts->arc_count;
    for (guint32 i = 0; i < move->arc_count; i++)
    {
        const FcCountsArc own = counts->arcs[i];
        if (own.calls == 0 && !move->moved_arcs[i])
            move_arc(move, i,
                     arc_for_time(work, own.caller, own.site, own.site_module, own.callee));
    }
}

static void drop_arcs(Move *move)
{
    FcCounts *counts = move->work->counts;
    GArray *marks = counts->apportioned_arcs;
    GHashTable *waits = NULL;
    guint32 kept = 0;
    if (marks)
        g_array_set_size(marks, MAX(marks->len, counts->arc_count));
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        if (i < move->arc_count && move->moved_arcs[i])
        {
            if (counts->arc_latencies)
                fc_latency_clear(&counts->arc_latencies[i], &counts->latency_room);
            continue;
        }
        if (marks)
            g_array_index(marks, guint8, kept) = g_array_index(marks, guint8, i);
        fc_counts_add_wait(&waits, kept, fc_counts_wait(counts->arc_waits, i));
        if (counts->arc_latencies)
            counts->arc_latencies[kept] = counts->arc_latencies[i];
        counts->arcs[kept++] = counts->arcs[i];
    }
    counts->arc_count = kept;
    if (marks)
        g_array_set_size(marks, kept);
    g_clear_pointer(&counts->arc_waits, g_hash_table_unref);
    counts->arc_waits = waits;
}

/* ---- The tree in its order again -------------------------------------------------------- */

/* Adds `from` to the context `into`.  Either both are one function on one path, or `from` is folded
 * into the other. */
static void add_node(FcCountsNode *into, const FcCountsNode *from, gboolean folded)
{
    into->calls += from->calls;
    into->local += from->local;
    if (!folded) /* a folded context ran within `into`, whose total has its time already */
        into->total += from->total;
}

typedef struct
{
    const FcAttribution *work;
    FcCounts fresh;
    FcNodes known; /* contexts of `fresh`, by parent, site, the site's module and function */
} Order;

static guint32 find_or_add(Order *order, guint32 parent, const FcCountsNode *from)
{
    FcCounts *fresh = &order->fresh;
    const guint32 hash =
        fc_map_hash(parent, from->site, fc_counts_callee_key(from->site_module, from->function));
    FcNodesSlot *slot = fc_nodes_first(&order->known, hash);
    for (; slot->node != 0; slot = fc_nodes_next(&order->known, slot, hash))
    {
        const FcCountsNode *like = &fresh->nodes[slot->node];
        if (like->parent == parent && like->function == from->function &&
            like->site == from->site && like->site_module == from->site_module)
            return slot->node;
    }
    const guint32 node =
        fc_counts_add_node(fresh, parent, from->site, from->site_module, from->function);
    fc_nodes_add(&order->known, slot, hash, node);
    return node;
}

/* Returns the context of `fresh` for `from`, whose parent became `parent`.  A moved context has
 * more contexts above it than before, but these are all of counted functions. */
static guint32 place_node(Order *order, guint32 parent, const FcCountsNode *from, FcCountsCost wait)
{
    FcCounts *fresh = &order->fresh;
    guint32 node = 0;
    if (order->work->is_counted[from->function])
        node = fc_counts_find_on_path(fresh, parent, from->function);
    if (node != 0)
    {
        add_node(&fresh->nodes[node], from, TRUE);
        fc_counts_add_wait(&fresh->node_waits, node, (FcCountsCost){0, wait.local});
        return node;
    }
    node = find_or_add(order, parent, from);
    add_node(&fresh->nodes[node], from, FALSE);
    fc_counts_add_wait(&fresh->node_waits, node, wait);
    return node;
}

static void place_slowest(FcCounts *counts, const guint32 *places)
{
    for (guint32 i = 0; counts->slowest && i < counts->function_count; i++)
        for (guint32 j = 0; j < counts->slowest[i].count; j++)
            counts->slowest[i].calls[j].node = places[counts->slowest[i].calls[j].node];
}

static void order_nodes(FcAttribution *work)
{
    FcCounts *counts = work->counts;
    Order order = {.work = work};
    FcCounts *fresh = &order.fresh;
    GArray *marks = NULL;
    g_autofree guint32 *places = g_new0(guint32, counts->node_count);
    fc_nodes_init(&order.known, counts->node_count);
    fresh->nodes = g_new(FcCountsNode, counts->node_count);
    fresh->node_room = counts->node_count;
    fc_counts_add_node(fresh, 0, 0, FC_NONE, 0);
    fresh->nodes[0] = counts->nodes[0];
    for (guint32 at = fc_attribution_next_below(work, 0, 0, TRUE); at != 0;
         at = fc_attribution_next_below(work, at, 0, TRUE))
    {
        const FcCountsNode *from = &counts->nodes[at];
        places[at] =
            place_node(&order, places[from->parent], from, fc_counts_wait(counts->node_waits, at));
        if (fc_counts_is_marked(counts->apportioned_nodes, at))
            fc_counts_mark(&marks, places[at]);
        if (fc_counts_unrecorded(counts, at) > 0)
        {
            fc_counts_note_deep(fresh, places[at], fc_counts_is_marked(counts->deep_nodes, at));
            fc_counts_add_unrecorded(&fresh->unrecorded, places[at],
                                     fc_counts_unrecorded(counts, at));
        }
    }
    fc_nodes_clear(&order.known);
    place_slowest(counts, places);
    if (counts->contexts_in_use)
        *counts->contexts_in_use -= counts->node_count - fresh->node_count;
    g_free(counts->nodes);
    counts->nodes = fresh->nodes;
    counts->node_count = fresh->node_count;
    counts->node_room = fresh->node_room;
    if (counts->apportioned_nodes)
        g_array_unref(counts->apportioned_nodes);
    counts->apportioned_nodes = marks;
    g_clear_pointer(&counts->node_waits, g_hash_table_unref);
    counts->node_waits = fresh->node_waits;
    if (counts->unrecorded)
        g_array_unref(counts->unrecorded);
    counts->unrecorded = fresh->unrecorded;
    g_clear_pointer(&counts->deep_nodes, g_array_unref);
    counts->deep_nodes = fresh->deep_nodes;
}

void fc_attribution_move(FcAttribution *work)
{
    FcCounts *counts = work->counts;
    Move move = {work, g_new0(guint8, counts->arc_count + 1), counts->arc_count, FALSE};
    move_nodes(&move);
    move_arcs(&move);
    drop_arcs(&move);
    if (move.any)
    {
        order_nodes(work);
        g_autofree guint64 *local = fc_totals_local_times(counts);
        fc_totals_update(counts, local); /* keeps totals within those of their callers */
    }
    g_free(move.moved_arcs);
}
