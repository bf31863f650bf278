/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Starting fcmanager, out of the program's sight.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>

struct FcSession
{
    struct FcShared *shared; /* the mapping; NULL: transport `pipe` */
    uint32_t chunk_count;    /* in it; never taken from it, as others can write there */
    int pipe_fd;             /* write end, at its final number */
    int reply_fd;            /* read end; -1 with shared memory */
    int manager_pid;         /* as /proc has it */
    uint64_t namespace;      /* of its pids; 0: not known */
    int manager_pipe_fd;     /* numbers in fcmanager: of the pipe's read end, */
    int manager_shared_fd;   /* of the shared memory, 0: none, */
    int manager_reply_fd;    /* of the reply pipe's write end, 0: closed, */
    int manager_filter_fd;   /* and of the user filter, 0: none */
};

/* Makes pipe and shared memory, starts fcmanager with fc_config's settings and waits
 * until it is ready; prints its greeting.  False with nothing left behind, and the
 * user told by a notice, where any of that fails. */
bool fc_spawn_manager(struct FcSession *session);

enum FcReplied
{
    FC_REPLIED_NOT,    /* within the time */
    FC_REPLIED_US,     /* perhaps others as well */
    FC_REPLIED_OTHERS, /* only */
    FC_REPLIED_CLOSED, /* and never will */
};

/* Waits for what comes first from the reply pipe `fd`, and prints its text. */
enum FcReplied fc_spawn_read_reply(int fd, int timeout_ms);
