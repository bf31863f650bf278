/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observed-contexts.h.  Called by costs.c.
 */
#include "fcmanager/observed-contexts.h"

#include "fcmanager/sightings.h"

#include <math.h>

/* So many looks at a function, and so many times what there is room for where it is known to be
 * called, less that many standard errors: no chance. */
#define LOOKS_LEAST 30.0
#define TIMES_ROOM 1.5
#define ERRORS 3.0
/* A frame with a smaller part of the thread's time is not worth a context. */
#define FRAME_LEAST 0.01

typedef struct
{
    FcCounts *counts;
    const FcCallCosts *costs;
    guint32 known;   /* contexts that there were */
    guint32 *frames; /* by context: the recorded one around it */
    double *whole;   /* by frame: ticks on the CPU that it has, with what is counted in it, */
    double *hooks;   /* and what counting that took by the calibration */
    double ticks;    /* of all */
} Make;

static gboolean is_counted(const FcCounts *counts, guint32 node)
{
    return counts->functions[counts->nodes[node].function].counted > 0;
}

static void find_frames(Make *make)
{
    const FcCounts *counts = make->counts;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint64 wait = fc_counts_wait(counts->node_waits, i).local;
        const double busy = (double)(node->local - MIN(wait, node->local));
        make->frames[i] = is_counted(counts, i) ? make->frames[node->parent] : i;
        make->whole[make->frames[i]] += busy;
        make->hooks[make->frames[i]] +=
            (double)fc_counts_unrecorded(counts, i) *
            fc_costs_of_counted(make->costs, &counts->functions[node->function]);
        make->ticks += busy;
    }
}

/* Ticks of the frames around contexts of the function, each of which is marked. */
static double room_of(const Make *make, guint32 function, GHashTable *marked)
{
    double room = 0;
    for (guint32 i = 1; i < make->known; i++)
        if (make->counts->nodes[i].function == function &&
            g_hash_table_add(marked, GUINT_TO_POINTER(make->frames[i])))
            room += MAX(0, make->whole[make->frames[i]] - make->hooks[make->frames[i]]);
    return room;
}

/* The context of the function that has the most calls without a record. */
static guint32 most_called(const Make *make, guint32 function)
{
    const FcCounts *counts = make->counts;
    guint32 best = 0;
    for (guint32 i = 1; i < make->known; i++)
        if (counts->nodes[i].function == function &&
            (best == 0 || fc_counts_unrecorded(counts, i) > fc_counts_unrecorded(counts, best)))
            best = i;
    return best;
}

/* Below `parent`, with a call of context `from`. */
static void make_context(FcCounts *counts, guint32 parent, const FcCountsArc *arc, guint32 from)
{
    if (!fc_counts_has_room(counts) || counts->nodes[from].calls < 2 ||
        fc_counts_unrecorded(counts, from) < 2)
        return;
    const guint32 node =
        fc_counts_add_node(counts, parent, arc->site, arc->site_module, arc->callee);
    counts->nodes[node].calls = 1;
    counts->nodes[from].calls--;
    fc_counts_add_unrecorded(&counts->unrecorded, node, 1);
    g_array_index(counts->unrecorded, guint64, from)--;
    fc_counts_mark(&counts->apportioned_nodes, node);
    fc_counts_mark(&counts->apportioned_nodes, from);
    fc_counts_mark(&counts->seen_nodes, node);
}

static void make_contexts(Make *make, guint32 function, GHashTable *marked)
{
    FcCounts *counts = make->counts;
    const guint32 from = most_called(make, function);
    for (guint32 i = 0; from != 0 && i < counts->arc_count; i++)
    {
        const FcCountsArc arc = counts->arcs[i];
        if (arc.callee != function || arc.caller == 0 || arc.caller - 1 == function ||
            arc.calls == 0)
            continue;
        for (guint32 parent = 1; parent < make->known; parent++)
        {
            const guint32 frame = make->frames[parent];
            if (counts->nodes[parent].function == arc.caller - 1 && frame != 0 &&
                make->whole[frame] >= FRAME_LEAST * make->ticks &&
                fc_counts_find_on_path(counts, parent, function) == 0 &&
                g_hash_table_add(marked, GUINT_TO_POINTER(frame)))
                make_context(counts, parent, &arc, from);
        }
    }
}

static void make_all(Make *make, const FcSightings *sightings, double weight, double look)
{
    for (guint32 i = 0; i < make->counts->function_count; i++)
    {
        const double seen = sightings->seen[i] - ERRORS * (sqrt(sightings->chance[i]) + look / 2);
        if (make->counts->functions[i].counted == 0 || sightings->seen[i] < LOOKS_LEAST * look ||
            seen <= 0)
            continue;
        g_autoptr(GHashTable) marked = g_hash_table_new(NULL, NULL);
        if (seen * make->ticks / weight > TIMES_ROOM * room_of(make, i, marked))
            make_contexts(make, i, marked);
    }
}

void fc_observed_make_contexts(FcCounts *counts, const FcCallCosts *costs, const FcObserved *seen)
{
    if (!seen || !seen->sightings || seen->squares <= 0)
        return;
    FcSightings sightings = fc_sightings_of(counts, seen);
    Make make = {.counts = counts,
                 .costs = costs,
                 .known = counts->node_count,
                 .frames = g_new0(guint32, counts->node_count + 1),
                 .whole = g_new0(double, counts->node_count + 1),
                 .hooks = g_new0(double, counts->node_count + 1)};
    double weight = sightings.hooks;
    for (guint32 i = 0; i < counts->function_count; i++)
        weight += sightings.seen[i];
    find_frames(&make);
    if (weight > 0)
        make_all(&make, &sightings, weight, seen->squares / seen->weight);
    fc_sightings_clear(&sightings);
    g_free(make.frames);
    g_free(make.whole);
    g_free(make.hooks);
}
