/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See user-filter.h.  Other processes of the session can write to the memory of the answers.  What
 * is read there is checked before it serves as an index.
 */
#include "libfc/count/user-filter.h"

#include "libfc/base/config.h"
#include "libfc/base/notice.h"
#include "libfc/base/sys.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/memfd.h"

#include <sys/mman.h>

#define WAIT_MAX_NS 20000000000
#define DELAY_FIRST_NS 20000
#define DELAY_MAX_NS 2000000

/* A module and its answer.  A slot with `end` 0 is free. */
struct FcFilteredModule
{
    uint64_t start; /* atomic, like the others: read without the lock */
    uint64_t end;   /* stored last, and set to 0 first */
    uint64_t base;
    uint64_t first;
    uint64_t count;
};

#define MODULES_PER_BLOCK 128u
struct Block
{
    struct Block *next;
    struct FcFilteredModule module[MODULES_PER_BLOCK];
};

static struct FcUserFilter *filter;
static struct Block blocks;

static bool is_mapped(long at)
{
    return at >= 0 || at < -4095;
}

static void map(int fd)
{
    long at =
        fc_sys(SYS_mmap, NULL, FC_USER_FILTER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    filter = is_mapped(at) ? (struct FcUserFilter *)at : NULL;
}

int fc_user_filter_make(void)
{
    if (fc_config.filter[0] == '\0')
        return -1;
    int fd = fc_memfd_make("fc-choices", FC_USER_FILTER_BYTES);
    if (fd >= 0)
        map(fd);
    if (!filter)
    {
        fc_notice("no memory for FC_FILTER, all functions are profiled");
        if (fd >= 0)
            fc_sys(SYS_close, fd);
        return -1;
    }
    filter->magic = FC_USER_FILTER_MAGIC;
    filter->version = FC_WIRE_VERSION;
    return fd;
}

void fc_user_filter_map(int fd)
{
    if (fc_memfd_bytes(fd) != FC_USER_FILTER_BYTES)
        return;
    map(fd);
    if (filter && (filter->magic != FC_USER_FILTER_MAGIC || filter->version != FC_WIRE_VERSION))
        fc_user_filter_unmap();
}

void fc_user_filter_unmap(void)
{
    if (filter)
        fc_unmap(filter, FC_USER_FILTER_BYTES);
    filter = NULL;
}

bool fc_user_filter_is_on(void)
{
    return filter && filter->is_on;
}

static void (*report_modules)(void);

void fc_user_filter_setup(void (*report)(void))
{
    report_modules = report;
}

void fc_user_filter_report_modules(void)
{
    report_modules();
}

/* ---- Modules ------------------------------------------------------------------------ */

uint32_t fc_user_filter_ask(void)
{
    if (!fc_user_filter_is_on())
        return 0;
    uint32_t number;
    do
        number = __atomic_add_fetch(&filter->next, 1, __ATOMIC_RELAXED);
    while (number == 0);
    return number;
}

/* A free slot; NULL: there is no memory for more. */
static struct FcFilteredModule *find_free(void)
{
    for (struct Block *block = &blocks;; block = block->next)
    {
        for (uint32_t i = 0; i < MODULES_PER_BLOCK; i++)
            if (block->module[i].end == 0)
                return &block->module[i];
        if (block->next)
            continue;
        struct Block *more = fc_map(sizeof *more);
        if (!more)
            return NULL;
        __atomic_store_n(&block->next, more, __ATOMIC_RELEASE);
    }
}

/* Polls, since there may be no shared memory for chunks with a futex to wait on.  Waits for
 * WAIT_MAX_NS at most.  False: no answer came. */
static bool wait_for(uint32_t number)
{
    const uint32_t at = number % FC_USER_FILTER_ANSWERS;
    struct timespec delay = {0, DELAY_FIRST_NS};
    for (uint64_t waited = 0; waited < WAIT_MAX_NS; waited += (uint64_t)delay.tv_nsec)
    {
        /* acquire: pairs with the manager's release */
        if (__atomic_load_n(&filter->answers[at].number, __ATOMIC_ACQUIRE) == number)
            return true;
        fc_sys(SYS_nanosleep, &delay, NULL);
        if (delay.tv_nsec < DELAY_MAX_NS)
            delay.tv_nsec *= 2;
        else if (!fc_channel_is_alive())
            return false;
    }
    return false;
}

struct FcFilteredModule *fc_user_filter_take(uint32_t number, const struct FcModuleInfo *info)
{
    struct FcFilteredModule *module = number != 0 ? find_free() : NULL;
    if (!module)
        return NULL;
    uint64_t first = 0;
    uint64_t count = 0;
    if (wait_for(number))
    {
        first = filter->answers[number % FC_USER_FILTER_ANSWERS].first;
        count = filter->answers[number % FC_USER_FILTER_ANSWERS].count;
    }
    __atomic_store_n(&module->start, info->start, __ATOMIC_RELAXED);
    __atomic_store_n(&module->base, info->base, __ATOMIC_RELAXED);
    __atomic_store_n(&module->first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&module->count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&module->end, info->end, __ATOMIC_RELEASE);
    return module;
}

void fc_user_filter_forget(struct FcFilteredModule *module)
{
    if (module)
        __atomic_store_n(&module->end, 0, __ATOMIC_RELEASE);
}

/* ---- Functions ---------------------------------------------------------------------- */

/* The action of the last of `count` ranges that starts at or below `address`.  `first` and
 * `count` may be of two modules, where one is replaced meanwhile. */
static uint32_t look_up(uint64_t first, uint64_t count, uint64_t address)
{
    if (first > FC_USER_FILTER_RANGES || count > FC_USER_FILTER_RANGES - first)
        return 0;
    const struct FcFilterRange *ranges = &filter->ranges[first];
    uint64_t low = 0;
    uint64_t high = count;
    while (low < high)
    {
        uint64_t middle = low + (high - low) / 2;
        if (ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? (uint32_t)ranges[low - 1].action : 0;
}

bool fc_user_filter_find(uint64_t function, uint32_t *action)
{
    for (struct Block *block = &blocks; block;
         block = __atomic_load_n(&block->next, __ATOMIC_ACQUIRE))
        for (uint32_t i = 0; i < MODULES_PER_BLOCK; i++)
        {
            const struct FcFilteredModule *module = &block->module[i];
            /* acquire: pairs with the release of `end` */
            uint64_t end = __atomic_load_n(&module->end, __ATOMIC_ACQUIRE);
            if (function >= end || function < __atomic_load_n(&module->start, __ATOMIC_RELAXED))
                continue;
            *action = look_up(__atomic_load_n(&module->first, __ATOMIC_RELAXED),
                              __atomic_load_n(&module->count, __ATOMIC_RELAXED),
                              function - __atomic_load_n(&module->base, __ATOMIC_RELAXED));
            return true;
        }
    return false;
}
