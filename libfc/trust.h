/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whom libfc believes: every file, folder and process that somebody else may have put where it
 * looks is checked here, by what the kernel says of it.  "Trusted" is what belongs to the effective
 * user or to root and what nobody else can write to.
 */
#pragma once

#include "libfc/text.h"

#include <stdbool.h>

/* Whether the process has more rights than who started it, who then must not choose for it where
 * files come from or go to: after the execution of a set-user-id, set-group-id or otherwise
 * privileged file, where real and effective user or group differ, and where the parent process is
 * of another user than this one, but not root. */
bool fc_trust_is_privileged(void);

/* Opens the regular file `name` in `folder`, both trusted, for reading.  Returns a descriptor;
 * -ENOENT: there is none, also where there are no descriptors left; -EPERM: it or the folder is not
 * trusted; -ELOOP: it is a symbolic link; -EINVAL: it is no regular file otherwise; another -errno:
 * it can't be opened. */
int fc_trust_open(const char *folder, const char *name);
/* Adds what such an error says of "the file", as " is a symbolic link". */
void fc_trust_add_reason(struct FcLine *line, long error);

/* Whether a part of `path`, from the working directory on and without .., is a symbolic link. */
bool fc_trust_has_link(const char *path);

/* Opens the /proc folder of process `pid`, which has the real and the effective user and group of
 * this process.  What is opened through the descriptor is of that very process, whoever gets
 * its number later.  -1: it is of other users, or gone. */
int fc_trust_open_process(int pid);

/* Opens anew what the process behind `process` (of fc_trust_open_process) has open as `fd`, if it
 * was made by the effective user; with `flags` and close-on-exec.  -1 where it is not so. */
int fc_trust_open_fd_of(int process, int fd, int flags);
