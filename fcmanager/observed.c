/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observed.h.
 */
#include "fcmanager/observed.h"

#include "fcmanager/observed-outside.h"

#include <math.h>

/* What was estimated may be wrong by this part of it and of what was taken off it for hooks, */
#define ESTIMATED_ERROR 1.5
/* what was measured, by this part of the latter. */
#define MEASURED_ERROR 0.5
/* Where the two differ, this part of the difference is the estimate's error, up to so many times
 * what was thought. */
#define SURPRISE 0.5
#define SURPRISE_MOST 3.0

/* Where they differ by more than so many times what chance makes of the looks, that is how wrong
 * the estimate is: it goes by a few calls, and cannot know of one that takes as long as all others.
 */
#define NO_CHANCE 3.0

/* What hooks took by the calibration may be wrong by this part of it, and so many times that by
 * which it is in all what they took by the looks, as a logarithm. */
#define CALIBRATION_ERROR 0.1
#define CALIBRATION_APART 0.5
/* But it counts at least so much where looks see less of the hooks: these are at work while what is
 * around them is not done yet, and are seen for 0.6 to 1 of what they take with the mixes of
 * tests/bench.  In real programs they take more than in the calibration, which is what looks see
 * then.  What they see less of by chance is pulled as well, so a frame that few looks were at comes
 * out a little short. */
#define BY_CALIBRATION 0.5

/* Times of functions and those of frames are fitted to each other in so many rounds, to contexts
 * within so many times their doubt. */
#define ROUNDS 16u
#define PART_MOST 1e6

typedef struct
{
    FcCounts *counts;
    guint64 *removed;
    const double *within;
    const FcCallCosts *costs;
    const FcObserved *observed;
    FcSightings *sightings;
    guint32 *frames; /* by context: the recorded one around it, in whose time it was spent */
    double *busy;    /* by context: its local time on the CPU, in ticks, */
    double *doubt;   /* and by how much that may be wrong; */
    double *before;  /* the part of it before anybody looked */
} Refine;

/* Of one function, in ticks: */
typedef struct
{
    double busy;
    double doubt;
    double before; /* the part of `busy` that nobody looked at */
    double wanted; /* its local time on the CPU as it is to be */
    double part;   /* of its contexts' doubt that is added to their times; may be negative */
} Function;

static double square(double x)
{
    return x * x;
}

/* ---- What is known without ------------------------------------------------------------- */

/* The parts of the functions' ticks, and so of their contexts', that were before anybody looked. */
static void find_before(Refine *refine)
{
    const FcCounts *counts = refine->counts;
    const GArray *before = refine->observed->before;
    g_autofree double *all = g_new0(double, counts->function_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
        all[counts->nodes[i].function] += refine->busy[i] + (double)refine->removed[i];
    for (guint32 i = 1; before && i < counts->node_count; i++)
    {
        const guint32 function = counts->nodes[i].function;
        if (function < before->len && all[function] > 0)
            refine->before[i] =
                MIN(1, (double)g_array_index(before, guint64, function) / all[function]);
    }
}

static void find_doubt(Refine *refine)
{
    const FcCounts *counts = refine->counts;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const double waited = (double)fc_counts_wait(counts->node_waits, i).local;
        const double removed = (double)refine->removed[i];
        const gboolean is_counted = counts->functions[node->function].counted > 0;
        refine->busy[i] = MAX(0, (double)node->local - waited);
        const gboolean is_frame = !is_counted && !fc_counts_is_deep(counts, i);
        refine->frames[i] = is_frame ? i : refine->frames[node->parent];
        if (fc_counts_is_marked(counts->seen_nodes, i)) /* it may be all of its frame's */
            refine->doubt[i] += refine->busy[refine->frames[i]];
        const double doubt =
            is_counted ? ESTIMATED_ERROR * (refine->busy[i] + removed) : MEASURED_ERROR * removed;
        refine->doubt[i] += doubt;
        if (is_counted)
            refine->doubt[refine->frames[i]] += refine->doubt[i];
    }
}

/* Sums up contexts.  Which of them made the calls that were counted is not always known: what is
 * not certain of some contexts of a function is not of the others. */
static void sum_functions(Refine *refine, Function *functions)
{
    const FcCounts *counts = refine->counts;
    g_autofree double *parts = g_new0(double, counts->function_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        Function *function = &functions[counts->nodes[i].function];
        function->busy += refine->busy[i];
        function->doubt += refine->doubt[i];
        function->before += refine->busy[i] * refine->before[i];
    }
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        parts[i] = MIN(1, functions[i].doubt / MAX(1, functions[i].busy));
        functions[i].doubt = 0;
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 function = counts->nodes[i].function;
        refine->doubt[i] = MAX(refine->doubt[i], refine->busy[i] * parts[function]);
        functions[function].doubt += refine->doubt[i];
    }
}

