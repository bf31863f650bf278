/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What render.c and csv.c share, which print the same tables for people and for programs.
 * Nobody else includes it.
 */
#pragma once

/* Belongs together with render.h: both are of the one module, whose structures csv.c needs, too */
#include "fcdump/render.h"
#include "fcdump/short-names.h"

struct FcRender
{
    FILE *out;
    gboolean color;
    gboolean utf8;
    gboolean started;
    guint width;
    FcShortNames *names; /* that did not fit */
};

typedef struct
{
    FcStyle style;
    gboolean gap;
    gboolean remark; /* for people only */
    guint first;     /* index of its first cell */
} FcTableRow;

struct FcTable
{
    const FcColumn *columns;
    guint count;
    GArray *rows;     /* FcTableRow */
    GPtrArray *cells; /* char *; a row may leave out its last ones */
    guint64 hidden;   /* bit n: column n is for --csv only */
};

/* The cells of row `index`: at most table->count. */
char **fc_table_cells(const FcTable *table, guint index, guint *count);

/* csv.c: the table as RFC 4180 has it. */
void fc_table_print_csv(const FcTable *table, FcRender *render);
