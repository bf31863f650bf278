/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads .fc files: the first part (v3.c) and the sections, by the table of table.h.  Checks that
 * the two agree.  Skips unknown sections, and those of a later version, by their number of lines.
 * Input is untrusted: memory grows with the text that is there, never with a number in it.  A file
 * is read piece by piece, so that it takes the memory of the profile and not that of its text.
 */
#include "profile/fc-profile-file.h"
#include "profile/field.h"
#include "profile/file.h"
#include "profile/runs.h"
#include "profile/v3.h"

#include <string.h>

#define HEADER_BYTES 64 /* the first line is shorter */

static gboolean is_word(const char *word, gsize bytes, const char *known)
{
    return strlen(known) == bytes && memcmp(word, known, bytes) == 0;
}

static gboolean has_prefix(const char *data, gsize bytes, const char *prefix)
{
    const gsize prefix_bytes = strlen(prefix);
    return bytes >= prefix_bytes && memcmp(data, prefix, prefix_bytes) == 0;
}

static gboolean check_header(const char *data, gsize bytes, GError **error)
{
    const gsize header_bytes = strlen(FC_V3_HEADER);

    if (has_prefix(data, bytes, FC_V3_HEADER) &&
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

/* ---- Lines of sections ---------------------------------------------------------- */

static gboolean read_key(FcParser *parser)
{
    const FcSection *section = parser->section;
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, "the key", &word, &bytes))
        return FALSE;
    for (guint i = 0; i < section->field_count; i++)
    {
        const FcField *key = &section->fields[i];
        if (is_word(word, bytes, key->what) || (key->former && is_word(word, bytes, key->former)))
            return fc_field_read(parser, key, parser->profile);
    }
    parser->text.word = parser->text.line_end; /* an unknown key: skips the line */
    return TRUE;
}

/* Returns the array of the line's record: of the profile, or of the thread whose number begins the
 * line.  NULL: the parser has the error. */
static GArray *find_array(FcParser *parser)
{
    const FcArrayName name = parser->section->array;
    gint index;
    if (name < FC_ARRAY_OF_THREAD)
        return fc_array_of(parser->profile, name);
    if (!fc_field_read_index(parser, fc_arrays[FC_ARRAY_THREADS].what, FC_ARRAY_THREADS, FALSE,
                             &index))
        return NULL;
    FcProfileThread *thread = &g_array_index(parser->profile->threads, FcProfileThread, index);
    if (name == FC_ARRAY_THREAD_ARCS && !thread->arcs)
        thread->arcs = fc_array_new(name);
    if (name == FC_ARRAY_THREAD_LANES && !thread->lanes)
        thread->lanes = fc_array_new(name);
    if (name == FC_ARRAY_THREAD_TRACE && !thread->trace)
        fc_text_fail(&parser->text, "the thread has no trace");
    return fc_array_of(thread, name);
}

/* Sets *index to the record in that array: a new one, or the one that the line refers to. */
static gboolean find_record(FcParser *parser, GArray *array, gint *index)
{
    const FcSection *section = parser->section;
    *index = (gint)parser->row;
    if (section->lines == FC_LINES_FIGURES)
        return fc_text_index(&parser->text, fc_arrays[section->array].what, array->len, FALSE,
                             index);
    if (section->lines == FC_LINES_AGAIN)
        return TRUE;
    *index = (gint)array->len;
    g_array_set_size(array, array->len + 1);
    if (section->array == FC_ARRAY_THREADS)
    {
        FcProfileThread *thread = &g_array_index(array, FcProfileThread, *index);
        thread->functions = fc_array_new(FC_ARRAY_THREAD_FUNCTIONS);
        thread->stack = fc_array_new(FC_ARRAY_THREAD_STACK);
    }
    return TRUE;
}

static gboolean check_trace(FcParser *parser, const GArray *trace)
{
    const FcProfileTraceRecord *last = &g_array_index(trace, FcProfileTraceRecord, trace->len - 1);
    if (trace->len > 1 && last[-1].time_ns > last->time_ns)
        return fc_text_fail(&parser->text, "the time is before that of the record above");
    return TRUE;
}

