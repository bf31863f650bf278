/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long fcmanager takes for a record: replays two made-up threads from memory, chunk by
 * chunk as they lie in shared memory, and prints nanoseconds a record.
 *
 *   fib:  few functions, two call sites, deep recursion
 *   wide: 2,000 functions of 4 call sites each, in an order that repeats nothing soon
 */
#include "fcmanager/stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RECORDS (64u * FC_CHUNK_RECORDS)
#define ROUNDS 24
#define GENERATION 7u
#define CODE UINT64_C(0x400000)
#define WIDE_FUNCTIONS 2000u
#define WIDE_DEPTH 12u

static struct FcRecord *records;
static guint32 count;
static guint64 clock_ticks;

static void add(enum FcRecordKind kind, guint64 function, guint64 site, guint64 depth)
{
    if (count == RECORDS)
        return;
    clock_ticks += 20;
    records[count++] =
        (struct FcRecord){clock_ticks, function, (UINT64_C(0x7ffff0000000) - 64 * depth) | kind,
                          site | (guint64)GENERATION << FC_SITE_GENERATION_SHIFT};
}

static void make_fib(guint n, guint64 site, guint64 depth)
{
    if (count >= RECORDS - 2 * 64)
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
    if (count >= RECORDS - 2 * 64)
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

static void run(const char *name)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    FcModules *modules = fc_modules_new();
    FcCounts *counts = fc_counts_new(modules, &sizes);
    FcStack *stack = fc_stack_new(counts, UINT64_C(1) << 31, 0);
    double best_ns = G_MAXDOUBLE; /* of a round: others use the machine as well */
    for (guint round = 0; round < ROUNDS; round++)
    {
        struct timespec start;
        struct timespec end;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        for (guint32 at = 0; at < count; at += FC_CHUNK_RECORDS)
            fc_stack_feed(stack, records, at, MIN(at + FC_CHUNK_RECORDS, count), GENERATION);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        best_ns = MIN(best_ns, (double)(end.tv_sec - start.tv_sec) * 1e9 +
                                   (double)(end.tv_nsec - start.tv_nsec));
        for (guint32 i = 0; i < count; i++)
            records[i].time += clock_ticks;
    }
    printf("%-5s %6.2f ns a record (%u functions, %u arcs, %u contexts)\n", name, best_ns / count,
           counts->function_count, counts->arc_count, counts->node_count);
    if (fc_stack_depth(stack) != 0)
        abort();
    fc_stack_free(stack);
    fc_counts_free(counts);
    fc_modules_free(modules);
}

int main(void)
{
    records = g_new(struct FcRecord, RECORDS);
    while (count < RECORDS - 2 * 64)
        make_fib(24, CODE + 100, 1);
    run("fib");
    count = 0;
    clock_ticks = 0;
    while (count < RECORDS - 2 * 64)
        make_wide(0, CODE + 100, 1);
    run("wide");
    g_free(records);
    return 0;
}
