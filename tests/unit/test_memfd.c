/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory whose size is fixed, libfc's and fcmanager's, while another thread makes smaller whatever
 * comes at its descriptor: from then on it is as large as it was said to be.
 */
#include "fcmanager/base/memfd.h"
#include "libfc/stream/memfd.h"

#include <glib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES 65536
#define ROUNDS 5000

static int attacked; /* atomic: its number; -1 ends the attack */
static int rest;     /* atomic: what is left of it, in bytes */

static gpointer attack(gpointer unused)
{
    int fd = 0;
    while ((fd = __atomic_load_n(&attacked, __ATOMIC_RELAXED)) >= 0)
        if (ftruncate(fd, __atomic_load_n(&rest, __ATOMIC_RELAXED)) < 0)
            g_thread_yield(); /* not open, or sealed */
    return unused;
}

static GThread *start_attack(void)
{
    int next = dup(STDERR_FILENO);
    close(next);
    g_atomic_int_set(&attacked, next);
    return g_thread_new("attack", attack, NULL);
}

static void stop_attack(GThread *thread)
{
    g_atomic_int_set(&attacked, -1);
    g_thread_join(thread);
}

static goffset size_of(int fd)
{
    struct stat status;
    g_assert_cmpint(fstat(fd, &status), ==, 0);
    return status.st_size;
}

static void test_make(void)
{
    GThread *thread = start_attack();
    int made = 0;
    for (int i = 0; i < ROUNDS; i++)
    {
        g_atomic_int_set(&rest, (1 + i % 2) * 4096);
        int fd = fc_memfd_make("test", BYTES);
        if (fd < 0)
            continue; /* the other was faster */
        made++;
        g_assert_cmpint(size_of(fd), ==, BYTES);
        g_assert_cmpint(fc_memfd_bytes(fd), ==, BYTES);
        g_assert_cmpint(ftruncate(fd, 0), ==, -1);
        close(fd);
    }
    stop_attack(thread);
    g_assert_cmpint(made, >, 0);
}

static void test_seal(void)
{
    GThread *thread = start_attack();
    for (int i = 0; i < ROUNDS; i++)
    {
        g_atomic_int_set(&rest, (1 + i % 2) * 4096);
        int fd = memfd_create("test", MFD_ALLOW_SEALING);
        g_assert_cmpint(ftruncate(fd, BYTES), ==, 0);
        goffset size = fc_memfd_seal_size(fd);
        g_assert_cmpint(size, ==, size_of(fd));
        g_assert_cmpint(ftruncate(fd, 0), ==, -1);
        close(fd);
    }
    stop_attack(thread);
}

/* Nobody fixes the size of a file, and what was made without seals can't be. */
static void test_no_seals(void)
{
    int fds[] = {memfd_create("test", 0), memfd_create("test", MFD_ALLOW_SEALING)};
    g_assert_cmpint(fc_memfd_seal_size(fds[0]), ==, -1);
    g_assert_cmpint(fc_memfd_bytes(fds[0]), ==, -1);
    g_assert_cmpint(fc_memfd_bytes(fds[1]), ==, -1); /* nobody has set them */
    g_assert_cmpint(fc_memfd_seal_size(fds[1]), ==, 0);
    g_assert_cmpint(fc_memfd_bytes(fds[1]), ==, 0);
    for (guint i = 0; i < G_N_ELEMENTS(fds); i++)
        close(fds[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sealed/make", test_make);
    g_test_add_func("/sealed/seal", test_seal);
    g_test_add_func("/sealed/no-seals", test_no_seals);
    return g_test_run();
}
