/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports of memory are made of; see memory.h.
 */
#include "model/memory.h"

#include "libfc/fc-format.h"
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

static void add_place(const FcModel *model, GArray *stack, const FcProfilePlace *place,
                      const char *name)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, place, TRUE, &symbol);
    FcMemoryFrame frame = {.name = name ? name : symbol.name, .place = *place};
    g_array_append_val(stack, frame);
}

static void add_function(GArray *stack, const FcFunction *function)
{
    FcMemoryFrame frame = {
        .name = function->name, .place = function->figures.place, .no_line = TRUE};
    g_array_append_val(stack, frame);
}

/* A call from `place` while `context` was active: by its function itself, or by what it had
 * called and is not profiled. */
static void add_call(const FcModel *model, GArray *stack, const FcProfilePlace *place, gint context)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, place, TRUE, &symbol);
    const FcFunction *code = code_of(model, context);
    const FcFunction *function = function_of(model, context);
    if (symbol.start == code->symbol.start && symbol.raw_name == code->symbol.raw_name)
    {
        add_place(model, stack, place, function->name);
        return;
    }
    add_place(model, stack, place, NULL);
    add_function(stack, function);
}

static gboolean is_main(const FcModel *model, const FcProfilePlace *place)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, place, TRUE, &symbol);
    return g_strcmp0(symbol.raw_name, "main") == 0;
}

static void add_frames(const FcModel *model, GArray *stack, gint frame)
{
    for (; frame != FC_NONE &&
           !is_main(model, &g_array_index(stack, FcMemoryFrame, stack->len - 1).place);)
    {
        const FcProfileHeapFrame *from =
            &g_array_index(model->profile->heap.frames, FcProfileHeapFrame, frame);
        add_place(model, stack, &from->place, NULL);
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
            FcMemoryFrame folded = {.name = FC_MODEL_FOLDED, .no_line = TRUE};
            folded.place.module = FC_NONE;
            g_array_append_val(stack, folded);
        }
        else
            add_place(model, stack, &own->site, NULL);
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
        add_place(model, stack, &point->site, NULL);
        add_frames(model, stack, point->frames);
    }
    else if (point->context != FC_NONE)
    {
        add_call(model, stack, &point->site, point->context);
        add_contexts(model, stack, point->context);
    }
    else
        add_place(model, stack, &point->site, NULL);
    return stack;
}

/* ---- Suppressions ------------------------------------------------------------------- */

/* What a pattern may fit: the names, the files and the modules of the frames. */
static void add_names(const FcModel *model, const FcMemoryFrame *frame, GPtrArray *names)
{
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &frame->place, !frame->no_line, &symbol);
    g_ptr_array_add(names, (gpointer)frame->name);
    if (symbol.raw_name)
        g_ptr_array_add(names, (gpointer)symbol.raw_name);
    if (symbol.file)
        g_ptr_array_add(names, (gpointer)symbol.file);
    if (frame->place.module != FC_NONE)
        g_ptr_array_add(
            names,
            g_array_index(model->profile->modules, FcProfileModule, frame->place.module).path);
}

static const char *const *end_names(GPtrArray *names)
{
    g_ptr_array_add(names, NULL);
    return (const char *const *)names->pdata;
}

static FcSuppression *find_rule(const FcModel *model, FcSuppressions *suppressions,
                                FcSuppressKind kind, const FcProfileHeapPoint *point)
{
    g_autoptr(GArray) stack = fc_memory_stack(model, point);
    g_autoptr(GPtrArray) direct = g_ptr_array_new();
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    if (stack->len == 0)
        return NULL;
    add_names(model, &g_array_index(stack, FcMemoryFrame, 0), direct);
    for (guint i = 0; i < stack->len; i++)
        add_names(model, &g_array_index(stack, FcMemoryFrame, i), all);
    FcSuppression *rule = fc_suppressions_find(suppressions, kind, end_names(all));
    if (rule || kind == FC_SUPPRESS_FREE)
        return rule;
    const char *const *names = end_names(direct);
    rule = fc_suppressions_find(suppressions, FC_SUPPRESS_DIRECT, names);
    if (!rule && point->call == FC_CALL_EARLY)
        rule = fc_suppressions_find(suppressions, FC_SUPPRESS_EARLY, names);
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

/* As the call graph has it: shown if any function on the way is, unless one is left out. */
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

/* Whether the call at `site` is in the C library, in a function without a name: only its exported
 * functions have one where its full symbol table is not installed. */
static gboolean is_unnamed(const FcModel *model, const FcProfilePlace *site)
{
    FcSymbol symbol;
    if (site->module == FC_NONE)
        return FALSE;
    const char *path = g_array_index(model->profile->modules, FcProfileModule, site->module).path;
    const char *name = fc_base_name(path);
    if (!g_str_has_prefix(name, "libc.so") && !g_str_has_prefix(name, "libc-2") &&
        !g_str_has_prefix(name, "ld-musl"))
        return FALSE;
    fc_symbols_find_name(model->symbols, model->profile, site, TRUE, &symbol);
    return symbol.raw_name == NULL;
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
        if (leaked.blocks > 0 && memory->model->profile->heap.scanned == 0 &&
            is_unnamed(memory->model, &site->point.site))
            add_sum(&memory->unnamed, leaked.blocks, leaked.bytes);
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
