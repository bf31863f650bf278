/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap in the HTML export.
 */
#include "fcdump/export-html.h"
#include "fcdump/report-memory.h"
#include "model/memory-lines.h"
#include "profile/path.h"

#include <stdlib.h>
#include <string.h>

enum
{
    SITES_MAX = 300, /* allocation sites: the largest at the peak, and those that leaked most */
    BAD_MAX = 300,   /* bad frees */
};

/* ---- Heap ------------------------------------------------------------------------------ */

/* Writes lines as fc_memory_lines has them, each an array: name, "file:line", whether it is the
 * system's; null if the point is not known.  Returns the index of the program's first line. */
static guint put_stack(const FcReportContext *context, FcJson *json, const char *key,
                       const FcProfileHeapPoint *point)
{
    if (point->call == 0)
    {
        fc_json_null(json, key);
        return 0;
    }
    g_autoptr(GArray) lines = fc_memory_lines(context->model, point);
    fc_json_begin_array(json, key);
    for (guint i = 0; i < lines->len; i++)
    {
        const FcMemoryLine *line = &g_array_index(lines, FcMemoryLine, i);
        const char *file =
            line->file && context->options->base_names ? fc_base_name(line->file) : line->file;
        g_autofree char *source = file ? g_strdup_printf("%s:%u", file, line->line) : NULL;
        fc_json_begin_array(json, NULL);
        fc_json_string(json, NULL, line->label);
        fc_json_string(json, NULL, source);
        fc_json_boolean(json, NULL, line->is_systems);
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
    return fc_memory_own_line(lines);
}

static void put_site(const FcReportContext *context, FcJson *json, guint index)
{
    const FcProfileAllocSite *site =
        &g_array_index(context->model->profile->heap.alloc_sites, FcProfileAllocSite, index);
    const FcMemorySum leaked = fc_memory_leaked(site);
    const gboolean suppressed = context->memory->alloc_sites[index].suppressed != NULL;
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "call", fc_memory_call_name(site->point.call));
    fc_json_unsigned(json, "bytes", site->bytes);
    fc_json_unsigned(json, "blocks", site->allocations);
    fc_json_unsigned(json, "temporary", site->temporary);
    fc_json_unsigned(json, "peak_bytes", site->peak_bytes);
    fc_json_unsigned(json, "leaked_bytes", suppressed ? 0 : leaked.bytes);
    fc_json_unsigned(json, "leaked_blocks", suppressed ? 0 : leaked.blocks);
    const guint own = put_stack(context, json, "stack", &site->point);
    fc_json_unsigned(json, "own", own);
    fc_json_end_object(json);
}

/* The sites that are largest at the peak, and those that leaked most. */
static void put_sites(const FcReportContext *context, FcJson *json)
{
    const GArray *sites = context->model->profile->heap.alloc_sites;
    const gsize figures[] = {G_STRUCT_OFFSET(FcProfileAllocSite, peak_bytes),
                             G_STRUCT_OFFSET(FcProfileAllocSite, live_bytes)};
    g_autofree gboolean *wanted = g_new0(gboolean, sites->len + 1);
    for (guint f = 0; f < G_N_ELEMENTS(figures); f++)
    {
        g_autoptr(GArray) largest = fc_report_largest(
            (const FcProfileAllocSite *)(const void *)sites->data, sites->len, figures[f]);
        for (guint i = 0; i < MIN(largest->len, SITES_MAX); i++)
            wanted[g_array_index(largest, guint, i)] = TRUE;
    }
    guint left_out = 0;
    fc_json_begin_array(json, "sites");
    for (guint i = 0; i < sites->len; i++)
    {
        const FcProfileAllocSite *site = &g_array_index(sites, FcProfileAllocSite, i);
        if (wanted[i])
            put_site(context, json, i);
        else
            left_out += site->peak_bytes > 0 || site->live_bytes > 0 ? 1 : 0;
    }
    fc_json_end_array(json);
    fc_json_unsigned(json, "sites_omitted", left_out);
}

static void put_bad_frees(const FcReportContext *context, FcJson *json)
{
    static const char *const kinds[] = {[FC_BAD_UNKNOWN] = "never was a block",
                                        [FC_BAD_DOUBLE] = "freed before",
                                        [FC_BAD_INSIDE] = "inside a block",
                                        [FC_BAD_STACK] = "on a stack",
                                        [FC_BAD_MISMATCH] = "allocated in another way"};
    const GArray *frees = context->model->profile->heap.bad_frees;
    fc_json_begin_array(json, "bad");
    for (guint i = 0; i < MIN(frees->len, BAD_MAX); i++)
    {
        const FcProfileBadFree *bad = &g_array_index(frees, FcProfileBadFree, i);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "kind", kinds[bad->kind]);
        fc_json_address(json, "pointer", bad->pointer);
        fc_json_unsigned(json, "time_ns", bad->time_ns);
        put_stack(context, json, "here", &bad->here);
        put_stack(context, json, "allocated", &bad->allocated);
        put_stack(context, json, "freed", &bad->freed);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
    fc_json_unsigned(json, "bad_omitted", frees->len - MIN(frees->len, BAD_MAX));
}

void fc_export_html_heap(const FcReportContext *context, FcJson *json)
{
    const FcProfileHeap *heap = &context->model->profile->heap;
    if (!heap->recorded)
    {
        fc_json_null(json, "heap");
        return;
    }
    fc_json_begin_object(json, "heap");
    fc_json_unsigned(json, "allocations", heap->allocations);
    fc_json_unsigned(json, "frees", heap->frees);
    fc_json_unsigned(json, "bytes", heap->bytes);
    fc_json_unsigned(json, "peak_bytes", heap->peak_bytes);
    fc_json_unsigned(json, "peak_ns", heap->peak_ns);
    fc_json_unsigned(json, "leaked_blocks", context->memory->lost.blocks);
    fc_json_unsigned(json, "leaked_bytes", context->memory->lost.bytes);
    fc_json_begin_array(json, "samples");
    for (guint i = 0; i < heap->samples->len; i++)
    {
        const FcProfileHeapSample *sample = &g_array_index(heap->samples, FcProfileHeapSample, i);
        fc_json_begin_array(json, NULL);
        fc_json_unsigned(json, NULL, sample->time_ns);
        fc_json_unsigned(json, NULL, sample->live_bytes);
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
    put_sites(context, json);
    put_bad_frees(context, json);
    fc_json_end_object(json);
}
