/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap of a process, record by record: orders of arrival that are not those of the events,
 * reallocs, names, bad frees, forks.
 */
#include "fcmanager/heap/live.h"
#include "fcmanager/heap/records.h"

#include <errno.h>
#include <unistd.h>

#define BLOCK UINT64_C(0x7f0000001000)
#define OTHER UINT64_C(0x7f0000002000)
#define SITE UINT64_C(0x400100)

typedef struct
{
    FcModules *modules;
    FcCounts *counts;
    FcCounts *own; /* of both threads, who call nothing */
    FcHeap *heap;
    FcHeapOrder *order;
    FcHeapThread *a;
    FcHeapThread *b;
} Fixture;

static void start(Fixture *fixture, gboolean two)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    fixture->modules = fc_modules_new();
    fixture->counts = fc_counts_new(fixture->modules, &sizes);
    fixture->own = fc_counts_new(fixture->modules, &sizes);
    fixture->heap = fc_heap_new(fixture->counts, 0, 0);
    fixture->order = fc_heap_order_new(fixture->heap, FALSE);
    fixture->a = fc_heap_thread_new(fixture->order, fixture->own);
    fixture->b = two ? fc_heap_thread_new(fixture->order, fixture->own) : NULL;
}

static void stop(Fixture *fixture)
{
    fc_heap_thread_free(fixture->a);
    fc_heap_thread_free(fixture->b);
    fc_heap_order_free(fixture->order);
    fc_heap_free(fixture->heap);
    fc_counts_free(fixture->own);
    fc_counts_free(fixture->counts);
    fc_modules_free(fixture->modules);
}

static void put(FcHeapThread *thread, enum FcRecordKind kind, enum FcMemoryCall call, guint64 time,
                guint64 pointer, guint64 bytes)
{
    fc_heap_record(thread, time, pointer | (guint64)call << FC_POINTER_CALL_SHIFT, SITE + call,
                   kind | bytes << FC_MEMORY_SIZE_SHIFT, 0);
}

static void allocate(FcHeapThread *thread, guint64 time, guint64 pointer, guint64 bytes)
{
    put(thread, FC_RECORD_ALLOCATED, FC_CALL_MALLOC, time, pointer, bytes);
}

static void release(FcHeapThread *thread, guint64 time, guint64 pointer)
{
    put(thread, FC_RECORD_FREE, FC_CALL_FREE, time, pointer, 0);
}

static void check(const Fixture *fixture, guint64 allocations, guint64 frees, guint64 live_bytes,
                  guint bad)
{
    g_assert_cmpuint(fixture->heap->allocations, ==, allocations);
    g_assert_cmpuint(fixture->heap->frees, ==, frees);
    g_assert_cmpuint(fixture->heap->live_bytes, ==, live_bytes);
    g_assert_cmpuint(fixture->heap->bad->len, ==, bad);
    g_assert_cmpuint(fixture->heap->untracked_frees, ==, 0);
    g_assert_cmpuint(fixture->order->queued, ==, 0);
}

static const FcHeapBad *bad_at(const Fixture *fixture, guint index)
{
    return &g_array_index(fixture->heap->bad, FcHeapBad, index);
}

/* Of one address, in every order of the two threads' chunks. */
static void test_orders(void)
{
    for (guint first = 0; first < 2; first++)
    {
        Fixture fixture;
        start(&fixture, TRUE);
        for (guint turn = 0; turn < 2; turn++)
            if (turn == first)
            {
                allocate(fixture.a, 10, BLOCK, 100);
                release(fixture.a, 40, BLOCK);
                allocate(fixture.a, 50, BLOCK, 300);
                release(fixture.a, 80, BLOCK);
            }
            else
            {
                release(fixture.b, 20, BLOCK);
                allocate(fixture.b, 30, BLOCK, 200);
                release(fixture.b, 60, BLOCK);
                allocate(fixture.b, 70, BLOCK, 400);
            }
        fc_heap_order_advance(fixture.order, fixture.order->latest);
        check(&fixture, 4, 4, 0, 0);
        g_assert_cmpuint(fixture.heap->peak_bytes, ==, 400);
        stop(&fixture);
    }
}

