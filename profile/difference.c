/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See difference.h.  Both profiles list everything up to their time, each in its own order.  Two
 * records are the same if their addresses are the same, and so are the records that they refer to.
 */
#include "profile/difference.h"

#include "profile/fc-profile-file.h"
#include "profile/key.h"

#include <math.h>

/* ---- Which records are the same ---------------------------------------------------------- */

/* Numbers for the records, equal in both profiles for the same function or context.  They are the
 * later profile's numbers; records of the earlier profile alone have numbers behind those. */
typedef struct
{
    GHashTable *functions; /* FcKey -> number + 1, owned keys; the next two likewise */
    GHashTable *arcs;
    GHashTable *contexts;
    guint *earlier_functions; /* the numbers of the earlier profile's records in the later one;
                                 FC_NONE: not there */
    guint *earlier_contexts;
} Match;

#define NOWHERE G_MAXUINT

static void remember(GHashTable *table, const FcKey *key, guint number)
{
    if (!g_hash_table_contains(table, key))
        g_hash_table_insert(table, g_memdup2(key, sizeof *key), GUINT_TO_POINTER(number + 1));
}

static guint find(GHashTable *table, const FcKey *key)
{
    const guint found = GPOINTER_TO_UINT(g_hash_table_lookup(table, key));
    return found != 0 ? found - 1 : NOWHERE;
}

/* Returns how many modules were at the same addresses before.  Does not compare load times: they
 * follow from the length of a tick, whose estimate improves. */
static guint epoch_of(const FcProfile *profile, gint module)
{
    const FcProfileModule *modules = (const FcProfileModule *)(gpointer)profile->modules->data;
    guint epoch = 0;
    for (gint i = 0; i < module; i++)
        epoch += modules[i].base == modules[module].base;
    return epoch;
}

static FcKey function_key(const FcProfile *profile, const FcProfileFunction *function)
{
    const gint module = function->location.module;
    return (FcKey){{(gint64)function->location.address, module != FC_NONE,
                    module != FC_NONE ? epoch_of(profile, module) : 0}};
}

/* Returns the number for `index`.  `numbers`: maps functions to those of the later profile; NULL:
 * it is the later one. */
static gint64 number_of(const guint *numbers, gint index)
{
    return index == FC_NONE || !numbers ? index : (gint64)numbers[index];
}

static FcKey arc_key(const FcProfileArc *arc, const guint *functions)
{
    return (FcKey){{number_of(functions, arc->caller), number_of(functions, (gint)arc->callee),
                    (gint64)arc->site.address}};
}

static FcKey context_key(const FcProfileContext *context, const guint *functions,
                         const guint *contexts)
{
    return (FcKey){{number_of(contexts, context->parent),
                    number_of(functions, (gint)context->function), (gint64)context->site.address}};
}

static void match_begin(Match *match, const FcProfile *later, const FcProfile *earlier)
{
    GHashTable **tables[] = {&match->functions, &match->arcs, &match->contexts};
    for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
        *tables[i] = g_hash_table_new_full(fc_key_hash, fc_key_equal, g_free, NULL);
    for (guint i = 0; i < later->functions->len; i++)
    {
        const FcKey key =
            function_key(later, &g_array_index(later->functions, FcProfileFunction, i));
        remember(match->functions, &key, i);
    }
    for (guint i = 0; i < later->arcs->len; i++)
    {
        const FcKey key = arc_key(&g_array_index(later->arcs, FcProfileArc, i), NULL);
        remember(match->arcs, &key, i);
    }
    for (guint i = 0; i < later->contexts->len; i++)
    {
        const FcKey key =
            context_key(&g_array_index(later->contexts, FcProfileContext, i), NULL, NULL);
        remember(match->contexts, &key, i);
    }
    match->earlier_functions = g_new(guint, earlier->functions->len + 1);
    match->earlier_contexts = g_new(guint, earlier->contexts->len + 1);
}

static void match_end(Match *match)
{
    g_hash_table_unref(match->functions);
    g_hash_table_unref(match->arcs);
    g_hash_table_unref(match->contexts);
    g_free(match->earlier_functions);
    g_free(match->earlier_contexts);
}

/* ---- Figures ------------------------------------------------------------------------------ */

static void take_off(guint64 *from, guint64 amount)
{
    *from -= MIN(*from, amount);
}

