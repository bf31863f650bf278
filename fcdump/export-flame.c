/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The flame graph as a picture of its own: one box for each calling context, as wide as its
 * share, callees above their callers.  A script in it zooms and searches; without scripts
 * it is the same picture, and each box says its figures when it is pointed at.
 */
#include "fcdump/embedded.h"
#include "fcdump/export.h"
#include "fcdump/report-path.h"

#include <string.h>

enum
{
    WIDTH = 1180,     /* of the boxes, in pixels; 10 more on each side */
    LEVEL = 17,       /* height of a box, with the gap */
    TOP = 52,         /* above the boxes: title and search */
    BOTTOM = 40,      /* below: what was left out */
    CHARACTER = 7,    /* width of a character in the font that is used */
    FRAMES_MAX = 8000 /* what a browser shows at once without trouble */
};

typedef struct
{
    const FcReportContext *context;
    const FcStacks *stacks;
    guint64 *totals;
    guint64 *left; /* by node: the weight to the left of it */
    guint *level;
    guint levels;
    FILE *out;
} Flame;

/* Children stand in order of their names, so that the same program gives the same picture. */
static int compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
    const Flame *flame = data;
    const guint x = *(const guint *)a;
    const guint y = *(const guint *)b;
    const FcStackNode *one = fc_stacks_node(flame->stacks, x);
    const FcStackNode *other = fc_stacks_node(flame->stacks, y);
    const int order =
        strcmp(fc_stacks_name(flame->stacks, one), fc_stacks_name(flame->stacks, other));
    return order != 0 ? order : (x > y) - (x < y);
}

static void lay_out(Flame *flame)
{
    const guint count = flame->stacks->nodes->len;
    g_autofree guint64 *used = g_new0(guint64, count); /* taken by placed children */
    g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 1; i < count; i++)
    {
        flame->level[i] = flame->level[fc_stacks_node(flame->stacks, i)->parent] + 1;
        flame->levels = MAX(flame->levels, flame->level[i] + 1);
        g_array_append_val(order, i);
    }
    g_array_sort_with_data(order, compare_names, flame);
    /* First the place within the parent; then, as parents come first, that from the left edge. */
    for (guint i = 0; i < order->len; i++)
    {
        const guint index = g_array_index(order, guint, i);
        const gint parent = fc_stacks_node(flame->stacks, index)->parent;
        flame->left[index] = used[parent];
        used[parent] += flame->totals[index];
    }
    for (guint i = 1; i < count; i++)
        flame->left[i] += flame->left[fc_stacks_node(flame->stacks, i)->parent];
}

/* As reports show it: XML has no control characters, not even as "&#x1b;", and neither U+FFFE nor
 * U+FFFF, for which U+FFFD stands.  The caller frees it. */
static char *clean_text(const char *text)
{
    char *clean = fc_format_text(text);
    for (char *p = clean; (p = strstr(p, "\xef\xbf")); p += 3)
        if (p[2] == '\xbe' || p[2] == '\xbf')
            p[2] = '\xbd';
    return clean;
}

static void put_text(FILE *out, const char *text)
{
    g_autofree char *escaped = g_markup_escape_text(text, -1);
    fputs(escaped, out);
}

static char *format_weight(FcWeight weight, guint64 value)
{
    if (strcmp(fc_weight_unit(weight), "ns") == 0)
        return g_strchomp(fc_format_time(value));
    if (strcmp(fc_weight_unit(weight), "bytes") == 0)
        return g_strchomp(fc_format_bytes(value));
    return g_strdup_printf("%" G_GUINT64_FORMAT " %s", value, fc_weight_unit(weight));
}

/* Warm colours for functions, the same for equal names; grey for nodes that are no function. */
static void put_color(FILE *out, const FcStackNode *node, const char *name)
{
    const guint hash = g_str_hash(name);
    if (node->function < 0)
        fputs("#ccc", out);
    else
        fprintf(out, "rgb(%u,%u,%u)", 205 + hash % 50, 90 + hash / 50 % 130, hash / 6500 % 60);
}

/* In thousandths of a unit of the picture, at most its width: sums of times near 2^64 ns overflow.
 */
static guint64 scale(const Flame *flame, guint64 weight)
{
    const double share = (double)weight / (double)MAX(flame->totals[0], 1);
    return (guint64)(MIN(share, 1.0) * WIDTH * 1000);
}

