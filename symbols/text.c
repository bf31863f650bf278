/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Strings of an image: the names of regions (include/fc.h), whose addresses stand in the profile as
 * those of functions.  Called by symbols.c.
 */
#include "symbols/image.h"

#include <gelf.h>
#include <string.h>

#define TEXT_MAX 200u

static gboolean holds(const GElf_Shdr *header, guint64 address)
{
    return header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_ALLOC) != 0 &&
           (header->sh_flags & (SHF_EXECINSTR | SHF_WRITE)) == 0 && address >= header->sh_addr &&
           address - header->sh_addr < header->sh_size;
}

/* What reads as a name. */
static gboolean is_name(const char *text, gsize bytes)
{
    if (bytes == 0 || !g_utf8_validate(text, (gssize)bytes, NULL))
        return FALSE;
    for (const char *at = text; at < text + bytes; at = g_utf8_next_char(at))
        if (!g_unichar_isprint(g_utf8_get_char(at)))
            return FALSE;
    return TRUE;
}

char *fc_image_find_text(FcImage *image, guint64 address)
{
    GElf_Addr bias;
    Elf *elf = fc_image_load(image) ? dwfl_module_getelf(image->module, &bias) : NULL;
    GElf_Shdr header;

    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
    {
        if (!gelf_getshdr(section, &header) || !holds(&header, address))
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        const gsize at = (gsize)(address - header.sh_addr);
        if (!data || !data->d_buf || at >= data->d_size)
            return NULL;
        const char *text = (const char *)data->d_buf + at;
        const gsize room = MIN(data->d_size - at, TEXT_MAX + 1);
        const gsize bytes = strnlen(text, room);
        return bytes < room && is_name(text, bytes) ? g_strndup(text, bytes) : NULL;
    }
    return NULL;
}
