/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whom libfc believes: every file, folder and process that somebody else may have put where it
 * looks is checked here, by what the kernel says of it.
 *
 * What is executed or read for settings belongs to root or to the effective user, and nobody else
 * can change it or a folder that leads to it (writers.h).  That holds for whoever has all his
 * rights from the user who started him; of others fc_trust_is_privileged tells, but not of one that
 * was set-user-id, has become its owner altogether and executed the program since.  So what
 * the environment names is executed only if it is root's, and an fcmanager, or if it is the
 * effective user's and group's, who is not root and has no capabilities.
 */
#pragma once

#include "libfc/base/text.h"
#include "libfc/base/writers.h"

#include <stdbool.h>

/* Whether the process has more rights than who started it, who then must not choose for it where
 * files come from or go to: after the execution of a set-user-id, set-group-id or otherwise
 * privileged file, and where real, effective and saved user or group are not all one. */
bool fc_trust_is_privileged(void);

/* Opens the regular file `name` in `folder` for reading.  Returns a descriptor;
 * -ENOENT: there is none, also where there are no descriptors left; another -errno: it is not to be
 * used, as fc_trust_add_reason says. */
int fc_trust_open(const char *folder, const char *name);

/* The path without links of a manager to execute, `path` of which is from the environment.
 * 0, or -errno. */
long fc_trust_find_named(const char *path, char real[FC_WRITERS_PATH]);
/* The same of one that was installed with libfc, the path of which is `libfc`: who can change libfc
 * is in this process already, so he may change that, too. */
long fc_trust_find_installed(const char *path, const char *libfc, char real[FC_WRITERS_PATH]);

/* Adds what such an error says, as "it is a symbolic link"; of the last call that failed. */
void fc_trust_add_reason(struct FcLine *line, long error);

/* Whether a part of `path`, from the working directory on and without .., is a symbolic link. */
bool fc_trust_has_link(const char *path);

/* Opens the /proc folder of process `pid`, which has the same ids of user and group as this
 * process, and no fewer rights.  What is opened through the descriptor is of that very process,
 * whoever gets its number later.  -1: it is of other users, or gone. */
int fc_trust_open_process(int pid);

/* Opens anew what the process behind `process` (of fc_trust_open_process) has open as `fd`, if it
 * was made by the effective user and group; with `flags` and close-on-exec.  -1 where it is not so.
 */
int fc_trust_open_fd_of(int process, int fd, int flags);

/* Whether what is open as `fd` was made by the effective user and group, and that user is root or
 * has no capabilities that another process of his may lack. */
bool fc_trust_is_own(int fd);