static void take_off_times(FcProfileTimes *from, const FcProfileTimes *amount)
{
    take_off(&from->total_ns, amount->total_ns);
    take_off(&from->local_ns, amount->local_ns);
    take_off(&from->total_cost_ns, amount->total_cost_ns);
    take_off(&from->local_cost_ns, amount->local_cost_ns);
    take_off(&from->total_wait_ns, amount->total_wait_ns);
    take_off(&from->local_wait_ns, amount->local_wait_ns);
}

static void take_off_off(FcProfileOff *from, const FcProfileOff *amount)
{
    if (!from || !amount)
        return;
    take_off(&from->preempted_ns, amount->preempted_ns);
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        take_off(&from->kind_ns[kind], amount->kind_ns[kind]);
}

static guint64 both_errors(guint64 one, guint64 other)
{
    return (guint64)MIN(sqrt((double)one * (double)one + (double)other * (double)other), 0x1p62);
}

static void take_off_function(FcProfileFunction *from, const FcProfileFunction *amount)
{
    guint64 buckets[FC_HISTOGRAM_BUCKETS];
    take_off(&from->calls, amount->calls);
    take_off(&from->counted, amount->counted);
    take_off(&from->timed, amount->timed);
    take_off_times(&from->times, &amount->times);
    take_off_off(from->off, amount->off);
    from->total_error_ns = both_errors(from->total_error_ns, amount->total_error_ns);
    from->local_error_ns = both_errors(from->local_error_ns, amount->local_error_ns);
    fc_histogram_read(&from->histogram, buckets, FC_HISTOGRAM_BUCKETS);
    for (guint i = 0; i < FC_HISTOGRAM_BUCKETS; i++)
        take_off(&buckets[i], fc_histogram_get(&amount->histogram, i));
    fc_histogram_clear(&from->histogram);
    from->histogram = fc_histogram_of(buckets, FC_HISTOGRAM_BUCKETS);
}

static gboolean is_nothing(guint64 calls, const FcProfileTimes *times)
{
    return calls == 0 && times->total_ns == 0 && times->local_ns == 0 &&
           times->total_cost_ns == 0 && times->total_wait_ns == 0;
}

static void forget_bounds(FcProfileFunction *function)
{
    function->bounds = (FcProfileBounds){0};
    function->has_cpu_bounds = function->has_elapsed_bounds = FALSE;
}

static void subtract_functions(const Match *match, FcProfile *later, const FcProfile *earlier)
{
    for (guint i = 0; i < earlier->functions->len; i++)
    {
        const FcProfileFunction *amount = &g_array_index(earlier->functions, FcProfileFunction, i);
        const FcKey key = function_key(earlier, amount);
        const guint at = match->earlier_functions[i] = find(match->functions, &key);
        if (at == NOWHERE || is_nothing(amount->calls, &amount->times))
            continue;
        FcProfileFunction *from = &g_array_index(later->functions, FcProfileFunction, at);
        take_off_function(from, amount);
        forget_bounds(from);
    }
}

static void subtract_arcs(const Match *match, FcProfile *later, const FcProfile *earlier)
{
    for (guint i = 0; i < earlier->arcs->len; i++)
    {
        const FcProfileArc *amount = &g_array_index(earlier->arcs, FcProfileArc, i);
        const FcKey key = arc_key(amount, match->earlier_functions);
        const guint at = find(match->arcs, &key);
        if (at == NOWHERE)
            continue;
        FcProfileArc *from = &g_array_index(later->arcs, FcProfileArc, at);
        from->apportioned |= amount->apportioned;
        take_off(&from->calls, amount->calls);
        take_off_times(&from->times, &amount->times);
    }
}

static FcKey wait_site_key(const FcProfileWaitSite *site, const guint *functions)
{
    return (FcKey){{number_of(functions, (gint)site->function), (gint64)site->site.address}};
}

/* Subtracts `amount`, which may be NULL.  Returns whether nothing is left. */
static gboolean empty_wait_site(FcProfileWaitSite *site, const FcProfileWaitSite *amount)
{
    guint64 sum_ns = 0;
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
    {
        take_off(&site->kind_ns[kind], amount ? amount->kind_ns[kind] : 0);
        sum_ns += site->kind_ns[kind];
    }
    return sum_ns == 0;
}

