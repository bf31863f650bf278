/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks into images for hooks and for libfc; see hooked.h.
 */
#include "symbols/hooked.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* What the compilers call: gcc's and clang's hooks, and those after inlining. */
static const char *const hooks[] = {"__cyg_profile_func_enter", "__cyg_profile_func_exit",
                                    "__cyg_profile_func_enter_bare", "__fentry__", "__return__"};

typedef struct
{
    gboolean is_dynamic;
    gboolean has_hooks;
    gboolean needs_libfc;
} Look;

static void look_at_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Look *look)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const gsize count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    for (gsize i = 0; data && i < count; i++)
    {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        look->is_dynamic = TRUE;
        look->needs_libfc = look->needs_libfc || (name && g_str_has_prefix(name, "libfc.so"));
    }
}

static void look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Look *look)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const gsize count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    for (gsize i = 0; data && i < count && !look->has_hooks; i++)
    {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol)
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;
        for (guint h = 0; name && h < G_N_ELEMENTS(hooks); h++)
            look->has_hooks = look->has_hooks || strcmp(name, hooks[h]) == 0;
    }
}

FcHooked fc_hooked_look(const char *path)
{
    Look look = {0};
    elf_version(EV_CURRENT);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return FC_HOOKED_NO_IMAGE;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    GElf_Ehdr start;
    const gboolean is_image =
        elf && gelf_getehdr(elf, &start) && (start.e_type == ET_EXEC || start.e_type == ET_DYN);
    for (Elf_Scn *section = NULL; is_image && (section = elf_nextscn(elf, section));)
    {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            look_at_needed(elf, section, &header, &look);
        else if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
            look_at_symbols(elf, section, &header, &look);
    }
    elf_end(elf);
    close(fd);
    return !is_image           ? FC_HOOKED_NO_IMAGE
           : !look.is_dynamic  ? FC_HOOKED_STATIC
           : !look.has_hooks   ? FC_HOOKED_NONE
           : !look.needs_libfc ? FC_HOOKED_UNLINKED
                               : FC_HOOKED_READY;
}
