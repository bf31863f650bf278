/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passing the session on to executed images.  Written by exec.c into the environment
 * of each image, read by process.c at start.
 *
 * The address is seven numbers: the manager's pid; there, the descriptors of the
 * pipe, the shared memory and the reply pipe (0: not used); device and inode
 * of the pipe; and the key of the process that gives it, whose settings of clock
 * and mode follow.  Anyone can write such a variable, so nothing in it is trusted: /proc lets us
 * open only what belongs to the same user, and what is opened must be that very pipe.
 */
#include "libfc/join.h"

#include "libfc/channel.h"
#include "libfc/config.h"
#include "libfc/process.h"
#include "libfc/sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define NAME "FC_SESSION="
#define LEAVE "off"

enum Field
{
    MANAGER_PID,
    PIPE_FD,
    SHARED_FD,
    REPLY_FD,
    DEVICE,
    INODE,
    KEY,
    TIME_MODE,
    PROFILE_MODE,
    FIELDS
};

static char address[FIELDS * 21 + sizeof NAME];

/* As of the start: the program may have closed the descriptor since. */
static uint64_t pipe_device;
static uint64_t pipe_inode;

/* ---- Giving it ------------------------------------------------------------------ */

static char *append_number(char *at, uint64_t number)
{
    if (number >= 10)
        at = append_number(at, number / 10);
    *at++ = (char)('0' + number % 10);
    return at;
}

void fc_join_announce(const struct FcSession *session)
{
    struct stat status;
    if (session == NULL)
    {
        strcpy(address, NAME LEAVE);
        return;
    }
    if (pipe_inode == 0 && fc_sys(SYS_fstat, session->pipe_fd, &status) == 0)
    {
        pipe_device = status.st_dev;
        pipe_inode = status.st_ino;
    }
    const uint64_t fields[FIELDS] = {
        [MANAGER_PID] = (uint64_t)session->manager_pid,
        [PIPE_FD] = (uint64_t)session->manager_pipe_fd,
        [SHARED_FD] = (uint64_t)session->manager_shared_fd,
        [REPLY_FD] = (uint64_t)session->manager_reply_fd,
        [DEVICE] = pipe_device,
        [INODE] = pipe_inode,
        [KEY] = fc_process_key,
        [TIME_MODE] = fc_config.time_mode,
        [PROFILE_MODE] = fc_config.profile_mode,
    };
    char *at = address + strlen(strcpy(address, NAME));
    for (int i = 0; i < FIELDS; i++)
    {
        at = append_number(at, fields[i]);
        *at++ = i + 1 < FIELDS ? ':' : '\0';
    }
}

const char *fc_join_address(void)
{
    return address[0] != '\0' ? address : NULL;
}

/* ---- Taking it ------------------------------------------------------------------- */

static const char *take_from_environment(void)
{
    const char *value = NULL;
    if (environ == NULL)
        return NULL;
    char **to = environ;
    for (char **from = environ; *from != NULL; from++)
        if (strncmp(*from, NAME, strlen(NAME)) == 0)
            value = *from + strlen(NAME);
        else
            *to++ = *from;
    *to = NULL;
    return value;
}

static bool parse(const char *text, uint64_t fields[FIELDS])
{
    for (int i = 0; i < FIELDS; i++)
    {
        const char *start = text;
        fields[i] = 0;
        while (*text >= '0' && *text <= '9' && text - start < 20)
            fields[i] = fields[i] * 10 + (uint64_t)(*text++ - '0');
        if (text == start || *text != (i + 1 < FIELDS ? ':' : '\0'))
            return false;
        text++;
    }
    return fields[MANAGER_PID] > 0 && fields[MANAGER_PID] <= INT32_MAX &&
           fields[PIPE_FD] <= INT32_MAX && fields[SHARED_FD] <= INT32_MAX &&
           fields[REPLY_FD] <= INT32_MAX && fields[TIME_MODE] >= FC_TIME_TSC &&
           fields[TIME_MODE] <= FC_TIME_SYS && fields[PROFILE_MODE] >= FC_MODE_SINGLE &&
           fields[PROFILE_MODE] <= FC_MODE_THREAD;
}

static int open_of_manager(uint64_t pid, uint64_t fd, int flags)
{
    char path[64] = "/proc/";
    char *at = append_number(path + strlen(path), pid);
    memcpy(at, "/fd/", 4);
    *append_number(at + 4, fd) = '\0';
    return (int)fc_sys(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

static int open_pipe(const uint64_t fields[FIELDS])
{
    struct stat status;
    int fd = open_of_manager(fields[MANAGER_PID], fields[PIPE_FD], O_WRONLY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fc_sys(SYS_fstat, fd, &status) < 0 || !S_ISFIFO(status.st_mode) ||
        status.st_dev != fields[DEVICE] || status.st_ino != fields[INODE] ||
        status.st_uid != (uid_t)fc_sys(SYS_geteuid))
    {
        fc_sys(SYS_close, fd);
        return -1;
    }
    return fc_channel_move_fd(fd);
}

static struct FcShared *map_shared(const uint64_t fields[FIELDS])
{
    int fd = open_of_manager(fields[MANAGER_PID], fields[SHARED_FD], O_RDWR);
    struct stat status;
    struct FcShared *shared = NULL;
    if (fd < 0)
        return NULL;
    if (fc_sys(SYS_fstat, fd, &status) == 0 && status.st_size >= 2 * (off_t)FC_CHUNK_BYTES)
        shared = fc_spawn_map_shared(fd, (size_t)status.st_size);
    fc_sys(SYS_close, fd);
    if (shared == NULL)
        return NULL;
    if (shared->magic == FC_SHARED_MAGIC && shared->version == FC_WIRE_VERSION &&
        shared->chunk_count == (uint64_t)status.st_size / FC_CHUNK_BYTES - 1)
        return shared;
    munmap(shared, (size_t)status.st_size);
    return NULL;
}

enum FcJoin fc_join_session(struct FcSession *session, uint64_t *parent)
{
    const char *text = take_from_environment();
    uint64_t fields[FIELDS];
    if (text == NULL || getauxval(AT_SECURE) != 0)
        return FC_JOIN_NONE;
    if (strcmp(text, LEAVE) == 0)
        return FC_JOIN_LEAVE;
    if (!parse(text, fields))
        return FC_JOIN_NONE;
    *session = (struct FcSession){
        .pipe_fd = open_pipe(fields),
        .reply_fd = -1,
        .manager_pid = (int)fields[MANAGER_PID],
        .manager_pipe_fd = (int)fields[PIPE_FD],
        .manager_shared_fd = (int)fields[SHARED_FD],
        .manager_reply_fd = (int)fields[REPLY_FD],
    };
    if (session->pipe_fd < 0)
    {
        /* Over by now: what it has written is not to be overwritten. */
        fc_config.use_pid = true;
        return FC_JOIN_NONE;
    }
    if (session->manager_shared_fd != 0)
        session->shared = map_shared(fields);
    else
        session->reply_fd =
            fc_channel_move_fd(open_of_manager(fields[MANAGER_PID], fields[REPLY_FD], O_RDONLY));
    /* Without shared memory of its own (a limit of address space, say) this image
       sends its records down the pipe, and waits for no answer. */
    fc_config.time_mode = (enum FcTimeMode)fields[TIME_MODE];
    fc_config.profile_mode = (enum FcProfileMode)fields[PROFILE_MODE];
    *parent = fields[KEY];
    return FC_JOIN_DONE;
}
