/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gives counted calls to contexts and arcs: see counted-work.h.
 */
#include "fcmanager/estimate/counted-work.h"

#define UNDETERMINED G_MAXUINT32

/* Returns the only function (+ 1) that is known to call the pair; 0: it is called by no profiled
 * function; UNDETERMINED: no caller is known, or more than one. */
static guint32 only_caller(const FcAttribution *work, const FcCountedPair *pair)
{
    guint32 caller = UNDETERMINED;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        if (fc_attribution_sure_calls(work, at - 1) == 0)
            continue;
        if (caller != UNDETERMINED)
            return UNDETERMINED;
        caller = work->counts->arcs[at - 1].caller;
    }
    return caller;
}

/* Whether all calls by that caller are in one context. */
static gboolean has_one_context(const FcAttribution *work, guint32 caller)
{
    if (caller == UNDETERMINED)
        return FALSE;
    guint32 node = caller != 0 ? work->first_same[caller - 1] : 0;
    return node == 0 || *fc_attribution_link(work->next_same, node) == 0;
}

void fc_attribution_divide(guint64 amount, const guint64 *weights, guint count, guint64 *parts)
{
    unsigned __int128 sum = 0;
    unsigned __int128 upto = 0;
    guint64 given = 0;
    guint shift = 0; /* to 64 bits */
    for (guint i = 0; i < count; i++)
        sum += weights[i];
    const gboolean alike = sum == 0;
    if (alike)
        sum = count;
    while (sum >> shift > G_MAXUINT64)
        shift++;
    for (guint i = 0; i < count; i++)
    {
        upto += alike ? 1 : weights[i];
        const unsigned __int128 product = (unsigned __int128)amount * (guint64)(upto >> shift);
        parts[i] = (guint64)(product / (guint64)(sum >> shift)) - given;
        given += parts[i];
    }
}

/* ---- Giving calls ------------------------------------------------------------------- */

/* Calls of one pair while `frame` was the innermost recorded frame; `timed` of them were timed. */
typedef struct
{
    guint32 pair;
    guint32 frame;
    guint64 calls;
    guint64 timed;
    gboolean is_arc_exact;
    gboolean is_context_exact;
} Batch;

/* Returns the arc by which `caller` (function + 1) calls the pair.  Makes it an arc of the pair if
 * it is new. */
static guint32 arc_of(FcAttribution *work, guint32 index, guint32 caller)
{
    FcCounts *counts = work->counts;
    FcCountedPair *pair = &g_array_index(work->counted->pairs, FcCountedPair, index);
    const guint32 known = counts->arc_count;
    const guint32 arc =
        fc_counts_get_arc(counts, caller, pair->site, pair->site_module, pair->function);
    if (arc >= known)
    {
        *fc_attribution_link(work->next_arc, arc) = pair->first_arc;
        pair->first_arc = arc + 1;
    }
    return arc;
}

/* Adds the share to the one with the same frame, context and pair; makes that if there is none. */
static void add_share(FcAttribution *work, const FcCountedShare *share)
{
    const guint32 hash = fc_map_hash(share->frame, share->node, share->pair);
    FcNodesSlot *slot = fc_nodes_first(&work->share_table, hash);
    for (; slot->node != 0; slot = fc_nodes_next(&work->share_table, slot, hash))
    {
        FcCountedShare *known = &g_array_index(work->shares, FcCountedShare, slot->node - 1);
        if (known->frame != share->frame || known->node != share->node ||
            known->pair != share->pair)
            continue;
        known->untimed += share->untimed;
        known->ticks += share->ticks;
        return;
    }
    g_array_append_val(work->shares, *share);
    fc_nodes_add(&work->share_table, slot, hash, work->shares->len);
}

/* Gives the context `node` of `caller` (function + 1) `calls` of the batch's calls. */
static void give(FcAttribution *work, const Batch *batch, guint32 node, guint32 caller,
                 guint64 calls)
{
    FcCounts *counts = work->counts;
    const FcCountedPair *pair = &g_array_index(work->counted->pairs, FcCountedPair, batch->pair);
    if (calls == 0)
        return;
    guint32 child = fc_attribution_find_child(work, node, pair);
    if (child == 0)
        child = fc_attribution_child(work, node, pair);
    const guint32 arc = arc_of(work, batch->pair, caller);
    counts->nodes[child].calls += calls;
    counts->arcs[arc].calls += calls;
    if (!batch->is_context_exact)
        fc_counts_mark(&counts->apportioned_nodes, child);
    if (!batch->is_arc_exact)
        fc_counts_mark(&counts->apportioned_arcs, arc);
    const FcCountedShare share = {.frame = batch->frame,
                                  .node = child,
                                  .pair = batch->pair,
                                  .untimed =
                                      (double)(batch->calls - MIN(batch->timed, batch->calls)) *
                                      (double)calls / (double)batch->calls};
    add_share(work, &share);
    const FcCountedShare of_call = {.frame = batch->frame,
                                    .node = node,
                                    .pair = FC_SHARE_OF_OVERHEAD,
                                    .ticks = ((double)calls - share.untimed) *
                                             (work->of_call->recorded - work->of_call->inside)};
    if (node != batch->frame && node != 0 && of_call.ticks > 0)
        add_share(work, &of_call);
    fc_counts_note_deep(counts, child, pair->deep == pair->calls);
    fc_counts_add_unrecorded(&counts->unrecorded, child, (guint64)(share.untimed + 0.5));
}

