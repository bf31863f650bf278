/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merges histograms and shares samples out.  See gmon-files.h.  The order in which samples
 * are added up is part of the contract.
 */
#include "fcgprof/gmon-files.h"

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

static FcGmonHist *refuse(GError **error, const char *why)
{
    g_set_error_literal(error, FC_GMON_ERROR, FC_GMON_ERROR_PROFILE, why);
    return NULL;
}

/* In the sum it has the first one's dimension. */
static FcGmonHist *add_hist(FcGModel *model, const FcGmonHist *header)
{
    if (model->n_hists == 0)
        model->scale = scale_of(header);
    model->hists = g_renew(FcGmonHist, model->hists, model->n_hists + 1);
    FcGmonHist *hist = &model->hists[model->n_hists++];
    *hist = *header;
    memcpy(hist->dimension, model->dimension, FC_GMON_DIMENSION_BYTES);
    hist->abbreviation = model->abbreviation;
    hist->bins = g_new0(guint32, (gsize)header->n_bins + 1);
    return hist;
}

/* How a histogram differs from those before, or NULL. */
static const char *find_difference(const FcGModel *model, const FcGmonHist *header)
{
    if (strncmp(header->dimension, model->dimension, FC_GMON_DIMENSION_BYTES) != 0)
        return "the dimension differs from that of earlier histograms";
    if (header->abbreviation != model->abbreviation)
        return "the dimension's abbreviation differs from that of earlier histograms";
    if (fabs(scale_of(header) - model->scale) > SCALE_TOLERANCE)
        return "the scale differs from that of earlier histograms";
    return NULL;
}

static FcGmonHist *declare_old(FcGModel *model, const FcGmonHist *header, GError **error)
{
    const long usual_rate = 100; /* the clock of systems that wrote such files */
    const FcGmonHist *first = model->hists;

    if (header->has_rate && model->rate != 0 && model->rate != (long)header->rate)
        return refuse(error, "its sampling rate is not that of the first file");
    if (model->rate == 0)
        model->rate = header->rate != 0 ? (long)header->rate : usual_rate;
    if (model->n_hists == 0)
        return add_hist(model, header);
    if (first->high != 0 && (first->low != header->low || first->high != header->high ||
                             first->n_bins != header->n_bins))
        return refuse(error, "its range or size is not that of the first file");
    return model->hists;
}

FcGmonHist *fc_ghist_declare(FcGModel *model, const FcGmonHist *header, gboolean is_old,
                             GError **error)
{
    const char *difference = NULL;

    if (is_old)
        return declare_old(model, header, error);
    if (model->n_hists > 0)
        difference = find_difference(model, header);
    if (difference)
        return refuse(error, difference);
    if (model->n_hists == 0)
    {
        memcpy(model->dimension, header->dimension, FC_GMON_DIMENSION_BYTES);
        model->abbreviation = header->abbreviation;
        model->rate = header->rate;
    }
    for (guint i = 0; i < model->n_hists; i++)
    {
        if (model->hists[i].low == header->low && model->hists[i].high == header->high)
            return &model->hists[i];
    }
    for (guint i = 0; i < model->n_hists; i++)
    {
        if (MAX(model->hists[i].low, header->low) < MIN(model->hists[i].high, header->high))
            return refuse(error, "the histogram overlaps an earlier one");
    }
    return add_hist(model, header);
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
        if (fc_gspecs_selects(model->specs, FC_GTABLE_INCL_FLAT, symtab->starts[i]))
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
        const FcGmonHist *hist = &model->hists[k];
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
