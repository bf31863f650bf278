/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes the session on to executed images.  exec.c writes the session's address into the
 * environment of each new image, and start.c reads it there.  libc's system() and popen() do not
 * use the interposers, so their images have no address in the environment.  Each profiled process
 * therefore also maps a page, its mark, whose name is the address.  An image without an address
 * searches /proc/PID/maps of its ancestors for a mark.
 *
 * The address is fifteen numbers: FC_WIRE_VERSION; the manager's pid in /proc; its PID namespace;
 * the manager's descriptor numbers of the pipe, the shared memory, the reply pipe and the user
 * filter's memory (0: not used); device and inode of the pipe; the pipe's descriptor number in the
 * process that gives the address; that process's key; clock; profile mode; FC_DEPTH; job and rank
 * (fc_job_key).  Anyone can write such a variable or map such a page, so the address is not
 * trusted.  The kernel says whether the manager has the same real and effective user (trust.h), and
 * who owns the pipe and the memory.
 */
#include "libfc/process/join.h"

#include "libfc/base/config.h"
#include "libfc/base/file.h"
#include "libfc/base/job.h"
#include "libfc/base/libc.h"
#include "libfc/base/namespace.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/text.h"
#include "libfc/base/trust.h"
#include "libfc/count/user-filter.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/shared.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define NAME "FC_SESSION="
#define MARK "functioncheck:"
#define ANCESTORS_MAX 4 /* a shell or two, and the program that started them */
#define LEAVE "off"

enum Field
{
    VERSION,
    MANAGER_PID,
    NAMESPACE,
    PIPE_FD,
    SHARED_FD,
    REPLY_FD,
    FILTER_FD,
    DEVICE,
    INODE,
    OWN_FD,
    KEY,
    TIME_MODE,
    PROFILE_MODE,
    DEPTH,
    JOB,
    FIELDS
};

static char address[FIELDS * 21 + sizeof NAME];

/* Read at the start, since the program may close the descriptor later. */
static uint64_t pipe_device;
static uint64_t pipe_inode;

/* The session's job key.  An image takes it from the address, since it may lack the launcher's
 * variables. */
static uint64_t job_key;

/* How many leading entries to skip once the C library has set `environ`. */
static size_t to_skip;

/* ---- Giving it ------------------------------------------------------------------ */

/* Maps the mark: a page whose name in /proc/PID/maps holds the address.  A forked child inherits
 * its parent's mark, which leads to the same session. */
static void put_up_mark(const char *text)
{
    static bool is_up;
    char name[sizeof address + sizeof MARK];
    if (is_up)
        return;
    strcpy(name, MARK);
    strcat(name, text);
    int fd = (int)fc_sys(SYS_memfd_create, name, MFD_CLOEXEC);
    if (fd < 0)
        return;
    long at = fc_sys(SYS_mmap, NULL, 1, PROT_NONE, MAP_SHARED, fd, 0L);
    is_up = at > 0 || at < -4095;
    fc_sys(SYS_close, fd);
}

void fc_join_announce(const struct FcSession *session)
{
    struct stat status;
    if (!session)
    {
        strcpy(address, NAME LEAVE);
        return;
    }
    if (job_key == 0)
        job_key = fc_job_key();
    if (pipe_inode == 0 && fc_sys(SYS_fstat, session->pipe_fd, &status) == 0)
    {
        pipe_device = status.st_dev;
        pipe_inode = status.st_ino;
    }
    const uint64_t fields[FIELDS] = {
        [VERSION] = FC_WIRE_VERSION,
        [MANAGER_PID] = (uint64_t)session->manager_pid,
        [NAMESPACE] = session->namespace,
        [PIPE_FD] = (uint64_t)session->manager_pipe_fd,
        [SHARED_FD] = (uint64_t)session->manager_shared_fd,
        [REPLY_FD] = (uint64_t)session->manager_reply_fd,
        [FILTER_FD] = (uint64_t)session->manager_filter_fd,
        [DEVICE] = pipe_device,
        [INODE] = pipe_inode,
        [OWN_FD] = (uint64_t)session->pipe_fd,
        [KEY] = fc_state_key,
        [TIME_MODE] = fc_config.time_mode,
        [PROFILE_MODE] = fc_config.profile_mode,
        [DEPTH] = fc_config.depth,
        [JOB] = job_key,
    };
    char *at = address + strlen(strcpy(address, NAME));
    for (int i = 0; i < FIELDS; i++)
    {
        at = fc_text_number(at, fields[i]);
        *at++ = i + 1 < FIELDS ? ':' : '\0';
    }
    put_up_mark(address + strlen(NAME));
}

