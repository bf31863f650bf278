/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sites by which libfc's hooks make short records: which records are short, what is given a
 * name and where it is told, and what a fork leaves of that.  Chunks and pipe are stand-ins.
 */
#include "libfc/base/signals.h"
#include "libfc/stream/call-sites.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/count/depth.h"
#include "libfc/count/user-filter.h"
#include "libfc/stream/channel.h"
#include "tests/unit/aligned.h"
#include "tests/unit/asan.h"

#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GENERATION (FC_GENERATION_LONG | 5u)
#define STACK_END UINT64_C(0x7fff00000000)
#define PLACE (STACK_END - 0x100)
#define CODE UINT64_C(0x555555554000)
#define NOW UINT64_C(1000000)

enum FcTimeMode fc_clock_mode = FC_TIME_TSC;
struct FcConfig fc_config = {.detail = FC_DETAIL_ALL};

static struct FcChunk *chunk;
static guint slow; /* so often the slow path was asked */
static struct FcCallSite told[FC_CALL_SITES_SLOTS];
static gsize told_count;
static guint messages;

void fc_deferred_flush(void)
{
}

void fc_record_slow(uint64_t time, void *function, void *site, uint64_t where)
{
    (void)time;
    (void)function;
    (void)site;
    (void)where;
    slow++;
}

bool fc_channel_send(struct FcMessage *message, const void *payload, size_t bytes)
{
    g_assert_cmpuint(message->type, ==, FC_MSG_CALL_SITES);
    g_assert_cmphex(message->value, ==, STACK_END - (UINT64_C(1) << 32));
    g_assert_cmpuint(bytes, <=, sizeof told);
    g_assert_cmpuint(told_count + bytes / sizeof *told, <=, FC_CALL_SITES_SLOTS);
    if (bytes > 0)
        memcpy(told + told_count, payload, bytes);
    told_count += bytes / sizeof *told;
    messages++;
    return true;
}

bool fc_user_filter_is_on(void)
{
    return false;
}

bool fc_depth_is_on(void)
{
    return false;
}

static guint units_taken(void)
{
    return FC_CURSOR_UNITS(fc_thread.cursor);
}

/* A thread in its second chunk, an empty one. */
static void start(void)
{
    chunk = aligned_new0(FC_CHUNK_BYTES, FC_CHUNK_BYTES);
    fc_thread = (struct FcThread){.cursor = FC_CURSOR(chunk, GENERATION, 0),
                                  .number = 1,
                                  .sequence = 2,
                                  .own_stack = {STACK_END - (8u << 20), STACK_END}};
    slow = messages = 0;
    told_count = 0;
    fc_call_sites_begin(NOW, true);
    g_assert_nonnull(fc_thread.call_sites);
    g_assert_cmpuint(messages, ==, 1);
    g_assert_cmpuint(told_count, ==, 0);
}

static void stop(void)
{
    fc_call_sites_end();
    g_assert_null(fc_thread.call_sites);
    free(chunk);
}

/* As the hook does. */
static void record(const struct FcHookCall *call, guint64 return_bits)
{
    struct FcCallSites *sites = fc_thread.call_sites;
    const struct FcSiteSlot *slot = fc_call_sites_find(sites, call);
    uint64_t generation;
    struct FcUnit *unit = slot ? fc_record_take(1, &generation) : NULL;
    if (unit)
        fc_call_sites_store(unit, generation, sites, slot, call,
                            return_bits << FC_WHERE_RETURN_SHIFT);
    else
        fc_call_sites_record(fc_clock_join(call->time), (void *)(uintptr_t)call->function,
                             (void *)(uintptr_t)call->site,
                             call->stack_address | call->kind |
                                 return_bits << FC_WHERE_RETURN_SHIFT);
}

/* How many units its record took. */
static guint make_at(enum FcRecordKind kind, guint64 time, guint64 function, guint64 site,
                     guint64 place)
{
    const guint before = units_taken();
    const struct FcHookCall call = {.time = fc_clock_split(time),
                                    .function = function,
                                    .site = site,
                                    .stack_address = place,
                                    .kind = kind};
    record(&call, 0xabcd);
    return units_taken() - before;
}

static guint make(enum FcRecordKind kind, guint64 time, guint64 function, guint64 site)
{
    return make_at(kind, time, function, site, PLACE);
}

