/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The format of Valgrind's Callgrind, for callgrind_annotate and KCachegrind: each function's
 * local time at its first line, each call at the line that it comes from, with its number and
 * the time that was measured for it.  One part for each thread, as far as the profile tells what
 * was whose: it knows the functions of each thread, so an arc of functions that several threads
 * ran is in a part of its own.
 */
#include "fcdump/export.h"
#include "model/stacks.h"

enum
{
    SHARED = -1, /* of several threads */
    NOBODY = -2, /* not seen yet */
};

typedef struct
{
    const FcReportContext *context;
    const FcModel *model;
    FILE *out;
    GHashTable *files; /* char * -> number, of those that were named; likewise the next two */
    GHashTable *objects;
    gboolean *named; /* functions */
    gint *owner;     /* of each function: the only thread that ran it */
    FcSymbol *symbols;
    gboolean has_cpu; /* a second event: the time on the CPU */
} Callgrind;

/* A time, and the part of it off the CPU. */
typedef struct
{
    guint64 ns;
    guint64 wait_ns;
} Cost;

/* The events of a line, to its end. */
static void put_cost(const Callgrind *export, const Cost *cost)
{
    fprintf(export->out, " %" G_GUINT64_FORMAT, cost->ns);
    if (export->has_cpu)
        fprintf(export->out, " %" G_GUINT64_FORMAT, cost->ns - MIN(cost->wait_ns, cost->ns));
    fputc('\n', export->out);
}

/* ---- Names ------------------------------------------------------------------------- */

static void put_name(FILE *out, const char *name)
{
    g_autofree char *valid = g_utf8_make_valid(name, -1);
    for (const char *p = valid; *p != '\0'; p++)
        fputc((guchar)*p < 0x20 || *p == 0x7f ? '?' : *p, out);
}

/* "KEY=(3) name" the first time, "KEY=(3)" later. */
static void put_known(const Callgrind *export, const char *key, GHashTable *known, const char *name)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(known, name));
    const gboolean is_new = number == 0;
    if (is_new)
    {
        number = g_hash_table_size(known) + 1;
        g_hash_table_insert(known, g_strdup(name), GUINT_TO_POINTER(number));
    }
    fprintf(export->out, "%s=(%u)", key, number);
    if (is_new)
    {
        fputc(' ', export->out);
        put_name(export->out, name);
    }
    fputc('\n', export->out);
}

/* The three lines that say which function is meant; `called`: by the one before. */
static void put_function(const Callgrind *export, gint function, gboolean called)
{
    const guint number = (guint)(function + 1);
    const char *file = "???";
    const char *object = "???";
    if (function != FC_NONE)
    {
        const gint module = fc_model_function(export->model, (guint)function)->figures.place.module;
        if (export->symbols[function].file)
            file = export->symbols[function].file;
        if (module != FC_NONE)
            object = g_array_index(export->model->profile->modules, FcProfileModule, module).path;
    }
    put_known(export, called ? "cob" : "ob", export->objects, object);
    put_known(export, called ? "cfi" : "fl", export->files, file);
    fprintf(export->out, "%s=(%u)", called ? "cfn" : "fn", number);
    if (!export->named[number])
    {
        fputc(' ', export->out);
        put_name(export->out, function == FC_NONE
                                  ? "<outside>"
                                  : fc_model_function(export->model, (guint)function)->name);
        export->named[number] = TRUE;
    }
    fputc('\n', export->out);
}

static guint line_of(const Callgrind *export, gint function)
{
    return function == FC_NONE ? 0 : export->symbols[function].line;
}

/* The line that the call comes from; where that is in another file (the caller was inlined there,
 * or the call came through what is not profiled), the caller's first. */
static guint line_of_site(const Callgrind *export, const FcCallSite *site)
{
    const FcProfilePlace *place =
        &g_array_index(export->model->profile->arcs, FcProfileArc, site->tag).site;
    FcSymbol symbol;
    if (site->caller == FC_NONE)
        return 0;
    fc_symbols_find(export->model->symbols, export->model->profile, place, TRUE, &symbol);
    return symbol.file && g_strcmp0(symbol.file, export->symbols[site->caller].file) == 0
               ? symbol.line
               : line_of(export, site->caller);
}

/* ---- Threads ----------------------------------------------------------------------- */

