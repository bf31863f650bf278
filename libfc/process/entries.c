/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See entries.h.  The first thread, and threads that libfc does not know, count in the module's own
 * counters, called home here; shared memory is mapped over these.  Each other thread counts in
 * pages of its own, at a fixed distance from the home counters.  A thread's distance is the same
 * for all modules, and it is the thread's GS base.
 *
 * Every page that a thread reaches through its GS base must be mapped, or the program would crash.
 * If no shared memory is left for a thread, it counts at home; if there is none at all, private
 * memory is mapped, and fcmanager does not see these counts.
 * If the addresses at a thread's distance are taken when a module is loaded, the module's
 * instructions are changed so that all threads count at home.
 */
#include "libfc/process/entries.h"

#include "libfc/base/libc.h"
#include "libfc/base/loader.h"
#include "libfc/base/notice.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/fc-entries.h"
#include "libfc/process/entry-targets.h"
#include "libfc/process/entry-timer.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/pool.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#if defined(__x86_64__)

#include <asm/prctl.h>

#define FSGSBASE 2 /* the kernel's bit in AT_HWCAP2 */

#define PAGE ((uint64_t)FC_ENTRY_PAGE_BYTES)
#define PAGES_OF_CHUNK (FC_CHUNK_BYTES / FC_ENTRY_PAGE_BYTES - 1)

/* Distances are multiples of this, so that the pages of two threads do not overlap even if the
 * modules are close to each other. */
#define STRIDE (INT64_C(1) << 32)
#define STRIDES 8192
#define TRIES 64
/* How often a new thread waits for a chunk. */
#define WAITS 8
/* A program that was not linked as PIE has its counters below this address.  Then only positive
 * distances are used. */
#define LOW_END (UINT64_C(1) << 32)

/* Records in one message. */
#define MESSAGE_ENTRIES 112

struct Module
{
    const struct FcEntryRecord *entries, *end;
    uint64_t low, high; /* the pages of its counters */
    struct FcCodeRange text;
    uint32_t number;
    bool is_home_shared; /* its pages hold only counters */
};

/* Where a thread's counters are. */
struct Block
{
    struct Block *next;
    int64_t distance;
    struct FcChunk *chunk; /* its current chunk; NULL: none yet */
    uint32_t used;         /* pages of it */
    uint32_t chunks;       /* claimed so far */
    uint32_t thread;
    bool is_in_use;
};

static struct
{
    uint32_t lock;
    struct Module *modules; /* mapped */
    uint32_t count;         /* atomic: fc_entries_are_used reads it without the lock */
    uint32_t room;
    uint32_t last_number;
    uint32_t next_stride;
    struct Block home;
    struct Block *blocks; /* of threads; never freed, but reused */
    bool is_shared_home;  /* the notice of say_shared was printed */
    bool is_denied;       /* the program uses GS itself */
    bool is_full;         /* a thread has waited for a chunk in vain */
    bool is_forked;
} entries;

static __thread struct Block *own __attribute__((tls_model("initial-exec")));

bool fc_entries_are_used(void)
{
    return __atomic_load_n(&entries.count, __ATOMIC_RELAXED) != 0;
}

/* Whether a program may set the GS base by an instruction.  The system call does not accept
 * negative distances. */
static bool can_go_down(void)
{
    return (fc_libc()->getauxval(AT_HWCAP2) & FSGSBASE) != 0;
}

static void set_base(int64_t distance)
{
    if (can_go_down())
        __asm__ volatile("wrgsbase %0" : : "r"(distance));
    else
        fc_sys(SYS_arch_prctl, ARCH_SET_GS, distance);
}

static int64_t base(void)
{
    int64_t distance = 0;
    fc_sys(SYS_arch_prctl, ARCH_GET_GS, &distance);
    return distance;
}

/* ---- Memory ------------------------------------------------------------------------ */

/* Reserves the address range.  False: something is mapped there. */
static bool reserve(uint64_t at, uint64_t bytes)
{
    const long got =
        fc_sys(SYS_mmap, at, bytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == (long)at)
        return true;
    if (got > 0 || got <= -4096) /* a kernel that doesn't know the flag chose another address */
        fc_unmap((void *)got, bytes);
    return false;
}

