/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See detail.h.  The rule: a function is counted if its calls take less than SHORT_NS on average,
 * without the overhead of recording what they call.  If more than half of a function's calls are
 * within another call of it, and these are short, only these are counted at first.  All of its
 * calls are counted after many outermost ones that were short, too.
 *
 * While the records do not show clearly what is open, no function begins to be counted, and
 * recording goes on.
 */
#include "libfc/count/detail.h"

#include "libfc/base/clock.h"
#include "libfc/base/nested.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/count/activations.h"

#include <string.h>

#if defined(FC_TEST_EAGER)
#define SHORT_NS 1000000
#else
#define SHORT_NS 400
#endif
/* Taken off a caller for each recorded call that it made, before it is compared with SHORT_NS.
 * Both decide which functions are counted, and are part of no time. */
#define RECORDED_NS 40

/* How many first chunks of a thread are all judged.  After them one in CHUNKS_EACH is. */
#define FIRST_CHUNKS 16
#define CHUNKS_EACH 8

#if defined(FC_TEST_EAGER)
#define CALLS_MIN 4
#define OUTERMOST_MIN 2
#define OUTERMOST_MANY 3
#else
#define CALLS_MIN 64       /* calls that must have ended before a function is judged, */
#define OUTERMOST_MIN 16   /* how many of them must not be nested, */
#define OUTERMOST_MANY 256 /* the same, once its nested calls are counted */
#endif
#define CALLS_MANY 20000u /* after this many calls, older ones count half */

static bool is_on;
static uint64_t start_ticks;
static uint64_t start_ns;
/* Atomic: several threads may measure at the same time, and each result is as good. */
static uint64_t cost_ticks; /* the overhead of a recorded call; 0: not known yet */
static uint64_t short_ticks;
static uint64_t ticks_per_1024_ns = 1024;

static inline uint64_t figure(const uint64_t *which)
{
    /* relaxed: own() acquired them */
    return __atomic_load_n(which, __ATOMIC_RELAXED);
}

/* Reads both clocks at the same time.  The thread may be preempted in between, for longer than
 * what is being measured. */
static void read_clocks(uint64_t *ticks, uint64_t *ns)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 4; i++)
    {
        const uint64_t before = fc_clock_peek();
        const uint64_t there = fc_clock_monotonic_ns();
        const uint64_t after = fc_clock_peek();
        if (after - before >= least)
            continue;
        least = after - before;
        *ticks = before;
        *ns = there;
    }
}

void fc_detail_setup(bool on)
{
    is_on = on;
    read_clocks(&start_ticks, &start_ns);
}

#if defined(FC_TEST_CLOCK)
/* Each reading advances this clock by 1000: a call of a function that calls nothing takes one
 * reading, recording it takes two. */
static void measure(void)
{
    __atomic_store_n(&short_ticks, 1500, __ATOMIC_RELAXED);
    __atomic_store_n(&cost_ticks, 2000, __ATOMIC_RELEASE);
}
#else
/* The time since the start gives the length of a tick.  Reading a slow clock takes longer than
 * the rest of a record. */
static void measure(void)
{
    uint64_t per_1024_ns = 1024;
    uint64_t reading = 0;
    if (fc_clock_is_fast())
    {
        uint64_t ticks = start_ticks;
        uint64_t ns = start_ns;
        read_clocks(&ticks, &ns);
        per_1024_ns = (ticks - start_ticks) * 1024 / (ns - start_ns + 1);
    }
    else
        for (int i = 0; i < 16; i++)
        {
            uint64_t before = fc_clock_read_slow();
            uint64_t took = fc_clock_read_slow() - before;
            reading = reading == 0 || took < reading ? took : reading;
        }
    __atomic_store_n(&ticks_per_1024_ns, per_1024_ns, __ATOMIC_RELAXED);
    __atomic_store_n(&short_ticks, SHORT_NS * per_1024_ns / 1024, __ATOMIC_RELAXED);
    __atomic_store_n(&cost_ticks, (RECORDED_NS + 2 * reading) * per_1024_ns / 1024 + 1,
                     __ATOMIC_RELEASE);
}
#endif

static struct FcDetail *own(void)
{
    if (!is_on || fc_thread.has_ended)
        return NULL;
    /* acquire: pairs with the release in measure */
    if (__atomic_load_n(&cost_ticks, __ATOMIC_ACQUIRE) == 0)
        measure();
    if (!fc_thread.detail)
        fc_thread.detail = fc_detail_new();
    return fc_thread.detail;
}

/* ---- One record -------------------------------------------------------------------- */

static bool is_sample(uint64_t function)
{
    return (function >> FC_COUNT_RECORD_SHIFT & FC_COUNT_RECORD_MASK) == FC_COUNT_SAMPLE;
}