/* What is later than the cut waits. */
static void test_cut(void)
{
    Fixture fixture;
    start(&fixture, TRUE);
    allocate(fixture.a, 10, BLOCK, 100);
    allocate(fixture.a, 50, BLOCK, 300); /* freed in between by a thread that was not yet read */
    release(fixture.a, 60, OTHER);
    fc_heap_order_advance(fixture.order, 20);
    g_assert_cmpuint(fixture.heap->live_bytes, ==, 100);
    release(fixture.b, 30, BLOCK);
    allocate(fixture.b, 40, OTHER, 200);
    fc_heap_order_advance(fixture.order, 100);
    check(&fixture, 3, 2, 300, 0);
    stop(&fixture);
}

static void test_double_free(void)
{
    Fixture fixture;
    start(&fixture, TRUE);
    release(fixture.b, 30, BLOCK);
    allocate(fixture.a, 10, BLOCK, 100);
    release(fixture.a, 20, BLOCK);
    fc_heap_order_advance(fixture.order, 100);
    check(&fixture, 1, 1, 0, 1);
    g_assert_cmpint(bad_at(&fixture, 0)->kind, ==, FC_BAD_DOUBLE);
    g_assert_cmpuint(bad_at(&fixture, 0)->time, ==, 30);
    g_assert_cmpuint(bad_at(&fixture, 0)->freed.time, ==, 20);
    stop(&fixture);
}

static void test_mistakes(void)
{
    Fixture fixture;
    start(&fixture, FALSE);
    fc_heap_thread_set_stack(fixture.a, 0x1000, 0x2000);
    allocate(fixture.a, 10, BLOCK, 100);
    release(fixture.a, 20, BLOCK + 16);
    release(fixture.a, 30, 0x1800);
    release(fixture.a, 40, OTHER);
    release(fixture.a, 50, BLOCK + 100);
    release(fixture.a, 60, 0); /* free(NULL) */
    put(fixture.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 70, BLOCK, 0);
    fc_heap_order_finish(fixture.order);
    check(&fixture, 1, 1, 0, 5);
    const FcProfileBadKind kinds[] = {FC_BAD_INSIDE, FC_BAD_STACK, FC_BAD_UNKNOWN, FC_BAD_UNKNOWN,
                                      FC_BAD_MISMATCH};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        g_assert_cmpint(bad_at(&fixture, i)->kind, ==, kinds[i]);
    g_assert_cmphex(bad_at(&fixture, 0)->block, ==, BLOCK);
    stop(&fixture);
}

static void put_wild(FcHeapThread *thread, enum FcRecordKind kind, enum FcMemoryCall call,
                     guint64 time, guint64 pointer)
{
    fc_heap_record(thread, time,
                   (pointer & FC_POINTER_MASK) | (guint64)call << FC_POINTER_CALL_SHIFT |
                       FC_POINTER_WILD,
                   SITE, kind | pointer >> FC_POINTER_HIGH_SHIFT << FC_MEMORY_SIZE_SHIFT, 0);
}

static void test_wild_pointers(void)
{
    Fixture fixture;
    const guint64 wild = G_GUINT64_CONSTANT(0x1234) << 48;
    start(&fixture, FALSE);
    allocate(fixture.a, 10, BLOCK, 100);
    put_wild(fixture.a, FC_RECORD_FREE, FC_CALL_FREE, 20, wild | BLOCK);
    put_wild(fixture.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 30, wild | BLOCK);
    put_wild(fixture.a, FC_RECORD_FREE, FC_CALL_FREE, 40, wild | BLOCK); /* by the delete */
    put_wild(fixture.a, FC_RECORD_FREE, FC_CALL_FREE, 50, G_GUINT64_CONSTANT(1) << 63);
    put_wild(fixture.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 60, wild | BLOCK);
    fc_heap_order_finish(fixture.order);
    check(&fixture, 1, 0, 100, 4);
    const guint64 pointers[] = {wild | BLOCK, wild | BLOCK, G_GUINT64_CONSTANT(1) << 63,
                                wild | BLOCK};
    for (guint i = 0; i < G_N_ELEMENTS(pointers); i++)
    {
        g_assert_cmpint(bad_at(&fixture, i)->kind, ==, FC_BAD_UNKNOWN);
        g_assert_cmphex(bad_at(&fixture, i)->pointer, ==, pointers[i]);
    }
    stop(&fixture);
}

