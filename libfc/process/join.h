/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an executed image finds the session of the process that executed it: by an
 * address in its environment, or by the mark of a process above it.
 */
#pragma once

#include "libfc/process/spawn.h"

#include <stdbool.h>
#include <stdint.h>

enum FcJoin
{
    FC_JOIN_NONE,  /* no address, or a session that is over: start one */
    FC_JOIN_DONE,  /* `session` is filled in */
    FC_JOIN_LEAVE, /* the session wants no further processes: do not profile */
};

/* Takes the address out of the environment, as the program is not to see it, and opens what
 * it names.  Checks that it is the pipe that was meant, and that manager, pipe and memory are of
 * the same user. `parent` is the key of the process that gave the address. */
enum FcJoin fc_join_session(struct FcSession *session, uint64_t *parent);

/* For a process that was profiled before the C library had set `environ`: to be called then. */
void fc_join_set_environment(void);

/* Only takes it out of the environment, for a program that is not to be profiled. */
void fc_join_hide(void);

/* Makes the address that the images executed from here on get; `session` NULL: they
 * are to leave. */
void fc_join_announce(const struct FcSession *session);

/* NAME=VALUE of the address, NULL while there is none to give. */
const char *fc_join_address(void);
