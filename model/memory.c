/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports of memory are made of; see memory.h.
 */
#include "model/memory.h"

#include "libfc/fc-format.h"
#include "model/labels.h"
#include "profile/path.h"

#include <string.h>

const char *fc_memory_call_name(guint call)
{
    static const char *const names[] = {
        [FC_CALL_MALLOC] = "malloc",
        [FC_CALL_CALLOC] = "calloc",
        [FC_CALL_REALLOC] = "realloc",
        [FC_CALL_ALIGNED] = "memalign",
        [FC_CALL_FREE] = "free",
        [FC_CALL_NEW] = "new",
        [FC_CALL_NEW_ARRAY] = "new[]",
        [FC_CALL_DELETE] = "delete",
        [FC_CALL_DELETE_ARRAY] = "delete[]",
        [FC_CALL_MMAP] = "mmap",
        [FC_CALL_MUNMAP] = "munmap",
        [FC_CALL_EARLY] = "before the start",
    };
    return call < G_N_ELEMENTS(names) && names[call] ? names[call] : "?";
}

/* ---- Stacks ------------------------------------------------------------------------ */

static const FcProfileContext *context_at(const FcModel *model, gint index)
{
    return &g_array_index(model->profile->contexts, FcProfileContext, index);
}

static const FcFunction *function_of(const FcModel *model, gint context)
{
    return fc_model_function(model, model->function_of[context_at(model, context)->function]);
}

/* An inlined function has the call site of what it was inlined into (see callsites.c). */
static gboolean is_inlined(const FcModel *model, gint context)
{
    const FcProfileContext *own = context_at(model, context);
    return own->parent != FC_NONE &&
           context_at(model, own->parent)->site.address == own->site.address;
}

/* The function whose machine code `context` runs in. */
static const FcFunction *code_of(const FcModel *model, gint context)
{
    while (is_inlined(model, context))
        context = context_at(model, context)->parent;
    return function_of(model, context);
}

/* `function` is the function of the location, if it is known; else NULL. */
static void add_location(const FcModel *model, GArray *stack, const FcProfileLocation *location,
                         const FcFunction *function)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, location, TRUE, &symbol);
    FcMemoryFrame frame = {.name = function ? function->name : symbol.name,
                           .label =
                               function ? function->label : fc_labels_of_name(model, symbol.name),
                           .location = *location};
    g_array_append_val(stack, frame);
}

static void add_function(GArray *stack, const FcFunction *function)
{
    FcMemoryFrame frame = {.name = function->name,
                           .label = function->label,
                           .location = function->figures.location,
                           .no_line = TRUE};
    g_array_append_val(stack, frame);
}

/* Adds a call that was made at `location` while `context` was active.  The function of the context
 * made it, or an unprofiled function that it had called. */
static void add_call(const FcModel *model, GArray *stack, const FcProfileLocation *location,
                     gint context)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, location, TRUE, &symbol);
    const FcFunction *code = code_of(model, context);
    const FcFunction *function = function_of(model, context);
    if (symbol.start == code->symbol.start && symbol.raw_name == code->symbol.raw_name)
    {
        add_location(model, stack, location, function);
        return;
    }
    add_location(model, stack, location, NULL);
    add_function(stack, function);
}

static gboolean is_main(const FcModel *model, const FcProfileLocation *location)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, location, TRUE, &symbol);
    return g_strcmp0(symbol.raw_name, "main") == 0;
}

static void add_frames(const FcModel *model, GArray *stack, gint frame)
{
    for (; frame != FC_NONE &&
           !is_main(model, &g_array_index(stack, FcMemoryFrame, stack->len - 1).location);)
    {
        const FcProfileHeapFrame *from =
            &g_array_index(model->profile->heap.frames, FcProfileHeapFrame, frame);
        add_location(model, stack, &from->location, NULL);
        frame = from->parent;
    }
}

