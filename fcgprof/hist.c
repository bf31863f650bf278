/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merges histograms and shares samples out.  See hist.h.  The order in which samples
 * are added up is part of the contract.
 */
#include "fcgprof/hist.h"

#include "fcgprof/object.h"
#include "fcgprof/symspec.h"

#include <math.h>
#include <string.h>

static const double SCALE_TOLERANCE = 0.000001;

glong fc_ghist_sample_bytes(const FcGModel *model)
{
    double bytes = model->scale;

    /* What no integer can hold (bins without a range, or none) comes out as 0, as where
     * an x86 processor converts it. */
    if (!(bytes > -0x1p62 && bytes < 0x1p62))
        return 0;
    return (glong)bytes * FC_GMON_UNIT_BYTES;
}

/* Where bin `i` begins, in units behind the start of the histogram. */
static guint64 bin_offset(const FcGModel *model, double i)
{
    double offset = model->scale * i;

    if (!(offset >= 0.0))
        return (guint64)1 << 63;
    return offset < 0x1p64 ? (guint64)offset : 0;
}

/* Units of code that one bin of such a histogram covers. */
static double scale_of(const FcGmonHist *header)
{
    return (double)((header->high - header->low) / FC_GMON_UNIT_BYTES) / header->n_bins;
}

static gboolean refuse(GError **error, const char *why)
{
    g_set_error_literal(error, FC_GMON_ERROR, FC_GMON_ERROR_PROFILE, why);
    return FALSE;
}

static FcGHist *add_hist(FcGModel *model, const FcGmonHist *header)
{
    model->hists = g_renew(FcGHist, model->hists, model->n_hists + 1);
    FcGHist *hist = &model->hists[model->n_hists++];
    hist->low = header->low;
    hist->high = header->high;
    hist->n_bins = header->n_bins;
    hist->bins = g_new0(guint32, (gsize)header->n_bins + 1);
    return hist;
}

static gboolean check_compatible(const FcGModel *model, const FcGmonHist *header, GError **error)
{
    const char *what = NULL;

    if (strncmp(header->dimension, model->dimension, 15) != 0)
        what = "the dimension differs from that of earlier histograms";
    else if (header->abbreviation != model->abbreviation)
        what = "the dimension's abbreviation differs from that of earlier histograms";
    else if (fabs(scale_of(header) - model->scale) > SCALE_TOLERANCE)
        what = "the scale differs from that of earlier histograms";
    return !what || refuse(error, what);
}

FcGHist *fc_ghist_declare(FcGModel *model, const FcGmonHist *header, GError **error)
{
    FcGHist *hist;

    if (model->n_hists == 0)
    {
        memcpy(model->dimension, header->dimension, 15);
        model->abbreviation = header->abbreviation;
        model->scale = scale_of(header);
        model->rate = header->rate;
    }
    else if (!check_compatible(model, header, error))
    {
        return NULL;
    }
    for (guint i = 0; i < model->n_hists; i++)
    {
        hist = &model->hists[i];
        if (hist->low == header->low && hist->high == header->high)
            return hist;
    }
    for (guint i = 0; i < model->n_hists; i++)
    {
        hist = &model->hists[i];
        if (MAX(hist->low, header->low) < MIN(hist->high, header->high))
        {
            refuse(error, "the histogram overlaps an earlier one");
            return NULL;
        }
    }
    return add_hist(model, header);
}

static gboolean take_old_rate(FcGModel *model, const FcGmonHist *header, GError **error)
{
    const long usual_rate = 100; /* the clock of systems that wrote such files */

    if (header->has_rate && model->rate != 0 && model->rate != (long)header->rate)
        return refuse(error, "its sampling rate is not that of the first file");
    if (model->rate == 0)
        model->rate = header->rate != 0 ? (long)header->rate : usual_rate;
    return TRUE;
}

FcGHist *fc_ghist_declare_old(FcGModel *model, const FcGmonHist *header, GError **error)
{
    const FcGHist *first = model->hists;

    if (!take_old_rate(model, header, error))
        return NULL;
    if (model->n_hists == 0)
    {
        model->scale = scale_of(header);
        return add_hist(model, header);
    }
    if (first->high != 0 && (first->low != header->low || first->high != header->high ||
                             first->n_bins != header->n_bins))
    {
        refuse(error, "its range or size is not that of the first file");
        return NULL;
    }
    return model->hists;
}

const FcGHist *fc_ghist_covering(const FcGModel *model, guint64 addr)
{
    for (guint i = 0; i < model->n_hists; i++)
    {
        if (addr >= model->hists[i].low && addr < model->hists[i].high)
            return &model->hists[i];
    }
    return NULL;
}

/* Where symbol `i` ends, in units: where the next one begins, or the last one's code ends.
 * But the last of the lines gets nothing: gprof's table of lines has unused entries. */
static guint64 end_of(const FcGModel *model, guint i)
{
    const FcGSymtab *symtab = &model->symtab;

    if (i + 1 < symtab->len)
        return symtab->starts[i + 1] / FC_GMON_UNIT_BYTES;
    if (!model->object || model->options->by_line)
        return 0;
    return fc_gobject_image(model->object)->text_end / FC_GMON_UNIT_BYTES;
}

/* Gives the samples of one bin, which covers units [low, high), to the symbols there.
 * `first` is the symbol to begin with; returns the one to begin the next bin with. */
static guint assign_bin(FcGModel *model, double ticks, guint64 low, guint64 high, guint first)
{
    const FcGSymtab *symtab = &model->symtab;
    guint i;

    for (i = first; i < symtab->len; i++)
    {
        guint64 sym_low = symtab->starts[i] / FC_GMON_UNIT_BYTES;
        guint64 sym_high = end_of(model, i);

        if (high < sym_low)
            break;
        if (low >= sym_high)
            continue;
        gint64 overlap = (gint64)(MIN(high, sym_high) - MAX(low, sym_low));
        if (overlap <= 0)
            continue;
        double credit = (double)overlap * ticks / model->scale;
        if (fc_gspecs_selects(model->specs, FC_GTABLE_INCL_FLAT, FC_GTABLE_EXCL_FLAT,
                              symtab->starts[i]))
            symtab->syms[i].time += credit;
        else
            model->total_ticks -= credit;
    }
    return i > 0 ? i - 1 : 0;
}

void fc_ghist_assign(FcGModel *model)
{
    for (guint k = 0; k < model->n_hists; k++)
    {
        const FcGHist *hist = &model->hists[k];
        guint64 low_unit = hist->low / FC_GMON_UNIT_BYTES;
        guint sym = 0;

        for (guint32 i = 0; i < hist->n_bins; i++)
        {
            double ticks = hist->bins[i];

            if (hist->bins[i] == 0)
                continue;
            model->total_ticks += ticks;
            sym = assign_bin(model, ticks, low_unit + bin_offset(model, i),
                             low_unit + bin_offset(model, (double)i + 1), sym);
        }
    }
}
