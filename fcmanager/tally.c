/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The accumulators of tally.h: what happens when something is met for the first
 * time, and the merging of two.  Never does input or output.
 */
#include "fcmanager/tally.h"

#include <string.h>

/* The "call site" under which an overflow node is found: no real one has it. */
#define OVERFLOW_SITE G_MAXUINT64

/* Past so many edges those that are not the tree's own are forgotten: they are only a
 * shortcut, found again by walking the path. */
#define EDGES_PER_NODE 2u
#define EDGES_LEAST (1u << 16)

#define MAKE_ROOM(array, count, room)                                                              \
    do                                                                                             \
    {                                                                                              \
        if ((count) == (room))                                                                     \
        {                                                                                          \
            (room) = MAX(2 * (room), 32);                                                          \
            (array) = g_realloc_n((array), (room), sizeof *(array));                               \
        }                                                                                          \
    } while (0)

FcTally *fc_tally_new(const FcModules *modules, const FcTallySizes *sizes)
{
    FcTally *tally = g_new0(FcTally, 1);
    tally->modules = modules;
    tally->changes_seen = fc_modules_change_count(modules);
    tally->node_limit = FC_CONTEXTS_DEFAULT;
    fc_map_init(&tally->function_map, sizes->functions);
    fc_map_init(&tally->arc_map, sizes->arcs);
    fc_map_init(&tally->edges, sizes->arcs);
    MAKE_ROOM(tally->nodes, tally->node_count, tally->node_room);
    tally->nodes[tally->node_count++] = (FcTallyNode){.site_module = FC_NONE};
    return tally;
}

void fc_tally_free(FcTally *tally)
{
    if (tally == NULL)
        return;
    if (tally->contexts_in_use != NULL)
        *tally->contexts_in_use -= tally->node_count - 1;
    fc_map_clear(&tally->function_map);
    fc_map_clear(&tally->arc_map);
    fc_map_clear(&tally->edges);
    g_free(tally->functions);
    g_free(tally->arcs);
    g_free(tally->nodes);
    g_free(tally);
}

/* ---- Making entries --------------------------------------------------------- */

static guint32 get_function(FcTally *tally, guint64 address, gint module, guint64 seen)
{
    guint64 module_key = (guint64)(gint64)module;
    const FcMapSlot *slot = fc_map_find(&tally->function_map, address, module_key, 0);
    if (slot != NULL)
        return slot->value - 1;
    MAKE_ROOM(tally->functions, tally->function_count, tally->function_room);
    FcTallyFunction *function = &tally->functions[tally->function_count];
    memset(function, 0, sizeof *function);
    function->address = address;
    function->module = module;
    function->seen = seen;
    function->total_min = G_MAXUINT64;
    function->local_min = G_MAXUINT64;
    fc_map_add(&tally->function_map, address, module_key, 0, ++tally->function_count, 0);
    return tally->function_count - 1;
}

static guint32 get_arc(FcTally *tally, guint32 caller, guint64 site, gint site_module,
                       guint32 callee)
{
    guint64 ends = (guint64)caller << 32 | callee;
    guint64 module_key = (guint64)(gint64)site_module;
    const FcMapSlot *slot = fc_map_find(&tally->arc_map, ends, site, module_key);
    if (slot != NULL)
        return slot->value - 1;
    MAKE_ROOM(tally->arcs, tally->arc_count, tally->arc_room);
    tally->arcs[tally->arc_count] =
        (FcTallyArc){.caller = caller, .callee = callee, .site = site, .site_module = site_module};
    fc_map_add(&tally->arc_map, ends, site, module_key, ++tally->arc_count, 0);
    return tally->arc_count - 1;
}

static guint32 add_node(FcTally *tally, guint32 parent, guint64 site, gint site_module,
                        guint32 function)
{
    MAKE_ROOM(tally->nodes, tally->node_count, tally->node_room);
    tally->nodes[tally->node_count] = (FcTallyNode){
        .parent = parent, .function = function, .site = site, .site_module = site_module};
    if (tally->contexts_in_use != NULL)
        (*tally->contexts_in_use)++;
    return tally->node_count++;
}

