/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Titles, tables, units; see render.h.
 */
#include "fcdump/render.h"

#include "fcdump/render-parts.h"
#include "profile/plain.h"

#include <stdarg.h>
#include <string.h>

#define COLUMN_GAP 2
#define NAME_WIDTH_MIN 32   /* if the last column would be narrower, ranks 1 and 2 are dropped */
#define NAME_LEAST_PART 4   /* if it would have less than this part of a line, so are others, */
#define NAME_WIDTH_LEAST 20 /* but it needs no more than this, */
#define NAME_WIDTH_SMALL 8  /* and no less than this */
#define NAME_WIDTH_TREE 16  /* if a tree leaves less for names, its levels are narrowed */
#define KEY_WIDTH_MAX 16    /* "Hot path   ..." */
#define DROPPED G_MAXUINT32 /* width of a column that is left out */

FcRender *fc_render_new(FILE *out, gboolean color, guint width, gboolean utf8)
{
    FcRender *render = g_new0(FcRender, 1);
    render->out = out;
    render->color = color;
    render->width = width;
    render->utf8 = utf8;
    render->names = fc_short_names_new(utf8 ? "…" : "...");
    return render;
}

void fc_render_free(FcRender *render)
{
    if (!render)
        return;
    fc_short_names_free(render->names);
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

guint fc_render_width(const FcRender *render)
{
    return render->width;
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

/* ---- Lines ------------------------------------------------------------------ */

/* The indent of continuation lines: behind the first words, if these form a column of their own. */
static guint hanging_indent(const char *text)
{
    const char *gap = strstr(text, "  ");
    if (!gap || gap == text)
        return (guint)strspn(text, " ");
    const guint end = (guint)(gap - text) + (guint)strspn(gap, " ");
    return end <= KEY_WIDTH_MAX ? end : 0;
}

/* The end of the part that must stay on one line: a word, or quoted text, which people copy. */
static const char *part_end(const char *part)
{
    const char *p = part + strspn(part, " ");
    for (gboolean quoted = FALSE; *p != '\0' && (quoted || *p != ' '); p++)
        if (*p == '\'' && (quoted || p[-1] == ' ' || p[-1] == '='))
            quoted = !quoted;
    return p;
}

/* `text`, wrapped to the width.  The indent is smaller if it would leave little room; a part longer
 * than a line stays whole.  The caller owns the result. */
static char *wrap(const FcRender *render, const char *text)
{
    if (render->width == 0)
        return g_strdup(text);
    guint indent = hanging_indent(text);
    if (render->width <= indent + NAME_WIDTH_MIN / 2)
        indent = MIN(indent, render->width / 4);
    const guint blanks = (guint)strspn(text, " ");
    GString *lines = g_string_new(NULL);
    guint column = 0;
    const char *end = text;
    text += blanks - MIN(blanks, indent);
    for (const char *part = text; *part != '\0'; part = end)
    {
        end = part_end(part);
        guint width = (guint)g_utf8_pointer_to_offset(part, end);
        if (column > indent && column + width > render->width)
        {
            part += strspn(part, " ");
            width = (guint)g_utf8_pointer_to_offset(part, end);
            g_string_append_printf(lines, "\n%*s", (int)indent, "");
            column = indent;
        }
        g_string_append_len(lines, part, end - part);
        column += width;
    }
    return g_string_free(lines, FALSE);
}

static void print_line(FcRender *render, FcStyle style, const char *format, va_list arguments)
{
    if (fc_format_is_csv())
        return;
    g_autofree char *raw = g_strdup_vprintf(format, arguments);
    const gsize breaks = strspn(raw, "\n"); /* that the format begins with */
    g_autofree char *plain = fc_plain_text(raw + breaks);
    g_autofree char *text = g_strdup_printf("%.*s%s", (int)breaks, raw, plain);
    g_autofree char *lines = wrap(render, text);
    fprintf(render->out, "%s%s%s\n", style_start(render, style), lines, style_end(render, style));
    render->started = TRUE;
}

void fc_render_title(FcRender *render, const char *format, ...)
{
    va_list arguments;
    if (render->started && !fc_format_is_csv())
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

void fc_table_hide(FcTable *table, guint column)
{
    table->hidden |= G_GUINT64_CONSTANT(1) << column;
}

static gboolean is_hidden(const FcTable *table, guint column)
{
    return (table->hidden >> column & 1) != 0;
}

FcTable *fc_table_new(const FcColumn *columns, guint count)
{
    FcTable *table = g_new0(FcTable, 1);
    table->columns = columns;
    table->count = count;
    table->rows = g_array_new(FALSE, TRUE, sizeof(FcTableRow));
    table->cells = g_ptr_array_new_with_free_func(g_free);
    for (guint c = 0; c < count; c++)
        if (columns[c].reader == FC_READER_PROGRAM)
            fc_table_hide(table, c);
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
    FcTableRow row = {.style = style, .first = table->cells->len};
    g_array_append_val(table->rows, row);
}

void fc_table_remark(FcTable *table, FcStyle style)
{
    fc_table_row(table, style);
    g_array_index(table->rows, FcTableRow, table->rows->len - 1).remark = TRUE;
}

gboolean fc_table_is_empty(const FcTable *table)
{
    return table->rows->len == 0;
}

void fc_table_gap(FcTable *table)
{
    FcTableRow row = {.gap = TRUE, .first = table->cells->len};
    g_array_append_val(table->rows, row);
}

void fc_table_cell(FcTable *table, char *text)
{
    char *clean = text ? fc_format_text(text) : NULL;
    g_free(text);
    g_ptr_array_add(table->cells, clean);
}

char **fc_table_cells(const FcTable *table, guint index, guint *count)
{
    guint first = g_array_index(table->rows, FcTableRow, index).first;
    guint end = index + 1 < table->rows->len
                    ? g_array_index(table->rows, FcTableRow, index + 1).first
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
    guint width = 0;
    for (guint c = first; c < end; c++)
        if (widths[c] != DROPPED)
            width += widths[c] + (width > 0 ? COLUMN_GAP : 0);
    return width;
}

static void measure(const FcTable *table, guint *widths)
{
    for (guint c = 0; c < table->count; c++)
        widths[c] = text_width(table->columns[c].heading);
    for (guint r = 0; r < table->rows->len; r++)
    {
        guint count;
        char **cells = fc_table_cells(table, r, &count);
        for (guint c = 0; c < count; c++)
            widths[c] = MAX(widths[c], text_width(cells[c]));
    }
    for (guint c = 0; c < table->count; c++)
        if (is_hidden(table, c))
            widths[c] = DROPPED;
    for (guint first = 0, end; first < table->count; first = end)
    {
        end = group_end(table, first);
        guint needed = text_width(table->columns[first].group) + 4;
        guint width = span_width(widths, first, end);
        if (table->columns[first].group && widths[first] != DROPPED && width < needed)
            widths[first] += needed - width;
    }
}

static guint line_width(const FcTable *table, const guint *widths)
{
    return span_width(widths, 0, table->count);
}

/* Whether lines fit if the last column has so many columns, or as many as it needs. */
static gboolean fits(const FcTable *table, const FcRender *render, const guint *widths, guint name)
{
    const guint last = widths[table->count - 1];
    return render->width == 0 ||
           line_width(table, widths) - (last - MIN(last, name)) <= render->width;
}

static guint last_rank(const FcTable *table)
{
    guint rank = 0;
    for (guint c = 0; c < table->count; c++)
        rank = MAX(rank, table->columns[c].spare);
    return rank;
}

static guint least_name(const FcRender *render)
{
    return CLAMP(render->width / NAME_LEAST_PART, NAME_WIDTH_SMALL, NAME_WIDTH_LEAST);
}

/* Leaves out spare columns until the last one has room. */
static void drop_columns(const FcTable *table, const FcRender *render, guint *widths)
{
    const guint ranks = last_rank(table);
    for (guint rank = 1; rank <= ranks; rank++)
    {
        if (fits(table, render, widths, rank <= 2 ? NAME_WIDTH_MIN : least_name(render)))
            continue;
        for (guint c = 0; c < table->count; c++)
            if (table->columns[c].spare == rank)
                widths[c] = DROPPED;
    }
    for (guint c = table->count - 1; c-- > 1 && table->columns[table->count - 1].heading;)
        if (!fits(table, render, widths, least_name(render)))
            widths[c] = DROPPED;
}

gboolean fc_table_fits(const FcTable *table, const FcRender *render)
{
    g_autofree guint *widths = g_new0(guint, table->count);
    measure(table, widths);
    return fits(table, render, widths, least_name(render));
}

static void append_pad(GString *line, guint count)
{
    for (guint i = 0; i < count; i++)
        g_string_append_c(line, ' ');
}

/* Whether no column before it is shown. */
static gboolean is_first(const guint *widths, guint column)
{
    for (guint c = 0; c < column; c++)
        if (widths[c] != DROPPED)
            return FALSE;
    return TRUE;
}

static void append_cell(const FcTable *table, GString *line, guint column, const char *text,
                        const guint *widths)
{
    if (widths[column] == DROPPED)
        return;
    guint used = text_width(text);
    guint pad = widths[column] > used ? widths[column] - used : 0;
    if (!is_first(widths, column))
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
    g_autofree char *lines = cut ? NULL : wrap(render, line->str);
    fprintf(render->out, "%s%s%s\n", style_start(render, style), lines ? lines : line->str,
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
        if (!is_first(widths, first))
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
        any = any || (widths[c] != DROPPED && table->columns[c].heading);
    }
    if (any)
        put_line(render, FC_STYLE_DIM, line, TRUE);
}

static void print_dropped(const FcTable *table, FcRender *render, const guint *widths)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint first = 0, end; first < table->count; first = end)
    {
        end = group_end(table, first);
        const char *group = table->columns[first].group;
        const gboolean is_whole = span_width(widths, first, end) == 0;
        for (guint c = first; c < end; c++)
        {
            const char *csv = group ? NULL : table->columns[c].csv;
            const char *heading = csv                         ? csv
                                  : table->columns[c].heading ? table->columns[c].heading
                                                              : "";
            if (widths[c] != DROPPED || is_hidden(table, c) || (is_whole && group && c > first))
                continue;
            g_string_append_printf(names, "%s%s%s%s", names->len > 0 ? ", " : "",
                                   group ? group : "", group && !is_whole ? " " : "",
                                   group && is_whole ? "" : heading);
        }
    }
    if (names->len > 0)
        fc_render_note(render, "For want of width not shown: %s.", names->str);
}

/* ---- For people ------------------------------------------------------------------ */

/* Names that do not fit are shortened in the middle. */
static void fit_name(const FcTable *table, const FcRender *render, const guint *widths, char **name)
{
    const guint before = span_width(widths, 0, table->count - 1);
    const guint start = before > 0 ? before + COLUMN_GAP : 0;
    if (render->width <= start || text_width(*name) <= render->width - start)
        return;
    char *fits = fc_short_names_fit(render->names, *name, render->width - start);
    g_free(*name);
    *name = fits;
}

static void print_row(const FcTable *table, const FcRender *render, const guint *widths, guint row,
                      gboolean cut)
{
    guint count;
    char **cells = fc_table_cells(table, row, &count);
    g_autoptr(GString) line = g_string_new(NULL);
    if (cut && count == table->count && cells[count - 1])
        fit_name(table, render, widths, &cells[count - 1]);
    for (guint c = 0; c < count; c++)
        append_cell(table, line, c, cells[c], widths);
    put_line(render, g_array_index(table->rows, FcTableRow, row).style, line, cut);
}

/* If a tree is so deep that its names have no room, indents each level by less, in all rows alike.
 */
static void narrow_tree(const FcTable *table, const FcRender *render, guint *widths)
{
    const guint last = table->count - 1;
    const guint before = span_width(widths, 0, last) + COLUMN_GAP;
    gboolean is_deep = FALSE;
    for (guint pass = 0; pass < 2; pass++)
    {
        if (pass == 1 && !is_deep)
            return;
        widths[last] = pass == 1 ? text_width(table->columns[last].heading) : widths[last];
        for (guint r = 0; r < table->rows->len; r++)
        {
            guint count;
            char **cells = fc_table_cells(table, r, &count);
            if (count <= last || !cells[last])
                continue;
            const guint indent = fc_short_names_indent(cells[last]);
            const guint name = text_width(cells[last]) - indent;
            is_deep = is_deep ||
                      (indent > 0 && before + indent + MIN(name, NAME_WIDTH_TREE) > render->width);
            if (pass == 0)
                continue;
            char *narrow = fc_short_names_narrow(cells[last]);
            g_free(cells[last]);
            cells[last] = narrow;
            widths[last] = MAX(widths[last], text_width(narrow));
        }
    }
}

void fc_table_print(const FcTable *table, FcRender *render)
{
    g_autofree guint *widths = g_new0(guint, table->count);
    gboolean cut = table->columns[table->count - 1].heading != NULL;
    if (fc_format_is_csv())
    {
        fc_table_print_csv(table, render);
        return;
    }
    measure(table, widths);
    drop_columns(table, render, widths);
    if (cut && render->width > 0)
        narrow_tree(table, render, widths);
    print_headings(table, render, widths);
    for (guint r = 0; r < table->rows->len; r++)
        print_row(table, render, widths, r, cut);
    print_dropped(table, render, widths);
    render->started = TRUE;
}

/* ---- Values ---------------------------------------------------------------- */

FcStyle fc_render_heat(guint64 part, guint64 whole)
{
    double share = whole > 0 ? (double)part / (double)whole : 0.0;
    return share >= 0.2 ? FC_STYLE_HOT : share >= 0.05 ? FC_STYLE_WARM : FC_STYLE_PLAIN;
}
