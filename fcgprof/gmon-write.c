/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes gmon.sum, the sum of all profiles that were read.  See gmon-read.h.
 */
#include "fcgprof/gmon-read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
    FILE *file;
    FcGmonLayout layout;
} Output;

static void put_uint(Output *output, guint64 value, guint n_bytes)
{
    guint8 bytes[8];

    for (guint i = 0; i < n_bytes; i++)
    {
        guint at = output->layout.is_big_endian ? n_bytes - 1 - i : i;

        bytes[at] = (guint8)(value >> (8 * i));
    }
    fwrite(bytes, 1, n_bytes, output->file);
}

static void put_addr(Output *output, guint64 value)
{
    put_uint(output, value, output->layout.addr_bytes);
}

static void put_spare(Output *output)
{
    static const char zeros[12];

    fwrite(zeros, 1, sizeof zeros, output->file);
}

static void put_bins(Output *output, const FcGHist *hist)
{
    for (guint32 i = 0; i < hist->n_bins; i++)
        put_uint(output, hist->bins[i], 2);
}

static void put_hists(FcGModel *model, Output *output)
{
    for (guint i = 0; i < model->n_hists; i++)
    {
        const FcGHist *hist = &model->hists[i];

        put_uint(output, FC_GMON_TAG_HIST, 1);
        put_addr(output, hist->low);
        put_addr(output, hist->high);
        put_uint(output, hist->n_bins, 4);
        put_uint(output, (guint64)model->rate, 4);
        fwrite(model->dimension, 1, 15, output->file);
        fputc(model->abbreviation, output->file);
        put_bins(output, hist);
    }
}

static void put_arcs(FcGModel *model, Output *output, gboolean is_tagged)
{
    for (guint i = 0; i < model->symtab.len; i++)
    {
        for (const FcGArc *arc = model->symtab.syms[i].children; arc; arc = arc->next_child)
        {
            if (is_tagged)
                put_uint(output, FC_GMON_TAG_ARC, 1);
            put_addr(output, arc->parent->addr);
            put_addr(output, arc->child->addr);
            put_uint(output, arc->count, is_tagged ? 4 : output->layout.addr_bytes);
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

static void put_blocks(FcGModel *model, Output *output)
{
    guint n = 0;

    for (guint i = 0; i < model->symtab.len; i++)
        n += count_blocks(&model->symtab.syms[i]);
    put_uint(output, FC_GMON_TAG_BLOCKS, 1);
    /* In the image's byte order, though it is read in the reading machine's: so does gprof,
     * and neither reads back what it wrote for an image of the other order. */
    put_uint(output, n, 4);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        for (guint k = 0; k < count_blocks(sym); k++)
        {
            put_addr(output, sym->blocks->addr[k]);
            put_addr(output, sym->blocks->count[k]);
        }
    }
}

static void write_tagged(FcGModel *model, Output *output)
{
    fputs("gmon", output->file);
    put_uint(output, FC_GMON_VERSION, 4);
    put_spare(output);
    if (model->inputs & FC_GINPUT_HIST)
        put_hists(model, output);
    if (model->inputs & FC_GINPUT_ARCS)
        put_arcs(model, output, TRUE);
    if (model->inputs & FC_GINPUT_BLOCKS)
        put_blocks(model, output);
}

static void write_old(FcGModel *model, Output *output)
{
    static const FcGHist none;
    const FcGHist *hist = model->n_hists ? model->hists : &none;
    gboolean is_bsd44 = model->options->format == FC_GFORMAT_BSD44 || model->rate != 100;
    guint header_bytes = output->layout.addr_bytes * 2 + 4;

    if (is_bsd44)
        header_bytes += FC_GMON_BSD44_EXTRA_BYTES;
    put_addr(output, hist->low);
    put_addr(output, hist->high);
    put_uint(output, (guint64)hist->n_bins * 2 + header_bytes, 4);
    if (is_bsd44)
    {
        put_uint(output, FC_GMON_BSD44_MAGIC, 4);
        put_uint(output, (guint64)model->rate, 4);
        put_spare(output);
    }
    put_bins(output, hist);
    put_arcs(model, output, FALSE);
}

gboolean fc_gmon_write(FcGModel *model, const char *path, const FcGmonLayout *layout,
                       GError **error)
{
    Output output = {fopen(path, "wb"), *layout};
    gboolean has_failed;

    if (output.file)
    {
        if (model->options->format == FC_GFORMAT_AUTO || model->options->format == FC_GFORMAT_MAGIC)
            write_tagged(model, &output);
        else
            write_old(model, &output);
        has_failed = ferror(output.file) != 0;
        if (fclose(output.file) == 0 && !has_failed)
            return TRUE;
    }
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_OUTPUT, "%s: %s", path, g_strerror(errno));
    return FALSE;
}
