/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who can change a file: its owner, those who may write by its mode, and the same for every folder
 * that leads to it, since a user who can write to a folder can replace a file in it.  libfc and
 * fcmanager ask this before they execute, load or read settings.  Nothing is derived from names:
 * descriptors are checked, and folders are walked up by "..", so a link, or a part that is
 * replaced meanwhile, changes nothing.
 *
 * A folder with the sticky bit, such as /tmp, lets others add files but not replace files of other
 * users, so it may be on the way.
 *
 * For one thread at a time: at the start.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define FC_WRITERS_PATH 4096

struct FcWriters
{
    uint32_t users[8];
    uint32_t groups[8];
    uint32_t user_count;
    uint32_t group_count;
    bool anybody;
};

/* root and the effective user.  Also the user's own group, if real and effective ids of user and
 * group are all one number other than root's, as Debian and Fedora assign them. */
void fc_writers_self(struct FcWriters *writers);

/* Adds those who can change the file at `path`. */
void fc_writers_add(struct FcWriters *writers, const char *path);

/* Opens the regular file `name` in `folder`, a descriptor, with `flags` and close-on-exec.  Does
 * not follow a link.  Returns a descriptor. -EPERM: users other than `writers` can change the
 * file, or a folder that leads to it, whose path is in `fault` then; `fault` is empty for the
 * file itself. -ELOOP: it is a symbolic link. -EINVAL: it is another kind of file.  Another
 * -errno: it can't be opened.  A folder may also belong to the owner of /, who is unknown in a
 * user namespace. */
long fc_writers_open(const struct FcWriters *writers, int folder, const char *name, int flags,
                     char fault[FC_WRITERS_PATH]);

/* The same for the file that `path` leads to, also through links.  `real` gets the path without
 * links, of which nobody else can change a part.  Needs /proc: -ENOSYS without. */
long fc_writers_open_path(const struct FcWriters *writers, const char *path, int flags,
                          char real[FC_WRITERS_PATH], char fault[FC_WRITERS_PATH]);
