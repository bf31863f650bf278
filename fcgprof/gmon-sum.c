/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes gmon.sum, the sum of all profiles that were read.  See gmon-files.h.
 */
#include "fcgprof/gmon-files.h"

#include <errno.h>
#include <stdio.h>

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

static void put_blocks(const FcGModel *model, const FcGmonWriter *writer)
{
    guint n = 0;

    for (guint i = 0; i < model->symtab.len; i++)
    {
        for (const FcGBlock *block = model->symtab.syms[i].blocks; block; block = block->next)
            n++;
    }
    fc_gmon_put_uint(writer, FC_GMON_TAG_BLOCKS, 1);
    /* In the image's byte order, though it is read in the reading machine's: so does gprof,
     * and neither reads back what it wrote for an image of the other order. */
    fc_gmon_put_uint(writer, n, 4);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        for (const FcGBlock *block = model->symtab.syms[i].blocks; block; block = block->next)
        {
            fc_gmon_put_addr(writer, block->addr);
            fc_gmon_put_addr(writer, block->count);
        }
    }
}

static void write_tagged(const FcGModel *model, const FcGmonWriter *writer)
{
    fc_gmon_put_header(writer);
    for (guint i = 0; (model->inputs & FC_GINPUT_HIST) && i < model->n_hists; i++)
    {
        FcGmonHist hist = model->hists[i];

        hist.rate = (guint32)model->rate; /* of all that were read */
        fc_gmon_put_hist(writer, &hist);
    }
    if (model->inputs & FC_GINPUT_ARCS)
        put_arcs(model, writer, TRUE);
    if (model->inputs & FC_GINPUT_BLOCKS)
        put_blocks(model, writer);
}

static void write_old(const FcGModel *model, const FcGmonWriter *writer)
{
    static const FcGmonHist none;
    const FcGmonHist *hist = model->n_hists ? model->hists : &none;
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
    fc_gmon_put_bins(writer, hist);
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
