/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Titles, tables, units; see render.h.
 */
#include "fcdump/render.h"

#include <stdarg.h>
#include <string.h>

#define COLUMN_GAP 2
#define NAME_WIDTH_MIN 32   /* if the last column would be narrower, spare columns are left out */
#define DROPPED G_MAXUINT32 /* width of a column that is left out */

struct FcRender
{
    FILE *out;
    gboolean color;
    gboolean utf8;
    gboolean started;
    guint width;
};

FcRender *fc_render_new(FILE *out, gboolean color, guint width, gboolean utf8)
{
    FcRender *render = g_new0(FcRender, 1);
    render->out = out;
    render->color = color;
    render->width = width;
    render->utf8 = utf8;
    return render;
}

void fc_render_free(FcRender *render)
{
    g_free(render);
}

FILE *fc_render_file(FcRender *render)
{
    return render->out;
}

gboolean fc_render_has_started(const FcRender *render)
{
    return render->started;
}

gboolean fc_render_utf8(const FcRender *render)
{
    return render->utf8;
}

static const char *style_start(const FcRender *render, FcStyle style)
{
    static const char *const starts[] = {
        [FC_STYLE_PLAIN] = "",        [FC_STYLE_STRONG] = "\033[1m", [FC_STYLE_DIM] = "\033[2m",
        [FC_STYLE_WARM] = "\033[33m", [FC_STYLE_HOT] = "\033[31m",
    };
    return render->color ? starts[style] : "";
}

static const char *style_end(const FcRender *render, FcStyle style)
{
    return render->color && style != FC_STYLE_PLAIN ? "\033[0m" : "";
}

static void print_line(FcRender *render, FcStyle style, const char *format, va_list arguments)
{
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    fprintf(render->out, "%s%s%s\n", style_start(render, style), text, style_end(render, style));
    render->started = TRUE;
}

void fc_render_title(FcRender *render, const char *format, ...)
{
    va_list arguments;
    if (render->started)
        fputc('\n', render->out);
    va_start(arguments, format);
    print_line(render, FC_STYLE_STRONG, format, arguments);
    va_end(arguments);
}

void fc_render_note(FcRender *render, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(render, FC_STYLE_DIM, format, arguments);
    va_end(arguments);
}

void fc_render_line(FcRender *render, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(render, FC_STYLE_PLAIN, format, arguments);
    va_end(arguments);
}

/* ---- Tables ---------------------------------------------------------------- */

typedef struct
{
    FcStyle style;
    gboolean gap;
    guint first; /* cell */
} Row;

struct FcTable
{
    const FcColumn *columns;
    guint count;
    GArray *rows;     /* Row */
    GPtrArray *cells; /* char *; a row may leave out its last ones */
};

