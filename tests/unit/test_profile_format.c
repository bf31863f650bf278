/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What goes into a .fc file comes out of it, and a reader of version 3.0 that was
 * written after the manual's scanf formats alone reads the first part.
 */
#include "profile_fixture.h"

#include <stdio.h>
#include <string.h>

static FcProfile *through_text(const FcProfile *profile)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_true(g_utf8_validate(text->str, (gssize)text->len, NULL));
    /* Not terminated, so that reading too far is seen by the sanitizers. */
    g_autofree char *data = g_memdup2(text->str, text->len);
    FcProfile *read = fc_profile_parse(data, text->len, &error);
    g_assert_no_error(error);
    return read;
}

static void test_round_trip(void)
{
    for (guint32 seed = 0; seed < 300; seed++)
    {
        g_autoptr(FcProfile) profile = fixture_profile_new(seed, seed % 23);
        g_autoptr(FcProfile) read = through_text(profile);
        fixture_assert_equal(profile, read);
    }
}

static void test_any_byte(void)
{
    g_autoptr(FcProfile) profile = fc_profile_new();
    g_autoptr(GPtrArray) arguments = g_ptr_array_new();
    for (int byte = 1; byte < 256; byte++)
    {
        g_ptr_array_add(arguments, g_strdup_printf("%c", byte));
        g_ptr_array_add(arguments, g_strdup_printf("a%cb", byte));
        g_ptr_array_add(arguments, g_strdup_printf("%c%c", byte, byte));
    }
    g_ptr_array_add(arguments, NULL);
    profile->command_line = (GStrv)g_ptr_array_steal(arguments, NULL);
    g_autoptr(FcProfile) read = through_text(profile);
    fixture_assert_equal(profile, read);
}

/* ---- Version 3.0 ---------------------------------------------------------------- */

static char word[1 << 16];

static guint64 rounded_us(guint64 time_ns, guint64 limit)
{
    return MIN(time_ns / 1000 + (time_ns % 1000) / 500, limit);
}

static void check_head(FILE *in, const FcProfile *profile)
{
    int number;
    unsigned us;
    g_assert_cmpint(fscanf(in, "%s", word), ==, 1);
    g_assert_cmpstr(word, ==, "functioncheck_v3.0");
    g_assert_cmpint(fscanf(in, "%s", word), ==, 1);
    g_autofree char *id =
        g_strconcat(profile->unique_id, profile->extended ? "+sections" : "", NULL);
    g_assert_cmpstr(word, ==, id);
    g_assert_cmpint(fscanf(in, "%d", &number), ==, 1);
    g_assert_cmpint(number, ==, profile->time_mode);
    g_assert_cmpint(fscanf(in, "%d", &number), ==, 1);
    g_assert_cmpint(number, ==, profile->profile_mode);
    g_assert_cmpint(fscanf(in, "%d", &number), ==, 1);
    g_assert_cmpint(number, ==, profile->pid);
    g_assert_cmpint(fscanf(in, "%d", &number), ==, 1);
    g_assert_cmpint(number, ==, profile->ppid);
    g_assert_cmpint(fscanf(in, "%u", &us), ==, 1);
    g_assert_cmpuint(us, ==, rounded_us(profile->run_ns, G_MAXUINT32));
}

/* Every pair must be there once, with the sum of the model's calls. */
static void check_graph(FILE *in, const FcProfile *profile)
{
    int count;
    guint arcs = 0;
    g_assert_cmpint(fscanf(in, "%d", &count), ==, 1);
    for (int i = 0; i < count; i++)
    {
        void *from;
        void *to;
        int calls;
        guint64 expected = 0;
        g_assert_cmpint(fscanf(in, "%p%p%d", &from, &to, &calls), ==, 3);
        for (guint j = 0; j < profile->arcs->len; j++)
        {
            const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, j);
            const FcProfileFunction *callee =
                &g_array_index(profile->functions, FcProfileFunction, arc->callee);
            if (arc->site.address != (guint64)from || callee->location.address != (guint64)to)
                continue;
            expected += arc->calls;
            arcs++;
        }
        g_assert_cmpuint((guint64)calls, ==, MIN(expected, G_MAXINT32));
    }
    g_assert_cmpuint(arcs, ==, profile->arcs->len);
}

