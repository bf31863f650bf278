/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes what gmon.out files hold into the model.  See gmon-files.h.
 */
#include "fcgprof/gmon-files.h"

#include "fcgprof/graph.h"
#include "fcgprof/hist.h"
#include <stdio.h>

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
    if (!sym)
        return;
    if (!sym->blocks)
        sym->blocks = fc_gmodel_alloc(model, sizeof *sym->blocks);
    for (guint i = 0; i < FC_GBLOCKS_MAX; i++)
    {
        if (sym->blocks->addr[i] != 0 && sym->blocks->addr[i] != addr)
            continue;
        sym->blocks->addr[i] = addr;
        sym->blocks->count[i] += count;
        return;
    }
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