FcTable *fc_table_new(const FcColumn *columns, guint count)
{
    FcTable *table = g_new0(FcTable, 1);
    table->columns = columns;
    table->count = count;
    table->rows = g_array_new(FALSE, TRUE, sizeof(Row));
    table->cells = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void fc_table_free(FcTable *table)
{
    if (!table)
        return;
    g_array_unref(table->rows);
    g_ptr_array_unref(table->cells);
    g_free(table);
}

void fc_table_row(FcTable *table, FcStyle style)
{
    Row row = {.style = style, .first = table->cells->len};
    g_array_append_val(table->rows, row);
}

gboolean fc_table_is_empty(const FcTable *table)
{
    return table->rows->len == 0;
}

void fc_table_gap(FcTable *table)
{
    Row row = {.gap = TRUE, .first = table->cells->len};
    g_array_append_val(table->rows, row);
}

void fc_table_cell(FcTable *table, char *text)
{
    char *clean = text ? fc_format_text(text) : NULL;
    g_free(text);
    g_ptr_array_add(table->cells, clean);
}

/* The cells of row `index`: at most table->count. */
static char **row_cells(const FcTable *table, guint index, guint *count)
{
    guint first = g_array_index(table->rows, Row, index).first;
    guint end = index + 1 < table->rows->len ? g_array_index(table->rows, Row, index + 1).first
                                             : table->cells->len;
    *count = MIN(end - first, table->count);
    return (char **)table->cells->pdata + first;
}

static guint text_width(const char *text)
{
    return text ? (guint)g_utf8_strlen(text, -1) : 0;
}

static gboolean same_group(const FcTable *table, guint a, guint b)
{
    return g_strcmp0(table->columns[a].group, table->columns[b].group) == 0;
}

/* One past the last column of the group that begins at `first`. */
static guint group_end(const FcTable *table, guint first)
{
    guint end = first + 1;
    while (end < table->count && table->columns[first].group && same_group(table, first, end))
        end++;
    return end;
}

static guint span_width(const guint *widths, guint first, guint end)
{
    guint width = (end - first - 1) * COLUMN_GAP;
    for (guint c = first; c < end; c++)
        width += widths[c];
    return width;
}

static void measure(const FcTable *table, guint *widths)
{
    for (guint c = 0; c < table->count; c++)
        widths[c] = text_width(table->columns[c].heading);
    for (guint r = 0; r < table->rows->len; r++)
    {
        guint count;
        char **cells = row_cells(table, r, &count);
        for (guint c = 0; c < count; c++)
            widths[c] = MAX(widths[c], text_width(cells[c]));
    }
    for (guint first = 0, end; first < table->count; first = end)
    {
        end = group_end(table, first);
        guint needed = text_width(table->columns[first].group) + 4;
        guint width = span_width(widths, first, end);
        if (table->columns[first].group && width < needed)
            widths[first] += needed - width;
    }
}

static guint line_width(const FcTable *table, const guint *widths)
{
    guint width = 0;
    for (guint c = 0; c < table->count; c++)
        if (widths[c] != DROPPED)
            width += widths[c] + (c > 0 ? COLUMN_GAP : 0);
    return width;
}

/* Leaves out spare columns until the last one has room. */
static void drop_columns(const FcTable *table, const FcRender *render, guint *widths)
{
    const guint last = widths[table->count - 1];
    const guint more = last - MIN(last, NAME_WIDTH_MIN);
    for (guint rank = 1; rank <= 2; rank++)
    {
        if (render->width == 0 || line_width(table, widths) - more <= render->width)
            return;
        for (guint c = 0; c < table->count; c++)
            if (table->columns[c].spare == rank)
                widths[c] = DROPPED;
    }
}

static void append_pad(GString *line, guint count)
{
    for (guint i = 0; i < count; i++)
        g_string_append_c(line, ' ');
}

static void append_cell(const FcTable *table, GString *line, guint column, const char *text,
                        const guint *widths)
{
    if (widths[column] == DROPPED)
        return;
    guint used = text_width(text);
    guint pad = widths[column] > used ? widths[column] - used : 0;
    if (column > 0)
        append_pad(line, COLUMN_GAP);
    if (!table->columns[column].left)
        append_pad(line, pad);
    g_string_append(line, text ? text : "");
    if (table->columns[column].left)
        append_pad(line, pad);
}

static void strip_end(GString *line)
{
    while (line->len > 0 && line->str[line->len - 1] == ' ')
        g_string_truncate(line, line->len - 1);
}

static void put_line(const FcRender *render, FcStyle style, GString *line, gboolean cut)
{
    strip_end(line);
    if (cut && render->width > 0 && text_width(line->str) > render->width)
    {
        const char *ellipsis = render->utf8 ? "…" : "...";
        guint keep = render->width - MIN(text_width(ellipsis), render->width);
        g_string_truncate(line, (gsize)(g_utf8_offset_to_pointer(line->str, keep) - line->str));
        g_string_append(line, ellipsis);
    }
    fprintf(render->out, "%s%s%s\n", style_start(render, style), line->str,
            style_end(render, style));
}

/* The line of group headings: "---- total ----". */
static void print_groups(const FcTable *table, const FcRender *render, const guint *widths)
{
    g_autoptr(GString) line = g_string_new(NULL);
    gboolean any = FALSE;
    for (guint first = 0, end; first < table->count; first = end)
    {
        end = group_end(table, first);
        if (widths[first] == DROPPED)
            continue;
        const char *group = table->columns[first].group;
        guint width = span_width(widths, first, end);
        if (first > 0)
            append_pad(line, COLUMN_GAP);
        if (!group)
        {
            append_pad(line, width);
            continue;
        }
        any = TRUE;
        guint dashes = width - MIN(width, text_width(group) + 2);
        for (guint i = 0; i < dashes / 2; i++)
            g_string_append_c(line, '-');
        g_string_append_printf(line, " %s ", group);
        for (guint i = dashes / 2; i < dashes; i++)
            g_string_append_c(line, '-');
    }
    if (any)
        put_line(render, FC_STYLE_DIM, line, TRUE);
}

static void print_headings(const FcTable *table, const FcRender *render, const guint *widths)
{
    g_autoptr(GString) line = g_string_new(NULL);
    gboolean any = FALSE;
    print_groups(table, render, widths);
    for (guint c = 0; c < table->count; c++)
    {
        append_cell(table, line, c, table->columns[c].heading, widths);
        any = any || table->columns[c].heading;
    }
    if (any)
        put_line(render, FC_STYLE_DIM, line, TRUE);
}

static void print_dropped(const FcTable *table, FcRender *render, const guint *widths)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint first = 0; first < table->count; first = group_end(table, first))
        if (widths[first] == DROPPED)
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "",
                                   table->columns[first].group);
    if (names->len > 0)
        fc_render_note(render, "For want of width not shown: %s.", names->str);
}

