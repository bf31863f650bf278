/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing .fc files where the folder is hostile or full, and reading what is no
 * readable file.  Whatever fails must leave no temporary file and the old file whole.
 */
#include "profile_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
    char *folder;
    char *path; /* of a file in it that is not there yet */
} Place;

static void set_up(Place *place, gconstpointer data)
{
    place->folder = fixture_folder_new();
    place->path = g_build_filename(place->folder, "name.fc", NULL);
}

static void tear_down(Place *place, gconstpointer data)
{
    fixture_folder_remove(place->folder);
    g_free(place->path);
}

static void assert_written(const char *path, const FcProfile *profile)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) read = fc_profile_read(path, NULL, &error);
    g_assert_no_error(error);
    fixture_assert_equal(profile, read);
}

static void assert_refused(const FcProfile *profile, const char *path, int number)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(fc_profile_write(profile, AT_FDCWD, path, &error));
    g_assert_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_IO);
    if (!g_str_has_suffix(error->message, g_strerror(number)))
        g_error("\"%s\" does not end in \"%s\"", error->message, g_strerror(number));
}

static void test_write(Place *place, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) first = fixture_profile_new(1, 500);
    g_autoptr(FcProfile) second = fixture_profile_new(2, 20);
    const mode_t old_mask = umask(027);
    g_assert_true(fc_profile_write(first, AT_FDCWD, place->path, &error));
    umask(old_mask);
    g_assert_no_error(error);
    assert_written(place->path, first);
    GStatBuf status;
    g_assert_cmpint(g_stat(place->path, &status), ==, 0);
    g_assert_cmpint(status.st_mode & 07777, ==, 0640);

    /* Again, by way of the folder's descriptor: replaces the file. */
    const int folder = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_assert_cmpint(folder, >=, 0);
    g_assert_true(fc_profile_write(second, folder, "name.fc", &error));
    g_assert_no_error(error);
    close(folder);
    assert_written(place->path, second);
    g_assert_cmpuint(fixture_folder_count(place->folder), ==, 1);
}

/* A name as long as the file system takes. */
static void test_long_name(Place *place, gconstpointer data)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    g_autofree char *path = g_build_filename(place->folder, name, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_assert_true(fc_profile_write(profile, AT_FDCWD, path, &error));
    g_assert_no_error(error);
    assert_written(path, profile);
}

/* A link planted at the target's name is replaced, not followed. */
static void test_symlink(Place *place, gconstpointer data)
{
    g_autofree char *victim = g_build_filename(place->folder, "victim", NULL);
    g_assert_true(g_file_set_contents(victim, "precious", -1, NULL));
    g_assert_cmpint(symlink("victim", place->path), ==, 0);
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_assert_true(fc_profile_write(profile, AT_FDCWD, place->path, &error));
    g_assert_no_error(error);
    assert_written(place->path, profile);
    g_assert_false(g_file_test(place->path, G_FILE_TEST_IS_SYMLINK));
    g_autofree char *content = NULL;
    g_assert_true(g_file_get_contents(victim, &content, NULL, NULL));
    g_assert_cmpstr(content, ==, "precious");
}

/* Someone who guesses the temporary file's name gains nothing: with g_random's
 * seed known, links stand at the names that would be tried first. */
static void test_planted_names(Place *place, gconstpointer data)
{
    g_autofree char *victim = g_build_filename(place->folder, "victim", NULL);
    g_assert_true(g_file_set_contents(victim, "precious", -1, NULL));
    g_random_set_seed(42);
    for (int i = 0; i < 3; i++)
    {
        g_autofree char *name =
            g_strdup_printf("%s/.fc-%08x%08x.tmp", place->folder, g_random_int(), (guint)getpid());
        g_assert_cmpint(symlink("victim", name), ==, 0);
    }
    g_random_set_seed(42);
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_assert_true(fc_profile_write(profile, AT_FDCWD, place->path, &error));
    g_assert_no_error(error);
    assert_written(place->path, profile);
    /* The victim, three links, the file: the names did stand in the way. */
    g_assert_cmpuint(fixture_folder_count(place->folder), ==, 5);
    g_random_set_seed(42);
    g_autofree char *first =
        g_strdup_printf("%s/.fc-%08x%08x.tmp", place->folder, g_random_int(), (guint)getpid());
    g_assert_true(g_file_test(first, G_FILE_TEST_IS_SYMLINK));
    g_autofree char *content = NULL;
    g_assert_true(g_file_get_contents(victim, &content, NULL, NULL));
    g_assert_cmpstr(content, ==, "precious");
}