static void scan_record(struct FcDetail *detail, const struct FcRecord *record)
{
    enum FcRecordKind kind = record->where & FC_WHERE_KIND_MASK;
    uint64_t address = fc_detail_address_in(record);
    uint64_t after_inlining = record->function & FC_FUNCTION_AFTER_INLINING;
    uint64_t function = record->function ^ after_inlining;
    bool opens_sample = kind == FC_RECORD_COUNT && is_sample(function);
    if (kind == FC_RECORD_OFF)
        fc_own_time_take_off(&detail->own_time, record, figure(&ticks_per_1024_ns));
    if (kind != FC_RECORD_ENTER && kind != FC_RECORD_EXIT && kind != FC_RECORD_SWITCH &&
        kind != FC_RECORD_JUMP && !opens_sample)
        return;
    if (!fc_thread_is_on_own_stack(address))
    {
        /* A handler on a stack of its own returns, but a coroutine goes on at any time. */
        detail->has_lost_track |= kind == FC_RECORD_SWITCH || !fc_thread.has_signal_stack;
        return;
    }
    if (fc_unlikely(detail->beyond != 0) && kind != FC_RECORD_SWITCH &&
        !fc_detail_find_track(detail, record))
        return;
    if (kind == FC_RECORD_ENTER)
        fc_detail_enter(detail, record, record->function,
                        detail->is_judged && function >> FC_COUNT_RECORD_SHIFT == 0);
    else if (opens_sample)
        fc_detail_enter(detail, record, (function & FC_POINTER_MASK) | after_inlining, false);
    else if (kind == FC_RECORD_EXIT)
        fc_detail_leave(detail, record, figure(&cost_ticks));
    else if (kind == FC_RECORD_JUMP)
        fc_detail_cut(detail, address);
    else if (kind == FC_RECORD_SWITCH)
        detail->has_lost_track = true;
}

/* ---- The rule ---------------------------------------------------------------------- */

static void halve(struct FcStatistics *statistics)
{
    statistics->enters /= 2;
    statistics->ended /= 2;
    statistics->nested /= 2;
    statistics->outermost /= 2;
    statistics->inclusive /= 2;
    statistics->exclusive /= 2;
}

static void decide(struct FcDetail *detail, struct FcStatistics *statistics, bool is_nested)
{
    detail->decisions[detail->decision_count++] =
        (struct FcDecision){statistics->function, is_nested};
    *statistics = (struct FcStatistics){
        .function = statistics->function, .is_decided = !is_nested, .is_nest = is_nested};
}

static void judge(struct FcDetail *detail, struct FcStatistics *statistics)
{
    uint64_t limit = figure(&short_ticks);
    if (statistics->is_decided || statistics->ended < CALLS_MIN ||
        detail->decision_count == FC_DECISIONS_MAX)
        return;
    const uint32_t least = statistics->is_nest ? OUTERMOST_MANY : OUTERMOST_MIN;
    bool is_short = statistics->outermost >= least &&
                    statistics->inclusive < limit * statistics->outermost &&
                    (uint64_t)statistics->ended * 10 > (uint64_t)statistics->enters * 9;
    bool is_recursive = statistics->nested > statistics->ended / 16;
    bool is_nest = statistics->nested > statistics->ended / 2 &&
                   statistics->exclusive < limit * statistics->ended;
    if (is_short || (is_nest && !statistics->is_nest))
        decide(detail, statistics, is_recursive && !statistics->is_nest);
    else if (statistics->ended > CALLS_MANY)
        halve(statistics);
}

/* ---- Chunks ------------------------------------------------------------------------ */

static bool opens_frame(const struct FcRecord *record)
{
    const enum FcRecordKind kind = record->where & FC_WHERE_KIND_MASK;
    return kind == FC_RECORD_ENTER || (kind == FC_RECORD_COUNT && is_sample(record->function));
}

/* Whether the two records, an entry and an exit in a row, are a whole call, after which what is
 * open is the same as before.  Such calls are skipped.  That leaves their recording overhead in the
 * caller's time, so the caller may begin to be counted later. */
static bool is_whole_call(const struct FcChunk *chunk, const struct FcRecord *entry,
                          const struct FcRecord *exit)
{
    const uint64_t mask = FC_POINTER_MASK | FC_FUNCTION_AFTER_INLINING;
    return (exit->where & FC_WHERE_KIND_MASK) == FC_RECORD_EXIT && opens_frame(entry) &&
           (exit->function & mask) == (entry->function & mask) &&
           entry->site >> FC_SITE_GENERATION_SHIFT == chunk->generation &&
           exit->site >> FC_SITE_GENERATION_SHIFT == chunk->generation &&
           fc_thread_is_on_own_stack(fc_detail_address_in(entry)) &&
           fc_thread_is_on_own_stack(fc_detail_address_in(exit));
}

