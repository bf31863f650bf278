/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The format of Valgrind's Callgrind, for callgrind_annotate and KCachegrind: each function's local
 * time at its first line; each arc at the line of the call, with the number of calls and their
 * total time.  There is one part for each thread.  The last part has what belongs to no listed
 * thread, as a profile lists only so many functions and arcs of threads.
 */
#include "fcdump/export.h"
#include "fcdump/job.h"
#include "model/stacks.h"
#include "profile/plain.h"

typedef struct
{
    const FcReportContext *context;
    const FcModel *model;
    FILE *out;
    GHashTable *files; /* char * -> number */
    GHashTable *objects;
    GHashTable *named; /* "fn=(3)" and the like, if written in this part; KCachegrind forgets them
                          after it */
    FcSymbol *symbols;
    gboolean has_cpu; /* time on the CPU is an event, before elapsed time */
} Callgrind;

/* A number of calls, their time, and the part of it off the CPU. */
typedef struct
{
    guint64 calls;
    guint64 ns;
    guint64 wait_ns;
} Cost;

/* The costs in one part of the file. */
typedef struct
{
    Cost *functions; /* local times */
    Cost *arcs;      /* by number of the arc in the profile, which is the tag of a site */
} Part;

/* The events of a line, to its end. */
static void put_cost(const Callgrind *export, const Cost *cost)
{
    if (export->has_cpu)
        fprintf(export->out, " %" G_GUINT64_FORMAT, cost->ns - MIN(cost->wait_ns, cost->ns));
    fprintf(export->out, " %" G_GUINT64_FORMAT "\n", cost->ns);
}

/* ---- Names ------------------------------------------------------------------------- */

static void put_name(FILE *out, const char *name)
{
    g_autofree char *plain = fc_plain_text(name);
    fputs(plain, out);
}

/* "KEY=(3) name" the first time in a part, "KEY=(3)" later.  `kind`: of what the numbers are. */
static void put_numbered(const Callgrind *export, const char *key, const char *kind, guint number,
                         const char *name)
{
    fprintf(export->out, "%s=(%u)", key, number);
    if (g_hash_table_add(export->named, g_strdup_printf("%s%u", kind, number)))
    {
        fputc(' ', export->out);
        put_name(export->out, name);
    }
    fputc('\n', export->out);
}

static guint number_of(GHashTable *known, const char *name)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(known, name));
    if (number == 0)
    {
        number = g_hash_table_size(known) + 1;
        g_hash_table_insert(known, g_strdup(name), GUINT_TO_POINTER(number));
    }
    return number;
}

/* Writes the three lines that name a function; `called`: it is the callee of the function before.
 */
static void put_function(const Callgrind *export, gint function, gboolean called)
{
    const guint number = (guint)(function + 1);
    const char *file = "???";
    const char *object = "???";
    if (function != FC_NONE)
    {
        const gint module =
            fc_model_function(export->model, (guint)function)->figures.location.module;
        if (export->symbols[function].file)
            file = export->symbols[function].file;
        if (module != FC_NONE)
            object = g_array_index(export->model->profile->modules, FcProfileModule, module).path;
    }
    put_numbered(export, called ? "cob" : "ob", "ob", number_of(export->objects, object), object);
    put_numbered(export, called ? "cfi" : "fl", "fl", number_of(export->files, file), file);
    put_numbered(export, called ? "cfn" : "fn", "fn", number,
                 function == FC_NONE ? "<outside>"
                                     : fc_model_function(export->model, (guint)function)->name);
}

static guint line_of(const Callgrind *export, gint function)
{
    return function == FC_NONE ? 0 : export->symbols[function].line;
}

/* The line of the call.  If that is in another file (the caller was inlined there, or the call came
 * through code that is not profiled), the caller's first line. */