/* What is deeper than FC_DEPTH has no time: moves what `values` has of functions, as far as their
 * calls were, to those of the recorded frames around these. */
static void move_deep(const Refine *refine, double *values)
{
    const FcCounts *counts = refine->counts;
    if (!counts->deep_nodes)
        return;
    g_autofree double *calls = g_new0(double, counts->function_count);
    g_autofree double *change = g_new0(double, counts->function_count);
    for (guint32 i = 1; i < counts->node_count; i++)
        calls[counts->nodes[i].function] += (double)counts->nodes[i].calls;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint32 frame = refine->frames[i];
        if (frame == 0 || node->calls == 0 || !fc_counts_is_deep(counts, i))
            continue;
        const double part = values[node->function] * (double)node->calls / calls[node->function];
        change[node->function] -= part;
        change[counts->nodes[frame].function] += part;
    }
    for (guint32 i = 0; i < counts->function_count; i++)
        values[i] = MAX(0, values[i] + change[i]);
}

/* ---- Both together ---------------------------------------------------------------------- */

/* How wrong the estimate may be as looks, one of which stands for so many ticks, say `own`, which
 * is by chance as wrong as `chance` says, squared. */
static double surprise_of(const Function *function, double own, double chance, double look)
{
    const double apart = fabs(own - function->busy);
    const double unseen = look * MAX(0, function->busy - own);
    return MAX(MIN(SURPRISE * apart, SURPRISE_MOST * function->doubt),
               apart - NO_CHANCE * sqrt(chance + unseen));
}

/* Each unit of weight in `all` stands for so many `ticks`; a look has `look` of them. */
static void weigh(const Refine *refine, const FcOutside *outside, Function *functions, double ticks,
                  double look)
{
    FcCounts *counts = refine->counts;
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        Function *function = &functions[i];
        const double seen = refine->sightings->seen[i] * ticks;
        const double own = function->before + fc_outside_left(outside, i, seen);
        const double chance = square(ticks) * refine->sightings->chance[i] +
                              square(look * ticks) / 4 + fc_outside_variance(outside, i);
        const double surprise = surprise_of(function, own, chance, look * ticks);
        const double doubt = square(function->doubt) + square(surprise);
        function->wanted = function->busy;
        if (function->doubt <= 0)
            continue;
        function->wanted += (own - function->busy) * doubt / (doubt + chance);
        FcCountsFunction *figures = &counts->functions[i];
        const double of_callees = MAX(0, figures->total_variance - figures->local_variance);
        figures->local_variance = doubt * chance / (doubt + chance);
        if (figures->counted > 0)
            figures->total_variance = figures->local_variance + of_callees;
    }
}

/* The time of a context, of which its frame has room for the part `fit`. */
static double changed(const Refine *refine, const Function *functions, const double *fit, guint32 i)
{
    const FcCountsNode *node = &refine->counts->nodes[i];
    const double each = refine->costs->counted / FC_LEAST_OF_CALLS;
    const double least = MIN(refine->busy[i], (double)node->calls * each);
    const double wanted = refine->busy[i] + functions[node->function].part * refine->doubt[i];
    return fit[refine->frames[i]] * MAX(least, wanted);
}

/* One step towards times of contexts whose sums are what is wanted of their functions. */
static void fit_functions(const Refine *refine, Function *functions, const double *fit)
{
    const FcCounts *counts = refine->counts;
    g_autofree double *sums = g_new0(double, counts->function_count);
    g_autofree double *slopes = g_new0(double, counts->function_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 function = counts->nodes[i].function;
        const double local = changed(refine, functions, fit, i);
        sums[function] += local;
        if (refine->busy[i] + functions[function].part * refine->doubt[i] > 0 ||
            functions[function].wanted > functions[function].busy)
            slopes[function] += fit[refine->frames[i]] * refine->doubt[i];
    }
    for (guint32 i = 0; i < counts->function_count; i++)
        if (slopes[i] > 0)
            functions[i].part =
                CLAMP(functions[i].part + (functions[i].wanted - sums[i]) / slopes[i], -PART_MOST,
                      PART_MOST);
}

