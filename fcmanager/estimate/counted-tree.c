/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calling-context tree and the call sites, linked for what attributes counted calls: see
 * counted-work.h.
 */
#include "fcmanager/estimate/counted-work.h"

/* ---- Contexts --------------------------------------------------------------------- */

static guint32 hash_of_child(guint32 parent, const FcCountsNode *like)
{
    return fc_map_hash(parent, like->site, fc_counts_callee_key(like->site_module, like->function));
}

/* Of the child of `parent` with the same call site and function, or the empty one. */
static FcNodesSlot *slot_of_child(const FcAttribution *work, guint32 parent,
                                  const FcCountsNode *like)
{
    const FcCountsNode *nodes = work->counts->nodes;
    const guint32 hash = hash_of_child(parent, like);
    FcNodesSlot *slot = fc_nodes_first(&work->children, hash);
    while (slot->node != 0 &&
           (*fc_attribution_link(work->first_parent, slot->node) != parent ||
            nodes[slot->node].function != like->function || nodes[slot->node].site != like->site ||
            nodes[slot->node].site_module != like->site_module))
        slot = fc_nodes_next(&work->children, slot, hash);
    return slot;
}

static void add_to_pair(FcAttribution *work, guint32 node)
{
    const FcCountsNode *own = &work->counts->nodes[node];
    const FcMapSlot *pair = fc_map_find(&work->counted->pair_map, own->site,
                                        (guint64)(gint64)own->site_module, own->function);
    if (!pair)
        return;
    guint32 *first = fc_attribution_link(work->first_of_pair, pair->value - 1);
    *fc_attribution_link(work->next_of_pair, node) = *first;
    *first = node;
}

/* Makes `node` known as a child of its parent. */
static void add_child(FcAttribution *work, guint32 node)
{
    const FcCountsNode *own = &work->counts->nodes[node];
    FcNodesSlot *slot = slot_of_child(work, own->parent, own);
    *fc_attribution_link(work->first_parent, node) = own->parent;
    if (slot->node == 0)
        fc_nodes_add(&work->children, slot, hash_of_child(own->parent, own), node);
    fc_attribution_link(work->first_child, node);
    *fc_attribution_link(work->next_child, node) =
        *fc_attribution_link(work->first_child, own->parent);
    *fc_attribution_link(work->first_child, own->parent) = node;
    *fc_attribution_link(work->next_same, node) = work->first_same[own->function];
    work->first_same[own->function] = node;
    add_to_pair(work, node);
    fc_attribution_grow(work->hidden_calls, node);
    fc_attribution_grow(work->spent, node);
    fc_attribution_add_below(work, node);
}

guint32 fc_attribution_find_child(const FcAttribution *work, guint32 node,
                                  const FcCountedPair *pair)
{
    const FcCountsNode like = {
        .site = pair->site, .site_module = pair->site_module, .function = pair->function};
    return slot_of_child(work, node, &like)->node;
}

guint32 fc_attribution_child(FcAttribution *work, guint32 node, const FcCountedPair *pair)
{
    FcCounts *counts = work->counts;
    guint32 known = fc_counts_find_on_path(counts, node, pair->function);
    if (known != 0)
        return known;
    known = fc_attribution_find_child(work, node, pair);
    if (known != 0)
        return known;
    if (fc_counts_has_room(counts))
        known = fc_counts_add_node(counts, node, pair->site, pair->site_module, pair->function);
    else
    {
        counts->contexts_folded++;
        const FcCountedPair folded = {
            .site = FC_FOLDED_SITE, .site_module = FC_NONE, .function = pair->function};
        known = fc_attribution_find_child(work, 0, &folded);
        if (known != 0)
            return known;
        known = fc_counts_add_node(counts, 0, FC_FOLDED_SITE, FC_NONE, pair->function);
    }
    add_child(work, known);
    return known;
}

gboolean fc_attribution_is_on_path(const FcCounts *counts, guint32 wanted, guint32 node)
{
    while (node != 0 && node != wanted)
        node = counts->nodes[node].parent;
    return node == wanted;
}

