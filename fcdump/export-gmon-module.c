/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One module's gmon.out file: which functions and arcs it has, by which addresses gprof
 * will know them, and what does not fit; see export-gmon.h.
 *
 * gprof takes all code up to the next symbol that it accepts as one function, and drops calls by
 * unknown callers.  So this uses gprof's own table of symbols, and gives calls from outside the
 * module to a function that calls nobody in the profile.
 */
#include "fcdump/export-gmon.h"

#include "fcdump/export.h"
#include "gmon/gmon.h"
#include "gmon/image.h"
#include "profile/path.h"

#include <errno.h>
#include <string.h>

static const guint64 ARC_RECORDS_MAX = 1 << 22;

/* What is not in the file. */
typedef struct
{
    guint functions;
    guint64 calls;
    guint64 local_ns;
} Missing;

typedef struct
{
    const FcModel *model;
    const char *path;
    const char *module_name;
    gint module;
    GPtrArray *notes;
    FcGImage *image;
    GArray *gprof;            /* gprof's table of symbols: FcGRange */
    const FcGRange **symbols; /* by function of the model; NULL: not in the file */
    gboolean *is_profiled;    /* by symbol of `gprof` */
    const FcGRange *outside;  /* stands for unknown callers; may be NULL */
    FcGmonOut *out;
    Missing elsewhere;     /* functions of other modules */
    Missing unnamed;       /* functions that gprof has no symbol for */
    guint64 outside_calls; /* calls by callers that are not in the file */
} Export;

static const FcProfileModule *module_at(const FcModel *model, gint module)
{
    return &g_array_index(model->profile->modules, FcProfileModule, module);
}

G_GNUC_PRINTF(2, 3) static void note(const Export *export, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_ptr_array_add(export->notes, g_strdup_printf("%s: note: %s", export->path, text));
}

/* ---- Symbols ---------------------------------------------------------------------- */

static const FcGRange *symbol_at(const Export *export, guint index)
{
    return &g_array_index(export->gprof, FcGRange, index);
}

static void count_missing(Missing *missing, const FcProfileFunction *figures)
{
    missing->functions++;
    missing->calls += figures->calls;
    missing->local_ns += figures->times.local_ns;
}

/* Sets *offset to the module-relative entry of function `index`.  FALSE if it is in another module.
 */
static gboolean find_entry(const Export *export, guint index, guint64 *offset)
{
    const FcFunction *function = fc_model_function(export->model, index);

    *offset = function->symbol.start;
    return fc_model_is_same_module(export->model, function->figures.location.module,
                                   export->module);
}

static gboolean has_functions(const Export *export)
{
    guint64 offset;

    for (guint i = 0; i < export->model->functions->len; i++)
    {
        if (find_entry(export, i, &offset))
            return TRUE;
    }
    return FALSE;
}

static void find_symbols(Export *export)
{
    const FcModel *model = export->model;

    export->symbols = g_new0(const FcGRange *, (gsize)model->functions->len + 1);
    export->is_profiled = g_new0(gboolean, (gsize) export->gprof->len + 1);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        guint64 offset;

        if (!find_entry(export, i, &offset))
        {
            count_missing(&export->elsewhere, &function->figures);
            continue;
        }
        const FcGRange *symbol = fc_granges_find(export->gprof, offset);
        /* gprof counts calls of a symbol that is no function for the function before it. */
        if (!symbol || symbol->addr != offset || !symbol->is_func)
        {
            count_missing(&export->unnamed, &function->figures);
            continue;
        }
        export->symbols[i] = symbol;
        export->is_profiled[symbol - symbol_at(export, 0)] = TRUE;
    }
}

/* A symbol that stands for callers outside: C library code that is in every program or library and
 * calls into it.  NULL: there is none that the profile leaves free. */
static const FcGRange *find_outside(const Export *export)
{
    static const char *const names[] = {"_start", "_init", "_fini"};
    for (guint k = 0; k < G_N_ELEMENTS(names); k++)
    {
        for (guint i = 0; i < export->gprof->len; i++)
        {
            const FcGRange *symbol = symbol_at(export, i);

            if (strcmp(symbol->name, names[k]) == 0 && !export->is_profiled[i] &&
                fc_granges_find(export->gprof, symbol->addr) == symbol)
                return symbol;
        }
    }
    return NULL;
}

/* ---- Times ------------------------------------------------------------------------- */

