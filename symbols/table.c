/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of one ELF file, by address and by name.  Called by symbols.c.  The
 * symbols are untrusted: overlapping, nested and contradicting ones may get wrong names, and do no
 * other harm.
 */
#include "symbols/image.h"

#include <gelf.h>
#include <string.h>

#include "profile/search.h"

/* A symbol on its way into the table. */
typedef struct
{
    FcImageFunction function;
    guint64 section_end; /* 0: unknown */
    gboolean is_label;   /* without a size or a type: ends where the next symbol begins */
    guint rank;          /* of two at one address the lower one is shown */
} Candidate;

#define RANK_WEAK (1u << 1)
#define MAX_NESTING 64 /* of functions in one another; real files have 1 or 2 */

/* Which of several names at one address is best: functions before labels, then those with a size,
 * names that are not reserved, global ones. */
static guint rank_symbol(const GElf_Sym *symbol, const char *name)
{
    guint rank = 0, underscores = (guint)strspn(name, "_");

    if (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE)
        rank |= 1 << 8;
    if (symbol->st_size == 0)
        rank |= 1 << 7;
    if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
        rank |= 1 << 6;
    if (underscores > 0 && !g_str_has_prefix(name, "_Z") && !g_str_has_prefix(name, "_R"))
        rank |= MIN(underscores, 3) << 4;
    if (strchr(name, '.'))
        rank |= 1 << 3;
    /* PMPI_Send is the same as MPI_Send, and ompi_send_f as mpi_send_, which programs call */
    if (g_str_has_prefix(name, "PMPI_") || g_str_has_prefix(name, "pmpi_") ||
        (g_str_has_prefix(name, "ompi_") && g_str_has_suffix(name, "_f")) ||
        (strchr(name, '@') && !strstr(name, "@@")))
        rank |= 1 << 2;
    if (GELF_ST_BIND(symbol->st_info) == STB_WEAK)
        rank |= RANK_WEAK;
    return rank;
}

/* The first address behind the section that holds `address`; 0: not in one with code. */
static guint64 find_section_end(Elf *elf, GElf_Word index, guint64 address, Dwarf_Addr bias)
{
    GElf_Shdr head;

    if (!gelf_getshdr(elf_getscn(elf, index), &head) || !(head.sh_flags & SHF_EXECINSTR))
        return 0;
    guint64 start = head.sh_addr + bias;
    return address - start < head.sh_size ? start + head.sh_size : 0;
}

/* A program that is not position-independent and takes the address of a library's function makes
 * that of its own stub the function's address for the whole process: the profile then has the stub
 * in place of the function, even for calls within the library. */
static gboolean is_import(const GElf_Sym *symbol, GElf_Word section)
{
    return section == SHN_UNDEF && symbol->st_value != 0 &&
           GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static void fill_import(const GElf_Sym *symbol, const char *name, Candidate *out)
{
    memset(out, 0, sizeof *out);
    out->function.start = symbol->st_value;
    out->function.end = symbol->st_value + 1; /* only its first address is ever looked up */
    out->function.raw = name;
    out->function.is_import = TRUE;
    out->rank = G_MAXUINT;
}

/* Fills `out` if symbol `index` of the module is a function. */
static gboolean read_candidate(Dwfl_Module *module, int index, Candidate *out)
{
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section = SHN_UNDEF;
    Dwarf_Addr bias = 0;
    Elf *elf = NULL;
    const char *name =
        dwfl_module_getsym_info(module, index, &symbol, &address, &section, &elf, &bias);
    guint type = GELF_ST_TYPE(symbol.st_info);

    if (!name || !*name || !elf)
        return FALSE;
    if (is_import(&symbol, section))
    {
        fill_import(&symbol, name, out);
        return TRUE;
    }
    if (section == SHN_UNDEF || section == SHN_ABS || section == (GElf_Word)-1)
        return FALSE;
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
        return FALSE;
    guint64 section_end = find_section_end(elf, section, address, bias);
    /* Assemblers' local labels and the mapping symbols of ARM and RISC-V are no names;
     * neither are linkers' marks such as etext at the end of a section. */
    if (type == STT_NOTYPE && (section_end == 0 || *name == '.' || *name == '$'))
        return FALSE;
    if (section_end == 0 && symbol.st_size == 0)
        return FALSE;
    memset(out, 0, sizeof *out);
    out->function.start = address;
    out->function.end = address + symbol.st_size;
    if (out->function.end < address || (section_end != 0 && out->function.end > section_end))
        out->function.end = section_end;
    out->section_end = section_end;
    out->is_label = type == STT_NOTYPE && symbol.st_size == 0;
    out->function.raw = name;
    out->function.is_static = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    out->rank = rank_symbol(&symbol, name);
    return TRUE;
}

static gint compare_candidates(gconstpointer first, gconstpointer second)
{
    const Candidate *a = first, *b = second;

    if (a->function.start != b->function.start)
        return a->function.start < b->function.start ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->function.raw, b->function.raw);
}

/* Makes functions of the sorted candidates: one for each address, and of labels only outside of
 * functions with a size. */
