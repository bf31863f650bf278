/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcmanager as a thread: what its main.c does, in the process that it profiles.  For
 * tests/race only.
 */
#include "tests/race/race.h"

#include "fcmanager/session/session.h"
#include "fcmanager/session/source.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct
{
    FcSessionSetup setup;
    int pipe_fd;
} Start;

/* The process that it follows is its own: this never returns. */
static void *manage(void *data)
{
    Start *start = data;
    FcSource *source = fc_source_new(start->pipe_fd, start->setup.profile_mode);
    start->setup.data = source;
    FcSession *session = fc_session_new(&start->setup);
    fc_session_greet(session);
    fc_source_run(source, session);
    return NULL;
}

void race_start_manager(int pipe_fd, int reply_fd, void *memory, size_t bytes)
{
    static Start start;
    pthread_t thread;
    start.pipe_fd = pipe_fd;
    start.setup = (FcSessionSetup){
        .reply_fd = reply_fd,
        .time_mode = FC_TIME_EXT, /* as the test says */
        .profile_mode = FC_MODE_FORK,
        .quiet = TRUE,
        .joined = fc_source_follow,
        .left = fc_source_unfollow,
        .find = fc_source_find,
        .forked = fc_source_forked,
        .notice_fd = -1,
        .files = fc_files_new(".", &(FcFilesNaming){.pattern = "race"}),
    };
    if (memory != NULL)
        start.setup.shared = fc_shared_new(memory, bytes, NULL);
    fcntl(reply_fd, F_SETFL, O_WRONLY | O_NONBLOCK);
    if ((memory != NULL && start.setup.shared == NULL) ||
        pthread_create(&thread, NULL, manage, &start) != 0)
        abort();
}