static guint32 caller_of(const FcCounts *counts, guint32 node)
{
    return node != 0 ? counts->nodes[node].function + 1 : 0;
}

/* ---- Callers that must have been there ------------------------------------------------ */

/* How many functions are visited at most to find one caller. */
#define CHECKED_MOST 1024u

/* A search from a function upwards, by who calls whom, to the function of the frame.  Functions are
 * function + 1. */
typedef struct
{
    const FcAttribution *work;
    GArray *found;     /* guint32: counted functions, nearest first */
    GHashTable *calls; /* function -> the pair by which it calls the one before it, index + 1 */
    guint32 wanted;    /* the frame's function; 0: none */
    guint32 pair; /* the pair by which that makes the most calls, of those seen so far; 0: none */
    guint64 most;
} Search;

static void meet(Search *search, guint32 pair, guint32 caller, guint64 calls)
{
    if (caller == search->wanted && calls > search->most)
    {
        search->pair = pair;
        search->most = calls;
    }
    if (caller == 0 || !search->work->is_counted[caller - 1] ||
        search->found->len >= CHECKED_MOST ||
        g_hash_table_contains(search->calls, GUINT_TO_POINTER(caller)))
        return;
    g_hash_table_insert(search->calls, GUINT_TO_POINTER(caller), GUINT_TO_POINTER(pair));
    g_array_append_val(search->found, caller);
}

/* Visits the known callers of the pair.  `surely`: only callers that records show, otherwise also
 * those that calls were given to.  FALSE: there are none. */
static gboolean meet_known(Search *search, guint32 index, gboolean surely)
{
    const FcAttribution *work = search->work;
    const FcCountedPair *pair = &g_array_index(work->counted->pairs, FcCountedPair, index);
    gboolean any = FALSE;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        const FcCountsArc *arc = &work->counts->arcs[at - 1];
        const guint64 calls = surely ? fc_attribution_sure_calls(work, at - 1) : arc->calls;
        if (calls == 0)
            continue;
        any = TRUE;
        meet(search, index + 1, arc->caller, calls);
    }
    return any;
}

/* Visits the known callers of `function`; if there are none, the one that its call site suggests.
 */
static void meet_callers(Search *search, guint32 function)
{
    const FcAttribution *work = search->work;
    for (guint32 at = work->first_pair[function - 1]; at != 0;
         at = *fc_attribution_link(work->next_pair, at - 1))
    {
        const FcCountedPair *pair = &g_array_index(work->counted->pairs, FcCountedPair, at - 1);
        if (!meet_known(search, at - 1, TRUE) && !meet_known(search, at - 1, FALSE) &&
            pair->calls > 0)
            meet(search, at, fc_attribution_likely_caller(work, pair), pair->calls);
    }
}

/* Makes the contexts from `node` down to the function that was searched for. */
static guint32 make_path(FcAttribution *work, const Search *search, guint32 node)
{
    for (guint32 at = search->pair; at != 0;)
    {
        const FcCountedPair pair = g_array_index(work->counted->pairs, FcCountedPair, at - 1);
        node = fc_attribution_child(work, node, &pair);
        fc_counts_mark(&work->counts->apportioned_nodes, node);
        at = GPOINTER_TO_UINT(
            g_hash_table_lookup(search->calls, GUINT_TO_POINTER(pair.function + 1)));
    }
    return node;
}

guint32 fc_attribution_make_caller(FcAttribution *work, guint32 frame, guint32 hidden)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GHashTable) calls = g_hash_table_new(NULL, NULL);
    Search search = {
        .work = work, .found = found, .calls = calls, .wanted = caller_of(work->counts, frame)};
    g_hash_table_insert(calls, GUINT_TO_POINTER(hidden), NULL);
    g_array_append_val(found, hidden);
    for (guint i = 0; i < found->len && search.pair == 0; i++)
        meet_callers(&search, g_array_index(found, guint32, i));
    return search.pair != 0 ? make_path(work, &search, frame) : 0;
}