static void map_private(uint64_t at, uint64_t bytes)
{
    fc_sys(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
           0);
}

/* Returns a chunk for a new thread, and waits for one, since fcmanager may be about to free those
 * of threads that have ended.  NULL: there is none. */
static struct FcChunk *await_chunk(void)
{
    struct FcChunk *chunk = NULL;
    for (int tries = 0; !fc_state_is_off() && tries <= WAITS; tries++)
    {
        const uint32_t freed = fc_chunks_count_freed();
        chunk = fc_pool_claim_entries(fc_thread.number, 0);
        /* relaxed: it only saves time */
        if (chunk || __atomic_load_n(&entries.is_full, __ATOMIC_RELAXED) || !fc_pool_header() ||
            !fc_chunks_wait(freed))
            break;
    }
    __atomic_store_n(&entries.is_full, !chunk, __ATOMIC_RELAXED);
    return chunk;
}

static bool has_page(struct Block *block)
{
    if (block->chunk && block->used < PAGES_OF_CHUNK)
        return true;
    struct FcChunk *chunk =
        fc_state_is_off() ? NULL : fc_pool_claim_entries(block->thread, block->chunks);
    if (!chunk)
        return false;
    block->chunk = chunk;
    block->chunks++;
    block->used = 0;
    return true;
}

/* Maps `count` pages of the block's chunk at the home address `address` plus the distance, and
 * announces them to fcmanager.  False: the kernel refused. */
static bool map_shared(struct Block *block, const struct Module *module, uint64_t address,
                       uint32_t count)
{
    char *pages = (char *)block->chunk + (size_t)(1 + block->used) * PAGE;
    const uint64_t at = address + (uint64_t)block->distance;
    const size_t bytes = (size_t)count * PAGE;
    if (block == &entries.home) /* keep what was counted before */
        memcpy(pages, (const void *)(uintptr_t)at, bytes);
    else
        memset(pages, 0, bytes);
    /* an old length of 0 makes a second mapping of the same shared memory */
    if (fc_sys(SYS_mremap, pages, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) != (long)at)
        return false;
    const struct FcEntryPages payload = {.address = address,
                                         .module = module->number,
                                         .first = 1 + block->used,
                                         .count = count,
                                         .is_home = block == &entries.home};
    struct FcMessage message = {.type = FC_MSG_ENTRY_PAGES,
                                .thread = block->thread,
                                .argument = fc_pool_index(block->chunk)};
    fc_channel_send(&message, &payload, sizeof payload);
    block->used += count;
    return true;
}

/* If two threads add to a counter at the same time, one of the counts may be lost. */
static void say_shared(void)
{
    if (!entries.is_shared_home)
        fc_notice(
            "some threads share counters: calls that they make at the same time may be missing");
    entries.is_shared_home = true;
}

/* Maps pages for a module's counters into the range that was reserved at the block's distance. */
static void map_module(struct Block *block, const struct Module *module)
{
    const bool is_home = block == &entries.home;
    uint64_t at = module->low;
    if (is_home && !module->is_home_shared)
        return;
    while (at < module->high && has_page(block))
    {
        const uint64_t left = (module->high - at) / PAGE;
        const uint32_t room = PAGES_OF_CHUNK - block->used;
        const uint32_t count = left < room ? (uint32_t)left : room;
        if (!map_shared(block, module, at, count))
            break;
        at += count * PAGE;
    }
    if (at == module->high)
        return;
    if (!is_home && module->is_home_shared &&
        fc_sys(SYS_mremap, at, 0, module->high - at, MREMAP_MAYMOVE | MREMAP_FIXED,
               at + (uint64_t)block->distance) == (long)(at + (uint64_t)block->distance))
    {
        say_shared();
        return;
    }
    if (!is_home)
        map_private(at + (uint64_t)block->distance, module->high - at);
    if (!fc_state_is_off())
        fc_notice("no shared memory is left for counters: calls of some threads are not counted");
}

static void unmap_module(const struct Block *block, const struct Module *module)
{
    fc_unmap((void *)(uintptr_t)(module->low + (uint64_t)block->distance),
             module->high - module->low);
}

/* ---- Blocks ------------------------------------------------------------------------- */

