/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of names behind the call graph.  See reports.h.
 */
#include "fcgprof/reports.h"

#include <string.h>

enum
{
    N_COLUMNS = 3,
    NUMBER_WIDTH = 5
};

static int compare_names(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    return strcmp(left->name, right->name);
}

static GPtrArray *collect(const FcGModel *model, guint *n_names)
{
    GPtrArray *syms = g_ptr_array_new();

    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (model->options->show_zero || sym->ncalls != 0 || sym->time != 0)
            g_ptr_array_add(syms, sym);
    }
    *n_names = syms->len;
    fc_gsort(syms->pdata, syms->len, compare_names);
    for (guint i = 1; i <= model->n_cycles; i++)
        g_ptr_array_add(syms, &model->cycles[i]);
    return syms;
}

static void print_traditional(const FcGModel *model, const FcGSym *sym, const char *number)
{
    char cycle[32];

    g_snprintf(cycle, sizeof cycle, "<cycle %d>", sym->cycle);
    fprintf(model->out, "%6.6s %-19.19s", number, sym->name ? sym->name : cycle);
}

/* Prints a cell that should begin at column `start`; the return value is the column
 * reached as gprof counts it, which leaves out the blanks around the number. */
static int print_cell(const FcGModel *model, const FcGSym *sym, const char *number, int column,
                      int start)
{
    column += (int)strlen(number);
    for (; column < start + NUMBER_WIDTH; column++)
        fputc(' ', model->out);
    fprintf(model->out, " %s ", number);
    if (!sym->name)
        return column + fprintf(model->out, "<cycle %d>", sym->cycle);
    column += fc_gname_print_plain(model, sym);
    if (!model->options->by_line && sym->is_static && sym->file && !sym->label)
        column += fprintf(model->out, " (%s)", fc_gname_file(model, sym->file));
    return column;
}

void fc_greport_index(FcGModel *model)
{
    guint n_names;
    GPtrArray *syms = collect(model, &n_names);
    int width = (model->options->width - 1) / N_COLUMNS;

    guint n_rows = (syms->len + N_COLUMNS - 1) / N_COLUMNS;
    fputs("\f\nIndex by function name\n\n", model->out);
    for (guint i = 0; i < n_rows; i++)
    {
        int column = 0, start = 0;

        for (guint k = i; k < syms->len; k += n_rows)
        {
            const FcGSym *sym = g_ptr_array_index(syms, k);
            char number[16];

            g_snprintf(number, sizeof number, sym->print_flag ? "[%d]" : "(%d)", sym->index);
            if (model->options->traditional)
                print_traditional(model, sym, number);
            else
                column = print_cell(model, sym, number, column, start);
            start += width;
        }
        fputc('\n', model->out);
    }
    g_ptr_array_free(syms, TRUE);
}
