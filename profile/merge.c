/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds one profile to another.  Called by the tools when they are given several
 * profiles, or a descriptor.  Everything is looked up in hash tables, so that the
 * time taken is proportional to the size of both.
 *
 * One profile may have equal modules (a library loaded twice).  The first of
 * equals, then the first of equal functions and so on, takes what is added.
 */
#include "profile/merge.h"

#include <math.h>
#include <string.h>

static guint key_hash(gconstpointer data)
{
    const FcMergeKey *key = data;
    const guint64 prime = G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    guint64 hash = (guint64)key->module * prime;
    hash = (hash ^ hash >> 32 ^ key->offset) * prime;
    hash = (hash ^ hash >> 32 ^ (guint64)key->parent) * prime;
    hash = (hash ^ hash >> 32 ^ (guint64)key->function) * prime;
    return (guint)(hash >> 32);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(FcMergeKey)) == 0;
}

GHashTable *fc_merge_keys_new(void)
{
    return g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
}

/* The index that `key` has; `index` from now on where it has none. */
guint fc_merge_find_or_add(GHashTable *keys, const FcMergeKey *key, guint index)
{
    gpointer known;
    if (g_hash_table_lookup_extended(keys, key, NULL, &known))
        return GPOINTER_TO_UINT(known);
    g_hash_table_insert(keys, g_memdup2(key, sizeof *key), GUINT_TO_POINTER(index));
    return index;
}

/* ---- The header ---------------------------------------------------------------- */

static gboolean is_empty(const FcProfile *profile)
{
    return profile->unique_id == NULL && profile->functions->len == 0 &&
           profile->modules->len == 0 && profile->threads->len == 0 && profile->run_ns == 0;
}

static void merge_header(FcProfile *into, const FcProfile *other)
{
    if (is_empty(into))
    {
        fc_profile_copy_header(into, other);
        return;
    }
    into->extended = into->extended && other->extended;
    fc_merge_add(&into->run_ns, other->run_ns);
    fc_merge_add(&into->looks, other->looks);
    if (into->ticks_per_second == 0)
        into->ticks_per_second = other->ticks_per_second;
    for (guint i = 0; i < FC_PROFILE_COSTS; i++)
        into->costs_ps[i] = MAX(into->costs_ps[i], other->costs_ps[i]);
    if (into->start_realtime_ns == 0 ||
        (other->start_realtime_ns != 0 && other->start_realtime_ns < into->start_realtime_ns))
        into->start_realtime_ns = other->start_realtime_ns;
    into->end_realtime_ns = MAX(into->end_realtime_ns, other->end_realtime_ns);
    if (!into->executable)
        into->executable = g_strdup(other->executable);
    if (!into->directory)
        into->directory = g_strdup(other->directory);
    if (!into->filter)
        into->filter = g_strdup(other->filter);
    if (into->depth == 0)
        into->depth = other->depth;
    if (!into->command_line)
        into->command_line = g_strdupv(other->command_line);
}

/* ---- Modules and places --------------------------------------------------------- */

/* What modules are matched by; NULL for one that is like no other. */
static char *module_name(const FcProfileModule *module)
{
    if (module->build_id && *module->build_id != '\0')
        return g_strconcat("id ", module->build_id, NULL);
    if (module->path && *module->path != '\0')
        return g_strconcat("path ", module->path, NULL);
    return NULL;
}

/* The module of `into` that equals `module`, or `index` from now on. */
static gint find_module_or_add(FcMerge *merge, const FcProfileModule *module, gint index)
{
    gpointer known;
    char *name = module_name(module);
    if (!name)
        return index;
    if (!g_hash_table_lookup_extended(merge->modules, name, NULL, &known))
    {
        g_hash_table_insert(merge->modules, name, GINT_TO_POINTER(index));
        return index;
    }
    g_free(name);
    return GPOINTER_TO_INT(known);
}

static void merge_modules(FcMerge *merge)
{
    GArray *modules = merge->into->modules;
    const guint own = modules->len;
    for (guint i = 0; i < own; i++)
    {
        const gint first =
            find_module_or_add(merge, &g_array_index(modules, FcProfileModule, i), (gint)i);
        g_array_append_val(merge->first_module, first);
    }
    for (guint i = 0; i < merge->other->modules->len; i++)
    {
        FcProfileModule module = g_array_index(merge->other->modules, FcProfileModule, i);
        const gint next = (gint)modules->len;
        merge->module_map[i] = find_module_or_add(merge, &module, next);
        if (merge->module_map[i] != next)
            continue;
        module.path = g_strdup(module.path);
        module.build_id = g_strdup(module.build_id);
        g_array_append_val(modules, module);
        g_array_append_val(merge->first_module, next);
    }
}

