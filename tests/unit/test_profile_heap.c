/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of the heap: their exact text, what the reader refuses, and the sum of
 * two profiles.  Random ones make the round trip in test_profile_format.c, and are
 * damaged in test_profile_malformed.c.
 */
#include "profile_fixture.h"

#include <string.h>

/* The plain profile with 3 allocations in work (context 1), of which 1 lives, 1 in
 * helper (context 2), freed, and one block freed twice. */
static FcProfile *heap_new(void)
{
    FcProfile *profile = fixture_plain_new();
    FcProfileHeap *heap = &profile->heap;
    heap->recorded = TRUE;
    heap->allocations = 4;
    heap->frees = 3;
    heap->bytes = 350;
    heap->live_blocks = 1;
    heap->live_bytes = 100;
    heap->peak_bytes = 250;
    heap->peak_ns = 2000;
    heap->maps = 1;
    heap->map_bytes = 4096;
    heap->scanned = 1;
    const FcProfileHeapFrame frames[] = {{FC_NONE, {0x1020, 0x20, 0}}, {0, {0x2300, 0x300, 1}}};
    g_array_append_vals(heap->frames, frames, G_N_ELEMENTS(frames));
    const FcProfileHeapBlock block = {0x6000, 100, 1500, 0, FC_BLOCK_INDIRECT};
    g_array_append_val(heap->blocks, block);
    const FcProfileAllocSite sites[] = {
        {{1, {0x1220, 0x220, 0}, 1, 1}, 3, 300, 2, 1, 100, 0, 0, 1, 100, 200, 1, 900, {[7] = 3}},
        {{2, {0x2110, 0x110, 1}, 6, FC_NONE}, 1, 50, 1, 0, 0, 0, 0, 0, 0, 50, 0, 40, {[6] = 1}},
    };
    g_array_append_vals(heap->alloc_sites, sites, G_N_ELEMENTS(sites));
    const FcProfileBadFree bad = {FC_BAD_DOUBLE,
                                  0x5000,
                                  0x5000,
                                  100,
                                  4000,
                                  {FC_NONE, {0x1020, 0x20, 0}, 5, 0},
                                  {1, {0x1220, 0x220, 0}, 1, FC_NONE},
                                  {2, {0x2120, 0x120, 1}, 5, FC_NONE}};
    g_array_append_val(heap->bad_frees, bad);
    const FcProfileHeapSample samples[] = {{1000, 100}, {2000, 250}, {5000, 100}};
    g_array_append_vals(heap->samples, samples, G_N_ELEMENTS(samples));
    return profile;
}

static const char heap_text[] = "section heap 1 16\n"
                                "allocations 4\n"
                                "frees 3\n"
                                "bytes 350\n"
                                "live-blocks 1\n"
                                "live-bytes 100\n"
                                "peak-bytes 250\n"
                                "peak-time 2000\n"
                                "maps 1\n"
                                "map-bytes 4096\n"
                                "unmaps 0\n"
                                "unmap-bytes 0\n"
                                "scanned 1\n"
                                "unlisted-blocks 0\n"
                                "unlisted-bytes 0\n"
                                "unlisted-leaks 0\n"
                                "unlisted-leak-bytes 0\n"
                                "section heap-frames 1 2\n"
                                "-1 0 0x1020\n"
                                "0 1 0x2300\n"
                                "section heap-places 1 2\n"
                                "1 0 0x1220 1 1 3 300 2 1 100 0 0 1 100 200 1 900 7:3\n"
                                "2 1 0x2110 6 -1 1 50 1 0 0 0 0 0 0 50 0 40 6:1\n"
                                "section heap-blocks 1 1\n"
                                "0 indirect 24576:100:1500\n"
                                "section heap-bad-frees 1 1\n"
                                "double 0x5000 0x5000 100 4000 -1 0 0x1020 5 0 1 0 0x1220 1 -1 "
                                "2 1 0x2120 5 -1\n"
                                "section heap-samples 1 3\n"
                                "1000 100\n"
                                "2000 250\n"
                                "5000 100\n"
                                "section end 1 0\n";

static void test_exact_text(void)
{
    g_autoptr(FcProfile) profile = heap_new();
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_true(g_str_has_suffix(text->str, heap_text));
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) read = fc_profile_parse(text->str, text->len, &error);
    g_assert_no_error(error);
    fixture_assert_equal(profile, read);
}

