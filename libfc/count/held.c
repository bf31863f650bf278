/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See held.h.  The hooks count by themselves what is certainly no activation with a frame: they
 * find a pair unless it is hidden.
 */
#include "libfc/count/held.h"

#include <string.h>

/* Unless it is another function's, or was removed, which may happen now. */
static void show(struct FcPair *pair, uint64_t key, bool is_shown)
{
    uint64_t other = is_shown ? key | FC_PAIR_HIDDEN : key;
    __atomic_compare_exchange_n(&pair->key, &other, other ^ FC_PAIR_HIDDEN, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

/* 0: it is not counted any more, or has no pair. */
static uint64_t key_of(const struct FcFunction *known)
{
    return FC_LOAD_RELAXED(known->function) > FC_FUNCTION_REMOVED ? known->key : 0;
}

static void show_pair(struct FcCounted *counted, const struct FcFunction *known, bool is_shown)
{
    const uint64_t key = key_of(known);
    struct FcPair *ways[FC_COUNTER_WAYS];
    fc_counter_table_ways(&counted->table, key, known->site, ways);
    for (int way = 0; way < FC_COUNTER_WAYS && key != 0; way++)
        if (ways[way]->site == known->site)
            show(ways[way], key, is_shown);
}

/* With more call sites than these it takes longer to show and to hide them all than to look each of
 * the nested calls up here. */
#if defined(FC_TEST_EAGER)
#define SHOWN_MOST 2u
#else
#define SHOWN_MOST 8u
#endif

#define BELOW_MANY 256u

/* Only what is called at another place than the held activation is found by the hooks: one that
 * was inlined into it has its call site, too, and has to be told from it at its exit.  In a
 * function of which many calls from there were looked at, and none was inlined, all are found. */
static void show_nested_pairs(struct FcCounted *counted, struct FcFunction *known, bool shown)
{
    if (shown ? known->pair_count > SHOWN_MOST : !known->is_shown)
        return;
    known->is_shown = shown;
    const uint64_t key = key_of(known);
    for (struct FcPair *pair = known->pairs; pair && key != 0;
         pair = *fc_counters_next_pair(counted, pair))
        show(pair, key, shown && (pair->site != known->site || known->below_seen == BELOW_MANY));
}

/* There is no slot in a child that a handler forked. */
static void set_limit(struct FcFunction *known, uint64_t limit)
{
    struct FcSlot *slot = __atomic_load_n(&known->slot, __ATOMIC_RELAXED);
    if (slot)
        __atomic_store_n(&slot->exit_limit, limit, __ATOMIC_RELAXED);
}

static uint64_t limit_of(const struct FcFunction *known)
{
    const struct FcSlot *slot = __atomic_load_n(&known->slot, __ATOMIC_RELAXED);
    return slot ? slot->exit_limit : FC_NO_LIMIT;
}

#define NESTED_MANY 64u

/* A function may move the stack pointer (alloca), and then its exit is below where it was entered,
 * as those of nested calls are.  So all exits are looked at, unless many turn out to be nested;
 * then the manager mends what is not told. */
static void set(struct FcCounted *counted, struct FcFunction *known, uint64_t site, uint64_t where,
                struct FcNested nested)
{
    known->site = site;
    known->where = where;
    known->nested = nested;
    /* twice: of a handler in between it may be over */
    __atomic_store_n(&counted->is_held[known->number], 1, __ATOMIC_RELAXED);
    set_limit(known, known->is_nested ? fc_held_place(known, where) : 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&counted->is_held[known->number], 1, __ATOMIC_RELAXED);
}

void fc_held_begin(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                   uint64_t where, struct FcNested nested)
{
    set(counted, known, site, where, nested);
    if (known->is_nested)
        show_nested_pairs(counted, known, true);
    else
        show_pair(counted, known, false);
}

void fc_held_begin_sample(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                          uint64_t where)
{
    set(counted, known, site, where, (struct FcNested){0});
}

void fc_held_end(struct FcCounted *counted, struct FcFunction *known)
{
    set_limit(known, FC_NO_LIMIT);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&counted->is_held[known->number], 0, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (fc_held_is(known)) /* another one, which a handler in between began and did not end */
        __atomic_store_n(&counted->is_held[known->number], 1, __ATOMIC_RELAXED);
    if (known->is_nested)
        show_nested_pairs(counted, known, false);
    else
        show_pair(counted, known, true);
}

struct FcFunction *fc_held_next(struct FcCounted *counted, uint32_t *number)
{
    while (*number < counted->function_count)
    {
        uint64_t eight;
        if (*number % sizeof eight == 0)
        {
            memcpy(&eight, &counted->is_held[*number], sizeof eight);
            if (eight == 0)
            {
                *number += sizeof eight;
                continue;
            }
        }
        /* NULL in a child that a handler forked */
        const bool is_held = counted->is_held[*number] != 0;
        struct FcFunction *known = counted->by_number[(*number)++];
        if (is_held && known && FC_LOAD_RELAXED(known->function) > FC_FUNCTION_REMOVED &&
            fc_held_is(known))
            return known;
    }
    return NULL;
}

void fc_held_begin_outermost(struct FcCounted *counted, struct FcFunction *known)
{
    const uint64_t key = key_of(known);
    const bool is_held = fc_held_is(known);
    known->is_nested = false;
    for (struct FcPair *pair = known->pairs; pair && key != 0;
         pair = *fc_counters_next_pair(counted, pair))
        show(pair, key, !is_held || pair->site != known->site);
}

void fc_held_add_nested(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                        uint64_t where)
{
    fc_nested_add(&known->nested, known->site, fc_held_limit(known), site,
                  fc_held_place(known, where));
    if (known->nested.alike > 0)
        known->below_seen = 0;
    else if (known->is_nested && known->below_seen < BELOW_MANY &&
             ++known->below_seen == BELOW_MANY)
        show_nested_pairs(counted, known, true);
}

bool fc_held_is_below(const struct FcFunction *known, uint64_t where)
{
    uint64_t limit = fc_held_limit(known);
    uint64_t address = fc_held_place(known, where);
    return fc_thread_is_on_own_stack(address) == fc_thread_is_on_own_stack(limit) &&
           address > limit;
}

bool fc_held_is_left(const struct FcFunction *known, uint64_t site, uint64_t where)
{
    uint64_t limit = fc_held_limit(known);
    uint64_t address = fc_held_place(known, where);
    if (fc_thread_is_on_own_stack(address) != fc_thread_is_on_own_stack(limit))
        return false;
    return address > limit ||
           (address == limit && (site != known->site ||
                                 fc_held_return_bits(where) == fc_held_return_bits(known->where)));
}

bool fc_held_ends(struct FcFunction *known, uint64_t site, uint64_t where)
{
    const uint64_t limit = fc_held_limit(known);
    const uint64_t address = fc_held_place(known, where);
    const bool is_tail = fc_held_return_bits(where) == (site & 0xffff) &&
                         (FC_LOAD_RELAXED(known->function) & FC_FUNCTION_AFTER_INLINING) == 0;
    if (!fc_held_is(known) ||
        fc_thread_is_on_own_stack(address) != fc_thread_is_on_own_stack(limit))
        return false;
    if (is_tail && address - 16 >= limit) /* it runs on the stack of the function's caller */
        return true;
    if (!is_tail && address == limit && known->nested.alike > 0)
    {
        known->nested.alike--;
        return false;
    }
    if (!is_tail && (address >= limit ||
                     (site == known->site && known->nested.below == 0 && limit_of(known) == 0)))
        return true;
    known->nested.below -= site == known->site && known->nested.below > 0;
    if (++known->nested.ended == NESTED_MANY)
        set_limit(known, limit);
    return false;
}