/* A place of `other` as one of `into`. */
FcProfilePlace fc_merge_map_place(const FcMerge *merge, const FcProfilePlace *place)
{
    if (place->module == FC_NONE)
        return *place;
    const gint module = merge->module_map[place->module];
    const guint64 base = g_array_index(merge->into->modules, FcProfileModule, module).base;
    return (FcProfilePlace){base + place->offset, place->offset, module};
}

FcMergeKey fc_merge_key(const FcMerge *merge, const FcProfilePlace *place, gint64 parent,
                        gint64 function)
{
    const gint64 module = place->module == FC_NONE
                              ? FC_NONE
                              : g_array_index(merge->first_module, gint, place->module);
    return (FcMergeKey){module, place->offset, parent, function};
}

/* ---- Functions ------------------------------------------------------------------- */

/* A frame inherited at fork may complete without a call; a call of 0 ns has no
 * maximum; plain files have no histogram. */
gboolean fc_profile_has_completed(const FcProfileFunction *function, gboolean has_histogram)
{
    if (!has_histogram)
        return function->calls > 0 || function->bounds.total_max_ns > 0;
    return !fc_histogram_is_empty(&function->histogram);
}

void fc_profile_add_times(FcProfileTimes *into, const FcProfileTimes *other)
{
    fc_merge_add(&into->total_ns, other->total_ns);
    fc_merge_add(&into->local_ns, other->local_ns);
    fc_merge_add(&into->total_cost_ns, other->total_cost_ns);
    fc_merge_add(&into->local_cost_ns, other->local_cost_ns);
    fc_merge_add(&into->total_wait_ns, other->total_wait_ns);
    fc_merge_add(&into->local_wait_ns, other->local_wait_ns);
}

/* Of independent estimates. */
static guint64 add_errors(guint64 a, guint64 b)
{
    if (a == 0 || b == 0)
        return MAX(a, b);
    const double error = sqrt((double)a * (double)a + (double)b * (double)b);
    return error < 0x1p64 ? (guint64)error : G_MAXUINT64;
}

static FcProfileBounds add_bounds(FcProfileBounds sum, FcProfileBounds more)
{
    return (FcProfileBounds){
        MIN(sum.total_min_ns, more.total_min_ns), MAX(sum.total_max_ns, more.total_max_ns),
        MIN(sum.local_min_ns, more.local_min_ns), MAX(sum.local_max_ns, more.local_max_ns)};
}

/* Those besides the function's own bounds, before these are added. */
static void add_other_bounds(FcProfileFunction *into, const FcProfileFunction *other,
                             gboolean first)
{
    if (into->has_cpu_bounds || other->has_cpu_bounds)
    {
        const FcProfileBounds more = fc_profile_cpu_bounds(other);
        into->cpu = first ? more : add_bounds(fc_profile_cpu_bounds(into), more);
        into->has_cpu_bounds = TRUE;
    }
    if (into->has_elapsed_bounds || other->has_elapsed_bounds)
    {
        const FcProfileBounds more = fc_profile_elapsed_bounds(other);
        into->elapsed = first ? more : add_bounds(fc_profile_elapsed_bounds(into), more);
        into->has_elapsed_bounds = TRUE;
    }
}

void fc_profile_add_figures(FcProfileFunction *into, gboolean into_has_histogram,
                            const FcProfileFunction *other, gboolean other_has_histogram)
{
    if (fc_profile_has_completed(other, other_has_histogram))
    {
        const gboolean first = !fc_profile_has_completed(into, into_has_histogram);
        add_other_bounds(into, other, first);
        if (first)
            into->bounds.total_min_ns = into->bounds.local_min_ns = G_MAXUINT64;
        into->bounds = add_bounds(into->bounds, other->bounds);
    }
    fc_merge_add(&into->calls, other->calls);
    fc_profile_add_times(&into->times, &other->times);
    for (guint i = 0; i < FC_HISTOGRAM_BUCKETS; i++)
    {
        const guint64 more = fc_histogram_get(&other->histogram, i);
        if (more != 0)
            fc_merge_add(fc_histogram_at(&into->histogram, i), more);
    }
    fc_merge_add(&into->counted, other->counted);
    fc_merge_add(&into->timed, other->timed);
    into->total_error_ns = add_errors(into->total_error_ns, other->total_error_ns);
    into->local_error_ns = add_errors(into->local_error_ns, other->local_error_ns);
}

