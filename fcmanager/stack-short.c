/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See stack-short.h.  With so little to look after at a time the compiler keeps it all in
 * registers.
 */
#include "fcmanager/stack-short.h"

#include "fcmanager/stack-segments.h"

/* Of those that share a place the last one stays.  Past so many misses for each place there are
 * twice as many places, up to the most. */
#define EDGES_LEAST 64u
#define EDGES_MOST 1024u
#define MISSES_EACH 8u

struct StackNamedEdge
{
    guint64 key;
    StackEdge edge;
    FramePlace place; /* good while the counts' arrays are where they were */
    struct FcName callee;
    guint64 unused; /* to have a power of two of bytes: its index is but shifted */
};
#define NO_EDGE G_MAXUINT64 /* a key that none has */

/* Of a call by that context: `first` is its record's first word, of which the name is taken where
 * it is. */
static inline guint64 key_of(guint32 caller, guint64 first)
{
    G_STATIC_ASSERT(FC_SHORT_NAME_SHIFT >= 32);
    return (first & FC_NAME_MASK << FC_SHORT_NAME_SHIFT) | caller;
}

/* The multiplier is the golden ratio's, of which the high bits are as good as random. */
static inline struct StackNamedEdge *edge_of(const StackNamedEdges *edges, guint64 key)
{
    return &edges->places[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & edges->mask];
}

/* [0] has none. */
static void find_places_of_frames(struct StackFrame *frames, guint32 top, const FcCounts *counts)
{
    for (guint32 i = 1; i <= top; i++)
        frames[i].place = place_of(counts, frames[i].node, frames[i].arc);
}

G_NO_INLINE static void find_places(FcStack *stack)
{
    StackNamedEdges *edges = &stack->named_edges;
    const FcCounts *counts = stack->counts;
    fc_stack_save_current(stack);
    for (gint i = 0; i < stack->segment_count; i++)
        find_places_of_frames(stack->segments[i].frames, stack->segments[i].top, counts);
    edges->nodes = counts->nodes;
    edges->arcs = counts->arcs;
    edges->functions = counts->functions;
    for (guint32 i = 0; i <= edges->mask; i++)
        if (edges->places[i].key != NO_EDGE)
            edges->places[i].place =
                place_of(counts, edges->places[i].edge.node, edges->places[i].edge.arc);
}

/* The counts' arrays may have grown. */
static inline void check_places(FcStack *stack)
{
    const StackNamedEdges *edges = &stack->named_edges;
    const FcCounts *counts = stack->counts;
    if (G_UNLIKELY(edges->nodes != counts->nodes || edges->arcs != counts->arcs ||
                   edges->functions != counts->functions))
        find_places(stack);
}

static void forget(StackNamedEdges *edges)
{
    for (guint32 i = 0; i <= edges->mask; i++)
        edges->places[i].key = NO_EDGE;
}

/* What was there is not known any more. */
G_NO_INLINE static void make_room(StackNamedEdges *edges, guint32 room)
{
    g_free(edges->places);
    edges->places = g_new(struct StackNamedEdge, room);
    edges->mask = room - 1;
    edges->misses = 0;
    forget(edges);
}

/* NULL: it is a name that was not given. */
G_NO_INLINE static const struct StackNamedEdge *find_edge(FcStack *stack, guint64 key, guint64 time)
{
    StackNamedEdges *edges = &stack->named_edges;
    const guint32 name = short_name(key);
    const guint32 caller = (guint32)key;
    if (name == 0 || name > stack->name_count || stack->names[name].function == 0)
        return NULL;
    const guint32 places = edges->mask + 1;
    if (G_UNLIKELY(++edges->misses >= places * MISSES_EACH && places < EDGES_MOST))
        make_room(edges, 2 * places);
    const struct FcName *callee = &stack->names[name];
    const FcMapSlot *slot =
        fc_counts_edge(stack->counts, caller, callee->site, callee->function, time);
    struct StackNamedEdge *edge = edge_of(edges, key);
    *edge = (struct StackNamedEdge){.key = key,
                                    .edge = {slot->value, slot->extra},
                                    .place = place_of(stack->counts, slot->value, slot->extra),
                                    .callee = *callee};
    check_places(stack);
    return edge;
}

void fc_stack_forget_named_edges(FcStack *stack)
{
    if (stack->named_edges.places)
        forget(&stack->named_edges);
}

/* Whether the two first words differ in that and in what is as `word` has it, and maybe in the
 * place that the hook returns to. */
static inline gboolean differ_by(guint64 first, guint64 other, guint64 word)
{
    return (first ^ other) << (64 - FC_WHERE_RETURN_SHIFT) == word << (64 - FC_WHERE_RETURN_SHIFT);
}

/* What tells a call, and which end of it, in a short record's first word. */
#define CALL_MASK (FC_NAME_MASK << FC_SHORT_NAME_SHIFT | FC_SHORT_EXIT | FC_WHERE_KIND_MASK)

/* Whether that is the first word of the exit of which `exit_word` would be, if the function
 * tail-called its hook: that returns to the call site, and is not where the entry was. */
G_NO_INLINE static gboolean is_tail_called_exit(const FcStack *stack, guint64 first,
                                                guint64 exit_word, guint64 site)
{
    return ((first ^ exit_word) & CALL_MASK) == 0 &&
           (guint16)(first >> FC_WHERE_RETURN_SHIFT) == (guint16)site &&
           short_address(stack, first) - stack->low < stack->size;
}

/* Whether the call, at the place of the innermost frame, is of a function that was inlined into
 * that one's: fc_stack_repair_entry() would find nothing to repair. */
