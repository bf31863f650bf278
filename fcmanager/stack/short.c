/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See short.h.  The manager spends most of its time here.  The loops use few variables, so that the
 * compiler keeps nearly all of them in registers.
 */
#include "fcmanager/stack/short.h"

#include "fcmanager/stack/edges.h"
#include "fcmanager/stack/segments.h"

/* ---- Whose record it is ----------------------------------------------------------------- */

/* Whether two first words differ in exactly the bits of `word`.  The bits of the return address,
 * which are the highest, may differ too. */
static inline gboolean differ_by(guint64 first, guint64 other, guint64 word)
{
    return (first ^ other) << (64 - FC_WHERE_RETURN_SHIFT) == word << (64 - FC_WHERE_RETURN_SHIFT);
}

/* The bits of a short record's first word that say whether it is an exit, and of which call. */
#define END_MASK (FC_SHORT_EXIT | FC_WHERE_KIND_MASK)
#define CALL_MASK (FC_SITE_NUMBER_MASK << FC_SHORT_SITE_SHIFT | END_MASK)

static inline gboolean is_on_stack(const FcStack *stack, guint64 address)
{
    return address - stack->low < stack->size;
}

/* Whether `first` is the first word of the exit of the call that has `exit_word`, if the function
 * tail-called the exit hook.  That returns to the call site, and its address differs from that of
 * the entry. */
static inline gboolean is_tail_called_exit(const FcStack *stack, guint64 first, guint64 exit_word,
                                           guint64 site)
{
    return ((first ^ exit_word) & CALL_MASK) == 0 &&
           (guint16)(first >> FC_WHERE_RETURN_SHIFT) == (guint16)site &&
           is_on_stack(stack, short_address(stack, first));
}

/* Whether a call at the innermost frame's address is of a function that was inlined there.  Then
 * fc_stack_repair_entry() would find nothing to repair. */
static gboolean is_inlined(const FcStack *stack, const struct StackFrame *top, guint64 first)
{
    const guint32 number = short_site(first);
    if (number > stack->site_count)
        return FALSE;
    const struct FcCallSite *callee = &stack->sites[number];
    const guint16 return_bits = (guint16)(first >> FC_WHERE_RETURN_SHIFT);
    const guint64 address = top->address;
    for (; top > stack->frames && top->address == address; top--)
        if (top->site != callee->site ||
            (top->function == callee->function && return_bits_of_frame(top) == return_bits))
            return FALSE;
    return TRUE;
}

/* Whether a call at `address` is made by the innermost frame, or inlined into it, and on the
 * current segment.  Then it needs no repair. */
G_NO_INLINE static gboolean is_within(const FcStack *stack, const struct StackFrame *top,
                                      guint64 first, guint64 address)
{
    return is_on_stack(stack, address) &&
           (address < top->address || (address == top->address && is_inlined(stack, top, first)));
}

/* Whether is_inlined() holds, for most calls without its loop: the innermost frame is the only one
 * at its address and is of another function. */
static inline gboolean is_inlined_alone(const struct StackFrame *top,
                                        const struct FcCallSite *callee, guint64 address)
{
    return address == top->address && top->site == callee->site &&
           top->function != callee->function && top[-1].address != address;
}

/* The same as is_within() for a call of `callee`, with the likely cases first. */
static inline gboolean is_call(const FcStack *stack, const struct StackFrame *top,
                               const struct FcCallSite *callee, guint64 first, guint64 address)
{
    return G_LIKELY(address < top->address && is_on_stack(stack, address)) ||
           is_inlined_alone(top, callee, address) || is_within(stack, top, first, address);
}

/* Whether the record with the last word `word` has the right generation and a time not before that
 * of `before`.  A word with another generation, other high bits of the time or an earlier time
 * differs by more than half of the mask. */
static inline gboolean is_next(guint64 word, guint64 before)
{
    return G_LIKELY(word - before <= FC_SHORT_TIME_MASK >> 1);
}

/* ---- Calls that took no long time --------------------------------------------------------- */

/* If a call took at most QUICK_MOST ticks and the multiplier is less than QUICK_MULTIPLIER, their
 * product has at most 64 bits. */
#define QUICK_MOST (UINT64_C(1) << 26)
#define QUICK_MULTIPLIER (UINT64_C(1) << 38)

static inline guint bucket_of_ticks(guint64 ticks, guint64 multiplier)
{
    return bucket_of(ns_of(ticks, multiplier));
}

/* Does what add_activation() does, and makes a bucket for each duration between the shortest and
 * the longest call so far, up to QUICK_MOST.  Later calls of such durations need only
 * add_quickly(). */