static gboolean read_record(FcParser *parser)
{
    const FcSection *section = parser->section;
    GArray *array = find_array(parser);
    gint index;
    if (!array || !find_record(parser, array, &index))
        return FALSE;
    const gpointer fields =
        fc_section_fields(section, fc_array_record(array, section->array, (guint)index));
    for (guint i = 0; i < section->field_count; i++)
        if (!fc_field_read(parser, &section->fields[i], fields))
            return FALSE;
    return section->array != FC_ARRAY_THREAD_TRACE || check_trace(parser, array);
}

static gboolean read_line(FcParser *parser)
{
    switch (parser->section->lines)
    {
    case FC_LINES_KEYS:
        return read_key(parser);
    case FC_LINES_RUNS:
        return fc_runs_read(parser, parser->section->array);
    case FC_LINES_RECORDS:
    case FC_LINES_AGAIN:
    case FC_LINES_FIGURES:
    default:
        return read_record(parser);
    }
}

/* ---- Sections ------------------------------------------------------------------- */

/* Prepares for a section.  The sections modules and arcs replace the libraries and arcs of the
 * first part; place_the_rest updates what refers to the libraries and is not replaced.  The section
 * functions has the same functions as the first part, in the same order. */
static gboolean begin_section(FcParser *parser, FcSectionName name, guint64 count)
{
    FcProfile *profile = parser->profile;
    const FcSection *section = parser->section;
    if (section->lines == FC_LINES_RECORDS && section->array < FC_ARRAY_OF_THREAD)
        g_array_set_size(fc_array_of(profile, section->array), 0);
    if (name == FC_SECTION_HEAP)
        profile->heap.recorded = TRUE;
    if (section->lines == FC_LINES_AGAIN && count != profile->functions->len)
        return fc_text_fail(&parser->text,
                            "%" G_GUINT64_FORMAT " functions, but the first part has %u", count,
                            profile->functions->len);
    return TRUE;
}

static gboolean finish_arguments(FcParser *parser)
{
    if (!parser->arguments)
        return TRUE;
    if (parser->arguments->len != parser->argument_count)
        return fc_text_fail(&parser->text, "%u arguments instead of %" G_GUINT64_FORMAT,
                            parser->arguments->len, parser->argument_count);
    g_ptr_array_add(parser->arguments, NULL);
    parser->profile->command_line = (GStrv)g_ptr_array_free(parser->arguments, FALSE);
    parser->arguments = NULL;
    return TRUE;
}

static void finish_job(FcProfileJob *job)
{
    job->rank = MAX(job->rank, FC_NONE);
    job->local_rank = MAX(job->local_rank, FC_NONE);
}

