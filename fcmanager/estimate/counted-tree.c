/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Links the calling-context tree and the call sites, for the attribution of counted calls: see
 * counted-work.h.
 */
#include "fcmanager/estimate/counted-work.h"

/* ---- Contexts --------------------------------------------------------------------- */

static guint32 hash_of_child(guint32 parent, const FcCountsNode *like)
{
    return fc_map_hash(parent, like->site, fc_counts_callee_key(like->site_module, like->function));
}

/* Returns the slot of the child of `parent` with the same call site and function, or an empty slot.
 */
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

/* Adds `node` to the table of its parent's children. */
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
    guint32 next = descend ? *fc_attribution_link(work->first_child, node) : 0;
    for (; next == 0 && node != top; node = work->counts->nodes[node].parent)
        next = *fc_attribution_link(work->next_child, node);
    return next;
}

/* ---- Contexts below another one -----------------------------------------------------
 *
 * Which contexts of a function are below another context with none but counted functions between
 * them.  Contexts are found by their own function and their top, the nearest context above them
 * that is not of a counted function.
 */

static gboolean is_counted(const FcAttribution *work, guint32 node)
{
    return work->is_counted[work->counts->nodes[node].function] != 0;
}

static guint32 top_of(const FcAttribution *work, guint32 node)
{
    return g_array_index(work->top, guint32, node);
}

/* Returns the slot of the newest context of that function with that top, or an empty slot. */
static FcNodesSlot *slot_of(const FcAttribution *work, guint32 top, guint32 function)
{
    const guint32 hash = fc_map_hash(top, function, 0);
    FcNodesSlot *slot = fc_nodes_first(&work->newest, hash);
    while (slot->node != 0 && (top_of(work, slot->node) != top ||
                               work->counts->nodes[slot->node].function != function))
        slot = fc_nodes_next(&work->newest, slot, hash);
    return slot;
}

void fc_attribution_add_below(FcAttribution *work, guint32 node)
{
    const FcCountsNode *own = &work->counts->nodes[node];
    const gboolean is_top = own->parent == 0 || !is_counted(work, own->parent);
    const guint32 top = is_top ? own->parent : top_of(work, own->parent);
    FcNodesSlot *slot = slot_of(work, top, own->function);
    *fc_attribution_link(work->top, node) = top;
    *fc_attribution_link(work->older, node) = slot->node;
    if (slot->node != 0)
        slot->node = node;
    else
        fc_nodes_add(&work->newest, slot, fc_map_hash(top, own->function, 0), node);
}

static gint compare_nodes(gconstpointer a, gconstpointer b)
{
    const guint32 one = *(const guint32 *)a;
    const guint32 other = *(const guint32 *)b;
    return one > other ? -1 : one < other;
}

/* There may be tens of thousands of contexts below a top, and few below another context. */
void fc_attribution_find_below(const FcAttribution *work, guint32 node, guint32 function,
                               GArray *found)
{
    if (node == 0 || !is_counted(work, node))
    {
        for (guint32 at = slot_of(work, node, function)->node; at != 0;
             at = g_array_index(work->older, guint32, at))
            g_array_append_val(found, at);
        return;
    }
    for (guint32 at = fc_attribution_next_below(work, node, node, TRUE); at != 0;
         at = fc_attribution_next_below(work, at, node, is_counted(work, at)))
        if (work->counts->nodes[at].function == function)
            g_array_append_val(found, at);
    g_array_sort(found, compare_nodes);
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
            work->functions[arc->callee].complete +=
                g_array_index(counted->watched, FcCountedWatched, i).bursts;
    }
    for (guint32 i = counted->samples->len; i-- > 0;)
    {
        FcCountedSample *sample = &g_array_index(counted->samples, FcCountedSample, i);
        const FcCountsArc *arc = &counts->arcs[sample->arc];
        FcCountedPair *pair = fc_counted_pair(counted, arc->site, arc->site_module, arc->callee);
        work->functions[arc->callee].complete +=
            sample->timed.calls + sample->alone -
            MIN(sample->cut, sample->timed.calls + sample->alone);
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
    fc_nodes_init(&work->newest, counts->node_count);
    work->top = links_new(counts->node_count);
    work->older = links_new(counts->node_count);
    work->first_parent = links_new(counts->node_count);
    work->first_child = links_new(counts->node_count);
    work->next_child = links_new(counts->node_count);
    work->next_same = links_new(counts->node_count);
    work->next_of_pair = links_new(counts->node_count);
    work->first_of_pair = links_new(counted->pairs->len);
    work->next_arc = links_new(counts->arc_count);
    work->next_pair = links_new(counted->pairs->len);
    work->first_pair = g_new0(guint32, functions);
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
    g_array_unref(work->recorded);
    g_hash_table_unref(work->callers);
    g_free(work->first_same);
    g_free(work->is_counted);
    g_free(work->by_address);
    g_free(work->functions);
    fc_nodes_clear(&work->newest);
    g_array_unref(work->top);
    g_array_unref(work->older);
}
