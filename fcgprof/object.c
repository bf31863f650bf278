/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks libbfd.  See object.h.
 */
#include "fcgprof/object.h"

#include "symbols/demangle.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* bfd.h asks for these to be sure that it is not included without a configuration. */
#define PACKAGE "functioncheck"
#define PACKAGE_VERSION FC_VERSION
#include <bfd.h>
#include <libiberty/demangle.h>

struct FcGObject
{
    char *path;
    bfd *file;
    asymbol **symbols; /* what bfd_canonicalize_symtab gave, NULL at the end */
    long n_symbols;
    asymbol **dynamic; /* the same of the dynamic ones; NULL if they were not asked for */
    long n_dynamic;
    asection *text;
    FcGMachine machine;
    FcGImage image; /* names are libbfd's */
    GStringChunk *strings;
    const char *last_file; /* in strings */
    const char *last_function;
    GPtrArray *contents; /* of sections; each section's userdata points to its own */
};

enum
{
    /* Code that is not in the file, but elsewhere, can be so many times as large as it. */
    ABSENT_TEXT_FACTOR = 16
};

/* ---- Symbols ------------------------------------------------------------------------ */

/* Where the string of some symbol begins: gprof reads on beyond the end of some. */
static const char *next_string(const char *end, gconstpointer data)
{
    return g_hash_table_contains((GHashTable *)data, end + 1) ? end + 1 : NULL;
}

/* 'T', 't', or 0 if gprof does not show it. */
static char classify(bfd *file, asymbol *symbol, GHashTable *names)
{
    char prefix = bfd_get_symbol_leading_char(file);
    symbol_info info;

    if (!symbol->section || (symbol->flags & BSF_DEBUGGING))
        return 0;
    bfd_get_symbol_info(file, symbol, &info);
    if (info.type == 'T' || info.type == 'W') /* a weak one may be data, too */
        return 'T';
    if (info.type != 't' || !symbol->name || (prefix && prefix != symbol->name[0]))
        return 0;
    return fc_gimage_shows_local(symbol->name, next_string, names) ? 't' : 0;
}

/* Object files of all kinds that we meet say which symbols are functions. */
static void list_symbols(FcGObject *object)
{
    g_autoptr(GHashTable) names = g_hash_table_new(NULL, NULL);

    for (long i = 0; i < object->n_symbols; i++)
        g_hash_table_add(names, (gpointer)object->symbols[i]->name);
    for (long i = 0; i < object->n_symbols; i++)
    {
        asymbol *symbol = object->symbols[i];
        char class = classify(object->file, symbol, names);
        FcGRange sym = {.name = symbol->name,
                        .is_func = (symbol->flags & BSF_FUNCTION) != 0,
                        .is_static = class == 't'};

        if (!class)
            continue;
        sym.addr = symbol->value + bfd_section_vma(symbol->section);
        g_array_append_val(object->image.syms, sym);
    }
}

static gboolean read_symbols(FcGObject *object)
{
    long n_bytes = bfd_get_symtab_upper_bound(object->file);

    if (n_bytes < 0)
        return FALSE;
    object->symbols = g_malloc0(MAX((gsize)n_bytes, sizeof *object->symbols));
    object->n_symbols = n_bytes > 0 ? bfd_canonicalize_symtab(object->file, object->symbols) : 0;
    if (object->n_symbols < 0)
        return FALSE;
    list_symbols(object);
    return TRUE;
}

/* ---- Sections ----------------------------------------------------------------------- */

/* What a section says of its size may be a lie, and all of .text is walked through. */
static guint64 true_size(FcGObject *object, const asection *section)
{
    guint64 size = bfd_section_size(section), file_bytes = bfd_get_file_size(object->file);
    guint64 start = (guint64)section->filepos;

    if (!(section->flags & SEC_HAS_CONTENTS))
        return MIN(size, file_bytes * ABSENT_TEXT_FACTOR);
    return MIN(size, file_bytes > start ? file_bytes - start : 0);
}

/* From the header of an ELF file: libbfd knows other machines than its own as data only.  Read from
 * the file itself, as libbfd's word for that differs from version to version. */
