/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Unit tests of gmon/gmonout*.c: what is written is read again as fcgprof does, and
 * its symbols must then have the times and calls that went in.
 */
#include "fcgprof/gmon-files.h"
#include "fcgprof/symspec.h"
#include "gmon/gmon.h"
#include "tests/unit/asan.h"
#include "tests/unit/profile_fixture.h"

#include <errno.h>
#include <stdlib.h>

#define HOUR_NS (G_GUINT64_CONSTANT(3600) * 1000000000)

typedef struct
{
    FcGOptions *options;
    FcGModel *model;
    FcGSpecs *specs;
    FcGSym *symbols;
    guint count; /* functions, without the end of the code, which is a symbol as well */
} Reader;

/* Symbols at the starts of `times` and at the end of the last. */
static void reader_init(Reader *reader, const FcGmonTime *times, guint count)
{
    char *words[] = {(char *)"fcgprof", NULL};
    guint64 end = times[count - 1].end;

    reader->options = fc_goptions_parse(1, words, NULL);
    g_assert_nonnull(reader->options);
    reader->model = fc_gmodel_new(reader->options, stdout);
    reader->symbols = g_new0(FcGSym, count + 1);
    reader->count = count;
    for (guint i = 0; i <= count; i++)
    {
        fc_gsym_init(&reader->symbols[i]);
        reader->symbols[i].addr = i < count ? times[i].start : end;
        reader->symbols[i].name = "f";
        reader->symbols[i].is_func = TRUE;
    }
    fc_gsymtab_build(reader->model, reader->symbols, count + 1, end + 1);
    g_assert_cmpuint(reader->model->symtab.len, ==, count + 1);
    reader->specs = fc_gspecs_new(reader->model);
    reader->model->specs = reader->specs;
}

static void reader_clear(Reader *reader)
{
    fc_gmodel_free(reader->model);
    fc_gspecs_free(reader->specs);
    fc_goptions_free(reader->options);
    g_free(reader->symbols);
}

/* Writes the file and reads it; its size in bytes. */
static gsize reader_take(Reader *reader, const FcGmonOut *out, const FcGmonLayout *layout)
{
    FcGmonContents contents;
    g_autoptr(GError) error = NULL;
    char *bytes = NULL;
    size_t n_bytes = 0;
    FILE *file = open_memstream(&bytes, &n_bytes);

    g_assert_true(fc_gmonout_write(out, layout, file));
    fclose(file);
    fc_gmodel_add_gmon(reader->model, (const guint8 *)bytes, n_bytes, layout, &contents, &error);
    g_assert_no_error(error);
    if (out->hists->len > 0)
        fc_ghist_assign(reader->model);
    free(bytes);
    return n_bytes;
}

static const FcGmonLayout native = {FALSE, 8};

/* Functions of `sizes` bytes, one behind the other. */
static FcGmonTime *make_times(guint64 start, const guint64 *sizes, const guint64 *local_ns,
                              guint count)
{
    FcGmonTime *times = g_new0(FcGmonTime, count);

    for (guint i = 0; i < count; i++)
    {
        times[i].start = start;
        start += sizes[i];
        times[i].end = start;
        times[i].local_ns = local_ns[i];
    }
    return times;
}

/* Exports and reads again: each function has exactly what `shown_ns` says.  How many are
 * inexact; the size is added to `*n_bytes`. */
static guint check_times(FcGmonTime *times, guint count, gsize *n_bytes)
{
    g_autoptr(FcGmonOut) out = fc_gmonout_new();
    double sum = 0;
    guint inexact = 0;
    Reader reader;

    fc_gmonout_set_times(out, times, count);
    reader_init(&reader, times, count);
    *n_bytes += reader_take(&reader, out, &native);
    g_assert_cmpint(reader.model->rate, ==, out->rate);
    for (guint i = 0; i < count; i++)
    {
        double tick_ns = 1e9 / out->rate;

        g_assert_cmpfloat(reader.model->symtab.syms[i].time * tick_ns, ==,
                          (double)times[i].shown_ns);
        sum += reader.model->symtab.syms[i].time;
        if (!fc_gmonout_is_inexact(&times[i]))
            continue;
        inexact++;
        /* It is a rounding error, or gprof can't give it any. */
        g_assert_true(times[i].local_ns < 100 * tick_ns || times[i].local_ns > G_MAXINT64 ||
                      times[i].start / 2 == times[i].end / 2);
    }
    g_assert_cmpfloat(sum, ==, reader.model->total_ticks);
    reader_clear(&reader);
    return inexact;
}

