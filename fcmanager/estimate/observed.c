/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observed.h.
 */
#include "fcmanager/estimate/observed.h"

#include <math.h>

/* What hooks cost outside of themselves (arguments, saved registers, the calls), as a part of what
 * they take inside.  Half is in the caller, half in the callee.  Measured with code of several
 * compilers it is 0.07 to 1.1.  The one constant of the estimate that is not derived from the run:
 * calibration when a session begins gave 0.7 to 1.4 of the truth, depending on where the compiler
 * had put the loop (doc/decisions.md), and two constants, for hooks before and after inlining,
 * were no truer than this one. */
#define OUTSIDE 0.5

typedef struct
{
    FcCounts *counts;
    guint64 *removed;
    const FcCallOverhead *of_call;
    const FcObserved *observed;
    FcFunctionSamples *samples;
    guint32 *frames;   /* by context: the recorded frame around it, which its time was part of */
    double *busy;      /* by context: its local time on the CPU, in ticks */
    double *whole;     /* by frame: all that it took, with counted calls in it and hooks */
    double *uncertain; /* by context: how far its time may be wrong, if it was not measured */
    double *before;    /* the part of `busy` before sampling began */
    double ticks;      /* ticks per unit of the samples' weight */
} Refine;

/* Figures of one function, in ticks. */
typedef struct
{
    double busy;
    double uncertain;
    double before;    /* the part of `busy` before sampling began */
    double wanted;    /* its local time on the CPU by the samples */
    double movable;   /* how much time it can lose, or the sum of `uncertain` if it gains */
    gboolean is_rest; /* its time is what counted calls leave of recorded ones */
    gboolean is_set;  /* its time is to be `wanted` */
} Function;

/* ---- What is known without ------------------------------------------------------------- */

/* The part of each context's time that passed before sampling began. */
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

/* A recorded frame was measured together with the counted calls in it.  How its time is divided
 * between them is not known. */
static void find_frames(Refine *refine, Function *functions)
{
    const FcCounts *counts = refine->counts;
    g_autofree gboolean *is_divided = g_new0(gboolean, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const double waited = (double)fc_counts_wait(counts->node_waits, i).local;
        const gboolean is_counted = counts->functions[node->function].counted > 0;
        refine->busy[i] = MAX(0, (double)node->local - waited);
        const gboolean is_frame = !is_counted && !fc_counts_is_deep(counts, i);
        refine->frames[i] = is_frame ? i : refine->frames[node->parent];
        refine->whole[refine->frames[i]] += refine->busy[i] + (double)refine->removed[i];
        is_divided[refine->frames[i]] |= is_counted;
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const gboolean is_counted = counts->functions[counts->nodes[i].function].counted > 0;
        refine->uncertain[i] = (double)refine->removed[i];
        if (is_counted)
            refine->uncertain[i] += refine->busy[i];
        else if (refine->frames[i] == i && is_divided[i])
        {
            refine->uncertain[i] = refine->whole[i];
            functions[counts->nodes[i].function].is_rest = TRUE;
        }
    }
}

static void sum_functions(Refine *refine, Function *functions)
{
    const FcCounts *counts = refine->counts;
    double all = 0;
    double weight = refine->samples->hooks;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        Function *function = &functions[counts->nodes[i].function];
        function->busy += refine->busy[i];
        function->uncertain += refine->uncertain[i];
        function->before += refine->busy[i] * refine->before[i];
        all += (refine->busy[i] + (double)refine->removed[i]) * (1 - refine->before[i]);
    }
    for (guint32 i = 0; i < counts->function_count; i++)
        weight += refine->samples->seen[i];
    refine->ticks = all / weight;
}

/* Functions deeper than FC_DEPTH have no time.  Moves their part of `values`, in proportion to
 * their calls there, to the functions of the recorded frames around them. */
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

/* ---- The samples -------------------------------------------------------------------------- */

/* Returns, by function, the ticks of its samples that are overhead outside of hooks. */
static double *find_outside(const Refine *refine)
{
    const FcCounts *counts = refine->counts;
    double *outside = g_new0(double, counts->function_count + 1);
    double calls = 0;
    double counted = 0;
    for (guint32 i = 0; i < counts->arc_count; i++)
        calls += (double)counts->arcs[i].calls;
    for (guint32 i = 1; i < counts->node_count; i++)
        counted += (double)MIN(fc_counts_unrecorded(counts, i), counts->nodes[i].calls);
    const double hooks = refine->samples->hooks * refine->ticks;
    const double each =
        MAX(0, hooks - (calls - counted) * refine->of_call->recorded) / MAX(1, counted);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const double ticks = (double)arc->calls * each * OUTSIDE / 2;
        outside[arc->callee] += ticks;
        if (arc->caller != 0)
            outside[arc->caller - 1] += ticks;
    }
    return outside;
}

/* Whether the samples rule out the time `busy`.  They do if it is outside of the 95% interval of
 * the mean of a Poisson distribution of which n were seen: n - 2 * sqrt(n) to n + 2 * sqrt(n + 1)
 * + 2. */
static gboolean contradict(const Refine *refine, double seen, double busy)
{
    const double each = refine->observed->weight / (double)refine->observed->samples;
    const double least = seen - 2 * sqrt(seen * each);
    const double most = seen + 2 * sqrt((seen + each) * each) + 2 * each;
    return busy < least * refine->ticks || busy > most * refine->ticks;
}

/* A function with few samples.  They tell little, but a short function's timed calls can be far too
 * long, as the code that times them is never in the cache; and what such times leave of the
 * recorded call around them is then far too short.  If the samples rule the time out, they are
 * used, with one added: if n were seen, the mean of what is possible is n + 1. */
