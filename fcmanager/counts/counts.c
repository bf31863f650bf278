/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The accumulators of counts.h: adds functions, arcs and contexts that are new, and merges two
 * FcCounts.  Never does input or output.
 */
#include "fcmanager/counts/counts.h"

#include "fcmanager/counts/wait-sites.h"

#include "fcmanager/base/memory-limit.h"

#include <string.h>

/* When there are more edges than this and than 1.5 times the nodes, those that do not lead from a
 * node to its child are dropped.  They only save time: walking the path finds them again.  The
 * lower number is for when half of all contexts are in use, since then many threads have edges. */
#define EDGES_LEAST (3u << 13)
#define EDGES_CROWDED (3u << 11)

#define MAKE_ROOM(array, count, room)                                                              \
    do                                                                                             \
    {                                                                                              \
        if (!(array) || (count) == (room))                                                         \
        {                                                                                          \
            (room) = MAX(2 * (room), 32);                                                          \
            (array) = g_realloc_n((array), (room), sizeof *(array));                               \
        }                                                                                          \
    } while (0)

FcCounts *fc_counts_new(const FcModules *modules, const FcCountsSizes *sizes)
{
    FcCounts *counts = g_new0(FcCounts, 1);
    counts->modules = modules;
    counts->changes_seen = fc_modules_change_count(modules);
    counts->node_limit = FC_CONTEXTS_DEFAULT;
    fc_map_init(&counts->function_map, sizes->functions);
    fc_nodes_init(&counts->arc_map, sizes->arcs);
    fc_map_init(&counts->edges, sizes->arcs);
    MAKE_ROOM(counts->nodes, counts->node_count, counts->node_room);
    counts->nodes[counts->node_count++] = (FcCountsNode){.site_module = FC_NONE};
    return counts;
}

void fc_counts_free(FcCounts *counts)
{
    if (!counts)
        return;
    if (counts->contexts_in_use)
        *counts->contexts_in_use -= counts->node_count - 1;
    fc_map_clear(&counts->function_map);
    fc_nodes_clear(&counts->arc_map);
    fc_map_clear(&counts->edges);
    fc_nodes_clear(&counts->merged);
    fc_counts_drop_functions(counts);
    for (guint32 i = 0; counts->arc_latencies && i < counts->arc_count; i++)
        fc_latency_clear(&counts->arc_latencies[i], &counts->latency_room);
    g_free(counts->arc_latencies);
    for (guint32 i = 0; counts->slowest && i < counts->function_count; i++)
        fc_slowest_clear(&counts->slowest[i]);
    g_free(counts->slowest);
    g_free(counts->arcs);
    g_free(counts->nodes);
    g_free(counts->sums_memory);
    g_free(counts->owners);
    g_clear_pointer(&counts->apportioned_nodes, g_array_unref);
    g_clear_pointer(&counts->apportioned_arcs, g_array_unref);
    g_clear_pointer(&counts->counted_functions, g_array_unref);
    fc_map_clear(&counts->known_arcs);
    g_clear_pointer(&counts->unrecorded, g_array_unref);
    g_clear_pointer(&counts->deep_nodes, g_array_unref);
    g_clear_pointer(&counts->node_costs, g_array_unref);
    g_clear_pointer(&counts->arc_costs, g_array_unref);
    g_clear_pointer(&counts->node_waits, g_hash_table_unref);
    g_clear_pointer(&counts->arc_waits, g_hash_table_unref);
    g_clear_pointer(&counts->offs, g_hash_table_unref);
    g_clear_pointer(&counts->wait_sites, g_hash_table_unref);
    g_free(counts);
}

void fc_counts_make_buckets(FcCountsFunction *function, guint first, guint last)
{
    FcHistogram *histogram = &function->histogram;
    fc_histogram_make_room(histogram, first, last);
    function->buckets = (guintptr)histogram->calls - histogram->first * sizeof *histogram->calls;
}

void fc_counts_mark(GArray **marks, guint32 index)
{
    if (!*marks)
        *marks = g_array_new(FALSE, TRUE, sizeof(guint8));
    if ((*marks)->len <= index)
        g_array_set_size(*marks, index + 1);
    g_array_index(*marks, guint8, index) = 1;
}

