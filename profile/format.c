/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of a .fc file: version 3.0 first, then our own sections, each
 * `section NAME VERSION COUNT` and COUNT lines.  doc/formats.texi specifies them;
 * parse-sections.c reads them.  Must never write what the reader refuses.
 */
#include "profile/format.h"
#include "profile/fc-profile-file.h"
#include "profile/file.h"
#include "profile/text.h"

#include <math.h>

#define PIECE_BYTES (1u << 18)

const char *const fc_format_end_names[FC_FORMAT_ENDS] = {"unknown", "exit", "signal", "exec"};
const char *const fc_format_bad_names[FC_FORMAT_BAD_KINDS] = {"unknown", "double", "inside",
                                                              "stack", "mismatch"};
const char *const fc_format_state_names[FC_FORMAT_STATES] = {"live", "lost", "indirect",
                                                             "reachable"};
const FcProfileHeapPoint fc_format_no_point = {FC_NONE, {0, 0, FC_NONE}, 0, FC_NONE};
const char *const fc_format_time_mode_names[FC_FORMAT_TIME_MODES] = {"-", "tsc", "ext", "cpu",
                                                                     "sys"};

#define HEAP_KEY(name, member)                                                                     \
    {                                                                                              \
        name, G_STRUCT_OFFSET(FcProfile, member)                                                   \
    }
const FcFormatHeapKey fc_format_heap_keys[FC_FORMAT_HEAP_KEYS] = {
    HEAP_KEY("allocations", heap.allocations),
    HEAP_KEY("frees", heap.frees),
    HEAP_KEY("bytes", heap.bytes),
    HEAP_KEY("live-blocks", heap.live_blocks),
    HEAP_KEY("live-bytes", heap.live_bytes),
    HEAP_KEY("peak-bytes", heap.peak_bytes),
    HEAP_KEY("peak-time", heap.peak_ns),
    HEAP_KEY("maps", heap.maps),
    HEAP_KEY("map-bytes", heap.map_bytes),
    HEAP_KEY("unmaps", heap.unmaps),
    HEAP_KEY("unmap-bytes", heap.unmap_bytes),
    HEAP_KEY("scanned", heap.scanned),
    HEAP_KEY("unlisted-blocks", heap.unlisted.blocks),
    HEAP_KEY("unlisted-bytes", heap.unlisted.bytes),
    HEAP_KEY("unlisted-leaks", unlisted_leaks.blocks),
    HEAP_KEY("unlisted-leak-bytes", unlisted_leaks.bytes),
};

void fc_format_begin_section(GString *out, const char *name, guint count)
{
    g_string_append_printf(out, "section %s 1 %u\n", name, count);
}

static void append_number(GString *out, guint64 number)
{
    g_string_append_c(out, ' ');
    fc_text_append_number(out, number);
}

static void append_signed(GString *out, gint64 number)
{
    g_string_append_c(out, ' ');
    fc_text_append_signed(out, number);
}

static void append_place(GString *out, const FcProfilePlace *place)
{
    append_signed(out, place->module);
    g_string_append_c(out, ' ');
    fc_text_append_hex(out, place->address);
}

static void append_buckets(GString *out, const guint64 *buckets, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        if (buckets[i] == 0)
            continue;
        append_number(out, i);
        g_string_append_c(out, ':');
        fc_text_append_number(out, buckets[i]);
    }
}

/* ---- process and clock: lines of a key and a value --------------------------- */

static void add_word(GString *lines, guint *count, const char *key, const char *value)
{
    if (!value)
        return;
    g_string_append_printf(lines, "%s ", key);
    fc_text_append_word(lines, value);
    g_string_append_c(lines, '\n');
    ++*count;
}

static void add_signed(GString *lines, guint *count, const char *key, gint64 value)
{
    g_string_append_printf(lines, "%s %" G_GINT64_FORMAT "\n", key, value);
    ++*count;
}