G_NO_INLINE static void add_slowly(FcCountsFunction *function, guint64 total, guint64 local,
                                   guint64 multiplier)
{
    fc_counts_bound_call(&function->bounds, total, local);
    (*fc_counts_bucket(function, bucket_of_ticks(total, multiplier)))++;
    function->quick_total = MIN(function->bounds.total_max, QUICK_MOST);
    function->quick_local = MIN(function->bounds.local_max, function->quick_total);
    const guint64 least = MIN(function->bounds.total_min, function->quick_total);
    fc_counts_make_buckets(function, bucket_of_ticks(least, multiplier),
                           bucket_of_ticks(function->quick_total, multiplier));
}

/* Adds a call to its bucket, which has room.  The same as
 * (*fc_counts_bucket(function, bucket_of_ticks(total, multiplier)))++, but finds the bucket by the
 * highest bit of the product, in 2^-32 ns.  All durations below 1 ns have the same bucket. */
static inline void add_quickly(FcCountsFunction *function, guint64 total, guint64 multiplier)
{
    const guint64 less_than_one = UINT64_C(1) << 31;
    const gsize highest = 63u ^ (guint)__builtin_clzll(total * multiplier | less_than_one);
    (*fc_counts_known_bucket(function, highest - 31))++;
}

/* Does what end_call() does, if no data of single calls are kept. */
static inline void end_plain_call(const FcStack *stack, const struct StackFrame *frame,
                                  struct StackFrame *caller, guint64 time)
{
    const FramePlace *place = &frame->place;
    FcCountsFunction *function = place->function;
    const guint64 elapsed = time - frame->entered;
    const guint64 total = frame->ran_before + elapsed;
    const guint64 local = total - frame->callees;
    caller->callees += elapsed;
    if (function->active == 1)
    {
        FcCountsSum *sum = place->sum;
        function->active = 0;
        sum->total += elapsed;
        sum->local += local;
    }
    else
    {
        stop_place(place, elapsed);
        place->node->local += local;
    }
    if (G_UNLIKELY(total < function->bounds.total_min) ||
        G_UNLIKELY(total > function->quick_total) ||
        G_UNLIKELY(local < function->bounds.local_min) || G_UNLIKELY(local > function->quick_local))
        add_slowly(function, total, local, stack->multiplier);
    else
        add_quickly(function, total, stack->multiplier);
}

/* Does what add_leaf_call() does, likewise.  `word` and `left` are the last words of the entry and
 * of the exit.  FALSE: `left` is not of the next record; nothing was added. */
static inline gboolean add_plain_leaf(FcStack *stack, const FramePlace *place,
                                      struct StackFrame *caller, guint64 word, guint64 left)
{
    FcCountsFunction *function = place->function;
    const guint64 elapsed = left - word;
    if (G_LIKELY(elapsed <= function->quick_local) &&
        G_LIKELY(elapsed >= function->bounds.total_min))
        add_quickly(function, elapsed, stack->multiplier);
    else if (!is_next(left, word))
        return FALSE;
    else
        add_slowly(function, elapsed, elapsed, stack->multiplier);
    caller->callees += elapsed;
    if (function->active == 0)
    {
        place->sum->calls++;
        place->sum->leaf += elapsed;
    }
    else
        add_leaf_times(stack, place, caller, elapsed);
    return TRUE;
}

/* Makes room for a frame at `top`, and returns where that is now. */
G_NO_INLINE static struct StackFrame *make_room_for(FcStack *stack, const struct StackFrame *top)
{
    const gsize depth = (gsize)(top - stack->frames);
    fc_stack_make_room(stack);
    return &stack->frames[depth];
}

/* The edge of a call that is not in the cache; NULL: stack.c must take the record. */
G_NO_INLINE static const struct StackSiteEdge *
find_edge_of_call(FcStack *stack, const struct StackFrame *top, guint64 first, guint64 time)
{
    if (!is_within(stack, top, first, short_address(stack, first)))
        return NULL;
    stack->top = (guint32)(top - stack->frames);
    return fc_stack_find_edge(stack, key_of(top->node, first), time);
}

/* Takes records if can_go_plainly().  Takes the unit `last` only as the exit of the one before
 * it. */