void fc_counts_add_unrecorded(GArray **unrecorded, guint32 node, guint64 calls)
{
    if (!*unrecorded)
        *unrecorded = g_array_new(FALSE, TRUE, sizeof(guint64));
    if ((*unrecorded)->len <= node)
        g_array_set_size(*unrecorded, node + 1);
    g_array_index(*unrecorded, guint64, node) += calls;
}

void fc_counts_note_deep(FcCounts *counts, guint32 node, gboolean is_deep)
{
    if (is_deep && fc_counts_unrecorded(counts, node) == 0)
        fc_counts_mark(&counts->deep_nodes, node);
    else if (!is_deep && fc_counts_is_marked(counts->deep_nodes, node))
        g_array_index(counts->deep_nodes, guint8, node) = 0;
}

static void add_cost(GArray **costs, guint32 index, FcCountsCost cost)
{
    if (cost.total == 0 && cost.local == 0)
        return;
    if (!*costs)
        *costs = g_array_new(FALSE, TRUE, sizeof(FcCountsCost));
    if ((*costs)->len <= index)
        g_array_set_size(*costs, index + 1);
    FcCountsCost *sum = &g_array_index(*costs, FcCountsCost, index);
    sum->total += cost.total;
    sum->local += cost.local;
}

void fc_counts_add_wait(GHashTable **waits, guint32 index, FcCountsCost wait)
{
    if (wait.total == 0 && wait.local == 0)
        return;
    if (!*waits)
        *waits = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    FcCountsCost *sum = g_hash_table_lookup(*waits, GUINT_TO_POINTER(index));
    if (!sum)
    {
        sum = g_new0(FcCountsCost, 1);
        g_hash_table_insert(*waits, GUINT_TO_POINTER(index), sum);
    }
    sum->total += wait.total;
    sum->local += wait.local;
}

FcCountsCost fc_counts_wait(GHashTable *waits, guint32 index)
{
    const FcCountsCost none = {0};
    const FcCountsCost *wait = waits ? g_hash_table_lookup(waits, GUINT_TO_POINTER(index)) : NULL;
    return wait ? *wait : none;
}

FcCountsOff *fc_counts_make_off(FcCounts *counts, guint32 function)
{
    if (!counts->offs)
        counts->offs = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    FcCountsOff *off = g_hash_table_lookup(counts->offs, GUINT_TO_POINTER(function));
    if (!off)
    {
        off = g_new0(FcCountsOff, 1);
        g_hash_table_insert(counts->offs, GUINT_TO_POINTER(function), off);
    }
    return off;
}

static const FcCountsOff *find_off(const FcCounts *counts, guint32 function)
{
    return counts->offs ? g_hash_table_lookup(counts->offs, GUINT_TO_POINTER(function)) : NULL;
}

FcProfileOff *fc_counts_get_off(const FcCounts *counts, guint32 function)
{
    const FcCountsOff *from = find_off(counts, function);
    if (!from)
        return NULL;
    FcProfileOff *off = g_new0(FcProfileOff, 1);
    off->preempted_ns = MIN(from->preempted, counts->functions[function].wait_local);
    memcpy(off->kind_ns, from->kind_ns, sizeof off->kind_ns);
    return off;
}

/* ---- Making entries --------------------------------------------------------- */

guint32 fc_counts_get_function(FcCounts *counts, guint64 address, gint module, guint64 seen)
{
    guint64 module_key = (guint64)(gint64)module;
    const FcMapSlot *slot = fc_map_find(&counts->function_map, address, module_key, 0);
    if (slot)
        return slot->value - 1;
    MAKE_ROOM(counts->functions, counts->function_count, counts->function_room);
    if (counts->slowest_most > 0)
    {
        MAKE_ROOM(counts->slowest, counts->function_count, counts->slowest_room);
        counts->slowest[counts->function_count] = (FcSlowest){0};
    }
    FcCountsFunction *function = &counts->functions[counts->function_count];
    memset(function, 0, sizeof *function);
    function->address = address;
    function->module = module;
    function->seen = seen;
    function->bounds = function->elapsed = function->on_cpu = FC_COUNTS_NO_BOUNDS;
    fc_map_add(&counts->function_map, address, module_key, 0, ++counts->function_count, 0);
    return counts->function_count - 1;
}

