/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap in the JSON export: see the manual for its members.
 */
#include "fcdump/export-json.h"

#include "model/memory-lines.h"

typedef struct
{
    const FcReportContext *context;
    const FcModel *model;
    FcJson *json;
    gint first_context; /* index in the array of the profile's first context */
} Export;

/* ---- Points -------------------------------------------------------------------------- */

static void put_stack(const Export *export, const FcProfileHeapPoint *point)
{
    FcJson *json = export->json;
    g_autoptr(GArray) stack = fc_memory_stack(export->model, point);
    fc_json_begin_array(json, "stack");
    for (guint i = 0; i < stack->len; i++)
    {
        const FcMemoryFrame *frame = &g_array_index(stack, FcMemoryFrame, i);
        FcSymbol symbol = {0};
        if (!frame->no_line)
            fc_symbols_find(export->model->symbols, export->model->profile, &frame->location, TRUE,
                            &symbol);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "name", frame->name);
        fc_json_string(json, "short_name", frame->label);
        fc_export_json_source(json, &symbol);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* Writes the program's own line that called the allocator, maybe through inlined code. */
static void put_own_line(const Export *export, const FcProfileHeapPoint *point)
{
    FcJson *json = export->json;
    g_autoptr(GArray) lines = fc_memory_lines(export->model, point);
    if (lines->len == 0)
    {
        fc_json_null(json, "own");
        return;
    }
    const FcMemoryLine *line = &g_array_index(lines, FcMemoryLine, fc_memory_own_line(lines));
    const FcSymbol symbol = {.file = line->file, .line = line->line};
    fc_json_begin_object(json, "own");
    fc_json_string(json, "name", line->name);
    fc_json_string(json, "short_name", line->label);
    fc_export_json_source(json, &symbol);
    fc_json_end_object(json);
}

/* The members of a point. */
static void put_point(const Export *export, const FcProfileHeapPoint *point)
{
    FcJson *json = export->json;
    fc_json_string(json, "call", fc_memory_call_name(point->call));
    fc_json_index(json, "context",
                  point->context == FC_NONE || export->context->model->of_threads
                      ? FC_NONE
                      : point->context + export->first_context);
    fc_json_index(json, "frames", point->frames);
    fc_export_json_site(export->context, json, "site", &point->site);
    put_stack(export, point);
    put_own_line(export, point);
}

static void put_point_object(const Export *export, const char *key, const FcProfileHeapPoint *point)
{
    if (point->call == 0)
    {
        fc_json_null(export->json, key);
        return;
    }
    fc_json_begin_object(export->json, key);
    put_point(export, point);
    fc_json_end_object(export->json);
}

static void put_suppressed(const Export *export, const FcSuppression *rule)
{
    g_autofree char *text =
        rule ? g_strdup_printf("%s:%s", fc_suppress_kind_name(rule->kind), rule->pattern) : NULL;
    fc_json_string(export->json, "suppressed_by", text);
}

/* ---- Figures --------------------------------------------------------------------------- */

static void put_figures(const Export *export, const FcProfileAllocSite *figures)
{
    FcJson *json = export->json;
    fc_json_unsigned(json, "allocations", figures->allocations);
    fc_json_unsigned(json, "bytes", figures->bytes);
    fc_json_unsigned(json, "frees", figures->frees);
    fc_json_unsigned(json, "live_blocks", figures->live_blocks);
    fc_json_unsigned(json, "live_bytes", figures->live_bytes);
    fc_json_unsigned(json, "reachable_blocks", figures->reachable_blocks);
    fc_json_unsigned(json, "reachable_bytes", figures->reachable_bytes);
    fc_json_unsigned(json, "indirect_blocks", figures->indirect_blocks);
    fc_json_unsigned(json, "indirect_bytes", figures->indirect_bytes);
    fc_json_unsigned(json, "peak_bytes", figures->peak_bytes);
    fc_json_unsigned(json, "temporary", figures->temporary);
    fc_json_unsigned(json, "lifetime_ns", figures->lifetime_ns);
    fc_export_json_buckets(json, "sizes", figures->sizes, FC_SIZE_BUCKETS, "bytes", "blocks");
}

static void put_functions(const Export *export)
{
    FcJson *json = export->json;
    const FcMemory *memory = export->context->memory;
    const guint count = export->model->functions->len;
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i <= count; i++)
    {
        if (memory->total[i].allocations == 0)
            continue;
        fc_json_begin_object(json, NULL);
        fc_json_index(json, "function", i < count ? (gint)i : FC_NONE);
        fc_json_begin_object(json, "own");
        put_figures(export, &memory->self[i]);
        fc_json_end_object(json);
        fc_json_begin_object(json, "total");
        put_figures(export, &memory->total[i]);
        fc_json_end_object(json);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* ---- Lists ------------------------------------------------------------------------------- */

static void put_frames(const Export *export, const GArray *frames)
{
    FcJson *json = export->json;
    fc_json_begin_array(json, "frames");
    for (guint i = 0; i < frames->len; i++)
    {
        const FcProfileHeapFrame *frame = &g_array_index(frames, FcProfileHeapFrame, i);
        fc_json_begin_object(json, NULL);
        fc_json_index(json, "parent", frame->parent);
        fc_export_json_site(export->context, json, "site", &frame->location);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_alloc_sites(const Export *export, const GArray *sites)
{
    FcJson *json = export->json;
    fc_json_begin_array(json, "places");
    for (guint i = 0; i < sites->len; i++)
    {
        const FcProfileAllocSite *site = &g_array_index(sites, FcProfileAllocSite, i);
        fc_json_begin_object(json, NULL);
        put_point(export, &site->point);
        put_figures(export, site);
        put_suppressed(export, export->context->memory->alloc_sites[i].suppressed);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_blocks(const Export *export, const GArray *blocks)
{
    static const char *const states[] = {[FC_BLOCK_LIVE] = "live",
                                         [FC_BLOCK_LOST] = "lost",
                                         [FC_BLOCK_INDIRECT] = "indirect",
                                         [FC_BLOCK_REACHABLE] = "reachable"};
    FcJson *json = export->json;
    fc_json_begin_array(json, "blocks");
    for (guint i = 0; i < blocks->len; i++)
    {
        const FcProfileHeapBlock *block = &g_array_index(blocks, FcProfileHeapBlock, i);
        fc_json_begin_object(json, NULL);
        fc_json_address(json, "pointer", block->pointer);
        fc_json_unsigned(json, "size_bytes", block->size_bytes);
        fc_json_unsigned(json, "time_ns", block->time_ns);
        fc_json_unsigned(json, "place", block->alloc_site);
        fc_json_string(json, "state", states[block->state]);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_bad_frees(const Export *export, const GArray *frees)
{
    static const char *const kinds[] = {[FC_BAD_UNKNOWN] = "unknown",
                                        [FC_BAD_DOUBLE] = "double",
                                        [FC_BAD_INSIDE] = "inside",
                                        [FC_BAD_STACK] = "stack",
                                        [FC_BAD_MISMATCH] = "mismatch"};
    FcJson *json = export->json;
    fc_json_begin_array(json, "bad_frees");
    for (guint i = 0; i < frees->len; i++)
    {
        const FcProfileBadFree *bad = &g_array_index(frees, FcProfileBadFree, i);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "kind", kinds[bad->kind]);
        fc_json_address(json, "pointer", bad->pointer);
        if (bad->block != 0)
            fc_json_address(json, "block", bad->block);
        else
            fc_json_null(json, "block");
        fc_json_unsigned(json, "size_bytes", bad->size_bytes);
        fc_json_unsigned(json, "time_ns", bad->time_ns);
        put_point_object(export, "here", &bad->here);
        put_point_object(export, "allocated", &bad->allocated);
        put_point_object(export, "freed", &bad->freed);
        put_suppressed(export, export->context->memory->bad_frees[i].suppressed);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_samples(const Export *export, const GArray *samples)
{
    FcJson *json = export->json;
    fc_json_begin_array(json, "samples");
    for (guint i = 0; i < samples->len; i++)
    {
        const FcProfileHeapSample *sample = &g_array_index(samples, FcProfileHeapSample, i);
        fc_json_begin_object(json, NULL);
        fc_json_unsigned(json, "time_ns", sample->time_ns);
        fc_json_unsigned(json, "live_bytes", sample->live_bytes);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* ---- The whole --------------------------------------------------------------------------- */

static void put_sum(const Export *export, const char *key, const FcMemorySum *sum)
{
    fc_json_begin_object(export->json, key);
    fc_json_unsigned(export->json, "blocks", sum->blocks);
    fc_json_unsigned(export->json, "bytes", sum->bytes);
    fc_json_end_object(export->json);
}

static void put_totals(const Export *export, const FcProfileHeap *heap)
{
    FcJson *json = export->json;
    const FcMemory *memory = export->context->memory;
    fc_json_unsigned(json, "allocations", heap->allocations);
    fc_json_unsigned(json, "frees", heap->frees);
    fc_json_unsigned(json, "bytes", heap->bytes);
    fc_json_unsigned(json, "live_blocks", heap->live_blocks);
    fc_json_unsigned(json, "live_bytes", heap->live_bytes);
    fc_json_unsigned(json, "peak_bytes", heap->peak_bytes);
    fc_json_unsigned(json, "peak_ns", heap->peak_ns);
    fc_json_unsigned(json, "maps", heap->maps);
    fc_json_unsigned(json, "map_bytes", heap->map_bytes);
    fc_json_unsigned(json, "unmaps", heap->unmaps);
    fc_json_unsigned(json, "unmap_bytes", heap->unmap_bytes);
    fc_json_boolean(json, "scanned", heap->scanned != 0);
    put_sum(export, "leaked", &memory->lost);
    put_sum(export, "indirect", &memory->indirect);
    put_sum(export, "unnamed", &memory->unnamed);
    put_sum(export, "reachable", &memory->reachable);
    put_sum(export, "suppressed", &memory->suppressed);
}

void fc_export_json_heap(const FcReportContext *context, FcJson *json)
{
    const Export export = {.context = context,
                           .model = context->model,
                           .json = json,
                           .first_context = (gint)fc_json_first_context(context->model->profile)};
    const FcProfileHeap *heap = &context->model->profile->heap;
    if (!heap->recorded)
    {
        fc_json_null(json, "heap");
        return;
    }
    fc_json_begin_object(json, "heap");
    put_totals(&export, heap);
    put_functions(&export);
    put_frames(&export, heap->frames);
    put_alloc_sites(&export, heap->alloc_sites);
    put_blocks(&export, heap->blocks);
    fc_json_unsigned(json, "blocks_not_listed", heap->unlisted.blocks);
    fc_json_unsigned(json, "bytes_not_listed", heap->unlisted.bytes);
    put_bad_frees(&export, heap->bad_frees);
    put_samples(&export, heap->samples);
    fc_json_end_object(json);
}
