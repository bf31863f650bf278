/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heaviest chain of calls; see hotpath.h.
 */
#include "model/hotpath.h"

#include "libfc/fc-format.h"
#include "model/contention.h"
#include "model/mpi.h"
#include "model/regions.h"

/* ---- Threads that seem to wait ------------------------------------------------------- */

#define WAITING_SHARE 0.9     /* least share of a thread's time in one function */
#define WAITING_CALL_NS 1e6   /* least own time per call: what waits is not called often */
#define WAITING_CALLS_MAX 1e3 /* most calls of a thread per second */

/* Whether the times that are shown may be waits of the thread.  Its waits are unknown, or it
 * was idle and elapsed time is shown.  FC_TIME_CPU and FC_TIME_SYS never include waits. */
static gboolean may_wait(const FcModel *model, const FcProfileThread *thread)
{
    const gint mode = model->profile->time_mode;
    if (mode == FC_TIME_CPU || mode == FC_TIME_SYS)
        return FALSE;
    return thread->waits == FC_WAITS_UNKNOWN ||
           (model->time == FC_TIME_PART_WALL && fc_contention_is_idle(thread));
}

/* The function that the thread seems to wait in, or FC_NONE. */
static gint waiting_function(const FcModel *model, const FcProfileThread *thread)
{
    const FcProfileThreadFunction *most = NULL;
    guint64 sum_ns = 0;
    if (!may_wait(model, thread))
        return FC_NONE;
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        sum_ns += function->times.local_ns;
        if (!most || function->times.local_ns > most->times.local_ns)
            most = function;
    }
    if (!most || sum_ns == 0 || (double)most->times.local_ns < WAITING_SHARE * (double)sum_ns ||
        (double)most->times.local_ns < WAITING_CALL_NS * (double)MAX(most->calls, 1) ||
        (double)thread->calls > WAITING_CALLS_MAX * (double)sum_ns / 1e9)
        return FC_NONE;
    return (gint)model->function_of[most->function];
}

gboolean *fc_hot_waiting(const FcModel *model)
{
    const GArray *threads = model->profile->threads;
    gboolean *waiting = g_new0(gboolean, model->functions->len + 1);
    g_autofree gint *functions = g_new(gint, threads->len + 1);
    gboolean any_works = FALSE;
    for (guint i = 0; i < threads->len; i++)
    {
        functions[i] = waiting_function(model, &g_array_index(threads, FcProfileThread, i));
        any_works = any_works || functions[i] == FC_NONE;
    }
    for (guint i = 0; any_works && i < threads->len; i++)
        if (functions[i] != FC_NONE)
            waiting[functions[i]] = TRUE;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        waiting[i] |= fc_mpi_is_function(model->profile, figures) ||
                      fc_regions_is_runtime(model->profile, figures);
    }
    return waiting;
}

/* ---- The path ------------------------------------------------------------------------ */

#define NO_CONTEXT G_MAXUINT

/* The tree of contexts with their times. */
typedef struct
{
    const FcModel *model;
    guint *child;      /* first child by context; [contexts->len]: first root */
    guint *next;       /* next sibling by context */
    guint64 *total_ns; /* by context: own time and that below */
    GArray *sums;      /* FcHotStep by function: sums being added up, else 0 */
    GArray *touched;   /* guint: functions that have a sum */
} Search;

static const FcProfileContext *context_at(const Search *search, guint index)
{
    return &g_array_index(search->model->profile->contexts, FcProfileContext, index);
}

static guint function_at(const Search *search, guint index)
{
    return search->model->function_of[context_at(search, index)->function];
}

/* A parent precedes its children, so one pass from the end adds up and links. */
static void link_contexts(Search *search, const gboolean *waiting)
{
    const FcModel *model = search->model;
    const guint count = model->profile->contexts->len;
    for (guint i = 0; i <= count; i++)
        search->child[i] = NO_CONTEXT;
    for (guint i = count; i-- > 0;)
    {
        const FcProfileContext *context = context_at(search, i);
        const guint parent = context->parent == FC_NONE ? count : (guint)context->parent;
        if (!waiting[function_at(search, i)])
            search->total_ns[i] += context->times.local_ns;
        search->total_ns[parent] += search->total_ns[i];
        /* a folded context has no known callers: it is on no path */
        if (fc_profile_is_folded(context))
            continue;
        search->next[i] = search->child[parent];
        search->child[parent] = i;
    }
}