static void add_contexts(const FcModel *model, GArray *stack, gint context)
{
    while (g_strcmp0(function_of(model, context)->symbol.raw_name, "main") != 0)
    {
        const FcProfileContext *own = context_at(model, context);
        if (is_inlined(model, context))
            add_function(stack, function_of(model, own->parent));
        else if (own->parent != FC_NONE)
            add_call(model, stack, &own->site, own->parent);
        else if (fc_profile_is_folded(own))
        {
            FcMemoryFrame folded = {
                .name = FC_MODEL_FOLDED, .label = FC_MODEL_FOLDED, .no_line = TRUE};
            folded.location.module = FC_NONE;
            g_array_append_val(stack, folded);
        }
        else
            add_location(model, stack, &own->site, NULL);
        if (own->parent == FC_NONE)
            break;
        context = own->parent;
    }
}

GArray *fc_memory_stack(const FcModel *model, const FcProfileHeapPoint *point)
{
    GArray *stack = g_array_new(FALSE, TRUE, sizeof(FcMemoryFrame));
    if (point->call == 0)
        return stack;
    if (point->frames != FC_NONE)
    {
        add_location(model, stack, &point->site, NULL);
        add_frames(model, stack, point->frames);
    }
    else if (point->context != FC_NONE)
    {
        add_call(model, stack, &point->site, point->context);
        add_contexts(model, stack, point->context);
    }
    else
        add_location(model, stack, &point->site, NULL);
    return stack;
}

/* ---- Suppressions ------------------------------------------------------------------- */

static const char *path_of(const FcModel *model, const FcProfileLocation *location)
{
    return location->module == FC_NONE
               ? NULL
               : g_array_index(model->profile->modules, FcProfileModule, location->module).path;
}

static gboolean is_one_of(const char *path, const char *const *prefixes)
{
    for (; path && *prefixes; prefixes++)
        if (g_str_has_prefix(fc_base_name(path), *prefixes))
            return TRUE;
    return FALSE;
}

/* The C library alone.  Older versions of glibc have other libraries beside it. */
static const char *const c_library[] = {"libc.so", "libc-2", "libc.musl-", "ld-musl", NULL};
/* The libraries that the built-in rules apply to. */
static const char *const libraries[] = {
    "libc.so", "libc-2",  "libc.musl-",   "libdl.so",  "libdl-2",      "ld-2", "ld-linux",
    "ld-musl", "ld64.so", "libstdc++.so", "libc++.so", "libc++abi.so", NULL,
};

/* operator new allocates for its caller.  The caller is not known for blocks from before the
 * start. */
static gboolean is_operator_new(const FcSymbol *symbol)
{
    return symbol->raw_name && (g_str_has_prefix(symbol->raw_name, "_Znw") ||
                                g_str_has_prefix(symbol->raw_name, "_Zna"));
}

/* Whether a built-in rule may fit the frame: a program's own getserver() is not the C library's
 * getservbyname().  A name that is reserved for the libraries is theirs wherever they are linked
 * into. */
static gboolean is_of_libraries(const FcModel *model, const FcMemoryFrame *frame,
                                const FcSymbol *symbol)
{
    return (is_one_of(path_of(model, &frame->location), libraries) && !is_operator_new(symbol)) ||
           (symbol->raw_name && g_str_has_prefix(symbol->raw_name, "__"));
}

/* What a pattern may fit: the names, the files and the modules of the frames, and which of these
 * are of frames in the libraries. */
typedef struct
{
    GPtrArray *all;
    GPtrArray *of_libraries;
} Names;

static void add_name(const Names *names, gboolean is_library, const char *name)
{
    if (!name)
        return;
    g_ptr_array_add(names->all, (gpointer)name);
    if (is_library)
        g_ptr_array_add(names->of_libraries, (gpointer)name);
}

static void add_names(const FcModel *model, const FcMemoryFrame *frame, const Names *names)
{
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &frame->location, !frame->no_line, &symbol);
    const gboolean is_library = is_of_libraries(model, frame, &symbol);
    add_name(names, is_library, frame->name);
    add_name(names, is_library, symbol.raw_name);
    add_name(names, is_library, symbol.file);
    add_name(names, is_library, path_of(model, &frame->location));
}

