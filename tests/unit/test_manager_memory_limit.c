/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The manager stays below a limit of memory: it folds contexts before it hits it, and says so; and
 * what it says where it hits it all the same.
 */
#include "fcmanager/base/memory-limit.h"
#include "fcmanager/base/notice.h"
#include "fcmanager/counts/counts.h"
#include "tests/unit/asan.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

static guint64 address_space(void)
{
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    return g_ascii_strtoull(text, NULL, 10) * (guint64)sysconf(_SC_PAGESIZE);
}

static void take(gsize bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(memory != MAP_FAILED);
    memset(memory, 1, bytes);
}

static gboolean is_short_by_now(void)
{
    gboolean is_short = FALSE;
    for (guint i = 0; i < 1000; i++)
        is_short = fc_memory_is_short();
    return is_short;
}

static void test_folds(void)
{
    if (g_test_subprocess())
    {
        const guint64 limit = address_space() + 100 * MIB;
        FcModules *modules = fc_modules_new();
        FcCounts *counts = fc_counts_new(modules, &(FcCountsSizes){0});
        g_assert_false(is_short_by_now()); /* nobody asked */
        g_assert_cmpint(setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}), ==, 0);
        fc_memory_limit_start(-1);
        g_assert_false(is_short_by_now());
        g_assert_true(fc_counts_has_room(counts));
        g_assert_null(fc_memory_limit_reason());
        take(10 * MIB); /* for which the end may need as much as is left, but for a reserve */
        g_assert_false(is_short_by_now());
        take(10 * MIB);
        g_assert_true(is_short_by_now());
        g_assert_false(fc_counts_has_room(counts));
        g_autofree char *reason = fc_memory_limit_reason();
        g_autofree char *expected = g_strdup_printf(
            "address space (ulimit -v) is limited to %" G_GUINT64_FORMAT " MiB", limit / MIB);
        g_assert_cmpstr(reason, ==, expected);
        fc_counts_free(counts);
        fc_modules_free(modules);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
}

/* The sanitizer's allocator ends the process itself. */
static void test_is_told(void)
{
    if (g_test_subprocess())
    {
        fc_memory_limit_start(fc_notice_prepare(NULL));
        g_free(g_malloc(G_MAXSIZE / 2));
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*FCMng: no memory is left*the profile is lost*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (!FIXTURE_ASAN)
    {
        g_test_add_func("/memory-limit/folds", test_folds);
        g_test_add_func("/memory-limit/is-told", test_is_told);
    }
    return g_test_run();
}