static void scan_units(struct FcDetail *detail, const struct FcChunk *chunk, uint32_t from,
                       uint32_t to)
{
    const bool is_brief = !detail->is_judged;
    for (uint32_t i = from / FC_RECORD_UNITS; i < to / FC_RECORD_UNITS; i++)
    {
        const struct FcRecord *entry = &chunk->records[i];
        if (is_brief && detail->own_time.owed == 0 && i + 1 < to / FC_RECORD_UNITS &&
            is_whole_call(chunk, entry, entry + 1))
        {
            if (fc_likely(detail->beyond == 0) || fc_detail_find_track(detail, entry))
                fc_detail_cut(detail, fc_detail_address_in(entry));
            if (entry[1].time > detail->own_time.seen)
                detail->own_time.seen = entry[1].time;
            i++;
            continue;
        }
        struct FcRecord record = chunk->records[i];
        /* A hook that a handler interrupted has yet to fill this record: an entry or an exit. */
        if (record.site >> FC_SITE_GENERATION_SHIFT != chunk->generation)
            fc_detail_lose_track(detail);
        else
            scan_record(detail, &record);
    }
}

static void begin_judging(struct FcDetail *detail)
{
    for (uint32_t i = 0; i < detail->open_count; i++)
    {
        struct FcOpen *open = &detail->open[i];
        if ((open->function & ~FC_FUNCTION_AFTER_INLINING) >> FC_COUNT_RECORD_SHIFT == 0)
            open->statistics = fc_detail_find(detail, open->function);
        struct FcStatistics *statistics = fc_detail_statistics_of(detail, open);
        if (statistics)
            statistics->open++;
    }
}

static void end_judging(struct FcDetail *detail)
{
    for (uint32_t i = 0; i < detail->open_count; i++)
    {
        struct FcOpen *open = &detail->open[i];
        if (open->statistics != 0)
            fc_detail_statistics_of(detail, open)->open--;
        open->statistics = 0;
    }
    for (uint32_t i = 0; i < detail->statistics_count; i++)
        judge(detail, &detail->statistics[detail->used[i]]);
}

void fc_detail_scan(const struct FcChunk *chunk, uint32_t from, uint32_t to)
{
    struct FcDetail *detail = own();
    if (!detail || detail->has_lost_track)
        return;
    if (detail->scanned_units > from)
        from = detail->scanned_units;
    detail->scanned_units = 0;
    detail->is_judged = detail->chunks < FIRST_CHUNKS || detail->chunks % CHUNKS_EACH == 0;
    detail->chunks++;
    if (detail->is_judged)
        begin_judging(detail);
    scan_units(detail, chunk, from, to);
    if (detail->is_judged)
        end_judging(detail);
    detail->is_judged = false;
    if (detail->has_lost_track)
        detail->decision_count = 0;
}

bool fc_detail_scan_rest(const struct FcChunk *chunk, uint32_t to)
{
    struct FcDetail *detail = own();
    if (!detail || detail->has_lost_track)
        return false;
    scan_units(detail, chunk, detail->scanned_units, to);
    detail->scanned_units = to;
    return !detail->has_lost_track && detail->beyond == 0;
}

uint32_t fc_detail_take(const struct FcDecision **decisions)
{
    struct FcDetail *detail = fc_thread.detail;
    if (!detail)
        return 0;
    uint32_t count = detail->decision_count;
    *decisions = detail->decisions;
    detail->decision_count = 0;
    return count;
}

void fc_detail_put_back(uint32_t count)
{
    if (!fc_thread.detail->has_lost_track)
        fc_thread.detail->decision_count = count;
}

const struct FcOpen *fc_detail_get_open(uint32_t *count)
{
    *count = fc_thread.detail ? fc_thread.detail->open_count : 0;
    return fc_thread.detail ? fc_thread.detail->open : NULL;
}

const struct FcOpen *fc_detail_take_outermost(uint64_t function, struct FcNested *nested)
{
    struct FcDetail *detail = fc_thread.detail;
    const struct FcOpen *found = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < detail->open_count; i++)
    {
        const struct FcOpen *open = &detail->open[i];
        if (open->function == function && found)
        {
            fc_nested_add(nested, found->site, fc_detail_address_of(found), open->site,
                          fc_detail_address_of(open));
            continue;
        }
        detail->open[kept] = *open;
        if (open->function == function)
            found = &detail->open[kept];
        kept++;
    }
    detail->open_count = kept;
    return found;
}

void fc_detail_end(void)
{
    struct FcDetail *detail = fc_thread.detail;
    if (!detail)
        return;
    fc_detail_free(detail);
    fc_thread.detail = NULL;
}

void fc_detail_after_fork(bool is_seen)
{
    struct FcDetail *detail = fc_thread.detail;
    if (!detail)
        return;
    memset(detail->statistics, 0, detail->statistics_room * sizeof *detail->statistics);
    detail->statistics_count = 0;
    detail->decision_count = 0;
    detail->scanned_units = 0;
    detail->chunks = 0;
    detail->own_time.is_known = false; /* the child's thread is a thread of its own */
    detail->own_time.owed = 0;
    detail->has_lost_track |= !is_seen;
}
