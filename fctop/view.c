/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See view.h.
 */
#include "fctop/view.h"

#include <string.h>

static double percent(guint64 ns, const FcTopSample *sample)
{
    return 100.0 * (double)ns / (double)sample->span_ns;
}

/* Returns a number of events in a second, in seven columns at most.  The caller frees it. */
static char *format_rate(guint64 count, const FcTopSample *sample)
{
    static const char units[] = {'k', 'M', 'G', 'T'};
    double rate = (double)count * 1e9 / (double)sample->span_ns;
    if (rate < 10)
        return g_strdup_printf("%.2f", rate);
    if (rate < 10000)
        return g_strdup_printf("%.0f", rate);
    guint unit = 0;
    for (rate /= 1000; rate >= 1000 && unit + 1 < G_N_ELEMENTS(units); unit++)
        rate /= 1000;
    return g_strdup_printf("%.1f %c", rate, units[unit]);
}

static char *format_age(guint64 ns)
{
    const guint64 seconds = ns / 1000000000;
    return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u:%02u", seconds / 3600,
                           (guint)(seconds / 60 % 60), (guint)(seconds % 60));
}

GPtrArray *fc_top_head(const FcTopSample *sample, const FcTopView *view)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *age = format_age(sample->run_ns);
    g_autofree char *calls = format_rate(sample->calls, sample);
    g_ptr_array_add(lines, g_strdup_printf("%s (%d)  up %s  %u threads  last %.1f s",
                                           sample->program, sample->pid, age, sample->threads->len,
                                           (double)sample->span_ns / 1e9));
    g_ptr_array_add(lines, g_strdup_printf("CPU %.1f%%  waiting %.1f%%  %s calls/s",
                                           percent(sample->cpu_ns, sample),
                                           percent(sample->wait_ns, sample), calls));
    if (sample->has_heap)
    {
        g_autofree char *live = g_format_size_full(sample->live_bytes, G_FORMAT_SIZE_IEC_UNITS);
        g_autofree char *rate = format_rate(sample->allocations, sample);
        g_ptr_array_add(lines,
                        g_strdup_printf("heap %s in %" G_GUINT64_FORMAT " blocks  %s allocations/s",
                                        live, sample->live_blocks, rate));
    }
    g_ptr_array_add(lines, g_strdup(""));
    g_ptr_array_add(lines, g_strdup(view->has_threads
                                        ? "  CPU%   wait%  calls/s  thread             mostly in"
                                        : "  CPU%  total%   wait%  calls/s  function"));
    return lines;
}

/* ---- Rows -------------------------------------------------------------------------------- */

static guint64 value_of(const FcTopRow *row, FcTopOrder order)
{
    switch (order)
    {
    case FC_TOP_BY_CPU:
        return row->cpu_ns;
    case FC_TOP_BY_TOTAL:
        return row->total_ns;
    case FC_TOP_BY_WAIT:
        return row->wait_ns;
    case FC_TOP_BY_CALLS:
        return row->calls;
    }
    return 0;
}

static gint compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcTopView *view = data;
    const FcTopRow *one = *(FcTopRow *const *)a;
    const FcTopRow *other = *(FcTopRow *const *)b;
    const guint64 first = value_of(one, view->order);
    const guint64 second = value_of(other, view->order);
    const gint result = (first < second) - (first > second);
    if (result == 0)
        return strcmp(one->name, other->name);
    return view->is_inverted ? -result : result;
}

static char *format_row(const FcTopSample *sample, const FcTopRow *row, gboolean is_thread)
{
    g_autofree char *calls = format_rate(row->calls, sample);
    if (is_thread)
        return g_strdup_printf("%6.1f  %6.1f  %7s  %-17s  %s", percent(row->cpu_ns, sample),
                               percent(row->wait_ns, sample), calls, row->name,
                               row->detail ? row->detail : "");
    return g_strdup_printf("%6.1f  %6.1f  %6.1f  %7s  %s", percent(row->cpu_ns, sample),
                           percent(row->total_ns, sample), percent(row->wait_ns, sample), calls,
                           row->name);
}

GPtrArray *fc_top_rows(const FcTopSample *sample, const FcTopView *view)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) rows = g_ptr_array_new();
    GArray *all = view->has_threads ? sample->threads : sample->functions;
    for (guint i = 0; i < all->len; i++)
    {
        FcTopRow *row = &g_array_index(all, FcTopRow, i);
        if ((row->calls | row->cpu_ns | row->total_ns | row->wait_ns) != 0 &&
            (!view->filter || strstr(row->name, view->filter)))
            g_ptr_array_add(rows, row);
    }
    FcTopView copy = *view;
    g_ptr_array_sort_with_data(rows, compare_rows, &copy);
    for (guint i = 0; i < rows->len; i++)
        g_ptr_array_add(lines, format_row(sample, rows->pdata[i], view->has_threads));
    return lines;
}