/* No frame has more than its time, which is `whole`. */
static void fit_frames(const Refine *refine, const Function *functions, const double *whole,
                       double *fit)
{
    const FcCounts *counts = refine->counts;
    g_autofree double *given = g_new0(double, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
        given[refine->frames[i]] += changed(refine, functions, fit, i);
    for (guint32 i = 0; i < counts->node_count; i++)
        if (given[i] > whole[i])
            fit[i] *= whole[i] / given[i];
}

/* By context: its local time on the CPU as it is to be. */
static double *fit_all(const Refine *refine, Function *functions)
{
    const FcCounts *counts = refine->counts;
    double *local = g_new0(double, counts->node_count);
    g_autofree double *whole = g_new0(double, counts->node_count);
    g_autofree double *fit = g_new(double, counts->node_count);
    fit[0] = 1;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        fit[i] = 1;
        whole[refine->frames[i]] += refine->busy[i] + (double)refine->removed[i];
    }
    for (guint round = 0; round < ROUNDS; round++)
    {
        fit_functions(refine, functions, fit);
        fit_frames(refine, functions, whole, fit);
    }
    for (guint32 i = 1; i < counts->node_count; i++)
        local[i] = changed(refine, functions, fit, i);
    return local;
}

/* ---- The times ---------------------------------------------------------------------------- */

static guint64 added(guint64 ticks, double change)
{
    const double sum = (double)ticks + change;
    return sum <= 0 ? 0 : sum < 0x1p62 ? (guint64)(sum + 0.5) : ticks;
}

/* Those of a recursion have no context of their own: they change as their function does. */
static void scale_recursion(FcCounts *counts, const guint32 *arcs, const guint64 *totals)
{
    g_autofree gboolean *has_context = g_new0(gboolean, counts->arc_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
        has_context[arcs[i]] = TRUE;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcCountsArc *arc = &counts->arcs[i];
        const guint64 before = totals[arc->callee];
        if (has_context[i + 1] || before == 0)
            continue;
        const double times = (double)counts->functions[arc->callee].total / (double)before;
        arc->total = added(0, (double)arc->total * times);
    }
}

/* To each context but frames the changes of those below it, up to the next frames, and its own; to
 * its function and arc those of their outermost contexts.  Children stand behind their parents. */
static void add_totals(Refine *refine, double *changes)
{
    FcCounts *counts = refine->counts;
    g_autofree guint32 *arcs = fc_counts_arcs_of_nodes(counts);
    g_autofree guint64 *totals = g_new(guint64, counts->function_count + 1);
    for (guint32 i = 0; i < counts->function_count; i++)
        totals[i] = counts->functions[i].total;
    for (guint32 i = counts->node_count; i-- > 1;)
    {
        FcCountsNode *node = &counts->nodes[i];
        if (refine->frames[i] == i)
            continue;
        if (node->parent != 0 && refine->frames[node->parent] != node->parent)
            changes[node->parent] += changes[i];
        node->total = added(node->total, changes[i]);
        if (fc_counts_find_on_path(counts, node->parent, node->function) != 0)
            continue;
        FcCountsFunction *function = &counts->functions[node->function];
        function->total = added(function->total, changes[i]);
        if (arcs[i] != 0)
            counts->arcs[arcs[i] - 1].total = added(counts->arcs[arcs[i] - 1].total, changes[i]);
    }
    scale_recursion(counts, arcs, totals);
}

/* What is left of the time of each frame, hooks took. */
static void share_out(Refine *refine, const double *local)
{
    FcCounts *counts = refine->counts;
    g_autofree double *rest = g_new0(double, counts->node_count);
    g_autofree double *hooks = g_new0(double, counts->node_count);
    g_autofree double *calls = g_new0(double, counts->node_count);
    g_autofree double *changes = g_new0(double, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 frame = refine->frames[i];
        rest[frame] += refine->busy[i] + (double)refine->removed[i] - local[i];
        hooks[frame] += (double)refine->removed[i];
        calls[frame] += (double)counts->nodes[i].calls;
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        FcCountsNode *node = &counts->nodes[i];
        const guint32 frame = refine->frames[i];
        const double part = hooks[frame] > 0 ? (double)refine->removed[i] / hooks[frame]
                                             : (double)node->calls / MAX(1, calls[frame]);
        const double before = (double)node->local + (double)refine->removed[i];
        node->local = added(node->local, local[i] - refine->busy[i]);
        refine->removed[i] = added(0, rest[frame] * part);
        changes[i] = (double)node->local + (double)refine->removed[i] - before;
    }
    add_totals(refine, changes);
}

/* The part by which what hooks took may be wrong by the calibration, as that is by so much more or
 * less in all than by the looks, of which each unit of weight stands for so many `ticks`. */
static double calibration_error(const Refine *refine, const FcOutside *outside, double ticks)
{
    double removed = 0;
    const double hooks = refine->sightings->hooks * ticks;
    for (guint32 i = 1; i < refine->counts->node_count; i++)
        removed += (double)refine->removed[i] * (1 - refine->before[i]);
    const double apart = fabs(log(MAX(1, removed) / (hooks + outside->all)));
    return CALIBRATION_ERROR + CALIBRATION_APART * apart;
}