static guint32 hash_of_arc(const FcCountsArc *arc)
{
    return fc_map_hash((guint64)arc->caller << 32 | arc->callee, arc->site,
                       (guint64)(gint64)arc->site_module);
}

/* The slot of the arc with the same ends and call site, or an empty one. */
static FcNodesSlot *slot_of_arc(const FcCounts *counts, const FcCountsArc *like)
{
    const guint32 hash = hash_of_arc(like);
    FcNodesSlot *slot = fc_nodes_first(&counts->arc_map, hash);
    for (; slot->node != 0; slot = fc_nodes_next(&counts->arc_map, slot, hash))
    {
        const FcCountsArc *arc = &counts->arcs[slot->node - 1];
        if (arc->caller == like->caller && arc->callee == like->callee && arc->site == like->site &&
            arc->site_module == like->site_module)
            break;
    }
    return slot;
}

guint32 fc_counts_get_arc(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                          guint32 callee)
{
    const FcCountsArc fresh = {
        .caller = caller, .callee = callee, .site = site, .site_module = site_module};
    FcNodesSlot *slot = slot_of_arc(counts, &fresh);
    if (slot->node != 0)
        return slot->node - 1;
    MAKE_ROOM(counts->arcs, counts->arc_count, counts->arc_room);
    counts->arcs[counts->arc_count] = fresh;
    if (counts->latency_room.limit != 0)
    {
        MAKE_ROOM(counts->arc_latencies, counts->arc_count, counts->arc_latencies_room);
        counts->arc_latencies[counts->arc_count] = (FcLatencies){0};
    }
    fc_nodes_add(&counts->arc_map, slot, hash_of_arc(&fresh), ++counts->arc_count);
    return counts->arc_count - 1;
}

gboolean fc_counts_index_arcs(FcCounts *counts)
{
    fc_nodes_clear(&counts->arc_map);
    fc_nodes_init(&counts->arc_map, counts->arc_count);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcNodesSlot *slot = slot_of_arc(counts, &counts->arcs[i]);
        if (slot->node != 0)
            return FALSE;
        fc_nodes_add(&counts->arc_map, slot, hash_of_arc(&counts->arcs[i]), i + 1);
    }
    return TRUE;
}

guint32 fc_counts_find_arc(const FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                           guint32 callee)
{
    const FcCountsArc like = {
        .caller = caller, .callee = callee, .site = site, .site_module = site_module};
    return slot_of_arc(counts, &like)->node;
}

guint32 fc_counts_add_node(FcCounts *counts, guint32 parent, guint64 site, gint site_module,
                           guint32 function)
{
    MAKE_ROOM(counts->nodes, counts->node_count, counts->node_room);
    counts->nodes[counts->node_count] = (FcCountsNode){
        .parent = parent, .function = function, .site = site, .site_module = site_module};
    if (counts->contexts_in_use)
        (*counts->contexts_in_use)++;
    return counts->node_count++;
}

/* The node below the root that takes calls of the function when there is no room for contexts. */
static guint32 get_overflow_node(FcCounts *counts, guint32 function)
{
    const FcMapSlot *slot = fc_map_find(&counts->edges, 0, FC_FOLDED_SITE, function);
    if (slot)
        return slot->value;
    guint32 node = fc_counts_add_node(counts, 0, FC_FOLDED_SITE, FC_NONE, function);
    fc_map_add(&counts->edges, 0, FC_FOLDED_SITE, function, node, 0);
    return node;
}

/* ---- Edges ------------------------------------------------------------------ */

guint32 fc_counts_find_on_path(const FcCounts *counts, guint32 node, guint32 function)
{
    for (; node != 0; node = counts->nodes[node].parent)
        if (counts->nodes[node].function == function)
            return node;
    return 0;
}

gboolean fc_counts_has_room(const FcCounts *counts)
{
    return counts->node_count < counts->node_limit &&
           (counts->contexts_in_use == NULL || *counts->contexts_in_use < counts->node_limit) &&
           !fc_memory_is_short();
}

