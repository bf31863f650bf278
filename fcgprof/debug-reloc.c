/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Relocates the debugging information of an object file that was not linked yet.  See
 * debug-file.h.
 */
#include "fcgprof/debug-file.h"

#include <gelf.h>
#include <string.h>

/* Absolute relocations, the only ones that debugging information needs. */
static const struct
{
    guint16 machine;
    guint type;
    guint n_bytes;
} absolute_relocations[] = {
    {EM_X86_64, R_X86_64_64, 8}, {EM_X86_64, R_X86_64_32, 4},      {EM_X86_64, R_X86_64_32S, 4},
    {EM_386, R_386_32, 4},       {EM_AARCH64, R_AARCH64_ABS64, 8}, {EM_AARCH64, R_AARCH64_ABS32, 4},
};

typedef struct
{
    Elf *elf;
    const guint64 *places; /* of sections */
    GElf_Ehdr header;
    Elf_Data *symbols;
    Elf_Data *target;
} Relocator;

static guint width_of(const Relocator *relocator, guint type)
{
    for (guint i = 0; i < G_N_ELEMENTS(absolute_relocations); i++)
    {
        if (absolute_relocations[i].machine == relocator->header.e_machine &&
            absolute_relocations[i].type == type)
            return absolute_relocations[i].n_bytes;
    }
    return 0;
}

static guint64 symbol_value(const Relocator *relocator, guint index)
{
    Elf_Scn *section;
    GElf_Sym sym;

    if (!gelf_getsym(relocator->symbols, (int)index, &sym))
        return 0;
    section = sym.st_shndx > SHN_UNDEF && sym.st_shndx < SHN_LORESERVE
                  ? elf_getscn(relocator->elf, sym.st_shndx)
                  : NULL;
    return sym.st_value + (section ? relocator->places[elf_ndxscn(section)] : 0);
}

/* `addend` NULL: it stands where the result goes. */
static void apply(const Relocator *relocator, guint64 offset, guint64 info, const gint64 *addend)
{
    gboolean is_big = relocator->header.e_ident[EI_DATA] == ELFDATA2MSB;
    guint n_bytes = width_of(relocator, (guint)GELF_R_TYPE(info));
    guint64 value = symbol_value(relocator, (guint)GELF_R_SYM(info)), old = 0;
    guint8 *at;

    if (n_bytes == 0 || offset > relocator->target->d_size ||
        relocator->target->d_size - offset < n_bytes)
        return;
    at = (guint8 *)relocator->target->d_buf + offset;
    for (guint i = 0; i < n_bytes; i++)
        old |= (guint64)at[i] << 8 * (is_big ? n_bytes - 1 - i : i);
    value += addend ? (guint64)*addend : old;
    for (guint i = 0; i < n_bytes; i++)
        at[i] = (guint8)(value >> 8 * (is_big ? n_bytes - 1 - i : i));
}

static void apply_all(const Relocator *relocator, Elf_Data *relocations, const GElf_Shdr *header)
{
    gsize n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (gsize i = 0; i < n && i < G_MAXINT; i++)
    {
        GElf_Rela rela;
        GElf_Rel rel;

        if (header->sh_type == SHT_RELA && gelf_getrela(relocations, (int)i, &rela))
            apply(relocator, rela.r_offset, rela.r_info, &rela.r_addend);
        else if (header->sh_type == SHT_REL && gelf_getrel(relocations, (int)i, &rel))
            apply(relocator, rel.r_offset, rel.r_info, NULL);
    }
}

/* GNU's older way of compressing has .zdebug_line for .debug_line. */
static gboolean has_prefix(const char *name, const char *prefix)
{
    return g_str_has_prefix(name, prefix) ||
           (g_str_has_prefix(name, ".z") && g_str_has_prefix(name + 2, prefix + 1));
}

guint64 *fc_gdebug_places(Elf *elf, gboolean is_packed)
{
    size_t n_sections = 0;
    guint64 *places, next = 0;
    GElf_Ehdr ehdr;

    if (!gelf_getehdr(elf, &ehdr) || elf_getshdrnum(elf, &n_sections) != 0)
        n_sections = 0;
    places = g_new0(guint64, n_sections + 1);
    for (size_t i = 1; i < n_sections; i++)
    {
        GElf_Shdr header;

        if (!gelf_getshdr(elf_getscn(elf, i), &header))
            continue;
        places[i] = header.sh_addr;
        if (is_packed && ehdr.e_type == ET_REL && (header.sh_flags & SHF_ALLOC))
        {
            guint64 align = MAX(header.sh_addralign, 1);

            places[i] = (next + align - 1) & -align;
            next = places[i] + header.sh_size;
        }
    }
    return places;
}

void fc_gdebug_relocate(Elf *elf, const char *prefix, const guint64 *places)
{
    Relocator relocator = {.elf = elf, .places = places};
    Elf_Scn *section = NULL;
    size_t names_index;

    if (!gelf_getehdr(elf, &relocator.header) || relocator.header.e_type != ET_REL ||
        elf_getshdrstrndx(elf, &names_index) != 0)
        return;
    while ((section = elf_nextscn(elf, section)))
    {
        GElf_Shdr header, target;
        Elf_Data *relocations;
        const char *name;

        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) ||
            !gelf_getshdr(elf_getscn(elf, header.sh_info), &target))
            continue;
        name = elf_strptr(elf, names_index, target.sh_name);
        if (!name || !has_prefix(name, prefix))
            continue;
        fc_gdebug_uncompress(elf_getscn(elf, header.sh_info), &target, name);
        relocations = elf_getdata(section, NULL);
        relocator.symbols = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
        relocator.target = elf_getdata(elf_getscn(elf, header.sh_info), NULL);
        if (relocations && relocator.symbols && relocator.target && relocator.target->d_buf)
            apply_all(&relocator, relocations, &header);
    }
}
