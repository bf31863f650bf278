/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the C library in the loader's list of objects (<link.h>, made for debuggers) and its
 * functions in the library's own table of symbols (System V ABI, chapter 5; the hash table is
 * GNU's).  Calls nothing, but for fc_libc_find_near.
 */
#include "libfc/base/libc.h"

#include "libfc/base/sys.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

/* Our own dynamic section: tells which of the loader's name spaces we are in. */
extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

static struct FcLibc libc;
static bool is_ready; /* atomic */

static const struct
{
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name, member)                                                                     \
    {                                                                                              \
        name, offsetof(struct FcLibc, member)                                                      \
    }
    FUNCTION("dlsym", dlsym),
    FUNCTION("dlvsym", dlvsym),
    FUNCTION("dlopen", dlopen),
    FUNCTION("dlclose", dlclose),
    FUNCTION("dlerror", dlerror),
    FUNCTION("dladdr", dladdr),
    FUNCTION("dladdr1", dladdr1),
    FUNCTION("dl_iterate_phdr", iterate_phdr),
    FUNCTION("__register_atfork", register_atfork),
    FUNCTION("on_exit", on_exit),
    FUNCTION("__cxa_at_quick_exit", at_quick_exit),
    FUNCTION("pthread_key_create", key_create),
    FUNCTION("pthread_setspecific", setspecific),
    FUNCTION("__errno_location", errno_location),
    FUNCTION("getauxval", getauxval),
    FUNCTION("strerrordesc_np", strerrordesc),
    FUNCTION("abort", abort),
    FUNCTION("clock_gettime", clock_gettime),
};

/* The libraries that have them; the second and third only before glibc 2.34. */
static const char *const libraries[] = {"libc.so.6", "libdl.so.2", "libpthread.so.0"};

struct Tables
{
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash;
    const ElfW(Versym) * versions;
};

/* The run-time address. glibc has already added the base if it could write the dynamic section. */
static const void *loaded(const struct link_map *object, ElfW(Addr) address)
{
    return (const void *)(address < object->l_addr ? object->l_addr + address : address);
}

static struct Tables read_tables(const struct link_map *object)
{
    struct Tables tables = {0};
    for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag)
        {
        case DT_SYMTAB:
            tables.symbols = loaded(object, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            tables.strings = loaded(object, entry->d_un.d_ptr);
            break;
        case DT_GNU_HASH:
            tables.hash = loaded(object, entry->d_un.d_ptr);
            break;
        case DT_VERSYM:
            tables.versions = loaded(object, entry->d_un.d_ptr);
            break;
        default:
            break;
        }
    return tables;
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

/* The default version of `name`, as the linker would have chosen; NULL: there is none. */
static void *find_function(const struct link_map *object, const struct Tables *tables,
                           const char *name)
{
    if (!tables->symbols || !tables->strings || !tables->hash)
        return NULL;
    uint32_t bucket_count = tables->hash[0];
    uint32_t first = tables->hash[1];
    uint32_t bloom_words = tables->hash[2];
    const uint32_t *buckets = tables->hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chain = buckets + bucket_count;
    uint32_t wanted = gnu_hash(name);
    uint32_t at = bucket_count > 0 ? buckets[wanted % bucket_count] : 0;
    for (; at >= first && at != 0; at++)
    {
        uint32_t hash = chain[at - first];
        const ElfW(Sym) *symbol = &tables->symbols[at];
        bool is_default = !tables->versions || !(tables->versions[at] & 0x8000);
        if ((hash | 1) == (wanted | 1) && is_default && symbol->st_shndx != SHN_UNDEF &&
            ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
            strcmp(tables->strings + symbol->st_name, name) == 0)
            return (void *)(object->l_addr + symbol->st_value);
        if (hash & 1)
            break;
    }
    return NULL;
}

static void take_functions(const struct link_map *object)
{
    const struct Tables tables = read_tables(object);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    {
        void **into = (void **)((char *)&libc + functions[i].offset);
        void *found = find_function(object, &tables, functions[i].name);
        if (found && !__atomic_load_n(into, __ATOMIC_RELAXED))
            __atomic_store_n(into, found, __ATOMIC_RELAXED);
    }
}

/* The list of the name space that libfc itself was loaded to. */
static const struct link_map *own_list(void)
{
    const struct r_debug *space = &_r_debug;
    for (;;)
    {
        const struct link_map *first = space->r_map;
        for (const struct link_map *object = first; object; object = object->l_next)
            if (object->l_ld == own_dynamic)
                return first;
#if __GLIBC_PREREQ(2, 35)
        const struct r_debug_extended *extended = (const struct r_debug_extended *)space;
        if (_r_debug.r_version >= 2 && extended->r_next)
        {
            space = &extended->r_next->base;
            continue;
        }
#endif
        return _r_debug
            .r_map; /* not in any list yet: libfc is being loaded by the program's start */
    }
}

static const char *base_name(const struct link_map *object)
{
    const char *slash = strrchr(object->l_name, '/');
    return slash ? slash + 1 : object->l_name;
}

bool fc_libc_is_exported(const char *name)
{
    const struct link_map *object = own_list();
    for (; object; object = object->l_next)
    {
        const bool is_library = strchr(object->l_name, '/') != NULL; /* nor the kernel's vdso */
        if (!is_library || object->l_ld == own_dynamic)
            continue;
        const struct Tables tables = read_tables(object);
        if (find_function(object, &tables, name))
            return true;
    }
    return false;
}

/* Two threads may do this at the same time: they store the same. */
static void look_up(void)
{
    for (const struct link_map *object = own_list(); object; object = object->l_next)
    {
        const char *name = base_name(object);
        for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
            if (strcmp(name, libraries[i]) == 0)
                take_functions(object);
    }
    /* release: whoever sees this sees the functions */
    __atomic_store_n(&is_ready, true, __ATOMIC_RELEASE);
}

const struct FcLibc *fc_libc(void)
{
    if (fc_unlikely(!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE)))
        look_up();
    return &libc;
}

/* The loader's word: where the first stack begins, with argc, argv, NULL and the environment. */
extern const uintptr_t *__libc_stack_end;

static bool is_initialised;

void fc_libc_is_initialised(void)
{
    is_initialised = true;
}

char **fc_libc_environ(void)
{
    if (environ || is_initialised)
        return environ;
    return (char **)(__libc_stack_end + 1 + __libc_stack_end[0] + 1);
}

const char *fc_libc_getenv(const char *name)
{
    size_t bytes = strlen(name);
    for (char **entry = fc_libc_environ(); entry && *entry; entry++)
        if (strncmp(*entry, name, bytes) == 0 && (*entry)[bytes] == '=')
            return *entry + bytes + 1;
    return NULL;
}

/* Searches the module's own symbols first.  The loader is asked last: it may allocate when a
 * library is opened that was loaded as another one's dependency. */
void *fc_libc_find_near(const void *code, const char *name)
{
    Dl_info module;
    struct link_map *map;
    if (!code || fc_libc()->dladdr1(code, &module, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return NULL;
    const struct Tables tables = read_tables(map);
    void *found = find_function(map, &tables, name);
    if (found)
        return found;
    void *handle = fc_libc()->dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
    {
        found = fc_libc()->dlsym(handle, name);
        fc_libc()->dlclose(handle);
    }
    return found;
}