/* The one node under the root that takes all of a function's calls once the tree is full. */
static guint32 get_overflow_node(FcTally *tally, guint32 function)
{
    const FcMapSlot *slot = fc_map_find(&tally->edges, 0, OVERFLOW_SITE, function);
    if (slot != NULL)
        return slot->value;
    guint32 node = add_node(tally, 0, 0, FC_NONE, function);
    fc_map_add(&tally->edges, 0, OVERFLOW_SITE, function, node, 0);
    return node;
}

/* ---- Edges ------------------------------------------------------------------ */

static guint32 find_on_path(const FcTally *tally, guint32 node, guint32 function)
{
    for (; node != 0; node = tally->nodes[node].parent)
        if (tally->nodes[node].function == function)
            return node;
    return 0;
}

static gboolean has_room(const FcTally *tally)
{
    return tally->node_count < tally->node_limit &&
           (tally->contexts_in_use == NULL || *tally->contexts_in_use < tally->node_limit);
}

static gboolean is_tree_edge(const FcMapSlot *slot, gpointer data)
{
    const FcTally *tally = data;
    const FcTallyNode *child = &tally->nodes[slot->value];
    return slot->key[1] == OVERFLOW_SITE ||
           (child->parent == slot->key[0] && child->site == slot->key[1]);
}

const FcMapSlot *fc_tally_make_edge(FcTally *tally, guint32 node, guint64 site, guint64 address,
                                    guint64 time)
{
    gint module = fc_modules_find(tally->modules, address, time);
    gint site_module = fc_modules_find(tally->modules, site, time);
    guint32 function = get_function(tally, address, module, time);
    guint32 caller = node != 0 ? tally->nodes[node].function + 1 : 0;
    guint32 arc = get_arc(tally, caller, site, site_module, function);

    if (tally->edges.used > MAX(EDGES_PER_NODE * tally->node_count, EDGES_LEAST))
        fc_map_filter(&tally->edges, is_tree_edge, tally);
    guint32 child = find_on_path(tally, node, function);
    if (child == 0 && has_room(tally))
        child = add_node(tally, node, site, site_module, function);
    else if (child == 0)
    {
        child = get_overflow_node(tally, function);
        tally->contexts_folded++;
    }
    fc_map_add(&tally->edges, node, site, address, child, arc);
    return fc_map_place(&tally->edges, node, site, address);
}

gboolean fc_tally_is_active(const FcTally *tally, guint64 address, guint64 time)
{
    gint module = fc_modules_find(tally->modules, address, time);
    const FcMapSlot *slot = fc_map_find(&tally->function_map, address, (guint64)(gint64)module, 0);
    return slot != NULL && tally->functions[slot->value - 1].active > 0;
}

/* ---- Modules that come and go ----------------------------------------------- */

static gboolean is_outside(const FcMapSlot *slot, gpointer data)
{
    const FcModuleChange *range = data;
    if (slot->key[1] == OVERFLOW_SITE)
        return TRUE;
    return (slot->key[1] < range->start || slot->key[1] >= range->end) &&
           (slot->key[2] < range->start || slot->key[2] >= range->end);
}

guint64 fc_tally_apply_changes(FcTally *tally, guint64 time)
{
    static const FcModuleChange everything = {0, 0, G_MAXUINT64};
    while (tally->changes_seen < fc_modules_change_count(tally->modules))
    {
        const FcModuleChange *change = fc_modules_change(tally->modules, tally->changes_seen);
        if (change == NULL)
            change = &everything;
        else if (change->time > time)
            return change->time;
        FcModuleChange range = *change;
        if (tally->edges.used > 0)
            fc_map_filter(&tally->edges, is_outside, &range);
        tally->changes_seen++;
    }
    return G_MAXUINT64;
}

/* ---- Sums ------------------------------------------------------------------- */

void fc_tally_settle(FcTally *tally)
{
    for (guint32 i = 0; i < tally->function_count; i++)
    {
        tally->functions[i].calls = 0;
        tally->functions[i].local = 0;
    }
    for (guint32 i = 1; i < tally->node_count; i++)
    {
        FcTallyFunction *function = &tally->functions[tally->nodes[i].function];
        function->calls += tally->nodes[i].calls;
        function->local += tally->nodes[i].local;
    }
}

