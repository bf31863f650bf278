/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See input-file.h.
 */
#include "tests/fuzz/input-file.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where FC_FUZZ_FILE names a file, that one: looking up a memfd by way of /proc takes longer than
 * reading it. */
static int open_file(const char **path)
{
    const char *given = g_getenv("FC_FUZZ_FILE");
    const int fd = given ? open(given, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                         : memfd_create("input", MFD_CLOEXEC);

    *path = given ? g_strdup(given) : g_strdup_printf("/proc/self/fd/%d", fd);
    return fd;
}

const char *fuzz_file(const uint8_t *data, size_t bytes)
{
    static const char *path;
    static int fd = -1;
    static size_t bytes_before;

    if (fd < 0)
        fd = open_file(&path);
    /* Not emptied first: the kernel would give the memory away and clear it anew. */
    if (fd < 0 || pwrite(fd, data, bytes, 0) != (ssize_t)bytes ||
        (bytes < bytes_before && ftruncate(fd, (off_t)bytes) != 0))
        g_error("no file for the input");
    bytes_before = bytes;
    return path;
}

FILE *fuzz_nowhere(void)
{
    static FILE *nowhere;

    if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
        g_error("/dev/null can't be written");
    return nowhere;
}

unsigned fuzz_choice(const uint8_t *data, size_t bytes)
{
    guint64 choice = bytes;

    while (bytes > 0)
    {
        const size_t part = MIN(bytes, sizeof choice);
        guint64 word = 0;

        memcpy(&word, data, part);
        choice = (choice ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        choice ^= choice >> 29;
        data += part;
        bytes -= part;
    }
    return (unsigned)(choice >> 32);
}