static gboolean is_tree_edge(const FcMapSlot *slot, gpointer data)
{
    const FcCounts *counts = data;
    const FcCountsNode *child = &counts->nodes[slot->value];
    return slot->key[1] == FC_FOLDED_SITE ||
           (child->parent == slot->key[0] && child->site == slot->key[1]);
}

static guint32 most_edges(const FcCounts *counts)
{
    const guint32 *all = counts->contexts_in_use;
    const guint32 least = all && *all > counts->node_limit / 2 ? EDGES_CROWDED : EDGES_LEAST;
    return MAX(counts->node_count + counts->node_count / 2, least);
}

const FcMapSlot *fc_counts_make_edge(FcCounts *counts, guint32 node, guint64 site, guint64 address,
                                     guint64 time)
{
    gint module = fc_modules_find(counts->modules, address, time);
    gint site_module = fc_modules_find(counts->modules, site, time);
    guint32 function = fc_counts_get_function(counts, address, module, time);
    guint32 caller = node != 0 ? counts->nodes[node].function + 1 : 0;
    guint32 arc = fc_counts_arc_from_frame(counts, caller, site, site_module, function);

    if (counts->edges.used > most_edges(counts))
        fc_map_filter(&counts->edges, is_tree_edge, counts);
    guint32 child = fc_counts_find_on_path(counts, node, function);
    if (child == 0 && fc_counts_has_room(counts))
        child = fc_counts_add_node(counts, node, site, site_module, function);
    else if (child == 0)
    {
        child = get_overflow_node(counts, function);
        counts->contexts_folded++;
    }
    fc_map_add(&counts->edges, node, site, address, child, arc);
    return fc_map_place(&counts->edges, node, site, address);
}

gboolean fc_counts_is_active(const FcCounts *counts, guint64 address, guint64 time)
{
    gint module = fc_modules_find(counts->modules, address, time);
    const FcMapSlot *slot = fc_map_find(&counts->function_map, address, (guint64)(gint64)module, 0);
    return slot != NULL && fc_counts_activations(&counts->functions[slot->value - 1]) > 0;
}

void fc_counts_forget_edges(FcCounts *counts)
{
    fc_map_clear(&counts->edges);
    fc_map_init(&counts->edges, 0);
    fc_nodes_clear(&counts->merged);
}

void fc_counts_end(FcCounts *counts)
{
    fc_counts_forget_edges(counts);
    fc_map_clear(&counts->function_map);
    fc_map_init(&counts->function_map, 0);
    fc_nodes_clear(&counts->arc_map);
    fc_nodes_init(&counts->arc_map, 0);
}

void fc_counts_drop_functions(FcCounts *counts)
{
    for (guint32 i = 0; counts->functions && i < counts->function_count; i++)
        fc_histogram_clear(&counts->functions[i].histogram);
    g_clear_pointer(&counts->functions, g_free);
}

/* ---- Modules that come and go ----------------------------------------------- */

static gboolean is_outside(const FcMapSlot *slot, gpointer data)
{
    const FcModuleChange *range = data;
    if (slot->key[1] == FC_FOLDED_SITE)
        return TRUE;
    return (slot->key[1] < range->start || slot->key[1] >= range->end) &&
           (slot->key[2] < range->start || slot->key[2] >= range->end);
}

guint64 fc_counts_apply_changes(FcCounts *counts, guint64 time)
{
    static const FcModuleChange everything = {0, 0, G_MAXUINT64};
    while (counts->changes_seen < fc_modules_change_count(counts->modules))
    {
        const FcModuleChange *change = fc_modules_change(counts->modules, counts->changes_seen);
        if (!change)
            change = &everything;
        else if (change->time > time)
            return change->time;
        FcModuleChange range = *change;
        if (counts->edges.used > 0)
            fc_map_filter(&counts->edges, is_outside, &range);
        counts->changes_seen++;
    }
    return G_MAXUINT64;
}

/* ---- Sums of functions and arcs --------------------------------------------- */

void fc_counts_sum_functions(FcCounts *counts)
{
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        counts->functions[i].calls = 0;
        counts->functions[i].local = 0;
        counts->functions[i].wait_local = 0;
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        FcCountsFunction *function = &counts->functions[counts->nodes[i].function];
        function->calls += counts->nodes[i].calls;
        function->local += counts->nodes[i].local;
        function->wait_local += fc_counts_wait(counts->node_waits, i).local;
    }
}