static void add_function(FcTallyFunction *into, const FcTallyFunction *from)
{
    into->calls += from->calls;
    into->local += from->local;
    into->total += from->total;
    into->seen = MIN(into->seen, from->seen);
    into->total_min = MIN(into->total_min, from->total_min);
    into->total_max = MAX(into->total_max, from->total_max);
    into->local_min = MIN(into->local_min, from->local_min);
    into->local_max = MAX(into->local_max, from->local_max);
    for (guint i = 0; i < FC_HISTOGRAM_BUCKETS; i++)
        into->histogram[i] += from->histogram[i];
}

/* A library's constructors may be met before the library is announced. */
static gint known_module(const FcTally *tally, gint module, guint64 address, guint64 time)
{
    return module != FC_NONE ? module : fc_modules_find(tally->modules, address, time);
}

/* A merged tally's edges are keyed by function index: its addresses are ambiguous. */
static guint32 get_merged_node(FcTally *into, guint32 parent, guint64 site, gint site_module,
                               guint32 function)
{
    guint64 callee = (guint64)(guint32)site_module << 32 | function;
    const FcMapSlot *slot = fc_map_find(&into->edges, parent, site, callee);
    if (slot != NULL)
        return slot->value;
    if (into->node_count >= into->node_limit) /* what they share is `from`'s to give */
    {
        into->contexts_folded++;
        return get_overflow_node(into, function);
    }
    guint32 node = add_node(into, parent, site, site_module, function);
    fc_map_add(&into->edges, parent, site, callee, node, 0);
    return node;
}

static void merge_nodes(FcTally *into, const FcTally *from, const guint32 *functions)
{
    g_autofree guint32 *nodes = g_new0(guint32, from->node_count);
    for (guint32 i = 1; i < from->node_count; i++)
    {
        const FcTallyNode *node = &from->nodes[i];
        guint32 function = functions[node->function];
        if (node->site == 0 && node->parent == 0)
            nodes[i] = get_overflow_node(into, function);
        else
            nodes[i] = get_merged_node(into, nodes[node->parent], node->site,
                                       known_module(from, node->site_module, node->site,
                                                    from->functions[node->function].seen),
                                       function);
        FcTallyNode *target = &into->nodes[nodes[i]];
        target->calls += node->calls;
        target->total += node->total;
        target->local += node->local;
    }
}

guint32 fc_tally_intern_node(FcTally *into, const FcTally *from, guint32 node, GArray *cache)
{
    if (node == 0)
        return 0;
    if (cache->len < from->node_count)
        g_array_set_size(cache, from->node_count);
    if (g_array_index(cache, guint32, node) != 0)
        return g_array_index(cache, guint32, node) - 1;
    const FcTallyNode *own = &from->nodes[node];
    const FcTallyFunction *function = &from->functions[own->function];
    guint32 parent = fc_tally_intern_node(into, from, own->parent, cache);
    gint module = known_module(from, function->module, function->address, function->seen);
    guint32 target = get_function(into, function->address, module, function->seen);
    guint32 result;
    if (own->site == 0 && own->parent == 0)
        result = get_overflow_node(into, target);
    else
        result = get_merged_node(into, parent, own->site,
                                 known_module(from, own->site_module, own->site, function->seen),
                                 target);
    g_array_index(cache, guint32, node) = result + 1;
    return result;
}

guint32 *fc_tally_merge(FcTally *into, const FcTally *from)
{
    guint32 *functions = g_new0(guint32, from->function_count + 1);
    for (guint32 i = 0; i < from->function_count; i++)
    {
        const FcTallyFunction *function = &from->functions[i];
        gint module = known_module(from, function->module, function->address, function->seen);
        functions[i] = get_function(into, function->address, module, function->seen);
        add_function(&into->functions[functions[i]], function);
    }
    for (guint32 i = 0; i < from->arc_count; i++)
    {
        const FcTallyArc *arc = &from->arcs[i];
        guint32 caller = arc->caller != 0 ? functions[arc->caller - 1] + 1 : 0;
        gint site_module =
            known_module(from, arc->site_module, arc->site, from->functions[arc->callee].seen);
        guint32 target = get_arc(into, caller, arc->site, site_module, functions[arc->callee]);
        into->arcs[target].calls += arc->calls;
        into->arcs[target].total += arc->total;
    }
    into->contexts_folded += from->contexts_folded;
    merge_nodes(into, from, functions);
    return functions;
}