static void test_realloc(void)
{
    Fixture fixture;
    start(&fixture, TRUE);
    allocate(fixture.a, 10, BLOCK, 100);
    put(fixture.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 20, BLOCK, 1000);
    fc_heap_order_advance(fixture.order, 25);
    /* its old place is used before the thread comes to say where the block went */
    allocate(fixture.b, 30, BLOCK, 50);
    release(fixture.b, 32, BLOCK);
    fc_heap_order_advance(fixture.order, 35);
    put(fixture.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 40, OTHER, 1000);
    /* one that fails */
    put(fixture.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 50, OTHER, 5000);
    put(fixture.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 60, 0, 5000);
    fc_heap_order_advance(fixture.order, 70);
    check(&fixture, 3, 2, 1000, 0);
    /* one to nothing */
    put(fixture.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 80, OTHER, 0);
    put(fixture.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 90, 0, 0);
    /* and one that is killed */
    allocate(fixture.b, 95, BLOCK, 70);
    put(fixture.b, FC_RECORD_REALLOC, FC_CALL_REALLOC, 96, BLOCK, 1);
    fc_heap_thread_finish(fixture.b);
    fc_heap_order_finish(fixture.order);
    check(&fixture, 4, 3, 70, 0);
    stop(&fixture);
}

/* Where it was allocated first and where last may be one allocation site. */
static void test_reallocated(void)
{
    Fixture fixture;
    start(&fixture, FALSE);
    put(fixture.a, FC_RECORD_ALLOCATED, FC_CALL_REALLOC, 10, BLOCK, 100);
    put(fixture.a, FC_RECORD_ALLOCATED, FC_CALL_REALLOC, 20, OTHER, 100);
    put(fixture.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 30, OTHER, 5000);
    put(fixture.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 40, 0, 5000); /* failed */
    release(fixture.a, 50, BLOCK + 0x100000);                            /* takes what waits */
    g_assert_false(fc_heap_blocks_find(&fixture.heap->blocks, BLOCK)->reallocated);
    g_assert_false(fc_heap_blocks_find(&fixture.heap->blocks, OTHER)->reallocated);
    put(fixture.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 60, BLOCK, 100);
    put(fixture.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 70, BLOCK, 100);
    const FcHeapBlock *block = fc_heap_blocks_find(&fixture.heap->blocks, BLOCK);
    g_assert_true(block->reallocated);
    g_assert_cmpuint(block->alloc_site, ==, block->first_alloc_site);
    release(fixture.a, 80, BLOCK);
    allocate(fixture.a, 90, BLOCK, 10);
    fc_heap_order_finish(fixture.order);
    g_assert_false(fc_heap_blocks_find(&fixture.heap->blocks, BLOCK)->reallocated);
    stop(&fixture);
}

static const FcAllocSite *alloc_site_of(const Fixture *fixture, enum FcMemoryCall call)
{
    for (guint i = 1; i < fixture->heap->alloc_sites->len; i++)
    {
        const FcAllocSite *site = &g_array_index(fixture->heap->alloc_sites, FcAllocSite, i);
        if (site->point.call == call)
            return site;
    }
    return NULL;
}