static void append_process(const FcProfile *profile, GString *out)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    guint count = 0;

    add_signed(lines, &count, "pid", profile->pid);
    add_signed(lines, &count, "ppid", profile->ppid);
    add_signed(lines, &count, "thread", profile->thread_id);
    add_word(lines, &count, "executable", profile->executable);
    add_word(lines, &count, "directory", profile->directory);
    add_word(lines, &count, "filter", profile->filter);
    if (profile->depth > 0)
        add_signed(lines, &count, "depth", profile->depth);
    if (profile->command_line)
        add_signed(lines, &count, "arguments", g_strv_length(profile->command_line));
    for (guint i = 0; profile->command_line && profile->command_line[i]; i++)
        add_word(lines, &count, "argument", profile->command_line[i]);
    const FcProfileEnd end = (guint)profile->end < FC_FORMAT_ENDS ? profile->end : FC_END_UNKNOWN;
    g_string_append_printf(lines, "end %s %d\n", fc_format_end_names[end], profile->end_value);
    count++;
    add_signed(lines, &count, "started", profile->start_realtime_ns);
    add_signed(lines, &count, "ended", profile->end_realtime_ns);
    g_string_append_printf(lines, "run %" G_GUINT64_FORMAT "\n", profile->run_ns);
    count++;

    fc_format_begin_section(out, "process", count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

static gboolean has_costs(const FcProfile *profile)
{
    guint64 any = 0;
    for (guint i = 0; i < FC_PROFILE_COSTS; i++)
        any |= profile->costs_ps[i];
    return any != 0;
}

static void append_clock(const FcProfile *profile, GString *out)
{
    char rate[G_ASCII_DTOSTR_BUF_SIZE];
    const guint mode = profile->time_mode > 0 && profile->time_mode < FC_FORMAT_TIME_MODES
                           ? (guint)profile->time_mode
                           : 0;

    fc_format_begin_section(out, "clock",
                            2u + (has_costs(profile) ? 1 : 0) + (profile->looks > 0 ? 1 : 0));
    g_string_append_printf(out, "mode %s\n", fc_format_time_mode_names[mode]);
    g_string_append_printf(
        out, "ticks-per-second %s\n",
        g_ascii_dtostr(rate, sizeof rate,
                       isfinite(profile->ticks_per_second) ? profile->ticks_per_second : 0));
    if (profile->looks > 0)
        g_string_append_printf(out, "looks %" G_GUINT64_FORMAT "\n", profile->looks);
    if (!has_costs(profile))
        return;
    g_string_append(out, "costs");
    for (guint i = 0; i < FC_PROFILE_COSTS; i++)
        append_number(out, profile->costs_ps[i]);
    g_string_append_c(out, '\n');
}

/* ---- tables ------------------------------------------------------------------ */

static void append_modules(const FcProfile *profile, GString *out)
{
    fc_format_begin_section(out, "modules", profile->modules->len);
    for (guint i = 0; i < profile->modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(profile->modules, FcProfileModule, i);
        fc_text_append_hex(out, module->base);
        g_string_append_c(out, ' ');
        fc_text_append_hex(out, module->start);
        g_string_append_c(out, ' ');
        fc_text_append_hex(out, module->end);
        append_number(out, module->load_ns);
        append_number(out, module->unload_ns);
        g_string_append_c(out, ' ');
        fc_text_append_word(out, module->build_id);
        g_string_append_c(out, ' ');
        fc_text_append_word(out, module->path ? module->path : "");
        g_string_append_c(out, '\n');
    }
}

static void append_functions(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    guint64 buckets[FC_HISTOGRAM_BUCKETS];
    fc_format_begin_section(out, "functions", profile->functions->len);
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        fc_text_append_signed(out, function->place.module);
        g_string_append_c(out, ' ');
        fc_text_append_hex(out, function->place.address);
        append_number(out, function->calls);
        append_number(out, function->times.total_ns);
        append_number(out, function->times.local_ns);
        append_number(out, function->bounds.total_min_ns);
        append_number(out, function->bounds.total_max_ns);
        append_number(out, function->bounds.local_min_ns);
        append_number(out, function->bounds.local_max_ns);
        fc_histogram_read(&function->histogram, buckets, FC_HISTOGRAM_BUCKETS);
        append_buckets(out, buckets, FC_HISTOGRAM_BUCKETS);
        g_string_append_c(out, '\n');
        fc_format_pass_on(sink, out);
    }
}

static void append_arcs(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    fc_format_begin_section(out, "arcs", profile->arcs->len);
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        fc_text_append_signed(out, arc->caller);
        append_place(out, &arc->site);
        append_number(out, arc->callee);
        append_number(out, arc->calls);
        append_number(out, arc->times.total_ns);
        g_string_append_c(out, '\n');
        fc_format_pass_on(sink, out);
    }
}

static void append_contexts(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    fc_format_begin_section(out, "contexts", profile->contexts->len);
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        const FcProfileContext *context = &g_array_index(profile->contexts, FcProfileContext, i);
        fc_text_append_signed(out, context->parent);
        append_place(out, &context->site);
        append_number(out, context->function);
        append_number(out, context->calls);
        append_number(out, context->times.total_ns);
        append_number(out, context->times.local_ns);
        g_string_append_c(out, '\n');
        fc_format_pass_on(sink, out);
    }
}

/* ---- threads ----------------------------------------------------------------- */