static FcGMachine find_machine(const char *path, bfd *object)
{
    guint8 header[EI_NIDENT + 4] = {0};

    if (bfd_get_flavour(object) != bfd_target_elf_flavour || bfd_big_endian(object))
        return FC_GMACHINE_OTHER;
    FILE *file = fopen(path, "rbe");
    gboolean is_read = file && fread(header, sizeof header, 1, file) == 1;
    if (file)
        fclose(file);
    if (!is_read)
        return FC_GMACHINE_OTHER;
    guint machine = header[EI_NIDENT + 2] | (guint)header[EI_NIDENT + 3] << 8;
    if (machine == EM_386 && header[EI_CLASS] == ELFCLASS32)
        return FC_GMACHINE_I386;
    if (machine == EM_X86_64)
        return FC_GMACHINE_X86_64;
    return machine == EM_AARCH64 && header[EI_CLASS] == ELFCLASS64 ? FC_GMACHINE_AARCH64
                                                                   : FC_GMACHINE_OTHER;
}

static void describe(FcGObject *object)
{
    int bits = bfd_get_arch_size(object->file);

    if (bits == -1)
        bits = (int)bfd_arch_bits_per_address(object->file);
    object->image.layout.addr_bytes = bits == 32 ? 4 : 8;
    object->image.layout.is_big_endian = bfd_big_endian(object->file);
    object->image.text_start = bfd_section_vma(object->text);
    object->image.text_end = object->image.text_start + true_size(object, object->text);
    object->machine = find_machine(object->path, object->file);
}

/* ---- Opening ------------------------------------------------------------------------ */

/* What is wrong, or NULL. */
static const char *open_file(FcGObject *object)
{
    static gsize is_ready;

    if (g_once_init_enter(&is_ready))
    {
        bfd_init();
        bfd_set_error_program_name("fcgprof");
        g_once_init_leave(&is_ready, 1);
    }
    object->file = bfd_openr(object->path, NULL);
    if (!object->file)
        return bfd_errmsg(bfd_get_error());
    object->file->flags |= BFD_DECOMPRESS;
    if (!bfd_check_format(object->file, bfd_object))
        return "not an executable or object file";
    object->text = bfd_get_section_by_name(object->file, ".text");
    if (!object->text)
        return "has no .text section";
    describe(object);
    return read_symbols(object) ? NULL : bfd_errmsg(bfd_get_error());
}

FcGObject *fc_gobject_open(const char *path, GError **error)
{
    g_autoptr(FcGObject) object = g_new0(FcGObject, 1);

    object->path = g_strdup(path);
    object->image.syms = g_array_new(FALSE, FALSE, sizeof(FcGRange));
    object->strings = g_string_chunk_new(4096);
    object->contents = g_ptr_array_new_with_free_func(g_free);
    const char *wrong = open_file(object);
    if (!wrong)
        return g_steal_pointer(&object);
    g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_IMAGE, "%s: %s", path, wrong);
    return NULL;
}

void fc_gobject_free(FcGObject *object)
{
    if (!object)
        return;
    if (object->file)
        bfd_close(object->file);
    g_array_unref(object->image.syms);
    g_string_chunk_free(object->strings);
    g_ptr_array_unref(object->contents);
    g_free(object->symbols);
    g_free(object->dynamic);
    g_free(object->path);
    g_free(object);
}

const char *fc_gobject_path(const FcGObject *object)
{
    return object->path;
}

FcGMachine fc_gobject_machine(const FcGObject *object)
{
    return object->machine;
}

const FcGImage *fc_gobject_image(const FcGObject *object)
{
    return &object->image;
}

/* ---- Lines -------------------------------------------------------------------------- */

/* A string of our own: libbfd may free its one before the next answer.  Mostly that is the
 * last one again. */
static const char *keep(FcGObject *object, const char *text, const char **last)
{
    if (!*last || strcmp(*last, text) != 0)
        *last = g_string_chunk_insert_const(object->strings, text);
    return *last;
}

gboolean fc_gobject_find_line(FcGObject *object, guint64 addr, FcGLine *out)
{
    const char *file = NULL, *function = NULL;
    unsigned line = 0;

    if (!bfd_find_nearest_line(object->file, object->text, object->symbols,
                               addr - object->image.text_start, &file, &function, &line) ||
        !file || !function || line == 0)
        return FALSE;
    out->file = keep(object, file, &object->last_file);
    out->function = keep(object, function, &object->last_function);
    out->line = line;
    return TRUE;
}

/* ---- Code --------------------------------------------------------------------------- */