static guint line_of_site(const Callgrind *export, const FcCallSite *site)
{
    const FcProfileLocation *place =
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

static void move_cost(Cost *from, Cost *to, const Cost *cost)
{
    to->calls += cost->calls;
    to->ns += cost->ns;
    to->wait_ns += cost->wait_ns;
    from->calls -= MIN(cost->calls, from->calls);
    from->ns -= MIN(cost->ns, from->ns);
    from->wait_ns -= MIN(cost->wait_ns, from->wait_ns);
    if (from->calls > 0)
        return;
    /* no call is left, so the remaining time is rounding */
    to->ns += from->ns;
    to->wait_ns += from->wait_ns;
    *from = (Cost){0};
}

static Part part_new(const Callgrind *export)
{
    return (Part){g_new0(Cost, export->model->functions->len + 1),
                  g_new0(Cost, export->model->profile->arcs->len + 1)};
}

static void part_free(Part *part)
{
    g_free(part->functions);
    g_free(part->arcs);
}

/* The costs of the whole profile. */
static Part whole_part(const Callgrind *export)
{
    Part part = part_new(export);
    for (guint i = 0; i < export->model->functions->len; i++)
    {
        const FcProfileFunction *from = &fc_model_function(export->model, i)->figures;
        part.functions[i] = (Cost){from->calls, from->times.local_ns, from->times.local_wait_ns};
    }
    for (guint i = 0; i < export->model->profile->arcs->len; i++)
    {
        const FcProfileArc *from = &g_array_index(export->model->profile->arcs, FcProfileArc, i);
        part.arcs[i] = (Cost){from->calls, from->times.total_ns, from->times.total_wait_ns};
    }
    return part;
}

/* Moves the thread's costs out of `rest` into a new part. */
static Part thread_part(const Callgrind *export, const FcProfileThread *thread, const Part *rest)
{
    Part part = part_new(export);
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *from =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        const guint own = export->model->function_of[from->function];
        const Cost cost = {from->calls, from->times.local_ns, from->times.local_wait_ns};
        move_cost(&rest->functions[own], &part.functions[own], &cost);
    }
    for (guint i = 0; thread->arcs && i < thread->arcs->len; i++)
    {
        const FcProfileThreadArc *from = &g_array_index(thread->arcs, FcProfileThreadArc, i);
        const Cost cost = {from->calls, from->times.total_ns, from->times.total_wait_ns};
        move_cost(&rest->arcs[from->arc], &part.arcs[from->arc], &cost);
    }
    return part;
}

/* ---- Parts ------------------------------------------------------------------------- */

static gboolean is_shown(const Callgrind *export, gint function)
{
    return function != FC_NONE && fc_model_function(export->model, (guint)function)->shown;
}

static void put_call(const Callgrind *export, const FcCallSite *site, const Cost *cost)
{
    put_function(export, (gint)site->callee, TRUE);
    fprintf(export->out, "calls=%" G_GUINT64_FORMAT " %u\n%u", cost->calls,
            line_of(export, (gint)site->callee),
            is_shown(export, site->caller) ? line_of_site(export, site) : 0);
    put_cost(export, cost);
}

/* Writes the calls that `function` makes, if `put`; returns whether there are any.  Calls by
 * functions that are not shown belong to FC_NONE, the outside. */
static gboolean put_calls(const Callgrind *export, gint function, const Part *part, gboolean put)
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
            const Cost *cost = &part->arcs[arcs[i].sites[s].tag];
            if (cost->calls == 0)
                continue;
            found = TRUE;
            if (put)
                put_call(export, &arcs[i].sites[s], cost);
        }
    }
    return found;
}

