/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which compiler made some code, and with which options. gcc writes them into the debug
 * information. clang does not; where parameters are stored tells whether it optimized.  Called by
 * symbols.c.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <string.h>

/* Options with which gcc puts hooks into every function (see fc-config/meson.build). '*' at the end
 * stands for any text. */
static const char *const classic_only[] = {"-m32",
                                           "-mx32",
                                           "-m16",
                                           "-p",
                                           "-pg",
                                           "-flto*",
                                           "-fsplit-stack",
                                           "-masm=intel",
                                           "-mcmodel=large",
                                           "-mnop-mcount",
                                           "-finstrument-functions-exclude-function-list=*"};

static gboolean fits(const char *word, const char *pattern)
{
    const gsize length = strlen(pattern);
    return pattern[length - 1] == '*' ? strncmp(word, pattern, length - 1) == 0
                                      : strcmp(word, pattern) == 0;
}

/* `text` is such as "GNU C17 12.2.0 -march=x86-64 -g -O2 ..."; "GNU GIMPLE ..." after link-time
 * optimization. */
static void read_options(const char *text, FcProducer *producer)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gboolean is_after_inlining = FALSE;
    gboolean is_hindered = g_str_has_prefix(text, "GNU GIMPLE");
    producer->optimized = FC_OPTIMIZED_NO;
    for (guint i = 0; words[i]; i++)
    {
        is_after_inlining |= strcmp(words[i], "-mfentry") == 0;
        for (guint j = 0; j < G_N_ELEMENTS(classic_only); j++)
            is_hindered |= fits(words[i], classic_only[j]);
        if (!g_str_has_prefix(words[i], "-O"))
            continue;
        g_strlcpy(producer->level, words[i], sizeof producer->level);
        producer->optimized = strcmp(words[i], "-O0") == 0 ? FC_OPTIMIZED_NO : FC_OPTIMIZED_YES;
    }
    /* after inlining there is a -p of fc-config's own */
    producer->is_only_classic = is_hindered && !is_after_inlining;
    if (g_str_has_prefix(text, "GNU GIMPLE"))
        producer->is_only_classic = TRUE;
}

/* Whether link-time optimization made code without hooks: if the link does not have fc-config's
 * flags, gcc passes on the options of the objects, except -p. */
static gboolean has_lost_hooks(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    const char *const *all = (const char *const *)words;
    return g_str_has_prefix(text, "GNU GIMPLE") &&
           g_strv_contains(all, "-minstrument-return=call") && !g_strv_contains(all, "-p") &&
           !g_strv_contains(all, "-pg");
}

/* Without optimization a parameter is always in the frame, at one location. */
static FcOptimized judge_parameter(Dwarf_Die *parameter)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr(parameter, DW_AT_location, &attribute))
        return FC_OPTIMIZED_YES;
    const unsigned int form = dwarf_whatform(&attribute);
    if (form != DW_FORM_exprloc && form != DW_FORM_block1)
        return FC_OPTIMIZED_YES;
    if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count == 0)
        return FC_OPTIMIZED_UNKNOWN;
    return ops[0].atom == DW_OP_fbreg ? FC_OPTIMIZED_NO : FC_OPTIMIZED_YES;
}

/* Looks at the parameters of the unit's functions with code.  One that is not in the frame shows
 * that it was optimized. */
static FcOptimized judge_unit(Dwarf_Die *contents)
{
    FcOptimized result = FC_OPTIMIZED_UNKNOWN;
    Dwarf_Die function, part;

    if (dwarf_child(contents, &function) != 0)
        return result;
    do
    {
        if (dwarf_tag(&function) != DW_TAG_subprogram || !dwarf_hasattr(&function, DW_AT_low_pc) ||
            dwarf_child(&function, &part) != 0)
            continue;
        do
        {
            const FcOptimized found = dwarf_tag(&part) == DW_TAG_formal_parameter
                                          ? judge_parameter(&part)
                                          : FC_OPTIMIZED_UNKNOWN;
            result = MAX(result, found);
        } while (result != FC_OPTIMIZED_YES && dwarf_siblingof(&part, &part) == 0);
    } while (result != FC_OPTIMIZED_YES && dwarf_siblingof(&function, &function) == 0);
    return result;
}

static gboolean is_cxx(Dwarf_Die *contents)
{
    switch (dwarf_srclang(contents))
    {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
        return TRUE;
    default:
        return FALSE;
    }
}

static const char *producer_text(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
}

static gboolean read_unit(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    FcProducer *producer = data;
    Dwarf_Die contents = fc_image_unit_contents(unit);
    const char *text = producer_text(&contents);

    (void)address;
    if (!text)
        return FALSE;
    producer->is_cxx = is_cxx(&contents);
    if (g_str_has_prefix(text, "GNU "))
    {
        producer->compiler = FC_COMPILER_GCC;
        read_options(text, producer);
    }
    else if (strstr(text, "clang version"))
    {
        producer->compiler = FC_COMPILER_CLANG;
        producer->optimized = judge_unit(&contents);
    }
    return TRUE;
}

void fc_image_find_producer(FcImage *image, guint64 address, FcProducer *producer)
{
    GElf_Addr bias;
    GElf_Ehdr header;

    *producer = (FcProducer){0};
    if (!fc_image_visit_units(image, address, read_unit, producer) ||
        producer->compiler != FC_COMPILER_GCC)
        return;
    Elf *elf = dwfl_module_getelf(image->module, &bias);
    if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64)
        producer->is_only_classic = TRUE;
}

gboolean fc_image_lost_hooks(FcImage *image)
{
    Dwarf_Addr bias;
    Dwarf *dwarf = fc_image_load(image) ? dwfl_module_getdwarf(image->module, &bias) : NULL;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
    {
        const char *text = producer_text(&die);
        if (text && has_lost_hooks(text))
            return TRUE;
    }
    return FALSE;
}