/* What was left empty is written as none, whatever its fields say. */
static void test_no_point(void)
{
    g_autoptr(FcProfile) profile = heap_new();
    FcProfileBadFree bad = {FC_BAD_STACK, 0x7000, 0, 0, 4500, {0, {0x1120, 0x120, 0}, 5, FC_NONE},
                            {0},          {0}};
    g_array_append_val(profile->heap.bad_frees, bad);
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_nonnull(strstr(text->str, "\nstack 0x7000 0x0 0 4500 0 0 0x1120 5 -1 -1 -1 0x0 0 -1 "
                                       "-1 -1 0x0 0 -1\n"));
    g_autoptr(FcProfile) read = fc_profile_parse(text->str, text->len, NULL);
    g_assert_nonnull(read);
    g_assert_cmpint(g_array_index(read->heap.bad_frees, FcProfileBadFree, 1).freed.context, ==,
                    FC_NONE);
}

/* Without FC_MEMORY there is not a word of it. */
static void test_not_recorded(void)
{
    g_autoptr(FcProfile) profile = heap_new();
    profile->heap.recorded = FALSE;
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_null(strstr(text->str, "heap"));
    g_autoptr(FcProfile) read = fc_profile_parse(text->str, text->len, NULL);
    g_assert_nonnull(read);
    g_assert_false(read->heap.recorded);
    g_assert_cmpuint(read->heap.alloc_sites->len, ==, 0);
}

/* The formatted profile with the only `from` in it replaced. */
static char *replaced(const FcProfile *profile, const char *from, const char *to)
{
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_cmpuint(g_string_replace(text, from, to, 0), ==, 1);
    return g_strdup(text->str);
}

static void test_refused(void)
{
    static const char *const wrong[][3] = {
        {"2 1 0x2110", "3 1 0x2110", "the context"},
        {"2 1 0x2110", "-2 1 0x2110", "the context"},
        {"2 1 0x2110", "2 2 0x2110", "the module"},
        {"0x2110 6", "0x2110 256", "the kind of call"},
        {"0x2110 6 -1", "0x2110 6 2", "the frame"},
        {"0x1220 1 1 3", "0x1220 1 -2 3", "the frame"},
        {"0 1 0x2300", "1 1 0x2300", "the parent"},
        {"0 1 0x2300", "0 7 0x2300", "the module"},
        {"0 indirect 24576", "2 indirect 24576", "the allocation site"},
        {"0 indirect 24576", "0 gone 24576", "the blocks' state is not known"},
        {"0 indirect 24576:100:1500", "0", "the blocks' state is missing"},
        {" 24576:100:1500", "", "a block is missing"},
        {" 24576:100:1500", " 24576:100:1500 24576:100", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", "24576", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", "24576:100", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", "24576:100:", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", "24576::1500", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", ":100:1500", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", "24576:100:1500:7", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", "24576:100:-", "not POINTER:SIZE:TIME"},
        {"24576:100:1500", "9223372036854775808:100:1500", "not POINTER:SIZE:TIME"},
        {"40 6:1", "40 42:1", "bucket 42 is out of range"},
        {"40 6:1", "40 6:1 6:1", "bucket 6 is out of range"},
        {"40 6:1", "40 6", "NUMBER:COUNT"},
        {"0 0 50 0 40 6:1", "0 0 50", "the number of temporary blocks"},
        {"double", "twice", "is not known"},
        {"2 1 0x2120 5 -1\n", "9 1 0x2120 5 -1\n", "the context"},
        {"2 1 0x2120 5 -1\n", "2 1 0x2120 5 -1 6\n", NULL},
        {"-1 0 0x1020 5", "-1 7 0x1020 5", "the module"},
        {"section heap-samples 1 3", "section heap-samples 1 9", NULL},
        {"section heap-places 1 2", "section heap-places 1 4294967295", NULL},
        {"section heap-places 1 2", "section heap-places 1 18446744073709551615", NULL},
        {"section heap 1 16", "section heap 1 17", NULL},
        {"allocations 4", "allocations -4", NULL},
        {"allocations 4", "allocations", NULL},
    };
    g_autoptr(FcProfile) profile = heap_new();
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++)
    {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = replaced(profile, wrong[i][0], wrong[i][1]);
        g_autoptr(FcProfile) read = fc_profile_parse(text, strlen(text), &error);
        g_assert_null(read);
        g_assert_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_MALFORMED);
        if (wrong[i][2] != NULL && strstr(error->message, wrong[i][2]) == NULL)
            g_error("\"%s\" for \"%s\" gives: %s", wrong[i][1], wrong[i][0], error->message);
    }
}

