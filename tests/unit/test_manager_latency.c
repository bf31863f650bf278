/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long calls took: the buckets, counts beyond 32 bits, the limit of memory.
 */
#include "fcmanager/counts/latency.h"

/* Each value is in a bucket that begins at or below it and ends above, and no bucket is wider than
 * the promised error allows. */
static void test_buckets(void)
{
    g_assert_cmpuint(fc_latency_bucket(0), ==, 0);
    g_assert_cmpuint(fc_latency_bucket(1), ==, FC_LATENCY_PARTS);
    g_assert_cmpuint(fc_latency_bucket(G_MAXUINT64), ==, FC_LATENCY_BUCKETS - 1);
    guint last = 0;
    for (guint64 ns = 0; ns < G_GUINT64_CONSTANT(1) << 46; ns += 1 + ns / 997)
    {
        const guint bucket = fc_latency_bucket(ns);
        g_assert_cmpuint(bucket, >=, last);
        last = bucket;
        const guint64 least = fc_latency_least_ns(bucket);
        const guint64 next = fc_latency_least_ns(bucket + 1);
        g_assert_true(least <= ns && ns < MAX(next, least + 1));
        if (next > least + 1)
            g_assert_true((double)(next - 1 - least) / (double)(next - 1 + least) < 0.025);
    }
    for (guint bucket = 2 * FC_LATENCY_PARTS; bucket + 1 < FC_LATENCY_BUCKETS; bucket++)
    {
        const guint64 least = fc_latency_least_ns(bucket);
        if (least < fc_latency_least_ns(bucket + 1))
            g_assert_cmpuint(fc_latency_bucket(least), ==, bucket);
    }
}

static void test_counts(void)
{
    FcLatencyRoom room = {.limit = FC_LATENCY_BYTES_MAX};
    FcLatencies latencies = {0};
    FcLatencies other = {0};
    static const guint64 times[] = {1000000, 3, 1000000, 0, 70000000000, 3, 3, 999};
    for (guint i = 0; i < G_N_ELEMENTS(times); i++)
        fc_latency_add(&latencies, &room, times[i]);
    g_assert_cmpuint(fc_latency_calls(&latencies, fc_latency_bucket(3)), ==, 3);
    g_assert_cmpuint(fc_latency_calls(&latencies, fc_latency_bucket(0)), ==, 1);
    g_assert_cmpuint(fc_latency_calls(&latencies, fc_latency_bucket(1000000)), ==, 2);
    g_assert_cmpuint(fc_latency_calls(&latencies, fc_latency_bucket(70000000000)), ==, 1);
    g_assert_cmpuint(fc_latency_calls(&latencies, fc_latency_bucket(5)), ==, 0);
    /* More than 32 bits hold, one by one and at once; room is made for others beside them. */
    fc_latency_add_many(&other, &room, fc_latency_bucket(3), G_GUINT64_CONSTANT(0x2fffffffe));
    fc_latency_add(&other, &room, 3);
    fc_latency_add(&other, &room, 3);
    fc_latency_add(&other, &room, 3);
    fc_latency_add(&other, &room, 1);
    fc_latency_add(&other, &room, 100);
    g_assert_cmpuint(fc_latency_calls(&other, fc_latency_bucket(3)), ==, 0x300000001);
    fc_latency_merge(&latencies, &room, &other);
    g_assert_cmpuint(fc_latency_calls(&latencies, fc_latency_bucket(3)), ==, 0x300000004);
    g_assert_cmpuint(fc_latency_calls(&latencies, fc_latency_bucket(100)), ==, 1);
    g_assert_cmpuint(room.omitted, ==, 0);
    fc_latency_clear(&latencies, &room);
    fc_latency_clear(&other, &room);
    g_assert_cmpuint(room.bytes, ==, 0);
}

/* What has room goes on; what has none is counted. */
static void test_limit(void)
{
    enum
    {
        ARCS = 20000
    };
    FcLatencyRoom room = {.limit = FC_LATENCY_BYTES_MAX};
    FcLatencies *latencies = g_new0(FcLatencies, ARCS);
    for (guint i = 0; i < ARCS; i++)
        for (guint64 ns = 1; ns < 1 << 20; ns *= 2)
            fc_latency_add(&latencies[i], &room, ns);
    g_assert_cmpuint(room.bytes, <=, FC_LATENCY_BYTES_MAX);
    guint64 calls = 0;
    for (guint i = 0; i < ARCS; i++)
        for (guint64 ns = 1; ns < 1 << 20; ns *= 2)
            calls += fc_latency_calls(&latencies[i], fc_latency_bucket(ns));
    g_assert_cmpuint(room.omitted, >, 0);
    g_assert_cmpuint(calls + room.omitted, ==, 20 * ARCS);
    const guint64 omitted = room.omitted;
    fc_latency_add(&latencies[0], &room, 1);
    g_assert_cmpuint(room.omitted, ==, omitted);
    for (guint i = 0; i < ARCS; i++)
        fc_latency_clear(&latencies[i], &room);
    g_assert_cmpuint(room.bytes, ==, 0);
    g_free(latencies);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/latency/buckets", test_buckets);
    g_test_add_func("/latency/counts", test_counts);
    g_test_add_func("/latency/limit", test_limit);
    return g_test_run();
}
