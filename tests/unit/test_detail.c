/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When libfc decides that a function's calls are to be counted, by records that are made up.  As
 * for the tests' clock a call is short that takes less than 1500 ticks, and recording one takes
 * 2000.
 */
#include "libfc/base/clock.h"
#include "libfc/base/nested.h"
#include "libfc/base/signals.h"
#include "libfc/base/thread.h"
#include "libfc/count/activations.h"
#include "libfc/count/detail.h"
#include "tests/unit/aligned.h"

#include <glib.h>
#include <string.h>

#define GENERATION 9u
#define STACK 0x7f0000000000u
#define STACK_BYTES 0x1000000u
#define F 0x5500001000u
#define G 0x5500002000u
#define H 0x5500004000u
#define SITE 0x5500003000u

__thread uint64_t fc_clock_test_ticks;
enum FcTimeMode fc_clock_mode = FC_TIME_CPU;

void fc_deferred_flush(void)
{
}

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
    chunk = aligned_new0(FC_CHUNK_BYTES, FC_CHUNK_BYTES);
    chunk->generation = GENERATION;
    slots = 0;
    now = 1000000;
    depth = 0;
    fc_detail_setup(true);
}

static void stop(void)
{
    fc_detail_end();
    free(chunk);
}

/* How many decisions the chunk makes, which is given away; the last is at *decision. */
static guint give_away(struct FcDecision *decision)
{
    const struct FcDecision *decisions = NULL;
    fc_detail_scan(chunk, 0, slots * FC_RECORD_UNITS);
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
    call_often(F, 1400, 500); /* as of bursts */
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

/* Gives the chunk away where it may soon be full. */
static void make_room(void)
{
    struct FcDecision decision;
    if (slots + 2 >= FC_CHUNK_RECORDS)
        give_away(&decision);
}

static void assert_h_decided(void)
{
    struct FcDecision decision = {0};
    give_away(&decision);
    for (guint i = 0; i < 8 && decision.function != H;
         i++) /* of the chunks one in eight is judged */
    {
        call_often(H, 1400, 100);
        give_away(&decision);
    }
    g_assert_cmphex(decision.function, ==, H);
}

/* More activations than are remembered: it is not known what is open until the deepest that is
 * known is over, and then it is. */
static void test_deep(void)
{
    const guint calls = 3 * FC_OPEN_ROOM;
    guint open_known = 0;
    guint32 count;
    start();
    enter(G);
    for (guint i = 0; i < calls; i++, make_room())
        enter(F);
    g_assert_false(fc_detail_scan_rest(chunk, slots * FC_RECORD_UNITS));
    for (guint i = 0; i < calls; i++, make_room())
    {
        now += 1400;
        leave(F);
        if (!fc_detail_scan_rest(chunk, slots * FC_RECORD_UNITS))
            continue;
        fc_detail_get_open(&count);
        g_assert_cmpuint(count, ==, depth);
        open_known++;
    }
    g_assert_cmpuint(open_known, ==, FC_OPEN_ROOM - 2);
    leave(G);
    assert_h_decided();
    stop();
}

/* More functions than are remembered, called now and then, in a call of F. */
static void test_many_functions(void)
{
    start();
    call_often(G, 1400, 64);
    assert_decided(G, false);
    enter(F);
    for (guint i = 0; i < 4 * FC_STATISTICS_ROOM; i++, make_room())
        call(H + 16 * (guint64)(i + 1), 1400);
    assert_h_decided();
    guint32 count;
    const struct FcOpen *open = fc_detail_get_open(&count);
    g_assert_cmpuint(count, ==, 1);
    g_assert_cmphex(open->function, ==, F);
    leave(F);
    stop();
}

static bool is_known(guint open)
{
    guint32 count;
    if (!fc_detail_scan_rest(chunk, slots * FC_RECORD_UNITS))
        return false;
    fc_detail_get_open(&count);
    g_assert_cmpuint(count, ==, open);
    return true;
}

/* A record is missing in a call of F by G: all within it may be open until another call is made
 * from elsewhere, the very same one, or G returns. */
static void test_gap(void)
{
    for (guint how = 0; how < 3; how++)
    {
        start();
        enter(G);
        enter(F);
        slots++; /* that of F's exit, or of a call's entry */
        depth++;
        call(F, 10); /* of a handler */
        g_assert_false(is_known(2));
        depth -= 2;
        if (how == 0) /* of a function that was inlined into F, as far as is known */
        {
            record(FC_RECORD_ENTER, G, stack_address(), SITE);
            g_assert_false(is_known(2));
            record(FC_RECORD_ENTER, G, stack_address(), SITE + 5);
            depth++;
        }
        else if (how == 1)
            enter(F);
        else
        {
            leave(G);
            g_assert_true(is_known(0));
            stop();
            continue;
        }
        g_assert_true(is_known(2));
        leave(how == 0 ? G : F);
        leave(G);
        g_assert_true(is_known(0));
        stop();
    }
}

/* What was decided meanwhile is taken later. */
static void test_put_back(void)
{
    struct FcDecision decision;
    start();
    call_often(F, 1400, 64);
    g_assert_cmpuint(give_away(&decision), ==, 1);
    fc_detail_put_back(1);
    call_often(G, 1400, 64);
    g_assert_cmpuint(give_away(&decision), ==, 2);
    g_assert_cmphex(decision.function, ==, G);
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
    g_test_add_func("/detail/deep", test_deep);
    g_test_add_func("/detail/many-functions", test_many_functions);
    g_test_add_func("/detail/gap", test_gap);
    g_test_add_func("/detail/put-back", test_put_back);
    return g_test_run();
}
