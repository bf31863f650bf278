/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In place of libfc/process/spawn.c: the manager is a thread of this process (manager.c), so that
 * ThreadSanitizer sees both sides of the shared chunks.  For tests/race only.
 */
#include "libfc/process/spawn.h"

#include "libfc/base/config.h"
#include "libfc/base/sys.h"
#include "libfc/stream/channel.h"
#include "tests/race/race.h"

#include <fcntl.h>
#include <sys/mman.h>

/* Few, so that threads wait for them and share pipes; a quarter of them are for counts, and each
 * thread that counts has one of those. */
#if defined(FC_TEST_EAGER)
#define CHUNKS 96u
#else
#define CHUNKS 24u
#endif

static struct FcShared *make_shared(size_t bytes)
{
    char *at = mmap(NULL, bytes + FC_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    struct FcShared *shared =
        (struct FcShared *)(((uintptr_t)at + FC_CHUNK_BYTES - 1) & -(uintptr_t)FC_CHUNK_BYTES);
    shared->magic = FC_SHARED_MAGIC;
    shared->version = FC_WIRE_VERSION;
    shared->chunk_count = CHUNKS;
    return shared;
}

static bool read_fully(int fd, void *data, size_t bytes)
{
    for (char *at = data; bytes > 0;)
    {
        long got = fc_sys(SYS_read, fd, at, bytes);
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

enum FcReplied fc_spawn_read_reply(int fd, int timeout_ms)
{
    struct FcReply reply;
    char text[FC_REPLY_TEXT_MAX];
    (void)timeout_ms;
    return read_fully(fd, &reply, sizeof reply) && reply.bytes <= sizeof text &&
                   read_fully(fd, text, reply.bytes)
               ? FC_REPLIED_US
               : FC_REPLIED_CLOSED;
}

bool fc_spawn_manager(struct FcSession *session)
{
    const size_t bytes = (size_t)(1 + CHUNKS) * FC_CHUNK_BYTES;
    int data[2];
    int reply[2];
    if (fc_sys(SYS_pipe2, data, O_CLOEXEC) < 0 || fc_sys(SYS_pipe2, reply, O_CLOEXEC) < 0)
        return false;
    fc_sys(SYS_fcntl, data[1], F_SETFL, O_WRONLY | O_NONBLOCK);
    session->shared = fc_config.pipe_transport ? NULL : make_shared(bytes);
    session->chunk_count = CHUNKS;
    session->pipe_fd = data[1];
    session->reply_fd = reply[0];
    session->manager_pid = (int)fc_sys(SYS_getpid);
    session->manager_pipe_fd = data[0];
    race_start_manager(data[0], reply[1], session->shared, bytes);
    if (fc_spawn_read_reply(session->reply_fd, -1) != FC_REPLIED_US)
        return false;
    if (session->shared != NULL)
        session->reply_fd = -1;
    return true;
}