static void check_functions(FILE *in, const FcProfile *profile)
{
    int count;
    g_assert_cmpint(fscanf(in, "%d", &count), ==, 1);
    g_assert_cmpint(count, ==, (int)profile->functions->len);
    for (int i = 0; i < count; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        void *address;
        int calls;
        long long local;
        long long total;
        unsigned least;
        unsigned greatest;
        unsigned local_least;
        unsigned local_greatest;
        g_assert_cmpint(fscanf(in, "%p%d%lld%lld%u%u%u%u", &address, &calls, &local, &total, &least,
                               &greatest, &local_least, &local_greatest),
                        ==, 8);
        g_assert_cmphex((guint64)address, ==, function->location.address);
        g_assert_cmpint(calls, ==, (int)MIN(function->calls, G_MAXINT32));
        g_assert_cmpint(local, ==, (long long)rounded_us(function->times.local_ns, G_MAXINT64));
        g_assert_cmpint(total, ==, (long long)rounded_us(function->times.total_ns, G_MAXINT64));
        g_assert_cmpuint(least, ==, rounded_us(function->bounds.total_min_ns, G_MAXUINT32));
        g_assert_cmpuint(greatest, ==, rounded_us(function->bounds.total_max_ns, G_MAXUINT32));
        g_assert_cmpuint(local_least, ==, rounded_us(function->bounds.local_min_ns, G_MAXUINT32));
        g_assert_cmpuint(local_greatest, ==,
                         rounded_us(function->bounds.local_max_ns, G_MAXUINT32));
    }
}

static void check_libraries(FILE *in, const FcProfile *profile)
{
    int count;
    g_autoptr(GHashTable) paths = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < profile->modules->len; i++)
    {
        const char *path = g_array_index(profile->modules, FcProfileModule, i).path;
        if (*path != '\0' && g_strcmp0(path, profile->executable) != 0)
            g_hash_table_add(paths, (gpointer)path);
    }
    g_assert_cmpint(fscanf(in, "%d", &count), ==, 1);
    g_assert_cmpint(count, ==, (int)g_hash_table_size(paths));
    for (int i = 0; i < count; i++)
    {
        void *base;
        gboolean found = FALSE;
        g_assert_cmpint(fscanf(in, "%p%s", &base, word), ==, 2);
        for (guint j = 0; j < profile->modules->len; j++)
            found |= g_array_index(profile->modules, FcProfileModule, j).base == (guint64)base;
        g_assert_true(found);
        if (strchr(word, '\\') == NULL)
            g_assert_true(g_hash_table_contains(paths, word));
    }
}

static void check_stack(FILE *in, const FcProfileBlock *block)
{
    void *address;
    for (guint i = 0; i < block->stack->len; i++)
    {
        g_assert_cmpint(fscanf(in, "%p", &address), ==, 1);
        g_assert_cmphex((guint64)address, ==, g_array_index(block->stack, guint64, i));
    }
    g_assert_cmpint(fscanf(in, "%p", &address), ==, 1);
    g_assert_null(address);
}

