/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks through threads' times off the CPU; see contention.h.
 */
#include "model/contention.h"

#include "model/mpi.h"
#include "model/regions.h"

#include <string.h>

#define NAMES_MAX 3
#define NOTABLE_WAIT 0.1       /* least share of a place's whole_ns */
#define NOTABLE_PREEMPTION 0.1 /* least share of all threads' run time */
#define LEAST_WAIT 0.01        /* of a thread's run time: shorter waits in a function are ignored */

/* The waits in one function: how many threads waited, how long and for what. */
typedef struct
{
    guint threads;
    guint last; /* number of the last thread that was added: each counts once */
    guint64 wait_ns;
    guint64 kind_ns[FC_WAIT_KINDS + 1];
} Waits;

/* The waits for other threads, and those for anything else that is known. */
typedef struct
{
    const FcModel *model;
    gboolean has_kinds;   /* the samples say what some waits were for */
    gboolean has_off;     /* preempted time is known by function */
    Waits *contended;     /* by function: for other threads of one process */
    Waits *all_contended; /* the same of all processes */
    Waits *waiting;       /* by function: for anything else that is known */
} Search;

static guint64 less(guint64 ns, guint64 taken)
{
    return ns - MIN(taken, ns);
}

FcContentionParts fc_contention_parts(const FcProfileTimes *times, const FcProfileOff *known)
{
    static const FcProfileOff nothing;
    const FcProfileOff *off = known ? known : &nothing;
    FcContentionParts parts = {.preempted_ns = MIN(off->preempted_ns, times->local_wait_ns)};
    const guint64 blocked_ns = times->local_wait_ns - parts.preempted_ns;
    guint64 placed_ns = 0;
    double all = 0;
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        all += (double)off->kind_ns[kind];
    for (guint kind = 0; all > 0 && kind < FC_WAIT_KINDS; kind++)
    {
        const double share = (double)off->kind_ns[kind] / all;
        parts.kind_ns[kind] =
            MIN((guint64)(share * (double)blocked_ns), less(blocked_ns, placed_ns));
        placed_ns += parts.kind_ns[kind];
    }
    if (all > 0) /* the first kind that occurs gets the rounding error */
        for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
            if (off->kind_ns[kind] > 0)
            {
                parts.kind_ns[kind] += blocked_ns - placed_ns;
                return parts;
            }
    parts.kind_ns[FC_WAIT_KINDS] = blocked_ns;
    return parts;
}

static guint64 cpu_ns(const FcModel *model, const FcProfileThreadFunction *function)
{
    switch (model->time)
    {
    case FC_TIME_PART_CPU:
        return function->times.local_ns;
    case FC_TIME_PART_WALL:
        return less(function->times.local_ns, function->times.local_wait_ns);
    case FC_TIME_PART_WAIT:
    default:
        return 0;
    }
}

/* Returns how long the thread waited, without preemption. */
static guint64 own_wait_ns(const FcProfileThread *thread)
{
    return less(thread->wait_ns, thread->preempted_ns);
}

static const FcProfileThreadFunction *function_of(const FcProfileThread *thread, guint index)
{
    return &g_array_index(thread->functions, FcProfileThreadFunction, index);
}

/* A wait for a lock does not make a thread idle: the thread has work to do. */
gboolean fc_contention_is_idle(const FcProfileThread *thread)
{
    guint64 lock_ns = 0;
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function = function_of(thread, i);
        lock_ns += fc_contention_parts(&function->times, function->off).kind_ns[FC_WAIT_LOCK];
    }
    return (double)less(own_wait_ns(thread), lock_ns) >=
           FC_CONTENTION_IDLE * (double)thread->run_ns;
}

static void add_wait(Waits *waits, guint number, const FcProfileThread *thread,
                     const guint64 *kind_ns)
{
    guint64 all_ns = 0;
    for (guint kind = 0; kind <= FC_WAIT_KINDS; kind++)
        all_ns += kind_ns[kind];
    if ((double)all_ns < LEAST_WAIT * (double)thread->run_ns || all_ns == 0)
        return;
    waits->threads += waits->threads == 0 || waits->last != number;
    waits->last = number;
    waits->wait_ns += all_ns;
    for (guint kind = 0; kind <= FC_WAIT_KINDS; kind++)
        waits->kind_ns[kind] += kind_ns[kind];
}