static void append_threads(const FcProfile *profile, GString *out)
{
    fc_format_begin_section(out, "threads", profile->threads->len);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        fc_text_append_signed(out, thread->tid);
        append_number(out, thread->start_ns);
        append_number(out, thread->end_ns);
        append_number(out, thread->run_ns);
        append_number(out, thread->calls);
        append_number(out, thread->ended ? 1 : 0);
        g_string_append_c(out, ' ');
        fc_text_append_word(out, thread->name);
        g_string_append_c(out, '\n');
    }
}

static void append_thread_stacks(const FcProfile *profile, GString *out)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const GArray *stack = g_array_index(profile->threads, FcProfileThread, i).stack;
        for (guint j = 0; stack && j < stack->len; j++, count++)
        {
            const FcProfileFrame *frame = &g_array_index(stack, FcProfileFrame, j);
            fc_text_append_number(lines, i);
            append_place(lines, &frame->site);
            append_number(lines, frame->function);
            g_string_append_c(lines, '\n');
        }
    }
    fc_format_begin_section(out, "thread-stacks", count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

/* ---- heap --------------------------------------------------------------------- */

static void append_point(GString *out, const FcProfileHeapPoint *point)
{
    if (point->call == 0)
        point = &fc_format_no_point;
    fc_text_append_signed(out, point->context);
    append_place(out, &point->site);
    append_number(out, point->call);
    append_signed(out, point->frames);
}

static void append_heap_frame(GString *out, const FcProfileHeapFrame *frame)
{
    fc_text_append_signed(out, frame->parent);
    append_place(out, &frame->place);
    g_string_append_c(out, '\n');
}

static gboolean is_same_run(const FcProfileHeapBlock *a, const FcProfileHeapBlock *b)
{
    return a->alloc_site == b->alloc_site && a->state == b->state;
}

/* As differences, which are short where blocks lie beside each other and are alike. */
static void append_heap_block(GString *out, const FcProfileHeapBlock *block,
                              const FcProfileHeapBlock *before)
{
    g_string_append_c(out, ' ');
    fc_text_append_signed(out, (gint64)(block->pointer - before->pointer));
    g_string_append_c(out, ':');
    fc_text_append_signed(out, (gint64)(block->size_bytes - before->size_bytes));
    g_string_append_c(out, ':');
    fc_text_append_signed(out, (gint64)(block->time_ns - before->time_ns));
}

static void append_heap_blocks(GString *out, const GArray *blocks, const FcFormatSink *sink)
{
    static const FcProfileHeapBlock none = {0};
    const FcProfileHeapBlock *all = (const FcProfileHeapBlock *)(gconstpointer)blocks->data;
    guint runs = 0;
    for (guint i = 0; i < blocks->len; i++)
        runs += i == 0 || !is_same_run(&all[i], &all[i - 1]);
    fc_format_begin_section(out, "heap-blocks", runs);
    for (guint i = 0; i < blocks->len; i++)
    {
        const gboolean is_first = i == 0 || !is_same_run(&all[i], &all[i - 1]);
        if (is_first)
        {
            const guint state = (guint)all[i].state;
            fc_text_append_number(out, all[i].alloc_site);
            g_string_append_c(out, ' ');
            g_string_append(out, fc_format_state_names[MIN(state, FC_FORMAT_STATES - 1)]);
        }
        append_heap_block(out, &all[i], is_first ? &none : &all[i - 1]);
        if (i + 1 == blocks->len || !is_same_run(&all[i], &all[i + 1]))
            g_string_append_c(out, '\n');
        fc_format_pass_on(sink, out);
    }
}

static void append_alloc_site(GString *out, const FcProfileAllocSite *site)
{
    append_point(out, &site->point);
    append_number(out, site->allocations);
    append_number(out, site->bytes);
    append_number(out, site->frees);
    append_number(out, site->live_blocks);
    append_number(out, site->live_bytes);
    append_number(out, site->reachable_blocks);
    append_number(out, site->reachable_bytes);
    append_number(out, site->indirect_blocks);
    append_number(out, site->indirect_bytes);
    append_number(out, site->peak_bytes);
    append_number(out, site->temporary);
    append_number(out, site->lifetime_ns);
    append_buckets(out, site->sizes, FC_SIZE_BUCKETS);
    g_string_append_c(out, '\n');
}

static void append_heap_sample(GString *out, const FcProfileHeapSample *sample)
{
    fc_text_append_number(out, sample->time_ns);
    append_number(out, sample->live_bytes);
    g_string_append_c(out, '\n');
}

static void append_bad_free(GString *out, const FcProfileBadFree *bad)
{
    const guint kind = (guint)bad->kind < FC_FORMAT_BAD_KINDS ? bad->kind : FC_BAD_UNKNOWN;
    g_string_append(out, fc_format_bad_names[kind]);
    g_string_append_c(out, ' ');
    fc_text_append_hex(out, bad->pointer);
    g_string_append_c(out, ' ');
    fc_text_append_hex(out, bad->block);
    append_number(out, bad->size_bytes);
    append_number(out, bad->time_ns);
    const FcProfileHeapPoint *points[] = {&bad->here, &bad->allocated, &bad->freed};
    for (guint i = 0; i < G_N_ELEMENTS(points); i++)
    {
        g_string_append_c(out, ' ');
        append_point(out, points[i]);
    }
    g_string_append_c(out, '\n');
}

static void append_heap(GString *out, const FcProfile *profile, const FcFormatSink *sink)
{
    const FcProfileHeap *heap = &profile->heap;
    fc_format_begin_section(out, "heap", FC_FORMAT_HEAP_KEYS);
    for (guint i = 0; i < FC_FORMAT_HEAP_KEYS; i++)
    {
        g_string_append(out, fc_format_heap_keys[i].name);
        append_number(out, G_STRUCT_MEMBER(guint64, profile, fc_format_heap_keys[i].offset));
        g_string_append_c(out, '\n');
    }
    fc_format_begin_section(out, "heap-frames", heap->frames->len);
    for (guint i = 0; i < heap->frames->len; i++)
        append_heap_frame(out, &g_array_index(heap->frames, FcProfileHeapFrame, i));
    fc_format_begin_section(out, "heap-places", heap->alloc_sites->len);
    for (guint i = 0; i < heap->alloc_sites->len; i++)
        append_alloc_site(out, &g_array_index(heap->alloc_sites, FcProfileAllocSite, i));
    append_heap_blocks(out, heap->blocks, sink);
    fc_format_begin_section(out, "heap-bad-frees", heap->bad_frees->len);
    for (guint i = 0; i < heap->bad_frees->len; i++)
        append_bad_free(out, &g_array_index(heap->bad_frees, FcProfileBadFree, i));
    fc_format_begin_section(out, "heap-samples", heap->samples->len);
    for (guint i = 0; i < heap->samples->len; i++)
        append_heap_sample(out, &g_array_index(heap->samples, FcProfileHeapSample, i));
}

/* ---- whole ------------------------------------------------------------------- */

static void append_notes(GString *out, const char *section, const GArray *notes)
{
    fc_format_begin_section(out, section, notes->len);
    for (guint i = 0; i < notes->len; i++)
    {
        const FcProfileNote *note = &g_array_index(notes, FcProfileNote, i);
        fc_text_append_word(out, note->kind);
        append_number(out, note->count);
        g_string_append_c(out, '\n');
    }
}

void fc_format_pass_on(const FcFormatSink *sink, GString *out)
{
    if (!sink || out->len < PIECE_BYTES)
        return;
    sink->take(sink->data, out);
    g_string_truncate(out, 0);
}

static void format(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    fc_format_v3_figures(profile, profile->extended, out, sink);
    fc_format_v3_blocks(profile, out, sink);
    if (!profile->extended)
        return;
    append_process(profile, out);
    append_clock(profile, out);
    append_modules(profile, out);
    append_functions(profile, out, sink);
    append_threads(profile, out);
    fc_format_thread_functions(profile, out, sink);
    append_thread_stacks(profile, out);
    append_arcs(profile, out, sink);
    append_contexts(profile, out, sink);
    append_notes(out, "repairs", profile->repairs);
    append_notes(out, "losses", profile->losses);
    if (profile->heap.recorded)
        append_heap(out, profile, sink);
    fc_format_counted(profile, out);
    fc_format_waits(profile, out);
    fc_format_thread_arcs(profile, out);
    fc_format_latencies(profile, out);
    fc_format_slowest(profile, out);
    fc_format_traces(profile, out, sink);
    fc_format_begin_section(out, "end", 0);
}

GString *fc_profile_format(const FcProfile *profile)
{
    GString *out = g_string_new(NULL);
    format(profile, out, NULL);
    return out;
}

static void put(gpointer file, const GString *text)
{
    fc_file_put(file, text);
}

gboolean fc_profile_write(const FcProfile *profile, int dirfd, const char *path, GError **error)
{
    FcFileOut *file = fc_file_begin(dirfd, path, error);
    if (!file)
        return FALSE;
    const FcFormatSink sink = {put, file};
    g_autoptr(GString) text = g_string_sized_new(2 * PIECE_BYTES);
    format(profile, text, &sink);
    fc_file_put(file, text);
    return fc_file_end(file, error);
}