/* By way of malloc and free, with other calls in between, and not so. */
static void test_operators(void)
{
    Fixture fixture;
    start(&fixture, FALSE);
    allocate(fixture.a, 10, BLOCK, 100);
    put(fixture.a, FC_RECORD_NAMED, FC_CALL_NEW, 11, BLOCK, 90); /* which was rounded up */
    put(fixture.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 12, BLOCK, 0);
    allocate(fixture.a, 13, OTHER, 5);
    release(fixture.a, 14, OTHER);
    release(fixture.a, 15, BLOCK);

    allocate(fixture.a, 20, BLOCK, 100);
    allocate(fixture.a, 21, OTHER, 5);
    release(fixture.a, 22, OTHER);
    put(fixture.a, FC_RECORD_NAMED, FC_CALL_NEW, 23, BLOCK, 100);
    put(fixture.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 24, BLOCK, 0);
    release(fixture.a, 25, BLOCK);

    put(fixture.a, FC_RECORD_NAMED, FC_CALL_NEW, 30, BLOCK, 100);
    put(fixture.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 31, BLOCK, 0);
    put(fixture.a, FC_RECORD_NAMED, FC_CALL_DELETE, 32, BLOCK, 0);
    release(fixture.a, 33, BLOCK); /* the only mistake */
    fc_heap_order_finish(fixture.order);
    check(&fixture, 5, 5, 0, 1);
    g_assert_cmpint(bad_at(&fixture, 0)->kind, ==, FC_BAD_DOUBLE);
    g_assert_cmpuint(alloc_site_of(&fixture, FC_CALL_NEW)->allocations, ==, 3);
    g_assert_cmpuint(alloc_site_of(&fixture, FC_CALL_NEW)->bytes, ==, 90 + 100 + 100);
    g_assert_cmpuint(alloc_site_of(&fixture, FC_CALL_NEW)->frees, ==, 3);
    g_assert_cmpuint(alloc_site_of(&fixture, FC_CALL_MALLOC)->allocations, ==, 2);
    stop(&fixture);
}

/* The name comes in another chunk, and another thread had the block meanwhile. */
static void test_name_in_time(void)
{
    Fixture fixture;
    start(&fixture, TRUE);
    allocate(fixture.a, 10, BLOCK, 100);
    fc_heap_order_advance(fixture.order, 15);
    put(fixture.a, FC_RECORD_NAMED, FC_CALL_NEW, 20, BLOCK, 100);
    put(fixture.b, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 30, BLOCK, 0);
    release(fixture.b, 31, BLOCK);
    fc_heap_order_advance(fixture.order, 40);
    check(&fixture, 1, 1, 0, 0);
    stop(&fixture);
}

static void test_not_counted(void)
{
    Fixture fixture;
    start(&fixture, FALSE);
    put(fixture.a, FC_RECORD_ALLOCATED, FC_CALL_OWN, 10, BLOCK, 100);
    allocate(fixture.a, 20, OTHER, 7);
    release(fixture.a, 30, BLOCK);
    put(fixture.a, FC_RECORD_ALLOCATED, FC_CALL_OWN, 40, BLOCK, 100);
    allocate(fixture.a, 50, BLOCK, 8); /* freed by who knows whom */
    fc_heap_order_finish(fixture.order);
    check(&fixture, 2, 0, 15, 0);
    stop(&fixture);
}

static void test_fork(void)
{
    Fixture fixture;
    start(&fixture, TRUE);
    allocate(fixture.a, 10, BLOCK, 100);
    release(fixture.b, 50, BLOCK); /* after the fork */
    allocate(fixture.b, 60, BLOCK, 40);
    fc_heap_order_advance(fixture.order, 20);
    FcCounts *contexts = fc_counts_new(fixture.modules, &(FcCountsSizes){0, 0, 0});
    FcHeap *copy = fc_heap_order_copy(fixture.order, contexts, 20);
    fc_heap_order_advance(fixture.order, 70);
    g_assert_cmpuint(copy->live_bytes, ==, 100);
    g_assert_cmpuint(copy->allocations - copy->frees, ==, 1);
    FcHeapOrder *order = fc_heap_order_new(copy, FALSE);
    FcHeapThread *child = fc_heap_thread_new(order, fixture.own);
    release(child, 80, BLOCK);
    fc_heap_order_finish(order);
    g_assert_cmpuint(copy->live_bytes, ==, 0);
    g_assert_cmpuint(copy->bad->len, ==, 0);
    fc_heap_order_finish(fixture.order);
    check(&fixture, 2, 1, 40, 0);
    fc_heap_thread_free(child);
    fc_heap_order_free(order);
    fc_heap_free(copy);
    fc_counts_free(contexts);
    stop(&fixture);
}

