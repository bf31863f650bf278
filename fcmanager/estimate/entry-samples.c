/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See entry-work.h.  A function that jumped to another one at its end is on no stack, though the
 * call before it names it.  It is put back, with those that it jumped to.
 */
#include "fcmanager/estimate/entry-work.h"

/* The longest chain of jumps that is put back, and the most functions that are searched for it. */
#define TAILS_MAX 8u
#define SEARCHED_MAX 64u

/* The context of one stack while it is built, and what the time was added to already.  Each gets
 * it once, even in a recursion. */
typedef struct
{
    const FcPcStack *stack;
    guint32 node;
    guint64 site;
    guint32 nodes[2 * FC_PC_DEPTH_MAX];
    guint32 arcs[2 * FC_PC_DEPTH_MAX];
    guint32 functions[2 * FC_PC_DEPTH_MAX];
    guint count;
} Path;

static gboolean is_in(const guint32 *list, guint count, guint32 value)
{
    for (guint i = 0; i < count; i++)
        if (list[i] == value)
            return TRUE;
    return FALSE;
}

/* Goes to the context of `function`, called by the path's site, and adds the time. */
static void step(FcEntryWork *work, Path *path, const FcEntryFunction *function)
{
    FcCounts *counts = work->counts;
    const FcMapSlot *slot =
        fc_counts_edge(counts, path->node, path->site, function->code, function->since);
    const guint64 time = (guint64)(path->stack->ns * work->ticks);
    const guint32 node = slot->value;
    const guint32 arc = slot->extra;
    const guint32 number = counts->nodes[node].function;
    path->node = node;
    fc_entry_see(work, arc, node, path->stack->ns);
    if (path->count == G_N_ELEMENTS(path->nodes))
        return;
    if (!is_in(path->nodes, path->count, node))
        counts->nodes[node].total += time;
    if (!is_in(path->arcs, path->count, arc))
        counts->arcs[arc].total += time;
    if (!is_in(path->functions, path->count, number))
    {
        counts->functions[number].total += time;
        counts->functions[number].total_variance +=
            path->stack->variance * work->ticks * work->ticks;
    }
    path->nodes[path->count] = node;
    path->arcs[path->count] = arc;
    path->functions[path->count++] = number;
}

/* ---- Jumps ------------------------------------------------------------------------- */

typedef struct
{
    guint32 function;
    guint32 tail;   /* the jump that leads there, + 1 */
    guint32 before; /* index of where the jump is */
    guint depth;
} Searched;

/* Finds the shortest chain of jumps between two functions.  Returns its length and fills `chain`
 * with the jumps, the last one first; 0: there is none. */
static guint find_chain(const FcEntryWork *work, guint32 from, guint32 to, guint32 *chain)
{
    Searched found[SEARCHED_MAX] = {{.function = from}};
    guint count = 1;
    for (guint at = 0; at < count; at++)
    {
        const guint32 function = found[at].function;
        guint length = 0;
        if (function == to && at > 0)
        {
            for (guint back = at; back != 0; back = found[back].before)
                chain[length++] = found[back].tail - 1;
            return length;
        }
        if (found[at].depth == TAILS_MAX || function >= work->first_tail->len)
            continue;
        guint32 tail = g_array_index(work->first_tail, guint32, function);
        while (tail != 0 && count < SEARCHED_MAX)
        {
            const FcEntryTail *jump = &g_array_index(work->tails, FcEntryTail, tail - 1);
            gboolean is_known = FALSE;
            for (guint i = 1; i < count; i++)
                is_known |= found[i].function == jump->callee;
            if (!is_known)
                found[count++] = (Searched){jump->callee, tail, at, found[at].depth + 1};
            tail = jump->next;
        }
    }
    return 0;
}

static gboolean is_explained(FcEntryWork *work, guint32 function)
{
    return *fc_entry_sum(work->calls, function) == *fc_entry_sum(work->explained, function);
}

/* Returns the function that was called where a pointer led, and then jumped to `inner`, perhaps by
 * way of others.  NULL: `inner` itself may have been called by a pointer, or the function is not
 * the only one that may have been. */
static const FcEntryFunction *find_called(FcEntryWork *work, const FcEntryFunction *inner)
{
    guint32 found[SEARCHED_MAX] = {fc_entry_function(work, inner)};
    const FcEntryFunction *called = NULL;
    guint count = 1;
    if (!is_explained(work, found[0]))
        return NULL;
    for (guint at = 0; at < count; at++)
    {
        guint32 tail = found[at] < work->first_into->len
                           ? g_array_index(work->first_into, guint32, found[at])
                           : 0;
        for (; tail != 0; tail = g_array_index(work->tails, FcEntryTail, tail - 1).next_into)
        {
            const FcEntryTail *jump = &g_array_index(work->tails, FcEntryTail, tail - 1);
            if (is_in(found, count, jump->caller))
                continue;
            if (count == SEARCHED_MAX || (called && !is_explained(work, jump->caller)))
                return NULL;
            if (!is_explained(work, jump->caller))
                called = jump->from;
            found[count++] = jump->caller;
        }
    }
    return called;
}

