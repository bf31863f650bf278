/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads .fc files: the first part (parse-v3.c), the sections (parse-sections.c,
 * parse-process.c), and that the two agree.  Input is untrusted: memory grows
 * with the text that is there, never with a number that the text claims, and a file is read piece
 * by piece, so that it takes the memory of the profile and not that of its text.
 */
#include "profile/parse.h"
#include "profile/fc-profile-file.h"
#include "profile/file.h"
#include "profile/format.h"

#include <string.h>

#define HEADER_BYTES 64 /* more than the first line has */

static gboolean has_prefix(const char *data, gsize bytes, const char *prefix)
{
    const gsize prefix_bytes = strlen(prefix);
    return bytes >= prefix_bytes && memcmp(data, prefix, prefix_bytes) == 0;
}

static gboolean check_header(const char *data, gsize bytes, GError **error)
{
    const gsize header_bytes = strlen(FC_FORMAT_HEADER);

    if (has_prefix(data, bytes, FC_FORMAT_HEADER) &&
        (bytes == header_bytes || g_ascii_isspace(data[header_bytes])))
        return TRUE;
    if (!has_prefix(data, bytes, FC_PROFILE_MAGIC))
    {
        g_set_error_literal(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_MALFORMED,
                            bytes == 0 ? "line 1: the file is empty"
                                       : "line 1: not a FunctionCheck profile");
        return FALSE;
    }
    const char *version = data + strlen(FC_PROFILE_MAGIC);
    gsize length = 0;
    while (version + length < data + bytes && length < 16 && g_ascii_isgraph(version[length]))
        length++;
    g_set_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_VERSION,
                "line 1: version \"%.*s\" of the format is not known", (int)length, version);
    return FALSE;
}

/* Someone who reads the first part alone must find the same figures there. */
static gboolean check_first_part(FcParser *parser, const GString *there)
{
    g_autoptr(GString) expected = g_string_new(NULL);
    fc_format_v3_figures(parser->profile, parser->is_announced, expected, NULL);
    if (g_string_equal(expected, there))
        return TRUE;
    parser->text.line = 1;
    for (gsize i = 0; i < MIN(there->len, expected->len) && there->str[i] == expected->str[i]; i++)
        parser->text.line += there->str[i] == '\n';
    return fc_text_fail(&parser->text, "differs from what the sections below say");
}

static gboolean parse(FcParser *parser)
{
    FcText *text = &parser->text;
    g_autoptr(GString) first_part = g_string_new(NULL);
    gboolean complete;
    text->copy = first_part;
    const gboolean good = fc_parse_v3(parser, &complete);
    text->copy = NULL;
    if (!good)
        return FALSE;
    if (parser->is_announced && fc_text_at_end(text))
        return fc_text_next_line(text, complete ? "a section" : "the number of leaks");
    parser->profile->extended = FALSE;
    if (!complete || fc_text_at_end(text))
        return text->error == NULL;
    parser->profile->extended = TRUE;
    return fc_parse_sections(parser) &&
           (parser->is_partial || check_first_part(parser, first_part));
}

/* A thread's own profile (THREAD mode) does not say once more that all calls are the thread's. */
static void give_functions(FcProfile *profile)
{
    if (profile->threads->len != 1 || profile->thread_id == 0)
        return;
    GArray *functions = g_array_index(profile->threads, FcProfileThread, 0).functions;
    if (functions->len > 0)
        return;
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *from = &g_array_index(profile->functions, FcProfileFunction, i);
        const FcProfileThreadFunction function = {
            .function = i, .calls = from->calls, .times = from->times};
        if (function.calls > 0 || function.times.total_ns > 0)
            g_array_append_val(functions, function);
    }
}

/* What several threads made is said for each; where there was but one, it made all calls. */
static void give_arcs(FcProfile *profile)
{
    if (profile->threads->len != 1)
        return;
    FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, 0);
    if (thread->functions->len == 0)
        return;
    g_clear_pointer(&thread->arcs, g_array_unref);
    thread->arcs = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadArc));
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        const FcProfileArc *from = &g_array_index(profile->arcs, FcProfileArc, i);
        const FcProfileThreadArc arc = {i, from->calls, from->times};
        g_array_append_val(thread->arcs, arc);
    }
}

/* Ends what was begun with the parser's text; its error goes to `error`. */
static FcProfile *finish(FcParser *parser, GError **error)
{
    FcProfile *profile = parser->profile;
    const gboolean good = !parser->text.error && parse(parser);
    if (parser->arguments)
        g_ptr_array_unref(parser->arguments);
    fc_text_stop(&parser->text);
    if (good)
    {
        give_functions(profile);
        give_arcs(profile);
        return profile;
    }
    fc_profile_free(profile);
    g_propagate_error(error, parser->text.error);
    return NULL;
}

FcProfile *fc_profile_parse(const char *data, gsize bytes, GError **error)
{
    if (!check_header(data, bytes, error))
        return NULL;
    FcParser parser = {.profile = fc_profile_new()};
    fc_text_start(&parser.text, data, bytes);
    return finish(&parser, error);
}

/* ---- Files ------------------------------------------------------------------- */

typedef struct
{
    FcTextSource source;
    FcFileIn file;
    const char *path;
    const FcProgress *progress;
} Reader;

static gssize read_file(FcTextSource *source, char *into, gsize room, GError **error)
{
    Reader *reader = (Reader *)source;
    const FcProgress *progress = reader->progress;
    gssize got = fc_file_next(&reader->file, into, room, error);
    if (progress)
        progress->report(progress->data, reader->path, reader->file.done, reader->file.size);
    return got;
}

static FcProfile *read_open(Reader *reader, GError **error)
{
    FcText text;
    fc_text_start_source(&text, &reader->source);
    /* Not to swallow a core dump or /dev/zero before saying that it is no profile, no more is read
     * than shows it. */
    while (!text.error && (gsize)(text.end - text.next) < HEADER_BYTES && fc_text_read_more(&text))
        continue;
    if (text.error || !check_header(text.next, (gsize)(text.end - text.next), error))
    {
        if (text.error)
            g_propagate_error(error, text.error);
        fc_text_stop(&text);
        return NULL;
    }
    FcParser parser = {.text = text, .profile = fc_profile_new()};
    return finish(&parser, error);
}

FcProfile *fc_profile_read(const char *path, const FcProgress *progress, GError **error)
{
    Reader reader = {.source = {read_file}, .path = path, .progress = progress};
    if (!fc_file_open(&reader.file, path, error))
        return NULL;
    FcProfile *profile = read_open(&reader, error);
    fc_file_close(&reader.file);
    return profile;
}
