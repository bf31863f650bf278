/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See output.h.
 */
#include "profile/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct FcOutput
{
    char *path;   /* the file that is replaced */
    char *beside; /* the file that is written; NULL: `path` itself */
    gboolean was_there;
    FILE *stream;
};

static void output_free(FcOutput *output)
{
    g_free(output->path);
    g_free(output->beside);
    g_free(output);
}

static gboolean fail(GError **error)
{
    const int number = errno != 0 ? errno : EIO;
    g_set_error_literal(error, G_FILE_ERROR, g_file_error_from_errno(number), g_strerror(number));
    return FALSE;
}

/* Whether the new file can replace the old one.  If not, the old file itself is written: it has
 * other hard links, or its owner or mode can't be kept. */
static gboolean takes_location_of(int fd, const struct stat *old)
{
    return old->st_nlink == 1 && fchown(fd, old->st_uid, old->st_gid) == 0 &&
           fchmod(fd, old->st_mode & 07777) == 0;
}

/* Creates a new file beside the one to be replaced, and returns its descriptor.  -1: the file
 * itself must be written. */
static int create_beside(FcOutput *output)
{
    struct stat old;
    output->was_there = stat(output->path, &old) == 0;
    if (output->was_there ? !S_ISREG(old.st_mode) || access(output->path, W_OK) != 0
                          : errno != ENOENT)
        return -1;
    output->beside = g_strdup_printf("%s.XXXXXX", output->path);
    int fd = g_mkstemp_full(output->beside, O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0 && output->was_there && !takes_location_of(fd, &old))
    {
        close(fd);
        g_unlink(output->beside);
        fd = -1;
    }
    if (fd < 0)
        g_clear_pointer(&output->beside, g_free);
    return fd;
}

FcOutput *fc_output_begin(const char *path, GError **error)
{
    FcOutput *output = g_new0(FcOutput, 1);
    char *target = realpath(path, NULL);
    output->path = g_strdup(target ? target : path);
    free(target);
    struct stat link;
    const gboolean leads_nowhere =
        /* a dangling link: fopen creates its target */
        !target && lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    const int fd = leads_nowhere ? -1 : create_beside(output);
    output->stream = fd >= 0 ? fdopen(fd, "w") : fopen(path, "we");
    if (output->stream)
        return output;
    fail(error);
    if (output->beside)
        g_unlink(output->beside);
    output_free(output);
    return NULL;
}

FILE *fc_output_stream(const FcOutput *output)
{
    return output->stream;
}

/* Deletes an incomplete file that was written directly. */
static void take_away(const FcOutput *output)
{
    if (output->beside)
        g_unlink(output->beside);
    else if (!output->was_there && g_file_test(output->path, G_FILE_TEST_IS_REGULAR))
        g_unlink(output->path);
}

gboolean fc_output_end(FcOutput *output, gboolean good, GError **error)
{
    good = good && fflush(output->stream) == 0 && !ferror(output->stream);
    const int number = errno;
    if (fclose(output->stream) != 0 && good)
        good = FALSE;
    else if (!good)
        errno = number;
    if (good && output->beside && rename(output->beside, output->path) != 0)
        good = FALSE;
    if (!good)
    {
        fail(error);
        take_away(output);
    }
    output_free(output);
    return good;
}