/* Puts back the functions between a call and the function that executes within it.  `inner`: NULL:
 * code whose entries are not counted. */
static void put_back(FcEntryWork *work, Path *path, const FcEntryFunction *called,
                     const FcEntryFunction *inner)
{
    guint32 chain[TAILS_MAX];
    step(work, path, called);
    path->site = 0;
    guint length = inner ? find_chain(work, fc_entry_function(work, called),
                                      fc_entry_function(work, inner), chain)
                         : 0;
    while (length-- > 0)
    {
        const FcEntryTail *jump = &g_array_index(work->tails, FcEntryTail, chain[length]);
        path->site = jump->end;
        if (length > 0)
            step(work, path, jump->to);
    }
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* The function that the place is in, even in a part of it; NULL: none whose entries are counted. */
static const FcEntryFunction *function_at(const FcEntryWork *work, guint64 place)
{
    const FcEntryFunction *part = fc_entries_find(work->entries, place);
    return part ? fc_entries_get(work->entries, part->entry) : NULL;
}

/* How many frames of the stack are inside of the innermost function whose entries are counted; all,
 * if there is none. */
static guint count_uncounted(const FcEntryWork *work, const FcPcStack *stack)
{
    guint count = 0;
    while (count < stack->count && !function_at(work, stack->frames[count].place))
        count++;
    return count;
}

static const FcModule *module_at(const FcEntryWork *work, guint64 place)
{
    const gint module = fc_modules_find(work->counts->modules, place, G_MAXINT64);
    return module != FC_NONE ? fc_modules_get(work->counts->modules, (guint)module) : NULL;
}

static gboolean is_of_libfc(const FcModule *module)
{
    g_autofree char *name = g_path_get_basename(module->path);
    return g_str_has_prefix(name, "libfc.so") || g_str_has_prefix(name, "libfc-eager.so");
}

/* Adds the time to a function without counters.  FALSE: it is in libfc or in no file. */
static gboolean step_uncounted(FcEntryWork *work, Path *path, const FcUnwindFrame *frame)
{
    const FcModule *module = module_at(work, frame->place);
    if (!module || is_of_libfc(module))
        return FALSE;
    const FcEntryFunction function = {.code = frame->start != 0 ? frame->start : module->start,
                                      .since = module->since};
    step(work, path, &function);
    work->counts->functions[work->counts->nodes[path->node].function].is_uncounted = TRUE;
    return TRUE;
}

/* Adds the time to the function without counters that the stack's innermost counted function
 * called.  What libfc does there and what is in no file remains the caller's. */
static void add_called(FcEntryWork *work, Path *path, guint uncounted)
{
    while (uncounted > 0 && !step_uncounted(work, path, &path->stack->frames[uncounted - 1]))
        uncounted--;
}

/* Adds the time of a stack without counted functions to the function that executes, unless libfc
 * called it. */
static void add_uncalled(FcEntryWork *work, Path *path)
{
    for (guint i = 0; i < path->stack->count; i++)
    {
        const FcModule *module = module_at(work, path->stack->frames[i].place);
        if (module && is_of_libfc(module))
            return;
    }
    step_uncounted(work, path, &path->stack->frames[0]);
}

/* Adds a sample's time to the functions on the stack whose entries are counted, outermost first.
 * Time in other functions is that of their callers, but for the innermost ones. */
static void add_stack(FcEntryWork *work, const FcPcStack *stack)
{
    FcCounts *counts = work->counts;
    Path path = {.stack = stack};
    const guint uncounted = count_uncounted(work, stack);
    for (guint i = stack->count; i-- > uncounted;)
    {
        const FcEntryFunction *function = function_at(work, stack->frames[i].place);
        if (function)
            step(work, &path, function);
        path.site = stack->frames[i].place + 1;
        if (i == 0)
            break;
        const FcEntryFunction *inner = function_at(work, stack->frames[i - 1].place);
        const FcEntrySite *call = function ? fc_entries_find_call(work->entries, path.site) : NULL;
        const FcEntryFunction *called = call ? fc_entry_target(work, call) : NULL;
        if (inner && (!call || call->target == 0))
            called = find_called(work, inner);
        if (called && inner != called)
            put_back(work, &path, called, inner);
    }
    if (uncounted < stack->count)
        add_called(work, &path, uncounted);
    else
        add_uncalled(work, &path);
    if (path.node == 0)
        return;
    counts->nodes[path.node].local += (guint64)(stack->ns * work->ticks);
    counts->functions[counts->nodes[path.node].function].local_variance +=
        stack->variance * work->ticks * work->ticks;
}

void fc_entry_samples_add(FcEntryWork *work, const FcPcSamples *seen)
{
    for (guint i = 0; i < seen->stacks->len; i++)
        add_stack(work, g_ptr_array_index(seen->stacks, i));
    work->counts->executed += seen->samples;
    work->counts->unsampled_ns += seen->unsampled_ns;
    if (seen->is_timed)
        work->counts->executed_by_timer += seen->samples;
}
