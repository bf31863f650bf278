/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One ELF file: is it whole, whose is it (build-id), which functions does it hold.
 * Called by symbols.c.  The file is untrusted: a damaged one must give an error or
 * fewer names, never a crash.
 */
#include "fcdump/symbols-internal.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A symbol on its way into the table. */
typedef struct
{
    FcFunction function;
    guint64 section_end; /* 0: unknown */
    gboolean is_label;   /* without a size or a type: ends where the next symbol begins */
    guint rank;          /* of two at one address the lower one is shown */
} Candidate;

#define MAX_NESTING 64 /* of functions in one another; real files have 1 or 2 */

/* ---- opening ---------------------------------------------------------------- */

/* TRUE if [offset, offset + bytes) lies in a file of `size` bytes. */
static gboolean lies_within(guint64 offset, guint64 bytes, guint64 size)
{
    return offset <= size && bytes <= size - offset;
}

/* libelf hands out sections that reach beyond the file as if all were well. */
static gboolean has_whole_sections(Elf *elf, guint64 size)
{
    Elf_Scn *section = NULL;
    size_t count, index;
    GElf_Ehdr header;

    if (!gelf_getehdr(elf, &header) || elf_getshdrnum(elf, &count) != 0)
        return FALSE;
    if (header.e_shoff != 0 && (count == 0 || elf_getshdrstrndx(elf, &index) != 0))
        return FALSE;
    while ((section = elf_nextscn(elf, section)) != NULL)
    {
        GElf_Shdr head;

        if (!gelf_getshdr(section, &head))
            return FALSE;
        if (head.sh_type != SHT_NOBITS && head.sh_type != SHT_NULL &&
            !lies_within(head.sh_offset, head.sh_size, size))
            return FALSE;
    }
    return TRUE;
}

/* Segments count only where there are no sections: those of a separate debug file
 * describe the program it belongs to. */
static gboolean has_whole_segments(Elf *elf, guint64 size)
{
    size_t count, sections;

    if (elf_getphdrnum(elf, &count) != 0 || elf_getshdrnum(elf, &sections) != 0)
        return FALSE;
    for (size_t i = 0; i < count; i++)
    {
        GElf_Phdr head;

        if (!gelf_getphdr(elf, (int)i, &head))
            return FALSE;
        if (sections == 0 && head.p_type == PT_LOAD &&
            !lies_within(head.p_offset, head.p_filesz, size))
            return FALSE;
    }
    return TRUE;
}

static gboolean check_elf(Elf *elf, guint64 size, GError **error)
{
    GElf_Ehdr header;

    if (!elf || elf_kind(elf) != ELF_K_ELF)
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "not an ELF file");
        return FALSE;
    }
    if (!gelf_getehdr(elf, &header) || !has_whole_sections(elf, size) ||
        !has_whole_segments(elf, size))
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                            "truncated or damaged ELF file");
        return FALSE;
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                            "neither a program nor a shared library");
        return FALSE;
    }
    return TRUE;
}

static char *read_build_id(Elf *elf)
{
    const void *bits;
    ssize_t bytes = dwelf_elf_gnu_build_id(elf, &bits);
    GString *text;

    if (bytes <= 0)
        return NULL;
    text = g_string_sized_new((gsize)bytes * 2);
    for (ssize_t i = 0; i < bytes; i++)
        g_string_append_printf(text, "%02x", ((const guchar *)bits)[i]);
    return g_string_free(text, FALSE);
}

static int open_regular(const char *path, guint64 *size, GError **error)
{
    struct stat status;
    /* Without O_NONBLOCK a FIFO of that name would hang us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int code = errno;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    {
        *size = (guint64)status.st_size;
        return fd;
    }
    if (fd < 0)
        g_set_error_literal(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                            g_strerror(code));
    else
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                            S_ISDIR(status.st_mode) ? "is a directory" : "not a regular file");
        close(fd);
    }
    return -1;
}

FcImage *fc_image_open(const char *path, const char *debug_folders, GError **error)
{
    FcImage *image;
    guint64 size = 0;
    gboolean is_good;
    Elf *elf;
    int fd = open_regular(path, &size, error);

    if (fd < 0)
        return NULL;
    image = g_new0(FcImage, 1);
    image->fd = fd;
    image->path = g_strdup(path);
    image->debug_folders = g_strdup(debug_folders);
    elf_version(EV_CURRENT);
    elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
    is_good = check_elf(elf, size, error);
    if (is_good)
        image->build_id = read_build_id(elf);
    elf_end(elf);
    if (is_good)
        return image;
    fc_image_free(image);
    return NULL;
}

void fc_image_free(FcImage *image)
{
    if (!image)
        return;
    fc_line_table_free(image->lines);
    if (image->functions)
        g_array_unref(image->functions);
    if (image->dwfl)
        dwfl_end(image->dwfl);
    if (image->fd >= 0)
        close(image->fd);
    if (image->exports)
        g_hash_table_unref(image->exports);
    g_free(image->debug_folders);
    g_free(image->build_id);
    g_free(image->path);
    g_free(image);
}

/* ---- libdw ------------------------------------------------------------------ */

static int find_debuginfo(Dwfl_Module *module, void **user_data, const char *name, Dwarf_Addr base,
                          const char *file, const char *link_file, GElf_Word link_crc, char **found)
{
    /* The standard search ends with a question to the servers that this names. */
    g_unsetenv("DEBUGINFOD_URLS");
    return dwfl_standard_find_debuginfo(module, user_data, name, base, file, link_file, link_crc,
                                        found);
}

gboolean fc_image_load(FcImage *image)
{
    if (image->is_loaded)
        return image->module != NULL;
    image->is_loaded = TRUE;
    image->callbacks.find_elf = dwfl_build_id_find_elf;
    image->callbacks.find_debuginfo = find_debuginfo;
    image->callbacks.section_address = dwfl_offline_section_address;
    image->callbacks.debuginfo_path = &image->debug_folders;
    image->dwfl = dwfl_begin(&image->callbacks);
    if (!image->dwfl)
        return FALSE;
    dwfl_report_begin(image->dwfl);
    /* Base 0 upon the file's own addresses: libdw then speaks of link-time addresses. */
    image->module = dwfl_report_elf(image->dwfl, image->path, image->path, image->fd, 0, TRUE);
    if (image->module)
        image->fd = -1;
    dwfl_report_end(image->dwfl, NULL, NULL);
    return image->module != NULL;
}

/* ---- the function table ------------------------------------------------------ */

/* Where several names stand at one address: functions before labels, then those with a
 * size, plain names before reserved ones, and what other files see before the rest. */
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
    if (strchr(name, '@') && !strstr(name, "@@"))
        rank |= 1 << 2;
    if (GELF_ST_BIND(symbol->st_info) == STB_WEAK)
        rank |= 1 << 1;
    return rank;
}

