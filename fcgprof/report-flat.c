/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The flat profile (-p).  See reports.h.
 */
#include "fcgprof/reports.h"

#include "fcgprof/gmon-files.h"
#include "fcgprof/symspec.h"
#include <string.h>

typedef struct
{
    char letter;
    double scale;
} Prefix;

static const Prefix prefixes[] = {
    {'T', 1e-12}, {'G', 1e-9}, {'M', 1e-6}, {'K', 1e-3}, {' ', 1},    {'m', 1e3},
    {'u', 1e6},   {'n', 1e9},  {'p', 1e12}, {'f', 1e15}, {'a', 1e18},
};

static const Prefix milli = {'m', 1e3};

static int compare_flat(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;
    int order = FC_GCOMPARE(right->time, left->time);

    if (order == 0)
        order = FC_GCOMPARE(right->ncalls, left->ncalls);
    return order != 0 ? order : strcmp(left->name, right->name);
}

/* Time by call: the most, with what was called, and the least own one that is not nothing; 0 if
 * there is none. */
static void find_extremes(const FcGModel *model, double *most, double *least)
{
    *most = *least = 0.0;
    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        if (sym->ncalls == 0)
            continue;
        double own = sym->time / (double)sym->ncalls;
        *most = MAX(*most, (sym->time + sym->child_time) / (double)sym->ncalls);
        if (own > 0.0 && (*least <= 0.0 || own < *least))
            *least = own;
    }
}

/* The prefix in which the dearest call has one to three digits. */
static Prefix choose_prefix(const FcGModel *model)
{
    Prefix prefix = prefixes[0];
    double most, least;

    find_extremes(model, &most, &least);
    if (model->measured)
        prefix.letter = fc_gmeasured_choose_prefix(model, most, least, &prefix.scale);
    if (model->measured || most <= 0.0)
        return prefix;
    most /= (double)model->rate;
    for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
    {
        double scaled = prefixes[i].scale * most;

        prefix = prefixes[i];
        if (scaled >= 1.0 && scaled < 1000.0)
            break;
    }
    return prefix;
}

static void print_granularity(FcGModel *model)
{
    double rate = (double)model->rate;

    if (model->measured)
        fc_gmeasured_print_flat_granularity(model);
    else if (model->options->traditional)
    {
        fprintf(model->out, "\ngranularity: each sample hit covers %ld byte(s)",
                fc_ghist_sample_bytes(model));
        if (model->total_ticks > 0.0)
            fprintf(model->out, " for %.2f%% of %.2f %s\n\n", 100.0 / model->total_ticks,
                    model->total_ticks / rate, model->dimension);
    }
    else
    {
        fprintf(model->out, "\nEach sample counts as %g %s.\n", 1.0 / rate, model->dimension);
    }
    if (model->total_ticks <= 0.0)
    {
        fputs(" no time accumulated\n\n", model->out);
        model->total_ticks = 1.0; /* all numerators are 0 */
    }
}

static void print_heads(FcGModel *model, char letter)
{
    char unit[] = {letter, model->abbreviation, '/', 'c', 'a', 'l', 'l', 0};

    fprintf(model->out, "%5.5s %10.10s %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "%  ", "cumulative",
            "self  ", "", "self  ", "total ", "");
    fprintf(model->out, "%5.5s %9.9s  %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "time", model->dimension,
            model->dimension, "calls", unit, unit, "name");
}

static void print_name(const FcGModel *model, const FcGSym *sym)
{
    if (model->options->traditional)
        fc_gname_print(model, sym);
    else
        fc_gname_print_plain(model, sym);
    fputc('\n', model->out);
}

/* A column of times by call. */
static void print_by_call(const FcGModel *model, double scale, double ticks, double calls)
{
    if (model->measured)
        fc_gmeasured_print(model->out, 8, scale * FC_GMEASURED_TICK_S * ticks / calls);
    else
        fprintf(model->out, "%8.2f", scale * ticks / (double)model->rate / calls);
}

static void print_row(FcGModel *model, const FcGSym *sym, double scale, double *accumulated)
{
    gboolean traditional = model->options->traditional;
    double percent = model->total_ticks > 0.0 ? 100 * sym->time / model->total_ticks : 0.0;

    if (!model->options->show_zero && sym->ncalls == 0 && sym->time == 0)
        return;
    *accumulated += sym->time;
    fprintf(model->out, traditional ? "%5.1f " : "%6.2f ", percent);
    fc_gmeasured_print_ticks(model, traditional ? 10 : 9, *accumulated);
    fputc(' ', model->out);
    fc_gmeasured_print_ticks(model, 8, sym->time);
    if (sym->ncalls != 0)
    {
        fprintf(model->out, " %8lu ", (gulong)sym->ncalls);
        print_by_call(model, scale, sym->time, (double)sym->ncalls);
        fputc(' ', model->out);
        print_by_call(model, scale, sym->time + sym->child_time, (double)sym->ncalls);
        fputs("  ", model->out);
    }
    else
    {
        fprintf(model->out, " %8s %8s %8s  ", "", "", "");
    }
    print_name(model, sym);
}

void fc_greport_flat(FcGModel *model)
{
    guint n = model->symtab.len;
    g_autofree FcGSym **sorted = g_new(FcGSym *, n + 1);
    gboolean traditional = model->options->traditional;
    double accumulated = 0.0;

    fc_gmodel_begin_report(model);
    if (!traditional)
        fputs("Flat profile:\n", model->out);
    else if (!model->options->brief)
        fprintf(model->out, "\n\n\nflat profile:\n%s", fc_gblurb_flat);
    for (guint i = 0; i < n; i++)
        sorted[i] = &model->symtab.syms[i];
    fc_gsort((void **)sorted, n, compare_flat);
    Prefix prefix = traditional ? milli : choose_prefix(model);
    print_granularity(model);
    print_heads(model, prefix.letter);
    for (guint i = 0; i < n; i++)
    {
        if (fc_gspecs_selects(model->specs, FC_GTABLE_INCL_FLAT, sorted[i]->addr))
            print_row(model, sorted[i], prefix.scale, &accumulated);
    }
    if (model->options->brief || traditional)
        return;
    if (model->measured)
        fc_gmeasured_print_blurb(model);
    fputs(fc_gblurb_flat, model->out);
}