static struct Block *free_block(void)
{
    for (struct Block *block = entries.blocks; block; block = block->next)
        if (!block->is_in_use)
            return block;
    struct Block *fresh = fc_map(PAGE);
    if (!fresh)
        return NULL;
    for (size_t i = 0; i < PAGE / sizeof *fresh; i++)
    {
        fresh[i].next = entries.blocks;
        entries.blocks = &fresh[i];
    }
    return entries.blocks;
}

/* Reserves the ranges of all modules' counters at that distance.  False: one is taken, and none
 * is reserved. */
static bool reserve_all(struct Block *block, int64_t distance)
{
    block->distance = distance;
    for (uint32_t i = 0; i < entries.count; i++)
    {
        const struct Module *module = &entries.modules[i];
        if (reserve(module->low + (uint64_t)distance, module->high - module->low))
            continue;
        while (i-- > 0)
            unmap_module(block, &entries.modules[i]);
        return false;
    }
    return true;
}

static bool find_distance(struct Block *block)
{
    bool is_upwards = !can_go_down();
    for (uint32_t i = 0; i < entries.count; i++)
        is_upwards |= entries.modules[i].low < LOW_END;
    for (uint32_t tries = 0; tries < TRIES; tries++)
    {
        entries.next_stride = entries.next_stride % STRIDES + 1;
        const int64_t distance = entries.next_stride * STRIDE;
        if (reserve_all(block, is_upwards ? distance : -distance))
            return true;
    }
    return false;
}

void fc_entries_begin_thread(void)
{
    own = NULL;
    struct FcChunk *chunk = await_chunk(); /* not under the lock, which ending threads take */
    fc_lock(&entries.lock);
    struct Block *block = entries.is_denied ? NULL : free_block();
    if (block)
    {
        struct Block *next = block->next;
        *block = (struct Block){
            .next = next, .chunk = chunk, .chunks = chunk ? 1 : 0, .thread = fc_thread.number};
        block->is_in_use = find_distance(block);
        if (!block->is_in_use)
            block = NULL;
    }
    for (uint32_t i = 0; block && i < entries.count; i++)
        map_module(block, &entries.modules[i]);
    if (!entries.is_denied)
        set_base(block ? block->distance : 0);
    if (!block)
        say_shared();
    own = block;
    fc_unlock(&entries.lock);
    if (block)
        fc_entry_timer_begin();
}

void fc_entries_end_thread(void)
{
    struct Block *block = own;
    fc_entry_timer_end();
    if (!block)
        return;
    fc_lock(&entries.lock);
    set_base(0);
    own = NULL;
    for (uint32_t i = 0; i < entries.count; i++)
        unmap_module(block, &entries.modules[i]);
    block->is_in_use = false;
    fc_unlock(&entries.lock);
}

/* ---- Modules ------------------------------------------------------------------------ */

static bool make_room(void)
{
    if (entries.count < entries.room)
        return true;
    const uint32_t room = entries.room != 0 ? 2 * entries.room : 32;
    struct Module *larger = fc_map(room * sizeof *larger);
    if (!larger)
        return false;
    if (entries.count > 0)
        memcpy(larger, entries.modules, entries.count * sizeof *larger);
    if (entries.modules)
        fc_unmap(entries.modules, entries.room * sizeof *larger);
    entries.modules = larger;
    entries.room = room;
    return true;
}

/* Finds the module's code, and whether nothing follows the counters on their last page, since they
 * end a loaded segment. */
static void read_header(const struct FcEntrySections *sections, struct Module *module)
{
    const Elf64_Ehdr *header = sections->header;
    const uint64_t end = (uint64_t)(uintptr_t)sections->counters_end;
    if (!header)
        return;
    const Elf64_Phdr *parts =
        (const Elf64_Phdr *)(const void *)((const char *)header + header->e_phoff);
    uint64_t bias = (uint64_t)(uintptr_t)header;
    for (uint32_t i = 0; i < header->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD)
        {
            bias -= parts[i].p_vaddr - parts[i].p_offset;
            break;
        }
    for (uint32_t i = 0; i < header->e_phnum; i++)
    {
        const uint64_t start = bias + parts[i].p_vaddr;
        if (parts[i].p_type != PT_LOAD)
            continue;
        if ((parts[i].p_flags & PF_X) != 0)
            module->text = (struct FcCodeRange){start, start + parts[i].p_filesz};
        if (start + parts[i].p_memsz == end &&
            module->low == (uint64_t)(uintptr_t)sections->counters)
            module->is_home_shared = true;
    }
}