/* Many blocks and threads that come and go, against a table of our own. */
static void test_many(void)
{
    Fixture fixture;
    start(&fixture, TRUE);
    FcHeapThread *threads[8];
    gboolean live[500] = {FALSE};
    guint64 time = 1;
    guint64 bytes = 0;
    g_autoptr(GRand) chance = g_rand_new_with_seed(7);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = fc_heap_thread_new(fixture.order, fixture.own);
    for (guint i = 0; i < 200000; i++)
    {
        guint at = g_rand_int(chance) % G_N_ELEMENTS(live);
        guint which = g_rand_int(chance) % G_N_ELEMENTS(threads);
        time += 2;
        if (live[at])
            release(threads[which], time, BLOCK + 16 * at);
        else
            allocate(threads[which], time, BLOCK + 16 * at, at);
        live[at] = !live[at];
        if (i % 977 == 0)
        {
            fc_heap_thread_finish(threads[which]);
            fc_heap_thread_free(threads[which]);
            threads[which] = fc_heap_thread_new(fixture.order, fixture.own);
        }
        if (i % 5000 == 0)
            fc_heap_order_advance(fixture.order, time - 100);
    }
    for (guint i = 0; i < G_N_ELEMENTS(live); i++)
        bytes += live[i] ? i : 0;
    fc_heap_order_finish(fixture.order);
    g_assert_cmpuint(fixture.heap->live_bytes, ==, bytes);
    g_assert_cmpuint(fixture.heap->bad->len + fixture.heap->untracked_frees, ==, 0);
    g_assert_cmpuint(fixture.heap->allocations + fixture.heap->frees, ==, 200000);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        fc_heap_thread_free(threads[i]);
    stop(&fixture);
}

/* The process, or any other of the user's, can write into the list, but not take it away. */
static void test_live_list(void)
{
    Fixture fixture;
    start(&fixture, FALSE);
    allocate(fixture.a, 10, BLOCK, 100);
    allocate(fixture.a, 20, OTHER, 100);
    fc_heap_order_finish(fixture.order);
    FcLive *live = fc_live_new(fixture.heap);
    g_assert_nonnull(live);
    g_assert_cmpint(ftruncate(fc_live_fd(live), 0), ==, -1);
    g_assert_cmpint(errno, ==, EPERM);
    struct FcLiveList done = {.is_done = 1};
    struct FcLiveBlock first = {.pointer = 1, .state = FC_LIVE_REACHABLE};
    g_assert_cmpint(pwrite(fc_live_fd(live), &done, sizeof done, 0), ==, sizeof done);
    g_assert_cmpint(pwrite(fc_live_fd(live), &first, sizeof first, sizeof done), ==, sizeof first);
    g_assert_true(fc_live_take(live));
    g_assert_cmpint(fc_live_state(live, BLOCK), ==, FC_BLOCK_REACHABLE);
    g_assert_cmpint(fc_live_state(live, OTHER), ==, FC_BLOCK_LOST);
    fc_live_free(live);
    stop(&fixture);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/heap/orders", test_orders);
    g_test_add_func("/heap/cut", test_cut);
    g_test_add_func("/heap/double-free", test_double_free);
    g_test_add_func("/heap/mistakes", test_mistakes);
    g_test_add_func("/heap/wild-pointers", test_wild_pointers);
    g_test_add_func("/heap/realloc", test_realloc);
    g_test_add_func("/heap/reallocated", test_reallocated);
    g_test_add_func("/heap/operators", test_operators);
    g_test_add_func("/heap/name-in-time", test_name_in_time);
    g_test_add_func("/heap/not-counted", test_not_counted);
    g_test_add_func("/heap/fork", test_fork);
    g_test_add_func("/heap/many", test_many);
    g_test_add_func("/heap/live-list", test_live_list);
    return g_test_run();
}