const char *fc_join_address(void)
{
    return address[0] != '\0' ? address : NULL;
}

/* ---- Taking it ------------------------------------------------------------------- */

/* Removes the address from the environment and returns its value; NULL: there was none.  The
 * entries before it move up, so that the end stays in place: programs find the auxiliary vector
 * after the terminating NULL. */
static const char *take_from_environment(void)
{
    char **entries = fc_libc_environ();
    const char *value = NULL;
    size_t count = 0;
    while (entries && entries[count])
        count++;
    size_t first = count;
    for (size_t i = count; i > 0; i--)
    {
        if (strncmp(entries[i - 1], NAME, strlen(NAME)) != 0)
            entries[--first] = entries[i - 1];
        else if (!value)
            value = entries[i - 1] + strlen(NAME);
    }
    /* code that finds the environment behind argv sees the first entry twice */
    for (size_t i = 0; i < first; i++)
        entries[i] = first < count ? entries[first] : (char *)"";
    if (environ)
        environ += first;
    else
        to_skip = first;
    return value;
}

void fc_join_set_environment(void)
{
    if (environ)
        environ += to_skip;
    to_skip = 0;
}

/* Returns the address in the mark of the process whose maps are in `text`; NULL: it has no mark. */
static const char *mark_in(char *text, size_t bytes)
{
    static char found[sizeof address];
    const char *mark = memmem(text, bytes, "/memfd:" MARK, strlen("/memfd:" MARK));
    if (!mark)
        return NULL;
    mark += strlen("/memfd:" MARK);
    size_t length = strspn(mark, "0123456789:");
    if (length >= sizeof found)
        length = 0;
    memcpy(found, mark, length);
    return found;
}

/* Returns the address in the mark of the nearest ancestor that has one; NULL: there is none.
 * The search ends at an ancestor of another user.  Returns LEAVE if this process itself has a
 * mark, because libfc was loaded before into another of the loader's namespaces. */
