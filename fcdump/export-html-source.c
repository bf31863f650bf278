/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sources in the HTML export: all lines of the heaviest functions, with the time of their calls
 * and of those by lambdas and other functions inside them.
 */
#include "fcdump/export-html.h"

#include <string.h>

enum
{
    BY_LOCAL_MAX = 300, /* functions with most local time, */
    BY_TOTAL_MAX = 100, /* and with most total time */
    LINES_MAX = 3000,   /* of each function */
    LINES_SUM_MAX = 40000,
    LINES_GUESSED = 120, /* if debug information does not say where a function ends */
    LINES_BEFORE = 3,    /* shown before the first, which is often the brace's */
    LINE_MAX_BYTES = 300,
};

/* A function's own lines. */
typedef struct
{
    const char *file; /* NULL: not known; equal names are the same pointer */
    guint first;
    guint last; /* 0: not known */
    gboolean has_last;
} Place;

typedef struct
{
    const FcReportContext *context;
    FcJson *json;
    Place *places;     /* by function */
    GHashTable *files; /* name -> GStrv of its lines, empty if it can't be read */
    guint lines;       /* number written */
} Export;

static const FcProfileLocation *entry_of(const FcModel *model, guint function)
{
    return &fc_model_function(model, function)->figures.location;
}

static Place *place_of(const Export *export, guint function)
{
    const FcModel *model = export->context->model;
    Place *place = &export->places[function];
    if (place->file && !place->has_last)
        place->last =
            fc_symbols_find_last_line(model->symbols, model->profile, entry_of(model, function));
    place->has_last = TRUE;
    return place;
}

/* ---- Calls by line -------------------------------------------------------------------- */

/* What was called from one line. */
typedef struct
{
    guint line;
    guint64 calls;
    guint64 total_ns;
    guint64 cpu_ns;
    const char *time_mark;
    gboolean apportioned;
    guint caller; /* the function itself, or one inside it */
    guint callee;
} Mark;

typedef struct
{
    const char *file; /* NULL: not known */
    guint number;
} Line;

/* The line of a call in the function whose code makes it.  If an inlined function makes the call,
 * the line where that was inlined. */
static Line find_line(const FcModel *model, const FcProfileLocation *site)
{
    g_autoptr(GArray) chain = fc_symbols_find_chain(model->symbols, model->profile, site);
    const FcInlinedCall *outermost =
        chain->len > 0 ? &g_array_index(chain, FcInlinedCall, chain->len - 1) : NULL;
    if (outermost && outermost->file)
        return (Line){outermost->file, outermost->line};
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, site, TRUE, &symbol);
    return (Line){symbol.file, symbol.line};
}

/* Of the calls by `function`, by the line that they come from; those that are in lines of the file.
 */
static void add_marks(const Export *export, guint function, const char *file, GArray *marks)
{
    const FcModel *model = export->context->model;
    guint count;
    const FcArc *arcs = fc_callgraph_callees(model->graph, (gint)function, &count);
    for (guint i = 0; i < count; i++)
    {
        for (guint s = 0; s < arcs[i].site_count; s++)
        {
            const FcCallSite *site = &arcs[i].sites[s];
            const FcProfileArc *arc = &g_array_index(model->profile->arcs, FcProfileArc, site->tag);
            const Line line = find_line(model, &arc->site);
            const Mark mark = {
                line.number,
                site->calls,
                site->total_ns,
                fc_export_html_cpu_ns(model, site->total_ns, arc->times.total_wait_ns),
                fc_export_html_arc_mark(export->context, &arcs[i]),
                arc->apportioned,
                function,
                arcs[i].callee};
            if (g_strcmp0(line.file, file) == 0)
                g_array_append_val(marks, mark);
        }
    }
}