static gboolean skip_lines(FcText *text, guint64 count)
{
    while (count-- > 0)
    {
        if (!fc_text_next_line(text, "the rest of the section"))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_section(FcParser *parser, FcSectionName name, guint64 count)
{
    FcText *text = &parser->text;
    const FcSection *section = &fc_sections[name];
    if (section->needs != FC_SECTION_COUNT && !fc_parser_has(parser, section->needs))
        return skip_lines(text, count);
    parser->section = section;
    if (!begin_section(parser, name, count))
        return FALSE;
    parser->sections_read |= G_GUINT64_CONSTANT(1) << name;
    if (count > G_MAXINT32)
        return fc_text_fail(text, "no section can have so many lines");
    for (parser->row = 0; parser->row < count; parser->row++)
    {
        if (!fc_text_next_line(text, "the rest of the section") || !read_line(parser) ||
            !fc_text_end_line(text))
            return FALSE;
    }
    if (name == FC_SECTION_JOB)
        finish_job(&parser->profile->job);
    return finish_arguments(parser);
}

/* Reads which section begins at the current line.  Returns its number; FC_SECTION_COUNT: to be
 * skipped; -1: end of the sections. */
static gboolean read_section_header(FcParser *parser, int *number, guint64 *count)
{
    FcText *text = &parser->text;
    const char *keyword;
    const char *name;
    gsize keyword_bytes;
    gsize name_bytes;
    guint64 version;

    if (!fc_text_next_line(text, "a section") ||
        !fc_text_raw_word(text, "the word \"section\"", &keyword, &keyword_bytes))
        return FALSE;
    if (!is_word(keyword, keyword_bytes, "section"))
        return fc_text_fail(text, "a section must begin here");
    if (!fc_text_raw_word(text, "the section's name", &name, &name_bytes) ||
        !fc_text_number(text, "the section's version", &version) ||
        !fc_text_number(text, "the section's number of lines", count) || !fc_text_end_line(text))
        return FALSE;

    if (is_word(name, name_bytes, "end"))
    {
        *number = -1;
        return TRUE;
    }
    for (*number = 0; *number < FC_SECTION_COUNT; ++*number)
        if (is_word(name, name_bytes, fc_sections[*number].name))
            break;
    if (version != 1)
        *number = FC_SECTION_COUNT;
    return TRUE;
}

/* If the section of functions or arcs is missing, those of the first part stay, which refer to its
 * libraries.  Finds the modules for their addresses. */
static void location_the_rest(FcParser *parser)
{
    FcProfile *profile = parser->profile;
    if (!fc_parser_has(parser, FC_SECTION_MODULES))
        return;
    for (guint i = 0; !fc_parser_has(parser, FC_SECTION_FUNCTIONS) && i < profile->functions->len;
         i++)
    {
        FcProfileLocation *location =
            &g_array_index(profile->functions, FcProfileFunction, i).location;
        fc_profile_locate(profile, location->address, 0, location);
    }
    for (guint i = 0; !fc_parser_has(parser, FC_SECTION_ARCS) && i < profile->arcs->len; i++)
    {
        FcProfileLocation *location = &g_array_index(profile->arcs, FcProfileArc, i).site;
        fc_profile_locate(profile, location->address, 0, location);
    }
}

static gboolean read_sections(FcParser *parser)
{
    FcText *text = &parser->text;
    int last = -1;
    for (;;)
    {
        int number = FC_SECTION_COUNT;
        guint64 count = 0;
        if (!read_section_header(parser, &number, &count))
            return FALSE;
        if (number < 0 || number == FC_SECTION_COUNT)
        {
            if (!skip_lines(text, count))
                return FALSE;
            if (number < 0)
                break;
            continue;
        }
        if (number <= last)
            return fc_text_fail(text, "section %s is out of order", fc_sections[number].name);
        last = number;
        if (!read_section(parser, (FcSectionName)number, count))
            return FALSE;
    }
    if (!fc_text_at_end(text))
    {
        text->line++;
        return fc_text_fail(text, "nothing may follow the last section");
    }
    const guint64 required = (G_GUINT64_CONSTANT(1) << FC_SECTION_REQUIRED_COUNT) - 1;
    parser->is_partial = (parser->sections_read & required) != required;
    location_the_rest(parser);
    return TRUE;
}

/* ---- The whole ------------------------------------------------------------------ */

/* A reader of the first part alone must find the same figures there. */
static gboolean check_first_part(FcParser *parser, const GString *there)
{
    g_autoptr(GString) expected = g_string_new(NULL);
    fc_v3_write_figures(parser->profile, parser->is_announced, expected, NULL);
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
    const gboolean good = fc_v3_read(parser, &complete);
    text->copy = NULL;
    if (!good)
        return FALSE;
    if (parser->is_announced && fc_text_at_end(text))
        return fc_text_next_line(text, complete ? "a section" : "the number of leaks");
    parser->profile->extended = FALSE;
    if (!complete || fc_text_at_end(text))
        return text->error == NULL;
    parser->profile->extended = TRUE;
    return read_sections(parser) && (parser->is_partial || check_first_part(parser, first_part));
}

/* In a thread's own profile (THREAD mode), all calls are the thread's, so the file does not repeat
 * them.  Copies them to the thread. */
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
        FcProfileThreadFunction function = {
            .function = i, .calls = from->calls, .times = from->times};
        if (function.calls == 0 && function.times.total_ns == 0)
            continue;
        fc_profile_add_off(&function.off, from->off);
        g_array_append_val(functions, function);
    }
}

/* With a single thread, the file does not repeat its arcs.  Copies those of the profile. */
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

/* Ends the reading of the parser's text and returns the profile.  NULL: its error goes to `error`.
 */
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
    /* Reads only the beginning, so as not to read a whole core dump or /dev/zero before saying that
     * it is no profile. */
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