static const guint8 *load_contents(FcGObject *object, asection *section, gsize n_bytes)
{
    guint8 *bytes = section->userdata;

    if (bytes)
        return bytes;
    bytes = g_try_malloc(n_bytes);
    if (!bytes || !bfd_get_section_contents(object->file, section, bytes, 0, n_bytes))
    {
        g_free(bytes);
        return NULL;
    }
    g_ptr_array_add(object->contents, bytes);
    section->userdata = bytes;
    return bytes;
}

const guint8 *fc_gobject_code_at(FcGObject *object, guint64 addr, gsize *n)
{
    const flagword wanted = SEC_CODE | SEC_HAS_CONTENTS;

    for (asection *section = object->file->sections; section; section = section->next)
    {
        guint64 start = bfd_section_vma(section), size = true_size(object, section);

        if ((section->flags & wanted) != wanted || addr < start || addr - start >= size)
            continue;
        const guint8 *bytes = load_contents(object, section, size);
        *n = bytes ? size - (addr - start) : 0;
        return bytes ? bytes + (addr - start) : NULL;
    }
    return NULL;
}

/* ---- What is linked at run time ------------------------------------------------------- */

static GHashTable *new_table(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

/* Names have a version, or "@plt", behind them. */
static void add_link(GHashTable *table, guint64 addr, const char *name)
{
    gsize length = strcspn(name, "@");

    if (length > 0)
        g_hash_table_insert(table, g_memdup2(&addr, sizeof addr), g_strndup(name, length));
}

/* False if there are none.  They stay: libbfd keeps relocations that point into the array. */
static gboolean read_dynamic_symbols(FcGObject *object)
{
    if (object->dynamic)
        return TRUE;
    long n_bytes = bfd_get_dynamic_symtab_upper_bound(object->file);
    if (n_bytes <= 0)
        return FALSE;
    object->dynamic = g_malloc0((gsize)n_bytes);
    object->n_dynamic = bfd_canonicalize_dynamic_symtab(object->file, object->dynamic);
    if (object->n_dynamic >= 0)
        return TRUE;
    g_clear_pointer(&object->dynamic, g_free);
    return FALSE;
}

GHashTable *fc_gobject_stubs(FcGObject *object)
{
    GHashTable *table = new_table();
    asymbol *stubs = NULL;

    if (!read_dynamic_symbols(object))
        return table;
    long n = bfd_get_synthetic_symtab(object->file, object->n_symbols, object->symbols,
                                      object->n_dynamic, object->dynamic, &stubs);
    for (long i = 0; i < n; i++)
        add_link(table, stubs[i].value + bfd_section_vma(stubs[i].section), stubs[i].name);
    free(stubs);
    return table;
}

/* Whether the dynamic linker puts the address of a function there for calls. */
static gboolean is_pointer(const arelent *relocation)
{
    const char *kind = relocation->howto ? relocation->howto->name : NULL;

    return kind && relocation->sym_ptr_ptr && *relocation->sym_ptr_ptr &&
           (strstr(kind, "_GLOB_DAT") || strstr(kind, "_JUMP_SLO"));
}

GHashTable *fc_gobject_pointers(FcGObject *object)
{
    GHashTable *table = new_table();
    long n, n_bytes = 0;

    if (read_dynamic_symbols(object))
        n_bytes = bfd_get_dynamic_reloc_upper_bound(object->file);
    if (n_bytes <= 0)
        return table;
    g_autofree arelent **relocations = g_malloc0((gsize)n_bytes);
    n = bfd_canonicalize_dynamic_reloc(object->file, relocations, object->dynamic);
    for (long i = 0; i < n; i++)
    {
        if (is_pointer(relocations[i]))
            add_link(table, relocations[i]->address, (*relocations[i]->sym_ptr_ptr)->name);
    }
    return table;
}

/* ---- Names -------------------------------------------------------------------------- */

gboolean fc_gdemangle_set_style(const char *style)
{
    enum demangling_styles number = cplus_demangle_name_to_style(style);

    if (number == unknown_demangling)
        return FALSE;
    cplus_demangle_set_style(number);
    return TRUE;
}

char *fc_gdemangle(const char *name)
{
    if (!fc_demangle_has_bounds(name))
        return NULL;
    char *plain = bfd_demangle(NULL, name, DMGL_ANSI | DMGL_PARAMS);
    char *result = g_strdup(plain);

    free(plain);
    return result;
}