static void add_function(FcCountsFunction *into, const FcCountsFunction *from)
{
    into->calls += from->calls;
    into->local += from->local;
    into->total += from->total;
    into->seen = MIN(into->seen, from->seen);
    fc_counts_bound(&into->bounds, &from->bounds);
    fc_counts_bound(&into->elapsed, &from->elapsed);
    fc_counts_bound(&into->on_cpu, &from->on_cpu);
    for (guint i = 0; i < FC_COUNTS_BUCKETS; i++)
        if (fc_histogram_get(&from->histogram, i) != 0)
            *fc_counts_bucket(into, i) += fc_histogram_get(&from->histogram, i);
    into->counted += from->counted;
    into->timed += from->timed;
    into->is_uncounted |= from->is_uncounted;
    into->local_variance += from->local_variance;
    into->total_variance += from->total_variance;
    into->wait_total += from->wait_total;
    into->wait_local += from->wait_local;
    into->cost_total += from->cost_total;
    into->cost_local += from->cost_local;
}

/* The slot of the context, or an empty one.  Merged counts find contexts by the function's index,
 * since modules of different times may have functions at the same address. */
static FcNodesSlot *slot_of_merged(FcCounts *into, guint32 parent, guint64 site, gint site_module,
                                   guint32 function, guint32 *hash)
{
    if (!into->merged.slots)
        fc_nodes_init(&into->merged, 0);
    *hash = fc_map_hash(parent, site, fc_counts_callee_key(site_module, function));
    FcNodesSlot *slot = fc_nodes_first(&into->merged, *hash);
    for (; slot->node != 0; slot = fc_nodes_next(&into->merged, slot, *hash))
    {
        const FcCountsNode *known = &into->nodes[slot->node];
        if (known->parent == parent && known->function == function && known->site == site &&
            known->site_module == site_module)
            break;
    }
    return slot;
}

static gboolean is_overflow_node(const FcCountsNode *node)
{
    return node->site == FC_FOLDED_SITE && node->parent == 0;
}

gboolean fc_counts_index_merged(FcCounts *counts, guint32 index)
{
    const FcCountsNode *node = &counts->nodes[index];
    if (is_overflow_node(node))
    {
        if (fc_map_find(&counts->edges, 0, FC_FOLDED_SITE, node->function))
            return FALSE;
        fc_map_add(&counts->edges, 0, FC_FOLDED_SITE, node->function, index, 0);
        return TRUE;
    }
    guint32 hash;
    FcNodesSlot *slot =
        slot_of_merged(counts, node->parent, node->site, node->site_module, node->function, &hash);
    if (slot->node != 0)
        return FALSE;
    fc_nodes_add(&counts->merged, slot, hash, index);
    return TRUE;
}

static guint32 get_merged_node(FcCounts *into, guint32 parent, guint64 site, gint site_module,
                               guint32 function)
{
    guint32 hash;
    FcNodesSlot *slot = slot_of_merged(into, parent, site, site_module, function, &hash);
    if (slot->node != 0)
        return slot->node;
    /* The common limit was applied when `from` made the node.  The overflow nodes, at most one for
     * each function, come on top of it, or they might leave no room for this node. */
    if (into->node_count >= (guint64)into->node_limit + into->function_count)
    {
        into->contexts_folded++;
        return get_overflow_node(into, function);
    }
    const guint32 node = fc_counts_add_node(into, parent, site, site_module, function);
    fc_nodes_add(&into->merged, slot, hash, node);
    return node;
}

