/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The .fcd file: which processes a session had and where each one's .fc file is.
 * Written by fcmanager, read by the tools.  Reads files of the original as well.
 */
#include "profile/descriptor.h"
#include "profile/fc-profile.h"
#include "profile/file.h"
#include "profile/text.h"

#include <stdio.h>
#include <string.h>

static const char thread_word[] = "pthread_create";

static void entry_clear(gpointer data)
{
    FcDescriptorEntry *entry = data;
    g_free(entry->file);
}

FcDescriptor *fc_descriptor_new(void)
{
    FcDescriptor *descriptor = g_new0(FcDescriptor, 1);
    descriptor->entries = g_array_new(FALSE, TRUE, sizeof(FcDescriptorEntry));
    g_array_set_clear_func(descriptor->entries, entry_clear);
    return descriptor;
}

void fc_descriptor_free(FcDescriptor *descriptor)
{
    if (!descriptor)
        return;
    g_array_unref(descriptor->entries);
    g_free(descriptor);
}

void fc_descriptor_add(FcDescriptor *descriptor, gint64 id, gint64 parent, gboolean is_thread,
                       const char *file)
{
    const FcDescriptorEntry entry = {id, is_thread ? 0 : parent, is_thread, g_strdup(file)};
    g_array_append_val(descriptor->entries, entry);
}

/* ---- Writing --------------------------------------------------------------- */

static void append_time(GString *out, const char *what, gint64 seconds)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(seconds);
    /* Only years 1 to 9999 have a date. */
    g_autofree char *date =
        time ? g_date_time_format(time, "%Y-%m-%d %H:%M:%S %z") : g_strdup("unknown");
    g_string_append_printf(out, "Treatments %s at: %s\n", what, date);
}

GString *fc_descriptor_format(const FcDescriptor *descriptor)
{
    GString *out = g_string_new(FC_DESCRIPTOR_MAGIC "\n");
    g_string_append_printf(out, "%u processes treated.\n", descriptor->entries->len);
    append_time(out, "started", descriptor->started);
    append_time(out, "ended", descriptor->ended);
    for (guint i = 0; i < descriptor->entries->len; i++)
    {
        const FcDescriptorEntry *entry = &g_array_index(descriptor->entries, FcDescriptorEntry, i);
        g_string_append_printf(out, "\nProcess id: %" G_GINT64_FORMAT "\n    parent: ", entry->id);
        if (entry->is_thread)
            g_string_append(out, thread_word);
        else
            fc_text_append_signed(out, entry->parent);
        g_string_append(out, "\n      file: ");
        fc_text_append_rest(out, entry->file);
        g_string_append_c(out, '\n');
    }
    return out;
}

gboolean fc_descriptor_write(const FcDescriptor *descriptor, int dirfd, const char *path,
                             GError **error)
{
    g_autoptr(GString) text = fc_descriptor_format(descriptor);
    return fc_file_replace(dirfd, path, text, error);
}

/* ---- Reading --------------------------------------------------------------- */

/* Takes `prefix` off the line, after blanks.  FALSE and an error: the line does not begin with it.
 */
static gboolean take_prefix(FcText *text, const char *prefix)
{
    const gsize bytes = strlen(prefix);
    if (!fc_text_has_word(text) || (gsize)(text->line_end - text->word) < bytes ||
        memcmp(text->word, prefix, bytes) != 0)
        return fc_text_fail(text, "this line must begin with \"%s\"", prefix);
    text->word += bytes;
    return TRUE;
}

/* Parses "2026-11-21 07:14:00 +0000" or the original's "102/02/15 13:13:00" (years since 1900,
 * months from 0, local time).  Returns 0 if it is neither: nothing depends on it. */
