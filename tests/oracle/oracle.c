/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A counting runtime that shares nothing with libfc: it defines the two hooks of
 * -finstrument-functions and counts calls per (call site, function).  The tests
 * run one and the same executable with libfc and with this library under libfc's
 * soname (LD_LIBRARY_PATH), and compare.py demands equal counts.
 *
 * The counts live in a file that is mapped, $ORACLE_OUT.PID for each process, so
 * that they are there however the process ends.  It must never take a lock, use
 * the heap or change errno in a hook: signal handlers may be instrumented.
 *
 * Programs that do not call the same twice, such as those with threads, are counted
 * in the very run that is profiled: with ORACLE_BESIDE set, and this library before
 * libfc (LD_PRELOAD), each hook goes on to libfc's by a jump, so that libfc finds the
 * stack and the return address as if it had been called.  A program without
 * instrumented functions leaves no file then.
 *
 * Functions that gcc instrumented after inlining are known by an address behind their first
 * instructions, marked as such; compare.py finds by the symbols which they are.
 *
 * Limit: a (call site, function) pair keeps the module in which it was first
 * seen, also where another library is later loaded at the same addresses.
 */
#include "tests/support/stand_in.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENTRIES_MAX (1u << 18)
#define INDEX_SLOTS (1u << 20) /* a power of two, at least twice ENTRIES_MAX */
#define MODULES_MAX 1024u
#define PATH_BYTES 480u
#define NO_MODULE UINT32_MAX
#define WITHIN (UINT64_C(1) << 63)

/* The layout of the file: compare.py knows it as well. */
struct module
{
    uint64_t base; /* run-time address less address in the file */
    uint64_t start;
    uint64_t end;
    uint32_t ready;
    uint32_t reserved;
    char path[PATH_BYTES];
};

struct entry
{
    uint64_t function; /* 0: the entry is not in use; WITHIN: an address within it */
    uint64_t site;
    uint64_t calls;
    uint32_t function_module;
    uint32_t site_module;
};

struct file
{
    char magic[8];
    uint64_t lost; /* calls that found no room: compare.py refuses the file then */
    int32_t pid;
    int32_t parent;
    uint32_t entry_count;
    uint32_t module_count;
    struct module modules[MODULES_MAX];
    struct entry entries[ENTRIES_MAX];
};

static struct file *counts;
static void (*next_enter)(void *, void *); /* NULL: libfc's place is ours */
static void (*next_exit)(void *, void *);
#if defined(__x86_64__) /* for the hooks in after_inlining.S */
void (*oracle_next_fentry)(void);
void (*oracle_next_return)(void);
void oracle_fentry(const void *back, void *const *stack);
#endif
/* number of an entry, from 1; 0: free */
static uint32_t slots[INDEX_SLOTS] __attribute__((aligned(65536)));

static void complain(const char *what)
{
    dprintf(STDERR_FILENO, "oracle: %s: %s\n", what, strerror(errno));
}

/* A new file for this process; an image that was executed by a process which had
 * one already gets $ORACLE_OUT.PID.1 and so on. */
