/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The .fcd file of a session: which processes it had, and where the .fc file of each is.  Written
 * by fcmanager, read by fcdump and fcgprof.  Errors are FC_PROFILE_ERROR of fc-profile-file.h.
 */
#pragma once

#include <glib.h>

/* What a .fcd file begins with. */
#define FC_DESCRIPTOR_MAGIC "FunctionCheck descriptor file."

typedef struct
{
    gint64 id;          /* process or thread id */
    gint64 parent;      /* 0 with `is_thread` */
    gboolean is_thread; /* the file has "pthread_create" in place of the parent */
    char *file;         /* owned; as written, relative to the .fcd's folder or absolute */
} FcDescriptorEntry;

typedef struct
{
    gint64 started; /* seconds since the epoch */
    gint64 ended;
    GArray *entries; /* FcDescriptorEntry */
} FcDescriptor;

/* Returns an empty descriptor.  Never fails; the caller frees it with fc_descriptor_free. */
FcDescriptor *fc_descriptor_new(void);
/* Adds an entry.  Copies `file`. */
void fc_descriptor_add(FcDescriptor *descriptor, gint64 id, gint64 parent, gboolean is_thread,
                       const char *file);
void fc_descriptor_free(FcDescriptor *descriptor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcDescriptor, fc_descriptor_free)
FcDescriptor *fc_descriptor_read(const char *path, GError **error);
FcDescriptor *fc_descriptor_parse(const char *data, gsize bytes, GError **error);
GString *fc_descriptor_format(const FcDescriptor *descriptor);
/* Writes the file as fc_profile_write does. */
gboolean fc_descriptor_write(const FcDescriptor *descriptor, int dirfd, const char *path,
                             GError **error);

/* Returns the paths of the .fc files that the .fcd at `path` names, in its order: char *, owned by
 * the array (free with g_ptr_array_unref).  A name is relative to the .fcd's folder.  If no such
 * file is there, its base name is looked for beside the .fcd, so that a folder may be moved.  A
 * missing .fc file is not an error here. */
GPtrArray *fc_descriptor_files(const char *path, GError **error);
