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

/* Removes the address from the environment, since the program is not to see it, and opens what
 * it names.  Checks that this is the pipe that was meant, and that manager, pipe and memory
 * belong to the same user. *parent is the key of the process that gave the address. */
enum FcJoin fc_join_session(struct FcSession *session, uint64_t *parent);

/* For a process that was profiled before the C library had set `environ`: to be called when it
 * has. */
void fc_join_set_environment(void);

/* Only removes the address, for a program that is not to be profiled. */
void fc_join_hide(void);

/* Makes the address for images that are executed from here on.  `session` NULL: they are not to
 * be profiled. */
void fc_join_announce(const struct FcSession *session);

/* NAME=VALUE of the address; NULL: there is none yet. */
const char *fc_join_address(void);
