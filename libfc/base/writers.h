/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who can change a file: its owner, those whom its mode lets write, and the same of every folder
 * that leads to it, as who can write to a folder can put another file in the place of one.  libfc
 * and fcmanager ask before they execute, load or read settings.  Nothing is guessed from names:
 * descriptors are asked, and folders are gone up by "..", so a link, or a part that is replaced
 * meanwhile, leads nowhere else.
 *
 * A folder with the sticky bit, as /tmp, lets others add files but not replace those of somebody
 * else; what belongs to the right users may lie there.
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

/* root and the effective user; and the group that is the user's own, where real and effective ids
 * of user and group are all one number other than root's, as Debian and Fedora give them. */
void fc_writers_self(struct FcWriters *writers);

/* Adds those who can change the file at `path`. */
void fc_writers_add(struct FcWriters *writers, const char *path);

/* Opens the regular file `name` in `folder`, a descriptor, with `flags` and close-on-exec, not
 * following a link.  Returns a descriptor; -EPERM: others than `writers` can change it, or a folder
 * that leads to it, of which `fault` is the path then, and empty if it is not a folder; -ELOOP: it
 * is a symbolic link; -EINVAL: it is no regular file otherwise; another -errno: it can't be opened.
 * A folder may also belong to the owner of /, who is not known in a user namespace. */
long fc_writers_open(const struct FcWriters *writers, int folder, const char *name, int flags,
                     char fault[FC_WRITERS_PATH]);

/* The same for the file that `path` leads to, by links if need be; `real` gets the path without
 * them, in which nobody else can change a part.  Needs /proc: -ENOSYS without. */
long fc_writers_open_path(const struct FcWriters *writers, const char *path, int flags,
                          char real[FC_WRITERS_PATH], char fault[FC_WRITERS_PATH]);
