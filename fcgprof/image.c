/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens an ELF object and classifies its symbols.  Called for the image and for the file
 * with its debugging information; neither must be changed while it is open.
 */
#include "fcgprof/image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct FcGImage
{
    char *path;
    int fd;
    Elf *elf;
    GElf_Ehdr header;
    size_t text_index;
    GElf_Shdr text;
    const guint8 *text_bytes;
    FcGImageSym *syms;
    guint n_syms;
    char *names; /* copy of the string table with two NULs behind it */
};

/* Sections that PE gave a meaning hold no code whatever their flags say. */
static const char *const other_sections[] = {".drectve", ".edata", ".idata", ".pdata"};

static gboolean section_is_code(const char *name, const GElf_Shdr *header)
{
    for (guint i = 0; i < G_N_ELEMENTS(other_sections); i++)
    {
        size_t length = strlen(other_sections[i]);

        if (strncmp(name, other_sections[i], length) == 0 &&
            memchr(".$0123456789", name[length], 13))
            return FALSE;
    }
    return (header->sh_flags & SHF_EXECINSTR) != 0;
}

/* A local name that a compiler or assembler made for itself is no function to show:
 * empty, with a '$', or with a '.' that does not begin a clone's suffix.  Where such a
 * suffix ends the name, gprof goes on with the string that follows in the table; the
 * outcome is visible in its reports, so it is done here too. */
static gboolean is_shown_local_name(const char *name)
{
    if (!*name)
        return FALSE;
    if (g_str_has_prefix(name, "__gnu_compiled") || g_str_has_prefix(name, "___gnu_compiled"))
        return FALSE;
    for (const char *at = name; *at; at++)
    {
        if (*at == '$')
            return FALSE;
        while (*at == '.')
        {
            gboolean has_digit = FALSE;

            if (g_str_has_prefix(at, ".clone.") && at[7])
                at += 6;
            else if (g_str_has_prefix(at, ".constprop.") && at[11])
                at += 10;
            for (at++; *at && !(has_digit && *at == '.'); at++)
            {
                if (!g_ascii_isdigit(*at))
                    return FALSE;
                has_digit = TRUE;
            }
        }
    }
    return TRUE;
}

static char classify(const GElf_Sym *sym, const char *name, const gboolean *is_code,
                     size_t n_sections, guint section)
{
    guint type = GELF_ST_TYPE(sym->st_info), binding = GELF_ST_BIND(sym->st_info);
    gboolean in_code = section < n_sections && is_code[section];

    if (type == STT_SECTION || type == STT_FILE || type == STT_GNU_IFUNC)
        return 0;
    if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_COMMON)
        return 0;
    if (binding == STB_WEAK)
        return type == STT_OBJECT ? 0 : 'T';
    if (!in_code)
        return 0;
    if (binding == STB_GLOBAL)
        return 'T';
    if (binding == STB_LOCAL)
        return is_shown_local_name(name) ? 't' : 0;
    return 0;
}

/* Which section a symbol lies in, also where there are more than 65,000 of them. */
static guint symbol_section(Elf_Data *extended, guint index, const GElf_Sym *sym)
{
    Elf32_Word section = 0;

    if (sym->st_shndx != SHN_XINDEX)
        return sym->st_shndx >= SHN_LORESERVE ? G_MAXUINT : sym->st_shndx;
    if (extended && index < extended->d_size / sizeof(Elf32_Word))
    {
        memcpy(&section, (const char *)extended->d_buf + index * sizeof section, sizeof section);
        return section;
    }
    return G_MAXUINT;
}

typedef struct
{
    Elf_Data *symbols;
    Elf_Data *extended;
    GElf_Shdr header;
    gboolean *is_code;
    size_t n_sections;
} SymbolSource;

static void read_symbols(FcGImage *image, const SymbolSource *source)
{
    Elf_Data *strings = elf_getdata(elf_getscn(image->elf, source->header.sh_link), NULL);
    size_t n = source->header.sh_entsize ? source->symbols->d_size / source->header.sh_entsize : 0;
    size_t n_names = strings ? strings->d_size : 0;
    guint64 *bases = g_new0(guint64, source->n_sections + 1);

    image->names = g_malloc0(n_names + 2);
    if (n_names)
        memcpy(image->names, strings->d_buf, n_names);
    if (image->header.e_type == ET_REL)
    {
        /* Addresses in an object file count from the start of the section. */
        for (size_t i = 0; i < source->n_sections; i++)
        {
            GElf_Shdr section;

            if (gelf_getshdr(elf_getscn(image->elf, i), &section))
                bases[i] = section.sh_addr;
        }
    }
    image->syms = g_new0(FcGImageSym, n + 1);
    for (size_t i = 1; i < n && i < G_MAXINT; i++)
    {
        FcGImageSym *out = &image->syms[image->n_syms];
        guint section;
        GElf_Sym sym;

        if (!gelf_getsym(source->symbols, (int)i, &sym))
            break;
        section = symbol_section(source->extended, i, &sym);
        out->name = image->names + (sym.st_name < n_names ? sym.st_name : n_names);
        out->addr = sym.st_value + (section < source->n_sections ? bases[section] : 0);
        out->size = sym.st_size;
        out->type = GELF_ST_TYPE(sym.st_info);
        out->binding = GELF_ST_BIND(sym.st_info);
        out->visibility = GELF_ST_VISIBILITY(sym.st_other);
        out->in_text = section == image->text_index;
        out->class = classify(&sym, out->name, source->is_code, source->n_sections, section);
        image->n_syms++;
    }
    g_free(bases);
}