static const struct FcUnit *feed_plainly(FcStack *stack, const struct FcUnit *unit,
                                         const struct FcUnit *last, guint64 to_time)
{
    guint64 now = stack->last - to_time; /* a last word, as `word` */
    struct StackFrame *top = &stack->frames[stack->top];
    struct StackFrame *behind = &stack->frames[stack->room];
    while (unit < last)
    {
        /* acquire: as in read_record */
        const guint64 word = __atomic_load_n(&unit->last, __ATOMIC_ACQUIRE);
        const guint64 first = __atomic_load_n(&unit->first, __ATOMIC_RELAXED);
        if (!is_next(word, now))
            break;
        if ((first & END_MASK) != 0)
        {
            if (!differ_by(first, top->exit_word, 0) &&
                !is_tail_called_exit(stack, first, top->exit_word, top->site))
                break;
            end_plain_call(stack, top, top - 1, word + to_time);
            now = word;
            top--;
            unit++;
            continue;
        }
        const guint64 key = key_of(top->node, first);
        const struct StackSiteEdge *edge = edge_of(&stack->site_edges, key);
        const guint64 address = short_address(stack, first);
        if (G_UNLIKELY(edge->key != key))
        {
            edge = find_edge_of_call(stack, top, first, word + to_time);
            if (!edge)
                break;
        }
        else if (!is_call(stack, top, &edge->callee, first, address))
            break;
        now = word;
        const guint64 left = __atomic_load_n(&unit[1].last, __ATOMIC_ACQUIRE);
        const guint64 exit = __atomic_load_n(&unit[1].first, __ATOMIC_RELAXED);
        unit++;
        if ((exit & FC_SHORT_EXIT) != 0 &&
            (G_LIKELY(differ_by(exit, first, FC_SHORT_EXIT)) ||
             is_tail_called_exit(stack, exit, first | FC_SHORT_EXIT, edge->callee.site)) &&
            add_plain_leaf(stack, &edge->place, top, word, left))
        {
            now = left;
            unit++;
            continue;
        }
        if (edge->place.function->active == 0)
        {
            edge->place.function->active = 1;
            edge->place.sum->calls++;
        }
        else
        {
            begin_activation(stack, &edge->place, top);
            edge->place.node->calls++;
            edge->place.arc->calls++;
        }
        if (G_UNLIKELY(++top == behind))
        {
            top = make_room_for(stack, top);
            behind = &stack->frames[stack->room];
        }
        begin_frame(top, edge->edge, &edge->place, &edge->callee, word + to_time);
        top->address = address;
        top->exit_word = first | FC_SHORT_EXIT;
    }
    stack->top = (guint32)(top - stack->frames);
    stack->last = now + to_time;
    return unit;
}

/* Takes records in all other cases. */
static const struct FcUnit *feed_carefully(FcStack *stack, const struct FcUnit *unit,
                                           const struct FcUnit *end, guint64 to_time)
{
    for (; unit < end; unit++)
    {
        struct StackFrame *top = &stack->frames[stack->top];
        const guint64 word = __atomic_load_n(&unit->last, __ATOMIC_ACQUIRE);
        const guint64 first = __atomic_load_n(&unit->first, __ATOMIC_RELAXED);
        const guint64 time = word + to_time;
        if (!is_next(word, stack->last - to_time) || time >= stack->next_change)
            break;
        if ((first & END_MASK) != 0)
        {
            if (!differ_by(first, top->exit_word, 0) &&
                !is_tail_called_exit(stack, first, top->exit_word, top->site))
                break;
            if (stack->trace)
                fc_stack_trace(stack, FC_TRACE_RETURN, time);
            end_call(stack, top, &top->place, caller_of_top(stack), time);
            stack->top--;
            stack->last = time;
            continue;
        }
        const guint64 key = key_of(top->node, first);
        const struct StackSiteEdge *edge = edge_of(&stack->site_edges, key);
        const guint64 address = short_address(stack, first);
        if (edge->key != key)
            edge = find_edge_of_call(stack, top, first, time);
        else if (!is_call(stack, top, &edge->callee, first, address))
            edge = NULL;
        if (!edge)
            break;
        stack->last = time;
        if (unit + 1 < end)
        {
            const guint64 left = __atomic_load_n(&unit[1].last, __ATOMIC_ACQUIRE);
            const guint64 exit = __atomic_load_n(&unit[1].first, __ATOMIC_RELAXED);
            if ((differ_by(exit, first, FC_SHORT_EXIT) ||
                 is_tail_called_exit(stack, exit, first | FC_SHORT_EXIT, edge->callee.site)) &&
                is_next(left, word) && left + to_time < stack->next_change)
            {
                add_leaf_call(stack, edge->edge, &edge->place, time, left - word);
                stack->last = left + to_time;
                unit++;
                continue;
            }
        }
        push_frame_at(stack, edge->edge, &edge->place, &edge->callee, first | FC_SHORT_EXIT, time)
            ->address = address;
        edge->place.node->calls++;
        edge->place.arc->calls++;
    }
    return unit;
}

/* Whether no data of single calls are kept, no change of modules is known to follow, and no other
 * segment called the current one. */
static gboolean can_go_plainly(const FcStack *stack)
{
    return !keeps_calls(stack) && stack->next_change == G_MAXUINT64 &&
           stack->multiplier < QUICK_MULTIPLIER && stack->segments[stack->current].caller < 0;
}

const struct FcUnit *fc_stack_feed_short(FcStack *stack, const struct FcUnit *units,
                                         const struct FcUnit *end, guint64 in_place)
{
    const guint64 to_time = (stack->last & ~FC_SHORT_TIME_MASK) - in_place;
    check_places(stack);
    if (can_go_plainly(stack))
    {
        units = feed_plainly(stack, units, end - 1, to_time);
        if (units != end - 1)
            return units;
    }
    return feed_carefully(stack, units, end, to_time);
}
