/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks every file, folder and process that another user may have put in libfc's way, by what the
 * kernel says of it.
 *
 * What is executed or read for settings belongs to root or to the effective user, and nobody else
 * can change it or a folder that leads to it (writers.h).  This protects a process that has no
 * more rights than the user who started it. fc_trust_is_privileged detects others, except a
 * set-user-id program that has become its owner altogether and then executed this one.  So a file
 * named by the environment is executed only if it is root's and an fcmanager, or if it is the
 * effective user's and group's, and that user is not root and has no capabilities.
 */
#pragma once

#include "libfc/base/text.h"
#include "libfc/base/writers.h"

#include <stdbool.h>

/* Whether the process has more rights than the user who started it, who must not choose then
 * where its files come from or go to.  True after a set-user-id, set-group-id or otherwise
 * privileged file was executed, and if real, effective and saved user or group differ. */
bool fc_trust_is_privileged(void);

/* Opens the regular file `name` in `folder` for reading.  Returns a descriptor. -ENOENT: there
 * is none, or no descriptor is left; another -errno: it is not to be used, for the reason that
 * fc_trust_add_reason adds. */
int fc_trust_open(const char *folder, const char *name);

/* Writes the path, without links, of a manager to execute to `real`.  `path` is from the
 * environment.  Returns 0 or -errno. */
long fc_trust_find_named(const char *path, char real[FC_WRITERS_PATH]);
/* The same for one that was installed with libfc, which has the path `libfc`.  Users who can
 * change libfc may change it as well: they are in this process already. */
long fc_trust_find_installed(const char *path, const char *libfc, char real[FC_WRITERS_PATH]);

/* Adds what `error` of the last failed call means, such as "it is a symbolic link". */
void fc_trust_add_reason(struct FcLine *line, long error);

/* Whether a part of `path`, which begins at the working directory and has no .., is a symbolic
 * link. */
bool fc_trust_has_link(const char *path);

/* Opens the /proc folder of process `pid` if that has the same user and group ids as this
 * process, and no fewer rights.  What is opened through the descriptor belongs to that very
 * process, even if its number is reused. -1: it belongs to others, or is gone. */
int fc_trust_open_process(int pid);

/* Opens again, with `flags` and close-on-exec, what the process of `process`
 * (fc_trust_open_process) has open as `fd`, if the effective user and group made that. -1
 * otherwise. */
int fc_trust_open_fd_of(int process, int fd, int flags);

/* Whether the effective user and group made what is open as `fd`, and that user is root or has
 * no capabilities that another process of the same user may lack. */
bool fc_trust_is_own(int fd);