/* A section that a later version wrote otherwise takes with it what refers to it. */
static void test_passed_over(void)
{
    g_autoptr(FcProfile) profile = heap_new();
    g_autofree char *contexts = replaced(profile, "section contexts 1", "section contexts 2");
    g_autoptr(FcProfile) read = fc_profile_parse(contexts, strlen(contexts), NULL);
    g_assert_nonnull(read);
    const FcProfileAllocSite *site = &g_array_index(read->heap.alloc_sites, FcProfileAllocSite, 1);
    g_assert_cmpint(site->point.context, ==, FC_NONE);
    g_assert_cmpint(site->point.site.module, ==, 1);
    g_assert_cmpuint(site->bytes, ==, 50);

    g_autofree char *heap = replaced(profile, "section heap 1", "section heap 2");
    g_autoptr(FcProfile) without = fc_profile_parse(heap, strlen(heap), NULL);
    g_assert_nonnull(without);
    g_assert_false(without->heap.recorded);
    g_assert_cmpuint(without->heap.alloc_sites->len, ==, 0);
    g_assert_cmpuint(without->heap.bad_frees->len, ==, 0);

    g_autofree char *more = replaced(profile, "section heap 1 16\n", "section heap 1 17\nnew 1\n");
    g_autoptr(FcProfile) newer = fc_profile_parse(more, strlen(more), NULL);
    g_assert_nonnull(newer);
    fixture_assert_equal(profile, newer);
}

/* ---- The sum ---------------------------------------------------------------------- */

static const FcProfileAllocSite *alloc_site_at(const FcProfile *profile, guint index)
{
    g_assert_cmpuint(index, <, profile->heap.alloc_sites->len);
    return &g_array_index(profile->heap.alloc_sites, FcProfileAllocSite, index);
}

static void test_merge_into_empty(void)
{
    g_autoptr(FcProfile) sum = fc_profile_new();
    g_autoptr(FcProfile) one = heap_new();
    fc_profile_merge(sum, one);
    fixture_assert_equal(sum, one);
    /* One that did not record changes nothing of the heap. */
    g_autoptr(FcProfile) plain = fixture_plain_new();
    fc_profile_merge(sum, plain);
    g_assert_cmpuint(sum->heap.samples->len, ==, 3);
    g_assert_cmpuint(sum->heap.bytes, ==, 350);
}

static void test_merge(void)
{
    g_autoptr(FcProfile) sum = heap_new();
    g_autoptr(FcProfile) other = heap_new();
    /* Loaded elsewhere, and with a path of its own: main calls helper at once. */
    g_array_index(other->modules, FcProfileModule, 1).base = 0x9000;
    g_array_index(other->contexts, FcProfileContext, 2).parent = 0;
    FcProfileAllocSite *sites = &g_array_index(other->heap.alloc_sites, FcProfileAllocSite, 0);
    sites[1].point.site.address = 0x9110;
    other->heap.peak_bytes = 300;
    other->heap.peak_ns = 7000;
    sites[0].peak_bytes = 260;
    sites[1].peak_bytes = 40;
    sites[0].live_bytes = G_MAXUINT64;
    fc_profile_merge(sum, other);

    g_assert_cmpuint(sum->heap.allocations, ==, 8);
    g_assert_cmpuint(sum->heap.frees, ==, 6);
    g_assert_cmpuint(sum->heap.bytes, ==, 700);
    g_assert_cmpuint(sum->heap.map_bytes, ==, 8192);
    g_assert_cmpuint(sum->heap.peak_bytes, ==, 300);
    g_assert_cmpuint(sum->heap.peak_ns, ==, 7000);
    g_assert_cmpuint(sum->heap.samples->len, ==, 0);
    g_assert_cmpuint(sum->contexts->len, ==, 4);
    g_assert_cmpuint(sum->heap.alloc_sites->len, ==, 3);
    g_assert_cmpuint(alloc_site_at(sum, 0)->allocations, ==, 6);
    g_assert_cmpuint(alloc_site_at(sum, 0)->lifetime_ns, ==, 1800);
    g_assert_cmpuint(alloc_site_at(sum, 0)->sizes[7], ==, 6);
    g_assert_cmpuint(alloc_site_at(sum, 0)->peak_bytes, ==, 260);
    g_assert_cmpuint(alloc_site_at(sum, 0)->live_bytes, ==, G_MAXUINT64);
    g_assert_cmpuint(alloc_site_at(sum, 1)->peak_bytes, ==, 0);
    g_assert_cmpint(alloc_site_at(sum, 2)->point.context, ==, 3);
    g_assert_cmphex(alloc_site_at(sum, 2)->point.site.address, ==, 0x2110);
    g_assert_cmpuint(alloc_site_at(sum, 2)->peak_bytes, ==, 40);
    g_assert_cmpuint(sum->heap.bad_frees->len, ==, 2);
    const FcProfileBadFree *bad = &g_array_index(sum->heap.bad_frees, FcProfileBadFree, 1);
    g_assert_cmpint(bad->here.context, ==, FC_NONE);
    g_assert_cmpint(bad->allocated.context, ==, 1);
    g_assert_cmpint(bad->freed.context, ==, 3);
    g_assert_cmpuint(alloc_site_at(sum, 0)->indirect_bytes, ==, 200);
    g_assert_cmpint(alloc_site_at(sum, 0)->point.frames, ==, 1);
    g_assert_cmpint(bad->here.frames, ==, 0);
    g_assert_cmpuint(sum->heap.frames->len, ==, 2);
    g_assert_cmpuint(sum->heap.blocks->len, ==, 2);
    g_assert_cmpuint(g_array_index(sum->heap.blocks, FcProfileHeapBlock, 1).alloc_site, ==, 0);
    g_assert_cmpuint(sum->heap.scanned, ==, 1);

    /* The lower peak of a third one is no part of it, and its course none either. */
    g_autoptr(FcProfile) third = heap_new();
    fc_profile_merge(sum, third);
    g_assert_cmpuint(sum->heap.peak_bytes, ==, 300);
    g_assert_cmpuint(alloc_site_at(sum, 0)->peak_bytes, ==, 260);
    g_assert_cmpuint(alloc_site_at(sum, 1)->peak_bytes, ==, 0);
    g_assert_cmpuint(sum->heap.samples->len, ==, 0);
}