static const unsigned char *instruction_of(const struct FcEntryRecord *entry)
{
    static const unsigned char branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const unsigned char *at = (const unsigned char *)&entry->code + entry->code;
    return memcmp(at, branch_target, sizeof branch_target) == 0 ? at + sizeof branch_target : at;
}

/* Removes the GS prefix from each counter's instruction, so that all threads count at home.  No
 * other thread may run the module's code yet. */
static void count_at_home(const struct FcEntryRecord *entry, const struct FcEntryRecord *end)
{
    static const unsigned char counts[] = {0x65, 0x48, 0xff, 0x05};
    for (; entry < end; entry++)
    {
        const unsigned char *at = instruction_of(entry);
        const uint64_t page = (uint64_t)(uintptr_t)at & ~(PAGE - 1);
        if ((entry->flags & FC_ENTRY_PART) != 0 || memcmp(at, counts, sizeof counts) != 0)
            continue;
        if (fc_sys(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
            continue;
        *(unsigned char *)(uintptr_t)at = 0x3e; /* the DS prefix, which has no effect */
        fc_sys(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
    }
    say_shared();
}

static void send(const struct Module *module, const struct FcEntryMessage *list, size_t count)
{
    struct FcMessage message = {.type = FC_MSG_ENTRIES,
                                .thread = fc_thread.number,
                                .argument = module->number,
                                .value = (uint64_t)(uintptr_t)module->entries};
    if (count > 0)
        fc_channel_send(&message, list, count * sizeof *list);
}

/* Sends the module's records.  `is_late`: only those of calls that the loader binds when they are
 * made first, and which are bound now. */
static void send_entries(const struct Module *module, bool is_late)
{
    struct FcEntryMessage list[MESSAGE_ENTRIES];
    size_t count = 0;
    for (const struct FcEntryRecord *at = module->entries; at < module->end; at++)
    {
        bool is_through_slot = false;
        list[count] = (struct FcEntryMessage){
            .code = (uint64_t)(uintptr_t)&at->code + (uint64_t)(int64_t)at->code,
            .counter = (uint64_t)(uintptr_t)&at->counter + (uint64_t)(int64_t)at->counter,
            .bytes = at->bytes,
            .flags = at->flags};
        if ((at->flags & FC_ENTRY_SYMBOL) != 0)
            list[count].target =
                fc_entry_target(list[count].code, at->bytes, &module->text, &is_through_slot);
        count += !is_late || is_through_slot;
        if (count == MESSAGE_ENTRIES)
        {
            send(module, list, count);
            count = 0;
        }
    }
    send(module, list, count);
}

/* While the loader lists an object no thread unmaps it. */
static int send_bound(struct dl_phdr_info *object, size_t bytes, void *data)
{
    uint64_t start, end;
    (void)bytes;
    (void)data;
    fc_loader_read_bounds(object, &start, &end);
    fc_lock(&entries.lock);
    for (uint32_t i = 0; i < entries.count; i++)
        if (entries.modules[i].low - start < end - start)
            send_entries(&entries.modules[i], true);
    fc_unlock(&entries.lock);
    return 0;
}

void fc_entries_send_bound(void)
{
    /* a forked child may not ask the loader */
    if (!fc_entries_are_used() || entries.is_forked || !fc_loader_begin())
        return;
    fc_libc()->iterate_phdr(send_bound, NULL);
    fc_loader_end();
}

static void add_module(const struct FcEntrySections *sections)
{
    for (uint32_t i = 0; i < entries.count; i++)
        if (entries.modules[i].entries == sections->entries)
            return;
    struct Module module = {.entries = sections->entries,
                            .end = sections->entries_end,
                            .low = (uint64_t)(uintptr_t)sections->counters & ~(PAGE - 1),
                            .high = ((uint64_t)(uintptr_t)sections->counters_end + PAGE - 1) &
                                    ~(PAGE - 1),
                            .number = ++entries.last_number};
    read_header(sections, &module);
    send_entries(&module, false);
    map_module(&entries.home, &module);
    bool is_everywhere = make_room();
    for (struct Block *block = entries.blocks; block; block = block->next)
        if (block->is_in_use && is_everywhere)
        {
            is_everywhere =
                reserve(module.low + (uint64_t)block->distance, module.high - module.low);
            if (is_everywhere)
                map_module(block, &module);
        }
    if (!is_everywhere)
        count_at_home(module.entries, module.end);
    else
    {
        entries.modules[entries.count] = module;
        __atomic_store_n(&entries.count, entries.count + 1, __ATOMIC_RELAXED);
    }
}

/* The program uses GS for its own data, which the module's instructions would overwrite. */
static void deny(const struct FcEntrySections *sections)
{
    if (!entries.is_denied)
        fc_notice("this program uses the register GS itself");
    entries.is_denied = true;
    count_at_home(sections->entries, sections->entries_end);
}

void fc_entries_add(const struct FcEntrySections *sections)
{
    fc_lock(&entries.lock);
    if (entries.count == 0)
        entries.home.thread = fc_thread.number;
    if (!own && base() != 0)
        deny(sections);
    const bool is_first = !entries.home.chunk;
    add_module(sections);
    const struct FcChunk *chunk = is_first ? entries.home.chunk : NULL;
    fc_unlock(&entries.lock);
    size_t bytes;
    /* fcmanager answers once it samples where the thread executes, or can't */
    const char *answer = chunk ? fc_chunks_wait_for_answer(fc_pool_index(chunk), &bytes) : NULL;
    if (answer && bytes == sizeof FC_ENTRIES_USE_TIMERS - 1 &&
        memcmp(answer, FC_ENTRIES_USE_TIMERS, bytes) == 0)
    {
        fc_entry_timer_allow();
        fc_entry_timer_begin();
    }
}

void fc_entries_forget(uint64_t start, uint64_t end)
{
    if (!fc_entries_are_used())
        return;
    fc_lock(&entries.lock);
    for (uint32_t i = 0; i < entries.count;)
    {
        const struct Module module = entries.modules[i];
        if (module.low - start >= end - start)
        {
            i++;
            continue;
        }
        for (const struct Block *block = entries.blocks; block; block = block->next)
            if (block->is_in_use)
                unmap_module(block, &module);
        entries.modules[i] = entries.modules[entries.count - 1];
        __atomic_store_n(&entries.count, entries.count - 1, __ATOMIC_RELAXED);
    }
    fc_unlock(&entries.lock);
}

/* ---- Forks -------------------------------------------------------------------------- */

void fc_entries_leave(void)
{
    entries.lock = 0;
    entries.is_forked = true;
    fc_entry_timer_leave();
    if (!fc_entries_are_used())
        return;
    if (!entries.is_denied)
        set_base(0);
    own = NULL;
    for (uint32_t i = 0; i < entries.count; i++)
    {
        const struct Module *module = &entries.modules[i];
        for (const struct Block *block = entries.blocks; block; block = block->next)
            if (block->is_in_use)
                unmap_module(block, module);
        if (module->is_home_shared)
            map_private(module->low, module->high - module->low);
    }
    for (struct Block *block = entries.blocks; block; block = block->next)
        block->is_in_use = false;
    entries.home = (struct Block){0};
}

void fc_entries_after_fork(void)
{
    entries.home.thread = fc_thread.number;
    for (uint32_t i = 0; i < entries.count; i++)
        map_module(&entries.home, &entries.modules[i]);
    fc_entry_timer_begin();
}

#else /* not x86-64: fcas makes no counters */

bool fc_entries_are_used(void)
{
    return false;
}

void fc_entries_begin_thread(void)
{
}

void fc_entries_end_thread(void)
{
}

void fc_entries_forget(uint64_t start, uint64_t end)
{
    (void)start;
    (void)end;
}

void fc_entries_add(const struct FcEntrySections *sections)
{
    (void)sections;
}

void fc_entries_leave(void)
{
}

void fc_entries_send_bound(void)
{
}

void fc_entries_after_fork(void)
{
}

#endif