static void open_file(void)
{
    const char *name = getenv("ORACLE_OUT");
    if (name == NULL)
        return;
    char path[4096];
    int fd = -1;
    for (unsigned number = 0; fd < 0 && number < 1000; number++)
    {
        int length = snprintf(path, sizeof path, "%s.%d", name, (int)getpid());
        if (number > 0)
            snprintf(path + length, sizeof path - (size_t)length, ".%u", number);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0 || ftruncate(fd, sizeof(struct file)) != 0)
    {
        complain(path);
        return;
    }
    struct file *map = mmap(NULL, sizeof(struct file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
    {
        complain(path);
        return;
    }
    memcpy(map->magic, "FCorcl01", sizeof map->magic);
    map->pid = getpid();
    map->parent = getppid();
    counts = map;
}

/* The child counts from zero, in its own file; the parent's is none of its business. */
static void start_child(void)
{
    if (counts != NULL)
        munmap(counts, sizeof *counts);
    counts = NULL;
    /* Anonymous memory is zero afterwards, and nothing that nobody uses is copied for that. */
    if (madvise(slots, sizeof slots, MADV_DONTNEED) != 0)
        memset(slots, 0, sizeof slots);
    open_file();
}

static void start(void)
{
    static int started;
    if (__atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL))
        return;
    int saved = errno;
    if (getenv("ORACLE_BESIDE") != NULL)
    {
        *(void **)&next_enter = dlsym(RTLD_NEXT, "__cyg_profile_func_enter");
        *(void **)&next_exit = dlsym(RTLD_NEXT, "__cyg_profile_func_exit");
#if defined(__x86_64__)
        *(void **)&oracle_next_fentry = dlvsym(RTLD_NEXT, "__fentry__", "FC_4");
        *(void **)&oracle_next_return = dlvsym(RTLD_NEXT, "__return__", "FC_4");
#endif
    }
    open_file();
    pthread_atfork(NULL, NULL, start_child);
    errno = saved;
}

/* Another library's constructor may come first and be instrumented: the first hook
 * starts the counting then. */
__attribute__((constructor)) static void start_with_program(void)
{
    if (getenv("ORACLE_BESIDE") == NULL)
        start();
}

static uint32_t known_module(uint64_t address)
{
    uint32_t count = __atomic_load_n(&counts->module_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = count < MODULES_MAX ? count : MODULES_MAX; i-- > 0;)
    {
        const struct module *module = &counts->modules[i];
        if (__atomic_load_n(&module->ready, __ATOMIC_ACQUIRE) && address >= module->start &&
            address < module->end)
            return i;
    }
    return NO_MODULE;
}

/* Adds the module that holds the address `wanted`. */
static int add_module(struct dl_phdr_info *info, size_t size, void *wanted)
{
    (void)size;
    uint64_t address = *(const uint64_t *)wanted;
    uint64_t start = UINT64_MAX;
    uint64_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
    {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        uint64_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uint64_t high = low + info->dlpi_phdr[i].p_memsz;
        start = low < start ? low : start;
        end = high > end ? high : end;
    }
    if (address < start || address >= end)
        return 0;
    uint32_t number = __atomic_fetch_add(&counts->module_count, 1, __ATOMIC_ACQ_REL);
    if (number >= MODULES_MAX)
        return 1;
    struct module *module = &counts->modules[number];
    module->base = info->dlpi_addr;
    module->start = start;
    module->end = end;
    if (info->dlpi_name != NULL && info->dlpi_name[0] != '\0')
    {
        size_t used = 0;
        if (info->dlpi_name[0] != '/' && getcwd(module->path, PATH_BYTES / 2) != NULL)
            used = strlen(strcat(module->path, "/"));
        strncpy(module->path + used, info->dlpi_name, PATH_BYTES - 1 - used);
    }
    else if (readlink("/proc/self/exe", module->path, PATH_BYTES - 1) < 0)
        complain("/proc/self/exe");
    __atomic_store_n(&module->ready, 1, __ATOMIC_RELEASE);
    return 1;
}

static uint32_t find_module(uint64_t address)
{
    uint32_t number = known_module(address);
    if (number == NO_MODULE && dl_iterate_phdr(add_module, &address) != 0)
        number = known_module(address);
    return number;
}

/* A filled-in entry that is in no slot yet; its number, or 0 where all are taken. */
static uint32_t new_entry(uint64_t function, uint64_t site)
{
    int saved = errno;
    uint32_t number = __atomic_add_fetch(&counts->entry_count, 1, __ATOMIC_RELAXED);
    if (number <= ENTRIES_MAX)
    {
        struct entry *entry = &counts->entries[number - 1];
        entry->function_module = find_module(function & ~WITHIN);
        entry->site_module = find_module(site);
        entry->site = site;
        entry->function = function;
    }
    errno = saved;
    return number <= ENTRIES_MAX ? number : 0;
}

/* Finds or makes the entry without a lock: whoever puts its entry into the slot
 * first has made it, another one that comes along leaves its own unused. */
static struct entry *find_entry(uint64_t function, uint64_t site)
{
    uint64_t hash =
        (function * UINT64_C(0x9e3779b97f4a7c15)) ^ (site * UINT64_C(0xc2b2ae3d27d4eb4f));
    uint32_t mine = 0;
    for (uint32_t slot = (uint32_t)(hash >> 40);; slot++)
    {
        uint32_t *place = &slots[slot & (INDEX_SLOTS - 1)];
        uint32_t number = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (number == 0)
        {
            if (mine == 0)
                mine = new_entry(function, site);
            if (mine == 0)
                return NULL;
            if (__atomic_compare_exchange_n(place, &number, mine, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return &counts->entries[mine - 1];
        }
        struct entry *entry = &counts->entries[number - 1];
        if (entry->function == function && entry->site == site)
        {
            if (mine != 0)
                counts->entries[mine - 1].function = 0;
            return entry;
        }
    }
}

static void count(void *function, void *site)
{
    if (counts == NULL)
        start();
    if (counts == NULL)
        return;
    struct entry *entry = find_entry((uintptr_t)function, (uintptr_t)site);
    uint64_t *place = entry != NULL ? &entry->calls : &counts->lost;
    __atomic_fetch_add(place, 1, __ATOMIC_RELAXED);
}

/* The calls of libfc's hooks stand last, and are jumps: see the top.  Two versions, as in
 * libfc/hooks.c: a library that was linked without libfc asks for the C library's. */
typedef void Hook(void *function, void *site);

#define VERSIONS(name, hook)                                                                       \
    extern __typeof(hook) hook##_of_libc __attribute__((alias(#hook), visibility("default")));     \
    __asm__(".symver " #hook "," name "@@FC_4\n"                                                   \
            ".symver " #hook "_of_libc," name "@" FC_LIBC_VERSION)

__attribute__((visibility("default"))) Hook oracle_enter;
__attribute__((visibility("default"))) Hook oracle_exit;

void oracle_enter(void *function, void *site)
{
    count(function, site);
    if (next_enter != NULL)
        next_enter(function, site);
}

void oracle_exit(void *function, void *site)
{
    if (next_exit != NULL)
        next_exit(function, site);
}

#if defined(__x86_64__)
void oracle_fentry(const void *back, void *const *stack)
{
    /* pop %r10, of a nested function, which pushed it before the call */
    int is_pushed = memcmp(back, "\x41\x5a", 2) == 0;
    count((void *)((uintptr_t)back | WITHIN), stack[is_pushed]);
}
#endif

VERSIONS("__cyg_profile_func_enter", oracle_enter);
VERSIONS("__cyg_profile_func_exit", oracle_exit);

STAND_IN(oracle_enter, oracle_exit);
