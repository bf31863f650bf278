/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See choice.h.  Other processes of the session can write to the memory of the answers: what is
 * read there is only compared, and never used as an address or a size unchecked.
 */
#include "libfc/count/choice.h"

#include "libfc/base/config.h"
#include "libfc/base/notice.h"
#include "libfc/base/sys.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/sealed.h"

#include <sys/mman.h>

#define WAIT_MAX_NS 20000000000
#define NAP_FIRST_NS 20000
#define NAP_MAX_NS 2000000

/* A module with its answer.  Those that are gone have `end` 0 and are used again. */
struct FcChosen
{
    uint64_t start; /* atomic, like all of them: read without the lock */
    uint64_t end;   /* stored last, and set to 0 first */
    uint64_t base;
    uint64_t first;
    uint64_t count;
};

#define CHOSEN_BLOCK 128u
struct Block
{
    struct Block *next;
    struct FcChosen chosen[CHOSEN_BLOCK];
};

static struct FcChoices *choices;
static struct Block blocks;

static bool is_mapped(long at)
{
    return at >= 0 || at < -4095;
}

static void map(int fd)
{
    long at = fc_sys(SYS_mmap, NULL, FC_CHOICES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    choices = is_mapped(at) ? (struct FcChoices *)at : NULL;
}

int fc_choice_make(void)
{
    if (fc_config.filter[0] == '\0')
        return -1;
    int fd = fc_sealed_make("fc-choices", FC_CHOICES_BYTES);
    if (fd >= 0)
        map(fd);
    if (!choices)
    {
        fc_notice("no memory for FC_FILTER, all functions are profiled");
        if (fd >= 0)
            fc_sys(SYS_close, fd);
        return -1;
    }
    choices->magic = FC_CHOICES_MAGIC;
    choices->version = FC_WIRE_VERSION;
    return fd;
}

void fc_choice_map(int fd)
{
    if (fc_sealed_bytes(fd) != FC_CHOICES_BYTES)
        return;
    map(fd);
    if (choices && (choices->magic != FC_CHOICES_MAGIC || choices->version != FC_WIRE_VERSION))
        fc_choice_unmap();
}

void fc_choice_unmap(void)
{
    if (choices)
        fc_unmap(choices, FC_CHOICES_BYTES);
    choices = NULL;
}

bool fc_choice_is_on(void)
{
    return choices && choices->is_on;
}

static void (*tell_modules)(void);

void fc_choice_setup(void (*tell)(void))
{
    tell_modules = tell;
}

void fc_choice_tell_modules(void)
{
    tell_modules();
}

/* ---- Modules ------------------------------------------------------------------------ */

uint32_t fc_choice_ask(void)
{
    if (!fc_choice_is_on())
        return 0;
    uint32_t number;
    do
        number = __atomic_add_fetch(&choices->next, 1, __ATOMIC_RELAXED);
    while (number == 0);
    return number;
}

/* NULL where there is none to be had. */
static struct FcChosen *find_free(void)
{
    for (struct Block *block = &blocks;; block = block->next)
    {
        for (uint32_t i = 0; i < CHOSEN_BLOCK; i++)
            if (block->chosen[i].end == 0)
                return &block->chosen[i];
        if (block->next)
            continue;
        struct Block *more = fc_map(sizeof *more);
        if (!more)
            return NULL;
        __atomic_store_n(&block->next, more, __ATOMIC_RELEASE);
    }
}

/* By looking again and again: without shared memory for chunks, too, and for short. */
static bool wait_for(uint32_t number)
{
    const uint32_t at = number % FC_CHOICES_ANSWERS;
    struct timespec nap = {0, NAP_FIRST_NS};
    for (uint64_t waited = 0; waited < WAIT_MAX_NS; waited += (uint64_t)nap.tv_nsec)
    {
        /* acquire: pairs with the manager's release */
        if (__atomic_load_n(&choices->answers[at].number, __ATOMIC_ACQUIRE) == number)
            return true;
        fc_sys(SYS_nanosleep, &nap, NULL);
        if (nap.tv_nsec < NAP_MAX_NS)
            nap.tv_nsec *= 2;
        else if (!fc_channel_is_alive())
            return false;
    }
    return false;
}

struct FcChosen *fc_choice_take(uint32_t number, const struct FcModuleInfo *info)
{
    struct FcChosen *chosen = number != 0 ? find_free() : NULL;
    if (!chosen)
        return NULL;
    uint64_t first = 0;
    uint64_t count = 0;
    if (wait_for(number))
    {
        first = choices->answers[number % FC_CHOICES_ANSWERS].first;
        count = choices->answers[number % FC_CHOICES_ANSWERS].count;
    }
    __atomic_store_n(&chosen->start, info->start, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen->base, info->base, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen->first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen->count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen->end, info->end, __ATOMIC_RELEASE);
    return chosen;
}

void fc_choice_forget(struct FcChosen *chosen)
{
    if (chosen)
        __atomic_store_n(&chosen->end, 0, __ATOMIC_RELEASE);
}

/* ---- Functions ---------------------------------------------------------------------- */

/* The last of `count` steps that is not above `address`.  Both may be of two modules, where one
 * takes the place of another meanwhile. */
static uint32_t look_up(uint64_t first, uint64_t count, uint64_t address)
{
    if (first > FC_CHOICES_STEPS || count > FC_CHOICES_STEPS - first)
        return 0;
    const struct FcStep *steps = &choices->steps[first];
    uint64_t low = 0;
    uint64_t high = count;
    while (low < high)
    {
        uint64_t middle = low + (high - low) / 2;
        if (steps[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? (uint32_t)steps[low - 1].choice : 0;
}

bool fc_choice_find(uint64_t function, uint32_t *choice)
{
    for (struct Block *block = &blocks; block;
         block = __atomic_load_n(&block->next, __ATOMIC_ACQUIRE))
        for (uint32_t i = 0; i < CHOSEN_BLOCK; i++)
        {
            const struct FcChosen *chosen = &block->chosen[i];
            /* acquire: pairs with the release of `end` */
            uint64_t end = __atomic_load_n(&chosen->end, __ATOMIC_ACQUIRE);
            if (function >= end || function < __atomic_load_n(&chosen->start, __ATOMIC_RELAXED))
                continue;
            *choice = look_up(__atomic_load_n(&chosen->first, __ATOMIC_RELAXED),
                              __atomic_load_n(&chosen->count, __ATOMIC_RELAXED),
                              function - __atomic_load_n(&chosen->base, __ATOMIC_RELAXED));
            return true;
        }
    return false;
}