/* Estimates how long the thread waited in the function if the profile has no preempted times by
 * function: the thread's preemption is shared out by time on the CPU. That is wrong if the function
 * was preempted in counted functions that it calls.  So the result is at most the whole thread's
 * waiting, and 0 if most of the time was preemption. */
static guint64 guess_blocked_ns(const FcModel *model, const FcProfileThread *thread,
                                const FcProfileThreadFunction *function, guint64 all_cpu_ns)
{
    const guint64 wait_ns = function->times.local_wait_ns;
    const double share = all_cpu_ns > 0 ? (double)cpu_ns(model, function) / (double)all_cpu_ns : 0;
    const guint64 own_ns =
        MIN(less(wait_ns, (guint64)(share * (double)thread->preempted_ns)), own_wait_ns(thread));
    return own_ns > wait_ns / 2 ? own_ns : 0;
}

static FcContentionParts parts_of(const Search *search, const FcProfileThread *thread,
                                  const FcProfileThreadFunction *function, guint64 all_cpu_ns)
{
    FcContentionParts parts = fc_contention_parts(&function->times, function->off);
    if (!search->has_off)
        parts.kind_ns[FC_WAIT_KINDS] =
            guess_blocked_ns(search->model, thread, function, all_cpu_ns);
    return parts;
}

static void add_thread(const Search *search, guint number, const FcProfileThread *thread,
                       gboolean is_idle)
{
    guint64 all_cpu_ns = 0;
    for (guint i = 0; i < thread->functions->len; i++)
        all_cpu_ns += cpu_ns(search->model, function_of(thread, i));
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function = function_of(thread, i);
        const guint index = search->model->function_of[function->function];
        FcContentionParts parts = parts_of(search, thread, function, all_cpu_ns);
        guint64 contended_ns[FC_WAIT_KINDS + 1] = {0};
        contended_ns[FC_WAIT_LOCK] = parts.kind_ns[FC_WAIT_LOCK];
        if (!is_idle)
            contended_ns[FC_WAIT_SIGN] = parts.kind_ns[FC_WAIT_SIGN];
        if (!is_idle && !search->has_kinds)
            contended_ns[FC_WAIT_KINDS] = parts.kind_ns[FC_WAIT_KINDS];
        add_wait(&search->contended[index], number, thread, contended_ns);
        parts.kind_ns[FC_WAIT_LOCK] = parts.kind_ns[FC_WAIT_SIGN] = 0;
        parts.kind_ns[FC_WAIT_KINDS] = 0;
        add_wait(&search->waiting[index], number, thread, parts.kind_ns);
    }
}

/* Adds waits to `all_contended` if at least two threads of the process waited in the function. */
static void end_process(const Search *search)
{
    for (guint i = 0; i < search->model->functions->len; i++)
    {
        const Waits *from = &search->contended[i];
        Waits *to = &search->all_contended[i];
        if (from->threads < 2)
            continue;
        to->threads += from->threads;
        to->wait_ns += from->wait_ns;
        for (guint kind = 0; kind <= FC_WAIT_KINDS; kind++)
            to->kind_ns[kind] += from->kind_ns[kind];
    }
    memset(search->contended, 0, search->model->functions->len * sizeof *search->contended);
}

/* In THREAD mode the threads of a process are several inputs, one after the
 * other. */
static gboolean is_same_process(const FcModel *model, guint input)
{
    const FcProfile *now = ((const FcInput *)model->inputs->pdata[input])->header;
    const FcProfile *next = input + 1 < model->inputs->len
                                ? ((const FcInput *)model->inputs->pdata[input + 1])->header
                                : NULL;
    return next && now->thread_id != 0 && next->thread_id != 0 &&
           g_strcmp0(now->unique_id, next->unique_id) == 0 &&
           now->start_realtime_ns == next->start_realtime_ns;
}

static void find_place(const FcModel *model, const Waits *waits, guint least_threads,
                       FcContentionPlace *place)
{
    for (guint i = 0; i < model->functions->len; i++)
    {
        if (waits[i].threads < least_threads || waits[i].wait_ns <= place->wait_ns)
            continue;
        place->function = (gint)i;
        place->threads = waits[i].threads;
        place->wait_ns = waits[i].wait_ns;
    }
    place->kind = FC_WAIT_KINDS;
    if (place->function == FC_NONE)
        return;
    const guint64 *kind_ns = waits[place->function].kind_ns;
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        if (kind_ns[kind] > kind_ns[place->kind])
            place->kind = (FcWaitKind)kind;
}