/* Subtracts the waits of call sites, and drops sites that have none left. */
static void subtract_wait_sites(const Match *match, FcProfile *later, const FcProfile *earlier)
{
    g_autoptr(GHashTable) sites = g_hash_table_new_full(fc_key_hash, fc_key_equal, g_free, NULL);
    guint kept = 0;
    for (guint i = 0; i < earlier->wait_sites->len; i++)
    {
        const FcKey key = wait_site_key(&g_array_index(earlier->wait_sites, FcProfileWaitSite, i),
                                        match->earlier_functions);
        remember(sites, &key, i);
    }
    for (guint i = 0; i < later->wait_sites->len; i++)
    {
        FcProfileWaitSite site = g_array_index(later->wait_sites, FcProfileWaitSite, i);
        const FcKey key = wait_site_key(&site, NULL);
        const guint at = find(sites, &key);
        if (!empty_wait_site(
                &site,
                at == NOWHERE ? NULL : &g_array_index(earlier->wait_sites, FcProfileWaitSite, at)))
            g_array_index(later->wait_sites, FcProfileWaitSite, kept++) = site;
    }
    g_array_set_size(later->wait_sites, kept);
}

static void subtract_contexts(const Match *match, FcProfile *later, const FcProfile *earlier)
{
    for (guint i = 0; i < earlier->contexts->len; i++)
    {
        const FcProfileContext *amount = &g_array_index(earlier->contexts, FcProfileContext, i);
        const FcKey key = context_key(amount, match->earlier_functions, match->earlier_contexts);
        const guint at = match->earlier_contexts[i] = find(match->contexts, &key);
        if (at == NOWHERE)
            continue;
        FcProfileContext *from = &g_array_index(later->contexts, FcProfileContext, at);
        from->apportioned |= amount->apportioned;
        take_off(&from->calls, amount->calls);
        take_off_times(&from->times, &amount->times);
    }
}

/* ---- Calls that are shares of a function's calls ----------------------------------------------
 *
 * Both profiles estimate them, each in its own way, so their differences need not add up. */

typedef struct
{
    guint function;
    gboolean is_estimated;
    guint64 *calls;
} Share;

/* Whether the rest of a function's calls goes rather to `share` than to `other`, which may be NULL.
 */
static gboolean is_preferred(const Share *share, const Share *other)
{
    if (!other || share->is_estimated != other->is_estimated)
        return !other || share->is_estimated;
    return *share->calls > *other->calls;
}

/* Makes the shares of each function add up to its calls.  Where none is estimated they do. */
static void settle(const FcProfile *profile, const GArray *shares)
{
    g_autofree guint64 *sums = g_new0(guint64, profile->functions->len + 1);
    g_autofree const Share **largest = g_new0(const Share *, profile->functions->len + 1);
    for (guint i = 0; i < shares->len; i++)
    {
        const Share *share = &g_array_index(shares, Share, i);
        const Share **most = &largest[share->function];
        sums[share->function] += *share->calls;
        if (is_preferred(share, *most))
            *most = share;
    }
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const guint64 calls = g_array_index(profile->functions, FcProfileFunction, i).calls;
        if (largest[i] && sums[i] < calls)
            *largest[i]->calls += calls - sums[i];
    }
    for (guint i = 0; i < shares->len; i++)
    {
        const Share *share = &g_array_index(shares, Share, i);
        guint64 *sum = &sums[share->function];
        const guint64 calls =
            g_array_index(profile->functions, FcProfileFunction, share->function).calls;
        const guint64 excess = share->is_estimated && *sum > calls ? *sum - calls : 0;
        *sum -= MIN(excess, *share->calls);
        take_off(share->calls, excess);
    }
}

static void settle_all(FcProfile *profile)
{
    g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(Share));
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        const Share share = {arc->callee, arc->apportioned, &arc->calls};
        g_array_append_val(shares, share);
    }
    settle(profile, shares);
    g_array_set_size(shares, 0);
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        FcProfileContext *context = &g_array_index(profile->contexts, FcProfileContext, i);
        const Share share = {context->function, context->apportioned, &context->calls};
        g_array_append_val(shares, share);
    }
    settle(profile, shares);
}

/* ---- Threads ------------------------------------------------------------------------------ */

/* The threads of a profile by their ids, which the system uses again. */
typedef struct
{
    const GArray *threads;
    GHashTable *first; /* id -> index + 1 of the first thread that has it */
    guint *next;       /* by thread: index + 1 of the next one with its id; 0: none */
} ById;

