/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a function's code begins with.  Called by symbols.c.
 */
#include "symbols/image.h"

#include <gelf.h>
#include <string.h>

#define ENTRY_BYTES 16

/* Finds the first bytes of code of the function at `address`.  Returns their number, at most
 * ENTRY_BYTES. */
static gsize read_entry(Elf *elf, guint64 address, guint8 *code)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
    {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
            (header.sh_flags & SHF_EXECINSTR) == 0 || address < header.sh_addr ||
            address - header.sh_addr >= header.sh_size)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        const gsize at = (gsize)(address - header.sh_addr);
        if (!data || !data->d_buf || at >= data->d_size)
            return 0;
        const gsize bytes = MIN(data->d_size - at, ENTRY_BYTES);
        memcpy(code, (const guint8 *)data->d_buf + at, bytes);
        return bytes;
    }
    return 0;
}

static gboolean skip(const guint8 **code, gsize *bytes, const void *what, gsize length)
{
    if (*bytes < length || memcmp(*code, what, length) != 0)
        return FALSE;
    *code += length;
    *bytes -= length;
    return TRUE;
}

gboolean fc_image_calls_at_entry(FcImage *image, guint64 address)
{
    guint8 entry[ENTRY_BYTES];
    const guint8 *code = entry;
    GElf_Ehdr header;
    GElf_Addr bias;
    Elf *elf = fc_image_load(image) ? dwfl_module_getelf(image->module, &bias) : NULL;

    if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64)
        return FALSE;
    gsize bytes = read_entry(elf, address, entry);
    skip(&code, &bytes, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
    skip(&code, &bytes, "\x41\x52", 2); /* push %r10, the static chain of a nested function */
    return skip(&code, &bytes, "\xe8", 1) || skip(&code, &bytes, "\x67\xe8", 2) ||
           skip(&code, &bytes, "\xff\x15",
                2); /* call, with a prefix for what it was, or by the GOT */
}
