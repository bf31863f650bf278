/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the text of a .fc file.  Version 3.0 comes first (v3.c), then our own sections, each
 * `section NAME VERSION COUNT` and COUNT lines, by the table of table.h.  doc/formats.texi
 * specifies them; parse.c reads them.  Must never write what the reader refuses.
 */
#include "profile/fc-profile-file.h"
#include "profile/field.h"
#include "profile/file.h"
#include "profile/runs.h"
#include "profile/v3.h"

typedef struct
{
    const FcProfile *profile;
    const FcSection *section;
    GString *out; /* NULL: the lines are only counted */
    const FcTextSink *sink;
} Writer;

/* Whether the record has a line.  In a section of figures, records whose figures are all 0 have
 * none. */
static gboolean has_line(const FcSection *section, gconstpointer fields)
{
    if (section->lines != FC_LINES_FIGURES)
        return TRUE;
    for (guint i = 0; i < section->field_count; i++)
    {
        const FcField *field = &section->fields[i];
        const gboolean is_zero = fc_field_is_zero(field, fields);
        if (!is_zero || field->type == FC_FIELD_MARK || field->type == FC_FIELD_TRACE)
            return !is_zero;
    }
    return FALSE;
}

static void write_index(GString *out, guint index)
{
    fc_field_separate(out);
    fc_text_append_number(out, index);
}

/* Writes the lines of one array, of thread number `thread` or of the profile.  Returns their
 * number. */
static guint write_array(const Writer *writer, const GArray *array, gint thread)
{
    const FcSection *section = writer->section;
    guint count = 0;
    for (guint i = 0; array && i < array->len; i++)
    {
        const gconstpointer fields =
            fc_section_fields(section, fc_array_record(array, section->array, i));
        if (!has_line(section, fields))
            continue;
        count++;
        if (!writer->out)
            continue;
        if (thread != FC_NONE)
            write_index(writer->out, (guint)thread);
        if (section->lines == FC_LINES_FIGURES)
            write_index(writer->out, i);
        for (guint j = 0; j < section->field_count; j++)
            fc_field_write(writer->out, &section->fields[j], fields);
        g_string_append_c(writer->out, '\n');
        fc_text_pass_on(writer->sink, writer->out);
    }
    return count;
}

static guint write_records(const Writer *writer)
{
    const FcProfile *profile = writer->profile;
    const FcArrayName array = writer->section->array;
    guint count = 0;
    if (array < FC_ARRAY_OF_THREAD)
        return write_array(writer, fc_array_of(profile, array), FC_NONE);
    /* a single thread's arcs are those of the profile */
    if (array == FC_ARRAY_THREAD_ARCS && profile->threads->len < 2)
        return 0;
    for (guint i = 0; i < profile->threads->len; i++)
        count += write_array(
            writer, fc_array_of(&g_array_index(profile->threads, FcProfileThread, i), array),
            (gint)i);
    return count;
}

static void begin_section(GString *out, const char *name, guint count)
{
    g_string_append_printf(out, "section %s 1 %u\n", name, count);
}

static void write_keys(const FcProfile *profile, const FcSection *section, GString *out)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    guint count = 0;
    for (guint i = 0; i < section->field_count; i++)
    {
        const FcField *field = &section->fields[i];
        if (field->optional && fc_field_is_zero(field, profile))
            continue;
        g_string_append(lines, field->what);
        fc_field_write(lines, field, profile);
        g_string_append_c(lines, '\n');
    }
    for (gsize i = 0; i < lines->len; i++)
        count += lines->str[i] == '\n';
    begin_section(out, section->name, count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

/* Whether anything is known of the job.  A sum of ranks has what they have in common. */
static gboolean has_job(const FcProfileJob *job)
{
    return job->rank != FC_NONE || job->local_rank != FC_NONE || job->size > 0 || job->name ||
           job->launcher || job->host || job->cpus;
}

static void write_section(const FcProfile *profile, FcSectionName name, GString *out,
                          const FcTextSink *sink)
{
    const FcSection *section = &fc_sections[name];
    const gboolean is_of_heap = name >= FC_SECTION_HEAP && name < FC_SECTION_HEAP_END;
    if ((is_of_heap && !profile->heap.recorded) ||
        (name == FC_SECTION_JOB && !has_job(&profile->job)) ||
        (name == FC_SECTION_RANKS && profile->ranks == 0))
        return;
    if (section->lines == FC_LINES_KEYS)
    {
        write_keys(profile, section, out);
        return;
    }
    Writer writer = {profile, section, NULL, sink};
    const gboolean has_runs = section->lines == FC_LINES_RUNS;
    const guint count = has_runs ? fc_runs_count(profile, section->array) : write_records(&writer);
    if (count == 0 && !is_of_heap && name >= FC_SECTION_REQUIRED_COUNT)
        return;
    begin_section(out, section->name, count);
    writer.out = out;
    if (has_runs)
        fc_runs_write(profile, section->array, out, sink);
    else
        write_records(&writer);
}

static void format(const FcProfile *profile, GString *out, const FcTextSink *sink)
{
    fc_v3_write_figures(profile, profile->extended, out, sink);
    fc_v3_write_blocks(profile, out, sink);
    if (!profile->extended)
        return;
    for (FcSectionName i = 0; i < FC_SECTION_COUNT; i++)
        write_section(profile, i, out, sink);
    begin_section(out, "end", 0);
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
    const FcTextSink sink = {put, file};
    g_autoptr(GString) text = g_string_sized_new(2 * FC_TEXT_PIECE_BYTES);
    format(profile, text, &sink);
    fc_file_put(file, text);
    return fc_file_end(file, error);
}
