/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports which libraries are loaded and unloaded.  libfc interposes dlopen, dlmopen and dlclose.
 * Each notes the time and makes the thread's next record take the slow path, which compares the
 * loader's list of objects with the list that fcmanager has.  If a plug-in loaded libfc, the global
 * offset tables of all modules loaded before are redirected to the interposers.  Modules loaded
 * later may call libc's functions directly, so the lists are then compared for every chunk.
 * loader.h says when the loader can't be asked.
 */
#include "libfc/process/modules.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/base/got.h"
#include "libfc/base/libc.h"
#include "libfc/base/loader.h"
#include "libfc/base/maps.h"
#include "libfc/base/notice.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/count/counters.h"
#include "libfc/count/user-filter.h"
#include "libfc/process/entries.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

struct Known
{
    struct FcModuleInfo info;
    struct FcFilteredModule *filtered;
    bool seen;
};

static struct
{
    uint32_t lock;
    struct Known *known; /* mapped, not from the heap */
    uint32_t count;
    uint32_t room;
    unsigned long long adds; /* atomic: dlpi_adds and dlpi_subs at the last scan */
    unsigned long long subs;
    bool interposed;
    bool is_forked;       /* the process was forked from a profiled one */
    uint32_t changed;     /* atomic: dlopen or dlclose was called */
    uint64_t change_time; /* atomic: when the first call since the last scan began, 0: none */
    uint64_t open_time;   /* atomic: when the last call of dlopen began */
    uint64_t scan_time;   /* of the last scan */
} modules;

/* ---- What one loaded object is ------------------------------------------------ */

static void read_build_id(const struct dl_phdr_info *object, const ElfW(Phdr) * segment,
                          struct FcModuleInfo *info)
{
    const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr);
    const char *end = at + segment->p_memsz;
    /* if the last note has no padding, `at` ends up beyond `end` */
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr)))
    {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof *note;
        const char *data = name + ((note->n_namesz + 3u) & ~3u);
        if (data > end || note->n_descsz > (size_t)(end - data))
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
        {
            info->build_id_bytes =
                note->n_descsz < FC_BUILD_ID_MAX ? note->n_descsz : FC_BUILD_ID_MAX;
            memcpy(info->build_id, data, info->build_id_bytes);
            return;
        }
        at = data + ((note->n_descsz + 3u) & ~3u);
    }
}

static void describe(const struct dl_phdr_info *object, struct FcModuleInfo *info)
{
    memset(info, 0, sizeof *info);
    info->base = object->dlpi_addr;
    fc_loader_read_bounds(object, &info->start, &info->end);
    bool readable_notes = info->end != 0;
    for (int i = 0; readable_notes && i < object->dlpi_phnum && info->build_id_bytes == 0; i++)
        if (object->dlpi_phdr[i].p_type == PT_NOTE)
            read_build_id(object, &object->dlpi_phdr[i], info);
}

/* Writes the module's absolute path to `into` and returns its length; 0: not known.  Does not
 * resolve links, so all processes of the program have the same path. */
