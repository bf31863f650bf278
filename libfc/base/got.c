/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * If a plug-in brought libfc in, libfc comes after libc in the order of symbol look-up, and the
 * host's calls of dlopen and dlclose do not reach libfc.  These calls go through the host's
 * global offset table, in which the loader fills in an entry for every imported function.
 * Relocations of kind JUMP_SLOT and GLOB_DAT name the functions (System V ABI, chapter 5; the
 * processor supplements). modules.c puts our interposers into these entries.  Not used if the
 * loader finds libfc first.
 */
#include "libfc/base/got.h"

#include "libfc/base/libc.h"
#include "libfc/base/sys.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#define IS_ENTRY(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_ENTRY(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#endif

struct Tables
{
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * plt;
    size_t plt_bytes;
    const ElfW(Rela) * data;
    size_t data_bytes;
};

/* The run-time address. glibc has already added the base if it could write the dynamic section. */
static const void *loaded(const struct dl_phdr_info *object, ElfW(Addr) address)
{
    return (const void *)(address < object->dlpi_addr ? object->dlpi_addr + address : address);
}

static bool read_tables(const struct dl_phdr_info *object, const ElfW(Dyn) * entry,
                        struct Tables *tables)
{
    *tables = (struct Tables){0};
    bool is_rela = true;
    for (; entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag)
        {
        case DT_SYMTAB:
            tables->symbols = loaded(object, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            tables->strings = loaded(object, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            tables->plt = loaded(object, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            tables->plt_bytes = entry->d_un.d_val;
            break;
        case DT_PLTREL:
            is_rela = entry->d_un.d_val == DT_RELA;
            break;
        case DT_RELA:
            tables->data = loaded(object, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            tables->data_bytes = entry->d_un.d_val;
            break;
        default:
            break;
        }
    return is_rela && tables->symbols != NULL && tables->strings != NULL;
}

/* Whether the entry is in pages that the loader made read-only after it had filled them in. */
static bool is_read_only(const struct dl_phdr_info *object, const void *entry)
{
    uintptr_t at = (uintptr_t)entry;
    for (int i = 0; i < object->dlpi_phnum; i++)
    {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_RELRO && at >= start && at < start + segment->p_memsz)
            return true;
    }
    return false;
}

static void fill_in(const struct dl_phdr_info *object, void **entry, void *function)
{
    if (!is_read_only(object, entry))
    {
        __atomic_store_n(entry, function, __ATOMIC_RELEASE);
        return;
    }
    size_t page_bytes = fc_libc()->getauxval(AT_PAGESZ);
    void *page = (void *)((uintptr_t)entry & ~(uintptr_t)(page_bytes - 1));
    if (fc_sys(SYS_mprotect, page, page_bytes, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n(entry, function, __ATOMIC_RELEASE);
    fc_sys(SYS_mprotect, page, page_bytes, PROT_READ);
}

/* Either a list of interposers or a function chooses. */
struct Choice
{
    const struct FcInterposer *interposers;
    void *(*choose)(const char *name);
};

static void *choose(const struct Choice *choice, const char *name)
{
    if (choice->choose)
        return choice->choose(name);
    for (const struct FcInterposer *one = choice->interposers; one->name; one++)
        if (strcmp(name, one->name) == 0)
            return one->function;
    return NULL;
}

static void redirect(const struct dl_phdr_info *object, const struct Tables *tables,
                     const ElfW(Rela) * relocation, const struct Choice *choice)
{
    const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(relocation->r_info)];
    if (!IS_ENTRY(ELF64_R_TYPE(relocation->r_info)) || symbol->st_shndx != SHN_UNDEF)
        return;
    void *function = choose(choice, tables->strings + symbol->st_name);
    if (function)
        fill_in(object, (void **)(object->dlpi_addr + relocation->r_offset), function);
}

static void redirect_all(const struct dl_phdr_info *object, const struct Choice *choice)
{
    for (int i = 0; i < object->dlpi_phnum; i++)
    {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        struct Tables tables;
        if (segment->p_type != PT_DYNAMIC ||
            !read_tables(object, (const ElfW(Dyn) *)(object->dlpi_addr + segment->p_vaddr),
                         &tables))
            continue;
        for (size_t at = 0; at < tables.plt_bytes / sizeof *tables.plt; at++)
            redirect(object, &tables, &tables.plt[at], choice);
        for (size_t at = 0; at < tables.data_bytes / sizeof *tables.data; at++)
            redirect(object, &tables, &tables.data[at], choice);
    }
}

void fc_got_redirect(const struct dl_phdr_info *object, const struct FcInterposer *interposers)
{
    redirect_all(object, &(struct Choice){.interposers = interposers});
}

struct Users
{
    bool (*is_library)(const struct dl_phdr_info *object);
    struct Choice choice;
    bool is_loaded;
};

static int find_library(struct dl_phdr_info *object, size_t bytes, void *data)
{
    struct Users *users = data;
    (void)bytes;
    users->is_loaded = users->is_library(object);
    return users->is_loaded;
}

static int redirect_user(struct dl_phdr_info *object, size_t bytes, void *data)
{
    const struct Users *users = data;
    (void)bytes;
    if (!users->is_library(object))
        redirect_all(object, &users->choice);
    return 0;
}

void fc_got_redirect_users(bool (*is_library)(const struct dl_phdr_info *object),
                           void *(*choose_function)(const char *name))
{
    struct Users users = {.is_library = is_library, .choice = {.choose = choose_function}};
    fc_libc()->iterate_phdr(find_library, &users);
    if (users.is_loaded)
        fc_libc()->iterate_phdr(redirect_user, &users);
}
