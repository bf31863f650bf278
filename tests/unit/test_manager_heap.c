/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The books of memory, record by record: orders of arrival that are not those of the events,
 * reallocs, names, mistakes, forks.
 */
#include "fcmanager/heap.h"

#define BLOCK UINT64_C(0x7f0000001000)
#define OTHER UINT64_C(0x7f0000002000)
#define SITE UINT64_C(0x400100)

typedef struct
{
    FcModules *modules;
    FcCounts *counts;
    FcCounts *own; /* of both threads, who call nothing */
    FcHeap *heap;
    FcHeapThread *a;
    FcHeapThread *b;
} Books;

static void start(Books *books, gboolean two)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    books->modules = fc_modules_new();
    books->counts = fc_counts_new(books->modules, &sizes);
    books->own = fc_counts_new(books->modules, &sizes);
    books->heap = fc_heap_new(books->counts, 0, 0, FALSE);
    books->a = fc_heap_thread_new(books->heap, books->own);
    books->b = two ? fc_heap_thread_new(books->heap, books->own) : NULL;
}

static void stop(Books *books)
{
    fc_heap_free(books->heap);
    fc_counts_free(books->own);
    fc_counts_free(books->counts);
    fc_modules_free(books->modules);
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

static void check(const Books *books, guint64 allocations, guint64 frees, guint64 live_bytes,
                  guint bad)
{
    g_assert_cmpuint(books->heap->allocations, ==, allocations);
    g_assert_cmpuint(books->heap->frees, ==, frees);
    g_assert_cmpuint(books->heap->live_bytes, ==, live_bytes);
    g_assert_cmpuint(books->heap->bad->len, ==, bad);
    g_assert_cmpuint(books->heap->untracked_frees, ==, 0);
    g_assert_cmpuint(books->heap->queued, ==, 0);
}

static const FcHeapBad *bad_at(const Books *books, guint index)
{
    return &g_array_index(books->heap->bad, FcHeapBad, index);
}

/* Of one address, in every order of the two threads' chunks. */
static void test_orders(void)
{
    for (guint first = 0; first < 2; first++)
    {
        Books books;
        start(&books, TRUE);
        for (guint turn = 0; turn < 2; turn++)
            if (turn == first)
            {
                allocate(books.a, 10, BLOCK, 100);
                release(books.a, 40, BLOCK);
                allocate(books.a, 50, BLOCK, 300);
                release(books.a, 80, BLOCK);
            }
            else
            {
                release(books.b, 20, BLOCK);
                allocate(books.b, 30, BLOCK, 200);
                release(books.b, 60, BLOCK);
                allocate(books.b, 70, BLOCK, 400);
            }
        fc_heap_settle(books.heap, books.heap->latest);
        check(&books, 4, 4, 0, 0);
        g_assert_cmpuint(books.heap->peak_bytes, ==, 400);
        stop(&books);
    }
}

/* What is later than the cut waits. */
static void test_cut(void)
{
    Books books;
    start(&books, TRUE);
    allocate(books.a, 10, BLOCK, 100);
    allocate(books.a, 50, BLOCK, 300); /* freed in between by a thread that was not yet read */
    release(books.a, 60, OTHER);
    fc_heap_settle(books.heap, 20);
    g_assert_cmpuint(books.heap->live_bytes, ==, 100);
    release(books.b, 30, BLOCK);
    allocate(books.b, 40, OTHER, 200);
    fc_heap_settle(books.heap, 100);
    check(&books, 3, 2, 300, 0);
    stop(&books);
}

static void test_double_free(void)
{
    Books books;
    start(&books, TRUE);
    release(books.b, 30, BLOCK);
    allocate(books.a, 10, BLOCK, 100);
    release(books.a, 20, BLOCK);
    fc_heap_settle(books.heap, 100);
    check(&books, 1, 1, 0, 1);
    g_assert_cmpint(bad_at(&books, 0)->kind, ==, FC_BAD_DOUBLE);
    g_assert_cmpuint(bad_at(&books, 0)->time, ==, 30);
    g_assert_cmpuint(bad_at(&books, 0)->freed.time, ==, 20);
    stop(&books);
}

static void test_mistakes(void)
{
    Books books;
    start(&books, FALSE);
    fc_heap_thread_set_stack(books.a, 0x1000, 0x2000);
    allocate(books.a, 10, BLOCK, 100);
    release(books.a, 20, BLOCK + 16);
    release(books.a, 30, 0x1800);
    release(books.a, 40, OTHER);
    release(books.a, 50, BLOCK + 100);
    release(books.a, 60, 0); /* free(NULL) */
    put(books.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 70, BLOCK, 0);
    fc_heap_finish(books.heap);
    check(&books, 1, 1, 0, 5);
    const FcProfileBadKind kinds[] = {FC_BAD_INSIDE, FC_BAD_STACK, FC_BAD_UNKNOWN, FC_BAD_UNKNOWN,
                                      FC_BAD_MISMATCH};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        g_assert_cmpint(bad_at(&books, i)->kind, ==, kinds[i]);
    g_assert_cmphex(bad_at(&books, 0)->block, ==, BLOCK);
    stop(&books);
}

static void test_realloc(void)
{
    Books books;
    start(&books, TRUE);
    allocate(books.a, 10, BLOCK, 100);
    put(books.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 20, BLOCK, 1000);
    fc_heap_settle(books.heap, 25);
    /* its old place is used before the thread comes to say where the block went */
    allocate(books.b, 30, BLOCK, 50);
    release(books.b, 32, BLOCK);
    fc_heap_settle(books.heap, 35);
    put(books.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 40, OTHER, 1000);
    /* one that fails */
    put(books.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 50, OTHER, 5000);
    put(books.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 60, 0, 5000);
    fc_heap_settle(books.heap, 70);
    check(&books, 3, 2, 1000, 0);
    /* one to nothing */
    put(books.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 80, OTHER, 0);
    put(books.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 90, 0, 0);
    /* and one that is killed */
    allocate(books.b, 95, BLOCK, 70);
    put(books.b, FC_RECORD_REALLOC, FC_CALL_REALLOC, 96, BLOCK, 1);
    fc_heap_thread_finish(books.b);
    fc_heap_finish(books.heap);
    check(&books, 4, 3, 70, 0);
    stop(&books);
}

/* Where it was allocated first and where last may be one allocation site. */
static void test_reallocated(void)
{
    Books books;
    start(&books, FALSE);
    put(books.a, FC_RECORD_ALLOCATED, FC_CALL_REALLOC, 10, BLOCK, 100);
    put(books.a, FC_RECORD_ALLOCATED, FC_CALL_REALLOC, 20, OTHER, 100);
    put(books.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 30, OTHER, 5000);
    put(books.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 40, 0, 5000); /* failed */
    release(books.a, 50, BLOCK + 0x100000);                            /* takes what waits */
    g_assert_false(fc_heap_blocks_find(&books.heap->blocks, BLOCK)->reallocated);
    g_assert_false(fc_heap_blocks_find(&books.heap->blocks, OTHER)->reallocated);
    put(books.a, FC_RECORD_REALLOC, FC_CALL_REALLOC, 60, BLOCK, 100);
    put(books.a, FC_RECORD_REALLOCATED, FC_CALL_REALLOC, 70, BLOCK, 100);
    const FcHeapBlock *block = fc_heap_blocks_find(&books.heap->blocks, BLOCK);
    g_assert_true(block->reallocated);
    g_assert_cmpuint(block->alloc_site, ==, block->first_alloc_site);
    release(books.a, 80, BLOCK);
    allocate(books.a, 90, BLOCK, 10);
    fc_heap_finish(books.heap);
    g_assert_false(fc_heap_blocks_find(&books.heap->blocks, BLOCK)->reallocated);
    stop(&books);
}

static const FcAllocSite *alloc_site_of(const Books *books, enum FcMemoryCall call)
{
    for (guint i = 1; i < books->heap->alloc_sites->len; i++)
    {
        const FcAllocSite *site = &g_array_index(books->heap->alloc_sites, FcAllocSite, i);
        if (site->point.call == call)
            return site;
    }
    return NULL;
}

/* By way of malloc and free, with other calls in between, and not so. */
static void test_operators(void)
{
    Books books;
    start(&books, FALSE);
    allocate(books.a, 10, BLOCK, 100);
    put(books.a, FC_RECORD_NAMED, FC_CALL_NEW, 11, BLOCK, 90); /* which was rounded up */
    put(books.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 12, BLOCK, 0);
    allocate(books.a, 13, OTHER, 5);
    release(books.a, 14, OTHER);
    release(books.a, 15, BLOCK);

    allocate(books.a, 20, BLOCK, 100);
    allocate(books.a, 21, OTHER, 5);
    release(books.a, 22, OTHER);
    put(books.a, FC_RECORD_NAMED, FC_CALL_NEW, 23, BLOCK, 100);
    put(books.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 24, BLOCK, 0);
    release(books.a, 25, BLOCK);

    put(books.a, FC_RECORD_NAMED, FC_CALL_NEW, 30, BLOCK, 100);
    put(books.a, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 31, BLOCK, 0);
    put(books.a, FC_RECORD_NAMED, FC_CALL_DELETE, 32, BLOCK, 0);
    release(books.a, 33, BLOCK); /* the only mistake */
    fc_heap_finish(books.heap);
    check(&books, 5, 5, 0, 1);
    g_assert_cmpint(bad_at(&books, 0)->kind, ==, FC_BAD_DOUBLE);
    g_assert_cmpuint(alloc_site_of(&books, FC_CALL_NEW)->allocations, ==, 3);
    g_assert_cmpuint(alloc_site_of(&books, FC_CALL_NEW)->bytes, ==, 90 + 100 + 100);
    g_assert_cmpuint(alloc_site_of(&books, FC_CALL_NEW)->frees, ==, 3);
    g_assert_cmpuint(alloc_site_of(&books, FC_CALL_MALLOC)->allocations, ==, 2);
    stop(&books);
}

/* The name comes in another chunk, and another thread had the block meanwhile. */
static void test_name_in_time(void)
{
    Books books;
    start(&books, TRUE);
    allocate(books.a, 10, BLOCK, 100);
    fc_heap_settle(books.heap, 15);
    put(books.a, FC_RECORD_NAMED, FC_CALL_NEW, 20, BLOCK, 100);
    put(books.b, FC_RECORD_FREE_NAMED, FC_CALL_DELETE, 30, BLOCK, 0);
    release(books.b, 31, BLOCK);
    fc_heap_settle(books.heap, 40);
    check(&books, 1, 1, 0, 0);
    stop(&books);
}

static void test_not_counted(void)
{
    Books books;
    start(&books, FALSE);
    put(books.a, FC_RECORD_ALLOCATED, FC_CALL_OWN, 10, BLOCK, 100);
    allocate(books.a, 20, OTHER, 7);
    release(books.a, 30, BLOCK);
    put(books.a, FC_RECORD_ALLOCATED, FC_CALL_OWN, 40, BLOCK, 100);
    allocate(books.a, 50, BLOCK, 8); /* freed by who knows whom */
    fc_heap_finish(books.heap);
    check(&books, 2, 0, 15, 0);
    stop(&books);
}

static void test_fork(void)
{
    Books books;
    start(&books, TRUE);
    allocate(books.a, 10, BLOCK, 100);
    release(books.b, 50, BLOCK); /* after the fork */
    allocate(books.b, 60, BLOCK, 40);
    fc_heap_settle(books.heap, 20);
    FcCounts *contexts = fc_counts_new(books.modules, &(FcCountsSizes){0, 0, 0});
    FcHeap *copy = fc_heap_copy(books.heap, contexts, 20);
    fc_heap_settle(books.heap, 70);
    g_assert_cmpuint(copy->live_bytes, ==, 100);
    g_assert_cmpuint(copy->allocations - copy->frees, ==, 1);
    FcHeapThread *child = fc_heap_thread_new(copy, books.own);
    release(child, 80, BLOCK);
    fc_heap_finish(copy);
    g_assert_cmpuint(copy->live_bytes, ==, 0);
    g_assert_cmpuint(copy->bad->len, ==, 0);
    fc_heap_finish(books.heap);
    check(&books, 2, 1, 40, 0);
    fc_heap_free(copy);
    fc_counts_free(contexts);
    stop(&books);
}

/* Many blocks and threads that come and go, against a table of our own. */
static void test_many(void)
{
    Books books;
    start(&books, TRUE);
    FcHeapThread *threads[8];
    gboolean live[500] = {FALSE};
    guint64 time = 1;
    guint64 bytes = 0;
    g_autoptr(GRand) chance = g_rand_new_with_seed(7);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = fc_heap_thread_new(books.heap, books.own);
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
            threads[which] = fc_heap_thread_new(books.heap, books.own);
        }
        if (i % 5000 == 0)
            fc_heap_settle(books.heap, time - 100);
    }
    for (guint i = 0; i < G_N_ELEMENTS(live); i++)
        bytes += live[i] ? i : 0;
    fc_heap_finish(books.heap);
    g_assert_cmpuint(books.heap->live_bytes, ==, bytes);
    g_assert_cmpuint(books.heap->bad->len + books.heap->untracked_frees, ==, 0);
    g_assert_cmpuint(books.heap->allocations + books.heap->frees, ==, 200000);
    stop(&books);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/heap/orders", test_orders);
    g_test_add_func("/heap/cut", test_cut);
    g_test_add_func("/heap/double-free", test_double_free);
    g_test_add_func("/heap/mistakes", test_mistakes);
    g_test_add_func("/heap/realloc", test_realloc);
    g_test_add_func("/heap/reallocated", test_reallocated);
    g_test_add_func("/heap/operators", test_operators);
    g_test_add_func("/heap/name-in-time", test_name_in_time);
    g_test_add_func("/heap/not-counted", test_not_counted);
    g_test_add_func("/heap/fork", test_fork);
    g_test_add_func("/heap/many", test_many);
    return g_test_run();
}