static void note_times(const Export *export, const GArray *times)
{
    const FcGmonTime *worst = NULL;
    guint inexact = 0;

    for (guint i = 0; i < times->len; i++)
    {
        const FcGmonTime *time = &g_array_index(times, FcGmonTime, i);

        if (!fc_gmonout_is_inexact(time))
            continue;
        if (!worst || time->local_ns > worst->local_ns)
            worst = time;
        inexact++;
    }
    if (worst)
        note(export,
             "functions whose own time is off by more than 0.5%%: %u; a tick is %u ns, and the "
             "longest of them, %s, had %" G_GUINT64_FORMAT " ns",
             inexact, 1000000000U / export->out->rate,
             fc_granges_find(export->gprof, worst->start)->name, worst->local_ns);
    if (fc_gmonout_has_layers(export->out))
        note(export, "gprof reads it, but loses time where it sums it into a gmon.sum (-s), whose "
                     "samples have 16 bits; fcdump sums profiles before it exports them");
}

static void add_times(Export *export)
{
    guint n = export->gprof->len;
    g_autofree guint64 *local_ns = g_new0(guint64, (gsize)n + 1);
    g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(FcGmonTime));

    for (guint i = 0; i < export->model->functions->len; i++)
    {
        if (export->symbols[i])
            local_ns[export->symbols[i] - symbol_at(export, 0)] +=
                fc_model_function(export->model, i)->figures.times.local_ns;
    }
    for (guint i = 0; i < n; i++)
    {
        /* The last symbol has no end, so gprof gives it no time: its range is empty. */
        FcGmonTime time = {symbol_at(export, i)->addr, symbol_at(export, i + (i + 1 < n))->addr,
                           local_ns[i], 0};

        if (export->is_profiled[i])
            g_array_append_val(times, time);
    }
    fc_gmonout_set_times(export->out, (FcGmonTime *)(void *)times->data, times->len);
    note_times(export, times);
}

/* ---- Arcs -------------------------------------------------------------------------- */

static guint64 add_calls(guint64 a, guint64 b)
{
    return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

static gint compare_arcs(gconstpointer a, gconstpointer b)
{
    const FcGmonArc *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->self > y->self) - (x->self < y->self);
}

/* The address that a call is said to come from: its call instruction, if that is in the caller's
 * own code; otherwise (it was inlined, or came through a library) the caller's first. */
static guint64 find_origin(const Export *export, guint index, const FcGRange *caller)
{
    const FcProfileArc *arc = &g_array_index(export->model->profile->arcs, FcProfileArc, index);

    if (!export->model->inlined[index] &&
        fc_model_is_same_module(export->model, arc->site.module, export->module) &&
        fc_granges_find(export->gprof, arc->site.offset - 1) == caller)
        return arc->site.offset - 1;
    return caller->addr;
}

static void collect_arc(Export *export, GArray *arcs, guint index)
{
    const FcModel *model = export->model;
    const FcProfileArc *in = &g_array_index(model->profile->arcs, FcProfileArc, index);
    const FcGRange *callee = export->symbols[model->function_of[in->callee]];
    const FcGRange *caller =
        in->caller == FC_NONE ? NULL : export->symbols[model->function_of[in->caller]];
    FcGmonArc arc = {.calls = in->calls};

    if (!callee)
        return;
    arc.self = callee->addr;
    if (caller)
        arc.from = find_origin(export, index, caller);
    else if (export->outside)
        arc.from = export->outside->addr;
    if (!caller)
        export->outside_calls = add_calls(export->outside_calls, in->calls);
    g_array_append_val(arcs, arc);
}

/* Adds the calls that no arc of the profile has: version 3.0 has no arcs for callers outside. */
static void collect_rest(Export *export, GArray *arcs)
{
    const FcModel *model = export->model;
    g_autofree guint64 *told = g_new0(guint64, (gsize)model->functions->len + 1);

    for (guint i = 0; i < model->profile->arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(model->profile->arcs, FcProfileArc, i);
        guint callee = model->function_of[arc->callee];

        told[callee] = add_calls(told[callee], arc->calls);
    }
    for (guint i = 0; i < model->functions->len; i++)
    {
        guint64 calls = fc_model_function(model, i)->figures.calls;
        FcGmonArc arc = {.from = export->outside ? export->outside->addr : 0};

        if (!export->symbols[i] || calls <= told[i])
            continue;
        arc.self = export->symbols[i]->addr;
        arc.calls = calls - told[i];
        export->outside_calls = add_calls(export->outside_calls, arc.calls);
        g_array_append_val(arcs, arc);
    }
}

