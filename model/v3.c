/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completes version 3.0 profiles; see v3.h.
 */
#include "model/v3.h"

#include "symbols/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

gboolean fc_v3_is_elf(const char *path)
{
    char magic[SELFMAG];
    /* A pipe can be read only once: that is left to the loader. */
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return FALSE;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return FALSE;
    gboolean is_elf =
        read(fd, magic, sizeof magic) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
    close(fd);
    return is_elf;
}

/* The addresses that the executable at `path` is linked to; FALSE where it has none
 * of its own (position-independent) or is no 64-bit ELF file. */
static gboolean fixed_range(const char *path, guint64 *start, guint64 *end)
{
    Elf64_Ehdr header;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return FALSE;
    gboolean ok = pread(fd, &header, sizeof header, 0) == sizeof header &&
                  memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                  header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_EXEC &&
                  header.e_phentsize == sizeof(Elf64_Phdr);
    *start = G_MAXUINT64;
    *end = 0;
    for (guint i = 0; ok && i < header.e_phnum; i++)
    {
        Elf64_Phdr segment;
        off_t at = (off_t)(header.e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            break;
        if (segment.p_type != PT_LOAD)
            continue;
        *start = MIN(*start, segment.p_vaddr);
        *end = MAX(*end, segment.p_vaddr + segment.p_memsz);
    }
    close(fd);
    return ok && *start < *end;
}

static void adopt(FcProfileLocation *location, gint module, guint64 start, guint64 end)
{
    if (location->module == FC_NONE && location->address >= start && location->address < end)
    {
        location->module = module;
        location->offset = location->address;
    }
}

static void add_image(FcProfile *profile, const char *path)
{
    FcProfileModule module = {.unload_ns = G_MAXUINT64};
    if (!fixed_range(path, &module.start, &module.end))
        return;
    module.path = g_strdup(path);
    gint index = (gint)profile->modules->len;
    g_array_append_val(profile->modules, module);
    for (guint i = 0; i < profile->functions->len; i++)
        adopt(&g_array_index(profile->functions, FcProfileFunction, i).location, index,
              module.start, module.end);
    for (guint i = 0; i < profile->arcs->len; i++)
        adopt(&g_array_index(profile->arcs, FcProfileArc, i).site, index, module.start, module.end);
}

/* "module:start" of the symbol that covers `location`, or NULL where none does. */
static char *symbol_key(FcSymbols *symbols, const FcProfile *profile,
                        const FcProfileLocation *location, gboolean is_return)
{
    FcSymbol symbol;
    fc_symbols_find_name(symbols, profile, location, is_return, &symbol);
    if (!symbol.raw_name)
        return NULL;
    return g_strdup_printf("%d:%" G_GINT64_MODIFIER "x", location->module, symbol.start);
}

void fc_v3_complete(FcProfile *profile, const char *const *images)
{
    for (guint i = 0; images && images[i]; i++)
        add_image(profile, images[i]);

    g_autoptr(FcSymbols) symbols = fc_symbols_new(FC_DEMANGLE_NONE, images);
    g_autoptr(GHashTable) functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        char *key = symbol_key(symbols, profile, &function->location, FALSE);
        if (key)
            g_hash_table_replace(functions, key, GUINT_TO_POINTER(i + 1));
    }
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        if (arc->caller != FC_NONE)
            continue;
        g_autofree char *key = symbol_key(symbols, profile, &arc->site, TRUE);
        guint found = key ? GPOINTER_TO_UINT(g_hash_table_lookup(functions, key)) : 0;
        if (found != 0)
            arc->caller = (gint)found - 1;
    }
}
