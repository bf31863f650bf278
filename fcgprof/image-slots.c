/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the relocations of functions, and code.  See image-slots.h.
 */
#include "fcgprof/image-slots.h"

#include <gelf.h>

FcGCode fc_gimage_code_kind(const FcGImage *image)
{
    GElf_Ehdr header;

    if (fc_gimage_is_big_endian(image) || fc_gimage_addr_bytes(image) != 8 ||
        !gelf_getehdr(fc_gimage_elf(image), &header))
        return FC_GCODE_NONE;
    if (header.e_machine == EM_X86_64)
        return FC_GCODE_X86_64;
    return header.e_machine == EM_AARCH64 ? FC_GCODE_AARCH64 : FC_GCODE_NONE;
}

static gboolean is_pointer(FcGCode kind, guint type)
{
    if (kind == FC_GCODE_X86_64)
        return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    return kind == FC_GCODE_AARCH64 && (type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT);
}

static void read_relocations(Elf *elf, FcGCode kind, Elf_Scn *section, const GElf_Shdr *header,
                             GHashTable *slots)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *symbols_section = elf_getscn(elf, header->sh_link);
    Elf_Data *symbols = elf_getdata(symbols_section, NULL);
    GElf_Shdr symbols_header;
    GElf_Rela rela;

    if (!data || !symbols || !gelf_getshdr(symbols_section, &symbols_header))
        return;
    for (int i = 0; gelf_getrela(data, i, &rela); i++)
    {
        const char *name;
        GElf_Sym sym;

        if (!is_pointer(kind, (guint)GELF_R_TYPE(rela.r_info)) ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
            continue;
        name = elf_strptr(elf, symbols_header.sh_link, sym.st_name);
        if (name && *name)
            g_hash_table_insert(slots, g_memdup2(&rela.r_offset, sizeof(guint64)), (gpointer)name);
    }
}

GHashTable *fc_gimage_slots(const FcGImage *image)
{
    GHashTable *slots = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    Elf *elf = fc_gimage_elf(image);
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)))
    {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
            read_relocations(elf, fc_gimage_code_kind(image), section, &header, slots);
    }
    return slots;
}

const guint8 *fc_gimage_code_at(const FcGImage *image, guint64 addr, gsize *n)
{
    Elf *elf = fc_gimage_elf(image);
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)))
    {
        Elf_Data *data;

        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
            !(header.sh_flags & SHF_EXECINSTR) || addr < header.sh_addr ||
            addr - header.sh_addr >= header.sh_size)
            continue;
        data = elf_getdata(section, NULL);
        if (!data || !data->d_buf || data->d_size <= addr - header.sh_addr)
            return NULL;
        *n = data->d_size - (addr - header.sh_addr);
        return (const guint8 *)data->d_buf + (addr - header.sh_addr);
    }
    return NULL;
}