static void check_memory(FILE *in, const FcProfile *profile)
{
    int count;
    g_assert_cmpint(fscanf(in, "%d", &count), ==, 1);
    g_assert_cmpint(count, ==, (int)profile->leaks->len);
    for (guint i = 0; i < profile->leaks->len; i++)
    {
        const FcProfileBlock *block = &g_array_index(profile->leaks, FcProfileBlock, i);
        void *address;
        void *site;
        void *realloc_site;
        int size;
        g_assert_cmpint(fscanf(in, "%p%d%p%p", &address, &size, &site, &realloc_site), ==, 4);
        g_assert_cmphex((guint64)address, ==, block->pointer);
        g_assert_cmpint(size, ==, (int)block->size_bytes);
        g_assert_cmphex((guint64)site, ==, block->site);
        g_assert_cmphex((guint64)realloc_site, ==, block->realloc_site);
        check_stack(in, block);
    }
    const GArray *const wrong[] = {profile->bad_frees, profile->bad_reallocs};
    for (guint list = 0; list < G_N_ELEMENTS(wrong); list++)
    {
        g_assert_cmpint(fscanf(in, "%d", &count), ==, 1);
        g_assert_cmpint(count, ==, (int)wrong[list]->len);
        for (guint i = 0; i < wrong[list]->len; i++)
        {
            const FcProfileBlock *block = &g_array_index(wrong[list], FcProfileBlock, i);
            void *site;
            void *pointer;
            g_assert_cmpint(fscanf(in, "%p%p", &site, &pointer), ==, 2);
            g_assert_cmphex((guint64)site, ==, block->site);
            g_assert_cmphex((guint64)pointer, ==, block->pointer);
            check_stack(in, block);
        }
    }
}

static void test_version_3_reader(void)
{
    for (guint32 seed = 0; seed < 100; seed++)
    {
        g_autoptr(FcProfile) profile = fixture_profile_new(seed, 1 + seed % 23);
        g_free(profile->unique_id);
        profile->unique_id = g_strdup("host.1234.5678");
        profile->thread_id = 0;
        profile->run_ns >>= seed % 2 * 24;
        profile->pid &= G_MAXINT32;
        profile->ppid &= G_MAXINT32;
        profile->extended = seed % 3 != 0;

        g_autoptr(GString) text = fc_profile_format(profile);
        FILE *in = fmemopen(text->str, text->len, "r");
        g_assert_nonnull(in);
        check_head(in, profile);
        check_graph(in, profile);
        check_functions(in, profile);
        check_libraries(in, profile);
        check_memory(in, profile);
        const int more = fscanf(in, "%s", word);
        g_assert_cmpint(more, ==, profile->extended ? 1 : EOF);
        if (profile->extended)
            g_assert_cmpstr(word, ==, "section");
        fclose(in);
    }
}

static void test_exact_text(void)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    profile->executable = g_strdup("/bin/app");
    profile->extended = FALSE;
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_cmpstr(text->str, ==,
                    "functioncheck_v3.0\none\n1\n2\n10\n9\n5\n"
                    "3\n0x1010 0x1100 1\n0x1110 0x1200 2\n0x1210 0x2100 4\n"
                    "3\n0x1100 1 1 5 5 5 1 1\n0x1200 2 3 4 1 3 1 3\n0x2100 4 1 1 0 1 0 1\n"
                    "1\n0x2000 /lib/lib.so\n0\n0\n0\n");
}

/* In THREAD mode the process lines name the thread. */
static void test_thread_mode(void)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    profile->profile_mode = 3;
    profile->thread_id = 77;
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_true(g_str_has_prefix(text->str, "functioncheck_v3.0\none+sections\n1\n3\n77\n9\n"));
    g_autoptr(FcProfile) read = through_text(profile);
    fixture_assert_equal(profile, read);
}

/* A thread's own profile lists no functions of the thread: all of it is. */
static void test_thread_functions(void)
{
    for (gint64 tid = 0; tid <= 77; tid += 77)
    {
        g_autoptr(FcProfile) profile = fixture_plain_new();
        const FcProfileThread thread = {.tid = 77};
        g_array_append_val(profile->threads, thread);
        profile->thread_id = tid;
        g_autoptr(FcProfile) read = through_text(profile);
        const FcProfileThread *there = &g_array_index(read->threads, FcProfileThread, 0);
        g_assert_cmpuint(there->functions->len, ==, tid == 0 ? 0 : profile->functions->len);
        for (guint i = 0; i < there->functions->len; i++)
        {
            const FcProfileFunction *whole =
                &g_array_index(profile->functions, FcProfileFunction, i);
            const FcProfileThreadFunction *own =
                &g_array_index(there->functions, FcProfileThreadFunction, i);
            g_assert_cmpuint(own->function, ==, i);
            g_assert_cmpuint(own->calls, ==, whole->calls);
            g_assert_cmpuint(own->times.total_ns, ==, whole->times.total_ns);
            g_assert_cmpuint(own->times.local_ns, ==, whole->times.local_ns);
            g_assert_cmpuint(own->times.local_cost_ns, ==, whole->times.local_cost_ns);
            g_assert_cmpuint(own->times.local_wait_ns, ==, whole->times.local_wait_ns);
        }
    }
}