static void put_marks(const Export *export, const GArray *marks)
{
    FcJson *json = export->json;
    fc_json_begin_array(json, "marks");
    for (guint i = 0; i < marks->len; i++)
    {
        const Mark *mark = &g_array_index(marks, Mark, i);
        fc_json_begin_array(json, NULL);
        fc_json_unsigned(json, NULL, mark->line);
        fc_json_unsigned(json, NULL, mark->calls);
        fc_json_unsigned(json, NULL, mark->total_ns);
        fc_json_string(json, NULL, mark->time_mark);
        fc_json_boolean(json, NULL, mark->apportioned);
        fc_json_unsigned(json, NULL, mark->cpu_ns);
        fc_json_unsigned(json, NULL, mark->caller);
        fc_json_unsigned(json, NULL, mark->callee);
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
}

/* ---- Lines ---------------------------------------------------------------------------- */

/* The first line of the next function in the same file, or the greatest number. */
static guint find_next(const Export *export, guint function)
{
    const Place *place = &export->places[function];
    guint next = G_MAXUINT;
    for (guint i = 0; i < export->context->model->functions->len; i++)
        if (export->places[i].file == place->file && export->places[i].first > place->first)
            next = MIN(next, export->places[i].first);
    return next;
}

static const char *const *lines_of(const Export *export, const char *path)
{
    GStrv lines = g_hash_table_lookup(export->files, path);
    if (lines)
        return (const char *const *)lines;
    g_autofree char *text = NULL;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || !g_file_get_contents(path, &text, NULL, NULL))
        text = g_strdup("");
    lines = g_strsplit(text, "\n", -1);
    g_hash_table_insert(export->files, (gpointer)path, lines);
    return (const char *const *)lines;
}

static void put_lines(Export *export, const char *const *lines, guint first, guint last)
{
    FcJson *json = export->json;
    fc_json_begin_array(json, "lines");
    for (guint line = first; line <= last; line++, export->lines++)
    {
        g_autofree char *cut = g_strndup(lines[line - 1], LINE_MAX_BYTES);
        fc_json_string(json, NULL, cut);
    }
    fc_json_end_array(json);
}

/* Writes nothing if the file can't be read. */
static void put_source(Export *export, guint function)
{
    const FcModel *model = export->context->model;
    const Place *place = place_of(export, function);
    if (!place->file || place->first == 0)
        return;
    const char *const *lines = lines_of(export, place->file);
    const guint count = g_strv_length((GStrv)lines);
    if (place->first > count)
        return;
    const gboolean is_whole = place->last >= place->first;
    const guint end = is_whole
                          ? place->last
                          : MIN(find_next(export, function) - 1, place->first + LINES_GUESSED - 1);
    const guint first = place->first > LINES_BEFORE ? place->first - LINES_BEFORE : 1;
    const guint last = MIN(MIN(end, count), first + LINES_MAX - 1);
    g_autoptr(GArray) marks = g_array_new(FALSE, FALSE, sizeof(Mark));
    add_marks(export, function, place->file, marks);
    for (guint i = 0; i < model->functions->len; i++)
        if (i != function && export->places[i].file == place->file &&
            export->places[i].first > place->first && export->places[i].first <= place->last)
            add_marks(export, i, place->file, marks);
    fc_json_begin_object(export->json, NULL);
    fc_json_unsigned(export->json, "function", function);
    fc_json_unsigned(export->json, "first", first);
    fc_json_boolean(export->json, "whole", is_whole && last == end);
    put_lines(export, lines, first, last);
    put_marks(export, marks);
    fc_json_end_object(export->json);
}

/* ---- Which functions ------------------------------------------------------------------ */

static void put_heaviest(Export *export, GArray *order, guint most, GHashTable *done)
{
    for (guint i = 0; i < MIN(order->len, most) && export->lines < LINES_SUM_MAX; i++)
        if (g_hash_table_add(done, GUINT_TO_POINTER(g_array_index(order, guint, i) + 1)))
            put_source(export, g_array_index(order, guint, i));
}

void fc_export_html_sources(const FcReportContext *context, FcJson *json)
{
    const FcModel *model = context->model;
    g_autofree Place *places = g_new0(Place, model->functions->len + 1);
    g_autoptr(GHashTable) files =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_strfreev);
    g_autoptr(GHashTable) done = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
    Export export = {context, json, places, files, 0};
    for (guint i = 0; i < model->functions->len; i++)
    {
        FcSymbol symbol;
        fc_symbols_find(model->symbols, model->profile, entry_of(model, i), FALSE, &symbol);
        places[i].file = symbol.line > 0 ? symbol.file : NULL;
        places[i].first = symbol.line;
        if (fc_model_function(model, i)->shown)
            g_array_append_val(order, i);
    }
    fc_json_begin_array(json, "sources");
    g_array_sort_with_data(order, fc_model_compare_local, (gpointer)model);
    put_heaviest(&export, order, BY_LOCAL_MAX, done);
    g_array_sort_with_data(order, fc_model_compare_total, (gpointer)model);
    put_heaviest(&export, order, BY_TOTAL_MAX, done);
    fc_json_end_array(json);
}