guint32 fc_attribution_next_below(const FcAttribution *work, guint32 node, guint32 top,
                                  gboolean descend)
{
    guint32 child = descend ? *fc_attribution_link(work->first_child, node) : 0;
    if (child != 0)
        return child;
    while (node != top)
    {
        guint32 sibling = *fc_attribution_link(work->next_child, node);
        if (sibling != 0)
            return sibling;
        node = work->counts->nodes[node].parent;
    }
    return 0;
}

/* ---- Contexts below another one -----------------------------------------------------
 *
 * Which contexts of a function are below another context with none but counted functions between
 * them.  This is asked for each batch of counted calls and for each context that may move, so it
 * is not searched for in the tree, which has tens of thousands of contexts.
 *
 * Contexts are found by their own function and their top, the nearest context above them that is
 * not of a counted function.  Those below that top but not below the other context are left out.
 * The order of the tree tells for contexts that there were when it was numbered; those that were
 * made since are looked for upwards.  The tree is numbered again before contexts move.
 */

#include <string.h>

static guint32 top_of(const FcAttribution *work, guint32 node)
{
    return g_array_index(work->below.top, guint32, node);
}

static guint32 hash_of(guint32 top, guint32 function)
{
    return fc_map_hash(top, function, 0);
}

/* The slot of the newest context of that function with that top, or the empty one. */
static FcNodesSlot *slot_of(const FcAttribution *work, guint32 top, guint32 function)
{
    const guint32 hash = hash_of(top, function);
    FcNodesSlot *slot = fc_nodes_first(&work->below.newest, hash);
    while (slot->node != 0 && (top_of(work, slot->node) != top ||
                               work->counts->nodes[slot->node].function != function))
        slot = fc_nodes_next(&work->below.newest, slot, hash);
    return slot;
}

/* Numbers the contexts that there are in the order of the tree: those below one follow it. */
static void number_nodes(FcAttribution *work)
{
    FcContextsBelow *below = &work->below;
    const FcCountsNode *nodes = work->counts->nodes;
    const guint32 count = work->counts->node_count;
    g_array_set_size(below->place, count);
    g_array_set_size(below->end, count);
    guint32 *place = &g_array_index(below->place, guint32, 0);
    guint32 *end =
        &g_array_index(below->end, guint32, 0); /* how many at first, then the next one's */
    g_autofree guint32 *next = g_new(guint32, count);
    memset(end, 0, count * sizeof *end);
    for (guint32 i = count; i-- > 0;)
    {
        end[i]++;
        if (i > 0)
            end[nodes[i].parent] += end[i];
    }
    for (guint32 i = 0; i < count; i++)
    {
        place[i] = i > 0 ? next[nodes[i].parent] : 0;
        next[i] = place[i] + 1;
        if (i > 0)
            next[nodes[i].parent] += end[i];
        end[i] += place[i];
    }
}

void fc_attribution_begin_below(FcAttribution *work)
{
    const guint32 nodes = work->counts->node_count;
    GArray **arrays[] = {&work->below.top, &work->below.older, &work->below.place,
                         &work->below.end};
    for (guint i = 0; i < G_N_ELEMENTS(arrays); i++)
        *arrays[i] = g_array_sized_new(FALSE, TRUE, sizeof(guint32), nodes);
    fc_nodes_init(&work->below.newest, 0);
    number_nodes(work);
}

void fc_attribution_add_below(FcAttribution *work, guint32 node)
{
    FcContextsBelow *below = &work->below;
    const FcCountsNode *own = &work->counts->nodes[node];
    if (!below->top)
        return;
    const gboolean is_parent_top =
        own->parent == 0 || !work->is_counted[work->counts->nodes[own->parent].function];
    const guint32 top = is_parent_top ? own->parent : top_of(work, own->parent);
    *fc_attribution_link(below->top, node) = top;
    const guint32 place = g_array_index(below->place, guint32, own->parent);
    if (node >= below->end->len) /* below the same as its parent, and nothing is below it */
        *fc_attribution_link(below->place, node) = place;
    FcNodesSlot *slot = slot_of(work, top, own->function);
    *fc_attribution_link(below->older, node) = slot->node;
    if (slot->node != 0)
        slot->node = node;
    else
        fc_nodes_add(&below->newest, slot, hash_of(top, own->function), node);
}