/* ---- Files of the original -------------------------------------------------------- */

static const char original[] = "functioncheck_v3.0\n1024-xyz\n2\n2\n-12\n1\n2500\n"
                               "2\n0x8048010 0x8048100 1\n0x40001010\t0x8048200 3\n"
                               "1\n0x8048100 1 20 2500 2500 2500 20 20\n"
                               "2\n0x40000000 /lib/libc.so.6\n0x50000000 /lib/a b.so\n";

static void check_original(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) profile = fc_profile_parse(text, strlen(text), &error);
    g_assert_no_error(error);
    g_assert_false(profile->extended);
    g_assert_cmpstr(profile->unique_id, ==, "1024-xyz");
    g_assert_cmpint(profile->pid, ==, -12);
    g_assert_cmpuint(profile->run_ns, ==, 2500000);
    /* The called function without a line of its own gets one. */
    g_assert_cmpuint(profile->functions->len, ==, 2);
    const FcProfileFunction *function = &g_array_index(profile->functions, FcProfileFunction, 0);
    g_assert_cmpuint(function->times.local_ns, ==, 20000);
    g_assert_cmpuint(function->times.total_ns, ==, 2500000);
    g_assert_cmpint(function->location.module, ==, FC_NONE);
    g_assert_cmphex(g_array_index(profile->functions, FcProfileFunction, 1).location.address, ==,
                    0x8048200);
    g_assert_cmpuint(profile->arcs->len, ==, 2);
    const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, 1);
    g_assert_cmpint(arc->caller, ==, FC_NONE);
    g_assert_cmpuint(arc->callee, ==, 1);
    g_assert_cmpuint(arc->calls, ==, 3);
    g_assert_cmpint(arc->site.module, ==, 0);
    g_assert_cmphex(arc->site.offset, ==, 0x1010);
    g_assert_cmpstr(g_array_index(profile->modules, FcProfileModule, 1).path, ==, "/lib/a b.so");
}

static void test_original(void)
{
    check_original(original);
    g_autofree char *empty_memory = g_strconcat(original, "0\n0\n0\n", NULL);
    check_original(empty_memory);
    g_autofree char *memory =
        g_strconcat(original,
                    "2\n0x10 8 0x8048111 (nil) 0x8048222 0x8048333 (nil)\n0x20 9 0 0x0 (nil)\n"
                    "1\n0x8048444 0x30 0x8048555 (nil)\n\n0\n",
                    NULL);
    check_original(memory);
    g_autoptr(FcProfile) profile = fc_profile_parse(memory, strlen(memory), NULL);
    g_assert_cmpuint(profile->leaks->len, ==, 2);
    const FcProfileBlock *leak = &g_array_index(profile->leaks, FcProfileBlock, 0);
    g_assert_cmpuint(leak->size_bytes, ==, 8);
    g_assert_cmpuint(leak->stack->len, ==, 2);
    g_assert_cmphex(g_array_index(leak->stack, guint64, 1), ==, 0x8048333);
    g_assert_cmphex(g_array_index(profile->bad_frees, FcProfileBlock, 0).pointer, ==, 0x30);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/profile/format/round-trip", test_round_trip);
    g_test_add_func("/profile/format/any-byte", test_any_byte);
    g_test_add_func("/profile/format/version-3-reader", test_version_3_reader);
    g_test_add_func("/profile/format/exact-text", test_exact_text);
    g_test_add_func("/profile/format/thread-mode", test_thread_mode);
    g_test_add_func("/profile/format/thread-functions", test_thread_functions);
    g_test_add_func("/profile/format/original", test_original);
    return g_test_run();
}
