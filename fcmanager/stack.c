/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot path of the manager: see stack.h.  An entry costs one look-up of the edge
 * (context, call site, function) -> (child context, arc); an exit adds to the
 * frame's function, arc and context.  Stacks are taken to grow downwards.
 */
#include "fcmanager/stack.h"

/* How far above the outermost open frame a frame may lie and still be on this stack: what
 * runs when the outermost function was left by a jump. */
#define STACK_SLACK_BYTES 65536

struct Frame
{
    guint64 function;
    guint64 site;
    guint64 address;
    guint64 entered;
    guint64 callees; /* ticks in profiled callees that returned */
    guint32 node;
    guint32 arc;
    guint16 return_bits;
    gboolean inherited;
};

struct FcStack
{
    struct Frame *frames; /* [0] stands for "none" and is never closed */
    guint32 top;          /* index of the innermost; 0: no frame is open */
    guint32 room;
    FcTally *tally;
    guint64 multiplier;
    guint64 first;
    guint64 last;
    guint64 next_change; /* of the modules' meaning */
    FcStackRepairs repairs;
};

FcStack *fc_stack_new(FcTally *tally, guint64 multiplier, guint32 frames)
{
    FcStack *stack = g_new0(FcStack, 1);
    stack->room = MAX(frames, 16);
    stack->frames = g_new(struct Frame, stack->room);
    stack->frames[0] = (struct Frame){.address = G_MAXUINT64};
    stack->tally = tally;
    stack->multiplier = multiplier;
    stack->next_change = G_MAXUINT64;
    return stack;
}

void fc_stack_free(FcStack *stack)
{
    if (stack == NULL)
        return;
    g_free(stack->frames);
    g_free(stack);
}

void fc_stack_set_multiplier(FcStack *stack, guint64 multiplier)
{
    stack->multiplier = multiplier;
}

/* ---- Entries and exits -------------------------------------------------------- */

static inline guint bucket_of(guint64 ticks, guint64 multiplier)
{
    guint64 ns = (guint64)(((unsigned __int128)ticks * multiplier) >> 32);
    guint bucket = ns != 0 ? 64 - (guint)__builtin_clzll(ns) : 0;
    return MIN(bucket, FC_HISTOGRAM_BUCKETS - 1);
}

static inline struct Frame *push(FcStack *stack, guint64 function, guint64 site, guint64 time)
{
    FcTally *tally = stack->tally;
    const FcMapSlot *edge =
        fc_tally_edge(tally, stack->frames[stack->top].node, site, function, time);
    if (G_UNLIKELY(++stack->top == stack->room))
    {
        stack->room *= 2;
        stack->frames = g_renew(struct Frame, stack->frames, stack->room);
    }
    struct Frame *frame = &stack->frames[stack->top];
    frame->function = function;
    frame->site = site;
    frame->entered = time;
    frame->callees = 0;
    frame->node = edge->value;
    frame->arc = edge->extra;
    FcTallyNode *node = &tally->nodes[frame->node];
    node->active++;
    tally->arcs[frame->arc].active++;
    tally->functions[node->function].active++;
    return frame;
}

static inline void add_activation(FcTallyFunction *function, guint64 total, guint64 local,
                                  guint64 multiplier)
{
    if (total < function->total_min)
        function->total_min = total;
    if (total > function->total_max)
        function->total_max = total;
    if (local < function->local_min)
        function->local_min = local;
    if (local > function->local_max)
        function->local_max = local;
    function->histogram[bucket_of(total, multiplier)]++;
}

static inline void pop(FcStack *stack, guint64 time)
{
    FcTally *tally = stack->tally;
    struct Frame *frame = &stack->frames[stack->top--];
    FcTallyNode *node = &tally->nodes[frame->node];
    FcTallyArc *arc = &tally->arcs[frame->arc];
    FcTallyFunction *function = &tally->functions[node->function];
    guint64 total = time - frame->entered;
    guint64 local = total - frame->callees;

    frame[-1].callees += total;
    node->local += local;
    if (--node->active == 0)
        node->total += total;
    if (--arc->active == 0)
        arc->total += total;
    if (--function->active == 0)
        function->total += total;
    if (G_LIKELY(!frame->inherited))
        add_activation(function, total, local, stack->multiplier);
}