static void put_part(const Callgrind *export, const Part *part)
{
    for (gint i = FC_NONE; i < (gint) export->model->functions->len; i++)
    {
        const Cost own = i == FC_NONE ? (Cost){0} : part->functions[i];
        if ((i != FC_NONE && !is_shown(export, i)) ||
            (own.ns == 0 && !put_calls(export, i, part, FALSE)))
            continue;
        fputc('\n', export->out);
        put_function(export, i, FALSE);
        fprintf(export->out, "%u", line_of(export, i));
        put_cost(export, &own);
        put_calls(export, i, part, TRUE);
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
    g_autofree char *job = fc_job_text(export->model);
    if (job)
        fprintf(export->out, "desc: Job: %s\n", job);
}

/* `number`: of the part, from 1.  `thread`: its index, or the number of threads for the last part.
 */
static void put_part_head(const Callgrind *export, guint thread, guint number)
{
    const GArray *threads = export->model->profile->threads;
    fprintf(export->out, "part: %u\n", number);
    g_hash_table_remove_all(export->named);
    if (thread < threads->len)
    {
        const FcProfileThread *from = &g_array_index(threads, FcProfileThread, thread);
        fprintf(export->out, "thread: %u\ndesc: Thread: %" G_GINT64_FORMAT " ", thread + 1,
                from->tid);
        put_name(export->out, from->name ? from->name : "");
    }
    else
        fputs(number > 1 ? "desc: Of threads that are not told apart" : "desc: All threads",
              export->out);
    /* readers show the first event by default */
    fputs("\npositions: line\n", export->out);
    fputs(export->has_cpu ? "event: cpu : CPU time, nanoseconds\n"
                            "event: ns : Elapsed time, nanoseconds\nevents: cpu ns\n"
                          : "event: ns : Nanoseconds\nevents: ns\n",
          export->out);
}

/* Whether the part has neither time nor calls.  Adds its local times to `sum`. */
static gboolean is_empty(const Callgrind *export, const Part *part, Cost *sum)
{
    gboolean has_calls = put_calls(export, FC_NONE, part, FALSE);
    guint64 ns = 0;
    for (gint f = 0; f < (gint) export->model->functions->len; f++)
    {
        if (!is_shown(export, f))
            continue;
        ns += part->functions[f].ns;
        sum->wait_ns += MIN(part->functions[f].wait_ns, part->functions[f].ns);
        has_calls = has_calls || put_calls(export, f, part, FALSE);
    }
    sum->ns += ns;
    return ns == 0 && !has_calls;
}

/* Writes all parts.  Returns whether there is a part for what belongs to no listed thread. */
static gboolean put_parts(const Callgrind *export)
{
    const GArray *threads = export->model->profile->threads;
    Part rest = whole_part(export);
    Cost sum = {0};
    guint number = 0;
    gboolean has_rest = FALSE;
    for (guint i = 0; i <= threads->len; i++)
    {
        const gboolean is_rest = i == threads->len;
        Part part = is_rest
                        ? rest
                        : thread_part(export, &g_array_index(threads, FcProfileThread, i), &rest);
        if (!is_empty(export, &part, &sum) || (is_rest && number == 0))
        {
            has_rest = is_rest;
            put_part_head(export, i, ++number);
            put_part(export, &part);
            fputc('\n', export->out);
        }
        part_free(&part);
    }
    /* Written once, at the end: callgrind_annotate uses the last one as the total. */
    fputs("totals:", export->out);
    put_cost(export, &sum);
    return has_rest;
}

static void render_callgrind(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const guint count = model->functions->len;
    g_autoptr(GHashTable) files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree FcSymbol *symbols = g_new0(FcSymbol, count + 1);
    Callgrind export = {.context = context,
                        .model = model,
                        .out = fc_render_file(context->render),
                        .files = files,
                        .objects = objects,
                        .named = named,
                        .symbols = symbols,
                        .has_cpu = fc_weight_is_known(model, FC_WEIGHT_CPU)};
    for (guint i = 0; i < count; i++)
        fc_symbols_find(model->symbols, model->profile,
                        &fc_model_function(model, i)->figures.location, FALSE, &symbols[i]);
    put_head(&export);
    const gboolean has_rest = put_parts(&export);
    fc_export_note_lost(context, "callgrind",
                        FC_LOST_CONTEXTS | FC_LOST_BOUNDS | FC_LOST_PROCESSES | FC_LOST_MEMORY |
                            FC_LOST_NOTES | FC_LOST_MARKS);
    if (has_rest && model->profile->threads->len > 1)
        fc_export_note(context,
                       "--callgrind: what the profile does not say to be of one thread is in a "
                       "part of its own");
}

const FcReport fc_export_callgrind = {"callgrind", "for callgrind_annotate and KCachegrind",
                                      FC_REPORT_FILE, render_callgrind, .of_arcs = TRUE};
