/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a gmon.out file is to hold, and its way into a stream; see gmonout.h.  Times are made in
 * gmonout-times.c.
 */
#include "gmon/gmonout.h"

#include "gmon/writer.h"

static void clear_hist(gpointer data)
{
    FcGmonOutHist *hist = data;

    g_free(hist->bins);
}

FcGmonOut *fc_gmonout_new(void)
{
    FcGmonOut *out = g_new0(FcGmonOut, 1);

    out->rate = 1;
    out->hists = g_array_new(FALSE, TRUE, sizeof(FcGmonOutHist));
    g_array_set_clear_func(out->hists, clear_hist);
    out->arcs = g_array_new(FALSE, TRUE, sizeof(FcGmonArc));
    return out;
}

void fc_gmonout_free(FcGmonOut *out)
{
    if (!out)
        return;
    g_array_unref(out->hists);
    g_array_unref(out->arcs);
    g_free(out);
}

void fc_gmonout_add_arc(FcGmonOut *out, guint64 from, guint64 self, guint64 calls)
{
    FcGmonArc arc = {.from = from, .self = self, .calls = calls};

    g_array_append_val(out->arcs, arc);
}

/* An arc without calls is an arc as well. */
static guint64 count_records(guint64 calls)
{
    return calls == 0 ? 1 : calls / G_MAXUINT32 + (calls % G_MAXUINT32 != 0);
}

guint64 fc_gmonout_count_arc_records(const FcGmonOut *out)
{
    guint64 n = 0;

    for (guint i = 0; i < out->arcs->len; i++)
        n += count_records(g_array_index(out->arcs, FcGmonArc, i).calls);
    return n;
}

/* ---- Bytes -------------------------------------------------------------------- */

static void put_hist(const FcGmonWriter *writer, const FcGmonOutHist *hist, guint32 rate)
{
    FcGmonHist header = {.low = hist->low,
                         .high = hist->low + (guint64)hist->n_bins * FC_GMON_UNIT_BYTES,
                         .n_bins = hist->n_bins,
                         .rate = rate,
                         .dimension = "seconds",
                         .abbreviation = 's'};

    fc_gmon_put_hist(writer, &header);
    for (guint32 i = 0; i < hist->n_bins; i++)
        fc_gmon_put_uint(writer, hist->bins[i], 2);
}

static void put_arc(const FcGmonWriter *writer, const FcGmonArc *arc)
{
    guint64 left = arc->calls;

    for (guint64 n = count_records(arc->calls); n > 0; n--)
    {
        guint32 calls = (guint32)MIN(left, G_MAXUINT32);

        fc_gmon_put_arc(writer, arc->from, arc->self, calls);
        left -= calls;
    }
}

gboolean fc_gmonout_write(const FcGmonOut *out, const FcGmonLayout *layout, FILE *file)
{
    FcGmonWriter writer = {file, *layout};

    fc_gmon_put_header(&writer);
    for (guint i = 0; i < out->hists->len && !ferror(file); i++)
        put_hist(&writer, &g_array_index(out->hists, FcGmonOutHist, i), out->rate);
    for (guint i = 0; i < out->arcs->len && !ferror(file); i++)
        put_arc(&writer, &g_array_index(out->arcs, FcGmonArc, i));
    return fflush(file) == 0 && !ferror(file);
}
