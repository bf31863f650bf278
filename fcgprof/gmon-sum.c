/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes gmon.sum, the sum of all profiles that were read.  See gmon-files.h.
 */
#include "fcgprof/gmon-files.h"

#include "gmon/writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_bins(const FcGmonWriter *writer, const FcGHist *hist)
{
    for (guint32 i = 0; i < hist->n_bins; i++)
        fc_gmon_put_uint(writer, hist->bins[i], 2);
}

static void put_hists(const FcGModel *model, const FcGmonWriter *writer)
{
    for (guint i = 0; i < model->n_hists; i++)
    {
        const FcGHist *hist = &model->hists[i];

        FcGmonHist header = {.low = hist->low,
                             .high = hist->high,
                             .n_bins = hist->n_bins,
                             .rate = (guint32)model->rate,
                             .abbreviation = model->abbreviation};

        memcpy(header.dimension, model->dimension, FC_GMON_DIMENSION_BYTES);
        fc_gmon_put_hist(writer, &header);
        put_bins(writer, hist);
    }
}

static void put_arcs(const FcGModel *model, const FcGmonWriter *writer, gboolean is_tagged)
{
    for (guint i = 0; i < model->symtab.len; i++)
    {
        for (const FcGArc *arc = model->symtab.syms[i].children; arc; arc = arc->next_child)
        {
            if (is_tagged)
            {
                fc_gmon_put_arc(writer, arc->parent->addr, arc->child->addr, (guint32)arc->count);
                continue;
            }
            fc_gmon_put_addr(writer, arc->parent->addr);
            fc_gmon_put_addr(writer, arc->child->addr);
            fc_gmon_put_addr(writer, arc->count);
        }
    }
}

static guint count_blocks(const FcGSym *sym)
{
    guint n = 0;

    while (sym->blocks && n < FC_GBLOCKS_MAX && sym->blocks->addr[n])
        n++;
    return n;
}

static void put_blocks(const FcGModel *model, const FcGmonWriter *writer)
{
    guint n = 0;

    for (guint i = 0; i < model->symtab.len; i++)
        n += count_blocks(&model->symtab.syms[i]);
    fc_gmon_put_uint(writer, FC_GMON_TAG_BLOCKS, 1);
    /* In the image's byte order, though it is read in the reading machine's: so does gprof,
     * and neither reads back what it wrote for an image of the other order. */
    fc_gmon_put_uint(writer, n, 4);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        for (guint k = 0; k < count_blocks(sym); k++)
        {
            fc_gmon_put_addr(writer, sym->blocks->addr[k]);
            fc_gmon_put_addr(writer, sym->blocks->count[k]);
        }
    }
}

static void write_tagged(const FcGModel *model, const FcGmonWriter *writer)
{
    fc_gmon_put_header(writer);
    if (model->inputs & FC_GINPUT_HIST)
        put_hists(model, writer);
    if (model->inputs & FC_GINPUT_ARCS)
        put_arcs(model, writer, TRUE);
    if (model->inputs & FC_GINPUT_BLOCKS)
        put_blocks(model, writer);
}

static void write_old(const FcGModel *model, const FcGmonWriter *writer)
{
    static const FcGHist none;
    const FcGHist *hist = model->n_hists ? model->hists : &none;
    gboolean is_bsd44 = model->options->format == FC_GMON_FORMAT_BSD44 || model->rate != 100;
    guint header_bytes = writer->layout.addr_bytes * 2 + 4;

    if (is_bsd44)
        header_bytes += FC_GMON_BSD44_EXTRA_BYTES;
    fc_gmon_put_addr(writer, hist->low);
    fc_gmon_put_addr(writer, hist->high);
    fc_gmon_put_uint(writer, (guint64)hist->n_bins * 2 + header_bytes, 4);
    if (is_bsd44)
    {
        fc_gmon_put_uint(writer, FC_GMON_BSD44_MAGIC, 4);
        fc_gmon_put_uint(writer, (guint64)model->rate, 4);
        fc_gmon_put_spare(writer);
    }
    put_bins(writer, hist);
    put_arcs(model, writer, FALSE);
}

gboolean fc_gmodel_write_gmon(const FcGModel *model, const char *path, const FcGmonLayout *layout,
                              GError **error)
{
    FcGmonWriter writer = {fopen(path, "wb"), *layout};

    if (writer.file)
    {
        if (model->options->format == FC_GMON_FORMAT_AUTO ||
            model->options->format == FC_GMON_FORMAT_MAGIC)
            write_tagged(model, &writer);
        else
            write_old(model, &writer);
        gboolean has_failed = ferror(writer.file) != 0;
        if (fclose(writer.file) == 0 && !has_failed)
            return TRUE;
    }
    g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_OUTPUT, "%s: %s", path, g_strerror(errno));
    return FALSE;
}
