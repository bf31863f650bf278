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
    uint32_t chunk_count;    /* its chunks; not read from the mapping, which others can write */
    int pipe_fd;             /* write end, with its final number */
    int reply_fd;            /* read end; -1 with shared memory */
    int manager_pid;         /* its pid in /proc */
    uint64_t namespace;      /* PID namespace of manager_pid; 0: not known */
    int manager_pipe_fd;     /* descriptor numbers in fcmanager: the pipe's read end, */
    int manager_shared_fd;   /* the shared memory, 0: none, */
    int manager_reply_fd;    /* the reply pipe's write end, 0: closed, */
    int manager_filter_fd;   /* the memory of the user filter, 0: none */
};

/* Makes the pipe and the shared memory, starts fcmanager with the settings of fc_config, waits
 * until it is ready, and prints its greeting.  False: one of these failed, a notice was printed,
 * and everything is closed again. */
bool fc_spawn_manager(struct FcSession *session);

enum FcReplied
{
    FC_REPLIED_NOT,    /* no answer came in time */
    FC_REPLIED_US,     /* an answer for this process, perhaps also for others */
    FC_REPLIED_OTHERS, /* answers for other processes only */
    FC_REPLIED_CLOSED, /* no answer will ever come */
};

/* Waits at most `timeout_ms` for the next answer on the reply pipe `fd`, and prints its text. */
enum FcReplied fc_spawn_read_reply(int fd, int timeout_ms);
