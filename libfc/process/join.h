/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an executed image finds the session of the process that executed it: by an address in its
 * environment, or by the mark of a parent process.
 */
#pragma once

#include "libfc/process/spawn.h"

#include <stdbool.h>
#include <stdint.h>

enum FcJoin
{
    FC_JOIN_NONE,  /* no address, or its session is over: start a session */
    FC_JOIN_DONE,  /* `session` is filled in */
    FC_JOIN_LEAVE, /* the session wants no more processes: do not profile */
};

/* Removes the address from the environment, so that the program does not see it, and opens the
 * session's pipe and memory.  Checks that the pipe is the one in the address, and that manager,
 * pipe and memory belong to this user.  Sets *parent to the key of the process that gave the
 * address if the result is FC_JOIN_DONE. */
enum FcJoin fc_join_session(struct FcSession *session, uint64_t *parent);

/* Called when the C library has set `environ`.  If profiling started before that, removes the
 * address from `environ` now. */
void fc_join_set_environment(void);

/* Only removes the address, for a program that is not to be profiled. */
void fc_join_hide(void);

/* Makes the address for images that are executed from here on.  `session` NULL: these are not
 * profiled. */
void fc_join_announce(const struct FcSession *session);

/* Returns the environment entry NAME=VALUE of the address; NULL: there is none yet.  libfc owns
 * it. */
const char *fc_join_address(void);
