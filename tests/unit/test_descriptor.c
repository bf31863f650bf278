/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * .fcd files: ours, the original's, broken ones, and where they say files are.
 */
#include "profile_fixture.h"

#include "profile/descriptor.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>

static FcDescriptor *parse(const char *text, gsize bytes, GError **error)
{
    g_autofree char *data = g_memdup2(text, bytes);
    return fc_descriptor_parse(data, bytes, error);
}

static FcDescriptor *example_new(void)
{
    FcDescriptor *descriptor = fc_descriptor_new();
    descriptor->started = 1000000000;
    descriptor->ended = 1000000042;
    fc_descriptor_add(descriptor, 100, 99, FALSE, "functioncheck.fc.100");
    fc_descriptor_add(descriptor, 101, 7, TRUE, "/out/functioncheck.fc.101");
    return descriptor;
}

static void test_exact_text(void)
{
    g_setenv("TZ", "UTC", TRUE);
    g_autoptr(FcDescriptor) descriptor = example_new();
    g_autoptr(GString) text = fc_descriptor_format(descriptor);
    g_assert_cmpstr(text->str, ==,
                    "FunctionCheck descriptor file.\n"
                    "2 processes treated.\n"
                    "Treatments started at: 2001-09-09 01:46:40 +0000\n"
                    "Treatments ended at: 2001-09-09 01:47:22 +0000\n"
                    "\n"
                    "Process id: 100\n"
                    "    parent: 99\n"
                    "      file: functioncheck.fc.100\n"
                    "\n"
                    "Process id: 101\n"
                    "    parent: pthread_create\n"
                    "      file: /out/functioncheck.fc.101\n");
}

static void test_round_trip(void)
{
    static const char *const names[] = {"a",           " ",    " a b ", "a\nProcess id: 1\n",
                                        "\\040",       "\xff", "\t",    "-",
                                        "caf\xc3\xa9", "a\\",  "\r",    "  two  "};
    g_autoptr(FcDescriptor) descriptor = example_new();
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        fc_descriptor_add(descriptor, -(gint64)i, G_MAXINT64, FALSE, names[i]);
    g_autoptr(GString) text = fc_descriptor_format(descriptor);
    g_autoptr(GError) error = NULL;
    g_autoptr(FcDescriptor) read = parse(text->str, text->len, &error);
    g_assert_no_error(error);
    g_assert_cmpint(read->started, ==, descriptor->started);
    g_assert_cmpint(read->ended, ==, descriptor->ended);
    g_assert_cmpuint(read->entries->len, ==, descriptor->entries->len);
    for (guint i = 0; i < read->entries->len; i++)
    {
        const FcDescriptorEntry *a = &g_array_index(descriptor->entries, FcDescriptorEntry, i);
        const FcDescriptorEntry *b = &g_array_index(read->entries, FcDescriptorEntry, i);
        g_assert_cmpint(a->id, ==, b->id);
        g_assert_cmpint(a->parent, ==, b->parent);
        g_assert_cmpint(a->is_thread, ==, b->is_thread);
        g_assert_cmpstr(a->file, ==, b->file);
    }
}

static void test_original(void)
{
    static const char text[] = "FunctionCheck descriptor file.\n"
                               "2 processes treated.\n"
                               "Treatments started at: 70/00/01 01:07:56\n"
                               "Treatments ended at: 102/02/15 13:13:00\n\n"
                               "Process id: 1024\n    parent: pthread_create\n"
                               "      file: .//functioncheck_thread.fc.1024\n\n"
                               "Process id: 1026\n    parent: 1024\n"
                               "      file: .//functioncheck_thread.fc.1026\n\n";
    g_setenv("TZ", "UTC", TRUE);
    g_autoptr(GError) error = NULL;
    g_autoptr(FcDescriptor) read = parse(text, sizeof text - 1, &error);
    g_assert_no_error(error);
    g_assert_cmpint(read->started, ==, 4076);
    g_assert_cmpint(read->ended, ==, 1016197980); /* 2002-03-15 13:13:00 */
    g_assert_cmpuint(read->entries->len, ==, 2);
    const FcDescriptorEntry *entry = &g_array_index(read->entries, FcDescriptorEntry, 0);
    g_assert_true(entry->is_thread);
    g_assert_cmpstr(entry->file, ==, ".//functioncheck_thread.fc.1024");
    g_assert_false(g_array_index(read->entries, FcDescriptorEntry, 1).is_thread);
}

/* A date that no one can read is no reason to refuse the files. */
static void test_odd_dates(void)
{
    static const char *const dates[] = {"soon", "99999-99-99 99:99:99 +9999", "0/0/0 0:0:0",
                                        "2001-09-09 01:46:40", "2001-09-09 01:46:40 nowhere"};
    for (guint i = 0; i < G_N_ELEMENTS(dates); i++)
    {
        g_autofree char *text = g_strdup_printf("FunctionCheck descriptor file.\n"
                                                "0 processes treated.\n"
                                                "Treatments started at: %s\n"
                                                "Treatments ended at: %s\n",
                                                dates[i], dates[i]);
        g_autoptr(GError) error = NULL;
        g_autoptr(FcDescriptor) read = parse(text, strlen(text), &error);
        g_assert_no_error(error);
        g_assert_cmpuint(read->entries->len, ==, 0);
    }
}