static void find_by_id(const GArray *threads, ById *by_id)
{
    *by_id = (ById){threads, g_hash_table_new(NULL, NULL), g_new(guint, threads->len + 1)};
    for (guint i = threads->len; i-- > 0;)
    {
        const gpointer id = GSIZE_TO_POINTER((gsize)g_array_index(threads, FcProfileThread, i).tid);
        by_id->next[i] = GPOINTER_TO_UINT(g_hash_table_lookup(by_id->first, id));
        g_hash_table_insert(by_id->first, id, GUINT_TO_POINTER(i + 1));
    }
}

static const FcProfileThread *find_thread(const ById *by_id, const FcProfileThread *thread)
{
    guint at =
        GPOINTER_TO_UINT(g_hash_table_lookup(by_id->first, GSIZE_TO_POINTER((gsize)thread->tid)));
    for (; at != 0; at = by_id->next[at - 1])
    {
        const FcProfileThread *one = &g_array_index(by_id->threads, FcProfileThread, at - 1);
        if (one->start_ns <= thread->end_ns && thread->start_ns <= one->end_ns)
            return one;
    }
    return NULL;
}

static void subtract_thread(const Match *match, FcProfileThread *from,
                            const FcProfileThread *amount)
{
    g_autoptr(GHashTable) at = g_hash_table_new(NULL, NULL);
    take_off(&from->calls, amount->calls);
    take_off(&from->run_ns, amount->run_ns);
    take_off(&from->wait_ns, amount->wait_ns);
    take_off(&from->manager_ns, amount->manager_ns);
    take_off(&from->preempted_ns, amount->preempted_ns);
    for (guint i = 0; i < from->functions->len; i++)
        g_hash_table_insert(
            at,
            GUINT_TO_POINTER(g_array_index(from->functions, FcProfileThreadFunction, i).function +
                             1),
            GUINT_TO_POINTER(i + 1));
    for (guint i = 0; i < amount->functions->len; i++)
    {
        const FcProfileThreadFunction *one =
            &g_array_index(amount->functions, FcProfileThreadFunction, i);
        const guint function = match->earlier_functions[one->function];
        const guint found = GPOINTER_TO_UINT(
            function != NOWHERE ? g_hash_table_lookup(at, GUINT_TO_POINTER(function + 1)) : NULL);
        if (found == 0)
            continue;
        FcProfileThreadFunction *own =
            &g_array_index(from->functions, FcProfileThreadFunction, found - 1);
        take_off(&own->calls, one->calls);
        take_off_times(&own->times, &one->times);
        take_off_off(own->off, one->off);
    }
}

/* The buckets of the earlier profile begin at the same time and are as wide or narrower. */
static void subtract_lanes(FcProfileThread *from, const FcProfileThread *amount)
{
    guint64 *at[FC_LANE_BUCKETS][2] = {0};
    for (guint i = 0; from->lanes && i < from->lanes->len; i++)
    {
        FcProfileLane *lane = &g_array_index(from->lanes, FcProfileLane, i);
        at[lane->bucket][0] = &lane->wait_ns;
        at[lane->bucket][1] = &lane->preempted_ns;
    }
    for (guint i = 0; from->lane_ns > 0 && amount->lanes && i < amount->lanes->len; i++)
    {
        const FcProfileLane *lane = &g_array_index(amount->lanes, FcProfileLane, i);
        const double middle = (lane->bucket + 0.5) * (double)amount->lane_ns;
        const guint bucket = (guint)MIN(middle / (double)from->lane_ns, FC_LANE_BUCKETS - 1);
        if (!at[bucket][0])
            continue;
        take_off(at[bucket][0], lane->wait_ns);
        take_off(at[bucket][1], lane->preempted_ns);
    }
}

static void subtract_threads(const Match *match, FcProfile *later, const FcProfile *earlier)
{
    ById by_id;
    find_by_id(earlier->threads, &by_id);
    for (guint i = 0; i < later->threads->len; i++)
    {
        FcProfileThread *thread = &g_array_index(later->threads, FcProfileThread, i);
        const FcProfileThread *amount = find_thread(&by_id, thread);
        if (amount)
        {
            subtract_thread(match, thread, amount);
            subtract_lanes(thread, amount);
        }
        g_clear_pointer(&thread->arcs, g_array_unref);
        g_clear_pointer(&thread->trace, g_array_unref);
        thread->trace_all = 0;
    }
    g_hash_table_destroy(by_id.first);
    g_free(by_id.next);
}

