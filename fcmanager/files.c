/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names and descriptor of the session's files: see files.h.
 */
#include "fcmanager/files.h"

#include <errno.h>
#include <fcntl.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct FcFiles
{
    int start_fd;    /* the directory the manager was started in; -1: could not be opened */
    int fd;          /* the output directory; -1: could not be opened yet */
    char *directory; /* as it was given */
    char *name;
    gboolean use_pid;
    char *descriptor_name; /* of its file; NULL: none was written */
    FcDescriptor *descriptor;
    GArray *orders;   /* guint64, of the descriptor's entries */
    GHashTable *used; /* file names */
};

static gboolean open_directory(FcFiles *files, GError **error)
{
    if (files->fd >= 0)
        return TRUE;
    files->fd = openat(files->start_fd, files->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (files->fd < 0)
    {
        int why = errno;
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(why), "can't open '%s': %s",
                    files->directory, g_strerror(why));
        return FALSE;
    }
    return TRUE;
}

FcFiles *fc_files_new(const char *directory, const char *name, gboolean use_pid)
{
    FcFiles *files = g_new0(FcFiles, 1);
    files->start_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    files->fd = -1;
    files->directory = g_strdup(directory);
    gboolean has_suffix = g_str_has_suffix(name, ".fc") && name[3] != '\0';
    files->name = g_strndup(name, strlen(name) - (has_suffix ? 3 : 0));
    files->use_pid = use_pid;
    files->descriptor = fc_descriptor_new();
    files->orders = g_array_new(FALSE, FALSE, sizeof(guint64));
    files->used = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return files;
}

void fc_files_free(FcFiles *files)
{
    if (files == NULL)
        return;
    if (files->fd >= 0)
        close(files->fd);
    if (files->start_fd >= 0)
        close(files->start_fd);
    g_free(files->directory);
    g_free(files->name);
    g_free(files->descriptor_name);
    fc_descriptor_free(files->descriptor);
    g_array_unref(files->orders);
    g_hash_table_unref(files->used);
    g_free(files);
}

gboolean fc_files_check(FcFiles *files, GError **error)
{
    return open_directory(files, error);
}

/* A name of this session's that it did not use before. */
static char *choose_name(FcFiles *files, gint64 id, gboolean several)
{
    g_autofree char *plain = g_strdup_printf("%s.fc", files->name);
    g_autofree char *base = files->use_pid
                                ? g_strdup_printf("%s.%" G_GINT64_FORMAT ".fc", files->name, id)
                            : several ? g_strdup_printf("%s.%" G_GINT64_FORMAT, plain, id)
                                      : g_strdup(plain);
    char *name = g_strdup(base);
    for (guint number = 2; g_hash_table_contains(files->used, name); number++)
    {
        g_free(name);
        name = g_strdup_printf("%s.%u", base, number);
    }
    return name;
}

/* A process comes before its children, though they may end before it. */
static void add_entry(FcFiles *files, gint64 id, gint64 parent, gboolean is_thread,
                      const char *name, guint64 order)
{
    guint at = files->orders->len;
    while (at > 0 && g_array_index(files->orders, guint64, at - 1) > order)
        at--;
    g_array_insert_val(files->orders, at, order);
    FcDescriptorEntry entry = {id, is_thread ? 0 : parent, is_thread, g_strdup(name)};
    g_array_insert_val(files->descriptor->entries, at, entry);
}

gboolean fc_files_write(FcFiles *files, const FcProfile *profile, gint64 id, gint64 parent,
                        gboolean is_thread, gboolean several, guint64 order, GError **error)
{
    if (!open_directory(files, error))
        return FALSE;
    g_autofree char *name = choose_name(files, id, several || files->descriptor->entries->len > 0);
    if (!fc_profile_write(profile, files->fd, name, error))
    {
        g_prefix_error(error, "can't write '%s/%s': ", files->directory, name);
        return FALSE;
    }
    add_entry(files, id, parent, is_thread, name, order);
    g_hash_table_add(files->used, g_steal_pointer(&name));
    return TRUE;
}

gboolean fc_files_describe(FcFiles *files, gint64 root_pid, gint64 started, gint64 ended,
                           GError **error)
{
    if (!open_directory(files, error))
        return FALSE;
    files->descriptor->started = started;
    files->descriptor->ended = ended;
    g_autofree char *name =
        files->use_pid ? g_strdup_printf("%s.%" G_GINT64_FORMAT ".fcd", files->name, root_pid)
                       : g_strdup_printf("%s.fcd", files->name);
    if (!fc_descriptor_write(files->descriptor, files->fd, name, error))
    {
        g_prefix_error(error, "can't write '%s/%s': ", files->directory, name);
        return FALSE;
    }
    g_free(files->descriptor_name);
    files->descriptor_name = g_steal_pointer(&name);
    return TRUE;
}

void fc_files_name_only_one(FcFiles *files)
{
    if (files->fd < 0 || files->descriptor->entries->len != 1)
        return;
    const FcDescriptorEntry *entry =
        &g_array_index(files->descriptor->entries, FcDescriptorEntry, 0);
    g_autofree char *plain = g_strdup_printf("%s.fc", files->name);
    if (!files->use_pid && g_strcmp0(entry->file, plain) != 0 &&
        renameat(files->fd, entry->file, files->fd, plain) < 0)
        return; /* the descriptor still leads to it */
    if (files->descriptor_name != NULL)
        unlinkat(files->fd, files->descriptor_name, 0);
}

guint fc_files_count(const FcFiles *files)
{
    return files->descriptor->entries->len;
}

char *fc_files_main_path(const FcFiles *files)
{
    guint count = files->descriptor->entries->len;
    if (count == 0)
        return NULL;
    const char *name =
        files->descriptor_name != NULL
            ? files->descriptor_name
            : g_array_index(files->descriptor->entries, FcDescriptorEntry, count - 1).file;
    return g_strdup_printf("%s/%s", files->directory, name);
}