static GArray *merge_candidates(GArray *candidates)
{
    GArray *functions = g_array_sized_new(FALSE, FALSE, sizeof(FcImageFunction), candidates->len);
    guint64 covered = 0; /* the farthest end of a function with a size so far */

    for (guint i = 0; i < candidates->len;)
    {
        Candidate *candidate = &g_array_index(candidates, Candidate, i);
        FcImageFunction *function = &candidate->function;
        guint next = i + 1;

        for (; next < candidates->len; next++)
        {
            const Candidate *other = &g_array_index(candidates, Candidate, next);
            if (other->function.start != function->start)
                break;
            if (!function->other_raw && (other->rank | RANK_WEAK) == (candidate->rank | RANK_WEAK))
                function->other_raw = other->function.raw;
        }
        i = next;
        if (candidate->is_label && function->start < covered)
            continue;
        if (function->end == function->start)
        {
            /* Up to the next symbol, unless that is a label that will be left out. */
            while (next < candidates->len && g_array_index(candidates, Candidate, next).is_label &&
                   g_array_index(candidates, Candidate, next).function.start < covered)
                next++;
            function->end = candidate->section_end;
            if (next < candidates->len)
                function->end =
                    MIN(function->end, g_array_index(candidates, Candidate, next).function.start);
        }
        else
            covered = MAX(covered, function->end);
        g_array_append_val(functions, *function);
    }
    return functions;
}

/* Symbols may be nested (second entry points in assembly).  Sets for each one the nearest symbol
 * before it that contains its start. */
static void link_nested(GArray *functions)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < functions->len; i++)
    {
        FcImageFunction *function = &g_array_index(functions, FcImageFunction, i);

        while (open->len > 0 &&
               g_array_index(functions, FcImageFunction, g_array_index(open, guint, open->len - 1))
                       .end <= function->start)
            g_array_set_size(open, open->len - 1);
        function->enclosing = open->len > 0 ? g_array_index(open, guint, open->len - 1) : G_MAXUINT;
        g_array_append_val(open, i);
    }
}

static gint compare_functions(gconstpointer first, gconstpointer second)
{
    const FcImageFunction *a = first, *b = second;

    return a->start < b->start ? -1 : a->start > b->start;
}

static void load_functions(FcImage *image)
{
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    int count;

    if (fc_image_load(image) && (count = dwfl_module_getsymtab(image->module)) > 0)
    {
        Candidate candidate;

        for (int i = 1; i < count; i++)
            if (read_candidate(image->module, i, &candidate))
                g_array_append_val(candidates, candidate);
    }
    g_array_sort(candidates, compare_candidates);
    image->functions = merge_candidates(candidates);
    g_array_sort(image->functions, compare_functions);
    link_nested(image->functions);
}

static FcImageFunction *find_in_table(GArray *functions, guint64 address)
{
    size_t behind = FC_FIRST_WHERE(functions->len, i,
                                   g_array_index(functions, FcImageFunction, i).start > address);
    guint candidate = behind == 0 ? G_MAXUINT : (guint)behind - 1;

    for (guint steps = 0; candidate != G_MAXUINT && steps < MAX_NESTING; steps++)
    {
        FcImageFunction *function = &g_array_index(functions, FcImageFunction, candidate);

        if (address < function->end)
            return function;
        candidate = function->enclosing;
    }
    return NULL;
}

/* Static functions have no symbols after ld -x, but the debug information has them. */
static void add_subprograms(FcImage *image)
{
    g_autoptr(GArray) found = fc_image_list_subprograms(image);
    guint kept = 0;

    image->has_subprograms = TRUE;
    g_array_sort(found, compare_functions);
    for (guint i = 0; i < found->len; i++)
    {
        FcImageFunction *function = &g_array_index(found, FcImageFunction, i);

        if ((kept > 0 &&
             g_array_index(found, FcImageFunction, kept - 1).start == function->start) ||
            find_in_table(image->functions, function->start))
            continue;
        g_array_index(found, FcImageFunction, kept++) = *function;
    }
    if (kept == 0)
        return;
    g_array_append_vals(image->functions, found->data, kept);
    g_array_sort(image->functions, compare_functions);
    link_nested(image->functions);
    g_clear_pointer(&image->exports, g_hash_table_unref);
}

FcImageFunction *fc_image_find_function(FcImage *image, guint64 address)
{
    if (!image->functions)
        load_functions(image);
    FcImageFunction *function = find_in_table(image->functions, address);
    if (function || image->has_subprograms)
        return function;
    add_subprograms(image);
    return find_in_table(image->functions, address);
}

GArray *fc_image_functions(FcImage *image, gboolean with_debug)
{
    if (!image->functions)
        load_functions(image);
    if (with_debug && !image->has_subprograms)
        add_subprograms(image);
    return image->functions;
}

FcImageFunction *fc_image_find_export(FcImage *image, const char *name)
{
    if (!image->functions)
        load_functions(image);
    if (!image->exports)
    {
        image->exports = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (guint i = 0; i < image->functions->len; i++)
        {
            FcImageFunction *function = &g_array_index(image->functions, FcImageFunction, i);
            const char *version = strstr(function->raw, "@@");

            if (function->is_static || function->is_import)
                continue;
            g_hash_table_insert(image->exports,
                                version ? g_strndup(function->raw, (gsize)(version - function->raw))
                                        : g_strdup(function->raw),
                                function);
        }
    }
    return g_hash_table_lookup(image->exports, name);
}
