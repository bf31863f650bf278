/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libfc's records of memory without interposition: what they hold, where they go, and in what
 * order; and the table of blocks from before the start.  The pool of chunks is a stand-in.
 */
#include "libfc/base/clock.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/thread.h"
#include "libfc/hooks/deferred.h"
#include "libfc/memory/alloc.h"
#include "libfc/memory/early.h"
#include "libfc/memory/unwind.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"
#include "tests/unit/aligned.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#define GENERATION 9u

enum FcTimeMode fc_clock_mode = FC_TIME_TSC;
bool fc_unwind_is_on;
const struct FcMark fc_mark;
const struct FcMark *fc_mark_sought = &fc_mark;
intptr_t fc_switches_offset; /* of a word that is not the mark: it was off the CPU */

static struct FcRecord passed; /* to the slow path, */
static guint slow;             /* so often */
static struct FcRecord late;
static guint lates;
static guint sent; /* private buffers */
static guint64 looked_at;
static gboolean is_nested;

void fc_deferred_flush(void)
{
}

void fc_deferred_record(uint64_t time, void *function, void *site, uint64_t where)
{
    fc_record_slow(time, function, site, where);
}

uint64_t fc_clock_read_slow(void)
{
    return 12345;
}

void fc_record_slow(uint64_t time, void *function, void *site, uint64_t where)
{
    passed = (struct FcRecord){where, time, (uintptr_t)function, (uintptr_t)site};
    slow++;
}

void fc_switches_check(uint64_t time)
{
    looked_at = time;
}

void fc_chunks_flush_private(void)
{
    sent++;
}

bool fc_state_is_off(void)
{
    return false;
}

bool fc_channel_send(struct FcMessage *message, const void *payload, size_t bytes)
{
    g_assert_cmpuint(message->type, ==, FC_MSG_MEMORY);
    g_assert_cmpuint(bytes, ==, sizeof late);
    memcpy(&late, payload, bytes);
    lates++;
    return true;
}

bool fc_unwind_record(const void *caller)
{
    (void)caller;
    return !is_nested;
}

/* A chunk as the pool has them: below 2^48 and aligned to its size. */
static struct FcChunk *start_chunk(guint slots_taken)
{
    struct FcChunk *chunk = aligned_new0(FC_CHUNK_BYTES, FC_CHUNK_BYTES);
    fc_thread = (struct FcThread){.cursor = FC_CURSOR(chunk, GENERATION, slots_taken)};
    slow = lates = sent = 0;
    return chunk;
}

static void record(enum FcRecordKind kind, enum FcMemoryCall call, guint64 pointer, size_t bytes)
{
    fc_alloc_record(kind, call, (void *)(uintptr_t)pointer, bytes, (void *)0x5500001234u,
                    (void *)0x7ffe12345670u);
}

static void test_fields(void)
{
    struct FcChunk *chunk = start_chunk(0);
    uint64_t before = fc_clock_now();
    errno = 55;
    record(FC_RECORD_ALLOCATED, FC_CALL_CALLOC, 0x7f1234567890u, 4711);
    record(FC_RECORD_FREE, FC_CALL_FREE, 0x7f1234567890u, 0);
    g_assert_cmpint(errno, ==, 55);
    const struct FcRecord *first = &chunk->records[0];
    g_assert_cmphex(first->function & FC_POINTER_MASK, ==, 0x7f1234567890u);
    g_assert_cmpuint(first->function >> FC_POINTER_CALL_SHIFT, ==, FC_CALL_CALLOC);
    g_assert_cmpuint(first->where & FC_WHERE_KIND_MASK, ==, FC_RECORD_ALLOCATED);
    g_assert_cmphex(first->where & FC_MEMORY_STACK_MASK, ==, 0x345670u);
    g_assert_cmpuint(first->where >> FC_MEMORY_SIZE_SHIFT, ==, 4711);
    g_assert_cmphex(first->site & FC_SITE_ADDRESS_MASK, ==, 0x5500001234u);
    g_assert_cmpuint(first->site >> FC_SITE_GENERATION_SHIFT, ==, GENERATION);
    const struct FcRecord *second = &chunk->records[1];
    g_assert_cmpuint(second->where & FC_WHERE_KIND_MASK, ==, FC_RECORD_FREE);
    g_assert_cmpuint(second->where >> FC_MEMORY_SIZE_SHIFT, ==, 0);
    g_assert_cmpuint(before, <=, first->time);
    g_assert_cmpuint(first->time, <=, second->time);
    g_assert_cmpuint(looked_at, ==, second->time); /* what was waited before it is told first */
    g_assert_cmpuint(slow + lates + sent, ==, 0);
    free(chunk);
}

