/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections of the heap: totals, allocation sites, bad frees and samples.  Called by
 * parse-sections.c.  Must never trust a number of the text further than the text goes.
 */
#include "profile/format.h"
#include "profile/parse.h"

#include <string.h>

static void add(guint64 *to, guint64 amount)
{
    if (__builtin_add_overflow(*to, amount, to))
        *to = G_MAXUINT64;
}

/* ---- heap: lines of a key and a number -------------------------------------------- */

gboolean fc_parse_heap_begin(FcParser *parser, guint64 count)
{
    parser->profile->heap.recorded = TRUE;
    return TRUE;
}

gboolean fc_parse_heap(FcParser *parser)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, "the key", &word, &bytes))
        return FALSE;
    for (guint i = 0; i < FC_FORMAT_HEAP_KEYS; i++)
    {
        const FcFormatHeapKey *key = &fc_format_heap_keys[i];
        if (strlen(key->name) != bytes || memcmp(key->name, word, bytes) != 0)
            continue;
        guint64 number;
        if (!fc_text_number(&parser->text, key->name, &number))
            return FALSE;
        /* added, as there may be leaks of the first part that were not kept */
        add(&G_STRUCT_MEMBER(guint64, parser->profile, key->offset), number);
        return TRUE;
    }
    parser->text.word = parser->text.line_end;
    return TRUE;
}

/* ---- allocation sites ------------------------------------------------------------------------ */

static gboolean parse_point(FcParser *parser, FcProfileHeapPoint *point)
{
    gint call;
    if (!fc_parse_context_index(parser, &point->context) || !fc_parse_place(parser, &point->site) ||
        !fc_text_index(&parser->text, "the kind of call", FC_FORMAT_CALLS, FALSE, &call) ||
        !fc_parse_frame_index(parser, &point->frames))
        return FALSE;
    point->call = (guint)call;
    if (call == 0)
        *point = fc_format_no_point;
    return TRUE;
}

gboolean fc_parse_heap_frame(FcParser *parser)
{
    FcProfileHeapFrame frame;
    if (!fc_text_index(&parser->text, "the parent", parser->row, TRUE, &frame.parent) ||
        !fc_parse_place(parser, &frame.place))
        return FALSE;
    g_array_append_val(parser->profile->heap.frames, frame);
    return TRUE;
}

gboolean fc_parse_heap_alloc_site(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileAllocSite site = {0};
    guint64 least_bucket = 0;
    if (!parse_point(parser, &site.point) ||
        !fc_text_number(text, "the number of allocations", &site.allocations) ||
        !fc_text_number(text, "the bytes allocated", &site.bytes) ||
        !fc_text_number(text, "the number of frees", &site.frees) ||
        !fc_text_number(text, "the number of live blocks", &site.live_blocks) ||
        !fc_text_number(text, "the bytes live", &site.live_bytes) ||
        !fc_text_number(text, "the number of reachable blocks", &site.reachable_blocks) ||
        !fc_text_number(text, "the bytes reachable", &site.reachable_bytes) ||
        !fc_text_number(text, "the number of indirectly lost blocks", &site.indirect_blocks) ||
        !fc_text_number(text, "the bytes lost indirectly", &site.indirect_bytes) ||
        !fc_text_number(text, "the bytes at the peak", &site.peak_bytes) ||
        !fc_text_number(text, "the number of temporary blocks", &site.temporary) ||
        !fc_text_number(text, "the lifetime", &site.lifetime_ns))
        return FALSE;
    while (fc_text_has_word(text))
    {
        if (!fc_parse_bucket(text, site.sizes, FC_SIZE_BUCKETS, &least_bucket))
            return FALSE;
    }
    g_array_append_val(parser->profile->heap.alloc_sites, site);
    return TRUE;
}

/* ---- bad frees and samples ----------------------------------------------------------- */

/* A word of `names` to its position. */
static gboolean parse_word(FcText *text, const char *what, const char *const *names, guint count,
                           guint *out)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(text, what, &word, &bytes))
        return FALSE;
    for (*out = 0; *out < count; ++*out)
        if (strlen(names[*out]) == bytes && memcmp(names[*out], word, bytes) == 0)
            return TRUE;
    return fc_text_fail(text, "%s is not known", what);
}

/* POINTER:SIZE:TIME, each less that of `block`, the one before, which they are added to. */
static gboolean parse_differences(FcText *text, FcProfileHeapBlock *block)
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

gboolean fc_parse_heap_block(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileHeapBlock block = {0};
    gint site;
    guint state;
    if (!fc_text_index(text, "the allocation site", parser->profile->heap.alloc_sites->len, FALSE,
                       &site) ||
        !parse_word(text, "the blocks' state", fc_format_state_names, FC_FORMAT_STATES, &state))
        return FALSE;
    block.alloc_site = (guint)site;
    block.state = (FcProfileBlockState)state;
    do
    {
        if (!parse_differences(text, &block))
            return FALSE;
        if (parser->profile->heap.blocks->len < FC_PROFILE_BLOCKS_MAX)
            g_array_append_val(parser->profile->heap.blocks, block);
        else
        {
            add(&parser->profile->heap.unlisted.blocks, 1);
            add(&parser->profile->heap.unlisted.bytes, block.size_bytes);
        }
    } while (fc_text_has_word(text));
    return TRUE;
}

gboolean fc_parse_bad_free(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileBadFree bad = {0};
    guint kind;
    if (!parse_word(text, "what is wrong with the free", fc_format_bad_names, FC_FORMAT_BAD_KINDS,
                    &kind) ||
        !fc_text_address(text, "the pointer", &bad.pointer) ||
        !fc_text_address(text, "the block", &bad.block) ||
        !fc_text_number(text, "the block's size", &bad.size_bytes) ||
        !fc_text_number(text, "the time", &bad.time_ns) || !parse_point(parser, &bad.here) ||
        !parse_point(parser, &bad.allocated) || !parse_point(parser, &bad.freed))
        return FALSE;
    bad.kind = (FcProfileBadKind)kind;
    g_array_append_val(parser->profile->heap.bad_frees, bad);
    return TRUE;
}

gboolean fc_parse_heap_sample(FcParser *parser)
{
    FcProfileHeapSample sample = {0};
    if (!fc_text_number(&parser->text, "the time", &sample.time_ns) ||
        !fc_text_number(&parser->text, "the bytes live", &sample.live_bytes))
        return FALSE;
    g_array_append_val(parser->profile->heap.samples, sample);
    return TRUE;
}