static void test_records(void)
{
    start();
    g_assert_cmpuint(make(FC_RECORD_ENTER, NOW + 1, CODE, CODE + 0x77), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make(FC_RECORD_EXIT, NOW + 2, CODE, CODE + 0x77), ==, 1);
    const struct FcRecord *entry = &chunk->records[0];
    g_assert_cmphex(entry->function, ==, CODE | UINT64_C(1) << FC_SITE_NUMBER_SHIFT);
    g_assert_cmphex(entry->site, ==, (CODE + 0x77) | (guint64)GENERATION << 48);
    g_assert_cmpuint(entry->time, ==, NOW + 1);
    const struct FcUnit *exit = &chunk->units[2];
    g_assert_cmpuint(fc_record_units(exit, GENERATION), ==, 1);
    g_assert_cmphex(exit->first, ==,
                    ((PLACE - fc_thread.call_sites->low) & G_MAXUINT32) << FC_SHORT_ADDRESS_SHIFT |
                        FC_SHORT_EXIT | UINT64_C(1) << FC_SHORT_SITE_SHIFT |
                        UINT64_C(0xabcd) << FC_WHERE_RETURN_SHIFT);
    g_assert_cmphex(exit->last, ==, (NOW + 2) | (guint64)FC_GENERATION_OF_SHORT(GENERATION) << 48);
    /* another call site is another slot, and so is another function */
    g_assert_cmpuint(make(FC_RECORD_ENTER, NOW + 3, CODE, CODE + 0x99), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make(FC_RECORD_ENTER, NOW + 4, CODE + 0x40, CODE + 0x99), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make(FC_RECORD_ENTER, NOW + 5, CODE, CODE + 0x99), ==, 1);
    stop();
}

