/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Headers of line number programs and the names of files.  See line-header.h.
 */
#include "fcgprof/line-header.h"

#include <dwarf.h>
#include <string.h>

typedef struct
{
    const char *name;
    guint64 dir;
} FileEntry;

static const char *string_at(const guint8 *section, gsize n_bytes, guint64 offset)
{
    if (offset >= n_bytes || !memchr(section + offset, 0, n_bytes - offset))
        return NULL;
    return (const char *)section + offset;
}

/* An empty name is none. */
static const char *name_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

/* One attribute of a directory or file entry of version 5. */
static void read_form(FcGLineHeader *header, FcGLineReader *reader, guint64 form, const char **text,
                      guint64 *number)
{
    const FcGLineSections *sections = header->sections;
    guint64 length;

    switch (form)
    {
    case DW_FORM_string:
        *text = fc_gline_read_string(reader);
        break;
    case DW_FORM_line_strp:
        *text = string_at(sections->line_str, sections->line_str_bytes,
                          fc_gline_read_uint(reader, header->offset_bytes));
        break;
    case DW_FORM_strp:
        *text = string_at(sections->str, sections->str_bytes,
                          fc_gline_read_uint(reader, header->offset_bytes));
        break;
    case DW_FORM_udata:
        *number = fc_gline_read_uleb(reader);
        break;
    case DW_FORM_data1:
        *number = fc_gline_read_uint(reader, 1);
        break;
    case DW_FORM_data2:
        *number = fc_gline_read_uint(reader, 2);
        break;
    case DW_FORM_data4:
        *number = fc_gline_read_uint(reader, 4);
        break;
    case DW_FORM_data8:
        *number = fc_gline_read_uint(reader, 8);
        break;
    case DW_FORM_data16:
        fc_gline_read_uint(reader, 8);
        fc_gline_read_uint(reader, 8);
        break;
    case DW_FORM_block:
        length = fc_gline_read_uleb(reader);
        if (length > (guint64)(reader->end - reader->at))
            reader->failed = TRUE;
        else
            reader->at += length;
        break;
    default:
        reader->failed = TRUE;
    }
}

/* A table of directories (files NULL) or of files, version 5. */
static void read_entries(FcGLineHeader *header, FcGLineReader *reader, gboolean is_files)
{
    guint n_formats = (guint)fc_gline_read_uint(reader, 1);
    const guint8 *formats = reader->at;
    guint64 n;

    for (guint i = 0; i < n_formats; i++)
    {
        fc_gline_read_uleb(reader);
        fc_gline_read_uleb(reader);
    }
    n = fc_gline_read_uleb(reader);
    for (guint64 i = 0; i < n && !reader->failed && n_formats > 0; i++)
    {
        FcGLineReader format = {formats, reader->end, reader->is_big_endian, FALSE};
        FileEntry entry = {0};

        for (guint k = 0; k < n_formats; k++)
        {
            guint64 content = fc_gline_read_uleb(&format), form = fc_gline_read_uleb(&format),
                    number = 0;
            const char *text = NULL;

            read_form(header, reader, form, &text, &number);
            if (content == DW_LNCT_path)
                entry.name = name_or_null(text);
            else if (content == DW_LNCT_directory_index)
                entry.dir = number;
            else if (content < DW_LNCT_path || content > DW_LNCT_MD5)
                reader->failed = TRUE; /* gprof's library knows no other */
        }
        if (is_files)
            g_array_append_val(header->files, entry);
        else
            g_array_append_val(header->dirs, entry.name);
    }
}

void fc_gline_header_add_file(FcGLineHeader *header, FcGLineReader *reader, const char *name)
{
    FileEntry entry = {.name = name_or_null(name)};

    entry.dir = fc_gline_read_uleb(reader);
    fc_gline_read_uleb(reader);
    fc_gline_read_uleb(reader);
    g_array_append_val(header->files, entry);
}

static void read_old_entries(FcGLineHeader *header, FcGLineReader *reader)
{
    const char *name;

    while (!reader->failed && *(name = fc_gline_read_string(reader)))
        g_array_append_val(header->dirs, name);
    while (!reader->failed && *(name = fc_gline_read_string(reader)))
        fc_gline_header_add_file(header, reader, name);
}

