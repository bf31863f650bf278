/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When libfc decides that a function's calls are to be counted, by records that are made up.  As
 * for the tests' clock a call is short that takes less than 1500 ticks, and recording one takes
 * 2000.
 */
#include "libfc/clock.h"
#include "libfc/detail.h"
#include "libfc/nested.h"
#include "libfc/thread.h"

#include <glib.h>
#include <string.h>

#define GENERATION 9u
#define STACK 0x7f0000000000u
#define STACK_BYTES 0x100000u
#define F 0x5500001000u
#define G 0x5500002000u
#define SITE 0x5500003000u

__thread struct FcThread fc_thread;
__thread uint64_t fc_clock_test_ticks;
enum FcTimeMode fc_clock_mode = FC_TIME_CPU;

uint64_t fc_clock_monotonic_ns(void)
{
    return 0;
}

uint64_t fc_clock_read_slow(void)
{
    return 0;
}

static struct FcChunk *chunk;
static guint slots;
static guint64 now;
static guint depth; /* calls that are open */

static void start(void)
{
    fc_thread = (struct FcThread){.own_stack = {.start = STACK, .end = STACK + STACK_BYTES}};
    chunk = g_aligned_alloc0(1, FC_CHUNK_BYTES, FC_CHUNK_BYTES);
    chunk->generation = GENERATION;
    slots = 0;
    now = 1000000;
    depth = 0;
    fc_detail_setup(true);
}

static void stop(void)
{
    fc_detail_end();
    g_aligned_free(chunk);
}

/* How many decisions the chunk makes, which is given away; the last is at *decision. */
static guint give_away(struct FcDecision *decision)
{
    const struct FcDecision *decisions = NULL;
    fc_detail_look(chunk, 0, slots * FC_RECORD_UNITS);
    slots = 0;
    const guint count = fc_detail_take(&decisions);
    if (count > 0)
        *decision = decisions[count - 1];
    return count;
}

static void record(enum FcRecordKind kind, guint64 function, guint64 where, guint64 site)
{
    g_assert_cmpuint(slots, <, FC_CHUNK_RECORDS);
    chunk->records[slots++] = (struct FcRecord){
        where | kind, now, function, site | (guint64)GENERATION << FC_SITE_GENERATION_SHIFT};
}

static guint64 stack_address(void)
{
    return STACK + STACK_BYTES - 64 * (guint64)(depth + 1);
}

static void enter(guint64 function)
{
    record(FC_RECORD_ENTER, function, stack_address(), SITE);
    depth++;
}

static void leave(guint64 function)
{
    depth--;
    record(FC_RECORD_EXIT, function, stack_address(), SITE);
}

static void off(enum FcOffRecord which, guint64 value, guint64 site)
{
    record(FC_RECORD_OFF, value, (guint64)which << FC_OFF_RECORD_SHIFT, site);
}

static void call(guint64 function, guint64 ticks)
{
    enter(function);
    now += ticks;
    leave(function);
}

static void call_often(guint64 function, guint64 ticks, guint calls)
{
    for (guint i = 0; i < calls; i++)
        call(function, ticks);
}

static void assert_decided(guint64 function, bool is_nested)
{
    struct FcDecision decision;
    g_assert_cmpuint(give_away(&decision), ==, 1);
    g_assert_cmphex(decision.function, ==, function);
    g_assert_cmpint(decision.is_nested, ==, is_nested);
}

static void assert_undecided(void)
{
    struct FcDecision decision;
    g_assert_cmpuint(give_away(&decision), ==, 0);
}

static void test_short(void)
{
    start();
    call_often(F, 1400, 63);
    assert_undecided();
    call_often(F, 1400, 1);
    call_often(G, 1600, 100);
    assert_decided(F, false);
    stop();
}

/* One long call makes the mean long, */
static void test_one_long(void)
{
    start();
    call_often(F, 1000, 99);
    call(F, 60000);
    assert_undecided();
    stop();
}

/* unless the thread was off the CPU, */
static void test_off(void)
{
    start();
    off(FC_OFF_SEEN, 500000, 0);
    call_often(F, 1000, 99);
    enter(F);
    now += 60000;
    off(FC_OFF_SEEN, 500000 + 59000, 0);
    leave(F);
    assert_decided(F, false);
    stop();
}

/* also where that is known by an earlier record, the clock having been read before it, */
static void test_off_late(void)
{
    start();
    off(FC_OFF_SEEN, 500000, 0);
    call_often(F, 1000, 99);
    off(FC_OFF_SEEN, 500000 + 59000, 0);
    enter(F);
    now += 60000;
    leave(F);
    assert_decided(F, false);
    stop();
}

/* but not more than there was up to the next record: the clocks may disagree. */
static void test_off_too_much(void)
{
    start();
    off(FC_OFF_SEEN, 500000, 0);
    call(F, 1600);
    off(FC_OFF_SEEN, 500000 + 1000000, 0);
    call_often(F, 1600, 200);
    assert_undecided();
    stop();
}

/* Or libfc was at work, part of it off the CPU, which is told as well. */
static void test_paused(void)
{
    start();
    off(FC_OFF_SEEN, 500000, 0);
    call_often(F, 1000, 99);
    enter(F);
    now += 60000;
    off(FC_OFF_PAUSED, 59000, 40000);
    off(FC_OFF_SEEN, 500000 + 40000, 0);
    leave(F);
    call_often(G, 1600, 100);
    assert_decided(F, false);
    stop();
}

/* The callers of what was away were so, too. */
static void test_caller_off(void)
{
    start();
    off(FC_OFF_SEEN, 500000, 0);
    for (guint i = 0; i < 100; i++)
    {
        enter(G);
        now += 500;
        enter(F);
        now += 60000;
        off(FC_OFF_SEEN, 500000 + 58000 * (i + 1), 0);
        leave(F);
        now += 500;
        leave(G);
    }
    assert_decided(G, false); /* 1000 ticks, and those of recording F; F itself takes 2000 */
    stop();
}

/* A function that calls itself: so many of the nested calls. */
static void recur(guint64 ticks, guint nested)
{
    enter(F);
    for (guint i = 0; i < nested; i++)
        enter(F);
    now += ticks;
    for (guint i = 0; i < nested; i++)
        leave(F);
    leave(F);
}

static void begin_nested(void)
{
    start();
    for (guint i = 0; i < 20; i++)
        recur(1000, 10);
    assert_decided(F, true);
}

/* Outermost calls that go on being short are counted, too. */
static void test_outermost(void)
{
    begin_nested();
    call_often(F, 1400, 255);
    assert_undecided();
    call(F, 1400);
    assert_decided(F, false);
    call_often(F, 1400, 500); /* as of windows */
    assert_undecided();
    stop();
}

/* Long ones are not, also where nested ones come to light. */
static void test_long_outermost(void)
{
    begin_nested();
    call_often(F, 1600, 1000);
    assert_undecided();
    for (guint i = 0; i < 80; i++)
        recur(30000, 10);
    assert_undecided();
    stop();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/detail/short", test_short);
    g_test_add_func("/detail/one-long", test_one_long);
    g_test_add_func("/detail/off", test_off);
    g_test_add_func("/detail/off-late", test_off_late);
    g_test_add_func("/detail/off-too-much", test_off_too_much);
    g_test_add_func("/detail/paused", test_paused);
    g_test_add_func("/detail/caller-off", test_caller_off);
    g_test_add_func("/detail/outermost", test_outermost);
    g_test_add_func("/detail/long-outermost", test_long_outermost);
    return g_test_run();
}
