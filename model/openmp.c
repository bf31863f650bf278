/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See openmp.h.
 */
#include "model/openmp.h"

#include "model/regions.h"
#include "profile/key.h"

#include <string.h>

typedef struct
{
    guint context;
    gboolean is_region; /* its function is the region's code; else its caller is */
    gboolean is_tail; /* its function is the runtime's, which the region's code ended by jumping to:
                         the runtime seems to be its caller */
    char *owner;      /* linkage name of the function that has the region; NULL: not known */
} Root;

/* A context that the root goes below, and its weight among all of them. */
typedef struct
{
    guint parent;
    guint64 weight;
} Target;

typedef struct
{
    FcModel *model;
    FcProfile *profile;
    GArray *roots;      /* Root */
    guint *root_of;     /* by context of the unchanged profile */
    gboolean *is_moved; /* likewise: it is one of `roots` */
    guint count;        /* contexts of the unchanged profile */
    GHashTable *arcs;   /* FcKey -> index + 1 */
} Placing;

static FcProfileContext *context_at(const Placing *placing, guint index)
{
    return &g_array_index(placing->profile->contexts, FcProfileContext, index);
}

static const char *raw_name(const FcModel *model, const FcProfileLocation *location,
                            gboolean is_return)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, location, is_return, &symbol);
    return symbol.raw_name;
}

static void root_clear(gpointer root)
{
    g_free(((Root *)root)->owner);
}

/* ---- Which roots ------------------------------------------------------------------------- */

static void find_roots(Placing *placing)
{
    for (guint i = 0; i < placing->count; i++)
    {
        const FcProfileContext *context = context_at(placing, i);
        placing->root_of[i] =
            context->parent == FC_NONE ? i : placing->root_of[(guint)context->parent];
        if (context->parent != FC_NONE)
            continue;
        const FcProfileFunction *function =
            &g_array_index(placing->profile->functions, FcProfileFunction, context->function);
        const char *name = raw_name(placing->model, &function->location, FALSE);
        const char *mark = fc_regions_find_mark(name);
        const gboolean is_region = mark != NULL;
        const gboolean is_tail = fc_regions_is_runtime(placing->profile, function);
        if (!mark)
        {
            name = raw_name(placing->model, &context->site, TRUE);
            mark = fc_regions_find_mark(name);
        }
        if (!mark && !is_tail)
            continue;
        const Root root = {i, is_region, is_tail && !mark,
                           mark && mark > name ? g_strndup(name, (gsize)(mark - name)) : NULL};
        placing->is_moved[i] = TRUE;
        g_array_append_val(placing->roots, root);
    }
}

/* ---- Where to ---------------------------------------------------------------------------- */

static void add_target(GArray *targets, guint parent, guint64 weight)
{
    for (guint i = 0; i < targets->len; i++)
        if (g_array_index(targets, Target, i).parent == parent)
        {
            g_array_index(targets, Target, i).weight += weight;
            return;
        }
    const Target target = {parent, weight};
    g_array_append_val(targets, target);
}

static gboolean is_called_by_runtime(const Placing *placing, const FcProfileContext *context)
{
    const FcProfileContext *caller = context_at(placing, (guint)context->parent);
    return fc_regions_is_runtime(
        placing->profile,
        &g_array_index(placing->profile->functions, FcProfileFunction, caller->function));
}

/* Returns the contexts in which the thread that began the region called the same function.  If
 * there are none, returns those of the region's owner.  The caller owns the result. */
static GArray *find_targets(const Placing *placing, const Root *root)
{
    GArray *targets = g_array_new(FALSE, FALSE, sizeof(Target));
    const FcProfileContext *own = context_at(placing, root->context);
    for (guint i = 0; i < placing->count; i++)
    {
        const FcProfileContext *other = context_at(placing, i);
        if (other->parent != FC_NONE && i != root->context && other->function == own->function &&
            !placing->is_moved[placing->root_of[i]] &&
            (root->is_region || (root->is_tail && is_called_by_runtime(placing, other)) ||
             other->site.address == own->site.address))
            add_target(targets, (guint)other->parent, other->calls);
    }
    for (guint i = 0; targets->len == 0 && root->owner && i < placing->count; i++)
    {
        const FcProfileContext *other = context_at(placing, i);
        const FcProfileFunction *function =
            &g_array_index(placing->profile->functions, FcProfileFunction, other->function);
        if (!placing->is_moved[placing->root_of[i]] &&
            g_strcmp0(raw_name(placing->model, &function->location, FALSE), root->owner) == 0)
            add_target(targets, i, other->calls);
    }
    return targets;
}