/* ---- Where calls go ------------------------------------------------------------------- */

/* Gives calls below a recorded frame.  The frame's function made them, or a counted function that
 * it called. */
static void give_below(FcAttribution *work, const Batch *batch)
{
    FcCounts *counts = work->counts;
    const FcCountedPair *pair = &g_array_index(work->counted->pairs, FcCountedPair, batch->pair);
    guint32 hidden = fc_attribution_hidden_caller(work, pair, caller_of(counts, batch->frame));
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (hidden != 0)
        fc_attribution_find_below(work, batch->frame, hidden - 1, found);
    /* The call site may be in an unprofiled function: then that one's callers count. */
    if (found->len == 0 && hidden != 0 && fc_attribution_likely_caller(work, pair) == hidden)
    {
        const guint32 caller = fc_attribution_make_caller(work, batch->frame, hidden);
        if (caller != 0)
            g_array_append_val(found, caller);
    }
    if (found->len == 0)
    {
        give(work, batch, batch->frame, caller_of(counts, batch->frame), batch->calls);
        return;
    }
    g_autofree guint64 *weights = g_new(guint64, found->len);
    g_autofree guint64 *parts = g_new(guint64, found->len);
    for (guint i = 0; i < found->len; i++)
        weights[i] = counts->nodes[g_array_index(found, guint32, i)].calls;
    fc_attribution_divide(batch->calls, weights, found->len, parts);
    for (guint i = 0; i < found->len; i++)
        give(work, batch, g_array_index(found, guint32, i), hidden, parts[i]);
}

/* Returns the recorded frame in whose time the calls of context `node` ran: the nearest one. */
static guint32 frame_of(const FcAttribution *work, guint32 node)
{
    while (node != 0 && work->is_counted[work->counts->nodes[node].function] != 0)
        node = work->counts->nodes[node].parent;
    return node;
}

/* A context that calls the pair, and its weight for dividing calls. */
typedef struct
{
    guint32 node;
    guint64 weight;
} Caller;

/* Sorts the newest context first; contexts of one function are linked in this order, too. */
static gint compare_callers(gconstpointer a, gconstpointer b)
{
    const guint32 one = ((const Caller *)a)->node;
    const guint32 other = ((const Caller *)b)->node;
    return one > other ? -1 : one < other;
}

/* Puts the contexts of `caller` (function + 1) that are known to call pair number `index` into
 * `found`, an array of Caller. */
static void find_known(const FcAttribution *work, guint32 index, guint32 caller, GArray *found)
{
    const FcCountsNode *nodes = work->counts->nodes;
    for (guint32 at = *fc_attribution_link(work->first_of_pair, index); at != 0;
         at = *fc_attribution_link(work->next_of_pair, at))
    {
        const Caller known = {nodes[at].parent, nodes[at].calls};
        if (known.node != 0 && nodes[known.node].function == caller - 1 && known.weight > 0)
            g_array_append_val(found, known);
    }
    g_array_sort(found, compare_callers);
}

static void find_all(const FcAttribution *work, guint32 caller, GArray *found)
{
    for (guint32 node = work->first_same[caller - 1]; node != 0;
         node = *fc_attribution_link(work->next_same, node))
    {
        const Caller known = {node, work->counts->nodes[node].calls};
        g_array_append_val(found, known);
    }
}

/* Divides calls of `caller` (function + 1) that have no sample among all contexts of the caller. */
static void give_by_caller(FcAttribution *work, Batch batch, guint32 caller)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(Caller));
    if (caller != 0)
        find_known(work, batch.pair, caller, found);
    if (caller != 0 && found->len == 0)
        find_all(work, caller, found);
    if (found->len == 0)
    {
        batch.frame = 0;
        give(work, &batch, 0, caller, batch.calls);
        return;
    }
    g_autofree guint64 *weights = g_new(guint64, found->len);
    g_autofree guint64 *parts = g_new(guint64, found->len);
    for (guint i = 0; i < found->len; i++)
        weights[i] = g_array_index(found, Caller, i).weight;
    fc_attribution_divide(batch.calls, weights, found->len, parts);
    for (guint i = 0; i < found->len; i++)
    {
        const guint32 node = g_array_index(found, Caller, i).node;
        batch.frame = frame_of(work, node);
        batch.calls = parts[i];
        give(work, &batch, node, caller, parts[i]);
    }
}

static gint compare_functions(gconstpointer a, gconstpointer b)
{
    const guint32 one = ((const FcKnownCaller *)a)->function;
    const guint32 other = ((const FcKnownCaller *)b)->function;
    return one < other ? -1 : one > other;
}