static void test_truncated(void)
{
    g_autoptr(FcDescriptor) descriptor = example_new();
    g_autoptr(GString) text = fc_descriptor_format(descriptor);
    for (gsize bytes = 0; bytes < text->len; bytes++)
    {
        g_autoptr(GError) error = NULL;
        g_autoptr(FcDescriptor) read = parse(text->str, bytes, &error);
        g_assert_null(read);
        g_assert_nonnull(error);
        g_assert_true(g_str_has_prefix(error->message, "line "));
    }
}

static void test_changed_bytes(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    g_autoptr(FcDescriptor) descriptor = example_new();
    g_autoptr(GString) text = fc_descriptor_format(descriptor);
    for (guint i = 0; i < 20000; i++)
    {
        g_autofree char *changed = g_memdup2(text->str, text->len);
        for (gint j = g_rand_int_range(rand, 1, 4); j > 0; j--)
            changed[g_rand_int_range(rand, 0, (gint)text->len)] = (char)g_rand_int(rand);
        g_autoptr(GError) error = NULL;
        g_autoptr(FcDescriptor) read = fc_descriptor_parse(changed, text->len, &error);
        g_assert_true((read == NULL) == (error != NULL));
    }
}

static void test_messages(void)
{
    static const char *const rows[][2] = {
        {"", "line 1: the file ends here, where \"FunctionCheck descriptor file.\" must follow"},
        {"functioncheck_v3.0\n",
         "line 1: this line must begin with \"FunctionCheck descriptor file.\""},
        {"FunctionCheck descriptor file.\nmany processes treated.\n",
         "line 2: the number of processes is not a number of 64 bits"},
        {"FunctionCheck descriptor file.\n2 processes treated.\nTreatments started at: x\n"
         "Treatments ended at: x\n\nProcess id: 1\n    parent: 2\n      file: a\n",
         "line 8: the file ends after 1 of 2 processes"},
        {"FunctionCheck descriptor file.\n1 processes treated.\nTreatments started at: x\n"
         "Treatments ended at: x\n\nProcess id: 1\n    parent: me\n      file: a\n",
         "line 7: the parent is not a number of 64 bits with sign"},
        {"FunctionCheck descriptor file.\n1 processes treated.\nTreatments started at: x\n"
         "Treatments ended at: x\n\nProcess id: 1\n    parent: 2\n      file:\n",
         "line 8: the file's name is missing"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    {
        g_autoptr(GError) error = NULL;
        g_assert_null(parse(rows[i][0], strlen(rows[i][0]), &error));
        g_assert_cmpstr(error->message, ==, rows[i][1]);
    }
}

/* ---- Files --------------------------------------------------------------------- */

static void make_file(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_true(g_file_set_contents(path, "x", 1, NULL));
}

static void assert_resolved(const GPtrArray *files, guint index, const char *folder,
                            const char *name)
{
    g_autofree char *expected = g_build_filename(folder, name, NULL);
    g_assert_cmpstr(g_ptr_array_index(files, index), ==, expected);
}

static void test_files(void)
{
    char *folder = fixture_folder_new();
    g_autofree char *path = g_build_filename(folder, "name.fcd", NULL);
    g_autofree char *absolute = g_build_filename(folder, "absolute.fc", NULL);
    make_file(folder, "relative.fc");
    make_file(folder, "absolute.fc");
    make_file(folder, "moved.fc.1");
    make_file(folder, "moved.fc.2");

    g_autoptr(FcDescriptor) descriptor = fc_descriptor_new();
    fc_descriptor_add(descriptor, 1, 0, FALSE, "relative.fc");
    fc_descriptor_add(descriptor, 2, 1, FALSE, absolute);
    fc_descriptor_add(descriptor, 3, 1, FALSE, "/nowhere/at/all/moved.fc.1");
    fc_descriptor_add(descriptor, 4, 1, FALSE, "out//moved.fc.2");
    fc_descriptor_add(descriptor, 5, 1, FALSE, "lost.fc");
    g_autoptr(GError) error = NULL;
    g_assert_true(fc_descriptor_write(descriptor, AT_FDCWD, path, &error));
    g_assert_no_error(error);

    g_autoptr(GPtrArray) files = fc_descriptor_files(path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(files->len, ==, 5);
    assert_resolved(files, 0, folder, "relative.fc");
    assert_resolved(files, 1, folder, "absolute.fc");
    assert_resolved(files, 2, folder, "moved.fc.1");
    assert_resolved(files, 3, folder, "moved.fc.2");
    assert_resolved(files, 4, folder, "lost.fc");

    g_assert_null(fc_descriptor_files(absolute, &error));
    g_assert_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_MALFORMED);
    g_clear_error(&error);
    g_assert_null(fc_descriptor_files(folder, &error));
    g_assert_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_IO);
    fixture_folder_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/descriptor/exact-text", test_exact_text);
    g_test_add_func("/descriptor/round-trip", test_round_trip);
    g_test_add_func("/descriptor/original", test_original);
    g_test_add_func("/descriptor/odd-dates", test_odd_dates);
    g_test_add_func("/descriptor/truncated", test_truncated);
    g_test_add_func("/descriptor/changed-bytes", test_changed_bytes);
    g_test_add_func("/descriptor/messages", test_messages);
    g_test_add_func("/descriptor/files", test_files);
    return g_test_run();
}
