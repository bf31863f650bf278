/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads and replaces whole files.  Called by the .fc and .fcd readers and writers.
 * Must never follow a symbolic link when it writes, nor leave a temporary file.
 */
#include "profile/file.h"
#include "profile/fc-profile-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

G_DEFINE_QUARK(fc - profile - error - quark, fc_profile_error)

enum
{
    READ_STEP_BYTES = 1 << 16,
    NAME_TRIES = 100,
    SMALL_BYTES_MAX = 1 << 28,
};

static gboolean fail(GError **error, const char *what, int number)
{
    g_set_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_IO, "%s%s", what, g_strerror(number));
    return FALSE;
}

gboolean fc_file_open(FcFileIn *file, const char *path, GError **error)
{
    struct stat status;
    *file = (FcFileIn){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    if (file->fd < 0)
        return fail(error, "", errno);
    if (fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode))
        file->size = (guint64)status.st_size;
    return TRUE;
}

gssize fc_file_next(FcFileIn *file, char *into, gsize room, GError **error)
{
    ssize_t got;
    do
        got = read(file->fd, into, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fail(error, "", errno);
    else
        file->done += (guint64)got;
    return got;
}

void fc_file_close(FcFileIn *file)
{
    close(file->fd);
}

static gboolean read_all(FcFileIn *file, const char *magic, GByteArray *data, GError **error)
{
    const gsize magic_bytes = strlen(magic);
    for (;;)
    {
        if (data->len > SMALL_BYTES_MAX)
            return fail(error, "", EFBIG);
        guint used = data->len;
        g_byte_array_set_size(data, used + READ_STEP_BYTES);
        gssize got = fc_file_next(file, (char *)data->data + used, READ_STEP_BYTES, error);
        g_byte_array_set_size(data, used + (got > 0 ? (guint)got : 0));
        if (got <= 0)
            return got == 0;
        /* Stops here, so as not to read a whole core dump or /dev/zero before saying that it is no
         * profile. */
        if (memcmp(data->data, magic, MIN(magic_bytes, data->len)) != 0)
            return TRUE;
    }
}

char *fc_file_read(const char *path, const char *magic, gsize *bytes, GError **error)
{
    FcFileIn file;
    if (!fc_file_open(&file, path, error))
        return NULL;
    GByteArray *data = g_byte_array_new();
    gboolean good = read_all(&file, magic, data, error);
    fc_file_close(&file);
    *bytes = data->len;
    if (!good)
    {
        g_byte_array_unref(data);
        return NULL;
    }
    /* Never NULL, not even for an empty file. */
    const guint8 terminator = 0;
    g_byte_array_append(data, &terminator, 1);
    return (char *)g_byte_array_free(data, FALSE);
}

/* Creates a new file beside `path`.  *name is its name, relative to dirfd. */
static int create_beside(int dirfd, const char *path, char **name, GError **error)
{
    const char *slash = strrchr(path, '/');
    const int folder_bytes = !slash ? 0 : (int)(slash - path + 1);

    for (int i = 0; i < NAME_TRIES; i++)
    {
        *name = g_strdup_printf("%.*s.fc-%08x%08x.tmp", folder_bytes, path, g_random_int(),
                                (guint)getpid());
        int fd = openat(dirfd, *name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        int number = errno;
        g_clear_pointer(name, g_free);
        if (number != EEXIST && number != EINTR)
        {
            fail(error, "cannot create a file in its folder: ", number);
            return -1;
        }
    }
    fail(error, "cannot create a file in its folder: ", EEXIST);
    return -1;
}

static gboolean write_all(int fd, const GString *text, GError **error)
{
    const char *from = text->str;
    gsize left = text->len;
    while (left > 0)
    {
        ssize_t written = write(fd, from, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail(error, "cannot write: ", written < 0 ? errno : ENOSPC);
        from += written;
        left -= (gsize)written;
    }
    return TRUE;
}

struct FcFileOut
{
    int dirfd;
    const char *path; /* belongs to the caller */
    char *name;       /* temporary name; NULL once the file is in place */
    int fd;
    GError *error; /* the first error */
};

FcFileOut *fc_file_begin(int dirfd, const char *path, GError **error)
{
    FcFileOut *file = g_new0(FcFileOut, 1);
    file->dirfd = dirfd;
    file->path = path;
    file->fd = create_beside(dirfd, path, &file->name, error);
    if (file->fd >= 0)
        return file;
    g_free(file->name);
    g_free(file);
    return NULL;
}

void fc_file_put(FcFileOut *file, const GString *text)
{
    if (!file->error)
        write_all(file->fd, text, &file->error);
}

gboolean fc_file_end(FcFileOut *file, GError **error)
{
    gboolean good = file->error == NULL;
    if (!good)
        g_propagate_error(error, file->error);
    /* Network file systems report a full disk here. */
    if (close(file->fd) != 0 && good && errno != EINTR)
        good = fail(error, "cannot write: ", errno);
    if (good && renameat(file->dirfd, file->name, file->dirfd, file->path) != 0)
        good = fail(error, "cannot put it in place: ", errno);
    if (!good)
        unlinkat(file->dirfd, file->name, 0);
    g_free(file->name);
    g_free(file);
    return good;
}

gboolean fc_file_replace(int dirfd, const char *path, const GString *text, GError **error)
{
    FcFileOut *file = fc_file_begin(dirfd, path, error);
    if (!file)
        return FALSE;
    fc_file_put(file, text);
    return fc_file_end(file, error);
}
