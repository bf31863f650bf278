/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks through threads' times off the CPU; see contention.h.
 */
#include "model/contention.h"

#define NAMES_MAX 3
#define LEAST_WAIT                                                                                 \
    0.01 /* of a thread's time in a function, for it to count as one that waits there */

/* Of a function: how many threads waited in it, and how long. */
typedef struct
{
    guint threads;
    guint last; /* of these threads; what is several functions to a thread may be one here */
    guint64 wait_ns;
} Waits;

static guint64 cpu_ns(const FcModel *model, const FcProfileThreadFunction *function)
{
    switch (model->time)
    {
    case FC_TIME_PART_CPU:
        return function->times.local_ns;
    case FC_TIME_PART_WALL:
        return function->times.local_ns -
               MIN(function->times.local_wait_ns, function->times.local_ns);
    case FC_TIME_PART_WAIT:
    default:
        return 0;
    }
}

/* How long it waited of its own accord. */
static guint64 own_wait_ns(const FcProfileThread *thread)
{
    return thread->wait_ns - MIN(thread->preempted_ns, thread->wait_ns);
}

gboolean fc_contention_is_idle(const FcProfileThread *thread)
{
    return (double)own_wait_ns(thread) >= FC_CONTENTION_IDLE * (double)thread->run_ns;
}

/* A thread is preempted where it computes: so much of its time off the CPU in each function is not
 * of its own accord.  That is wrong where a function is preempted in counted ones that it calls, so
 * none has more than the whole thread. */
static void add_thread(const FcModel *model, guint number, const FcProfileThread *thread,
                       Waits *waits)
{
    const guint64 most_ns = own_wait_ns(thread);
    guint64 all_cpu_ns = 0;
    for (guint i = 0; i < thread->functions->len; i++)
        all_cpu_ns += cpu_ns(model, &g_array_index(thread->functions, FcProfileThreadFunction, i));
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        const double share =
            all_cpu_ns > 0 ? (double)cpu_ns(model, function) / (double)all_cpu_ns : 0;
        const guint64 preempted_ns = (guint64)(share * (double)thread->preempted_ns);
        const guint64 own_ns =
            MIN(function->times.local_wait_ns - MIN(preempted_ns, function->times.local_wait_ns),
                most_ns);
        /* the rest of a time that was mostly other work's says little: the estimate is rough */
        if (own_ns <= function->times.local_wait_ns / 2 ||
            (double)own_ns < LEAST_WAIT * (double)thread->run_ns)
            continue;
        Waits *sum = &waits[model->function_of[function->function]];
        sum->threads += sum->threads == 0 || sum->last != number;
        sum->last = number;
        sum->wait_ns += own_ns;
    }
}

static void find_function(FcContention *contention, const FcModel *model, const Waits *waits)
{
    for (guint i = 0; i < model->functions->len; i++)
    {
        if (waits[i].threads < 2 || waits[i].wait_ns <= contention->wait_ns)
            continue;
        contention->function = (gint)i;
        contention->waiting = waits[i].threads;
        contention->wait_ns = waits[i].wait_ns;
    }
}

FcContention *fc_contention_new(const FcModel *model)
{
    FcContention *contention = g_new0(FcContention, 1);
    g_autofree Waits *waits = g_new0(Waits, model->functions->len + 1);
    contention->function = FC_NONE;
    contention->names = g_ptr_array_new();
    for (guint i = 0; i < model->profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(model->profile->threads, FcProfileThread, i);
        if (thread->waits == FC_WAITS_UNKNOWN || thread->run_ns == 0)
            continue;
        contention->threads++;
        contention->run_ns += thread->run_ns;
        contention->preempted_ns += MIN(thread->preempted_ns, thread->run_ns);
        if (!fc_contention_is_idle(thread))
        {
            contention->busy_run_ns += thread->run_ns;
            add_thread(model, i, thread, waits);
            continue;
        }
        contention->idle++;
        if (thread->name && contention->names->len < NAMES_MAX &&
            !g_ptr_array_find_with_equal_func(contention->names, thread->name, g_str_equal, NULL))
            g_ptr_array_add(contention->names, thread->name);
    }
    find_function(contention, model, waits);
    return contention;
}

void fc_contention_free(FcContention *contention)
{
    if (!contention)
        return;
    g_ptr_array_unref(contention->names);
    g_free(contention);
}