/* ---- Mending ------------------------------------------------------------------ */

/* Whether a frame at `address` is on the stack of the open frames at all: a handler on a
 * signal stack or a coroutine must not look like a return to a shallower frame. */
static gboolean is_on_this_stack(const FcStack *stack, guint64 address)
{
    return address <= stack->frames[1].address + STACK_SLACK_BYTES;
}

static void close_above(FcStack *stack, guint32 index, guint64 time, guint64 *count)
{
    while (stack->top > index)
    {
        pop(stack, time);
        (*count)++;
    }
}

/* An entry at `address` above the innermost frame's: the deeper ones were jumped over. */
static void mend_jump(FcStack *stack, guint64 address, guint64 time)
{
    if (!is_on_this_stack(stack, address))
        return;
    guint32 keep = stack->top;
    while (keep > 0 && stack->frames[keep].address < address)
        keep--;
    close_above(stack, keep, time, &stack->repairs.jumps);
}

/* An entry at the innermost frame's own address: functions inlined into one another share it.
 * But the very same call can't be made again before it returned. */
static void mend_repeated(FcStack *stack, guint64 function, guint64 site, guint64 address,
                          guint16 return_bits, guint64 time)
{
    for (guint32 i = stack->top; i > 0 && stack->frames[i].address == address; i--)
    {
        const struct Frame *frame = &stack->frames[i];
        if (frame->function == function && frame->site == site && frame->return_bits == return_bits)
        {
            close_above(stack, i - 1, time, &stack->repairs.jumps);
            return;
        }
    }
}

static inline void enter(FcStack *stack, guint64 function, guint64 site, guint64 address,
                         guint16 return_bits, guint64 time)
{
    if (G_UNLIKELY(address >= stack->frames[stack->top].address))
    {
        mend_jump(stack, address, time);
        mend_repeated(stack, function, site, address, return_bits, time);
    }
    struct Frame *frame = push(stack, function, site, time);
    frame->address = address;
    frame->return_bits = return_bits;
    frame->inherited = FALSE;
    stack->tally->nodes[frame->node].calls++;
    stack->tally->arcs[frame->arc].calls++;
}

/* The exit of a function that is not (clearly) the innermost frame's.  An exit hook that was
 * tail-called, so that it returns to the call site, ran on its caller's frame; any other ran
 * on the frame of its function, unless that moved the stack pointer (alloca). */
static void mend_exit(FcStack *stack, guint64 function, guint64 address, gboolean tail,
                      guint64 time)
{
    if (!fc_tally_is_active(stack->tally, function, time))
    {
        stack->repairs.unmatched_exits++;
        return;
    }
    guint32 found = 0;
    for (guint32 i = stack->top; i > 0; i--)
    {
        const struct Frame *frame = &stack->frames[i];
        if (frame->function != function)
            continue;
        if (tail || frame->address >= address)
        {
            found = i;
            break;
        }
        if (found == 0)
            found = i; /* the innermost, unless one fits */
    }
    if (found == 0)
    {
        stack->repairs.unmatched_exits++;
        return;
    }
    close_above(stack, found, time, &stack->repairs.missed_exits);
    pop(stack, time);
}

static inline void leave(FcStack *stack, guint64 function, guint64 site, guint64 address,
                         guint16 return_bits, guint64 time)
{
    const struct Frame *top = &stack->frames[stack->top];
    gboolean tail = return_bits == (guint16)site;
    if (G_LIKELY(top->function == function && stack->top > 0 && (address <= top->address || tail)))
        pop(stack, time);
    else
        mend_exit(stack, function, address, tail, time);
}

/* ---- Records ------------------------------------------------------------------ */