static void merge_nodes(FcCounts *into, const FcCounts *from, const guint32 *functions)
{
    g_autofree guint32 *nodes = g_new0(guint32, from->node_count);
    for (guint32 i = 1; i < from->node_count; i++)
    {
        const FcCountsNode *node = &from->nodes[i];
        guint32 function = functions[node->function];
        if (is_overflow_node(node))
            nodes[i] = get_overflow_node(into, function);
        else
            nodes[i] = get_merged_node(into, nodes[node->parent], node->site,
                                       fc_counts_known_module(from, node->site_module, node->site,
                                                              from->functions[node->function].seen),
                                       function);
        FcCountsNode *target = &into->nodes[nodes[i]];
        target->calls += node->calls;
        target->total += node->total;
        target->local += node->local;
        if (fc_counts_is_marked(from->apportioned_nodes, i))
            fc_counts_mark(&into->apportioned_nodes, nodes[i]);
        add_cost(&into->node_costs, nodes[i], fc_counts_cost(from->node_costs, i));
        fc_counts_add_wait(&into->node_waits, nodes[i], fc_counts_wait(from->node_waits, i));
    }
    fc_counts_merge_slowest(into, from, functions, nodes);
}

guint32 fc_counts_make_node(FcCounts *into, const FcCounts *from, guint32 node, GArray *cache)
{
    if (cache->len < from->node_count)
        g_array_set_size(cache, from->node_count);
    const FcCountsNode *own = &from->nodes[node];
    const FcCountsFunction *function = &from->functions[own->function];
    guint32 parent = fc_counts_intern_node(into, from, own->parent, cache);
    gint module = fc_counts_known_module(from, function->module, function->address, function->seen);
    guint32 target = fc_counts_get_function(into, function->address, module, function->seen);
    guint32 result;
    if (is_overflow_node(own))
        result = get_overflow_node(into, target);
    else
        result = get_merged_node(
            into, parent, own->site,
            fc_counts_known_module(from, own->site_module, own->site, function->seen), target);
    g_array_index(cache, guint32, node) = result + 1;
    return result;
}

static void merge_off(FcCounts *into, guint32 function, const FcCountsOff *from)
{
    FcCountsOff *off = fc_counts_make_off(into, function);
    off->preempted += from->preempted;
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        off->kind_ns[kind] += from->kind_ns[kind];
}

guint32 *fc_counts_merge(FcCounts *into, const FcCounts *from)
{
    guint32 *functions = g_new0(guint32, from->function_count + 1);
    if (into->arc_count == 0)
        into->latency_room.limit = from->latency_room.limit;
    if (into->function_count == 0)
        into->slowest_most = from->slowest_most;
    for (guint32 i = 0; i < from->function_count; i++)
    {
        const FcCountsFunction *function = &from->functions[i];
        gint module =
            fc_counts_known_module(from, function->module, function->address, function->seen);
        functions[i] = fc_counts_get_function(into, function->address, module, function->seen);
        add_function(&into->functions[functions[i]], function);
        if (find_off(from, i))
            merge_off(into, functions[i], find_off(from, i));
    }
    for (guint32 i = 0; i < from->arc_count; i++)
    {
        const FcCountsArc *arc = &from->arcs[i];
        guint32 caller = arc->caller != 0 ? functions[arc->caller - 1] + 1 : 0;
        gint site_module = fc_counts_known_module(from, arc->site_module, arc->site,
                                                  from->functions[arc->callee].seen);
        guint32 target =
            fc_counts_get_arc(into, caller, arc->site, site_module, functions[arc->callee]);
        into->arcs[target].calls += arc->calls;
        into->arcs[target].total += arc->total;
        if (into->arc_latencies && from->arc_latencies)
            fc_latency_merge(&into->arc_latencies[target], &into->latency_room,
                             &from->arc_latencies[i]);
        if (fc_counts_is_marked(from->apportioned_arcs, i))
            fc_counts_mark(&into->apportioned_arcs, target);
        add_cost(&into->arc_costs, target, fc_counts_cost(from->arc_costs, i));
        fc_counts_add_wait(&into->arc_waits, target, fc_counts_wait(from->arc_waits, i));
    }
    into->contexts_folded += from->contexts_folded;
    into->samples += from->samples;
    into->executed += from->executed;
    into->executed_by_timer += from->executed_by_timer;
    into->unsampled_ns += from->unsampled_ns;
    into->latency_room.omitted += from->latency_room.omitted;
    fc_wait_sites_merge(&into->wait_sites, from->wait_sites, functions);
    merge_nodes(into, from, functions);
    return functions;
}

/* ---- Sums of contexts ------------------------------------------------------------------- */