static size_t absolute_path(const char *name, char *into, size_t room)
{
    if (!name || name[0] == '\0')
    {
        long bytes = fc_sys(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", into, room);
        return bytes > 0 ? (size_t)bytes : 0;
    }
    size_t used = 0;
    if (name[0] != '/' && strchr(name, '/')) /* a name without a slash is the kernel's vdso */
    {
        long bytes = fc_sys(SYS_getcwd, into, room); /* includes the NUL */
        if (bytes > 1 && into[0] == '/')
        {
            used = (size_t)bytes - 1;
            into[used++] = '/';
        }
        if (name[0] == '.' && name[1] == '/')
            name += 2;
    }
    size_t bytes = strlen(name);
    if (bytes > room - used)
        bytes = room - used;
    memcpy(into + used, name, bytes);
    return used + bytes;
}

/* Whether the path names a descriptor, whose meaning depends on the process and on the time.
 * Then the name that the kernel has for the mapping is used. */
static bool is_passing(const char *path, size_t bytes)
{
    return bytes > 8 && (memcmp(path, "/proc/", 6) == 0 || memcmp(path, "/dev/fd/", 8) == 0 ||
                         memcmp(path, "/dev/std", 8) == 0);
}

static size_t path_of(const struct dl_phdr_info *object, const struct FcModuleInfo *info,
                      char *into, size_t room)
{
    size_t bytes = absolute_path(object->dlpi_name, into, room);
    if (!is_passing(into, bytes))
        return bytes;
    bytes = fc_maps_name(info->start, into, room);
    return bytes > 0 ? bytes : absolute_path(object->dlpi_name, into, room);
}

/* ---- The list ----------------------------------------------------------------- */

static bool make_room(void)
{
    if (modules.count < modules.room)
        return true;
    uint32_t room = modules.room != 0 ? 2 * modules.room : 64;
    long at = fc_sys(SYS_mmap, NULL, room * sizeof *modules.known, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    if (at < 0 && at > -4096)
        return false;
    if (modules.count > 0)
        memcpy((void *)at, modules.known, modules.count * sizeof *modules.known);
    if (modules.known)
        fc_sys(SYS_munmap, modules.known, modules.room * sizeof *modules.known);
    modules.known = (struct Known *)at;
    modules.room = room;
    return true;
}

static struct Known *find(const struct FcModuleInfo *info)
{
    for (uint32_t i = 0; i < modules.count; i++)
        if (modules.known[i].info.base == info->base &&
            modules.known[i].info.start == info->start && modules.known[i].info.end == info->end &&
            memcmp(modules.known[i].info.build_id, info->build_id, FC_BUILD_ID_MAX) == 0)
            return &modules.known[i];
    return NULL;
}

struct Scan
{
    uint64_t load_time;
    uint64_t now;
    bool is_locked;
};

/* Starts the scan at its first object.  libfc's lock is always taken after the loader's: a
 * thread in a callback of dl_iterate_phdr already has the loader's when it comes here. */
static void begin(struct Scan *scan)
{
    if (scan->is_locked)
        return;
    fc_lock(&modules.lock);
    scan->is_locked = true;
    uint64_t began = __atomic_exchange_n(&modules.change_time, 0, __ATOMIC_RELAXED);
    uint64_t opened = __atomic_load_n(&modules.open_time, __ATOMIC_RELAXED);
    scan->now = fc_clock_peek();
    scan->load_time = began != 0 ? began : scan->now;
    /* the last scan may have run after dlopen was called and before it loaded anything */
    if (opened != 0 && opened < scan->load_time)
        scan->load_time = opened > modules.scan_time ? opened : modules.scan_time;
    modules.scan_time = scan->now;
}

static int visit(struct dl_phdr_info *object, size_t bytes, void *data)
{
    /* static is safe: it is used under the lock, with all signals blocked */
    static struct
    {
        struct FcModuleInfo info;
        char path[PATH_MAX];
    } payload;
    struct Scan *scan = data;
    (void)bytes;
    begin(scan);
    /* release: pairs with update(), which then finds the lock taken or everything sent */
    __atomic_store_n(&modules.adds, object->dlpi_adds, __ATOMIC_RELEASE);
    __atomic_store_n(&modules.subs, object->dlpi_subs, __ATOMIC_RELEASE);
    describe(object, &payload.info);
    if (payload.info.end == 0)
        return 0;
    struct Known *known = find(&payload.info);
    if (known)
    {
        known->seen = true;
        return 0;
    }
    if (!make_room())
        return 0;
    size_t path_bytes = path_of(object, &payload.info, payload.path, sizeof payload.path);
    uint32_t number = fc_user_filter_ask();
    struct FcMessage message = {
        .type = FC_MSG_MODULE_LOAD, .argument = number, .value = scan->load_time};
    fc_channel_send(&message, &payload, sizeof payload.info + path_bytes);
    modules.known[modules.count++] = (struct Known){
        .info = payload.info, .filtered = fc_user_filter_take(number, &payload.info), .seen = true};
    return 0;
}

static void send_unloads(uint64_t time)
{
    for (uint32_t i = 0; i < modules.count;)
    {
        if (modules.known[i].seen)
        {
            modules.known[i++].seen = false;
            continue;
        }
        struct FcMessage message = {.type = FC_MSG_MODULE_UNLOAD, .value = time};
        fc_channel_send(&message, &modules.known[i].info, sizeof modules.known[i].info);
        fc_user_filter_forget(modules.known[i].filtered);
        fc_counters_forget(modules.known[i].info.start, modules.known[i].info.end);
        fc_entries_forget(modules.known[i].info.start, modules.known[i].info.end);
        modules.known[i] = modules.known[--modules.count];
    }
}

static void scan_list(void)
{
    struct Scan scan = {0};
    fc_libc()->iterate_phdr(visit, &scan);
    begin(&scan); /* if no object was visited */
    send_unloads(scan.now);
    fc_unlock(&modules.lock);
}

void fc_modules_scan(void)
{
    uint64_t old = fc_block_signals();
    if (fc_loader_begin())
    {
        scan_list();
        fc_loader_end();
    }
    fc_restore_signals(old);
}

static int read_counters(struct dl_phdr_info *object, size_t bytes, void *data)
{
    unsigned long long *counters = data;
    (void)bytes;
    counters[0] = object->dlpi_adds;
    counters[1] = object->dlpi_subs;
    return 1;
}

static void update(void)
{
    unsigned long long counters[2] = {0, 0};
    if (!fc_loader_begin())
        return;
    fc_libc()->iterate_phdr(read_counters, counters);
    if (counters[0] != __atomic_load_n(&modules.adds, __ATOMIC_ACQUIRE) ||
        counters[1] != __atomic_load_n(&modules.subs, __ATOMIC_ACQUIRE))
        scan_list();
    else if (__atomic_load_n(&modules.lock, __ATOMIC_RELAXED) != 0)
    {
        /* wait, so that the caller's next message follows those of the scanning thread */
        fc_lock(&modules.lock);
        fc_unlock(&modules.lock);
    }
    fc_loader_end();
}

/* After the first dlopen the loader's counters are checked each time, since nothing says when
 * dlopen has loaded the library. */
void fc_modules_update(void)
{
    if (!modules.interposed || __atomic_load_n(&modules.changed, __ATOMIC_RELAXED))
        update();
}

void fc_modules_scan_last(void)
{
    if (!modules.is_forked || !modules.interposed ||
        __atomic_load_n(&modules.changed, __ATOMIC_RELAXED))
        fc_modules_scan();
}

/* At the fork another thread of the parent may have held the loader's lock, and no thread of the
 * child releases it.  So the child reads the loader's list only after it has called dlopen or
 * dlclose, which need that lock. */
void fc_modules_after_fork(void)
{
    fc_loader_after_fork_in_child();
    modules.lock = 0;
    modules.changed = 0;
    modules.change_time = 0;
    modules.is_forked = true;
}

/* ---- Interposing the loader's functions ----------------------------------------- */

typedef void *DlopenFunction(const char *, int);
typedef void *DlmopenFunction(Lmid_t, const char *, int);
typedef int DlcloseFunction(void *);

static DlopenFunction *real_dlopen;
static DlmopenFunction *real_dlmopen;
static DlcloseFunction *real_dlclose;

static void find_real(void)
{
    real_dlmopen = (DlmopenFunction *)fc_libc()->dlsym(RTLD_NEXT, "dlmopen");
    real_dlclose = (DlcloseFunction *)fc_libc()->dlsym(RTLD_NEXT, "dlclose");
    real_dlopen = (DlopenFunction *)fc_libc()->dlsym(RTLD_NEXT, "dlopen");
}

static void will_change(bool opens)
{
    if (!real_dlopen)
        find_real();
    if (fc_state_is_off())
        return;
    uint64_t old = fc_block_signals();
    uint64_t none = 0;
    fc_modules_update(); /* first: the chunk may have calls of modules loaded meanwhile */
    const uint64_t now = fc_clock_peek();
    __atomic_compare_exchange_n(&modules.change_time, &none, now, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    if (opens)
        __atomic_store_n(&modules.open_time, now, __ATOMIC_RELAXED);
    __atomic_store_n(&modules.changed, 1, __ATOMIC_RELAXED);
    fc_chunks_flush(); /* the next record goes through fc_modules_update */
    fc_restore_signals(old);
}

/* Reports unloaded modules at once if calls are counted.  A thread that only counts may make no
 * record for a long time, and another module may be loaded at the same addresses meanwhile. */
static void forget_unloaded(void)
{
    if (fc_state_is_off() || !(fc_counters_are_used() || fc_entries_are_used()))
        return;
    fc_modules_update();
}

/* Reports a dlopen with RTLD_DEEPBIND: such a library calls the C library's allocator, not
 * libfc's. */
static void send_foreign_allocator(int mode)
{
    static bool is_sent; /* atomic */
    struct FcMessage message = {.type = FC_MSG_FOREIGN_ALLOCATOR, .thread = fc_thread.number};
    if ((mode & RTLD_DEEPBIND) == 0 || !fc_config.memory || fc_state_is_off())
        return;
    if (!__atomic_exchange_n(&is_sent, true, __ATOMIC_RELAXED))
        fc_notice("memory of libraries that are loaded with RTLD_DEEPBIND is not profiled");
    uint64_t old = fc_block_signals();
    fc_chunks_flush(); /* frees before this point are certain */
    fc_channel_send(&message, NULL, 0);
    fc_restore_signals(old);
}

/* The real dlopen derives RUNPATH and $ORIGIN from its caller.  So it is reached by a jump and
 * sees the program's return address. */
FC_EXPORT FC_JUMPING void *dlopen(const char *file, int mode)
{
    will_change(true);
    send_foreign_allocator(mode);
    FC_JUMP real_dlopen(file, mode);
}

FC_EXPORT FC_JUMPING void *dlmopen(Lmid_t space, const char *file, int mode)
{
    will_change(true);
    FC_JUMP real_dlmopen(space, file, mode);
}

FC_EXPORT int dlclose(void *handle)
{
    will_change(false);
    int result = real_dlclose(handle);
    forget_unloaded();
    return result;
}

/* libfc's names for its own functions, since the exported names may resolve to libc's. */
#define FC_OWN(name) __attribute__((alias(name), visibility("hidden"), nothrow, nonnull))
extern DlopenFunction own_dlopen FC_OWN("dlopen");
extern DlmopenFunction own_dlmopen FC_OWN("dlmopen");
extern DlcloseFunction own_dlclose FC_OWN("dlclose");

static int redirect(struct dl_phdr_info *object, size_t bytes, void *interposers)
{
    (void)bytes;
    fc_got_redirect(object, interposers);
    return 0;
}

void fc_modules_setup(void)
{
    static struct FcInterposer interposers[] = {{"dlopen", (void *)own_dlopen},
                                                {"dlmopen", (void *)own_dlmopen},
                                                {"dlclose", (void *)own_dlclose},
                                                {"dl_iterate_phdr", (void *)fc_loader_iterate},
                                                {0}};

    find_real();
    fc_loader_setup(update);
    modules.interposed = fc_libc()->dlsym(RTLD_DEFAULT, "dlopen") == (void *)own_dlopen;
    if (!modules.interposed)
        fc_libc()->iterate_phdr(redirect, interposers);
}