/* Whether `at` was below `node` when the contexts were numbered, or its parent when it was made. */
static gboolean was_below(const FcContextsBelow *below, guint32 node, guint32 at)
{
    const guint32 place = g_array_index(below->place, guint32, at);
    return node < below->end->len && place >= g_array_index(below->place, guint32, node) &&
           place < g_array_index(below->end, guint32, node);
}

/* Whether it is, before any context has moved: parents stand before their children. */
static gboolean is_made_below(const FcCounts *counts, guint32 node, guint32 at)
{
    while (at > node)
        at = counts->nodes[at].parent;
    return at == node;
}

void fc_attribution_find_below(const FcAttribution *work, guint32 node, guint32 function,
                               GArray *found)
{
    const FcContextsBelow *below = &work->below;
    const gboolean is_top = node == 0 || !work->is_counted[work->counts->nodes[node].function];
    const gboolean is_numbered = node < below->end->len;
    const guint32 top = is_top ? node : top_of(work, node);
    for (guint32 at = slot_of(work, top, function)->node; at > node;
         at = g_array_index(below->older, guint32, at))
        if (is_top ||
            (is_numbered ? was_below(below, node, at) : is_made_below(work->counts, node, at)))
            g_array_append_val(found, at);
}

/* ---- The one with most calls ------------------------------------------------------------- */

/* The contexts of one top and function are a group, whose members stand in below.ranked in the
 * order of the tree.  Above them is a tree of tournaments: entry k of below.best, counted from
 * twice where the group begins, is the better one of 2k and 2k + 1, and those of the members are
 * behind the others. */

static guint32 better(const FcCountsNode *nodes, guint32 one, guint32 other)
{
    if (one == 0 || other == 0)
        return MAX(one, other);
    if (nodes[one].calls != nodes[other].calls)
        return nodes[one].calls > nodes[other].calls ? one : other;
    return MAX(one, other);
}

/* By context: the newest of its group.  Older ones have the newest's number by way of those that
 * are newer still, which come first here. */
static guint32 *find_groups(FcAttribution *work)
{
    const guint32 count = work->counts->node_count;
    guint32 *group = g_new0(guint32, count);
    for (guint32 i = count; i-- > 1;)
    {
        const guint32 older = g_array_index(work->below.older, guint32, i);
        group[i] = group[i] != 0 ? group[i] : i;
        if (older != 0)
            group[older] = group[i];
    }
    return group;
}

void fc_attribution_rank_below(FcAttribution *work)
{
    FcContextsBelow *below = &work->below;
    const guint32 count = work->counts->node_count;
    const FcCountsNode *nodes = work->counts->nodes;
    number_nodes(work);
    g_autofree guint32 *group = find_groups(work);
    g_autofree guint32 *in_order = g_new0(guint32, count);
    below->sizes = g_new0(guint32, count);
    below->starts = g_new0(guint32, count);
    below->ranked = g_new0(guint32, count);
    below->best = g_new0(guint32, 2 * (gsize)count);
    for (guint32 i = 1; i < count; i++)
    {
        in_order[g_array_index(below->place, guint32, i)] = i;
        below->sizes[group[i]]++;
    }
    for (guint32 i = 1, start = 0; i < count; i++)
    {
        below->starts[i] = start;
        start += below->sizes[i];
        below->sizes[i] = 0;
    }
    for (guint32 i = 1; i < count; i++)
    {
        const guint32 newest = group[in_order[i]];
        below->ranked[below->starts[newest] + below->sizes[newest]++] = in_order[i];
    }
    for (guint32 i = 1; i < count; i++)
    {
        const guint32 size = below->sizes[i];
        guint32 *best = &below->best[2 * (gsize)below->starts[i]];
        for (guint32 k = 0; k < size; k++)
            best[size + k] = below->ranked[below->starts[i] + k];
        for (guint32 k = size; k-- > 1;)
            best[k] = better(nodes, best[2 * k], best[2 * k + 1]);
    }
}