static gboolean take_few_samples(const Refine *refine, guint32 index, const Function *function,
                                 double *seen, double *variance)
{
    const double each = refine->observed->weight / (double)refine->observed->samples;
    if ((refine->counts->functions[index].counted == 0 && !function->is_rest) ||
        !contradict(refine, *seen, function->busy - function->before))
        return FALSE;
    *seen += each;
    *variance += each * each;
    return TRUE;
}

static void set_functions(const Refine *refine, Function *functions)
{
    FcCounts *counts = refine->counts;
    g_autofree double *outside = find_outside(refine);
    move_deep(refine, outside);
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        Function *function = &functions[i];
        double seen = refine->samples->seen[i];
        double variance = refine->samples->variance[i];
        function->is_set =
            function->uncertain > 0 && ((seen * seen >= FC_SAMPLES_LEAST * variance && seen > 0) ||
                                        take_few_samples(refine, i, function, &seen, &variance));
        if (!function->is_set)
            continue;
        /* if the samples are few against the overhead, nearly all of their time is overhead;
           never below zero */
        const double ticks = seen * refine->ticks;
        function->wanted = function->before + ticks * ticks / (ticks + outside[i]);
        FcCountsFunction *figures = &counts->functions[i];
        const double of_callees = MAX(0, figures->total_variance - figures->local_variance);
        figures->local_variance = variance * refine->ticks * refine->ticks;
        if (figures->counted > 0)
            figures->total_variance = figures->local_variance + of_callees;
    }
}

/* Returns how much of a context's time may move to or from other functions. */
static double movable_of(const Refine *refine, const Function *function, guint32 node)
{
    const double uncertain = refine->uncertain[node];
    return function->wanted < function->busy ? MIN(uncertain, refine->busy[node]) : uncertain;
}

/* The contexts of a frame get no more than the frame's time.  Those without enough samples are
 * reduced first. */
static void bound_frames(const Refine *refine, const Function *functions, double *local)
{
    const FcCounts *counts = refine->counts;
    g_autofree double *set = g_new0(double, counts->node_count);
    g_autofree double *others = g_new0(double, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const gboolean is_set = functions[counts->nodes[i].function].is_set;
        (is_set ? set : others)[refine->frames[i]] += local[i];
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 frame = refine->frames[i];
        const double left = MAX(0, refine->whole[frame] - set[frame]);
        if (functions[counts->nodes[i].function].is_set && set[frame] > refine->whole[frame])
            local[i] *= refine->whole[frame] / set[frame];
        else if (!functions[counts->nodes[i].function].is_set && others[frame] > left)
            local[i] *= left / others[frame];
    }
}

/* Returns, by context, its new local time on the CPU.  What its function gains or loses is divided
 * among its contexts in proportion to how uncertain they are. */
static double *divide(const Refine *refine, Function *functions)
{
    const FcCounts *counts = refine->counts;
    double *local = g_new0(double, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        Function *function = &functions[counts->nodes[i].function];
        function->movable += movable_of(refine, function, i);
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const Function *function = &functions[counts->nodes[i].function];
        const double change = function->is_set ? function->wanted - function->busy : 0;
        local[i] = refine->busy[i];
        if (function->movable > 0)
            local[i] += MAX(change, -function->movable) * movable_of(refine, function, i) /
                        function->movable;
    }
    bound_frames(refine, functions, local);
    return local;
}

/* ---- The times ---------------------------------------------------------------------------- */

static guint64 added(guint64 ticks, double change)
{
    const double sum = (double)ticks + change;
    return sum <= 0 ? 0 : sum < 0x1p62 ? (guint64)(sum + 0.5) : ticks;
}

/* Sets the new times.  What is left of each frame's time is overhead. */
static void share_out(Refine *refine, const double *local)
{
    FcCounts *counts = refine->counts;
    g_autofree double *rest = g_new0(double, counts->node_count);
    g_autofree double *hooks = g_new0(double, counts->node_count);
    g_autofree double *calls = g_new0(double, counts->node_count);
    /* by frame: what rounding took off */
    g_autofree double *rounded = g_new0(double, counts->node_count);
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
        rounded[frame] += (double)node->local + (double)refine->removed[i];
        node->local = added(node->local, local[i] - refine->busy[i]);
        refine->removed[i] = added(0, rest[frame] * part);
        rounded[frame] -= (double)node->local + (double)refine->removed[i];
    }
    for (guint32 i = 1; i < counts->node_count; i++)
        if (refine->frames[i] == i)
            refine->removed[i] = added(refine->removed[i], rounded[i]);
}

void fc_observed_refine(FcCounts *counts, guint64 *removed, const FcCallOverhead *of_call,
                        const FcObserved *seen, FcFunctionSamples *samples)
{
    Refine refine = {
        .counts = counts,
        .removed = removed,
        .of_call = of_call,
        .observed = seen,
        .samples = samples,
        .frames = g_new0(guint32, counts->node_count + 1),
        .busy = g_new0(double, counts->node_count + 1),
        .whole = g_new0(double, counts->node_count + 1),
        .uncertain = g_new0(double, counts->node_count + 1),
        .before = g_new0(double, counts->node_count + 1),
    };
    g_autofree Function *functions = g_new0(Function, counts->function_count + 1);
    find_frames(&refine, functions);
    find_before(&refine);
    sum_functions(&refine, functions);
    move_deep(&refine, samples->seen);
    move_deep(&refine, samples->variance);
    set_functions(&refine, functions);
    g_autofree double *local = divide(&refine, functions);
    share_out(&refine, local);
    counts->samples = seen->samples;
    g_free(refine.frames);
    g_free(refine.busy);
    g_free(refine.whole);
    g_free(refine.uncertain);
    g_free(refine.before);
}