/* ---- Shares ------------------------------------------------------------------------------ */

/* A part of a whole: the weights [from, to) of `all`.  The parts add up to the whole exactly. */
typedef struct
{
    guint64 from;
    guint64 to;
    guint64 all;
} Part;

static guint64 take_part(guint64 value, const Part *part)
{
    const guint64 to = (guint64)((unsigned __int128)value * part->to / part->all);
    return to - (guint64)((unsigned __int128)value * part->from / part->all);
}

static FcProfileTimes times_part(const FcProfileTimes *times, const Part *part)
{
    return (FcProfileTimes){
        take_part(times->total_ns, part),      take_part(times->local_ns, part),
        take_part(times->total_cost_ns, part), take_part(times->local_cost_ns, part),
        take_part(times->total_wait_ns, part), take_part(times->local_wait_ns, part)};
}

/* Appends a copy of the root and of all below it, with that part of their figures.  Returns the
 * root's copy. */
static guint copy_part(const Placing *placing, guint root, const Part *part)
{
    GArray *contexts = placing->profile->contexts;
    g_autofree guint *copies = g_new(guint, placing->count + 1);
    const guint first = contexts->len;
    for (guint i = root; i < placing->count; i++)
    {
        if (placing->root_of[i] != root)
            continue;
        FcProfileContext copy = *context_at(placing, i);
        copy.parent = i == root ? FC_NONE : (gint)copies[(guint)copy.parent];
        copy.calls = take_part(copy.calls, part);
        copy.times = times_part(&copy.times, part);
        copy.apportioned = TRUE;
        copies[i] = contexts->len;
        g_array_append_val(contexts, copy);
    }
    return first;
}

static void keep_part(const Placing *placing, guint root, const Part *part)
{
    for (guint i = root; i < placing->count; i++)
    {
        FcProfileContext *context = context_at(placing, i);
        if (placing->root_of[i] != root)
            continue;
        context->calls = take_part(context->calls, part);
        context->times = times_part(&context->times, part);
        context->apportioned = TRUE;
    }
}

/* ---- What is above ----------------------------------------------------------------------- */

static void add_totals(FcProfileTimes *to, const FcProfileTimes *more)
{
    to->total_ns += more->total_ns;
    to->total_cost_ns += more->total_cost_ns;
    to->total_wait_ns += more->total_wait_ns;
}

static FcProfileArc *find_arc(const Placing *placing, gint caller, const FcProfileContext *callee)
{
    const FcKey key = {{caller, callee->function, (gint64)callee->site.address}};
    const guint found = GPOINTER_TO_UINT(g_hash_table_lookup(placing->arcs, &key));
    return found != 0 ? &g_array_index(placing->profile->arcs, FcProfileArc, found - 1) : NULL;
}

/* Moves the root below `parent` and adds its times to the totals of all above it. */
static void hang(const Placing *placing, guint root, guint parent)
{
    FcProfileContext *own = context_at(placing, root);
    const FcProfileTimes times = own->times;
    own->parent = (gint)parent;
    for (gint at = (gint)parent; at != FC_NONE; at = context_at(placing, (guint)at)->parent)
    {
        FcProfileContext *above = context_at(placing, (guint)at);
        add_totals(&above->times, &times);
        add_totals(
            &g_array_index(placing->profile->functions, FcProfileFunction, above->function).times,
            &times);
        FcProfileArc *arc = find_arc(placing,
                                     above->parent != FC_NONE
                                         ? (gint)context_at(placing, (guint)above->parent)->function
                                         : FC_NONE,
                                     above);
        if (arc)
            add_totals(&arc->times, &times);
    }
}

/* The arc that led to the root gets a caller, if all targets are of one function. */
static void place_arc(const Placing *placing, const FcProfileContext *root, const GArray *targets)
{
    FcProfileArc *arc = find_arc(placing, FC_NONE, root);
    const guint caller = context_at(placing, g_array_index(targets, Target, 0).parent)->function;
    for (guint i = 1; i < targets->len; i++)
        if (context_at(placing, g_array_index(targets, Target, i).parent)->function != caller)
            return;
    if (arc)
        arc->caller = (gint)caller;
}