static void test_sizes(void)
{
    struct FcChunk *chunk = start_chunk(0);
    record(FC_RECORD_ALLOCATED, FC_CALL_MALLOC, 0x1000, 0);
    record(FC_RECORD_ALLOCATED, FC_CALL_MALLOC, 0x2000, SIZE_MAX);
    g_assert_cmpuint(chunk->records[0].where >> FC_MEMORY_SIZE_SHIFT, ==, 0);
    g_assert_cmpuint(chunk->records[1].where >> FC_MEMORY_SIZE_SHIFT, ==, FC_MEMORY_SIZE_MAX);
    free(chunk);
}

/* A pointer that no allocator gives is none of the blocks whose address its lower bits are. */
static void test_wild(void)
{
    struct FcChunk *chunk = start_chunk(0);
    const enum FcRecordKind kinds[] = {FC_RECORD_FREE, FC_RECORD_FREE_NAMED, FC_RECORD_REALLOC};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    {
        record(kinds[i], FC_CALL_FREE, 0x0012000000001000u, 4711);
        const struct FcRecord *made = &chunk->records[i];
        g_assert_cmphex(made->function, ==,
                        0x1000 | FC_POINTER_WILD | (guint64)FC_CALL_FREE << FC_POINTER_CALL_SHIFT);
        g_assert_cmphex(made->where >> FC_MEMORY_SIZE_SHIFT, ==, 0x12);
    }
    free(chunk);
}

static void test_full_chunk(void)
{
    struct FcChunk *chunk = start_chunk(FC_UNITS - FC_RECORD_UNITS);
    record(FC_RECORD_FREE, FC_CALL_FREE, 0x1000, 0);
    g_assert_cmpuint(slow, ==, 0);
    record(FC_RECORD_FREE, FC_CALL_FREE, 0x2000, 0);
    g_assert_cmpuint(slow, ==, 1);
    g_assert_cmphex(passed.function & FC_POINTER_MASK, ==, 0x2000);
    g_assert_cmphex(passed.site, ==, 0x5500001234u);
    free(chunk);
}

static void test_private(void)
{
    struct FcChunk *chunk = start_chunk(0);
    fc_thread.private_chunk = chunk;
    record(FC_RECORD_ALLOCATED, FC_CALL_MALLOC, 0x1000, 1);
    record(FC_RECORD_FREE, FC_CALL_FREE, 0x1000, 0);
    g_assert_cmpuint(sent, ==, 2);
    free(chunk);
}

static void test_after_the_end(void)
{
    struct FcChunk *chunk = start_chunk(0);
    fc_thread.has_ended = true;
    record(FC_RECORD_FREE, FC_CALL_FREE, 0x3000, 0);
    g_assert_cmpuint(lates, ==, 1);
    g_assert_cmphex(late.function & FC_POINTER_MASK, ==, 0x3000);
    g_assert_cmpuint(late.where & FC_WHERE_KIND_MASK, ==, FC_RECORD_FREE);
    g_assert_cmpuint(chunk->records[0].site, ==, 0);
    free(chunk);
}

