/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last records of a thread: how the ring grows and turns, and the limit of memory; and the
 * slowest calls.
 */
#include "fcmanager/counts/slowest.h"
#include "fcmanager/counts/trace.h"

static void add(FcTrace *trace, guint64 from, guint64 to)
{
    for (guint64 i = from; i < to; i++)
    {
        const FcTraceRecord record = {.time = i, .function = (guint32)(i % 3)};
        fc_trace_add(trace, &record);
    }
}

/* `count` records up to `end`, not including it, of which there were `end` in all. */
static void check(FcTrace *trace, guint64 end, guint32 count)
{
    static const guint32 functions[] = {7, 5, 6};
    fc_trace_finish(trace, functions);
    g_assert_cmpuint(trace->all, ==, end);
    g_assert_cmpuint(trace->room, ==, count);
    for (guint32 i = 0; i < count; i++)
    {
        g_assert_cmpuint(trace->records[i].time, ==, end - count + i);
        g_assert_cmpuint(trace->records[i].function, ==, functions[trace->records[i].time % 3]);
    }
}

static void test_ring(void)
{
    static const struct
    {
        guint32 length;
        guint64 records;
        guint32 kept;
    } cases[] = {{1000, 0, 0},       {1000, 1, 1},       {1000, 256, 256},   {1000, 257, 257},
                 {1000, 999, 999},   {1000, 1000, 1000}, {1000, 1001, 1000}, {1000, 1999, 1000},
                 {1000, 2000, 1000}, {1000, 5003, 1000}, {1, 1, 1},          {1, 9, 1},
                 {7, 7, 7},          {7, 8, 7},          {256, 1000, 256}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    {
        FcTraceRoom room = {.length = cases[i].length, .limit = FC_TRACE_BYTES_MAX};
        FcTrace *trace = fc_trace_new(&room);
        add(trace, 0, cases[i].records);
        check(trace, cases[i].records, cases[i].kept);
        g_assert_cmpuint(room.bytes, ==, cases[i].kept * sizeof(FcTraceRecord));
        fc_trace_free(trace);
        g_assert_cmpuint(room.bytes, ==, 0);
    }
}

/* Which has no more room keeps as many as it has room for; who comes too late keeps none. */
static void test_limit(void)
{
    FcTraceRoom room = {.length = 100000, .limit = (512 + 256) * sizeof(FcTraceRecord)};
    FcTrace *first = fc_trace_new(&room);
    FcTrace *second = fc_trace_new(&room);
    FcTrace *third = fc_trace_new(&room);
    add(first, 0, 400);
    add(second, 0, 10);
    add(third, 0, 10);
    add(first, 400, 3000);
    add(second, 10, 300);
    g_assert_cmpuint(room.bytes, <=, room.limit);
    check(first, 3000, 512);
    check(second, 300, 256);
    check(third, 10, 0);
    fc_trace_free(first);
    fc_trace_free(second);
    fc_trace_free(third);
    g_assert_cmpuint(room.bytes, ==, 0);
}

static void test_open(void)
{
    FcTraceRoom room = {.length = 2, .limit = FC_TRACE_BYTES_MAX};
    FcTrace *trace = fc_trace_new(&room);
    add(trace, 0, 5);
    const FcTraceRecord open = {.kind = FC_TRACE_OPEN};
    for (guint i = 0; i < 100; i++)
        fc_trace_add_open(trace, &open);
    static const guint32 all[] = {9, 8, 7};
    fc_trace_finish(trace, all);
    g_assert_cmpuint(trace->room, ==, 2); /* they take no record's place */
    g_assert_cmpuint(trace->open->len, ==, 100);
    g_assert_cmpuint(g_array_index(trace->open, FcTraceRecord, 99).function, ==, 9);
    fc_trace_free(trace);
}

static void test_slowest(void)
{
    static const guint64 totals[] = {5, 1, 9, 5, 2, 9, 7, 0, 5};
    static const guint64 sorted[] = {9, 9, 7, 5, 5, 5, 2, 1, 0};
    static const guint64 begun[] = {2, 5, 6, 0, 3, 8, 4, 1, 7}; /* of equal ones the first */
    for (guint32 most = 0; most <= G_N_ELEMENTS(totals); most++)
    {
        FcSlowest slowest = {0};
        for (guint i = 0; i < G_N_ELEMENTS(totals); i++)
        {
            const FcSlowCall call = {.total = totals[i], .begun = i};
            fc_slowest_add(&slowest, most, &call);
        }
        g_assert_cmpuint(slowest.count, ==, most);
        for (guint i = 0; i < most; i++)
        {
            g_assert_cmpuint(slowest.calls[i].total, ==, sorted[i]);
            g_assert_cmpuint(slowest.calls[i].begun, ==, begun[i]);
        }
        fc_slowest_clear(&slowest);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace/ring", test_ring);
    g_test_add_func("/trace/limit", test_limit);
    g_test_add_func("/trace/open", test_open);
    g_test_add_func("/slowest", test_slowest);
    return g_test_run();
}