/* The first address behind the section that holds `address`; 0: not in one with code. */
static guint64 find_section_end(Elf *elf, GElf_Word index, guint64 address, Dwarf_Addr bias)
{
    GElf_Shdr head;
    guint64 start;

    if (!gelf_getshdr(elf_getscn(elf, index), &head) || !(head.sh_flags & SHF_EXECINSTR))
        return 0;
    start = head.sh_addr + bias;
    return address - start < head.sh_size ? start + head.sh_size : 0;
}

/* A program that is fixed at link time and takes the address of a library's function gives
 * it that of its own stub, everywhere: the library, too, then calls itself by it. */
static gboolean is_import(const GElf_Sym *symbol, GElf_Word section)
{
    return section == SHN_UNDEF && symbol->st_value != 0 &&
           GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static void fill_import(const GElf_Sym *symbol, const char *name, Candidate *out)
{
    memset(out, 0, sizeof *out);
    out->function.start = symbol->st_value;
    out->function.end = symbol->st_value + 1; /* nothing but calls to it is of interest */
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
    guint64 section_end;
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
    section_end = find_section_end(elf, section, address, bias);
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

/* Sorted candidates become functions: one for each address, and labels only where no
 * function with a size is. */
static GArray *merge_candidates(GArray *candidates)
{
    GArray *functions = g_array_sized_new(FALSE, FALSE, sizeof(FcFunction), candidates->len);
    guint64 covered = 0; /* the farthest end of a function with a size so far */

    for (guint i = 0; i < candidates->len;)
    {
        Candidate *candidate = &g_array_index(candidates, Candidate, i);
        FcFunction *function = &candidate->function;
        guint next = i + 1;

        while (next < candidates->len &&
               g_array_index(candidates, Candidate, next).function.start == function->start)
            next++;
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

/* Symbols may lie in one another (second entry points of assembly): each gets to know
 * the nearest one before it that reaches beyond its start. */
static void link_nested(GArray *functions)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < functions->len; i++)
    {
        FcFunction *function = &g_array_index(functions, FcFunction, i);

        while (
            open->len > 0 &&
            g_array_index(functions, FcFunction, g_array_index(open, guint, open->len - 1)).end <=
                function->start)
            g_array_set_size(open, open->len - 1);
        function->enclosing = open->len > 0 ? g_array_index(open, guint, open->len - 1) : G_MAXUINT;
        g_array_append_val(open, i);
    }
}

static gint compare_functions(gconstpointer first, gconstpointer second)
{
    const FcFunction *a = first, *b = second;

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

FcFunction *fc_image_find_function(FcImage *image, guint64 address)
{
    guint low = 0, high;

    if (!image->functions)
        load_functions(image);
    high = image->functions->len;
    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (g_array_index(image->functions, FcFunction, middle).start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* low: the first one behind the address */
    low = low == 0 ? G_MAXUINT : low - 1;
    for (guint steps = 0; low != G_MAXUINT && steps < MAX_NESTING; steps++)
    {
        FcFunction *function = &g_array_index(image->functions, FcFunction, low);

        if (address < function->end)
            return function;
        low = function->enclosing;
    }
    return NULL;
}

FcFunction *fc_image_find_export(FcImage *image, const char *name)
{
    if (!image->functions)
        load_functions(image);
    if (!image->exports)
    {
        image->exports = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (guint i = 0; i < image->functions->len; i++)
        {
            FcFunction *function = &g_array_index(image->functions, FcFunction, i);
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