/* How long the section can be at most: one that is in the file ends with that. */
static guint64 bytes_from(const FcGImage *image, const GElf_Shdr *header)
{
    struct stat status;

    if (header->sh_type == SHT_NOBITS || fstat(image->fd, &status) != 0)
        return G_MAXUINT64;
    return (guint64)status.st_size > header->sh_offset ? (guint64)status.st_size - header->sh_offset
                                                       : 0;
}

static gboolean scan_sections(FcGImage *image, SymbolSource *source, GError **error)
{
    size_t names_index = 0;
    Elf_Scn *section = NULL;

    if (elf_getshdrnum(image->elf, &source->n_sections) != 0 ||
        elf_getshdrstrndx(image->elf, &names_index) != 0)
        source->n_sections = 0;
    source->is_code = g_new0(gboolean, source->n_sections + 1);
    while ((section = elf_nextscn(image->elf, section)))
    {
        size_t index = elf_ndxscn(section);
        const char *name;
        GElf_Shdr header;

        if (!gelf_getshdr(section, &header) || index >= source->n_sections)
            continue;
        name = elf_strptr(image->elf, names_index, header.sh_name);
        if (!name)
            name = "";
        source->is_code[index] = section_is_code(name, &header);
        if (header.sh_type == SHT_SYMTAB && !source->symbols)
        {
            source->symbols = elf_getdata(section, NULL);
            source->header = header;
        }
        else if (header.sh_type == SHT_SYMTAB_SHNDX)
        {
            source->extended = elf_getdata(section, NULL);
        }
        else if (strcmp(name, ".text") == 0 && !image->text_index)
        {
            Elf_Data *data = elf_getdata(section, NULL);

            image->text_index = index;
            image->text = header;
            image->text.sh_size = MIN(header.sh_size, bytes_from(image, &header));
            if (data && data->d_buf && data->d_size >= header.sh_size)
                image->text_bytes = data->d_buf;
        }
    }
    if (image->text_index)
        return TRUE;
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_IMAGE, "%s: has no .text section",
                image->path);
    return FALSE;
}

FcGImage *fc_gimage_open(const char *path, GError **error)
{
    g_autoptr(FcGImage) image = g_new0(FcGImage, 1);
    SymbolSource source = {0};
    gboolean is_good;

    elf_version(EV_CURRENT);
    image->path = g_strdup(path);
    image->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (image->fd < 0)
    {
        g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_IMAGE, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    image->elf = elf_begin(image->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
        !gelf_getehdr(image->elf, &image->header))
    {
        g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_IMAGE,
                    "%s: not an executable or object file", path);
        return NULL;
    }
    is_good = scan_sections(image, &source, error);
    if (is_good && source.symbols)
        read_symbols(image, &source);
    g_free(source.is_code);
    return is_good ? g_steal_pointer(&image) : NULL;
}

void fc_gimage_free(FcGImage *image)
{
    if (!image)
        return;
    if (image->elf)
        elf_end(image->elf);
    if (image->fd >= 0)
        close(image->fd);
    g_free(image->syms);
    g_free(image->names);
    g_free(image->path);
    g_free(image);
}

const char *fc_gimage_path(const FcGImage *image)
{
    return image->path;
}

gboolean fc_gimage_is_big_endian(const FcGImage *image)
{
    return image->header.e_ident[EI_DATA] == ELFDATA2MSB;
}

guint fc_gimage_addr_bytes(const FcGImage *image)
{
    return image->header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

gboolean fc_gimage_is_x86(const FcGImage *image)
{
    if (fc_gimage_is_big_endian(image))
        return FALSE;
    return image->header.e_machine == EM_X86_64 ||
           (image->header.e_machine == EM_386 && fc_gimage_addr_bytes(image) == 4);
}

void *fc_gimage_elf(const FcGImage *image)
{
    return image->elf;
}

guint fc_gimage_text_index(const FcGImage *image)
{
    return (guint)image->text_index;
}

guint64 fc_gimage_text_start(const FcGImage *image)
{
    return image->text.sh_addr;
}

guint64 fc_gimage_text_end(const FcGImage *image)
{
    return image->text.sh_addr + image->text.sh_size;
}

const guint8 *fc_gimage_text(const FcGImage *image)
{
    return image->text_bytes;
}

const FcGImageSym *fc_gimage_symbols(const FcGImage *image, guint *n)
{
    *n = image->n_syms;
    return image->syms;
}
