/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long fcmanager takes for a record: replays two made-up threads from memory, chunk by
 * chunk as they lie in shared memory, and prints nanoseconds a record.
 *
 *   fib:  few functions, two call sites, deep recursion
 *   wide: 2,000 functions of 4 call sites each, in an order that repeats nothing soon
 */
#include "fcmanager/stack/stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define UNITS (32u * FC_CHUNK_STARTS)
#define ROUNDS 24
#define GENERATION (FC_GENERATION_LONG | 7u)
#define CODE UINT64_C(0x400000)
#define WIDE_FUNCTIONS 2000u
#define WIDE_DEPTH 12u

#define STACK_TOP UINT64_C(0x7ffff0000000)
#define LOW (STACK_TOP - (UINT64_C(1) << 31))

static struct FcUnit *units;
static guint32 taken; /* of them */
static guint32 count; /* of records */
static guint64 clock_ticks;
static GHashTable *names; /* by function and site */

static void add_long(enum FcRecordKind kind, guint64 function, guint64 site, guint64 where)
{
    struct FcRecord *record = (struct FcRecord *)&units[taken];
    *record = (struct FcRecord){where | kind, clock_ticks, function,
                                site | (guint64)GENERATION << FC_SITE_GENERATION_SHIFT};
    taken += FC_RECORD_UNITS;
}

static void add_short(enum FcRecordKind kind, guint64 name, guint64 where)
{
    const guint64 generation = FC_GENERATION_OF_SHORT(GENERATION);
    units[taken++] = (struct FcUnit){
        ((where - LOW) & FC_SHORT_ADDRESS_MASK) << FC_SHORT_ADDRESS_SHIFT |
            name << FC_SHORT_SITE_SHIFT | (kind == FC_RECORD_EXIT ? FC_SHORT_EXIT : 0),
        clock_ticks | generation << FC_SITE_GENERATION_SHIFT};
}

/* As a thread makes them that records every call. */
static void add(enum FcRecordKind kind, guint64 function, guint64 site, guint64 depth)
{
    const guint64 where = STACK_TOP - 64 * depth;
    gpointer pair = GSIZE_TO_POINTER(function << 32 | site);
    guint64 name = GPOINTER_TO_UINT(g_hash_table_lookup(names, pair));
    if (taken > UNITS - FC_RECORD_UNITS)
        return;
    clock_ticks += 20;
    count++;
    if (name != 0)
        add_short(kind, name, where);
    else if (g_hash_table_size(names) == FC_SITE_NUMBERS_MAX)
        add_long(kind, function, site, where);
    else
    {
        name = g_hash_table_size(names) + 1;
        g_hash_table_insert(names, pair, GUINT_TO_POINTER(name));
        add_long(kind, function | name << FC_SITE_NUMBER_SHIFT, site, where);
    }
}

static void make_fib(guint n, guint64 site, guint64 depth)
{
    if (taken >= UNITS - 4 * 64)
        return;
    add(FC_RECORD_ENTER, CODE, site, depth);
    if (n > 1)
    {
        make_fib(n - 1, CODE + 20, depth + 1);
        make_fib(n - 2, CODE + 30, depth + 1);
    }
    add(FC_RECORD_EXIT, CODE, site, depth);
}

static guint32 random_state = 1;
static guint32 random_below(guint32 limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (guint32)(((guint64)random_state * limit) >> 32);
}

/* Every function calls one of four others of the next level. */
static void make_wide(guint32 function, guint64 site, guint64 depth)
{
    if (taken >= UNITS - 4 * 64)
        return;
    guint64 address = CODE + 64 * function;
    add(FC_RECORD_ENTER, address, site, depth);
    for (guint32 call = 0; depth < WIDE_DEPTH && call < 2; call++)
    {
        guint32 which = random_below(4);
        guint32 callee = (function * 4 + which + 1) % WIDE_FUNCTIONS;
        make_wide(callee, address + 8 + which, depth + 1);
    }
    add(FC_RECORD_EXIT, address, site, depth);
}

/* All again, later. */
static void advance(void)
{
    guint32 at = 0;
    while (at < taken)
    {
        const guint32 read = fc_record_units(&units[at], GENERATION);
        units[at].last += clock_ticks;
        at += read;
    }
}

static void run(const char *name)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    FcModules *modules = fc_modules_new();
    FcCounts *counts = fc_counts_new(modules, &sizes);
    FcStack *stack = fc_stack_new(counts, UINT64_C(1) << 31, 0);
    fc_stack_set_sites(stack, LOW, NULL, 0);
    double best_ns = G_MAXDOUBLE; /* of a round: others use the machine as well */
    for (guint round = 0; round < ROUNDS; round++)
    {
        struct timespec start;
        struct timespec end;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        guint32 at = 0;
        while (at < taken)
            at = fc_stack_feed(stack, units, at, MIN(at + FC_CHUNK_STARTS, taken), GENERATION);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        best_ns = MIN(best_ns, (double)(end.tv_sec - start.tv_sec) * 1e9 +
                                   (double)(end.tv_nsec - start.tv_nsec));
        advance();
    }
    printf("%-5s %6.2f ns a record (%u functions, %u arcs, %u contexts)\n", name, best_ns / count,
           counts->function_count, counts->arc_count, counts->node_count);
    if (fc_stack_depth(stack) != 0)
        abort();
    fc_stack_free(stack);
    fc_counts_free(counts);
    fc_modules_free(modules);
}

static void begin(void)
{
    taken = count = 0;
    clock_ticks = 0;
    g_hash_table_remove_all(names);
}

/* manager [fib | wide] */
int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    units = g_new(struct FcUnit, UNITS);
    names = g_hash_table_new(NULL, NULL);
    if (!only || g_str_equal(only, "fib"))
    {
        begin();
        while (taken < UNITS - 4 * 64)
            make_fib(24, CODE + 100, 1);
        run("fib");
    }
    if (!only || g_str_equal(only, "wide"))
    {
        begin();
        while (taken < UNITS - 4 * 64)
            make_wide(0, CODE + 100, 1);
        run("wide");
    }
    g_hash_table_unref(names);
    g_free(units);
    return 0;
}