static void test_exact(void)
{
    const guint64 sizes[] = {16, 3, 5, 1000, 2, 64};
    const guint64 local_ns[] = {0, 1, 65535, 65536, 131071, 40000000};
    g_autofree FcGmonTime *times = make_times(0x401001, sizes, local_ns, G_N_ELEMENTS(sizes));
    gsize n_bytes = 0;

    g_assert_cmpuint(check_times(times, G_N_ELEMENTS(sizes), &n_bytes), ==, 0);
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        g_assert_cmpuint(times[i].shown_ns, ==, local_ns[i]);
    g_assert_cmpuint(n_bytes, <, 10000);
}

/* One byte of code that no unit of two begins in: gprof itself can't give it time. */
static void test_too_short(void)
{
    const guint64 sizes[] = {15, 1, 16};
    const guint64 local_ns[] = {1000, 1000, 1000};
    g_autofree FcGmonTime *times = make_times(0x1001, sizes, local_ns, 3);
    gsize n_bytes = 0;

    g_assert_cmpuint(check_times(times, 3, &n_bytes), ==, 1);
    g_assert_cmpuint(times[0].shown_ns, ==, 1000);
    g_assert_cmpuint(times[1].shown_ns, ==, 0);
    g_assert_cmpuint(times[2].shown_ns, ==, 1000);
}

/* A nanosecond beside a minute is exact; beside ten hours in a small function it can't be,
 * and only that is given up. */
static void test_spread(void)
{
    const guint64 sizes[] = {100, 40, 40, 40};
    guint64 local_ns[] = {HOUR_NS / 60, 1, 7, 999};
    g_autofree FcGmonTime *times = make_times(0x1000, sizes, local_ns, 4);
    gsize n_bytes = 0;

    g_assert_cmpuint(check_times(times, 4, &n_bytes), ==, 0);
    g_assert_cmpuint(times[1].shown_ns, ==, 1);

    times[0].local_ns = 10 * HOUR_NS;
    times[2].local_ns = 200000;
    times[3].local_ns = 12345678;
    g_assert_cmpuint(check_times(times, 4, &n_bytes), ==, 1);
    g_assert_true(fc_gmonout_is_inexact(&times[1]));

    /* In a large one it is bound by the size of the file only. */
    times[0].end += 10000000;
    for (guint i = 1; i < 4; i++)
    {
        times[i].start += 10000000;
        times[i].end += 10000000;
    }
    times[1].local_ns = 5000;
    g_assert_cmpuint(check_times(times, 4, &n_bytes), ==, 0);
    g_assert_cmpuint(n_bytes, <, 200 << 20);
}

/* No large file where a slower clock is good enough. */
static void test_size(void)
{
    const guint64 sizes[] = {100, 40};
    const guint64 local_ns[] = {HOUR_NS / 6, 1000000};
    g_autofree FcGmonTime *times = make_times(0x1000, sizes, local_ns, 2);
    gsize n_bytes = 0;

    g_assert_cmpuint(check_times(times, 2, &n_bytes), ==, 0);
    g_assert_cmpuint(n_bytes, <, 2 << 20);
}

/* Whatever a damaged profile says, the file stays bearable. */
static void test_extremes(void)
{
    const guint64 sizes[] = {2, 40, 2, 7};
    const guint64 local_ns[] = {G_MAXUINT64, G_MAXUINT64 - 1, 0, 1};
    g_autofree FcGmonTime *times = make_times(0x1000, sizes, local_ns, 4);
    gsize n_bytes = 0;

    g_assert_cmpuint(check_times(times, 4, &n_bytes), >=, 1);
    g_assert_cmpuint(n_bytes, <, 100 << 20);
    for (guint i = 0; i < 4; i++)
        times[i].local_ns = 0;
    g_assert_cmpuint(check_times(times, 4, &n_bytes), ==, 0);
}

static void test_many_extremes(void)
{
    enum
    {
        COUNT = 3000
    };
    g_autofree guint64 *sizes = g_new(guint64, COUNT);
    g_autofree guint64 *local_ns = g_new(guint64, COUNT);
    g_autofree FcGmonTime *times = NULL;
    gsize n_bytes = 0;

    for (guint i = 0; i < COUNT; i++)
    {
        sizes[i] = 40;
        local_ns[i] = G_MAXUINT64;
    }
    times = make_times(0x1000, sizes, local_ns, COUNT);
    g_assert_cmpuint(check_times(times, COUNT, &n_bytes), >, 0);
    g_assert_cmpuint(n_bytes, <, 100 << 20);
}

static guint64 random_below(guint64 limit)
{
    guint64 number = (guint64)(guint32)g_test_rand_int() << 32 | (guint32)g_test_rand_int();

    return number % limit;
}

