/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections heap-blocks and latencies; see runs.h.
 */
#include "profile/runs.h"

#include <string.h>

/* ---- Blocks: those of one allocation site and one state are a run --------------------------- */

static const char *const state_names[] = {"live", "lost", "indirect", "reachable"};

static const FcProfileHeapBlock *block_at(const GArray *blocks, guint index)
{
    return &g_array_index(blocks, FcProfileHeapBlock, index);
}

static gboolean begins_run(const GArray *blocks, guint index)
{
    const FcProfileHeapBlock *block = block_at(blocks, index);
    const FcProfileHeapBlock *before = index > 0 ? block_at(blocks, index - 1) : NULL;
    return !before || before->alloc_site != block->alloc_site || before->state != block->state;
}

/* Writes differences to the block before; they are short if blocks are close together and alike. */
static void write_block(GString *out, const FcProfileHeapBlock *block,
                        const FcProfileHeapBlock *before)
{
    g_string_append_c(out, ' ');
    fc_text_append_signed(out, (gint64)(block->pointer - before->pointer));
    g_string_append_c(out, ':');
    fc_text_append_signed(out, (gint64)(block->size_bytes - before->size_bytes));
    g_string_append_c(out, ':');
    fc_text_append_signed(out, (gint64)(block->time_ns - before->time_ns));
}

static void write_blocks(const GArray *blocks, GString *out, const FcTextSink *sink)
{
    static const FcProfileHeapBlock none = {0};
    for (guint i = 0; i < blocks->len; i++)
    {
        const FcProfileHeapBlock *block = block_at(blocks, i);
        const gboolean is_first = begins_run(blocks, i);
        if (is_first)
        {
            const guint state = (guint)block->state;
            fc_text_append_number(out, block->alloc_site);
            g_string_append_c(out, ' ');
            g_string_append(out, state_names[MIN(state, G_N_ELEMENTS(state_names) - 1)]);
        }
        write_block(out, block, is_first ? &none : block - 1);
        if (i + 1 == blocks->len || begins_run(blocks, i + 1))
            g_string_append_c(out, '\n');
        fc_text_pass_on(sink, out);
    }
}

/* Reads POINTER:SIZE:TIME, each a difference to the block before, which `block` has at first, and
 * adds them to it. */
static gboolean read_differences(FcText *text, FcProfileHeapBlock *block)
{
    guint64 *const numbers[3] = {&block->pointer, &block->size_bytes, &block->time_ns};
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(text, "a block", &word, &bytes))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    {
        const char *colon = i + 1 < G_N_ELEMENTS(numbers) ? memchr(word, ':', bytes) : NULL;
        const gsize length = colon ? (gsize)(colon - word) : bytes;
        gint64 difference;
        if ((i + 1 < G_N_ELEMENTS(numbers) && !colon) ||
            !fc_text_parse_signed(word, length, &difference))
            return fc_text_fail(text, "a block is not POINTER:SIZE:TIME");
        *numbers[i] += (guint64)difference;
        word += length + 1;
        bytes -= MIN(length + 1, bytes);
    }
    return TRUE;
}

static void add_block(FcProfileHeap *heap, const FcProfileHeapBlock *block)
{
    if (heap->blocks->len < FC_PROFILE_BLOCKS_MAX)
        g_array_append_vals(heap->blocks, block, 1);
    else
    {
        fc_field_add(&heap->unlisted.blocks, 1);
        fc_field_add(&heap->unlisted.bytes, block->size_bytes);
    }
}

static gboolean read_blocks(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileHeapBlock block = {0};
    gint site;
    guint state;
    if (!fc_field_read_index(parser, "the allocation site", FC_ARRAY_ALLOC_SITES, FALSE, &site) ||
        !fc_field_read_word(text, "the blocks' state", state_names, G_N_ELEMENTS(state_names),
                            &state))
        return FALSE;
    block.alloc_site = (guint)site;
    block.state = (FcProfileBlockState)state;
    do
    {
        if (!read_differences(text, &block))
            return FALSE;
        add_block(&parser->profile->heap, &block);
    } while (fc_text_has_word(text));
    return TRUE;
}