/* The same place by two kinds of call is two sites. */
static void test_merge_calls(void)
{
    g_autoptr(FcProfile) sum = heap_new();
    g_autoptr(FcProfile) other = heap_new();
    g_array_index(other->heap.alloc_sites, FcProfileAllocSite, 1).point.call = 7;
    fc_profile_merge(sum, other);
    g_assert_cmpuint(sum->heap.alloc_sites->len, ==, 3);
    g_assert_cmpuint(alloc_site_at(sum, 2)->point.call, ==, 7);
    g_assert_cmpuint(alloc_site_at(sum, 1)->allocations, ==, 1);
}

/* The same place by way of other frames is two places, and their blocks know which. */
static void test_merge_frames(void)
{
    g_autoptr(FcProfile) sum = heap_new();
    g_autoptr(FcProfile) other = heap_new();
    g_array_index(other->heap.frames, FcProfileHeapFrame, 0).location.offset = 0x24;
    other->heap.scanned = 0;
    fc_profile_merge(sum, other);
    g_assert_cmpuint(sum->heap.frames->len, ==, 4);
    g_assert_cmpint(g_array_index(sum->heap.frames, FcProfileHeapFrame, 3).parent, ==, 2);
    g_assert_cmpuint(sum->heap.alloc_sites->len, ==, 3);
    g_assert_cmpint(alloc_site_at(sum, 2)->point.frames, ==, 3);
    g_assert_cmpuint(alloc_site_at(sum, 1)->allocations, ==, 2);
    g_assert_cmpuint(g_array_index(sum->heap.blocks, FcProfileHeapBlock, 1).alloc_site, ==, 2);
    g_assert_cmpint(g_array_index(sum->heap.bad_frees, FcProfileBadFree, 1).here.frames, ==, 2);
    g_assert_cmpuint(sum->heap.scanned, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/profile/heap/exact-text", test_exact_text);
    g_test_add_func("/profile/heap/no-point", test_no_point);
    g_test_add_func("/profile/heap/not-recorded", test_not_recorded);
    g_test_add_func("/profile/heap/refused", test_refused);
    g_test_add_func("/profile/heap/passed-over", test_passed_over);
    g_test_add_func("/profile/heap/merge-into-empty", test_merge_into_empty);
    g_test_add_func("/profile/heap/merge", test_merge);
    g_test_add_func("/profile/heap/merge-calls", test_merge_calls);
    g_test_add_func("/profile/heap/merge-frames", test_merge_frames);
    return g_test_run();
}
