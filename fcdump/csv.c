/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table for other programs, as RFC 4180 has it: a line of headings with the units, lines that end
 * with CR LF, quotes where they are needed.  Called by render.c.
 */
#include "fcdump/render-parts.h"

#include <string.h>

/* Spreadsheets evaluate text that begins like this.  A quote before it keeps it text. */
static gboolean is_formula(const char *text)
{
    return *text != '\0' && strchr("=+-@\t\r", *text);
}

static void put_csv_field(FILE *out, const char *text)
{
    if (!strpbrk(text, "\",\r\n"))
    {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *p = text; *p != '\0'; p++)
    {
        if (*p == '"')
            fputc('"', out);
        fputc(*p, out);
    }
    fputc('"', out);
}

/* The unit for a heading.  A time is named with the clock that was chosen. */
static const char *csv_unit(const char *unit)
{
    static const char *const times[] = {[FC_CLOCK_NONE] = "ns",
                                        [FC_CLOCK_CPU] = "CPU ns",
                                        [FC_CLOCK_WAIT] = "off-CPU ns",
                                        [FC_CLOCK_ELAPSED] = "elapsed ns"};
    const gboolean of_call = strcmp(unit, FC_UNIT_OF_CALL) == 0;
    const FcClock clock = fc_format_clock();
    if (!of_call && strcmp(unit, "ns") != 0)
        return unit;
    return times[of_call && clock == FC_CLOCK_WAIT ? FC_CLOCK_ELAPSED : clock];
}

/* "total time (CPU ns)" */
static char *csv_heading(const FcColumn *column)
{
    const char *heading = column->heading ? column->heading : "";
    g_autofree char *name = column->csv     ? g_strdup(column->csv)
                            : column->group ? g_strdup_printf("%s %s", column->group, heading)
                                            : g_strdup(heading);
    return column->unit ? g_strdup_printf("%s (%s)", name, csv_unit(column->unit))
                        : g_steal_pointer(&name);
}

static gboolean is_for_csv(const FcColumn *column)
{
    return column->reader != FC_READER_PERSON;
}

/* The cell for programs: empty where people get "-" for an unknown number. */
static const char *csv_value(const FcColumn *column, const char *text)
{
    return !text || (!column->left && strcmp(text, "-") == 0) ? "" : text;
}

void fc_table_print_csv(const FcTable *table, FcRender *render)
{
    const char *comma = "";
    for (guint c = 0; c < table->count; c++)
    {
        if (!is_for_csv(&table->columns[c]))
            continue;
        g_autofree char *heading = csv_heading(&table->columns[c]);
        fputs(comma, render->out);
        put_csv_field(render->out, heading);
        comma = ",";
    }
    fputs("\r\n", render->out);
    for (guint r = 0; r < table->rows->len; r++)
    {
        const FcTableRow *row = &g_array_index(table->rows, FcTableRow, r);
        guint count;
        char **cells = fc_table_cells(table, r, &count);
        if (row->gap || row->remark)
            continue;
        comma = "";
        for (guint c = 0; c < table->count; c++)
        {
            if (!is_for_csv(&table->columns[c]))
                continue;
            fputs(comma, render->out);
            const char *value = csv_value(&table->columns[c], c < count ? cells[c] : NULL);
            g_autofree char *quoted =
                table->columns[c].left && is_formula(value) ? g_strconcat("'", value, NULL) : NULL;
            put_csv_field(render->out, quoted ? quoted : value);
            comma = ",";
        }
        fputs("\r\n", render->out);
    }
    render->started = TRUE;
}
