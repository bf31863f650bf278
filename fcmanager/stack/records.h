/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a thread's records, short and long: the other half of the manager's inner loop.  For
 * stack.c.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* A record that was read once: the program may overwrite it meanwhile. */
struct Event
{
    guint64 time;
    guint64 function;
    guint64 site;
    guint64 where;   /* of a short record: its kind and the bits of the return address */
    guint64 first;   /* the record's first word */
    guint64 address; /* stack address */
    gboolean
        after_inlining; /* FC_FUNCTION_AFTER_INLINING, which `function` does not have any more */
};

static inline guint64 kind_of(const struct Event *event)
{
    return event->where & FC_WHERE_KIND_MASK;
}

static inline guint16 return_bits_of(const struct Event *event)
{
    return (guint16)(event->where >> FC_WHERE_RETURN_SHIFT);
}

/* The exit word of the frame that the entry opens. */
static inline guint64 exit_word_of(const struct Event *entry)
{
    return (entry->first & FC_WHERE_KIND_MASK) == FC_RECORD_SHORT
               ? entry->first | FC_SHORT_EXIT
               : no_exit_word(return_bits_of(entry));
}

/* Moves the call-site number out of the function of an ENTER or EXIT that is not after inlining. */
G_NO_INLINE static void take_site(FcStack *stack, struct Event *event)
{
    const guint64 kind = kind_of(event);
    if (kind != FC_RECORD_ENTER && kind != FC_RECORD_EXIT)
        return;
    const guint32 number = (guint32)(event->function >> FC_SITE_NUMBER_SHIFT & FC_SITE_NUMBER_MASK);
    event->function &= FC_POINTER_MASK;
    if (number != 0)
        fc_stack_learn_site(stack, number, event->function, event->site);
}

static inline void read_long(FcStack *stack, const struct FcUnit *units, struct Event *event)
{
    const struct FcRecord *record = (const struct FcRecord *)units;
    event->first = __atomic_load_n(&record->where, __ATOMIC_RELAXED);
    event->where = event->first;
    event->time = __atomic_load_n(&record->time, __ATOMIC_RELAXED);
    event->function = __atomic_load_n(&record->function, __ATOMIC_RELAXED);
    event->address = event->where & FC_WHERE_ADDRESS_MASK;
    event->after_inlining = (event->function & FC_FUNCTION_AFTER_INLINING) != 0;
    if (G_UNLIKELY(event->after_inlining))
    {
        event->function &= ~FC_FUNCTION_AFTER_INLINING;
        event->address |= return_bits_of(event) & 8u;
        event->where &= FC_WHERE_KIND_MASK | FC_WHERE_ADDRESS_MASK;
    }
    else if (G_UNLIKELY(event->function >> FC_SITE_NUMBER_SHIFT != 0))
        take_site(stack, event);
}

/* Whether the record is short, if there is one: read_record() says that. */
static inline gboolean is_short(const struct FcUnit *units)
{
    return (__atomic_load_n(&units->first, __ATOMIC_RELAXED) & FC_WHERE_KIND_MASK) ==
           FC_RECORD_SHORT;
}

/* Reads a short record from its words `first` and `last`.  If its call-site number was never given,
 * its kind becomes FC_RECORD_SHORT. */
static inline void read_short(const FcStack *stack, guint64 first, guint64 last,
                              struct Event *event)
{
    const guint32 number = short_site(first);
    const struct FcCallSite *site =
        &stack->sites[G_LIKELY(number <= stack->site_count) ? number : 0];
    event->first = first;
    event->where = (first & FC_SHORT_EXIT ? FC_RECORD_EXIT : FC_RECORD_ENTER) |
                   first >> FC_WHERE_RETURN_SHIFT << FC_WHERE_RETURN_SHIFT;
    event->time = fc_record_time(last, stack->last);
    event->function = site->function;
    event->site = site->site;
    event->address = short_address(stack, first);
    event->after_inlining = FALSE;
    if (G_UNLIKELY(event->function == 0))
        event->where = FC_RECORD_SHORT;
}

/* Reads the record at `units`, of which two can be read.  Returns how many units it has; 0: it is
 * not there yet. */
static inline __attribute__((always_inline)) guint32
read_record(FcStack *stack, const struct FcUnit *units, guint64 generation, struct Event *event)
{
    /* acquire: pairs with the hook's release of the record's last word */
    const guint64 last = __atomic_load_n(&units->last, __ATOMIC_ACQUIRE);
    const guint64 first = __atomic_load_n(&units->first, __ATOMIC_RELAXED);
    if ((first & FC_WHERE_KIND_MASK) == FC_RECORD_SHORT)
    {
        if (last >> FC_SITE_GENERATION_SHIFT != FC_GENERATION_OF_SHORT(generation))
            return 0;
        read_short(stack, first, last, event);
        return 1;
    }
    event->site =
        __atomic_load_n(&units[1].last, __ATOMIC_ACQUIRE) ^ generation << FC_SITE_GENERATION_SHIFT;
    if (event->site >> FC_SITE_GENERATION_SHIFT != 0)
        return 0;
    read_long(stack, units, event);
    return FC_RECORD_UNITS;
}

/* The same out of line, for calls where speed does not matter. */
G_NO_INLINE static guint32 read_record_out_of_line(FcStack *stack, const struct FcUnit *units,
                                                   guint64 generation, struct Event *event)
{
    return read_record(stack, units, generation, event);
}