static void look_for_kinds(Search *search)
{
    for (guint i = 0; i < search->model->functions->len; i++)
    {
        const FcProfileOff *off = fc_model_function(search->model, i)->figures.off;
        if (!off)
            continue;
        for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
            search->has_kinds = search->has_kinds || off->kind_ns[kind] > 0;
        search->has_off = search->has_off || search->has_kinds || off->preempted_ns > 0;
    }
}

static void add_idle(FcContention *contention, const FcProfileThread *thread)
{
    contention->idle++;
    if (thread->name && contention->names->len < NAMES_MAX &&
        !g_ptr_array_find_with_equal_func(contention->names, thread->name, g_str_equal, NULL))
        g_ptr_array_add(contention->names, thread->name);
}

static void take_thread(FcContention *contention, const Search *search, guint number)
{
    const FcProfileThread *thread =
        &g_array_index(search->model->profile->threads, FcProfileThread, number);
    if (thread->waits == FC_WAITS_UNKNOWN || thread->run_ns == 0)
        return;
    const gboolean is_idle = fc_contention_is_idle(thread);
    contention->threads++;
    contention->run_ns += thread->run_ns;
    contention->wait_ns += MIN(thread->wait_ns, thread->run_ns);
    contention->preempted_ns += MIN(thread->preempted_ns, thread->run_ns);
    if (is_idle)
        add_idle(contention, thread);
    else
        contention->contended.whole_ns += thread->run_ns;
    add_thread(search, number, thread, is_idle);
}

static guint64 wait_of(const FcProfileWaitSite *site, FcWaitKind kind)
{
    guint64 sum_ns = 0;
    for (guint i = 0; i < FC_WAIT_KINDS; i++)
        if (i == kind || kind == FC_WAIT_KINDS)
            sum_ns += site->kind_ns[i];
    return sum_ns;
}

const FcProfileWaitSite *fc_contention_site(const FcModel *model, guint function, FcWaitKind kind)
{
    const GArray *sites = model->profile->wait_sites;
    const FcProfileWaitSite *most = NULL;
    guint64 most_ns = 0;
    for (guint i = 0; i < sites->len; i++)
    {
        const FcProfileWaitSite *site = &g_array_index(sites, FcProfileWaitSite, i);
        const guint64 wait_ns = wait_of(site, kind);
        if (model->function_of[site->function] != function || wait_ns <= most_ns)
            continue;
        most = site;
        most_ns = wait_ns;
    }
    return most;
}

const char *fc_contention_site_line(const FcModel *model, const FcProfileWaitSite *site,
                                    guint *line)
{
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &site->site, TRUE, &symbol);
    *line = symbol.line;
    if (!symbol.file || !fc_symbols_is_system_file(symbol.file))
        return symbol.file;
    g_autoptr(GArray) chain = fc_symbols_find_chain(model->symbols, model->profile, &site->site);
    for (guint i = 0; i < chain->len; i++)
    {
        const FcInlinedCall *call = &g_array_index(chain, FcInlinedCall, i);
        if (!call->file || fc_symbols_is_system_file(call->file))
            continue;
        *line = call->line;
        return call->file;
    }
    return symbol.file;
}

static guint64 part_of(guint64 part, guint64 whole, guint64 of_ns)
{
    return part < whole ? (guint64)((double)part / (double)whole * (double)of_ns) : of_ns;
}

guint64 fc_contention_site_ns(const FcModel *model, const FcProfileWaitSite *site, FcWaitKind kind)
{
    const FcProfileFunction *figures =
        &fc_model_function(model, model->function_of[site->function])->figures;
    const FcContentionParts parts = fc_contention_parts(&figures->times, figures->off);
    guint64 sum_ns = 0;
    for (guint i = 0; figures->off && i < FC_WAIT_KINDS; i++)
        if ((i == kind || kind == FC_WAIT_KINDS) && figures->off->kind_ns[i] > 0)
            sum_ns += part_of(site->kind_ns[i], figures->off->kind_ns[i], parts.kind_ns[i]);
    return sum_ns;
}

