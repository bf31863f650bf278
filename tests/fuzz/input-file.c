/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See input-file.h.
 */
#include "tests/fuzz/input-file.h"

#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *data, size_t bytes)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0)
    {
        fd = memfd_create("input", MFD_CLOEXEC);
        g_snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
        g_error("no file for the input");
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
    unsigned choice = 0;

    for (size_t i = 0; i < bytes; i++)
        choice = choice * 31 + data[i];
    return choice ^ choice >> 15;
}