static void find_owners(Callgrind *export)
{
    const FcModel *model = export->model;
    const GArray *threads = model->profile->threads;
    for (guint i = 0; i < model->functions->len; i++)
        export->owner[i] = NOBODY;
    for (guint t = 0; t < threads->len; t++)
    {
        const GArray *functions = g_array_index(threads, FcProfileThread, t).functions;
        for (guint i = 0; i < functions->len; i++)
        {
            const guint own =
                model->function_of[g_array_index(functions, FcProfileThreadFunction, i).function];
            gint *owner = &export->owner[own];
            *owner = *owner == NOBODY || *owner == (gint)t ? (gint)t : SHARED;
        }
    }
}

/* The thread that made the calls of that site, as far as one can tell. */
static gint thread_of(const Callgrind *export, const FcCallSite *site)
{
    gint owner = export->owner[site->callee];
    if (owner < 0 && site->caller != FC_NONE)
        owner = export->owner[site->caller];
    return MAX(owner, SHARED);
}

static void add_local(const Callgrind *export, gint thread, Cost *local)
{
    const GArray *functions =
        g_array_index(export->model->profile->threads, FcProfileThread, thread).functions;
    for (guint i = 0; i < functions->len; i++)
    {
        const FcProfileThreadFunction *from = &g_array_index(functions, FcProfileThreadFunction, i);
        Cost *cost = &local[export->model->function_of[from->function]];
        cost->ns += from->local_ns;
        cost->wait_ns += from->local_wait_ns;
    }
}

/* The local time of each function: of that thread, or what is of none of them. */
static Cost *local_times(const Callgrind *export, gint thread)
{
    const FcModel *model = export->model;
    Cost *local = g_new0(Cost, model->functions->len + 1);
    if (thread != SHARED)
        add_local(export, thread, local);
    for (gint t = 0; thread == SHARED && t < (gint)model->profile->threads->len; t++)
        add_local(export, t, local);
    for (guint i = 0; thread == SHARED && i < model->functions->len; i++)
    {
        const FcProfileFunction *all = &fc_model_function(model, i)->figures;
        local[i].ns = all->local_ns - MIN(local[i].ns, all->local_ns);
        local[i].wait_ns = all->local_wait_ns - MIN(local[i].wait_ns, all->local_wait_ns);
    }
    return local;
}

/* ---- Parts ------------------------------------------------------------------------- */

static gboolean is_shown(const Callgrind *export, gint function)
{
    return function != FC_NONE && fc_model_function(export->model, (guint)function)->shown;
}

static void put_call(const Callgrind *export, const FcCallSite *site)
{
    const Cost cost = {
        site->total_ns,
        g_array_index(export->model->profile->arcs, FcProfileArc, site->tag).wait_ns};
    put_function(export, (gint)site->callee, TRUE);
    fprintf(export->out, "calls=%" G_GUINT64_FORMAT " %u\n%u", site->calls,
            line_of(export, (gint)site->callee),
            is_shown(export, site->caller) ? line_of_site(export, site) : 0);
    put_cost(export, &cost);
}

/* The calls by functions that are not shown are said to come from outside, which is FC_NONE.
 * Whether there was a call; without `put` none is written. */
static gboolean put_calls(const Callgrind *export, gint function, gint thread, gboolean put)
{
    gboolean found = FALSE;
    guint count = 0;
    const FcArc *arcs = function == FC_NONE
                            ? fc_callgraph_arcs(export->model->graph, &count)
                            : fc_callgraph_callees(export->model->graph, function, &count);
    for (guint i = 0; i < count; i++)
    {
        const gboolean is_outside = function == FC_NONE && !is_shown(export, arcs[i].caller);
        if (!is_shown(export, (gint)arcs[i].callee) || (function == FC_NONE && !is_outside))
            continue;
        for (guint s = 0; s < arcs[i].site_count; s++)
        {
            if (thread_of(export, &arcs[i].sites[s]) != thread)
                continue;
            found = TRUE;
            if (put)
                put_call(export, &arcs[i].sites[s]);
        }
    }
    return found;
}

static void put_part(const Callgrind *export, gint thread, const Cost *local)
{
    for (gint i = FC_NONE; i < (gint) export->model->functions->len; i++)
    {
        const Cost own = i == FC_NONE ? (Cost){0, 0} : local[i];
        if ((i != FC_NONE && !is_shown(export, i)) ||
            (own.ns == 0 && !put_calls(export, i, thread, FALSE)))
            continue;
        fputc('\n', export->out);
        put_function(export, i, FALSE);
        fprintf(export->out, "%u", line_of(export, i));
        put_cost(export, &own);
        put_calls(export, i, thread, TRUE);
    }
}