guint64 fc_contention_polling_ns(const FcModel *model)
{
    guint64 sum_ns = 0;
    for (guint i = 0; i < model->profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(model->profile->functions, FcProfileFunction, i);
        if (function->off && (fc_mpi_is_function(model->profile, function) ||
                              fc_regions_is_runtime(model->profile, function)))
            sum_ns += function->off->preempted_ns;
    }
    return sum_ns;
}

gboolean fc_contention_is_notable(const FcContentionPlace *place)
{
    return place->function != FC_NONE &&
           (double)place->wait_ns >= NOTABLE_WAIT * (double)place->whole_ns;
}

gboolean fc_contention_is_preempted(const FcContention *contention)
{
    return contention->preempted_ns > 0 &&
           (double)contention->preempted_ns >= NOTABLE_PREEMPTION * (double)contention->run_ns;
}

/* Finds out whom threads waited for when they were ready.  A thread is ready and does not run only
 * while no processor is free.  Had other programs run less, the threads would have run instead: so
 * other programs delayed them by at most the time that they ran themselves.  The threads delayed
 * one another by at least what their time on the CPU and their delay together exceed the time of
 * all processors by. */
static void find_preemption(FcContention *contention, const FcModel *model)
{
    const FcProfile *profile = model->profile;
    const FcProfileMachine *machine = &profile->machine;
    const double elapsed_ns = (double)(profile->end_realtime_ns - profile->start_realtime_ns);
    if (machine->processors == 0 || machine->booted_s == 0 || elapsed_ns <= 0)
        return;
    const double half = (double)contention->preempted_ns / 2;
    const guint64 used_ns = less(machine->used_after_ns, machine->used_before_ns);
    const double others_ns = (double)less(used_ns, machine->own_ns);
    const double wanted_ns =
        (double)less(contention->run_ns, contention->wait_ns) + (double)contention->preempted_ns;
    contention->processors = machine->processors;
    contention->others = others_ns / elapsed_ns;
    if (others_ns >= half)
        contention->because = FC_PREEMPTION_OTHERS;
    else if (wanted_ns - (double)machine->processors * elapsed_ns >= half)
        contention->because = FC_PREEMPTION_OWN;
}

char *fc_contention_preemption(const FcContention *contention, char **reason)
{
    const double share = 100 * (double)contention->preempted_ns / (double)contention->run_ns;
    g_autofree char *processors =
        g_strdup_printf("%" G_GUINT64_FORMAT " processor%s", contention->processors,
                        contention->processors == 1 ? "" : "s");
    const char *before = "Threads were";
    *reason = NULL;
    if (contention->because == FC_PREEMPTION_OWN)
        return g_strdup_printf(
            "Threads want more than %s: ready but not running %.0f%% of the time", processors,
            share);
    if (contention->because == FC_PREEMPTION_OTHERS)
    {
        before = "The machine was busy: threads were";
        *reason = g_strdup_printf(" (others used %.1f of %s)", contention->others, processors);
    }
    return g_strdup_printf("%s ready but not running %.0f%% of the time", before, share);
}

FcContention *fc_contention_new(const FcModel *model)
{
    FcContention *contention = g_new0(FcContention, 1);
    Search search = {.model = model,
                     .contended = g_new0(Waits, model->functions->len + 1),
                     .all_contended = g_new0(Waits, model->functions->len + 1),
                     .waiting = g_new0(Waits, model->functions->len + 1)};
    guint number = 0;
    look_for_kinds(&search);
    contention->names = g_ptr_array_new();
    contention->contended.function = contention->waiting.function = FC_NONE;
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        for (guint j = 0; j < input->threads && number < model->profile->threads->len; j++)
            take_thread(contention, &search, number++);
        if (!is_same_process(model, i))
            end_process(&search);
    }
    contention->preempted_ns = less(contention->preempted_ns, fc_contention_polling_ns(model));
    find_preemption(contention, model);
    contention->waiting.whole_ns = contention->run_ns;
    find_place(model, search.all_contended, 2, &contention->contended);
    find_place(model, search.waiting, 1, &contention->waiting);
    g_free(search.contended);
    g_free(search.all_contended);
    g_free(search.waiting);
    return contention;
}

void fc_contention_free(FcContention *contention)
{
    if (!contention)
        return;
    g_ptr_array_unref(contention->names);
    g_free(contention);
}