static gint64 parse_time(const char *date)
{
    int year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    char zone[8];

    if (sscanf(date, "%5d-%2d-%2d %2d:%2d:%2d %7s", &year, &month, &day, &hour, &minute, &second,
               zone) == 7)
    {
        g_autoptr(GTimeZone) time_zone = g_time_zone_new_identifier(zone);
        g_autoptr(GDateTime) time =
            !time_zone ? NULL : g_date_time_new(time_zone, year, month, day, hour, minute, second);
        return time ? g_date_time_to_unix(time) : 0;
    }
    if (sscanf(date, "%5d/%2d/%2d %2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) == 6)
    {
        g_autoptr(GDateTime) time =
            g_date_time_new_local(year + 1900, month + 1, day, hour, minute, second);
        return time ? g_date_time_to_unix(time) : 0;
    }
    return 0;
}

static gboolean read_time(FcText *text, const char *prefix, gint64 *out)
{
    g_autofree char *date = NULL;
    if (!fc_text_next_line(text, prefix) || !take_prefix(text, prefix) ||
        !fc_text_rest(text, "the date", &date))
        return FALSE;
    *out = parse_time(date);
    return TRUE;
}

static gboolean read_entry(FcText *text, FcDescriptor *descriptor)
{
    FcDescriptorEntry entry = {0};
    if (!take_prefix(text, "Process id:") || !fc_text_signed(text, "the id", &entry.id) ||
        !fc_text_end_line(text) || !fc_text_next_line(text, "the parent") ||
        !take_prefix(text, "parent:"))
        return FALSE;

    g_autofree char *parent = NULL;
    const char *number = text->word;
    if (!fc_text_rest(text, "the parent", &parent))
        return FALSE;
    entry.is_thread = strcmp(parent, thread_word) == 0;
    text->word = number;
    if (!entry.is_thread &&
        (!fc_text_signed(text, "the parent", &entry.parent) || !fc_text_end_line(text)))
        return FALSE;

    if (!fc_text_next_line(text, "the file's name") || !take_prefix(text, "file:") ||
        !fc_text_rest(text, "the file's name", &entry.file))
        return FALSE;
    g_array_append_val(descriptor->entries, entry);
    return TRUE;
}

static gboolean read_descriptor(FcText *text, FcDescriptor *descriptor)
{
    guint64 count;
    if (!fc_text_next_line(text, "\"" FC_DESCRIPTOR_MAGIC "\"") ||
        !take_prefix(text, FC_DESCRIPTOR_MAGIC) || !fc_text_end_line(text) ||
        !fc_text_next_line(text, "the number of processes") ||
        !fc_text_number(text, "the number of processes", &count) ||
        !take_prefix(text, "processes treated.") || !fc_text_end_line(text) ||
        !read_time(text, "Treatments started at:", &descriptor->started) ||
        !read_time(text, "Treatments ended at:", &descriptor->ended))
        return FALSE;

    while (!fc_text_at_end(text))
    {
        if (!fc_text_next_line(text, "a process"))
            return FALSE;
        if (fc_text_has_word(text) && !read_entry(text, descriptor))
            return FALSE;
    }
    if (descriptor->entries->len != count)
        return fc_text_fail(text, "the file ends after %u of %" G_GUINT64_FORMAT " processes",
                            descriptor->entries->len, count);
    return TRUE;
}

FcDescriptor *fc_descriptor_parse(const char *data, gsize bytes, GError **error)
{
    FcText text;
    g_autoptr(FcDescriptor) descriptor = fc_descriptor_new();
    fc_text_start(&text, data, bytes);
    if (read_descriptor(&text, descriptor))
        return g_steal_pointer(&descriptor);
    g_propagate_error(error, text.error);
    return NULL;
}

FcDescriptor *fc_descriptor_read(const char *path, GError **error)
{
    gsize bytes;
    g_autofree char *data = fc_file_read(path, FC_DESCRIPTOR_MAGIC, &bytes, error);
    return data ? fc_descriptor_parse(data, bytes, error) : NULL;
}

/* ---- Where the files are ----------------------------------------------------- */

static char *resolve(const char *folder, const char *file)
{
    char *named = g_path_is_absolute(file) ? g_strdup(file) : g_build_filename(folder, file, NULL);
    if (g_file_test(named, G_FILE_TEST_EXISTS))
        return named;
    g_autofree char *base = g_path_get_basename(file);
    char *beside = g_build_filename(folder, base, NULL);
    if (g_file_test(beside, G_FILE_TEST_EXISTS))
    {
        g_free(named);
        return beside;
    }
    g_free(beside);
    return named;
}

GPtrArray *fc_descriptor_files(const char *path, GError **error)
{
    g_autoptr(FcDescriptor) descriptor = fc_descriptor_read(path, error);
    if (!descriptor)
        return NULL;
    g_autofree char *folder = g_path_get_dirname(path);
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < descriptor->entries->len; i++)
    {
        const FcDescriptorEntry *entry = &g_array_index(descriptor->entries, FcDescriptorEntry, i);
        g_ptr_array_add(files, resolve(folder, entry->file));
    }
    return files;
}
