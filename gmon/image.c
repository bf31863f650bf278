/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads an image with libelf, for fcdump.  See image.h.
 */
#include "gmon/image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
    FcGImage *image;
    Elf *elf;
    Elf_Data *symbols;
    Elf_Data *names;
    GArray *is_code; /* gboolean of each section */
    gboolean has_text;
} Reader;

/* The name that a symbol says is at `offset`: in a copy with an empty string at its end. */
static const char *name_at(const Reader *reader, guint64 offset)
{
    return reader->image->names + MIN(offset, reader->names->d_size);
}

static const char *next_string(const char *end, gconstpointer data)
{
    const Reader *reader = data;

    return name_at(reader, (guint64)(end + 1 - reader->image->names));
}

/* 'T', 't', or 0 if gprof does not show it. */
static char classify(const Reader *reader, const GElf_Sym *sym, const char *name)
{
    guint type = GELF_ST_TYPE(sym->st_info), binding = GELF_ST_BIND(sym->st_info);

    if (type == STT_SECTION || type == STT_FILE || type == STT_GNU_IFUNC)
        return 0;
    if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_COMMON)
        return 0;
    if (binding == STB_WEAK)
        return type == STT_OBJECT ? 0 : 'T'; /* wherever it is */
    if (sym->st_shndx >= reader->is_code->len ||
        !g_array_index(reader->is_code, gboolean, sym->st_shndx))
        return 0;
    if (binding == STB_GLOBAL)
        return 'T';
    return binding == STB_LOCAL && fc_gimage_shows_local(name, next_string, reader) ? 't' : 0;
}

static void read_symbols(Reader *reader)
{
    FcGImage *image = reader->image;
    GElf_Sym in;

    image->names = g_malloc0(reader->names->d_size + 1);
    memcpy(image->names, reader->names->d_buf, reader->names->d_size);
    for (int i = 1; gelf_getsym(reader->symbols, i, &in); i++)
    {
        const char *name = name_at(reader, in.st_name);
        char class = classify(reader, &in, name);
        FcGRange sym = {.addr = in.st_value,
                        .name = name,
                        .is_func = GELF_ST_TYPE(in.st_info) == STT_FUNC,
                        .is_static = class == 't'};

        if (class)
            g_array_append_val(image->syms, sym);
    }
}

static void read_section(Reader *reader, Elf_Scn *section, size_t names_index)
{
    GElf_Shdr header;

    if (!gelf_getshdr(section, &header))
        memset(&header, 0, sizeof header);
    gboolean is_code = (header.sh_flags & SHF_EXECINSTR) != 0;
    g_array_append_val(reader->is_code, is_code);
    const char *name = elf_strptr(reader->elf, names_index, header.sh_name);
    if (header.sh_type == SHT_SYMTAB && !reader->symbols)
    {
        reader->symbols = elf_getdata(section, NULL);
        reader->names = elf_getdata(elf_getscn(reader->elf, header.sh_link), NULL);
    }
    else if (!reader->has_text && g_strcmp0(name, ".text") == 0)
    {
        reader->image->text_start = header.sh_addr;
        reader->image->text_end = header.sh_addr + header.sh_size;
        reader->has_text = TRUE;
    }
}

/* What keeps gprof from using the image, or NULL. */
static const char *read_elf(Reader *reader)
{
    size_t n_sections, names_index;
    GElf_Ehdr header;

    if (!reader->elf || elf_kind(reader->elf) != ELF_K_ELF || !gelf_getehdr(reader->elf, &header) ||
        elf_getshdrnum(reader->elf, &n_sections) != 0 ||
        elf_getshdrstrndx(reader->elf, &names_index) != 0)
        return "not an executable or object file";
    reader->image->layout.is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    reader->image->layout.addr_bytes = header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
    for (size_t i = 0; i < n_sections; i++)
        read_section(reader, elf_getscn(reader->elf, i), names_index);
    if (!reader->has_text)
        return "has no .text section";
    if (reader->symbols && reader->names && reader->names->d_buf)
        read_symbols(reader);
    return reader->image->syms->len > 0 ? NULL : "has no symbols";
}

FcGImage *fc_gimage_read(const char *path, GError **error)
{
    g_autoptr(FcGImage) image = g_new0(FcGImage, 1);
    Reader reader = {.image = image};
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    image->syms = g_array_new(FALSE, FALSE, sizeof(FcGRange));
    if (fd < 0)
    {
        g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_IMAGE, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    elf_version(EV_CURRENT);
    reader.elf = elf_begin(fd, ELF_C_READ, NULL);
    reader.is_code = g_array_new(FALSE, FALSE, sizeof(gboolean));
    const char *wrong = read_elf(&reader);
    g_array_unref(reader.is_code);
    elf_end(reader.elf);
    close(fd);
    if (!wrong)
        return g_steal_pointer(&image);
    g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_IMAGE, "%s: %s", path, wrong);
    return NULL;
}

void fc_gimage_free(FcGImage *image)
{
    if (!image)
        return;
    g_array_unref(image->syms);
    g_free(image->names);
    g_free(image);
}