G_NO_INLINE static gboolean is_inlined(const FcStack *stack, const struct StackFrame *outermost,
                                       const struct StackFrame *top, guint64 first)
{
    const guint32 name = short_name(first);
    if (name > stack->name_count)
        return FALSE;
    const struct FcName *callee = &stack->names[name];
    const guint16 return_bits = (guint16)(first >> FC_WHERE_RETURN_SHIFT);
    const guint64 address = top->address;
    for (; top >= outermost && top->address == address; top--)
        if (top->site != callee->site ||
            (top->function == callee->function && return_bits_of_frame(top) == return_bits))
            return FALSE;
    return TRUE;
}

/* fc_stack_feed_short(), where `keeps` is what keeps_calls() says: if not, the stack is told at the
 * end which frame is the innermost one. */
static inline __attribute__((always_inline)) const struct FcUnit *
feed_short(FcStack *stack, const struct FcUnit *unit, const struct FcUnit *end, guint64 in_place,
           gboolean keeps)
{
    /* Most times have the last one's highest bits: with a word's generation exchanged for these it
       is the time.  What differs is none, or one that has to be looked at, and so is what seems far
       ahead: it may be a little earlier, by other bits. */
    guint64 now = stack->last;
    const guint64 change = in_place ^ (now & ~FC_SHORT_TIME_MASK);
    const guint64 ahead = MIN((now | FC_SHORT_TIME_MASK) + 1, now + (FC_SHORT_TIME_MASK >> 1));
    const guint64 limit = MIN(stack->next_change, ahead);
    struct StackFrame *top = &stack->frames[stack->top];
    struct StackFrame *outermost = &stack->frames[1];
    struct StackFrame *behind = &stack->frames[stack->room];
    for (; unit < end; unit++)
    {
        /* acquire: as in read_record */
        const guint64 time = __atomic_load_n(&unit->last, __ATOMIC_ACQUIRE) ^ change;
        const guint64 first = __atomic_load_n(&unit->first, __ATOMIC_RELAXED);
        if (G_UNLIKELY(time < now || time >= limit))
            break;
        gboolean is_exit = differ_by(first, top->exit_word, 0);
        if (!is_exit && G_UNLIKELY((first & (FC_WHERE_KIND_MASK | FC_SHORT_EXIT)) != 0))
        {
            if (!is_tail_called_exit(stack, first, top->exit_word, top->site))
                break;
            is_exit = TRUE;
        }
        if (is_exit)
        {
            struct StackFrame *caller =
                G_LIKELY(top > outermost) ? top - 1 : caller_of_segment(stack);
            if (keeps && stack->trace)
                fc_stack_trace(stack, FC_TRACE_RETURN, time);
            end_call(stack, top, &top->place, caller, time, keeps);
            top--;
            if (keeps)
                stack->top--;
            now = time;
            continue;
        }
        const guint64 address = short_address(stack, first);
        if (G_UNLIKELY(address - stack->low >= stack->size))
            break;
        if (G_UNLIKELY(address >= top->address) &&
            (address > top->address || !is_inlined(stack, outermost, top, first)))
            break;
        const guint64 key = key_of(top->node, first);
        const struct StackNamedEdge *edge = edge_of(&stack->named_edges, key);
        if (G_UNLIKELY(edge->key != key))
        {
            stack->top = (guint32)(top - stack->frames);
            edge = find_edge(stack, key, time);
            if (!edge)
                break;
        }
        now = time;
        if (G_LIKELY(unit + 1 < end))
        {
            const guint64 left = __atomic_load_n(&unit[1].last, __ATOMIC_ACQUIRE) ^ change;
            const guint64 exit = __atomic_load_n(&unit[1].first, __ATOMIC_RELAXED);
            if ((exit & FC_SHORT_EXIT) != 0 &&
                (G_LIKELY(differ_by(exit, first, FC_SHORT_EXIT)) ||
                 is_tail_called_exit(stack, exit, first | FC_SHORT_EXIT, edge->callee.site)) &&
                G_LIKELY(left >= now && left < limit))
            {
                struct StackFrame *around =
                    G_LIKELY(top >= outermost) ? top : caller_of_segment(stack);
                add_leaf_call(stack, edge->edge, &edge->place, around, now, left - now, keeps);
                now = left;
                unit++;
                continue;
            }
        }
        if (G_UNLIKELY(++top == behind))
        {
            const gsize depth = (gsize)(top - stack->frames);
            fc_stack_make_room(stack);
            top = &stack->frames[depth];
            outermost = &stack->frames[1];
            behind = &stack->frames[stack->room];
        }
        begin_frame(top, edge->edge, &edge->place, &edge->callee, now);
        top->address = address;
        top->exit_word = first | FC_SHORT_EXIT;
        edge->place.node->calls++;
        edge->place.arc->calls++;
        if (keeps)
            stack->top++;
        if (keeps && stack->trace)
            fc_stack_trace(stack, FC_TRACE_CALL, now);
    }
    stack->top = (guint32)(top - stack->frames);
    stack->last = now;
    return unit;
}

const struct FcUnit *fc_stack_feed_short(FcStack *stack, const struct FcUnit *units,
                                         const struct FcUnit *end, guint64 in_place)
{
    if (!stack->named_edges.places)
        make_room(&stack->named_edges, EDGES_LEAST);
    check_places(stack);
    return keeps_calls(stack) ? feed_short(stack, units, end, in_place, TRUE)
                              : feed_short(stack, units, end, in_place, FALSE);
}
