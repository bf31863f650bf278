/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observed-contexts.h.  Called by costs.c.
 */
#include "fcmanager/observed-contexts.h"

#include <math.h>

/* So many looks at a function, and so many times what there is room for where it is known to be
 * called, less that many standard errors: no chance. */
#define LOOKS_LEAST 30.0
#define TIMES_ROOM 1.5
#define ERRORS 3.0
/* A frame with a smaller part of the thread's time is not worth a context. */
#define FRAME_LEAST 0.01
/* So many calls are looked at for the way to one function. */
#define STEPS_MOST 64u

typedef struct
{
    FcCounts *counts;
    const FcCallCosts *costs;
    guint32 known;      /* contexts that there were */
    guint32 *frames;    /* by context: the recorded one around it; 0: none */
    double *whole;      /* by frame: ticks on the CPU that it has, with what is counted in it, */
    double *hooks;      /* and what counting that took by the calibration */
    double ticks;       /* of all */
    double *own;        /* by function: ticks in its contexts themselves, but what hooks took */
    double *seen_most;  /* by function: ticks in which the thread was seen in it, at most */
    guint32 *first;     /* by function: a context; 0: none */
    guint32 *next;      /* by context: another one of its function */
    guint32 *first_arc; /* by function: an arc that leads to it, + 1; 0: none */
    guint32 *next_arc;  /* by arc: likewise */
} Make;

static double busy_of(const FcCounts *counts, guint32 index)
{
    const guint64 local = counts->nodes[index].local;
    return (double)(local - MIN(fc_counts_wait(counts->node_waits, index).local, local));
}

static void find_frames(Make *make)
{
    const FcCounts *counts = make->counts;
    for (guint32 i = 1; i < make->known; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const FcCountsFunction *function = &counts->functions[node->function];
        const double busy = busy_of(counts, i);
        const gboolean is_frame = function->counted == 0 && !fc_counts_is_deep(counts, i);
        make->frames[i] = is_frame ? i : make->frames[node->parent];
        make->whole[make->frames[i]] += busy;
        make->hooks[make->frames[i]] +=
            (double)fc_counts_unrecorded(counts, i) * fc_costs_of_counted(make->costs, function);
        make->ticks += busy;
        make->own[node->function] += busy;
        make->next[i] = make->first[node->function];
        make->first[node->function] = i;
    }
    for (guint32 i = 1; i < make->known; i++)
        if (make->frames[i] == i)
            make->own[counts->nodes[i].function] -= MIN(make->hooks[i], busy_of(counts, i));
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        make->next_arc[i] = make->first_arc[counts->arcs[i].callee];
        make->first_arc[counts->arcs[i].callee] = i + 1;
    }
}

/* Ticks of the frames around contexts of the function, each of which is marked. */
static double room_of(const Make *make, guint32 function, GHashTable *marked)
{
    double room = 0;
    for (guint32 i = make->first[function]; i != 0; i = make->next[i])
        if (g_hash_table_add(marked, GUINT_TO_POINTER(make->frames[i])))
            room += MAX(0, make->whole[make->frames[i]] - make->hooks[make->frames[i]]);
    return room;
}

/* The context by the arc that has the most calls without a record; 0: none has several. */
static guint32 most_called(const Make *make, const FcCountsArc *arc)
{
    const FcCounts *counts = make->counts;
    guint64 most = 1;
    guint32 best = 0;
    for (guint32 i = make->first[arc->callee]; i != 0; i = make->next[i])
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint64 calls = MIN(fc_counts_unrecorded(counts, i), node->calls);
        if (calls <= most || node->site != arc->site || node->site_module != arc->site_module ||
            node->parent == 0 || counts->nodes[node->parent].function != arc->caller - 1)
            continue;
        most = calls;
        best = i;
    }
    return best;
}

/* Below `parent`, with a call of context `from`, which is by the same arc. */
static guint32 make_context(FcCounts *counts, guint32 parent, guint32 from)
{
    const FcCountsNode like = counts->nodes[from];
    const guint32 node =
        fc_counts_add_node(counts, parent, like.site, like.site_module, like.function);
    counts->nodes[node].calls = 1;
    counts->nodes[from].calls--;
    fc_counts_add_unrecorded(&counts->unrecorded, node, 1);
    g_array_index(counts->unrecorded, guint64, from)--;
    fc_counts_mark(&counts->apportioned_nodes, node);
    fc_counts_mark(&counts->apportioned_nodes, from);
    fc_counts_mark(&counts->seen_nodes, node);
    return node;
}

/* The thread was seen in the frame's function for much less than that was measured. */
static gboolean is_underseen(const Make *make, guint32 frame)
{
    const guint32 function = make->counts->nodes[frame].function;
    return make->seen_most[function] * TIMES_ROOM < make->own[function];
}

/* A call on the way down to the function that was seen. */
typedef struct
{
    guint32 arc;
    guint32 below; /* the step that its callee makes, + 1; 0: that is the function */
} Step;

/* What is searched for one function. */
typedef struct
{
    Make *make;
    GArray *steps;       /* Step, the nearest to the function first */
    GHashTable *callers; /* functions, + 1, whose callers are among them */
    GHashTable *marked;  /* frames that have a context of the function */
    gboolean is_sure;    /* it was called elsewhere; else only where the thread was not seen */
} Search;

static void add_steps(Search *search, guint32 function, guint32 below)
{
    const Make *make = search->make;
    if (!g_hash_table_add(search->callers, GUINT_TO_POINTER(function + 1)))
        return;
    for (guint32 at = make->first_arc[function]; at != 0; at = make->next_arc[at - 1])
    {
        const FcCountsArc *arc = &make->counts->arcs[at - 1];
        const Step step = {at - 1, below};
        if (arc->caller != 0 && arc->caller - 1 != function && arc->calls > 0 &&
            search->steps->len < STEPS_MOST)
            g_array_append_val(search->steps, step);
    }
}