static void apply_changes(FcStack *stack, guint64 time)
{
    stack->next_change = fc_tally_apply_changes(stack->tally, time);
}

guint32 fc_stack_feed(FcStack *stack, const struct FcRecord *records, guint32 from, guint32 to,
                      guint32 generation)
{
    for (guint32 i = from; i < to; i++)
    {
        /* acquire: pairs with the hook's release of the record's last word */
        guint64 last_word = __atomic_load_n(&records[i].site, __ATOMIC_ACQUIRE);
        if (G_UNLIKELY(last_word >> FC_SITE_GENERATION_SHIFT != generation))
            return i;
        guint64 time = __atomic_load_n(&records[i].time, __ATOMIC_RELAXED);
        guint64 function = __atomic_load_n(&records[i].function, __ATOMIC_RELAXED);
        guint64 where = __atomic_load_n(&records[i].frame, __ATOMIC_RELAXED);
        guint64 site = last_word & FC_SITE_ADDRESS_MASK;
        guint64 address = where & FC_FRAME_ADDRESS_MASK;
        guint16 return_bits = (guint16)(where >> FC_FRAME_RETURN_SHIFT);

        if (G_UNLIKELY(time < stack->last))
            time = stack->last;
        if (G_UNLIKELY(stack->first == 0))
            stack->first = time;
        stack->last = time;
        if (G_UNLIKELY(time >= stack->next_change))
            apply_changes(stack, time);
        if ((where & FC_FRAME_KIND_MASK) == FC_RECORD_ENTER)
            enter(stack, function, site, address, return_bits, time);
        else if ((where & FC_FRAME_KIND_MASK) == FC_RECORD_EXIT)
            leave(stack, function, site, address, return_bits, time);
        else
            stack->repairs.bad_records++;
    }
    return to;
}

void fc_stack_modules_changed(FcStack *stack)
{
    stack->next_change = 0;
}

/* ---- Whole stacks --------------------------------------------------------------- */

void fc_stack_inherit(FcStack *stack, const FcOpenFrame *frames, guint count, guint64 time)
{
    stack->first = stack->first != 0 ? stack->first : time;
    stack->last = MAX(stack->last, time);
    for (guint i = 0; i < count; i++)
    {
        struct Frame *frame = push(stack, frames[i].function, frames[i].site, stack->last);
        frame->address = frames[i].address;
        frame->return_bits = frames[i].return_bits;
        frame->inherited = TRUE;
    }
}

GArray *fc_stack_open_frames(const FcStack *stack)
{
    GArray *open = g_array_sized_new(FALSE, TRUE, sizeof(FcOpenFrame), stack->top);
    for (guint32 i = 1; i <= stack->top; i++)
    {
        const struct Frame *frame = &stack->frames[i];
        FcOpenFrame copy = {frame->function, frame->site, frame->address, frame->return_bits};
        g_array_append_val(open, copy);
    }
    return open;
}

void fc_stack_final_frames(const FcStack *stack, guint most, GArray *out)
{
    const FcTally *tally = stack->tally;
    for (guint32 i = 1; i <= stack->top && i <= most; i++)
    {
        const struct Frame *frame = &stack->frames[i];
        FcProfileFrame final = {.function = tally->nodes[frame->node].function};
        final.site.address = frame->site;
        final.site.module = tally->arcs[frame->arc].site_module;
        g_array_append_val(out, final);
    }
}

void fc_stack_close(FcStack *stack, guint64 time)
{
    stack->last = MAX(stack->last, time);
    while (stack->top > 0)
        pop(stack, stack->last);
}

guint fc_stack_depth(const FcStack *stack)
{
    return stack->top;
}

guint64 fc_stack_last_time(const FcStack *stack)
{
    return stack->last;
}

guint64 fc_stack_first_time(const FcStack *stack)
{
    return stack->first;
}

const FcStackRepairs *fc_stack_repairs(const FcStack *stack)
{
    return &stack->repairs;
}
