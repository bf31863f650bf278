/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report --waits: for each function how long it was off the CPU itself, preempted and blocked
 * apart, and what it waited for.
 */
#include "fcdump/report.h"
#include "model/contention.h"

#define FUNCTIONS_MAX 15 /* unless --top or --all: as on the first screen */

enum
{
    BLOCKED,
    PREEMPTED,
    KINDS,
    MOST = KINDS + FC_WAIT_KINDS + 1,
    SITE,
    PLACE,
    FUNCTION,
    COLUMNS,
};
static const FcColumn columns[COLUMNS] = {
    [BLOCKED] = {NULL, "blocked", FALSE, .unit = "off-CPU ns"},
    [PREEMPTED] = {NULL, "preempted", FALSE, .unit = "off-CPU ns"},
    [KINDS + FC_WAIT_LOCK] = {"blocked for", "lock", FALSE, .unit = "off-CPU ns",
                              .csv = "blocked: lock"},
    [KINDS + FC_WAIT_SIGN] = {"blocked for", "threads", FALSE, .unit = "off-CPU ns",
                              .csv = "blocked: threads"},
    [KINDS + FC_WAIT_INPUT] = {"blocked for", "input", FALSE, .unit = "off-CPU ns",
                               .csv = "blocked: input"},
    [KINDS + FC_WAIT_SLEEP] = {"blocked for", "sleep", FALSE, .unit = "off-CPU ns",
                               .csv = "blocked: sleep"},
    [KINDS + FC_WAIT_DISK] = {"blocked for", "disk", FALSE, .unit = "off-CPU ns",
                              .csv = "blocked: disk"},
    [KINDS + FC_WAIT_OTHER] = {"blocked for", "other", FALSE, .unit = "off-CPU ns",
                               .csv = "blocked: other"},
    [KINDS + FC_WAIT_KINDS] = {"blocked for", "unknown", FALSE, .unit = "off-CPU ns",
                               .csv = "blocked: unknown"},
    [MOST] = {NULL, "mostly for", TRUE, .reader = FC_READER_PERSON},
    [SITE] = {NULL, "mostly at", TRUE, .csv = "blocked at"},
    [PLACE] = {NULL, "begins at", TRUE},
    [FUNCTION] = {NULL, "function", TRUE},
};

/* Of a function that was off the CPU. */
typedef struct
{
    guint function;
    guint64 blocked_ns;
    FcContentionParts parts;
} Row;

/* Which columns there are beside those that are always there. */
typedef struct
{
    FcContentionParts sums; /* of all functions */
    gboolean has_sites;     /* the calls in which functions wait are known */
    gboolean all_kinds;     /* the time of each kind, else only what a function mostly waits for */
} Shown;

static int compare_rows(gconstpointer a, gconstpointer b, gpointer context)
{
    const Row *x = a;
    const Row *y = b;
    const guint64 left = x->blocked_ns + x->parts.preempted_ns;
    const guint64 right = y->blocked_ns + y->parts.preempted_ns;
    if (left != right)
        return left < right ? 1 : -1;
    return fc_report_compare(context, x->function, y->function);
}

static GArray *rows_of(const FcReportContext *context, guint64 *all_ns)
{
    const FcModel *model = context->model;
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
    *all_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        Row row = {.function = i, .parts = fc_contention_parts(&figures->times, figures->off)};
        row.blocked_ns = figures->times.local_wait_ns - row.parts.preempted_ns;
        *all_ns += figures->times.local_wait_ns;
        if (fc_model_function(model, i)->shown && figures->times.local_wait_ns > 0)
            g_array_append_val(rows, row);
    }
    g_array_sort_with_data(rows, compare_rows, (gpointer)context);
    return rows;
}

static char *format_part(guint64 ns)
{
    if (fc_format_is_csv())
        return fc_format_time(ns);
    return ns > 0 ? fc_format_brief_time(ns) : NULL;
}

/* Programs get all columns.  People get the kinds with any time, or only what a function mostly
 * waits for; and the calls in which functions wait, or else where functions begin. */
static gboolean is_shown(const Shown *shown, guint column)
{
    switch (column)
    {
    case BLOCKED:
    case PREEMPTED:
    case FUNCTION:
        return TRUE;
    case MOST:
        return !shown->all_kinds;
    case SITE:
        return fc_format_is_csv() || shown->has_sites;
    case PLACE:
        return fc_format_is_csv() || !shown->has_sites;
    default:
        return shown->all_kinds && (fc_format_is_csv() || shown->sums.kind_ns[column - KINDS] > 0);
    }
}

/* Fills `chosen`.  Returns the number of columns. */
static guint choose_columns(const Shown *shown, FcColumn *chosen)
{
    guint count = 0;
    for (guint i = 0; i < COLUMNS; i++)
        if (is_shown(shown, i))
            chosen[count++] = columns[i];
    return count;
}

/* The place of the call in which the function waits most, for people else of where the function
 * begins; the caller frees it.  NULL: not known. */
static char *format_site(const FcReportContext *context, const FcFunction *function, guint index)
{
    const FcProfileWaitSite *site = fc_contention_site(context->model, index, FC_WAIT_KINDS);
    char *place = site ? fc_report_wait_line(context, site) : NULL;
    return place || fc_format_is_csv()
               ? place
               : fc_report_source(context, &function->figures.location, FALSE);
}

