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

typedef struct
{
    char *path; /* NULL: not open yet */
    int fd;
    size_t bytes;
} InputFile;

/* Where FC_FUZZ_FILE names a file, that one: looking up a memfd by way of /proc takes longer than
 * reading it. */
static void open_file(InputFile *file, const char *suffix)
{
    const char *given = g_getenv("FC_FUZZ_FILE");

    if (given)
    {
        file->path = g_strconcat(given, suffix, NULL);
        file->fd = open(file->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        return;
    }
    file->fd = memfd_create("input", MFD_CLOEXEC);
    file->path = g_strdup_printf("/proc/self/fd/%d", file->fd);
}

static const char *fill_file(InputFile *file, const char *suffix, const uint8_t *data, size_t bytes)
{
    if (!file->path)
        open_file(file, suffix);
    /* Not emptied first: the kernel would give the memory away and clear it anew. */
    if (file->fd < 0 || pwrite(file->fd, data, bytes, 0) != (ssize_t)bytes ||
        (bytes < file->bytes && ftruncate(file->fd, (off_t)bytes) != 0))
        g_error("no file for the input");
    file->bytes = bytes;
    return file->path;
}

const char *fuzz_file(const uint8_t *data, size_t bytes)
{
    static InputFile file;
    return fill_file(&file, "", data, bytes);
}

const char *fuzz_second_file(const uint8_t *data, size_t bytes)
{
    static InputFile file;
    return fill_file(&file, ".second", data, bytes);
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