static void merge_functions(FcMerge *merge, gboolean into_has_histogram)
{
    g_autoptr(GHashTable) keys = fc_merge_keys_new();
    GArray *functions = merge->into->functions;
    const guint own = functions->len;
    for (guint i = 0; i < own; i++)
    {
        const FcMergeKey key =
            fc_merge_key(merge, &g_array_index(functions, FcProfileFunction, i).place, 0, 0);
        const gint first = (gint)fc_merge_find_or_add(keys, &key, i);
        g_array_append_val(merge->first_function, first);
    }
    for (guint i = 0; i < merge->other->functions->len; i++)
    {
        FcProfileFunction function = g_array_index(merge->other->functions, FcProfileFunction, i);
        function.place = fc_merge_map_place(merge, &function.place);
        const FcMergeKey key = fc_merge_key(merge, &function.place, 0, 0);
        const gint next = (gint)functions->len;
        const gint found = (gint)fc_merge_find_or_add(keys, &key, (guint)next);
        merge->function_map[i] = found;
        if (found != next)
        {
            fc_profile_add_figures(&g_array_index(functions, FcProfileFunction, found),
                                   into_has_histogram, &function, merge->other->extended);
            continue;
        }
        function.histogram = fc_histogram_copy(&function.histogram);
        g_array_append_val(functions, function);
        g_array_append_val(merge->first_function, next);
    }
}

/* ---- Arcs and contexts ------------------------------------------------------------- */

static gint64 first_function(const FcMerge *merge, gint function)
{
    return function == FC_NONE ? FC_NONE : g_array_index(merge->first_function, gint, function);
}

static void merge_arcs(FcMerge *merge)
{
    g_autoptr(GHashTable) keys = fc_merge_keys_new();
    GArray *arcs = merge->into->arcs;
    guint *arc_map = merge->arc_map = g_new(guint, merge->other->arcs->len + 1);
    const guint own = arcs->len;
    for (guint i = 0; i < own + merge->other->arcs->len; i++)
    {
        const gboolean is_own = i < own;
        FcProfileArc arc = is_own ? g_array_index(arcs, FcProfileArc, i)
                                  : g_array_index(merge->other->arcs, FcProfileArc, i - own);
        if (!is_own)
        {
            arc.caller = arc.caller == FC_NONE ? FC_NONE : merge->function_map[arc.caller];
            arc.callee = (guint)merge->function_map[arc.callee];
            arc.site = fc_merge_map_place(merge, &arc.site);
        }
        const FcMergeKey key = fc_merge_key(merge, &arc.site, first_function(merge, arc.caller),
                                            first_function(merge, (gint)arc.callee));
        const guint next = is_own ? i : arcs->len;
        const guint found = fc_merge_find_or_add(keys, &key, next);
        if (is_own)
            continue;
        arc_map[i - own] = found;
        if (found == next)
        {
            g_array_append_val(arcs, arc);
            continue;
        }
        FcProfileArc *same = &g_array_index(arcs, FcProfileArc, found);
        fc_merge_add(&same->calls, arc.calls);
        fc_profile_add_times(&same->times, &arc.times);
        same->apportioned |= arc.apportioned;
    }
    fc_merge_latencies(merge->into->latencies, merge->other->latencies, arc_map);
}

static void merge_contexts(FcMerge *merge)
{
    g_autoptr(GHashTable) keys = fc_merge_keys_new();
    GArray *contexts = merge->into->contexts;
    const guint own = contexts->len;
    const guint all = own + merge->other->contexts->len;
    gint *first = g_new(gint, all + 1);
    merge->first_context = first;
    merge->own_contexts = own;
    for (guint i = 0; i < all; i++)
    {
        const gboolean is_own = i < own;
        FcProfileContext context =
            is_own ? g_array_index(contexts, FcProfileContext, i)
                   : g_array_index(merge->other->contexts, FcProfileContext, i - own);
        if (!is_own)
        {
            context.function = (guint)merge->function_map[context.function];
            context.site = fc_merge_map_place(merge, &context.site);
        }
        const gint64 parent =
            context.parent == FC_NONE ? FC_NONE : first[(guint)context.parent + (is_own ? 0 : own)];
        const FcMergeKey key = fc_merge_key(merge, &context.site, parent,
                                            first_function(merge, (gint)context.function));
        const guint next = is_own ? i : contexts->len;
        const guint found = fc_merge_find_or_add(keys, &key, next);
        first[i] = (gint)found;
        if (is_own)
            continue;
        if (found == next)
        {
            context.parent = (gint)parent;
            g_array_append_val(contexts, context);
            continue;
        }
        FcProfileContext *same = &g_array_index(contexts, FcProfileContext, found);
        fc_merge_add(&same->calls, context.calls);
        fc_profile_add_times(&same->times, &context.times);
        same->apportioned |= context.apportioned;
    }
}

/* ---- What is only appended ----------------------------------------------------------- */