/* How many of the group's members stand before `place` in the order of the tree. */
static guint32 members_before(const FcContextsBelow *below, guint32 newest, guint32 place)
{
    guint32 from = 0;
    guint32 to = below->sizes[newest];
    while (from < to)
    {
        const guint32 middle = (from + to) / 2;
        const guint32 member = below->ranked[below->starts[newest] + middle];
        if (g_array_index(below->place, guint32, member) < place)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* That of the group's members which has most calls of those from `place` up to before `end`. */
static guint32 best_within(const FcAttribution *work, guint32 newest, guint32 place, guint32 end)
{
    const FcContextsBelow *below = &work->below;
    const guint32 *best = &below->best[2 * (gsize)below->starts[newest]];
    const FcCountsNode *nodes = work->counts->nodes;
    guint32 from = members_before(below, newest, place) + below->sizes[newest];
    guint32 to = members_before(below, newest, MAX(place, end)) + below->sizes[newest];
    guint32 found = 0;
    for (; from < to; from /= 2, to /= 2)
    {
        if (from % 2 == 1)
            found = better(nodes, found, best[from++]);
        if (to % 2 == 1)
            found = better(nodes, found, best[--to]);
    }
    return found;
}

guint32 fc_attribution_best_below(const FcAttribution *work, guint32 node, guint32 function,
                                  guint32 moves)
{
    const FcCounts *counts = work->counts;
    const FcContextsBelow *below = &work->below;
    const gboolean is_top = node == 0 || !work->is_counted[counts->nodes[node].function];
    const guint32 newest = slot_of(work, is_top ? node : top_of(work, node), function)->node;
    if (newest == 0)
        return 0;
    const guint32 place = g_array_index(below->place, guint32, node) + 1;
    const guint32 end = g_array_index(below->end, guint32, node);
    const guint32 own = CLAMP(g_array_index(below->place, guint32, moves), place, end);
    const guint32 own_end = CLAMP(g_array_index(below->end, guint32, moves), place, end);
    const guint32 found = better(counts->nodes, best_within(work, newest, place, own),
                                 best_within(work, newest, own_end, end));
    /* what moved before may be below it by now */
    return found != 0 && !fc_attribution_is_on_path(counts, moves, found) ? found : 0;
}

void fc_attribution_forget_below(FcAttribution *work)
{
    FcContextsBelow *below = &work->below;
    g_clear_pointer(&below->top, g_array_unref);
    g_clear_pointer(&below->older, g_array_unref);
    g_clear_pointer(&below->place, g_array_unref);
    g_clear_pointer(&below->end, g_array_unref);
    g_clear_pointer(&below->sizes, g_free);
    g_clear_pointer(&below->starts, g_free);
    g_clear_pointer(&below->ranked, g_free);
    g_clear_pointer(&below->best, g_free);
    fc_nodes_clear(&below->newest);
}

/* ---- Begin and end ------------------------------------------------------------------ */

static gint compare_functions(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcCounts *counts = data;
    const FcCountsFunction *one = &counts->functions[*(const guint32 *)a];
    const FcCountsFunction *other = &counts->functions[*(const guint32 *)b];
    if (one->module != other->module)
        return one->module < other->module ? -1 : 1;
    return one->address < other->address ? -1 : one->address > other->address;
}

static void note_pairs(FcAttribution *work)
{
    FcCounted *counted = work->counted;
    FcCounts *counts = work->counts;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        FcCountedPair *pair = fc_counted_pair(counted, arc->site, arc->site_module, arc->callee);
        *fc_attribution_link(work->next_arc, i) = pair->first_arc;
        pair->first_arc = i + 1;
        g_array_append_val(work->recorded, arc->calls);
        work->functions[arc->callee].calls += arc->calls;
        if (i < counted->watched->len)
            work->functions[arc->callee].windows +=
                g_array_index(counted->watched, FcCountedWatched, i).windows;
    }
    for (guint32 i = counted->samples->len; i-- > 0;)
    {
        FcCountedSample *sample = &g_array_index(counted->samples, FcCountedSample, i);
        const FcCountsArc *arc = &counts->arcs[sample->arc];
        FcCountedPair *pair = fc_counted_pair(counted, arc->site, arc->site_module, arc->callee);
        work->functions[arc->callee].windows +=
            sample->timed.windows + sample->alone -
            MIN(sample->cut, sample->timed.windows + sample->alone);
        sample->next = pair->first_sample;
        pair->first_sample = i + 1;
        work->is_counted[arc->callee] |=
            pair->deep < pair->calls ? FC_ATTRIBUTION_COUNTED : FC_ATTRIBUTION_DEEP;
    }
    for (guint32 i = counted->pairs->len; i-- > 0;)
    {
        const FcCountedPair *pair = &g_array_index(counted->pairs, FcCountedPair, i);
        work->functions[pair->function].calls += pair->calls;
        *fc_attribution_link(work->next_pair, i) = work->first_pair[pair->function];
        work->first_pair[pair->function] = i + 1;
        if (pair->deep > 0)
            work->is_counted[pair->function] |= FC_ATTRIBUTION_DEEP;
        if (pair->deep < pair->calls)
            work->is_counted[pair->function] |= FC_ATTRIBUTION_COUNTED;
    }
}

static GArray *links_new(guint count)
{
    GArray *links = g_array_new(FALSE, TRUE, sizeof(guint32));
    g_array_set_size(links, count);
    return links;
}

void fc_attribution_begin(FcAttribution *work, FcCounted *counted, const FcCallOverhead *of_call)
{
    FcCounts *counts = counted->counts;
    const guint32 functions = counts->function_count;
    *work = (FcAttribution){.counted = counted, .counts = counts, .of_call = of_call};
    fc_nodes_init(&work->children, counts->node_count);
    work->first_parent = links_new(counts->node_count);
    work->first_child = links_new(counts->node_count);
    work->next_child = links_new(counts->node_count);
    work->next_same = links_new(counts->node_count);
    work->next_of_pair = links_new(counts->node_count);
    work->first_of_pair = links_new(counted->pairs->len);
    work->next_arc = links_new(counts->arc_count);
    work->next_pair = links_new(counted->pairs->len);
    work->first_pair = g_new0(guint32, functions);
    work->hidden_calls = g_array_new(FALSE, TRUE, sizeof(guint64));
    g_array_set_size(work->hidden_calls, counts->node_count);
    work->spent = g_array_new(FALSE, TRUE, sizeof(FcCountedSpent));
    g_array_set_size(work->spent, counts->node_count);
    work->recorded = g_array_sized_new(FALSE, FALSE, sizeof(guint64), counts->arc_count);
    work->callers = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    work->shares = g_array_new(FALSE, TRUE, sizeof(FcCountedShare));
    fc_nodes_init(&work->share_table, counts->node_count);
    work->first_same = g_new0(guint32, functions);
    work->is_counted = g_new0(guint8, functions);
    work->by_address = g_new(guint32, functions);
    for (guint32 i = 0; i < functions; i++)
        work->by_address[i] = i;
    work->functions = g_new0(FcAttributedFunction, functions + 1);
    g_qsort_with_data(work->by_address, (gint)functions, sizeof *work->by_address,
                      compare_functions, counts);
    note_pairs(work);
    fc_attribution_begin_below(work);
    for (guint32 i = 1; i < counts->node_count; i++)
        add_child(work, i);
}

void fc_attribution_end(FcAttribution *work)
{
    fc_nodes_clear(&work->children);
    g_array_unref(work->first_parent);
    g_array_unref(work->first_child);
    g_array_unref(work->next_child);
    g_array_unref(work->next_same);
    g_array_unref(work->next_of_pair);
    g_array_unref(work->first_of_pair);
    g_array_unref(work->next_arc);
    g_array_unref(work->next_pair);
    g_free(work->first_pair);
    g_array_unref(work->hidden_calls);
    g_array_unref(work->spent);
    g_array_unref(work->recorded);
    g_hash_table_unref(work->callers);
    g_free(work->first_same);
    g_free(work->is_counted);
    g_free(work->by_address);
    g_free(work->functions);
    fc_attribution_forget_below(work);
}
