/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Units and figures of measured times.  See reports.h.
 */
#include "fcgprof/reports.h"

#include <math.h>
#include <string.h>

enum
{
    LEAST_DECIMALS = 2,
    SHOWN_DIGITS = 2,
    FIGURE_BYTES = 400 /* any double with a few decimals */
};

/* Coarsest last. */
static const struct
{
    const char *unit;
    const char *head; /* of a column, eight letters at most */
    double ns;
} units[] = {
    {"nanoseconds", "nanosec", 1},
    {"microseconds", "microsec", 1e3},
    {"milliseconds", "millisec", 1e6},
    {"seconds", "seconds", 1e9},
};

static const double UNIT_LIMIT = 9999.995;   /* fits into seven columns */
static const double CALL_LIMIT = 99999999.5; /* fits into eight, without decimals */
static const double CALL_LEAST = 0.1;        /* shows its two digits with two decimals */

void fc_gmeasured_choose_unit(FcGModel *model, double total_ticks)
{
    guint i = 0;

    while (i + 1 < G_N_ELEMENTS(units) && total_ticks / units[i].ns >= UNIT_LIMIT)
        i++;
    model->measured->unit = units[i].unit;
    model->rate = (long)units[i].ns;
    g_strlcpy(model->dimension, units[i].head, sizeof model->dimension);
    model->abbreviation = 's';
}

/* How the times came about, of which "times are measured" has been said. */
static void print_kind(const FcGModel *model)
{
    const FcGMeasured *measured = model->measured;

    fprintf(model->out, "%s, %s", measured->is_cpu ? " on the CPU" : "",
            measured->is_estimated ? "of short functions at a few of their calls" : "not sampled");
}

void fc_gmeasured_print_flat_granularity(const FcGModel *model)
{
    fputs("\nTimes are measured", model->out);
    print_kind(model);
    fprintf(model->out, ", and in %s.\n", model->measured->unit);
}

void fc_gmeasured_print_granularity(FcGModel *model, double ticks)
{
    const FcGMeasured *measured = model->measured;

    fputs("granularity: times are measured", model->out);
    print_kind(model);
    fprintf(model->out, "%s; ",
            measured->is_split_by_calls ? " (those of arcs: shared out by calls)"
            : measured->has_gaps        ? " (self of some arcs: estimated)"
                                        : "");
    if (ticks > 0.0)
        fprintf(model->out, "%.2f %s in all\n\n", ticks / (double)model->rate,
                model->measured->unit);
    else
        fputs("no time propagated\n\n", model->out);
}

void fc_gmeasured_print_blurb(const FcGModel *model)
{
    fputs(model->measured->is_estimated
              ? "\n"
                " These times were measured for each path of calls, at each call and return but\n"
                " those of short functions: they were counted, and a few, chosen at random, were\n"
                " timed, from which those of all are estimated.  Numbers of calls are exact.\n"
              : "\n"
                " These times were measured at each call and return, for each path of calls;\n"
                " nothing was sampled, and nothing shared out by numbers of calls.\n",
          model->out);
    if (model->measured->is_cpu)
        fputs(" They are times on the CPU: what was waited is in those of --elapsed.\n",
              model->out);
    fputs(" They are in the unit that the report names, also where seconds are spoken of\n"
          " below.\n",
          model->out);
}

char fc_gmeasured_choose_prefix(const FcGModel *model, double most_ticks, double least_ticks,
                                double *scale)
{
    static const char letters[] = {'n', 'u', 'm', ' '};
    guint i = 0;

    while (i + 1 < G_N_ELEMENTS(letters) && most_ticks / units[i].ns >= CALL_LIMIT)
        i++;
    while (i + 1 < G_N_ELEMENTS(letters) && units[i].ns < (double)model->rate &&
           least_ticks / units[i + 1].ns >= CALL_LEAST)
        i++;
    *scale = 1e9 / units[i].ns;
    return letters[i];
}

void fc_gmeasured_print(FILE *out, int width, double value)
{
    char text[FIGURE_BYTES];
    int decimals = LEAST_DECIMALS;

    if (value > 0.0 && value < 1.0)
    {
        /* As many digits behind the zeros, but no wider than the column. */
        int zeros = (int)floor(-log10(value));

        decimals = CLAMP(zeros + SHOWN_DIGITS, LEAST_DECIMALS, width - 2);
    }
    g_snprintf(text, sizeof text, "%.*f", decimals, value);
    /* 0.500 says no more than 0.50. */
    for (gsize end = strlen(text); decimals > LEAST_DECIMALS && text[end - 1] == '0'; decimals--)
        text[--end] = '\0';
    while (decimals > 0 && strlen(text) > (gsize)width)
        g_snprintf(text, sizeof text, "%.*f", --decimals, value);
    fprintf(out, "%*s", width, text);
}

void fc_gmeasured_print_ticks(const FcGModel *model, int width, double ticks)
{
    double value = ticks / (double)model->rate;

    if (model->measured)
        fc_gmeasured_print(model->out, width, value);
    else
        fprintf(model->out, "%*.2f", width, value);
}

void fc_gmeasured_print_short(FILE *out, int width, double ticks)
{
    static const char *const names[] = {"ns", "us", "ms", "s"};
    char text[FIGURE_BYTES];
    guint i = 0;

    if (ticks <= 0.0)
    {
        fprintf(out, "%*s", width, "");
        return;
    }
    while (i + 1 < G_N_ELEMENTS(names) && ticks / units[i].ns >= 999.95)
        i++;
    g_snprintf(text, sizeof text, i == 0 ? "%.0f%s" : "%.1f%s", ticks / units[i].ns, names[i]);
    fprintf(out, "%*s", width, text);
}

FcGArc *fc_gmeasured_outside(FcGModel *model, FcGSym *sym)
{
    if (!sym->outside)
    {
        sym->outside = fc_gmodel_alloc(model, sizeof *sym->outside);
        sym->outside->child = sym;
    }
    return sym->outside;
}

FcGArc fc_gmeasured_sum_outside(const FcGSym *sym)
{
    FcGArc sum = {0};

    for (const FcGSym *member = sym->name ? sym : sym->cycle_next; member;
         member = sym->name ? NULL : member->cycle_next)
    {
        const FcGArc *arc = member->outside;

        if (!arc)
            continue;
        sum.count += arc->count;
        sum.time += arc->time;
        sum.child_time += arc->child_time;
    }
    return sum;
}
