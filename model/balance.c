/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See balance.h.
 */
#include "model/balance.h"

/* Threads share work only if their starts differ by at most this part of the busiest thread's run
 * time.  It decides only whether the finding is shown. */
#define LATE 0.1

static guint64 less(guint64 ns, guint64 taken)
{
    return ns - MIN(taken, ns);
}

static const FcProfileThread *thread_of(const FcModel *model, guint index)
{
    return &g_array_index(model->profile->threads, FcProfileThread, index);
}

static guint64 cpu_ns(const FcProfileThread *thread)
{
    return less(thread->run_ns, thread->wait_ns);
}

/* Returns the thread's outermost function: the one with the largest total time.  FC_NONE: it has
 * none. */
static gint outermost(const FcModel *model, const FcProfileThread *thread)
{
    guint64 most_ns = 0;
    gint found = FC_NONE;
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        const guint64 ns = function->times.total_ns +
                           (model->time == FC_TIME_PART_CPU ? function->times.total_wait_ns : 0);
        if (ns <= most_ns)
            continue;
        most_ns = ns;
        found = (gint)model->function_of[function->function];
    }
    return found;
}

/* Sums up the threads that share the work of thread `busiest`.  They are in [first, end), the
 * threads of its process, and have the same outermost function. */
static FcBalance balance_around(const FcModel *model, guint first, guint end, guint busiest,
                                const gint *functions)
{
    const FcProfileThread *own = thread_of(model, busiest);
    const guint64 late_ns = (guint64)(LATE * (double)own->run_ns);
    FcBalance balance = {.function = functions[busiest], .busiest_ns = cpu_ns(own)};
    for (guint i = first; i < end; i++)
    {
        const FcProfileThread *thread = thread_of(model, i);
        if (functions[i] != functions[busiest] || less(thread->start_ns, own->start_ns) > late_ns ||
            less(own->start_ns, thread->start_ns) > late_ns)
            continue;
        balance.threads++;
        balance.cpu_ns += cpu_ns(thread);
    }
    if (balance.threads > 1)
        balance.saved_ns = less(balance.busiest_ns, balance.cpu_ns / balance.threads);
    return balance;
}

FcBalance fc_balance_of(const FcModel *model)
{
    FcBalance best = {.function = FC_NONE};
    const guint count = model->profile->threads->len;
    g_autofree gint *functions = g_new(gint, count + 1);
    guint end = 0;
    for (guint i = 0; i < count; i++)
        functions[i] = thread_of(model, i)->waits == FC_WAITS_UNKNOWN
                           ? FC_NONE
                           : outermost(model, thread_of(model, i));
    for (guint input = 0; input < model->inputs->len; input++)
    {
        const guint first = end;
        end = MIN(end + ((const FcInput *)model->inputs->pdata[input])->threads, count);
        for (guint i = first; i < end; i++)
        {
            if (functions[i] == FC_NONE || cpu_ns(thread_of(model, i)) <= best.saved_ns)
                continue;
            const FcBalance found = balance_around(model, first, end, i, functions);
            best = found.saved_ns > best.saved_ns ? found : best;
        }
    }
    return best;
}