static gboolean is_wanted(const Search *search, const Step *step, guint32 parent)
{
    const Make *make = search->make;
    const guint32 frame = make->frames[parent];
    if (frame == 0 || make->whole[frame] < FRAME_LEAST * make->ticks ||
        fc_counts_is_deep(make->counts, parent) ||
        g_hash_table_contains(search->marked, GUINT_TO_POINTER(frame)) ||
        !((search->is_sure && step->below == 0) || is_underseen(make, frame)))
        return FALSE;
    for (guint32 at = step->below;
         fc_counts_find_on_path(make->counts, parent, make->counts->arcs[step->arc].callee) == 0;
         at = step->below)
    {
        if (at == 0)
            return TRUE;
        step = &g_array_index(search->steps, Step, at - 1);
    }
    return FALSE;
}

/* FALSE where there is no room, or no call for one of them. */
static gboolean make_way(const Search *search, const Step *step, guint32 parent)
{
    FcCounts *counts = search->make->counts;
    for (;;)
    {
        const guint32 from = most_called(search->make, &counts->arcs[step->arc]);
        if (from == 0 || !fc_counts_has_room(counts))
            return FALSE;
        parent = make_context(counts, parent, from);
        if (step->below == 0)
            return TRUE;
        step = &g_array_index(search->steps, Step, step->below - 1);
    }
}

static void make_contexts(const Search *search, const Step *step)
{
    const Make *make = search->make;
    const guint32 caller = make->counts->arcs[step->arc].caller - 1;
    for (guint32 parent = make->first[caller]; parent != 0; parent = make->next[parent])
        if (is_wanted(search, step, parent))
        {
            if (!make_way(search, step, parent))
                return;
            g_hash_table_add(search->marked, GUINT_TO_POINTER(make->frames[parent]));
        }
}

/* By its callers, and, as far as these are counted, by theirs. */
static void make_ways(Search *search, guint32 function)
{
    const FcCounts *counts = search->make->counts;
    add_steps(search, function, 0);
    for (guint i = 0; i < search->steps->len; i++)
    {
        const Step step = g_array_index(search->steps, Step, i);
        const guint32 caller = counts->arcs[step.arc].caller - 1;
        make_contexts(search, &step);
        if (counts->functions[caller].counted > 0)
            add_steps(search, caller, i + 1);
    }
}

/* The thread was seen in the function for longer than its contexts have, and much less than it was
 * measured in some that call it: what these have too much is in their calls. */
static void mark_contexts(Make *make, guint32 function)
{
    FcCounts *counts = make->counts;
    for (guint32 i = make->first[function]; i != 0; i = make->next[i])
    {
        const guint32 frame = make->frames[i];
        if (frame != 0 && busy_of(counts, frame) >= FRAME_LEAST * make->ticks &&
            is_underseen(make, frame))
            fc_counts_mark(&counts->seen_nodes, i);
    }
}

static void make_of_function(Make *make, guint32 function, double seen)
{
    g_autoptr(GHashTable) marked = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) callers = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(Step));
    Search search = {make, steps, callers, marked, FALSE};
    search.is_sure = seen > TIMES_ROOM * room_of(make, function, marked);
    if (!search.is_sure && seen <= TIMES_ROOM * make->own[function])
        return;
    mark_contexts(make, function);
    make_ways(&search, function);
}

static double error_of(const FcSightings *sightings, guint32 function, double look)
{
    return ERRORS * (sqrt(sightings->chance[function]) + look / 2);
}

static void make_all(Make *make, const FcSightings *sightings, double look)
{
    double weight = sightings->hooks;
    for (guint32 i = 0; i < make->counts->function_count; i++)
        weight += sightings->seen[i];
    const double each = make->ticks / weight;
    for (guint32 i = 0; i < make->counts->function_count; i++)
        make->seen_most[i] = each * (sightings->seen[i] + error_of(sightings, i, look));
    for (guint32 i = 0; i < make->counts->function_count; i++)
    {
        const double seen = sightings->seen[i] - error_of(sightings, i, look);
        if (make->counts->functions[i].counted > 0 && sightings->seen[i] >= LOOKS_LEAST * look &&
            seen > 0)
            make_of_function(make, i, seen * each);
    }
}

void fc_observed_make_contexts(FcCounts *counts, const FcCallCosts *costs,
                               const FcSightings *sightings, double look)
{
    Make make = {.counts = counts,
                 .costs = costs,
                 .known = counts->node_count,
                 .frames = g_new0(guint32, counts->node_count + 1),
                 .whole = g_new0(double, counts->node_count + 1),
                 .hooks = g_new0(double, counts->node_count + 1),
                 .own = g_new0(double, counts->function_count + 1),
                 .seen_most = g_new0(double, counts->function_count + 1),
                 .first = g_new0(guint32, counts->function_count + 1),
                 .next = g_new0(guint32, counts->node_count + 1),
                 .first_arc = g_new0(guint32, counts->function_count + 1),
                 .next_arc = g_new0(guint32, counts->arc_count + 1)};
    find_frames(&make);
    make_all(&make, sightings, look);
    g_free(make.frames);
    g_free(make.whole);
    g_free(make.hooks);
    g_free(make.own);
    g_free(make.seen_most);
    g_free(make.first);
    g_free(make.next);
    g_free(make.first_arc);
    g_free(make.next_arc);
}