/* ---- What is 0 now ------------------------------------------------------------------------ */

static void drop_arcs(FcProfile *profile)
{
    guint kept = 0;
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        const FcProfileArc arc = g_array_index(profile->arcs, FcProfileArc, i);
        if (!is_nothing(arc.calls, &arc.times))
            g_array_index(profile->arcs, FcProfileArc, kept++) = arc;
    }
    g_array_set_size(profile->arcs, kept);
}

typedef void (*Visit)(FcProfileHeapPoint *point, gpointer data);

static void visit_heap(const FcProfileHeap *heap, Visit visit, gpointer data)
{
    for (guint i = 0; i < heap->alloc_sites->len; i++)
        visit(&g_array_index(heap->alloc_sites, FcProfileAllocSite, i).point, data);
    for (guint i = 0; i < heap->bad_frees->len; i++)
    {
        FcProfileBadFree *bad = &g_array_index(heap->bad_frees, FcProfileBadFree, i);
        visit(&bad->here, data);
        visit(&bad->allocated, data);
        visit(&bad->freed, data);
    }
}

static void mark_context(FcProfileHeapPoint *point, gpointer stays)
{
    if (point->context != FC_NONE)
        ((gboolean *)stays)[point->context] = TRUE;
}

static void renumber_context(FcProfileHeapPoint *point, gpointer numbers)
{
    if (point->context != FC_NONE)
        point->context = (gint)((const guint *)numbers)[point->context];
}

/* Deletes contexts with no figures, unless a context below them stays or memory was used there. */
static void drop_contexts(FcProfile *profile)
{
    GArray *contexts = profile->contexts;
    g_autofree gboolean *stays = g_new0(gboolean, contexts->len + 1);
    g_autofree guint *numbers = g_new(guint, contexts->len + 1);
    guint kept = 0;
    visit_heap(&profile->heap, mark_context, stays);
    for (guint i = contexts->len; i-- > 0;)
    {
        const FcProfileContext *context = &g_array_index(contexts, FcProfileContext, i);
        stays[i] |= !is_nothing(context->calls, &context->times);
        if (stays[i] && context->parent != FC_NONE)
            stays[context->parent] = TRUE;
    }
    for (guint i = 0; i < contexts->len; i++)
    {
        FcProfileContext context = g_array_index(contexts, FcProfileContext, i);
        numbers[i] = kept;
        if (!stays[i])
            continue;
        if (context.parent != FC_NONE)
            context.parent = (gint)numbers[context.parent];
        g_array_index(contexts, FcProfileContext, kept++) = context;
    }
    g_array_set_size(contexts, kept);
    visit_heap(&profile->heap, renumber_context, numbers);
}

static void drop_thread_functions(FcProfile *profile)
{
    for (guint i = 0; i < profile->threads->len; i++)
    {
        GArray *functions = g_array_index(profile->threads, FcProfileThread, i).functions;
        guint kept = 0;
        for (guint j = 0; j < functions->len; j++)
        {
            FcProfileThreadFunction *one = &g_array_index(functions, FcProfileThreadFunction, j);
            FcProfileThreadFunction *location =
                &g_array_index(functions, FcProfileThreadFunction, kept);
            if (is_nothing(one->calls, &one->times))
                continue;
            const FcProfileThreadFunction dropped = *location;
            *location = *one;
            *one = dropped;
            kept++;
        }
        g_array_set_size(functions, kept);
    }
}

static void mark_functions(const FcProfile *profile, gboolean *stays)
{
    for (guint i = 0; i < profile->wait_sites->len; i++)
        stays[g_array_index(profile->wait_sites, FcProfileWaitSite, i).function] = TRUE;
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        stays[arc->callee] = TRUE;
        if (arc->caller != FC_NONE)
            stays[arc->caller] = TRUE;
    }
    for (guint i = 0; i < profile->contexts->len; i++)
        stays[g_array_index(profile->contexts, FcProfileContext, i).function] = TRUE;
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        for (guint j = 0; j < thread->functions->len; j++)
            stays[g_array_index(thread->functions, FcProfileThreadFunction, j).function] = TRUE;
        for (guint j = 0; j < thread->stack->len; j++)
            stays[g_array_index(thread->stack, FcProfileFrame, j).function] = TRUE;
    }
}

