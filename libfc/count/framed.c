/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See framed.h.  The hooks count by themselves only what is certainly not the framed call.  They
 * do not find a pair that is hidden.
 */
#include "libfc/count/framed.h"

#include <string.h>

/* Does nothing if the pair is of another function now, or was removed, which may happen at any
 * time. */
static void show(struct FcPair *pair, uint64_t key, bool is_shown)
{
    uint64_t other = is_shown ? key | FC_PAIR_HIDDEN : key;
    __atomic_compare_exchange_n(&pair->key, &other, other ^ FC_PAIR_HIDDEN, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

/* 0: the function is not counted any more, or has no pair. */
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

/* With more call sites than this, showing and hiding them all takes longer than to handle each
 * nested call here. */
#if defined(FC_TEST_EAGER)
#define SHOWN_MOST 2u
#else
#define SHOWN_MOST 8u
#endif

#define BELOW_MANY 256u

/* The hooks find only pairs with call sites other than that of the framed call.  A call that was
 * inlined into the framed one has the same call site, and must be told from it at its exit.  If
 * many calls from there were checked and none was inlined, the hooks find all pairs. */
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

/* The slot is NULL in a child that a handler forked. */
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

/* A function may move the stack pointer (alloca).  Then its exit is below its entry, as those of
 * nested calls are.  So all exits are checked, unless many turn out to be nested; then the
 * manager repairs what is missed. */
static void set(struct FcCounted *counted, struct FcFunction *known, uint64_t site, uint64_t where,
                struct FcNested nested)
{
    known->site = site;
    known->where = where;
    known->nested = nested;
    /* stored twice: a handler in between may end it */
    __atomic_store_n(&counted->is_framed[known->number], 1, __ATOMIC_RELAXED);
    set_limit(known, known->is_nested ? fc_framed_address_of(known, where) : 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&counted->is_framed[known->number], 1, __ATOMIC_RELAXED);
}

void fc_framed_begin(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                     uint64_t where, struct FcNested nested)
{
    set(counted, known, site, where, nested);
    if (known->is_nested)
        show_nested_pairs(counted, known, true);
    else
        show_pair(counted, known, false);
}

void fc_framed_begin_sample(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                            uint64_t where)
{
    set(counted, known, site, where, (struct FcNested){0});
}

void fc_framed_end(struct FcCounted *counted, struct FcFunction *known)
{
    set_limit(known, FC_NO_LIMIT);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&counted->is_framed[known->number], 0, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (fc_framed_is(known)) /* another call, which a handler in between began and did not end */
        __atomic_store_n(&counted->is_framed[known->number], 1, __ATOMIC_RELAXED);
    if (known->is_nested)
        show_nested_pairs(counted, known, false);
    else
        show_pair(counted, known, true);
}

struct FcFunction *fc_framed_next(struct FcCounted *counted, uint32_t *number)
{
    while (*number < counted->function_count)
    {
        uint64_t eight;
        if (*number % sizeof eight == 0)
        {
            memcpy(&eight, &counted->is_framed[*number], sizeof eight);
            if (eight == 0)
            {
                *number += sizeof eight;
                continue;
            }
        }
        /* NULL in a child that a handler forked */
        const bool is_framed = counted->is_framed[*number] != 0;
        struct FcFunction *known = counted->by_number[(*number)++];
        if (is_framed && known && FC_LOAD_RELAXED(known->function) > FC_FUNCTION_REMOVED &&
            fc_framed_is(known))
            return known;
    }
    return NULL;
}

void fc_framed_begin_outermost(struct FcCounted *counted, struct FcFunction *known)
{
    const uint64_t key = key_of(known);
    const bool is_framed = fc_framed_is(known);
    known->is_nested = false;
    for (struct FcPair *pair = known->pairs; pair && key != 0;
         pair = *fc_counters_next_pair(counted, pair))
        show(pair, key, !is_framed || pair->site != known->site);
}

void fc_framed_add_nested(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                          uint64_t where)
{
    fc_nested_add(&known->nested, known->site, fc_framed_address(known), site,
                  fc_framed_address_of(known, where));
    if (known->nested.alike > 0)
        known->below_seen = 0;
    else if (known->is_nested && known->below_seen < BELOW_MANY &&
             ++known->below_seen == BELOW_MANY)
        show_nested_pairs(counted, known, true);
}

bool fc_framed_is_below(const struct FcFunction *known, uint64_t where)
{
    uint64_t limit = fc_framed_address(known);
    uint64_t address = fc_framed_address_of(known, where);
    return fc_thread_is_on_own_stack(address) == fc_thread_is_on_own_stack(limit) &&
           address > limit;
}

bool fc_framed_is_left(const struct FcFunction *known, uint64_t site, uint64_t where)
{
    uint64_t limit = fc_framed_address(known);
    uint64_t address = fc_framed_address_of(known, where);
    if (fc_thread_is_on_own_stack(address) != fc_thread_is_on_own_stack(limit))
        return false;
    return address > limit ||
           (address == limit && (site != known->site || fc_framed_return_bits(where) ==
                                                            fc_framed_return_bits(known->where)));
}

bool fc_framed_ends(struct FcFunction *known, uint64_t site, uint64_t where)
{
    const uint64_t limit = fc_framed_address(known);
    const uint64_t address = fc_framed_address_of(known, where);
    const bool is_tail = fc_framed_return_bits(where) == (site & 0xffff) &&
                         (FC_LOAD_RELAXED(known->function) & FC_FUNCTION_AFTER_INLINING) == 0;
    if (!fc_framed_is(known) ||
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