void fc_table_print(const FcTable *table, FcRender *render)
{
    g_autofree guint *widths = g_new0(guint, table->count);
    gboolean cut = table->columns[table->count - 1].heading != NULL;
    measure(table, widths);
    drop_columns(table, render, widths);
    print_headings(table, render, widths);
    for (guint r = 0; r < table->rows->len; r++)
    {
        guint count;
        char **cells = row_cells(table, r, &count);
        g_autoptr(GString) line = g_string_new(NULL);
        for (guint c = 0; c < count; c++)
            append_cell(table, line, c, cells[c], widths);
        put_line(render, g_array_index(table->rows, Row, r).style, line, cut);
    }
    print_dropped(table, render, widths);
    render->started = TRUE;
}

/* ---- Values ---------------------------------------------------------------- */

FcStyle fc_render_heat(guint64 part, guint64 whole)
{
    double share = whole > 0 ? (double)part / (double)whole : 0.0;
    return share >= 0.2 ? FC_STYLE_HOT : share >= 0.05 ? FC_STYLE_WARM : FC_STYLE_PLAIN;
}

/* Four digits in all, of what is shown: 9.9996 is 10.00. */
static int decimals_for(double value)
{
    return value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
}

static FcUnit unit_of_times;

void fc_format_use_unit(FcUnit unit)
{
    unit_of_times = unit;
}

/* In the one unit that was asked for, exact to the nanosecond. */
static char *format_in_unit(guint64 ns)
{
    static const struct
    {
        guint64 ns;
        int digits;
        const char *name;
    } units[] = {[FC_UNIT_READABLE] = {1, 0, "ns"},
                 [FC_UNIT_NS] = {1, 0, "ns"},
                 [FC_UNIT_US] = {1000, 3, "us"},
                 [FC_UNIT_MS] = {1000000, 6, "ms"},
                 [FC_UNIT_S] = {1000000000, 9, "s"}};
    const guint64 whole = ns / units[unit_of_times].ns;
    const guint64 rest = ns % units[unit_of_times].ns;
    if (units[unit_of_times].digits == 0)
        return g_strdup_printf("%" G_GUINT64_FORMAT " ns", whole);
    return g_strdup_printf("%" G_GUINT64_FORMAT ".%0*" G_GUINT64_FORMAT " %s", whole,
                           units[unit_of_times].digits, rest, units[unit_of_times].name);
}

char *fc_format_time(guint64 ns)
{
    static const struct
    {
        double ns;
        const char *name;
    } units[] = {{1e3, "us"}, {1e6, "ms"}, {1e9, "s "}, {3.6e12, "h "}};
    if (unit_of_times != FC_UNIT_READABLE)
        return format_in_unit(ns);
    if (ns < 1000)
        return g_strdup_printf("%" G_GUINT64_FORMAT " ns", ns);
    guint unit = 0;
    double value = (double)ns / units[0].ns;
    /* 999.95 would be rounded to 1000.0; seconds go on to four digits. */
    while (unit + 1 < G_N_ELEMENTS(units) && value >= (unit == 2 ? 9999.5 : 999.95))
        value = (double)ns / units[++unit].ns;
    return g_strdup_printf("%.*f %s", decimals_for(value), value, units[unit].name);
}

char *fc_format_bytes(guint64 bytes)
{
    static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 10000)
        return g_strdup_printf("%" G_GUINT64_FORMAT " B", bytes);
    guint unit = 0;
    double value = (double)bytes / 1024;
    while (unit + 1 < G_N_ELEMENTS(names) && value >= 1023.5)
    {
        value /= 1024;
        unit++;
    }
    return g_strdup_printf("%.*f %s", decimals_for(value), value, names[unit]);
}

char *fc_format_share(guint64 part, guint64 whole)
{
    if (whole == 0)
        return g_strdup("-");
    return g_strdup_printf("%.1f", 100.0 * (double)part / (double)whole);
}

char *fc_format_count(guint64 count)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, count);
}

char *fc_format_text(const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);
    for (char *p = valid; *p != '\0'; p++)
    {
        if ((guchar)*p < 0x20 || *p == 0x7f)
            *p = '?';
        else if ((guchar)p[0] == 0xc2 && (guchar)p[1] < 0xa0) /* U+0080 to U+009F */
            p[0] = p[1] = '?';
    }
    return valid;
}