static void test_bad_targets(Place *place, gconstpointer data)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_autofree char *nowhere = g_build_filename(place->folder, "none", "name.fc", NULL);
    assert_refused(profile, nowhere, ENOENT);
    g_assert_cmpint(g_mkdir(place->path, 0755), ==, 0);
    assert_refused(profile, place->path, EISDIR);
    g_autofree char *below = g_build_filename(place->folder, "victim", "name.fc", NULL);
    g_autofree char *victim = g_path_get_dirname(below);
    g_assert_true(g_file_set_contents(victim, "precious", -1, NULL));
    assert_refused(profile, below, ENOTDIR);
    g_assert_cmpuint(fixture_folder_count(place->folder), ==, 2);
}

/* Gives up root's rights to all files for a while.  FALSE: could not. */
static gboolean become_nobody(void)
{
    return geteuid() != 0 || seteuid(65534) == 0;
}

static void become_self(void)
{
    if (getuid() == 0)
        g_assert_cmpint(seteuid(0), ==, 0);
}

static void test_rights(Place *place, gconstpointer data)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_assert_true(fc_profile_write(profile, AT_FDCWD, place->path, NULL));
    g_assert_cmpint(g_chmod(place->path, 0), ==, 0);
    g_assert_cmpint(g_chmod(place->folder, 0511), ==, 0);
    if (!become_nobody())
    {
        g_test_skip("cannot give up root's rights");
        return;
    }
    g_autoptr(GError) error = NULL;
    FcProfile *read = fc_profile_read(place->path, NULL, &error);
    g_autofree char *other = g_build_filename(place->folder, "other.fc", NULL);
    assert_refused(profile, other, EACCES);
    become_self();
    g_assert_null(read);
    g_assert_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_IO);
    g_assert_cmpstr(error->message, ==, g_strerror(EACCES));
    g_assert_cmpint(g_chmod(place->folder, 0711), ==, 0);
    g_assert_cmpuint(fixture_folder_count(place->folder), ==, 1);
}

/* The disk is full after some bytes: RLIMIT_FSIZE stops each write there, first
 * with a short one. */
static void test_full(Place *place, gconstpointer data)
{
    g_autoptr(FcProfile) old = fixture_plain_new();
    g_autoptr(FcProfile) profile = fixture_profile_new(3, 200);
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_true(fc_profile_write(old, AT_FDCWD, place->path, NULL));
    struct rlimit limit;
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &limit), ==, 0);
    signal(SIGXFSZ, SIG_IGN);
    static const guint reserves[] = {1, 100, 4096};
    for (guint i = 0; i < G_N_ELEMENTS(reserves); i++)
    {
        const struct rlimit low = {text->len - reserves[i], limit.rlim_max};
        g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &low), ==, 0);
        g_autoptr(GError) error = NULL;
        const gboolean written = fc_profile_write(profile, AT_FDCWD, place->path, &error);
        g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
        g_assert_false(written);
        g_assert_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_IO);
        g_assert_true(g_str_has_suffix(error->message, g_strerror(EFBIG)));
        g_assert_cmpuint(fixture_folder_count(place->folder), ==, 1);
        assert_written(place->path, old);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void assert_unreadable(const char *path, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(fc_profile_read(path, NULL, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, ==, message);
}

static void test_unreadable(Place *place, gconstpointer data)
{
    assert_unreadable(place->path, g_strerror(ENOENT));
    assert_unreadable(place->folder, g_strerror(EISDIR));
    assert_unreadable("/dev/null", "line 1: the file is empty");
    /* Without end. */
    assert_unreadable("/dev/zero", "line 1: not a FunctionCheck profile");
    g_assert_cmpint(symlink("name.fc", place->path), ==, 0);
    assert_unreadable(place->path, g_strerror(ELOOP));
}

#define ADD(name, function)                                                                        \
    g_test_add("/profile/files/" name, Place, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("write", test_write);
    ADD("long-name", test_long_name);
    ADD("symlink", test_symlink);
    ADD("planted-names", test_planted_names);
    ADD("bad-targets", test_bad_targets);
    ADD("rights", test_rights);
    ADD("full", test_full);
    ADD("unreadable", test_unreadable);
    return g_test_run();
}
