/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of lines that several sections have.  Called by the parsers of sections.
 */
#include "profile/parse.h"

#include <string.h>

gboolean fc_parse_has(const FcParser *parser, int section)
{
    return (parser->sections_read >> section & 1) != 0;
}

gboolean fc_parse_place(FcParser *parser, FcProfilePlace *place)
{
    GArray *modules = parser->profile->modules;
    const gboolean known = fc_parse_has(parser, FC_SECTION_MODULES);
    gint module;
    if (!fc_text_index(&parser->text, "the module", known ? modules->len : G_MAXINT32, TRUE,
                       &module) ||
        !fc_text_address(&parser->text, "the address", &place->address))
        return FALSE;
    place->module = known ? module : FC_NONE;
    place->offset = place->address;
    if (place->module != FC_NONE)
        place->offset -= g_array_index(modules, FcProfileModule, module).base;
    return TRUE;
}

FcProfileThread *fc_parse_known_thread(FcParser *parser)
{
    GArray *threads = parser->profile->threads;
    gint index;
    if (!fc_text_index(&parser->text, "the thread", threads->len, FALSE, &index))
        return NULL;
    return &g_array_index(threads, FcProfileThread, index);
}

FcProfileThreadFunction *fc_parse_known_thread_function(FcParser *parser)
{
    FcProfileThread *thread = fc_parse_known_thread(parser);
    gint index;
    if (!thread || !fc_text_index(&parser->text, "the thread's function", thread->functions->len,
                                  FALSE, &index))
        return NULL;
    return &g_array_index(thread->functions, FcProfileThreadFunction, index);
}

FcProfileFunction *fc_parse_known_function(FcParser *parser)
{
    GArray *functions = parser->profile->functions;
    gint index;
    if (!fc_text_index(&parser->text, "the function", functions->len, FALSE, &index))
        return NULL;
    return &g_array_index(functions, FcProfileFunction, index);
}

FcProfileArc *fc_parse_known_arc(FcParser *parser)
{
    GArray *arcs = parser->profile->arcs;
    gint index;
    if (!fc_text_index(&parser->text, "the arc", arcs->len, FALSE, &index))
        return NULL;
    return &g_array_index(arcs, FcProfileArc, index);
}

FcProfileContext *fc_parse_known_context(FcParser *parser)
{
    GArray *contexts = parser->profile->contexts;
    gint index;
    if (!fc_text_index(&parser->text, "the context", contexts->len, FALSE, &index))
        return NULL;
    return &g_array_index(contexts, FcProfileContext, index);
}

gboolean fc_parse_context_index(FcParser *parser, gint *out)
{
    const gboolean known = fc_parse_has(parser, FC_SECTION_CONTEXTS);
    const guint limit = known ? parser->profile->contexts->len : G_MAXINT32;
    if (!fc_text_index(&parser->text, "the context", limit, TRUE, out))
        return FALSE;
    *out = known ? *out : FC_NONE;
    return TRUE;
}

gboolean fc_parse_frame_index(FcParser *parser, gint *out)
{
    const gboolean known = fc_parse_has(parser, FC_SECTION_HEAP_FRAMES);
    const guint limit = known ? parser->profile->heap.frames->len : G_MAXINT32;
    if (!fc_text_index(&parser->text, "the frame", limit, TRUE, out))
        return FALSE;
    *out = known ? *out : FC_NONE;
    return TRUE;
}

gboolean fc_parse_bucket(FcText *text, guint64 *buckets, guint limit, guint64 *least)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(text, "the bucket", &word, &bytes))
        return FALSE;
    const char *colon = memchr(word, ':', bytes);
    if (!colon)
        return fc_text_fail(text, "a bucket must be NUMBER:COUNT");
    guint64 bucket;
    FcText part = {.word = word, .line_end = colon, .line = text->line};
    gboolean good = fc_text_number(&part, "the bucket", &bucket);
    if (good && (bucket >= limit || bucket < *least))
        good = fc_text_fail(&part, "bucket %" G_GUINT64_FORMAT " is out of range or order", bucket);
    if (good)
    {
        part.word = colon + 1;
        part.line_end = word + bytes;
        good = fc_text_number(&part, "the count of a bucket", &buckets[bucket]);
        *least = bucket + 1;
    }
    text->error = part.error;
    return good;
}