/* Times spread evenly over the orders of magnitude up to 2^bits ns. */
static void test_random(void)
{
    for (guint round = 0; round < (FIXTURE_ASAN ? 12u : 60u); round++)
    {
        guint count = 1 + (guint)random_below(400), bits = 8 + round % 28;
        g_autofree guint64 *sizes = g_new(guint64, count);
        g_autofree guint64 *local_ns = g_new(guint64, count);
        g_autofree FcGmonTime *times = NULL;
        gsize n_bytes = 0;

        for (guint i = 0; i < count; i++)
        {
            sizes[i] = 2 + random_below(G_GUINT64_CONSTANT(1) << (1 + random_below(13)));
            local_ns[i] = random_below(G_GUINT64_CONSTANT(1) << random_below(bits + 1));
        }
        times = make_times(0x1000 + random_below(1000), sizes, local_ns, count);
        /* Two bytes hold 2^31 ticks. */
        g_assert_true(check_times(times, count, &n_bytes) == 0 || bits >= 31);
        g_assert_cmpuint(n_bytes, <, 80 << 20);
    }
}

static void check_arcs(const FcGmonLayout *layout)
{
    const guint64 sizes[] = {32, 32, 32};
    const guint64 nothing[] = {0, 0, 0};
    g_autofree FcGmonTime *times = make_times(0x8000, sizes, nothing, 3);
    g_autoptr(FcGmonOut) out = fc_gmonout_new();
    FcGSym *symbols;
    Reader reader;

    fc_gmonout_add_arc(out, 0x8005, 0x8020, 3);
    fc_gmonout_add_arc(out, 0x8006, 0x8020, G_MAXUINT32);
    fc_gmonout_add_arc(out, 0x8025, 0x8040, G_GUINT64_CONSTANT(10000000000));
    fc_gmonout_add_arc(out, 0x8045, 0x8000, 0);
    g_assert_cmpuint(fc_gmonout_count_arc_records(out), ==, 1 + 1 + 3 + 1);
    reader_init(&reader, times, 3);
    reader_take(&reader, out, layout);
    symbols = reader.model->symtab.syms;
    g_assert_cmpuint(symbols[1].ncalls, ==, G_GUINT64_CONSTANT(4294967298));
    g_assert_cmpuint(symbols[2].ncalls, ==, G_GUINT64_CONSTANT(10000000000));
    g_assert_cmpuint(symbols[0].ncalls, ==, 0);
    g_assert_true(symbols[0].parents && symbols[0].parents->parent == &symbols[2]);
    g_assert_cmpuint(symbols[0].children->count, ==, G_GUINT64_CONSTANT(4294967298));
    reader_clear(&reader);
}

static void test_arcs(void)
{
    static const FcGmonLayout layouts[] = {{FALSE, 8}, {TRUE, 8}, {FALSE, 4}, {TRUE, 4}};

    for (guint i = 0; i < G_N_ELEMENTS(layouts); i++)
        check_arcs(&layouts[i]);
}

static void test_arc_records(void)
{
    g_autoptr(FcGmonOut) out = fc_gmonout_new();

    fc_gmonout_add_arc(out, 1, 1, G_MAXUINT64);
    g_assert_cmpuint(fc_gmonout_count_arc_records(out), ==, G_GUINT64_CONSTANT(4294967297));
}

static void test_full_disk(void)
{
    const guint64 sizes[] = {100000};
    const guint64 local_ns[] = {3000000000};
    g_autofree FcGmonTime *times = make_times(0, sizes, local_ns, 1);
    g_autoptr(FcGmonOut) out = fc_gmonout_new();
    FILE *file = fopen("/dev/full", "wb");

    if (!file)
    {
        g_test_skip("there is no /dev/full");
        return;
    }
    fc_gmonout_set_times(out, times, 1);
    errno = 0;
    g_assert_false(fc_gmonout_write(out, &native, file));
    g_assert_cmpint(errno, ==, ENOSPC);
    fclose(file);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gmonout/exact", test_exact);
    g_test_add_func("/gmonout/too-short", test_too_short);
    g_test_add_func("/gmonout/spread", test_spread);
    g_test_add_func("/gmonout/size", test_size);
    g_test_add_func("/gmonout/extremes", test_extremes);
    g_test_add_func("/gmonout/many-extremes", test_many_extremes);
    g_test_add_func("/gmonout/random", test_random);
    g_test_add_func("/gmonout/arcs", test_arcs);
    g_test_add_func("/gmonout/arc-records", test_arc_records);
    g_test_add_func("/gmonout/full-disk", test_full_disk);
    return g_test_run();
}