void fc_runs_merge_blocks(FcProfileHeap *into, const FcProfileHeap *other, const guint *sites)
{
    for (guint i = 0; i < other->blocks->len; i++)
    {
        FcProfileHeapBlock block = *block_at(other->blocks, i);
        block.alloc_site = sites[block.alloc_site];
        add_block(into, &block);
    }
}

/* ---- Latencies: those of one arc are a run --------------------------------------------------- */

static const FcProfileLatency *latency_at(const GArray *latencies, guint index)
{
    return &g_array_index(latencies, FcProfileLatency, index);
}

static void write_latencies(const GArray *latencies, GString *out, const FcTextSink *sink)
{
    for (guint i = 0; i < latencies->len; i++)
    {
        const FcProfileLatency *latency = latency_at(latencies, i);
        if (i == 0 || latency[-1].arc != latency->arc)
            fc_text_append_number(out, latency->arc);
        g_string_append_c(out, ' ');
        fc_text_append_number(out, latency->bucket);
        g_string_append_c(out, ':');
        fc_text_append_number(out, latency->calls);
        if (i + 1 == latencies->len || latency[1].arc != latency->arc)
            g_string_append_c(out, '\n');
        fc_text_pass_on(sink, out);
    }
}

static gboolean read_latencies(FcParser *parser)
{
    FcText *text = &parser->text;
    GArray *latencies = parser->profile->latencies;
    guint64 buckets[FC_LATENCY_BUCKETS]; /* only those that are read are set */
    guint64 least_bucket = 0;
    gint arc;
    if (!fc_field_read_index(parser, "the arc", FC_ARRAY_ARCS, FALSE, &arc))
        return FALSE;
    if (latencies->len > 0 && latency_at(latencies, latencies->len - 1)->arc >= (guint)arc)
        return fc_text_fail(text, "arc %d is out of order", arc);
    while (fc_text_has_word(text))
    {
        if (!fc_field_read_bucket(text, buckets, FC_LATENCY_BUCKETS, &least_bucket))
            return FALSE;
        const FcProfileLatency latency = {.arc = (guint)arc,
                                          .bucket = (guint)least_bucket - 1,
                                          .calls = buckets[least_bucket - 1]};
        if (latency.calls > 0)
            g_array_append_val(latencies, latency);
    }
    return TRUE;
}

static int compare(gconstpointer a, gconstpointer b)
{
    const FcProfileLatency *x = a;
    const FcProfileLatency *y = b;
    if (x->arc != y->arc)
        return x->arc < y->arc ? -1 : 1;
    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

void fc_runs_merge_latencies(GArray *into, const GArray *other, const guint *arcs)
{
    if (other->len == 0)
        return;
    for (guint i = 0; i < other->len; i++)
    {
        FcProfileLatency latency = *latency_at(other, i);
        latency.arc = arcs[latency.arc];
        g_array_append_val(into, latency);
    }
    g_array_sort(into, compare);
    guint kept = 0;
    for (guint i = 1; i < into->len; i++)
    {
        const FcProfileLatency latency = *latency_at(into, i);
        FcProfileLatency *last = &g_array_index(into, FcProfileLatency, kept);
        if (compare(last, &latency) == 0)
            fc_field_add(&last->calls, latency.calls);
        else
            g_array_index(into, FcProfileLatency, ++kept) = latency;
    }
    g_array_set_size(into, kept + 1);
}

/* ---- Both ------------------------------------------------------------------------------------ */

guint fc_runs_count(const FcProfile *profile, FcArrayName array)
{
    const GArray *records = fc_array_of(profile, array);
    guint runs = 0;
    for (guint i = 0; i < records->len; i++)
        runs += array == FC_ARRAY_HEAP_BLOCKS
                    ? begins_run(records, i)
                    : i == 0 || latency_at(records, i - 1)->arc != latency_at(records, i)->arc;
    return runs;
}

void fc_runs_write(const FcProfile *profile, FcArrayName array, GString *out,
                   const FcTextSink *sink)
{
    (array == FC_ARRAY_HEAP_BLOCKS ? write_blocks : write_latencies)(fc_array_of(profile, array),
                                                                     out, sink);
}

gboolean fc_runs_read(FcParser *parser, FcArrayName array)
{
    return (array == FC_ARRAY_HEAP_BLOCKS ? read_blocks : read_latencies)(parser);
}
