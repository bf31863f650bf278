/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What gmon.out files hold goes into the model, and from there into gmon.sum.  See gmon-files.h.
 */
#include "fcgprof/gmon-files.h"

#include "fcgprof/graph.h"
#include "fcgprof/hist.h"
#include "gmon/gmon.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- In ------------------------------------------------------------------------------ */

static gboolean take_hist(const FcGmonHist *hist, gboolean is_old, FcGmonBins *bins, gpointer data,
                          GError **error)
{
    FcGModel *model = data;
    const FcGHist *own =
        is_old ? fc_ghist_declare_old(model, hist, error) : fc_ghist_declare(model, hist, error);

    if (!own)
        return FALSE;
    bins->bins = own->bins;
    bins->n = is_old ? MIN(own->n_bins, hist->n_bins) : own->n_bins;
    return TRUE;
}

static void take_arc(guint64 from, guint64 self, guint64 count, gpointer data)
{
    fc_ggraph_record(data, from, self, count);
}

static void take_block(guint64 addr, guint64 count, gpointer data)
{
    FcGModel *model = data;

    /* Counts of blocks mean something only for lines. */
    if (!model->options->by_line)
    {
        model->has_warned_blocks = TRUE;
        return;
    }
    FcGSym *sym = fc_gsymtab_find(&model->symtab, addr);
    if (sym)
        fc_gsym_add_block(model, sym, addr, count, FC_GBLOCKS_MAX);
}

static unsigned inputs_of(const FcGmonContents *contents)
{
    return (contents->n_hists > 0 ? FC_GINPUT_HIST : 0) |
           (contents->n_arcs > 0 ? FC_GINPUT_ARCS : 0) |
           (contents->n_blocks > 0 ? FC_GINPUT_BLOCKS : 0);
}

gboolean fc_gmodel_add_gmon(FcGModel *model, const guint8 *bytes, gsize n_bytes,
                            const FcGmonLayout *layout, FcGmonContents *contents, GError **error)
{
    static const FcGmonVisitor visitor = {take_hist, take_arc, take_block};

    if (!fc_gmon_parse(bytes, n_bytes, layout, model->options->format, &visitor, model, contents,
                       error))
        return FALSE;
    if (contents->is_old)
    {
        model->inputs = FC_GINPUT_HIST | FC_GINPUT_ARCS;
        return TRUE;
    }
    model->inputs |= inputs_of(contents);
    model->file_version = (int)contents->version;
    return TRUE;
}

static void print_count(FILE *out, guint n, const char *what)
{
    fprintf(out, "\t%d %s%s\n", (int)n, what, n == 1 ? "" : "s");
}

gboolean fc_gmodel_read_gmon(FcGModel *model, const char *path, const FcGmonLayout *layout,
                             GError **error)
{
    g_autoptr(GBytes) bytes = fc_gmon_load(path, layout, model->options->format, error);
    FcGmonContents contents;
    gsize n_bytes;

    if (!bytes)
        return FALSE;
    const guint8 *start = g_bytes_get_data(bytes, &n_bytes);
    if (!fc_gmodel_add_gmon(model, start, n_bytes, layout, &contents, error))
        return FALSE;
    if (!(model->options->styles & FC_GSTYLE_INFO))
        return TRUE;
    fprintf(model->out, "File `%s' (version %d) contains:\n", path, model->file_version);
    print_count(model->out, contents.n_hists, "histogram record");
    print_count(model->out, contents.n_arcs, "call-graph record");
    print_count(model->out, contents.n_blocks, "basic-block count record");
    model->has_output = TRUE;
    return TRUE;
}

/* ---- Out ----------------------------------------------------------------------------- */

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