/* Adds the callers that surely call by the pair's arcs to `callers`, an array of FcKnownCaller. */
static void add_sure_callers(const FcAttribution *work, const FcCountedPair *pair, GArray *callers)
{
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        const FcKnownCaller caller = {work->counts->arcs[at - 1].caller,
                                      fc_attribution_sure_calls(work, at - 1)};
        if (caller.calls > 0)
            g_array_append_val(callers, caller);
    }
}

/* Returns the functions that surely call `function` from any call site, each once.  The result is
 * cached and belongs to `work`. */
static const GArray *callers_of_function(FcAttribution *work, guint32 function)
{
    GArray *callers = g_hash_table_lookup(work->callers, GUINT_TO_POINTER(function));
    if (callers)
        return callers;
    callers = g_array_new(FALSE, FALSE, sizeof(FcKnownCaller));
    for (guint32 at = work->first_pair[function]; at != 0;
         at = *fc_attribution_link(work->next_pair, at - 1))
        add_sure_callers(work, &g_array_index(work->counted->pairs, FcCountedPair, at - 1),
                         callers);
    g_array_sort(callers, compare_functions);
    guint kept = 0;
    for (guint i = 0; i < callers->len; i++)
    {
        const FcKnownCaller *one = &g_array_index(callers, FcKnownCaller, i);
        if (kept > 0 && g_array_index(callers, FcKnownCaller, kept - 1).function == one->function)
            g_array_index(callers, FcKnownCaller, kept - 1).calls += one->calls;
        else
            g_array_index(callers, FcKnownCaller, kept++) = *one;
    }
    g_array_set_size(callers, kept);
    g_hash_table_insert(work->callers, GUINT_TO_POINTER(function), callers);
    return callers;
}

static void give_by_callers(FcAttribution *work, Batch batch, const GArray *callers)
{
    g_autofree guint64 *weights = g_new(guint64, callers->len);
    g_autofree guint64 *parts = g_new(guint64, callers->len);
    for (guint i = 0; i < callers->len; i++)
        weights[i] = g_array_index(callers, FcKnownCaller, i).calls;
    fc_attribution_divide(batch.calls, weights, callers->len, parts);
    for (guint i = 0; i < callers->len; i++)
    {
        batch.calls = parts[i];
        give_by_caller(work, batch, g_array_index(callers, FcKnownCaller, i).function);
    }
}

/* Gives calls that have no sample to the known callers.  If there are none, the call site suggests
 * one.  If it can't, as for code that was generated at run time, they go to the function's callers
 * at other call sites. */
static void give_unsampled(FcAttribution *work, Batch batch)
{
    const FcCountedPair pair = g_array_index(work->counted->pairs, FcCountedPair, batch.pair);
    g_autoptr(GArray) callers = g_array_new(FALSE, FALSE, sizeof(FcKnownCaller));
    add_sure_callers(work, &pair, callers);
    const guint32 likely = callers->len == 0 ? fc_attribution_likely_caller(work, &pair) : 0;
    const GArray *others =
        callers->len == 0 && likely == 0 ? callers_of_function(work, pair.function) : callers;
    if (others->len > 0)
        give_by_callers(work, batch, others);
    else
        give_by_caller(work, batch, likely);
}

void fc_attribution_apportion(FcAttribution *work, guint32 index)
{
    const FcCountedPair pair = g_array_index(work->counted->pairs, FcCountedPair, index);
    guint32 caller = only_caller(work, &pair);
    Batch batch = {.pair = index,
                   .calls = pair.calls,
                   .is_arc_exact = caller != UNDETERMINED,
                   .is_context_exact = has_one_context(work, caller)};
    g_autoptr(GArray) met = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint32 at = pair.first_sample; at != 0;)
    {
        const FcCountedSample *sample =
            &g_array_index(work->counted->samples, FcCountedSample, at - 1);
        g_array_append_val(met, sample->met);
        at = sample->next;
    }
    if (pair.calls == 0)
        return;
    if (met->len == 0)
    {
        give_unsampled(work, batch);
        return;
    }
    g_autofree guint64 *parts = g_new(guint64, met->len);
    fc_attribution_divide(pair.calls, (const guint64 *)(gconstpointer)met->data, met->len, parts);
    guint32 at = pair.first_sample;
    for (guint i = 0; i < met->len; i++)
    {
        const FcCountedSample *sample =
            &g_array_index(work->counted->samples, FcCountedSample, at - 1);
        batch.frame = sample->parent;
        batch.calls = parts[i];
        batch.timed = sample->timed.calls + sample->alone;
        give_below(work, &batch);
        at = sample->next;
    }
}