/* The kind with most of the time, and its share unless that is all: "threads 81%"; or NULL. */
static char *format_most(const FcContentionParts *parts, guint64 blocked_ns)
{
    guint most = 0;
    for (guint kind = 1; kind <= FC_WAIT_KINDS; kind++)
        most = parts->kind_ns[kind] > parts->kind_ns[most] ? kind : most;
    if (parts->kind_ns[most] == 0)
        return NULL;
    const guint percent = (guint)(100 * (double)parts->kind_ns[most] / (double)blocked_ns + 0.5);
    const char *word = columns[KINDS + most].heading;
    return percent >= 100 ? g_strdup(word) : g_strdup_printf("%s %u%%", word, percent);
}

static char *format_cell(const FcReportContext *context, const Row *row, guint column)
{
    const FcFunction *function = fc_model_function(context->model, row->function);
    FcOptions options = *context->options;
    FcReportContext own = *context;
    own.options = &options;
    options.base_names = options.base_names || !fc_format_is_csv(); /* as on the first screen */
    switch (column)
    {
    case BLOCKED:
        return format_part(row->blocked_ns);
    case PREEMPTED:
        return format_part(row->parts.preempted_ns);
    case MOST:
        return format_most(&row->parts, row->blocked_ns);
    case SITE:
        return format_site(&own, function, row->function);
    case PLACE:
        return fc_report_source(&own, &function->figures.location, FALSE);
    case FUNCTION:
        return fc_report_function(context, function);
    default:
        return format_part(row->parts.kind_ns[column - KINDS]);
    }
}

static void add_row(const FcReportContext *context, FcTable *table, const Row *row,
                    const Shown *shown)
{
    fc_table_row(table, FC_STYLE_PLAIN);
    for (guint i = 0; i < COLUMNS; i++)
        if (is_shown(shown, i))
            fc_table_cell(table, format_cell(context, row, i));
}

/* Leaves the rows that are shown. */
static void cut_rows(const FcReportContext *context, GArray *rows, guint64 all_ns, FcReportCut *cut)
{
    FcOptions options = *context->options;
    FcReportContext own = *context;
    own.options = &options;
    if (options.top == 0 && !fc_format_is_csv())
        options.top = FUNCTIONS_MAX;
    guint kept = 0;
    for (guint i = 0; i < rows->len; i++)
    {
        const Row row = g_array_index(rows, Row, i);
        if (fc_report_keep(&own, cut, row.blocked_ns + row.parts.preempted_ns, all_ns))
            g_array_index(rows, Row, kept++) = row;
    }
    g_array_set_size(rows, kept);
}

static void print_notes(const FcReportContext *context, const Shown *shown)
{
    fc_render_note(
        context->render,
        "Blocked: off the CPU of its own accord, for what by samples. Preempted: others had "
        "the processor.");
    if (shown->has_sites)
        fc_render_note(context->render,
                       "Mostly at: the call in which it waited longest, or where it begins.");
    if (shown->sums.kind_ns[FC_WAIT_LOCK] + shown->sums.kind_ns[FC_WAIT_SIGN] > 0)
        fc_render_note(context->render, "lock: a mutex that another thread has. threads: a "
                                        "condition, a semaphore, a thread's end.");
    if (shown->sums.kind_ns[FC_WAIT_KINDS] > 0)
        fc_render_note(context->render, "unknown: no sample came while it waited.");
    if (!shown->all_kinds)
        fc_render_note(context->render, "A wider terminal has the time of each kind: --width=120.");
}

/* Prints nothing and returns FALSE if all kinds are shown and have no room. */
static gboolean print_table(const FcReportContext *context, const GArray *rows, const Shown *shown)
{
    FcColumn chosen[COLUMNS];
    const guint count = choose_columns(shown, chosen);
    g_autoptr(FcTable) table = fc_table_new(chosen, count);
    for (guint i = 0; i < rows->len; i++)
        add_row(context, table, &g_array_index(rows, Row, i), shown);
    if (shown->all_kinds && !fc_table_fits(table, context->render))
        return FALSE;
    print_notes(context, shown);
    fc_table_print(table, context->render);
    return TRUE;
}

static gboolean have_sites(const FcModel *model, const GArray *rows)
{
    for (guint i = 0; i < rows->len; i++)
        if (fc_contention_site(model, g_array_index(rows, Row, i).function, FC_WAIT_KINDS))
            return TRUE;
    return FALSE;
}

static void render_waits(const FcReportContext *context)
{
    guint64 all_ns;
    FcReportCut cut = {0};
    Shown shown = {.all_kinds = TRUE};
    g_autoptr(GArray) rows = rows_of(context, &all_ns);
    for (guint i = 0; i < rows->len; i++)
        for (guint kind = 0; kind <= FC_WAIT_KINDS; kind++)
            shown.sums.kind_ns[kind] += g_array_index(rows, Row, i).parts.kind_ns[kind];
    cut_rows(context, rows, all_ns, &cut);
    shown.has_sites = have_sites(context->model, rows);
    fc_render_title(context->render, "Waits");
    if (!fc_report_prints(&cut))
    {
        fc_render_line(context->render, "No function was off the CPU, or that is not known.");
        return;
    }
    if (!print_table(context, rows, &shown))
    {
        shown.all_kinds = FALSE;
        print_table(context, rows, &shown);
    }
    fc_report_note_cut(context, &cut, "function");
}

const FcReport fc_report_waits = {"waits", "what functions wait for, and where they are preempted",
                                  FC_REPORT_ON_REQUEST, render_waits};