/* What a short record can't tell: a place far away, a time long after. */
static void test_reach(void)
{
    start();
    const guint64 late = UINT64_C(1) << 32;
    make(FC_RECORD_ENTER, NOW, CODE, CODE);
    g_assert_cmpuint(make_at(FC_RECORD_EXIT, NOW, CODE, CODE, STACK_END - 16), ==, 1);
    g_assert_cmpuint(make_at(FC_RECORD_EXIT, NOW, CODE, CODE, STACK_END), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make_at(FC_RECORD_EXIT, NOW, CODE, CODE, STACK_END - (UINT64_C(1) << 32) - 16),
                     ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make(FC_RECORD_EXIT, late - 1, CODE, CODE), ==, 1);
    g_assert_cmpuint(make(FC_RECORD_EXIT, late, CODE, CODE), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make(FC_RECORD_EXIT, late + 1, CODE, CODE), ==, 1); /* that long one is near */
    g_assert_cmpuint(make(FC_RECORD_EXIT, late - 1, CODE, CODE), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(fc_thread.call_sites->count, ==, 1);
    stop();
}

/* A full chunk: the slow path has the record. */
static void test_full_chunk(void)
{
    start();
    make(FC_RECORD_ENTER, NOW, CODE, CODE);
    fc_thread.cursor += (FC_UNITS - 1 - units_taken()) * sizeof(struct FcUnit);
    g_assert_cmpuint(make(FC_RECORD_EXIT, NOW, CODE, CODE), ==, 1);
    g_assert_cmpuint(slow, ==, 0);
    make(FC_RECORD_EXIT, NOW, CODE, CODE);
    g_assert_cmpuint(slow, ==, 1);
    make(FC_RECORD_ENTER, NOW, CODE + 0x40, CODE);
    g_assert_cmpuint(slow, ==, 2);
    g_assert_cmpuint(fc_thread.call_sites->count, ==, 1); /* what is not told is no name */
    stop();
}

/* More slots than there are places, each called twice: what has a name keeps it. */
static void test_many(void)
{
    start();
    guint named = 0;
    for (guint round = 0; round < 3; round++)
        for (guint i = 0; i < 2 * FC_CALL_SITES_SLOTS; i++)
        {
            fc_thread.cursor &= ~UINT64_C(0xffff);
            const guint units = make(FC_RECORD_ENTER, NOW, CODE + 16 * i, CODE + 5 * i);
            const guint64 name =
                units == 1 ? chunk->units[0].first >> FC_SHORT_SITE_SHIFT & FC_SITE_NUMBER_MASK
                           : chunk->records[0].function >> FC_SITE_NUMBER_SHIFT;
            if (round == 0)
                named += name != 0;
            g_assert_cmpuint(units, ==, round > 0 && name != 0 ? 1 : FC_RECORD_UNITS);
        }
    g_assert_cmpuint(named, ==, fc_thread.call_sites->count);
    g_assert_cmpuint(named, >, MIN(FC_CALL_SITES_SLOTS * 9 / 10, FC_SITE_NUMBERS_MAX - 1));
    g_assert_cmpuint(named, <=, FC_SITE_NUMBERS_MAX);
    stop();
}

/* Of as many slots as a program of some size has, wherever they lie, each has a name: the one that
 * had none might be of most of the calls. */
static void test_all_named(void)
{
    for (guint32 seed = 0; seed < 40; seed++)
    {
        GRand *random = g_rand_new_with_seed(seed);
        start();
        for (guint i = 0; i < FC_CALL_SITES_SLOTS / 5; i++)
        {
            const guint64 function = CODE + 16 * (guint64)g_rand_int_range(random, 0, 1 << 16);
            const guint64 site = CODE + (guint64)g_rand_int_range(random, 0, 1 << 20);
            fc_thread.cursor &= ~UINT64_C(0xffff);
            make(FC_RECORD_ENTER, NOW, function, site);
            fc_thread.cursor &= ~UINT64_C(0xffff);
            g_assert_cmpuint(make(FC_RECORD_EXIT, NOW, function, site), ==, 1);
        }
        stop();
        g_rand_free(random);
    }
}

/* The child goes on with the parent's sites, of which it tells; but for what was just being given
 * when a handler forked. */
static void test_fork(void)
{
    start();
    make(FC_RECORD_ENTER, NOW, CODE, CODE + 7);
    make(FC_RECORD_ENTER, NOW, CODE + 0x40, CODE + 7);
    struct FcSiteSlot *half = fc_call_sites_slot(fc_thread.call_sites, CODE + 0x80, CODE + 7);
    half->function = 1; /* as take_place leaves it */
    half->site = CODE + 7;
    half->number = UINT64_C(3) << FC_SHORT_SITE_SHIFT;
    fc_thread.call_sites->count = 3;
    fc_call_sites_after_fork();
    g_assert_cmpuint(messages, ==, 1 + 2);
    g_assert_cmpuint(told_count, ==, 2);
    guint64 sum = 0;
    for (gsize i = 0; i < told_count; i++)
    {
        g_assert_cmphex(told[i].site & FC_SITE_ADDRESS_MASK, ==, CODE + 7);
        sum += told[i].site >> FC_SITE_NUMBER_SHIFT;
    }
    g_assert_cmpuint(sum, ==, 1 + 2);
    g_assert_cmpuint(half->function, ==, 2); /* whoever took it can't publish it any more */
    g_assert_cmpuint(make(FC_RECORD_EXIT, NOW, CODE, CODE + 7), ==, 1);
    g_assert_cmpuint(make(FC_RECORD_ENTER, NOW, CODE + 0x80, CODE + 7), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make(FC_RECORD_EXIT, NOW, CODE + 0x80, CODE + 7), ==, 1);
    g_assert_cmpuint(fc_thread.call_sites->count, ==, 4);
    stop();
}

#if defined(__x86_64__)
/* ---- A fork between any two instructions ------------------------------------------------- */

#define PAIRS 8u

static guint steps;         /* of the hook that is looked at */
static guint fork_at;       /* that handler forks */
static pid_t child;         /* 0: in it */
static int go_on[2];        /* the child waits for its parent's end of the hook */
static struct FcChunk *own; /* chunks: the parent's, which is in shared memory, and the child's */

/* What is told of a slot are its number, in place of a return address. */
static void make_pair(enum FcRecordKind kind, guint slot)
{
    const struct FcHookCall call = {.time = fc_clock_split(NOW),
                                    .function = CODE + 0x40 * (guint64)slot,
                                    .site = CODE + 7,
                                    .stack_address = PLACE,
                                    .kind = kind};
    record(&call, slot);
}

static void set_chunk(struct FcChunk *to)
{
    fc_thread.cursor = FC_CURSOR(to, GENERATION, 0);
}

/* All that the thread recorded means what the hooks meant, given the sites that were told.  How
 * many records there are. */
static guint check_meaning(const struct FcChunk *records, const struct FcCallSite *sites,
                           gsize count)
{
    guint meant[FC_SITE_NUMBERS_MAX + 1] = {0}; /* slot + 1 */
    guint found = 0;
    for (gsize i = 0; i < count; i++)
        meant[sites[i].site >> FC_SITE_NUMBER_SHIFT] =
            (guint)((sites[i].function - CODE) / 0x40) + 1;
    for (guint32 at = 0, units; at < FC_UNITS; at += units)
    {
        const struct FcUnit *unit = &records->units[at];
        units = fc_record_units(unit, GENERATION);
        if (units == 0)
            break;
        const guint slot = (guint)(unit->first >> FC_WHERE_RETURN_SHIFT);
        if (units == 1)
            g_assert_cmpuint(meant[unit->first >> FC_SHORT_SITE_SHIFT & FC_SITE_NUMBER_MASK], ==,
                             slot + 1);
        else if (unit[1].first >> FC_SITE_NUMBER_SHIFT != 0)
        {
            g_assert_cmpuint(meant[unit[1].first >> FC_SITE_NUMBER_SHIFT], ==, 0);
            meant[unit[1].first >> FC_SITE_NUMBER_SHIFT] = slot + 1;
        }
        found++;
    }
    return found;
}

/* The child goes its own way at once, as it does where the handler calls anything, but goes on in
 * the hook when the parent has left it. */
static void handle_step(int signal)
{
    char byte;
    (void)signal;
    if (child == 0 || steps++ != fork_at)
        return;
    child = fork();
    if (child == 0)
    {
        g_assert_cmpint(read(go_on[0], &byte, 1), ==, 1);
        own = aligned_new0(FC_CHUNK_BYTES, FC_CHUNK_BYTES);
        set_chunk(own);
        fc_call_sites_after_fork();
    }
    for (guint slot = 1; slot < 4; slot++)
        make_pair(FC_RECORD_ENTER, child == 0 ? 4 - slot : slot);
}

#define TRAP_EACH_STEP(change)                                                                     \
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n pushfq\n " change " $0x100, (%%rsp)\n popfq\n"     \
                     "leaq 128(%%rsp), %%rsp" ::                                                   \
                         : "memory", "cc")

static void take_steps(void)
{
    TRAP_EACH_STEP("xorq");
    make_pair(FC_RECORD_ENTER, 0);
    TRAP_EACH_STEP("xorq");
    for (guint slot = 0; slot < PAIRS; slot++)
        make_pair(FC_RECORD_EXIT, slot);
}

/* False where the hook has fewer steps. */
static gboolean fork_in_hook(guint step, struct FcChunk *shared)
{
    steps = 0;
    fork_at = step;
    child = -1;
    start();
    memset(shared, 0, FC_CHUNK_BYTES);
    set_chunk(shared);
    g_assert_cmpint(pipe(go_on), ==, 0);
    take_steps();
    if (child == 0)
    {
        check_meaning(own, told, told_count);
        _exit(0);
    }
    if (child > 0)
    {
        int status;
        g_assert_cmpint(write(go_on[1], "", 1), ==, 1);
        g_assert_cmpint(waitpid(child, &status, 0), ==, child);
        g_assert_cmpint(status, ==, 0);
        g_assert_cmpuint(check_meaning(shared, NULL, 0), ==, 1 + 3 + PAIRS);
    }
    close(go_on[0]);
    close(go_on[1]);
    stop();
    return child > 0;
}

/* Parent and child, which both write the interrupted hook's record to where the parent took room
 * for it, agree on what it says. */
static void test_fork_anywhere(void)
{
    char *mapped =
        mmap(NULL, 2 * FC_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_assert_true(mapped != MAP_FAILED);
    struct FcChunk *shared =
        (struct FcChunk *)(((uintptr_t)mapped + FC_CHUNK_BYTES - 1) & -(uintptr_t)FC_CHUNK_BYTES);
    const struct sigaction trap = {.sa_handler = handle_step};
    g_assert_cmpint(sigaction(SIGTRAP, &trap, NULL), ==, 0);
    guint step = 0;
    while (fork_in_hook(step, shared))
        step += FIXTURE_ASAN ? 23 : 1;
    g_assert_cmpuint(step, >, 20);
    signal(SIGTRAP, SIG_DFL);
    munmap(mapped, 2 * FC_CHUNK_BYTES);
}
#endif

/* A hook that is called by hand may be told nothing at all: no free place is its name. */
static void test_null(void)
{
    start();
    g_assert_cmpuint(make(FC_RECORD_ENTER, NOW, 0, 0), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(make(FC_RECORD_EXIT, NOW, 0, 0), ==, FC_RECORD_UNITS);
    g_assert_cmpuint(fc_thread.call_sites->count, ==, 0);
    stop();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sites/records", test_records);
    g_test_add_func("/sites/reach", test_reach);
    g_test_add_func("/sites/full-chunk", test_full_chunk);
    g_test_add_func("/sites/many", test_many);
    g_test_add_func("/sites/all-named", test_all_named);
    g_test_add_func("/sites/fork", test_fork);
    g_test_add_func("/sites/null", test_null);
#if defined(__x86_64__)
    g_test_add_func("/sites/fork-anywhere", test_fork_anywhere);
#endif
    return g_test_run();
}