static void test_within_unwinding(void)
{
    struct FcChunk *chunk = start_chunk(0);
    fc_unwind_is_on = true;
    record(FC_RECORD_ALLOCATED, FC_CALL_MALLOC, 0x1000, 1);
    is_nested = TRUE;
    record(FC_RECORD_ALLOCATED, FC_CALL_MALLOC, 0x2000, 1);
    record(FC_RECORD_FREE, FC_CALL_FREE, 0x2000, 0);
    is_nested = FALSE;
    fc_unwind_is_on = false;
    g_assert_cmpuint(chunk->records[0].function >> FC_POINTER_CALL_SHIFT, ==, FC_CALL_MALLOC);
    g_assert_cmpuint(chunk->records[1].function >> FC_POINTER_CALL_SHIFT, ==, FC_CALL_OWN);
    g_assert_cmpuint(chunk->records[2].function >> FC_POINTER_CALL_SHIFT, ==, FC_CALL_FREE);
    free(chunk);
}

static void test_slow_clock(void)
{
    struct FcChunk *chunk = start_chunk(0);
    fc_clock_mode = FC_TIME_EXT;
    record(FC_RECORD_ALLOCATED, FC_CALL_MALLOC, 0x1000, 1);
    fc_clock_mode = FC_TIME_TSC;
    g_assert_cmpuint(chunk->records[0].time, ==, 12345);
    free(chunk);
}

/* ---- Before the start -------------------------------------------------------- */

static GHashTable *started;
static gboolean switched;

static void start_block(const struct FcEarlyBlock *block)
{
    g_assert_false(switched);
    g_assert_true(g_hash_table_insert(started, block->pointer, GSIZE_TO_POINTER(block->bytes)));
}

static void switch_over(void)
{
    switched = TRUE;
}

static void test_early(void)
{
    const gsize count = 20000;
    started = g_hash_table_new(NULL, NULL);
    for (gsize i = 1; i <= count; i++)
        g_assert_true(fc_early_add(GSIZE_TO_POINTER(16 * i), i, NULL));
    for (gsize i = 3; i <= count; i += 3)
        g_assert_true(fc_early_remove(GSIZE_TO_POINTER(16 * i)));
    g_assert_true(fc_early_remove(GSIZE_TO_POINTER(16 * 3))); /* of what is not there: nothing */
    g_assert_true(fc_early_add(GSIZE_TO_POINTER(16 * 3), 333, NULL));
    fc_early_pause(true);
    g_assert_true(fc_early_add(GSIZE_TO_POINTER(16 * 6), 666, NULL));
    fc_early_pause(false);
    fc_early_close(start_block, switch_over);
    g_assert_true(switched);
    g_assert_cmpuint(g_hash_table_size(started), ==, count - count / 3 + 1);
    for (gsize i = 1; i <= count; i++)
    {
        gsize expected = i == 3 ? 333 : i % 3 == 0 ? 0 : i;
        gpointer found = g_hash_table_lookup(started, GSIZE_TO_POINTER(16 * i));
        g_assert_cmpuint(GPOINTER_TO_SIZE(found), ==, expected);
    }
    g_assert_false(fc_early_add(GSIZE_TO_POINTER(16), 1, NULL));
    g_assert_false(fc_early_remove(GSIZE_TO_POINTER(32)));
    g_hash_table_unref(started);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/alloc/fields", test_fields);
    g_test_add_func("/alloc/sizes", test_sizes);
    g_test_add_func("/alloc/wild", test_wild);
    g_test_add_func("/alloc/full-chunk", test_full_chunk);
    g_test_add_func("/alloc/private", test_private);
    g_test_add_func("/alloc/after-the-end", test_after_the_end);
    g_test_add_func("/alloc/within-unwinding", test_within_unwinding);
    g_test_add_func("/alloc/slow-clock", test_slow_clock);
    g_test_add_func("/alloc/early", test_early);
    return g_test_run();
}