static void put_frame(const Flame *flame, guint index)
{
    const FcStackNode *node = fc_stacks_node(flame->stacks, index);
    const FcWeight weight = fc_report_weight(flame->context);
    const char *name = fc_stacks_name(flame->stacks, node);
    const guint64 left = scale(flame, flame->left[index]);
    const guint64 width = scale(flame, flame->totals[index]);
    const guint y = TOP + (flame->levels - 1 - flame->level[index]) * LEVEL;
    const glong room = ((glong)width / 1000 - 6) / CHARACTER;
    g_autofree char *total = format_weight(weight, flame->totals[index]);
    g_autofree char *self = format_weight(weight, node->self[weight]);
    g_autofree char *share = fc_format_share(flame->totals[index], flame->totals[0]);
    g_autofree char *valid = clean_text(name);
    fprintf(flame->out,
            "<g class=\"f\" l=\"%u\" d=\"%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\"><title>",
            flame->level[index], left, width);
    put_text(flame->out, valid);
    fprintf(flame->out,
            " (%s, %s%%; %s itself)</title><rect x=\"%" G_GUINT64_FORMAT
            ".%02u\" y=\"%u\" width=\"%" G_GUINT64_FORMAT ".%02u\" height=\"%d\" fill=\"",
            total, share, self, 10 + left / 1000, (guint)(left % 1000 / 10), y, width / 1000,
            (guint)(width % 1000 / 10), LEVEL - 1);
    put_color(flame->out, node, name);
    fprintf(flame->out, "\"/><text x=\"%" G_GUINT64_FORMAT "\" y=\"%u\">", 13 + left / 1000,
            y + 12);
    if (g_utf8_strlen(valid, -1) <= room)
        put_text(flame->out, valid);
    else if (room >= 3)
    {
        g_autofree char *cut = g_utf8_substring(valid, 0, room - 2);
        put_text(flame->out, cut);
        fputs("..", flame->out);
    }
    fputs("</text></g>\n", flame->out);
}

static void put_head(const Flame *flame)
{
    const guint height = TOP + flame->levels * LEVEL + BOTTOM;
    const FcWeight weight = fc_report_weight(flame->context);
    const char *executable = flame->context->model->profile->executable;
    g_autofree char *total = format_weight(weight, flame->totals[0]);
    g_autofree char *title = clean_text(executable ? executable : "Flame graph");
    fprintf(flame->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
            "viewBox=\"0 0 %d %u\">\n"
            "<style>text { font: 12px monospace; fill: #000; } g.f { cursor: pointer; } "
            "g.f text { pointer-events: none; } g.f:hover rect { stroke: #000; } "
            "g.found rect { fill: #d0f; } g.caller rect { opacity: 0.5; } "
            ".button { cursor: pointer; fill: #05a; text-decoration: underline; } "
            "#title { font: 16px sans-serif; }</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text id=\"title\" x=\"%d\" y=\"22\" text-anchor=\"middle\">",
            WIDTH + 20, height, WIDTH + 20, height, WIDTH / 2 + 10);
    put_text(flame->out, title);
    fprintf(flame->out,
            ": %s, %s</text>\n"
            "<text id=\"reset\" class=\"button\" x=\"10\" y=\"42\" style=\"display:none\">reset "
            "zoom</text>\n"
            "<text id=\"search\" class=\"button\" x=\"%d\" y=\"42\" text-anchor=\"end\" "
            "style=\"display:none\">search</text>\n"
            "<text id=\"status\" x=\"%d\" y=\"42\" text-anchor=\"middle\"></text>\n",
            fc_weight_title(flame->context->model, weight), total, WIDTH + 10, WIDTH / 2 + 10);
}

static void put_foot(const Flame *flame)
{
    const guint y = TOP + flame->levels * LEVEL;
    fprintf(flame->out, "<text id=\"omitted\" x=\"10\" y=\"%u\">", y + 24);
    if (flame->stacks->omitted > 0)
        fprintf(flame->out,
                "%u of the lightest contexts are left out: they are in the grey boxes "
                "of their callers.",
                flame->stacks->omitted);
    fputs("</text>\n<script><![CDATA[\n", flame->out);
    fputs(fc_embedded_flame_js, flame->out);
    fputs("]]></script>\n</svg>\n", flame->out);
}

static void render_flame(const FcReportContext *context)
{
    const FcWeight weight = fc_report_weight(context);
    g_autoptr(FcStacks) all = fc_report_stacks(context);
    g_autoptr(FcStacks) stacks =
        fc_stacks_prune(all, FRAMES_MAX, context->options->min_percent / 100.0, weight);
    g_autofree guint64 *totals = fc_stacks_totals(stacks, weight);
    g_autofree guint64 *left = g_new0(guint64, stacks->nodes->len);
    g_autofree guint *level = g_new0(guint, stacks->nodes->len);
    Flame flame = {.context = context,
                   .stacks = stacks,
                   .totals = totals,
                   .left = left,
                   .level = level,
                   .levels = 1,
                   .out = fc_render_file(context->render)};
    lay_out(&flame);
    put_head(&flame);
    for (guint i = 0; i < stacks->nodes->len; i++)
        if (totals[i] > 0)
            put_frame(&flame, i);
    put_foot(&flame);
    fc_export_note_stacks(context, "flame", stacks);
    fc_export_note_lost(context, "flame",
                        FC_LOST_SITES | FC_LOST_BOUNDS | FC_LOST_THREADS | FC_LOST_PROCESSES |
                            FC_LOST_LEAKS | FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_flame = {"flame", "flame graph, as an interactive SVG", FC_REPORT_FILE,
                                  render_flame};