/* The first rule of `kind` that fits one of the frames from the innermost on. */
static FcSuppression *find_among(const FcModel *model, FcSuppressions *suppressions,
                                 FcSuppressKind kind, const GArray *stack, guint frames)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    g_autoptr(GPtrArray) of_libraries = g_ptr_array_new();
    const Names names = {all, of_libraries};
    for (guint i = 0; i < frames; i++)
        add_names(model, &g_array_index(stack, FcMemoryFrame, i), &names);
    g_ptr_array_add(all, NULL);
    g_ptr_array_add(of_libraries, NULL);
    return fc_suppressions_find(suppressions, kind, (const char *const *)all->pdata,
                                (const char *const *)of_libraries->pdata);
}

static FcSuppression *find_rule(const FcModel *model, FcSuppressions *suppressions,
                                FcSuppressKind kind, const FcProfileHeapPoint *point)
{
    g_autoptr(GArray) stack = fc_memory_stack(model, point);
    if (stack->len == 0)
        return NULL;
    FcSuppression *rule = find_among(model, suppressions, kind, stack, stack->len);
    if (rule || kind == FC_SUPPRESS_FREE)
        return rule;
    rule = find_among(model, suppressions, FC_SUPPRESS_DIRECT, stack, 1);
    if (!rule && point->call == FC_CALL_EARLY)
        rule = find_among(model, suppressions, FC_SUPPRESS_EARLY, stack, 1);
    return rule;
}

/* ---- Figures ------------------------------------------------------------------------- */

FcMemorySum fc_memory_leaked(const FcProfileAllocSite *site)
{
    return (FcMemorySum){site->live_blocks - MIN(site->reachable_blocks, site->live_blocks),
                         site->live_bytes - MIN(site->reachable_bytes, site->live_bytes)};
}

static void add_sum(FcMemorySum *into, guint64 blocks, guint64 bytes)
{
    into->blocks += blocks;
    into->bytes += bytes;
}

/* Each function counts once, however often it is on the path. */
static void add_figures(FcMemory *memory, const FcProfileAllocSite *site, guint *seen, guint mark)
{
    const FcModel *model = memory->model;
    gint context = site->point.context;
    guint own = context == FC_NONE ? model->functions->len
                                   : model->function_of[context_at(model, context)->function];
    fc_profile_add_heap_figures(&memory->self[own], site);
    if (context == FC_NONE)
        fc_profile_add_heap_figures(&memory->total[own], site);
    for (; context != FC_NONE; context = context_at(model, context)->parent)
    {
        guint function = model->function_of[context_at(model, context)->function];
        if (seen[function] == mark)
            continue;
        seen[function] = mark;
        fc_profile_add_heap_figures(&memory->total[function], site);
    }
}

/* Whether the point is shown, as in the call graph: a function on its path is shown, and none is
 * excluded.  Without a path, it is shown unless `has_only`. */
static gboolean is_shown(const FcModel *model, const FcProfileHeapPoint *point, gboolean has_only)
{
    gboolean shown = point->context == FC_NONE && !has_only;
    for (gint context = point->context; context != FC_NONE;
         context = context_at(model, context)->parent)
    {
        const FcFunction *function = function_of(model, context);
        if (function->excluded)
            return FALSE;
        shown = shown || function->shown;
    }
    return shown;
}

/* Adds leaks that the C library allocated.  In a function without a name: only its exported
 * functions have one where its full symbol table is not installed. */
static void add_of_libc(FcMemory *memory, const FcProfileAllocSite *site, const FcMemorySum *leaked)
{
    FcSymbol symbol;
    const FcModel *model = memory->model;
    const FcProfileLocation *place = &site->point.site;
    if (leaked->blocks == 0 || !is_one_of(path_of(model, place), c_library))
        return;
    fc_symbols_find_name(model->symbols, model->profile, place, TRUE, &symbol);
    if (!symbol.raw_name && model->profile->heap.scanned == 0)
        add_sum(&memory->unnamed, leaked->blocks, leaked->bytes);
    else if (site->point.frames == FC_NONE)
        add_sum(&memory->by_libc, leaked->blocks, leaked->bytes);
}

