/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens debugging information.  See debug-file.h.
 */
#include "fcgprof/debug-file.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

struct FcGDebugFile
{
    const FcGImage *symbols; /* the image that `elf` is of; NULL: a file that is none */
    FcGImage *separate;      /* owns `symbols` where it is another file */
    int fd;                  /* of a separate file, or -1 */
    Elf *elf;
    gboolean owns_elf;
    Dwarf *dwarf;
    guint64 text_shift;
};

gboolean fc_gdebug_section_is(const char *name, const char *wanted)
{
    /* GNU's older way of compressing, .zdebug_line for .debug_line. */
    return strcmp(name, wanted) == 0 ||
           (g_str_has_prefix(name, ".z") && wanted[0] == '.' && strcmp(name + 2, wanted + 1) == 0);
}

void fc_gdebug_uncompress(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    if (header->sh_flags & SHF_COMPRESSED)
        elf_compress(section, 0, 0);
    else if (g_str_has_prefix(name, ".zdebug"))
        elf_compress_gnu(section, 0, 0);
}

static gboolean has_debug_info(Elf *elf)
{
    size_t names_index;
    Elf_Scn *section = NULL;

    if (elf_getshdrstrndx(elf, &names_index) != 0)
        return FALSE;
    while ((section = elf_nextscn(elf, section)))
    {
        GElf_Shdr header;
        const char *name;

        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        name = elf_strptr(elf, names_index, header.sh_name);
        if (name && fc_gdebug_section_is(name, ".debug_info"))
            return TRUE;
    }
    return FALSE;
}

static gboolean try_file(FcGDebugFile *file, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf;

    if (fd < 0)
        return FALSE;
    elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF && has_debug_info(elf))
    {
        file->fd = fd;
        file->elf = elf;
        file->owns_elf = TRUE;
        file->separate = fc_gimage_open(path, NULL);
        file->symbols = file->separate;
        return TRUE;
    }
    if (elf)
        elf_end(elf);
    close(fd);
    return FALSE;
}

static gboolean try_build_id(FcGDebugFile *file, Elf *elf)
{
    const void *id;
    ssize_t n_bytes = dwelf_elf_gnu_build_id(elf, &id);
    g_autoptr(GString) path = g_string_new(DEBUG_ROOT "/.build-id/");

    if (n_bytes < 2)
        return FALSE;
    for (ssize_t i = 0; i < n_bytes; i++)
        g_string_append_printf(path, i == 0 ? "%02x/" : "%02x", ((const guint8 *)id)[i]);
    g_string_append(path, ".debug");
    return try_file(file, path->str);
}

/* The checksum of .gnu_debuglink, that of IEEE 802.3, over the whole file (GDB's manual,
 * "Separate Debug Files"). */
static gboolean has_checksum(const char *path, GElf_Word wanted)
{
    guint32 table[256];
    guint32 crc = 0xffffffffu;
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);

    if (!file)
        return FALSE;
    for (guint32 i = 0; i < 256; i++)
    {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    const guint8 *bytes = (const guint8 *)g_mapped_file_get_contents(file);
    for (gsize i = 0; i < g_mapped_file_get_length(file); i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc == wanted;
}

static gboolean try_linked(FcGDebugFile *file, const char *path, GElf_Word crc)
{
    return has_checksum(path, crc) && try_file(file, path);
}

/* Beside the file as it was named, as gprof's library has it: what a link leads to counts for
 * the system's folder only. */
static gboolean try_link(FcGDebugFile *file, Elf *elf, const char *image_path)
{
    GElf_Word crc;
    const char *link = dwelf_elf_gnu_debuglink(elf, &crc);
    g_autofree char *real = realpath(image_path, NULL);
    g_autofree char *dir = g_path_get_dirname(image_path);
    g_autofree char *real_dir = g_path_get_dirname(real ? real : image_path);
    g_autofree char *beside = NULL, *below = NULL, *global = NULL;

    if (!link || !*link)
        return FALSE;
    beside = g_build_filename(dir, link, NULL);
    below = g_build_filename(dir, ".debug", link, NULL);
    global = g_build_filename(DEBUG_ROOT, real_dir, link, NULL);
    return try_linked(file, beside, crc) || try_linked(file, below, crc) ||
           try_linked(file, global, crc);
}

/* All sections of an object file begin at 0.  Its debugging information is read as if they
 * were linked, one behind the other. */
static guint64 text_shift(const FcGImage *image)
{
    g_autofree guint64 *places = fc_gdebug_places(fc_gimage_elf(image), TRUE);

    return places[fc_gimage_text_index(image)] - fc_gimage_text_start(image);
}

FcGDebugFile *fc_gdebug_file_open(FcGImage *image)
{
    FcGDebugFile *file = g_new0(FcGDebugFile, 1);

    file->fd = -1;
    file->elf = fc_gimage_elf(image);
    file->symbols = image;
    if (has_debug_info(file->elf) || try_build_id(file, file->elf) ||
        try_link(file, file->elf, fc_gimage_path(image)))
    {
        g_autofree guint64 *places = fc_gdebug_places(file->elf, TRUE);

        fc_gdebug_relocate(file->elf, ".debug", places);
        file->text_shift = text_shift(image);
        file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
    }
    return file;
}

void fc_gdebug_file_free(FcGDebugFile *file)
{
    if (!file)
        return;
    if (file->dwarf)
        dwarf_end(file->dwarf);
    if (file->owns_elf)
        elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    fc_gimage_free(file->separate);
    g_free(file);
}

Dwarf *fc_gdebug_file_dwarf(FcGDebugFile *file)
{
    return file->dwarf;
}

const FcGImage *fc_gdebug_file_symbols(const FcGDebugFile *file)
{
    return file->symbols;
}

guint64 fc_gdebug_file_text_shift(const FcGDebugFile *file)
{
    return file->text_shift;
}

const guint8 *fc_gdebug_section(Elf *elf, const char *wanted, gsize *n_bytes)
{
    size_t names_index;
    Elf_Scn *section = NULL;

    *n_bytes = 0;
    if (elf_getshdrstrndx(elf, &names_index) != 0)
        return NULL;
    while ((section = elf_nextscn(elf, section)))
    {
        GElf_Shdr header;
        const char *name;
        Elf_Data *data;

        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        name = elf_strptr(elf, names_index, header.sh_name);
        if (!name || !fc_gdebug_section_is(name, wanted))
            continue;
        fc_gdebug_uncompress(section, &header, name);
        data = elf_getdata(section, NULL);
        if (!data || !data->d_buf)
            return NULL;
        *n_bytes = data->d_size;
        return data->d_buf;
    }
    return NULL;
}

const guint8 *fc_gdebug_file_section(FcGDebugFile *file, const char *name, gsize *n_bytes)
{
    return fc_gdebug_section(file->elf, name, n_bytes);
}

const char *fc_gdebug_string(Dwarf_Attribute *attribute, gboolean *is_string)
{
    const char *text = dwarf_formstring(attribute);

    *is_string = text != NULL;
    if (!text || *text)
        return text;
    switch (dwarf_whatform(attribute))
    {
    case DW_FORM_string:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_GNU_strp_alt:
        return NULL;
    default:
        return text;
    }
}