static const char *make_path(FcGLineHeader *header, guint64 number)
{
    gboolean from_zero = header->version >= 5;
    guint64 index = from_zero ? number : number - 1;
    const char *dir = NULL, *base;
    const FileEntry *entry;
    g_autofree char *path = NULL;
    guint64 dir_index;

    if (index >= header->files->len)
        return "<unknown>";
    entry = &g_array_index(header->files, FileEntry, index);
    if (!entry->name)
        return "<unknown>";
    if (entry->name[0] == '/')
        return g_string_chunk_insert_const(header->strings, entry->name);
    dir_index = from_zero ? entry->dir : entry->dir - 1;
    if (dir_index < header->dirs->len)
        dir = g_array_index(header->dirs, const char *, dir_index);
    base = !dir || dir[0] != '/' ? header->comp_dir : NULL;
    if (base && dir)
        path = g_strdup_printf("%s/%s/%s", base, dir, entry->name);
    else if (base || dir)
        path = g_strdup_printf("%s/%s", base ? base : dir, entry->name);
    return g_string_chunk_insert_const(header->strings, path ? path : entry->name);
}

const char *fc_gline_header_path(FcGLineHeader *header, guint64 number)
{
    if (number >= header->files->len + 1)
        return g_string_chunk_insert_const(header->strings, make_path(header, number));
    if (header->n_paths < header->files->len + 1)
    {
        header->paths = g_renew(const char *, header->paths, header->files->len + 1);
        for (guint i = header->n_paths; i < header->files->len + 1; i++)
            header->paths[i] = NULL;
        header->n_paths = header->files->len + 1;
    }
    if (!header->paths[number])
        header->paths[number] =
            g_string_chunk_insert_const(header->strings, make_path(header, number));
    return header->paths[number];
}

gboolean fc_gline_header_read(FcGLineHeader *header, FcGLineReader *reader)
{
    guint64 length = fc_gline_read_uint(reader, 4);

    header->offset_bytes = 4;
    if (length == 0xffffffff)
    {
        header->offset_bytes = 8;
        length = fc_gline_read_uint(reader, 8);
    }
    if (reader->failed || length > (guint64)(reader->end - reader->at))
        return FALSE;
    reader->end = reader->at + length;
    header->version = (guint)fc_gline_read_uint(reader, 2);
    if (header->version < 2 || header->version > 5)
        return FALSE;
    if (header->version >= 5)
    {
        header->addr_bytes = (guint)fc_gline_read_uint(reader, 1);
        fc_gline_read_uint(reader, 1);
    }
    /* The length of the header, which gprof's library does not heed. */
    fc_gline_read_uint(reader, header->offset_bytes);
    if (reader->failed)
        return FALSE;
    header->min_inst_bytes = (guint)fc_gline_read_uint(reader, 1);
    if (header->version >= 4)
        fc_gline_read_uint(reader, 1);
    fc_gline_read_uint(reader, 1);
    header->line_base = (gint8)fc_gline_read_uint(reader, 1);
    header->line_range = (guint)fc_gline_read_uint(reader, 1);
    header->opcode_base = (guint)fc_gline_read_uint(reader, 1);
    header->opcode_operands = reader->at;
    if (header->line_range == 0 || header->opcode_base == 0 ||
        (gsize)(reader->end - reader->at) < header->opcode_base)
        return FALSE;
    reader->at += header->opcode_base - 1;
    if (header->version >= 5)
    {
        read_entries(header, reader, FALSE);
        read_entries(header, reader, TRUE);
    }
    else
    {
        read_old_entries(header, reader);
    }
    return !reader->failed;
}

void fc_gline_header_init(FcGLineHeader *header, const FcGLineSections *sections,
                          const char *comp_dir, guint addr_bytes, GStringChunk *strings)
{
    *header = (FcGLineHeader){
        .sections = sections, .comp_dir = comp_dir, .strings = strings, .addr_bytes = addr_bytes};
    header->dirs = g_array_new(FALSE, FALSE, sizeof(const char *));
    header->files = g_array_new(FALSE, FALSE, sizeof(FileEntry));
}

void fc_gline_header_clear(FcGLineHeader *header)
{
    g_array_free(header->dirs, TRUE);
    g_array_free(header->files, TRUE);
    g_free(header->paths);
}