G_STATIC_ASSERT(FC_COUNTS_LINE % sizeof(FcCountsSum) == 0); /* none is in two lines */

void fc_counts_make_sums(FcCounts *counts)
{
    const guint32 had = counts->sums_room;
    const guint32 more = counts->node_room - had;
    void *memory = g_malloc(counts->node_room * sizeof(FcCountsSum) + FC_COUNTS_LINE);
    FcCountsSum *sums = fc_counts_align(memory);
    if (had > 0)
        memcpy(sums, counts->sums, had * sizeof *sums);
    memset(&sums[had], 0, more * sizeof *sums);
    g_free(counts->sums_memory);
    counts->sums_memory = memory;
    counts->sums = sums;
    counts->owners = g_renew(guint32, counts->owners, counts->node_room);
    memset(&counts->owners[had], 0, more * sizeof *counts->owners);
    counts->sums_room = counts->node_room;
}

static void flush_sum(FcCounts *counts, guint32 index, guint32 owner)
{
    FcCountsSum *sum = &counts->sums[index];
    FcCountsNode *node = &counts->nodes[index];
    FcCountsArc *arc = &counts->arcs[owner];
    const guint64 total = sum->total + sum->leaf;
    node->calls += sum->calls;
    node->total += total;
    node->local += sum->local + sum->leaf;
    arc->calls += sum->calls;
    arc->total += total;
    counts->functions[node->function].total += total;
    *sum = (FcCountsSum){0};
}

void fc_counts_flush_sums(FcCounts *counts)
{
    const guint32 count = MIN(counts->sums_room, counts->node_count);
    for (guint32 i = 1; i < count; i++)
        if (counts->owners[i] != 0)
            flush_sum(counts, i, counts->owners[i] - 1);
}

void fc_counts_drop_sums(FcCounts *counts)
{
    fc_counts_flush_sums(counts);
    g_clear_pointer(&counts->sums_memory, g_free);
    counts->sums = NULL;
    g_clear_pointer(&counts->owners, g_free);
    counts->sums_room = 0;
}

/* ---- Which arc a call is of ------------------------------------------------------------- */

void fc_counts_know_arc(FcCounts *counts, guint32 index)
{
    const FcCountsArc *arc = &counts->arcs[index];
    if (!counts->known_arcs.slots)
        fc_map_init(&counts->known_arcs, 0);
    if (arc->caller != 0 && !fc_map_find(&counts->known_arcs, arc->site,
                                         (guint64)(gint64)arc->site_module, arc->callee))
        fc_map_add(&counts->known_arcs, arc->site, (guint64)(gint64)arc->site_module, arc->callee,
                   index + 1, 0);
}

/* If there are many arcs, and a counted function is known to make this call, this returns that
 * one's arc.  Otherwise the arc's caller is found when the thread has ended (counted-attribute.h).
 * That knows more, but until then each function around the call has an arc of its own. */
guint32 fc_counts_arc_from_frame(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                                 guint32 callee)
{
    const FcMapSlot *slot = NULL;
    if (counts->known_arcs.slots &&
        fc_counts_find_arc(counts, caller, site, site_module, callee) == 0)
        slot = fc_map_find(&counts->known_arcs, site, (guint64)(gint64)site_module, callee);
    if (slot &&
        fc_counts_is_marked(counts->counted_functions, counts->arcs[slot->value - 1].caller - 1))
        return slot->value - 1;
    return fc_counts_get_arc(counts, caller, site, site_module, callee);
}

/* The key of any one arc of a call site and callee.  The parent of an apportioned context need not
 * be its caller and may have no arc to it. */
#define ANY_CALLER G_MAXUINT64