static const char *find_mark(void)
{
    const size_t room = 1 << 20;
    char *text = fc_map(room);
    if (!text)
        return NULL;
    const char *found = NULL;
    if (mark_in(text, fc_file_read("/proc/self/maps", text, room - 1)))
        found = LEAVE;
    int self = (int)fc_sys(SYS_openat, AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int pid = self >= 0 ? fc_namespace_parent_in_proc(self) : 0;
    if (self >= 0)
        fc_sys(SYS_close, self);
    for (int i = 0; i < ANCESTORS_MAX && pid > 1 && !found; i++)
    {
        int process = fc_trust_open_process(pid);
        if (process < 0)
            break;
        found = mark_in(text, fc_file_read_at(process, "maps", text, room - 1));
        pid = fc_namespace_parent_in_proc(process);
        fc_sys(SYS_close, process);
    }
    fc_unmap(text, room);
    return found;
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
    return fields[VERSION] == FC_WIRE_VERSION && fields[MANAGER_PID] > 0 &&
           fields[MANAGER_PID] <= INT32_MAX && fields[PIPE_FD] <= INT32_MAX &&
           fields[SHARED_FD] <= INT32_MAX && fields[REPLY_FD] <= INT32_MAX &&
           fields[FILTER_FD] <= INT32_MAX && fields[OWN_FD] <= INT32_MAX &&
           fields[TIME_MODE] >= FC_TIME_TSC && fields[TIME_MODE] <= FC_TIME_SYS &&
           fields[PROFILE_MODE] >= FC_MODE_SINGLE && fields[PROFILE_MODE] <= FC_MODE_THREAD &&
           fields[DEPTH] <= FC_DEPTH_MAX;
}

static bool is_meant(int fd, const uint64_t fields[FIELDS])
{
    struct stat status;
    return fc_sys(SYS_fstat, fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
           status.st_dev == fields[DEVICE] && status.st_ino == fields[INODE];
}

/* Opens the pipe through the manager's /proc folder `process`; -1: it is not the pipe of the
 * address. */
static int open_pipe(int process, const uint64_t fields[FIELDS])
{
    int fd = fc_trust_open_fd_of(process, (int)fields[PIPE_FD], O_WRONLY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (!is_meant(fd, fields))
    {
        fc_sys(SYS_close, fd);
        return -1;
    }
    return fc_channel_move_fd(fd);
}

/* Takes the pipe's descriptor that the previous image left open (fc_channel_leave_open); -1: it
 * is not open, or is another file. */
static int take_pipe(const uint64_t fields[FIELDS])
{
    const int fd = (int)fields[OWN_FD];
    const long flags = fc_sys(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_WRONLY || !is_meant(fd, fields) ||
        !fc_trust_is_own(fd))
        return -1;
    return fc_channel_move_fd(fd);
}

static int open_reply(int process, const uint64_t fields[FIELDS])
{
    struct stat status;
    int fd = fc_trust_open_fd_of(process, (int)fields[REPLY_FD], O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fc_sys(SYS_fstat, fd, &status) < 0 || !S_ISFIFO(status.st_mode))
    {
        fc_sys(SYS_close, fd);
        return -1;
    }
    return fc_channel_move_fd(fd);
}

static void map_filter(int process, int number)
{
    int fd = number != 0 ? fc_trust_open_fd_of(process, number, O_RDWR) : -1;
    if (fd < 0)
        return;
    fc_user_filter_map(fd);
    fc_sys(SYS_close, fd);
}

/* Fills in `session` from the manager's descriptors.  False: this process can't join it. */
static bool open_session(struct FcSession *session, const uint64_t fields[FIELDS])
{
    *session = (struct FcSession){
        .reply_fd = -1,
        .manager_pid = (int)fields[MANAGER_PID],
        .namespace = fields[NAMESPACE],
        .manager_pipe_fd = (int)fields[PIPE_FD],
        .manager_shared_fd = (int)fields[SHARED_FD],
        .manager_reply_fd = (int)fields[REPLY_FD],
        .manager_filter_fd = (int)fields[FILTER_FD],
    };
    int process = fc_trust_open_process(session->manager_pid);
    session->pipe_fd = process >= 0 ? open_pipe(process, fields) : -1;
    if (session->pipe_fd < 0)
        session->pipe_fd = take_pipe(fields);
    /* If this image can't map the shared memory (RLIMIT_AS, Landlock), it sends its records down
       the pipe and waits for no answer. */
    if (session->pipe_fd >= 0 && session->manager_shared_fd != 0)
    {
        int fd = fc_trust_open_fd_of(process, session->manager_shared_fd, O_RDWR);
        if (fd >= 0)
        {
            session->shared = fc_shared_map(fd, &session->chunk_count);
            fc_sys(SYS_close, fd);
        }
    }
    else if (session->pipe_fd >= 0)
        session->reply_fd = open_reply(process, fields);
    if (session->pipe_fd >= 0)
        map_filter(process, session->manager_filter_fd);
    if (process >= 0)
        fc_sys(SYS_close, process);
    return session->pipe_fd >= 0;
}

void fc_join_hide(void)
{
    take_from_environment();
}

enum FcJoin fc_join_session(struct FcSession *session, uint64_t *parent)
{
    const char *text = take_from_environment();
    uint64_t fields[FIELDS];
    bool by_mark = !text;
    if (fc_config.is_privileged)
        return FC_JOIN_NONE;
    if (by_mark)
        text = find_mark();
    if (!text)
        return FC_JOIN_NONE;
    if (strcmp(text, LEAVE) == 0)
        return FC_JOIN_LEAVE;
    if (!parse(text, fields))
        return FC_JOIN_NONE;
    /* the session belongs to the launcher that started this rank, or to another rank */
    if (fc_job_key() != 0 && fields[JOB] != fc_job_key())
        return FC_JOIN_NONE;
    job_key = fields[JOB];
    if (fields[PROFILE_MODE] != FC_MODE_FORK && fields[KEY] >> 32 != (uint64_t)fc_sys(SYS_getpid))
        return FC_JOIN_LEAVE;
    if (!open_session(session, fields))
    {
        /* That session is over, or not ours.  This process must not overwrite its profile. */
        fc_config.use_pid |= !by_mark;
        return FC_JOIN_NONE;
    }
    fc_config.time_mode = (enum FcTimeMode)fields[TIME_MODE];
    fc_config.profile_mode = (enum FcProfileMode)fields[PROFILE_MODE];
    fc_config.depth = (uint32_t)fields[DEPTH];
    *parent = fields[KEY];
    return FC_JOIN_DONE;
}