static void judge_alloc_site(FcMemory *memory, guint index, FcSuppressions *suppressions,
                             gboolean has_only)
{
    const FcProfileAllocSite *site =
        &g_array_index(memory->model->profile->heap.alloc_sites, FcProfileAllocSite, index);
    FcMemoryVerdict *verdict = &memory->alloc_sites[index];
    FcMemorySum leaked = fc_memory_leaked(site);
    FcSuppression *rule =
        leaked.blocks > 0 ? find_rule(memory->model, suppressions, FC_SUPPRESS_LEAK, &site->point)
                          : NULL;
    verdict->suppressed = rule;
    verdict->shown = is_shown(memory->model, &site->point, has_only);
    if (!verdict->shown)
        return;
    add_sum(&memory->reachable, site->reachable_blocks, site->reachable_bytes);
    add_sum(rule ? &memory->suppressed : &memory->lost, leaked.blocks, leaked.bytes);
    if (!rule)
    {
        add_sum(&memory->indirect, site->indirect_blocks, site->indirect_bytes);
        add_of_libc(memory, site, &leaked);
        return;
    }
    rule->hits += leaked.blocks;
    rule->hit_bytes += leaked.bytes;
}

static void judge_bad_free(FcMemory *memory, guint index, FcSuppressions *suppressions,
                           gboolean has_only)
{
    const FcProfileBadFree *bad =
        &g_array_index(memory->model->profile->heap.bad_frees, FcProfileBadFree, index);
    FcMemoryVerdict *verdict = &memory->bad_frees[index];
    FcSuppression *rule = find_rule(memory->model, suppressions, FC_SUPPRESS_FREE, &bad->here);
    verdict->suppressed = rule;
    verdict->shown = is_shown(memory->model, &bad->here, has_only);
    if (!verdict->shown)
        return;
    memory->bad_suppressed += rule != NULL;
    memory->bad_count += rule == NULL;
    if (rule)
        rule->hits++;
}

/* A profile of version 3.0 has the addresses of bad frees and nothing to judge them by. */
static void count_blocks(FcMemory *memory)
{
    const FcProfile *profile = memory->model->profile;
    for (guint i = 0; i < profile->leaks->len; i++)
        add_sum(&memory->lost, 1, g_array_index(profile->leaks, FcProfileBlock, i).size_bytes);
    add_sum(&memory->lost, profile->unlisted_leaks.blocks, profile->unlisted_leaks.bytes);
    memory->bad_count = profile->bad_frees->len + profile->bad_reallocs->len;
}

FcMemory *fc_memory_new(const FcModel *model, FcSuppressions *suppressions, gboolean has_only)
{
    const FcProfileHeap *heap = &model->profile->heap;
    FcMemory *memory = g_new0(FcMemory, 1);
    guint functions = model->functions->len + 1;
    g_autofree guint *seen = g_new0(guint, functions);
    memory->model = model;
    memory->alloc_sites = g_new0(FcMemoryVerdict, heap->alloc_sites->len + 1);
    memory->bad_frees = g_new0(FcMemoryVerdict, heap->bad_frees->len + 1);
    memory->self = g_new0(FcProfileAllocSite, functions);
    memory->total = g_new0(FcProfileAllocSite, functions);
    for (guint i = 0; i < heap->alloc_sites->len; i++)
    {
        add_figures(memory, &g_array_index(heap->alloc_sites, FcProfileAllocSite, i), seen, i + 1);
        judge_alloc_site(memory, i, suppressions, has_only);
    }
    for (guint i = 0; i < heap->bad_frees->len; i++)
        judge_bad_free(memory, i, suppressions, has_only);
    if (!heap->recorded)
        count_blocks(memory);
    return memory;
}

void fc_memory_free(FcMemory *memory)
{
    if (!memory)
        return;
    g_free(memory->alloc_sites);
    g_free(memory->bad_frees);
    g_free(memory->self);
    g_free(memory->total);
    g_free(memory);
}