static void place(const Placing *placing, const Root *root)
{
    g_autoptr(GArray) targets = find_targets(placing, root);
    Part part = {0, 0, 0};
    if (targets->len == 0)
        return;
    place_arc(placing, context_at(placing, root->context), targets);
    /* at least 1, and so small that the sum can't overflow */
    for (guint i = 0; i < targets->len; i++)
    {
        guint64 *weight = &g_array_index(targets, Target, i).weight;
        *weight = CLAMP(*weight, 1, G_MAXUINT64 / targets->len);
        part.all += *weight;
    }
    const guint64 first_weight = g_array_index(targets, Target, 0).weight;
    part.to = first_weight;
    for (guint i = 1; i < targets->len; i++)
    {
        const Target *target = &g_array_index(targets, Target, i);
        part.from = part.to;
        part.to += target->weight;
        hang(placing, copy_part(placing, root->context, &part), target->parent);
    }
    if (targets->len > 1)
        keep_part(placing, root->context, &(Part){0, first_weight, part.all});
    hang(placing, root->context, g_array_index(targets, Target, 0).parent);
}

/* ---- Order ------------------------------------------------------------------------------- */

static void renumber_point(FcProfileHeapPoint *point, const guint *numbers)
{
    if (point->context != FC_NONE)
        point->context = (gint)numbers[point->context];
}

static void renumber(FcProfile *profile, const guint *numbers)
{
    const FcProfileHeap *heap = &profile->heap;
    for (guint i = 0; i < heap->alloc_sites->len; i++)
        renumber_point(&g_array_index(heap->alloc_sites, FcProfileAllocSite, i).point, numbers);
    for (guint i = 0; i < heap->bad_frees->len; i++)
    {
        FcProfileBadFree *bad = &g_array_index(heap->bad_frees, FcProfileBadFree, i);
        renumber_point(&bad->here, numbers);
        renumber_point(&bad->allocated, numbers);
        renumber_point(&bad->freed, numbers);
    }
    for (guint i = 0; i < profile->slowest->len; i++)
    {
        FcProfileSlowCall *call = &g_array_index(profile->slowest, FcProfileSlowCall, i);
        call->context = call->context != FC_NONE ? (gint)numbers[call->context] : FC_NONE;
    }
    for (guint i = 0; i < profile->rank_contexts->len; i++)
    {
        FcProfileRanks *ranks = &g_array_index(profile->rank_contexts, FcProfileRanks, i);
        ranks->of = numbers[ranks->of];
    }
}

/* Sorts the contexts so that parents come before their children again. */
static void put_in_order(FcProfile *profile)
{
    GArray *old = profile->contexts;
    GArray *contexts = g_array_sized_new(FALSE, TRUE, sizeof(FcProfileContext), old->len);
    g_autofree guint *numbers = g_new(guint, old->len + 1);
    for (guint i = 0; i < old->len; i++)
        numbers[i] = G_MAXUINT;
    while (contexts->len < old->len)
        for (guint i = 0; i < old->len; i++)
        {
            FcProfileContext context = g_array_index(old, FcProfileContext, i);
            if (numbers[i] != G_MAXUINT ||
                (context.parent != FC_NONE && numbers[context.parent] == G_MAXUINT))
                continue;
            if (context.parent != FC_NONE)
                context.parent = (gint)numbers[context.parent];
            numbers[i] = contexts->len;
            g_array_append_val(contexts, context);
        }
    renumber(profile, numbers);
    g_array_unref(old);
    profile->contexts = contexts;
}

static GHashTable *index_arcs(const FcProfile *profile)
{
    GHashTable *arcs = g_hash_table_new_full(fc_key_hash, fc_key_equal, g_free, NULL);
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        const FcKey key = {{arc->caller, arc->callee, (gint64)arc->site.address}};
        g_hash_table_replace(arcs, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(i + 1));
    }
    return arcs;
}

void fc_openmp_place(FcModel *model)
{
    FcProfile *profile = model->profile;
    const guint count = profile->contexts->len;
    g_autoptr(GArray) roots = g_array_new(FALSE, FALSE, sizeof(Root));
    g_autofree guint *root_of = g_new0(guint, count + 1);
    g_autofree gboolean *is_moved = g_new0(gboolean, count + 1);
    Placing placing = {model, profile, roots, root_of, is_moved, count, NULL};
    g_array_set_clear_func(roots, root_clear);
    find_roots(&placing);
    if (roots->len == 0)
        return;
    g_autoptr(GHashTable) arcs = index_arcs(profile);
    placing.arcs = arcs;
    for (guint i = 0; i < roots->len; i++)
        place(&placing, &g_array_index(roots, Root, i));
    put_in_order(profile);
}
