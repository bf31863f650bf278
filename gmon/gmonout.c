/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bytes of a gmon.out file; see gmonout.h.  Times are made in gmonout-times.c.
 */
#include "gmon/gmonout.h"

enum
{
    ADDR_BYTES_MAX = 8,
};

static void clear_hist(gpointer data)
{
    FcGmonHist *hist = data;

    g_free(hist->bins);
}

FcGmonOut *fc_gmonout_new(void)
{
    FcGmonOut *out = g_new0(FcGmonOut, 1);

    out->rate = 1;
    out->hists = g_array_new(FALSE, TRUE, sizeof(FcGmonHist));
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

typedef struct
{
    const FcGmonLayout *layout;
    FILE *file;
} Output;

static void put_uint(const Output *output, guint64 value, guint n_bytes)
{
    guint8 bytes[ADDR_BYTES_MAX];

    for (guint i = 0; i < n_bytes; i++)
        bytes[output->layout->is_big_endian ? n_bytes - 1 - i : i] = (guint8)(value >> (8 * i));
    fwrite(bytes, 1, n_bytes, output->file);
}

static void put_addr(const Output *output, guint64 value)
{
    put_uint(output, value, output->layout->addr_bytes);
}

static void put_hist(const Output *output, const FcGmonHist *hist, guint32 rate)
{
    static const char dimension[15] = "seconds";

    put_uint(output, FC_GMON_TAG_HIST, 1);
    put_addr(output, hist->low);
    put_addr(output, hist->low + (guint64)hist->n_bins * FC_GMON_UNIT_BYTES);
    put_uint(output, hist->n_bins, 4);
    put_uint(output, rate, 4);
    fwrite(dimension, 1, sizeof dimension, output->file);
    put_uint(output, 's', 1);
    for (guint32 i = 0; i < hist->n_bins; i++)
        put_uint(output, hist->bins[i], 2);
}

static void put_arc(const Output *output, const FcGmonArc *arc)
{
    guint64 left = arc->calls;

    for (guint64 n = count_records(arc->calls); n > 0; n--)
    {
        guint32 calls = (guint32)MIN(left, G_MAXUINT32);

        put_uint(output, FC_GMON_TAG_ARC, 1);
        put_addr(output, arc->from);
        put_addr(output, arc->self);
        put_uint(output, calls, 4);
        left -= calls;
    }
}

gboolean fc_gmonout_write(const FcGmonOut *out, const FcGmonLayout *layout, FILE *file)
{
    Output output = {layout, file};

    fputs("gmon", file);
    put_uint(&output, FC_GMON_VERSION, 4);
    for (guint i = 8; i < FC_GMON_HEADER_BYTES; i++)
        put_uint(&output, 0, 1);
    for (guint i = 0; i < out->hists->len && !ferror(file); i++)
        put_hist(&output, &g_array_index(out->hists, FcGmonHist, i), out->rate);
    for (guint i = 0; i < out->arcs->len && !ferror(file); i++)
        put_arc(&output, &g_array_index(out->arcs, FcGmonArc, i));
    return fflush(file) == 0 && !ferror(file);
}