/* The time of a frame without hooks is known twice, too: by how often each was called, and by the
 * looks at its functions.  `error`: as above. */
static void weigh_frames(const Refine *refine, double *local, double error)
{
    const FcCounts *counts = refine->counts;
    g_autofree double *before = g_new0(double, counts->node_count);
    g_autofree double *hooks = g_new0(double, counts->node_count);
    g_autofree double *after = g_new0(double, counts->node_count);
    g_autofree double *chance = g_new0(double, counts->node_count);
    g_autofree double *of_functions = g_new0(double, counts->function_count);
    for (guint32 i = 1; i < counts->node_count; i++)
        of_functions[counts->nodes[i].function] += local[i];
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 function = counts->nodes[i].function;
        const guint32 frame = refine->frames[i];
        before[frame] += refine->busy[i];
        hooks[frame] += (double)refine->removed[i];
        after[frame] += local[i];
        if (of_functions[function] > 0)
            chance[frame] += counts->functions[function].local_variance *
                             square(local[i] / of_functions[function]);
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 frame = refine->frames[i];
        const double by_calls = square(error * hooks[frame]);
        if (after[frame] <= 0 || by_calls <= 0)
            continue;
        double part = chance[frame] / (chance[frame] + by_calls);
        if (after[frame] > before[frame])
            part += (1 - part) * BY_CALIBRATION;
        local[i] *= part * before[frame] / after[frame] + (1 - part);
    }
}

/* Rounding, and what is on a path twice, must not make a total less than what it holds. */
static void keep_totals(Refine *refine)
{
    FcCounts *counts = refine->counts;
    g_autofree guint64 *of_functions = g_new0(guint64, counts->function_count + 1);
    g_autofree guint64 *of_arcs = g_new0(guint64, counts->arc_count + 1);
    g_autofree guint32 *arcs = fc_counts_arcs_of_nodes(counts);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        FcCountsNode *node = &counts->nodes[i];
        const guint64 local = added(node->local, (double)refine->removed[i]);
        node->total = MAX(node->total, local);
        of_functions[node->function] = added(of_functions[node->function], (double)local);
        of_arcs[arcs[i]] = added(of_arcs[arcs[i]], (double)local);
    }
    for (guint32 i = 0; i < counts->function_count; i++)
        counts->functions[i].total = MAX(counts->functions[i].total, of_functions[i]);
    for (guint32 i = 0; i < counts->arc_count; i++)
        counts->arcs[i].total = MAX(counts->arcs[i].total, of_arcs[i + 1]);
}

/* `look`: the weight of one. */
static void refine_times(Refine *refine, double look)
{
    FcCounts *counts = refine->counts;
    g_autofree Function *functions = g_new0(Function, counts->function_count);
    double ticks = 0;
    double weight = refine->sightings->hooks;
    find_doubt(refine);
    find_before(refine);
    for (guint32 i = 1; i < counts->node_count; i++)
        ticks += (refine->busy[i] + (double)refine->removed[i]) * (1 - refine->before[i]);
    for (guint32 i = 0; i < counts->function_count; i++)
        weight += refine->sightings->seen[i];
    sum_functions(refine, functions);
    move_deep(refine, refine->sightings->seen);
    move_deep(refine, refine->sightings->chance);
    g_auto(FcOutside) outside =
        fc_outside_of(counts, refine->costs, refine->sightings->hooks * ticks / weight);
    move_deep(refine, outside.dissolved);
    move_deep(refine, outside.others);
    weigh(refine, &outside, functions, ticks / weight, look);
    g_autofree double *local = fit_all(refine, functions);
    weigh_frames(refine, local, calibration_error(refine, &outside, ticks / weight));
    share_out(refine, local);
    keep_totals(refine);
}

void fc_observed_refine(FcCounts *counts, guint64 *removed, const double *within,
                        const FcCallCosts *costs, const FcObserved *seen, FcSightings *sightings)
{
    Refine refine = {
        .counts = counts,
        .removed = removed,
        .within = within,
        .costs = costs,
        .observed = seen,
        .sightings = sightings,
        .frames = g_new0(guint32, counts->node_count + 1),
        .busy = g_new0(double, counts->node_count + 1),
        .doubt = g_new0(double, counts->node_count + 1),
        .before = g_new0(double, counts->node_count + 1),
    };
    refine_times(&refine, seen->squares / seen->weight);
    counts->looks = MAX(1, seen->looks); /* none: those at other threads told */
    g_free(refine.frames);
    g_free(refine.busy);
    g_free(refine.doubt);
    g_free(refine.before);
}