static void merge_threads(FcMerge *merge)
{
    for (guint i = 0; i < merge->other->threads->len; i++)
    {
        FcProfileThread thread = g_array_index(merge->other->threads, FcProfileThread, i);
        thread.name = g_strdup(thread.name);
        thread.functions = thread.functions
                               ? g_array_copy(thread.functions)
                               : g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction));
        thread.stack = thread.stack ? g_array_copy(thread.stack)
                                    : g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
        for (guint j = 0; j < thread.functions->len; j++)
        {
            FcProfileThreadFunction *function =
                &g_array_index(thread.functions, FcProfileThreadFunction, j);
            function->function = (guint)merge->function_map[function->function];
        }
        for (guint j = 0; j < thread.stack->len; j++)
        {
            FcProfileFrame *frame = &g_array_index(thread.stack, FcProfileFrame, j);
            frame->function = (guint)merge->function_map[frame->function];
            frame->site = fc_merge_map_place(merge, &frame->site);
        }
        thread.arcs = thread.arcs ? g_array_copy(thread.arcs) : NULL;
        for (guint j = 0; thread.arcs && j < thread.arcs->len; j++)
        {
            FcProfileThreadArc *arc = &g_array_index(thread.arcs, FcProfileThreadArc, j);
            arc->arc = merge->arc_map[arc->arc];
        }
        thread.trace = thread.trace ? g_array_copy(thread.trace) : NULL;
        for (guint j = 0; thread.trace && j < thread.trace->len; j++)
        {
            FcProfileTraceRecord *record = &g_array_index(thread.trace, FcProfileTraceRecord, j);
            record->function = (guint)merge->function_map[record->function];
        }
        g_array_append_val(merge->into->threads, thread);
    }
}

static void merge_blocks(GArray *into, const GArray *other, FcProfileSum *unlisted)
{
    for (guint i = 0; i < other->len; i++)
    {
        FcProfileBlock block = g_array_index(other, FcProfileBlock, i);
        if (into->len >= FC_PROFILE_BLOCKS_MAX)
        {
            fc_merge_add_sum(unlisted, &(FcProfileSum){1, block.size_bytes});
            continue;
        }
        if (block.stack)
            g_array_ref(block.stack);
        g_array_append_val(into, block);
    }
}

void fc_profile_merge(FcProfile *into, const FcProfile *other)
{
    g_return_if_fail(into != other);
    g_autoptr(GHashTable) modules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) first_module_of = g_array_new(FALSE, FALSE, sizeof(gint));
    g_autoptr(GArray) first_function_of = g_array_new(FALSE, FALSE, sizeof(gint));
    g_autofree gint *module_map = g_new(gint, other->modules->len + 1);
    g_autofree gint *function_map = g_new(gint, other->functions->len + 1);
    FcMerge merge = {into,    other,      first_module_of, first_function_of,
                     modules, module_map, function_map,    NULL,
                     0,       NULL};
    const gboolean into_has_histogram = into->extended;

    merge_header(into, other);
    merge_modules(&merge);
    merge_functions(&merge, into_has_histogram);
    merge_arcs(&merge);
    merge_contexts(&merge);
    fc_merge_slowest(&merge);
    merge_threads(&merge);
    fc_profile_add_notes(into->repairs, other->repairs);
    fc_profile_add_notes(into->losses, other->losses);
    FcProfileSum bad = {0};
    merge_blocks(into->leaks, other->leaks, &into->unlisted_leaks);
    merge_blocks(into->bad_frees, other->bad_frees, &bad);
    merge_blocks(into->bad_reallocs, other->bad_reallocs, &bad);
    fc_merge_add_sum(&into->unlisted_leaks, &other->unlisted_leaks);
    fc_merge_heap(&merge);
    g_free(merge.first_context);
    g_free(merge.arc_map);
}

/* ---- Costs --------------------------------------------------------------------------- */

static void put_back(guint64 *time, guint64 *cost)
{
    fc_merge_add(time, *cost);
    *cost = 0;
}

static void put_times_back(FcProfileTimes *times)
{
    put_back(&times->total_ns, &times->total_cost_ns);
    put_back(&times->local_ns, &times->local_cost_ns);
}

void fc_profile_put_costs_back(FcProfile *profile)
{
    for (guint i = 0; i < profile->functions->len; i++)
        put_times_back(&g_array_index(profile->functions, FcProfileFunction, i).times);
    for (guint i = 0; i < profile->arcs->len; i++)
        put_times_back(&g_array_index(profile->arcs, FcProfileArc, i).times);
    for (guint i = 0; i < profile->contexts->len; i++)
        put_times_back(&g_array_index(profile->contexts, FcProfileContext, i).times);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        GArray *functions = g_array_index(profile->threads, FcProfileThread, i).functions;
        for (guint j = 0; j < functions->len; j++)
            put_times_back(&g_array_index(functions, FcProfileThreadFunction, j).times);
        GArray *arcs = g_array_index(profile->threads, FcProfileThread, i).arcs;
        for (guint j = 0; arcs && j < arcs->len; j++)
            put_times_back(&g_array_index(arcs, FcProfileThreadArc, j).times);
    }
}