static void put_head(const Callgrind *export)
{
    const FcProfile *profile = export->model->profile;
    fputs("# callgrind format\nversion: 1\ncreator: fcdump (FunctionCheck) " FC_VERSION "\n",
          export->out);
    fprintf(export->out, "pid: %" G_GINT64_FORMAT "\ncmd:", profile->pid);
    for (guint i = 0; profile->command_line && profile->command_line[i]; i++)
    {
        fputc(' ', export->out);
        put_name(export->out, profile->command_line[i]);
    }
    fputc('\n', export->out);
}

/* `number`: of the part, from 1. */
static void put_part_head(const Callgrind *export, gint thread, guint number)
{
    const GArray *threads = export->model->profile->threads;
    const char *name = NULL;
    fprintf(export->out, "part: %u\n", number);
    if (thread != SHARED)
    {
        const FcProfileThread *from = &g_array_index(threads, FcProfileThread, thread);
        fprintf(export->out, "thread: %d\n", thread + 1);
        name = from->name;
        fprintf(export->out, "desc: Thread: %" G_GINT64_FORMAT " ", from->tid);
    }
    else
        name = threads->len > 1 ? "Calls of functions that several threads ran" : "All threads";
    fputs(thread == SHARED ? "desc: " : "", export->out);
    put_name(export->out, name ? name : "");
    fputs("\npositions: line\nevent: ns : Nanoseconds\n", export->out);
    fputs(export->has_cpu ? "event: cpu : Nanoseconds on the CPU\nevents: ns cpu\n"
                          : "events: ns\n",
          export->out);
}

static void put_parts(const Callgrind *export)
{
    const GArray *threads = export->model->profile->threads;
    Cost sum = {0, 0};
    guint number = 0;
    for (guint i = 0; i <= threads->len; i++)
    {
        const gint thread = i < threads->len ? (gint)i : SHARED;
        g_autofree Cost *local = local_times(export, thread);
        Cost own = {0, 0};
        gboolean has_calls = put_calls(export, FC_NONE, thread, FALSE);
        for (gint f = 0; f < (gint) export->model->functions->len; f++)
        {
            if (!is_shown(export, f))
                continue;
            own.ns += local[f].ns;
            own.wait_ns += MIN(local[f].wait_ns, local[f].ns);
            has_calls = has_calls || put_calls(export, f, thread, FALSE);
        }
        if (own.ns == 0 && !has_calls && (number > 0 || thread != SHARED))
            continue;
        put_part_head(export, thread, ++number);
        put_part(export, thread, local);
        sum.ns += own.ns;
        sum.wait_ns += own.wait_ns;
        fputc('\n', export->out);
    }
    /* Once, for all: callgrind_annotate takes the last for the whole. */
    fputs("totals:", export->out);
    put_cost(export, &sum);
}

void fc_export_callgrind(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const guint count = model->functions->len;
    g_autoptr(GHashTable) files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree gboolean *named = g_new0(gboolean, count + 1);
    g_autofree gint *owner = g_new0(gint, count + 1);
    g_autofree FcSymbol *symbols = g_new0(FcSymbol, count + 1);
    Callgrind export = {.context = context,
                        .model = model,
                        .out = fc_render_file(context->render),
                        .files = files,
                        .objects = objects,
                        .named = named,
                        .owner = owner,
                        .symbols = symbols,
                        .has_cpu = fc_weight_is_known(model, FC_WEIGHT_CPU)};
    for (guint i = 0; i < count; i++)
        fc_symbols_find(model->symbols, model->profile, &fc_model_function(model, i)->figures.place,
                        FALSE, &symbols[i]);
    find_owners(&export);
    put_head(&export);
    put_parts(&export);
    fc_export_note_lost(context, "callgrind",
                        FC_LOST_CONTEXTS | FC_LOST_BOUNDS | FC_LOST_PROCESSES | FC_LOST_MEMORY |
                            FC_LOST_NOTES | FC_LOST_MARKS);
    if (model->profile->threads->len > 1)
        fc_export_note(context, "--callgrind: calls of functions that several threads ran are in a "
                                "part of their own");
}
