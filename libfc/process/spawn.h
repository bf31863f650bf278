/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Starts fcmanager so that the program does not notice.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>

struct FcSession
{
    struct FcShared *shared; /* the mapping; NULL: transport `pipe` */
    uint32_t chunk_count;    /* its chunks; never read from the mapping, which others can write */
    int pipe_fd;             /* write end, with its final number */
    int reply_fd;            /* read end; -1 with shared memory */
    int manager_pid;         /* as /proc has it */
    uint64_t namespace;      /* PID namespace of manager_pid; 0: not known */
    int manager_pipe_fd; /* the numbers that descriptors have in fcmanager: the pipe's read end, */
    int manager_shared_fd; /* the shared memory, 0: none, */
    int manager_reply_fd;  /* the reply pipe's write end, 0: closed, */
    int manager_filter_fd; /* the memory of the user filter, 0: none */
};

/* Makes the pipe and the shared memory, starts fcmanager with the settings of fc_config, waits
 * until it is ready, and prints its greeting.  False: one of these failed; a notice was printed,
 * and nothing is left behind. */
bool fc_spawn_manager(struct FcSession *session);

enum FcReplied
{
    FC_REPLIED_NOT,    /* nothing came in time */
    FC_REPLIED_US,     /* and perhaps others */
    FC_REPLIED_OTHERS, /* only */
    FC_REPLIED_CLOSED, /* nothing will ever come */
};

/* Waits for what comes first from the reply pipe `fd`, and prints its text. */
enum FcReplied fc_spawn_read_reply(int fd, int timeout_ms);
