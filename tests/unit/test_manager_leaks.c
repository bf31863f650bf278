/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which blocks a profile lists where there are too many: held against a plain sort of all.
 */
#include "fcmanager/heap/leaks.h"
#include "libfc/fc-format.h"

#include <string.h>

#define SITES_MAX 40u

typedef struct
{
    FcModules *modules;
    FcCounts *counts;
    FcHeap *heap;
} Fixture;

static void start(Fixture *fixture)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    fixture->modules = fc_modules_new();
    fixture->counts = fc_counts_new(fixture->modules, &sizes);
    fixture->heap = fc_heap_new(fixture->counts, 0, 0);
}

static void stop(Fixture *fixture)
{
    fc_heap_free(fixture->heap);
    fc_counts_free(fixture->counts);
    fc_modules_free(fixture->modules);
}

static void leak(Fixture *fixture, guint site, guint64 time, guint64 bytes)
{
    const FcHeapEvent event = {
        .kind = FC_HEAP_ALLOCATE,
        .pointer = 0x10000 + 16 * time,
        .size_bytes = bytes,
        .point = {.call = FC_CALL_MALLOC, .site = 0x400000 + site, .time = time}};
    fc_heap_allocate(fixture->heap, &event, NULL);
}

static gint by_size(gconstpointer a, gconstpointer b)
{
    const FcHeapBlock *x = *(const FcHeapBlock *const *)a;
    const FcHeapBlock *y = *(const FcHeapBlock *const *)b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return x->time < y->time ? -1 : x->time > y->time;
}

static gint by_time(gconstpointer a, gconstpointer b)
{
    const FcHeapBlock *x = *(const FcHeapBlock *const *)a;
    const FcHeapBlock *y = *(const FcHeapBlock *const *)b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* All blocks of a site. */
static GPtrArray *blocks_of(const Fixture *fixture, guint32 site)
{
    GPtrArray *blocks = g_ptr_array_new();
    for (guint32 i = 0; i <= fixture->heap->blocks.mask; i++)
    {
        FcHeapBlock *block = &fixture->heap->blocks.slots[i];
        if (block->pointer != 0 && block->alloc_site == site)
            g_ptr_array_add(blocks, block);
    }
    return blocks;
}

/* That of a site the larger half of what was chosen is its largest, the rest the first others. */
static void check_site(const Fixture *fixture, guint32 site, const GPtrArray *chosen, guint count)
{
    g_autoptr(GPtrArray) blocks = blocks_of(fixture, site);
    const guint largest = count == blocks->len ? count : count - count / 2;
    g_ptr_array_sort(blocks, by_size);
    for (guint i = 0; i < largest; i++)
        g_assert_true(g_ptr_array_find((GPtrArray *)chosen, blocks->pdata[i], NULL));
    if (count == blocks->len)
        return;
    g_ptr_array_remove_range(blocks, 0, largest);
    g_ptr_array_sort(blocks, by_time);
    for (guint i = 0; i < count - largest; i++)
        g_assert_true(g_ptr_array_find((GPtrArray *)chosen, blocks->pdata[i], NULL));
}

static void check(const Fixture *fixture, guint most)
{
    g_autoptr(GPtrArray) chosen = fc_leaks_choose(fixture->heap, most);
    const guint sites = fixture->heap->alloc_sites->len;
    guint counts[SITES_MAX + 1] = {0};
    guint least_cut = G_MAXUINT; /* chosen of a site that has more */
    guint greatest = 0;
    g_assert_cmpuint(chosen->len, <=, most);
    for (guint i = 0; i < chosen->len; i++)
        counts[((const FcHeapBlock *)chosen->pdata[i])->alloc_site]++;
    for (guint32 site = 1; site < sites; site++)
    {
        g_autoptr(GPtrArray) blocks = blocks_of(fixture, site);
        check_site(fixture, site, chosen, counts[site]);
        if (counts[site] < blocks->len)
            least_cut = MIN(least_cut, counts[site]);
        greatest = MAX(greatest, counts[site]);
    }
    if (least_cut == G_MAXUINT)
        g_assert_cmpuint(chosen->len, ==, fixture->heap->blocks.used);
    else
    {
        g_assert_cmpuint(greatest, <=, least_cut + 1);
        g_assert_cmpuint(chosen->len, ==, most);
    }
}

static void test_random(void)
{
    GRand *rand = g_rand_new_with_seed(11);
    for (guint turn = 0; turn < 60; turn++)
    {
        Fixture fixture;
        start(&fixture);
        const guint sites = (guint)g_rand_int_range(rand, 1, SITES_MAX);
        const guint blocks = (guint)g_rand_int_range(rand, 1, 600);
        for (guint i = 0; i < blocks; i++)
        {
            /* squared: most are of the first sites */
            const gdouble part = g_rand_double(rand);
            leak(&fixture, (guint)(part * part * sites), i + 1,
                 (guint64)g_rand_int_range(rand, 0, 50));
        }
        const guint mosts[] = {0, 1, sites, blocks / 2, blocks - 1, blocks, blocks + 100};
        for (guint i = 0; i < G_N_ELEMENTS(mosts); i++)
            check(&fixture, mosts[i]);
        stop(&fixture);
    }
    g_rand_free(rand);
}

static void test_none(void)
{
    Fixture fixture;
    start(&fixture);
    g_autoptr(GPtrArray) chosen = fc_leaks_choose(fixture.heap, 100);
    g_assert_cmpuint(chosen->len, ==, 0);
    stop(&fixture);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/leaks/random", test_random);
    g_test_add_func("/leaks/none", test_none);
    return g_test_run();
}