static FcHotStep *sum_of(const Search *search, guint function)
{
    return &g_array_index(search->sums, FcHotStep, function);
}

/* Adds up the children of the contexts in `parents` by function.  A child that is not shown is
 * appended to `parents` instead, so that its own children count. */
static void add_children(Search *search, GArray *parents)
{
    for (guint p = 0; p < parents->len; p++)
    {
        for (guint i = search->child[g_array_index(parents, guint, p)]; i != NO_CONTEXT;
             i = search->next[i])
        {
            const guint function = function_at(search, i);
            if (!fc_model_function(search->model, function)->shown)
            {
                g_array_append_val(parents, i);
                continue;
            }
            FcHotStep *sum = sum_of(search, function);
            if (sum->total_ns == 0 && sum->calls == 0)
                g_array_append_val(search->touched, function);
            sum->total_ns += search->total_ns[i];
            sum->local_ns += context_at(search, i)->times.local_ns;
            sum->calls += context_at(search, i)->calls;
            sum->apportioned |= context_at(search, i)->apportioned;
        }
    }
}

/* Finds the function below `parents` with the largest total time.  `parents` becomes the list of
 * its contexts there.  FALSE: there is none. */
static gboolean find_heaviest(Search *search, GArray *parents, FcHotStep *step)
{
    g_array_set_size(search->touched, 0);
    add_children(search, parents);
    *step = (FcHotStep){0};
    for (guint i = 0; i < search->touched->len; i++)
    {
        const guint function = g_array_index(search->touched, guint, i);
        FcHotStep *sum = sum_of(search, function);
        if (sum->total_ns > step->total_ns)
        {
            *step = *sum;
            step->function = function;
        }
        *sum = (FcHotStep){0};
    }
    if (step->total_ns == 0)
        return FALSE;
    g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint p = 0; p < parents->len; p++)
        for (guint i = search->child[g_array_index(parents, guint, p)]; i != NO_CONTEXT;
             i = search->next[i])
            if (function_at(search, i) == step->function)
                g_array_append_val(own, i);
    g_array_set_size(parents, 0);
    g_array_append_vals(parents, own->data, own->len);
    return TRUE;
}

/* Makes the function that is 100% the first step, wherever it was called.  `here` gets its
 * contexts. */
static void start_at_base(const Search *search, GArray *path, GArray *here)
{
    FcHotStep step = {.function = (guint)search->model->base};
    for (guint i = 0; i < search->model->profile->contexts->len; i++)
    {
        if (function_at(search, i) != step.function)
            continue;
        g_array_append_val(here, i);
        step.total_ns += search->total_ns[i];
        step.local_ns += context_at(search, i)->times.local_ns;
        step.calls += context_at(search, i)->calls;
        step.apportioned |= context_at(search, i)->apportioned;
    }
    if (step.total_ns > 0)
        g_array_append_val(path, step);
}

GArray *fc_hot_path(const FcModel *model, const gboolean *waiting, double least_share)
{
    const guint count = model->profile->contexts->len;
    GArray *path = g_array_new(FALSE, FALSE, sizeof(FcHotStep));
    g_autofree guint *child = g_new(guint, count + 1);
    g_autofree guint *next = g_new(guint, count + 1);
    g_autofree guint64 *total_ns = g_new0(guint64, count + 1);
    g_autoptr(GArray) sums = g_array_new(FALSE, TRUE, sizeof(FcHotStep));
    g_autoptr(GArray) touched = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) here = g_array_new(FALSE, FALSE, sizeof(guint));
    Search search = {model, child, next, total_ns, sums, touched};
    FcHotStep step;
    g_array_set_size(sums, model->functions->len);
    link_contexts(&search, waiting);
    if (model->base == FC_NONE)
        g_array_append_val(here, count);
    else
        start_at_base(&search, path, here);
    while (find_heaviest(&search, here, &step))
    {
        if (path->len > 0 && (double)step.total_ns <
                                 least_share * (double)g_array_index(path, FcHotStep, 0).total_ns)
            break;
        g_array_append_val(path, step);
    }
    return path;
}