static void renumber(FcProfile *profile, const guint *numbers)
{
    for (guint i = 0; i < profile->wait_sites->len; i++)
    {
        guint *function = &g_array_index(profile->wait_sites, FcProfileWaitSite, i).function;
        *function = numbers[*function];
    }
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        arc->callee = numbers[arc->callee];
        arc->caller = arc->caller != FC_NONE ? (gint)numbers[arc->caller] : FC_NONE;
    }
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        guint *function = &g_array_index(profile->contexts, FcProfileContext, i).function;
        *function = numbers[*function];
    }
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        for (guint j = 0; j < thread->functions->len; j++)
        {
            guint *function =
                &g_array_index(thread->functions, FcProfileThreadFunction, j).function;
            *function = numbers[*function];
        }
        for (guint j = 0; j < thread->stack->len; j++)
        {
            guint *function = &g_array_index(thread->stack, FcProfileFrame, j).function;
            *function = numbers[*function];
        }
    }
}

static void drop_functions(FcProfile *profile)
{
    GArray *functions = profile->functions;
    g_autofree gboolean *stays = g_new0(gboolean, functions->len + 1);
    g_autofree guint *numbers = g_new(guint, functions->len + 1);
    guint kept = 0;
    mark_functions(profile, stays);
    for (guint i = 0; i < functions->len; i++)
    {
        FcProfileFunction *function = &g_array_index(functions, FcProfileFunction, i);
        FcProfileFunction *location = &g_array_index(functions, FcProfileFunction, kept);
        numbers[i] = kept;
        if (!stays[i] && is_nothing(function->calls, &function->times))
            continue;
        const FcProfileFunction dropped = *location;
        *location = *function;
        *function = dropped;
        kept++;
    }
    g_array_set_size(functions, kept);
    renumber(profile, numbers);
}

/* Deletes what is known of memory. */
static void drop_memory(FcProfile *profile)
{
    FcProfileHeap *heap = &profile->heap;
    GArray *arrays[] = {profile->leaks,  profile->bad_frees, profile->bad_reallocs,
                        heap->frames,    heap->alloc_sites,  heap->blocks,
                        heap->bad_frees, heap->samples};
    for (guint i = 0; i < G_N_ELEMENTS(arrays); i++)
        g_array_set_size(arrays[i], 0);
    const FcProfileHeap nothing = {.frames = heap->frames,
                                   .alloc_sites = heap->alloc_sites,
                                   .blocks = heap->blocks,
                                   .bad_frees = heap->bad_frees,
                                   .samples = heap->samples};
    *heap = nothing;
    profile->unlisted_leaks = (FcProfileSum){0};
}

void fc_profile_take_off(FcProfile *profile, const FcProfile *part)
{
    Match match;
    match_begin(&match, profile, part);
    subtract_functions(&match, profile, part);
    subtract_arcs(&match, profile, part);
    subtract_contexts(&match, profile, part);
    subtract_wait_sites(&match, profile, part);
    subtract_threads(&match, profile, part);
    match_end(&match);
    settle_all(profile);
    fc_profile_take_off_mpi(profile, part);
    g_array_set_size(profile->latencies, 0);
    g_array_set_size(profile->slowest, 0);
    drop_arcs(profile);
    drop_contexts(profile);
    drop_thread_functions(profile);
    drop_functions(profile);
    take_off(&profile->run_ns, part->run_ns);
    take_off(&profile->samples, part->samples);
}

static void subtract_machine(FcProfileMachine *later, const FcProfileMachine *earlier)
{
    if (earlier->processors == 0) /* then the use before is not known */
        *later = (FcProfileMachine){0};
    later->used_before_ns = earlier->used_after_ns;
    take_off(&later->own_ns, earlier->own_ns);
}

gboolean fc_profile_subtract(FcProfile *later, const FcProfile *earlier, GError **error)
{
    if (g_strcmp0(later->unique_id, earlier->unique_id) != 0 || later->pid != earlier->pid ||
        later->start_realtime_ns != earlier->start_realtime_ns)
    {
        g_set_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_MALFORMED,
                    "not two snapshots of one process");
        return FALSE;
    }
    for (guint i = 0; i < later->functions->len; i++)
        forget_bounds(&g_array_index(later->functions, FcProfileFunction, i));
    drop_memory(later);
    fc_profile_take_off(later, earlier);
    later->start_realtime_ns = earlier->end_realtime_ns;
    subtract_machine(&later->machine, &earlier->machine);
    return TRUE;
}
