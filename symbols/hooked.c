/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks into images for hooks and for libfc; see hooked.h.
 */
#include "symbols/hooked.h"

#include "symbols/image.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* What the compilers call: gcc's and clang's hooks, and those after inlining. */
static const char *const hooks[] = {"__cyg_profile_func_enter", "__cyg_profile_func_exit",
                                    "__cyg_profile_func_enter_bare", "__fentry__", "__return__"};

#define NOTE_OWNER "FunctionCheck"
#define HOOKS_MAX 8 /* of either kind more than once, where the flags came twice */

typedef struct
{
    gboolean is_dynamic;
    gboolean has_hooks;
    gboolean needs_libfc;
    guint64 hooks[HOOKS_MAX]; /* addresses of those for entries that are linked in */
    guint hook_count;
} Look;

/* Reads the notes of module-hooks.c and of weak hooks in a section: the address of each entry hook
 * that was linked into the image. */
static void look_at_note(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Look *look)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Nhdr note;
    gsize name = 0;
    gsize content = 0;
    for (gsize at = 0; data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0;)
    {
        gint64 away = 0;
        if (look->hook_count == HOOKS_MAX || note.n_namesz != sizeof NOTE_OWNER ||
            note.n_descsz != sizeof away ||
            memcmp((const char *)data->d_buf + name, NOTE_OWNER, sizeof NOTE_OWNER) != 0)
            continue;
        memcpy(&away, (const char *)data->d_buf + content, sizeof away);
        look->hooks[look->hook_count++] = header->sh_addr + content + (guint64)away;
    }
}

static gboolean is_call(const guint8 *code, guint64 address, guint64 target, GElf_Half machine)
{
    guint32 word = 0;
    if (machine == EM_X86_64) /* e8, the distance from behind the call */
    {
        memcpy(&word, code + 1, sizeof word);
        return code[0] == 0xe8 && (guint32)(target - address - 5) == word;
    }
    if (machine != EM_AARCH64 || address % 4 != 0)
        return FALSE;
    memcpy(&word, code, sizeof word); /* bl, the distance in words */
    return word >> 26 == 0x25 && ((word ^ (guint32)((target - address) >> 2)) & 0x3ffffff) == 0;
}

/* Searches a section with code for calls of the hook in the image. */
static void look_at_code(Elf_Scn *section, const GElf_Shdr *header, GElf_Half machine, Look *look)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    const guint8 *code = data ? data->d_buf : NULL;
    for (gsize at = 0; code && at + 5 <= data->d_size && !look->has_hooks; at++)
        for (guint i = 0; i < look->hook_count; i++)
            look->has_hooks = look->has_hooks ||
                              is_call(code + at, header->sh_addr + at, look->hooks[i], machine);
}

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

/* A hook of module-hooks.c, which need not be called. */
static gboolean is_linked_in(const GElf_Sym *symbol)
{
    return symbol->st_shndx != SHN_UNDEF && (GELF_ST_BIND(symbol->st_info) == STB_LOCAL ||
                                             GELF_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN);
}

static void look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Look *look)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const gsize count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    for (gsize i = 0; data && i < count && !look->has_hooks; i++)
    {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) && !is_linked_in(&symbol)
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;
        for (guint h = 0; name && h < G_N_ELEMENTS(hooks); h++)
            look->has_hooks = look->has_hooks || strcmp(name, hooks[h]) == 0;
    }
}

static gboolean has_lost_hooks(const char *path)
{
    g_autoptr(FcImage) image = fc_image_open(path, NULL, NULL);
    return image && fc_image_lost_hooks(image);
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
        else if (header.sh_type == SHT_NOTE)
            look_at_note(elf, section, &header, &look);
    }
    for (Elf_Scn *section = NULL; look.hook_count > 0 && (section = elf_nextscn(elf, section));)
    {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
            header.sh_flags & SHF_EXECINSTR)
            look_at_code(section, &header, start.e_machine, &look);
    }
    elf_end(elf);
    close(fd);
    return !is_image           ? FC_HOOKED_NO_IMAGE
           : !look.is_dynamic  ? FC_HOOKED_STATIC
           : !look.has_hooks   ? (has_lost_hooks(path) ? FC_HOOKED_LOST : FC_HOOKED_NONE)
           : !look.needs_libfc ? FC_HOOKED_UNLINKED
                               : FC_HOOKED_READY;
}