guint32 *fc_counts_arcs_of_nodes(const FcCounts *counts)
{
    guint32 *of_nodes = g_new0(guint32, counts->node_count);
    FcMap arcs;
    fc_map_init(&arcs, counts->arc_count);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const guint64 callee = fc_counts_callee_key(arc->site_module, arc->callee);
        fc_map_add(&arcs, arc->caller, arc->site, callee, i + 1, 0);
        if (!fc_map_find(&arcs, ANY_CALLER, arc->site, callee))
            fc_map_add(&arcs, ANY_CALLER, arc->site, callee, i + 1, 0);
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint32 caller = node->parent != 0 ? counts->nodes[node->parent].function + 1 : 0;
        const guint64 callee = fc_counts_callee_key(node->site_module, node->function);
        const FcMapSlot *slot = fc_map_find(&arcs, caller, node->site, callee);
        if (!slot)
            slot = fc_map_find(&arcs, ANY_CALLER, node->site, callee);
        of_nodes[i] = slot ? slot->value : 0;
    }
    fc_map_clear(&arcs);
    return of_nodes;
}

/* ---- Slowest calls ---------------------------------------------------------------------- */

void fc_counts_set_thread(FcCounts *counts, gint64 tid)
{
    for (guint32 i = 0; counts->slowest && i < counts->function_count; i++)
        for (guint32 j = 0; j < counts->slowest[i].count; j++)
            counts->slowest[i].calls[j].tid = tid;
}

void fc_counts_merge_slowest(FcCounts *into, const FcCounts *from, const guint32 *functions,
                             const guint32 *nodes)
{
    if (!into->slowest || !from->slowest)
        return;
    for (guint32 i = 0; i < from->function_count; i++)
        for (guint32 j = 0; j < from->slowest[i].count; j++)
        {
            FcSlowCall call = from->slowest[i].calls[j];
            call.node = call.node < from->node_count ? nodes[call.node] : 0;
            fc_slowest_add(&into->slowest[functions[i]], into->slowest_most, &call);
        }
}

/* ---- A thread's counts taken over ------------------------------------------------------- */

/* Whether fc_counts_known_module would change no module in `from`. */
static gboolean has_known_modules(const FcCounts *from)
{
    for (guint32 i = 0; i < from->function_count; i++)
    {
        const FcCountsFunction *function = &from->functions[i];
        if (function->module !=
            fc_counts_known_module(from, function->module, function->address, function->seen))
            return FALSE;
    }
    for (guint32 i = 0; i < from->arc_count; i++)
    {
        const FcCountsArc *arc = &from->arcs[i];
        if (arc->site_module != fc_counts_known_module(from, arc->site_module, arc->site,
                                                       from->functions[arc->callee].seen))
            return FALSE;
    }
    for (guint32 i = 1; i < from->node_count; i++)
    {
        const FcCountsNode *node = &from->nodes[i];
        if (node->site_module != fc_counts_known_module(from, node->site_module, node->site,
                                                        from->functions[node->function].seen))
            return FALSE;
    }
    return TRUE;
}

/* Replaces the map of edges by the maps of merged counts.  FALSE: two contexts are alike, because
 * modules came and went. */
static gboolean index_nodes(FcCounts *from)
{
    fc_counts_forget_edges(from);
    for (guint32 i = 1; i < from->node_count; i++)
        if (!fc_counts_index_merged(from, i))
            return FALSE;
    return TRUE;
}

gboolean fc_counts_take(FcCounts *into, FcCounts *from)
{
    if (into->function_count > 0 || into->node_count > 1 || !has_known_modules(from) ||
        !fc_counts_index_arcs(from))
        return FALSE;
    if (!index_nodes(from))
    {
        fc_counts_forget_edges(from);
        return FALSE;
    }
    const FcCounts sums = *into;
    *into = *from;
    *from = sums;
    from->contexts_in_use = into->contexts_in_use;
    into->contexts_in_use = sums.contexts_in_use;
    if (from->contexts_in_use)
        *from->contexts_in_use -= into->node_count - 1;
    if (into->contexts_in_use)
        *into->contexts_in_use += into->node_count - 1;
    into->node_limit = sums.node_limit;
    into->samples += sums.samples;
    into->executed += sums.executed;
    into->executed_by_timer += sums.executed_by_timer;
    into->unsampled_ns += sums.unsampled_ns;
    /* what only a thread's counts have */
    fc_map_clear(&into->known_arcs);
    g_clear_pointer(&into->counted_functions, g_array_unref);
    g_clear_pointer(&into->unrecorded, g_array_unref);
    g_clear_pointer(&into->deep_nodes, g_array_unref);
    into->repairs = (FcCountsRepairs){0};
    return TRUE;
}
