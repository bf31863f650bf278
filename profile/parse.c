/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads .fc files: the first part (parse-v3.c), the sections (parse-sections.c,
 * parse-process.c), and that the two agree.  Input is untrusted: memory grows
 * with the text that is there, never with a number that the text claims.
 */
#include "profile/parse.h"
#include "profile/file.h"
#include "profile/format.h"

#include <string.h>

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

/* The text that is there, against the one that was expected, which comes in pieces. */
typedef struct
{
    const char *start;
    const char *at; /* the same up to here */
    const char *end;
    gboolean differs;
} Comparison;

static void compare(gpointer data, const GString *expected)
{
    Comparison *text = data;
    gsize i = 0;
    if (text->differs)
        return;
    if (expected->len <= (gsize)(text->end - text->at) &&
        memcmp(text->at, expected->str, expected->len) == 0)
    {
        text->at += expected->len;
        return;
    }
    while (text->at + i < text->end && i < expected->len && text->at[i] == expected->str[i])
        i++;
    text->at += i;
    text->differs = TRUE;
}

/* Someone who reads the first part alone must find the same figures there. */
static gboolean check_first_part(FcParser *parser, const char *data, gsize bytes)
{
    Comparison text = {data, data, data + bytes, FALSE};
    const FcFormatSink sink = {compare, &text};
    g_autoptr(GString) expected = g_string_new(NULL);
    fc_format_v3(parser->profile, parser->is_announced, expected, &sink);
    compare(&text, expected);
    if (!text.differs && text.at == text.end)
        return TRUE;

    parser->text.line = 1;
    for (const char *c = text.start; c < text.at; c++)
        parser->text.line += *c == '\n';
    return fc_text_fail(&parser->text, "differs from what the sections below say");
}

static gboolean parse(FcParser *parser, const char *data)
{
    gboolean complete;
    if (!fc_parse_v3(parser, &complete))
        return FALSE;
    if (parser->is_announced && fc_text_at_end(&parser->text))
        return fc_text_next_line(&parser->text, complete ? "a section" : "the number of leaks");
    const gsize first_part_bytes = (gsize)(parser->text.next - data);
    parser->profile->extended = FALSE;
    if (!complete || fc_text_at_end(&parser->text))
        return TRUE;
    parser->profile->extended = TRUE;
    return fc_parse_sections(parser) &&
           (parser->is_partial || check_first_part(parser, data, first_part_bytes));
}

FcProfile *fc_profile_parse(const char *data, gsize bytes, GError **error)
{
    if (!check_header(data, bytes, error))
        return NULL;
    g_autoptr(FcProfile) profile = fc_profile_new();
    FcParser parser = {.profile = profile};
    fc_text_start(&parser.text, data, bytes);
    const gboolean good = parse(&parser, data);
    if (parser.arguments != NULL)
        g_ptr_array_unref(parser.arguments);
    if (good)
        return g_steal_pointer(&profile);
    g_propagate_error(error, parser.text.error);
    return NULL;
}

FcProfile *fc_profile_read(const char *path, GError **error)
{
    gsize bytes;
    g_autofree char *data = fc_file_read(path, FC_PROFILE_MAGIC, &bytes, error);
    return data != NULL ? fc_profile_parse(data, bytes, error) : NULL;
}