static void add_arcs(Export *export)
{
    g_autoptr(GArray) arcs = g_array_new(FALSE, FALSE, sizeof(FcGmonArc));

    for (guint i = 0; i < export->model->profile->arcs->len; i++)
        collect_arc(export, arcs, i);
    collect_rest(export, arcs);
    g_array_sort(arcs, compare_arcs);
    for (guint i = 0, next; i < arcs->len; i = next)
    {
        FcGmonArc arc = g_array_index(arcs, FcGmonArc, i);

        for (next = i + 1; next < arcs->len; next++)
        {
            const FcGmonArc *other = &g_array_index(arcs, FcGmonArc, next);

            if (compare_arcs(&arc, other) != 0)
                break;
            arc.calls = add_calls(arc.calls, other->calls);
        }
        fc_gmonout_add_arc(export->out, arc.from, arc.self, arc.calls);
    }
}

/* ---- What is missing ---------------------------------------------------------------- */

static double share(const Export *export, const Missing *missing)
{
    guint64 base_ns = export->model->base_ns;

    return base_ns > 0 ? 100.0 * (double)missing->local_ns / (double)base_ns : 0.0;
}

static void note_missing(const Export *export)
{
    const Missing *elsewhere = &export->elsewhere, *unnamed = &export->unnamed;

    note(export,
         "it has the calls and the own time of the functions of %s; the format has no room for "
         "measured times of arcs (gprof shares times out by calls), calling contexts, threads, "
         "bounds of single calls and memory; times by line, as gprof -l has them, mean nothing",
         module_at(export->model, export->module)->path);
    if (elsewhere->functions > 0)
        note(export,
             "functions of other modules, not in it: %u (calls: %" G_GUINT64_FORMAT
             ", time: %.1f%%); --image=MODULE exports another module",
             elsewhere->functions, elsewhere->calls, share(export, elsewhere));
    if (unnamed->functions > 0)
        note(export,
             "functions that gprof knows no symbol of, not in it: %u (calls: %" G_GUINT64_FORMAT
             ", time: %.1f%%)",
             unnamed->functions, unnamed->calls, share(export, unnamed));
    if (export->outside_calls > 0 && export->outside)
        note(export, "calls by callers that are not in it: %" G_GUINT64_FORMAT ", said to be by %s",
             export->outside_calls, export->outside->name);
    else if (export->outside_calls > 0)
        note(export,
             "calls by callers that are not in it: %" G_GUINT64_FORMAT
             ", which gprof will not count: %s has no function _start, _init or _fini for them",
             export->outside_calls, export->module_name);
}

/* ---- Files --------------------------------------------------------------------------- */

static gboolean write_file(const Export *export, GError **error)
{
    if (fc_gmonout_count_arc_records(export->out) > ARC_RECORDS_MAX)
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                            "there are more calls than a gmon.out file can hold");
        return FALSE;
    }
    FcOutput *output = fc_export_begin(export->path, error);
    if (!output)
        return FALSE;
    const gboolean done =
        fc_gmonout_write(export->out, &export->image->layout, fc_output_stream(output));
    return fc_output_end(output, done, error);
}

/* FALSE and `error` if gprof would not accept the image. */
static gboolean open_image(Export *export, GError **error)
{
    const char *path =
        fc_symbols_image_path(export->model->symbols, export->model->profile, export->module);

    if (!path)
    {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                    "%s: not there as it was when it ran; gprof needs it for its symbols",
                    module_at(export->model, export->module)->path);
        return FALSE;
    }
    export->image = fc_gimage_read(path, error);
    if (!export->image)
    {
        g_prefix_error(error, "gprof can't name functions: ");
        return FALSE;
    }
    export->gprof = fc_granges_new(export->image);
    return TRUE;
}

static gboolean export_module(Export *export, GError **error)
{
    if (!has_functions(export))
    {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "not written: the profile has no functions of %s; --image=MODULE exports "
                    "another module",
                    export->module_name);
        return FALSE;
    }
    if (!open_image(export, error))
        return FALSE;
    find_symbols(export);
    if (export->elsewhere.functions + export->unnamed.functions == export->model->functions->len)
    {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "not written: gprof knows no symbol of any function of %s",
                    export->module_name);
        return FALSE;
    }
    export->outside = find_outside(export);
    add_arcs(export);
    note_missing(export);
    add_times(export);
    return write_file(export, error);
}

gboolean fc_export_gmon_module(const FcModel *model, gint module, const char *path,
                               GPtrArray *notes, GError **error)
{
    Export export = {.model = model, .module = module, .path = path, .notes = notes};
    guint n_notes = notes->len;

    export.module_name = fc_base_name(module_at(model, module)->path);
    export.out = fc_gmonout_new();
    gboolean done = export_module(&export, error);
    if (!done)
        g_ptr_array_set_size(notes, (gint)n_notes); /* notes on a file that was not written */
    fc_gmonout_free(export.out);
    g_free(export.symbols);
    g_free(export.is_profiled);
    g_clear_pointer(&export.gprof, g_array_unref);
    fc_gimage_free(export.image);
    return done;
}
