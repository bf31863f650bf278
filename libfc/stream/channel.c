/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pipe to fcmanager.  Every part of libfc that sends messages uses it, with all signals
 * blocked or in the slow path of a hook.  It must never write to a descriptor that the program has
 * closed and reused: before each write it checks that the descriptor is the pipe.
 */
#include "libfc/stream/channel.h"

#include "libfc/base/file.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/text.h"
#include "libfc/stream/switches.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* The limit for the pipe's number: the kernel's table for a process grows with the highest
 * number. */
#define BEYOND_MAX 4096
/* The lowest number to use, where possible: a program that lowered its limit may have descriptors
 * open beyond it. */
#define BEYOND_MIN 1024

static struct
{
    int fd; /* atomic */
    int manager_pid;
    int manager_fd;
    dev_t device;
    ino_t inode;
    uint32_t reopening; /* lock */
    uint32_t splitting; /* lock of `piece` */
    uint32_t waiting;   /* lock: its owner waits for room in the pipe */
} channel = {.fd = -1};

/* Payloads that fit on any stack. */
#define SMALL_BYTES 64

/* static: too large for the stack of a signal handler */
static union
{
    struct FcMessage message;
    char bytes[FC_MESSAGE_MAX];
} piece;

/* relaxed: the kernel is asked each time whether it is the pipe */
static int get_fd(void)
{
    return __atomic_load_n(&channel.fd, __ATOMIC_RELAXED);
}

static void set_fd(int fd)
{
    __atomic_store_n(&channel.fd, fd, __ATOMIC_RELAXED);
}

static bool is_our_pipe(int fd)
{
    struct stat status;
    return fd >= 0 && fc_sys(SYS_fstat, fd, &status) == 0 && status.st_dev == channel.device &&
           status.st_ino == channel.inode;
}

/* Raises the soft limit on descriptors so that a few from number `first` on are allowed. */
static long widen_limit(const struct rlimit *limit, rlim_t first)
{
    struct rlimit wider = *limit;
    wider.rlim_cur = first + 16;
    if (wider.rlim_max < wider.rlim_cur)
        wider.rlim_max = wider.rlim_cur; /* takes a privilege */
    return fc_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, &wider, NULL);
}

/* Moves `fd` beyond the program's limit on descriptor numbers.  So the program does not find it
 * and can open as many as before.  The limit is raised for this and put back at once. */
static long move_beyond(int fd, const struct rlimit *limit)
{
    rlim_t first = limit->rlim_cur;
    if (first > BEYOND_MAX)
        return -EMFILE;
    if (first < BEYOND_MIN && limit->rlim_max >= BEYOND_MIN + 16)
        first = BEYOND_MIN;
    uint64_t old = fc_block_signals();
    long moved = widen_limit(limit, first);
    if (moved == 0)
    {
        moved = fc_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (long)first);
        fc_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, NULL);
    }
    fc_restore_signals(old);
    return moved;
}

int fc_channel_move_fd(int fd)
{
    struct rlimit limit;
    rlim_t top = 1024;
    long moved = -EMFILE;
    if (fc_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0)
    {
        moved = move_beyond(fd, &limit);
        top = limit.rlim_cur < top ? limit.rlim_cur : top;
    }
    for (rlim_t distance = 24; moved < 0 && distance > 0; distance /= 2)
        if (top > distance)
            moved = fc_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (long)(top - distance));
    if (moved < 0)
        return fd; /* no better number: it stays */
    fc_sys(SYS_close, fd);
    return (int)moved;
}

void fc_channel_open(int fd, int manager_pid, int manager_fd)
{
    struct stat status;
    set_fd(fd);
    channel.manager_pid = manager_pid;
    channel.manager_fd = manager_fd;
    if (fc_sys(SYS_fstat, fd, &status) == 0)
    {
        channel.device = status.st_dev;
        channel.inode = status.st_ino;
    }
}

int fc_channel_open_of_manager(int pid, int fd, int flags)
{
    char path[64] = "/proc/";
    char *at = fc_text_number(path + strlen(path), (uint64_t)pid);
    memcpy(at, "/fd/", 4);
    *fc_text_number(at + 4, (uint64_t)fd) = '\0';
    return (int)fc_sys(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

static int open_pipe(void)
{
    return fc_channel_open_of_manager(channel.manager_pid, channel.manager_fd,
                                      O_WRONLY | O_NONBLOCK);
}

/* Opens the pipe where the program already has as many descriptors open as it may. */
static int open_pipe_beyond(void)
{
    struct rlimit limit;
    int fd = -EMFILE;
    if (fc_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 &&
        widen_limit(&limit, limit.rlim_cur) == 0)
    {
        fd = open_pipe();
        fc_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    }
    return fd;
}

/* The program closed the descriptor (a daemon, say).  Opens the pipe again through the manager's
 * own end of it.  Returns the number, or -1.  Signals blocked. */
static int reopen(void)
{
    int fd = open_pipe();
    if (fd == -EMFILE)
        fd = open_pipe_beyond();
    if (fd < 0)
        return -1;
    if (!is_our_pipe(fd)) /* another process has that pid by now */
    {
        fc_sys(SYS_close, fd);
        return -1;
    }
    fd = fc_channel_move_fd(fd);
    set_fd(fd);
    return fd;
}

bool fc_channel_leave_open(void)
{
    struct stat status;
    const int fd = get_fd();
    if (!is_our_pipe(fd) || fc_sys(SYS_fstat, fd, &status) < 0 ||
        (long)status.st_uid != fc_sys(SYS_geteuid) || (long)status.st_gid != fc_sys(SYS_getegid))
        return false;
    const int again = open_pipe();
    if (again >= 0)
        fc_sys(SYS_close, again);
    return again < 0 && again != -EMFILE && again != -ENFILE &&
           fc_sys(SYS_fcntl, fd, F_SETFD, 0) == 0;
}

void fc_channel_close_on_exec(void)
{
    fc_sys(SYS_fcntl, get_fd(), F_SETFD, FD_CLOEXEC);
}

/* The pipe's descriptor, opened again if need be; -1: it can't be had. */
static int our_pipe(void)
{
    int fd = get_fd();
    if (is_our_pipe(fd))
        return fd;
    uint64_t old = fc_block_signals();
    fc_lock(&channel.reopening);
    fd = get_fd();
    if (!is_our_pipe(fd))
        fd = reopen();
    fc_unlock(&channel.reopening);
    fc_restore_signals(old);
    return fd;
}

bool fc_channel_is_alive(void)
{
    const int fd = our_pipe();
    if (fd < 0)
        return false;
    struct pollfd poll = {.fd = fd, .events = 0};
    struct timespec zero = {0, 0};
    long result = fc_sys(SYS_ppoll, &poll, 1, &zero, NULL, 8);
    return result <= 0 || !(poll.revents & (POLLERR | POLLNVAL));
}

/* Writes, and waits for room if need be.  One thread of the process waits for room and has the
 * lock; the others wait for the lock.  Else the kernel would wake all of them, maybe thousands,
 * each time, and the first would fill the pipe again.  Returns 0, or an errno. */
static long write_in_turn(const struct FcMessage *message, size_t bytes)
{
    uint64_t old = fc_block_signals();
    fc_lock(&channel.waiting);
    long result = -EPIPE;
    int fd;
    while (!fc_state_is_off() && (fd = our_pipe()) >= 0 &&
           (result = fc_file_write(fd, message, bytes)) == -EAGAIN)
    {
        /* The manager is behind, or stopped for a long time.  From time to time check whether it
           still lives (poll says at once). */
        struct pollfd poll = {.fd = fd, .events = POLLOUT};
        struct timespec wait = {0, 100000000};
        fc_sys(SYS_ppoll, &poll, 1, &wait, NULL, 8);
        result = -EPIPE;
    }
    fc_unlock(&channel.waiting);
    fc_restore_signals(old);
    return result;
}

int fc_channel_sign(void)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (int64_t)fc_state_key, .l_len = 1};
    return (int)fc_sys(SYS_fcntl, our_pipe(), F_SETLK, &lock);
}

int fc_channel_is_signalled(int64_t what)
{
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (int64_t)fc_state_key + what,
                         .l_len = 1};
    if (fc_sys(SYS_fcntl, our_pipe(), F_GETLK, &lock) < 0 ||
        lock.l_type == F_WRLCK) /* another process has locked it, which it has no reason to */
        return -1;
    return lock.l_type == F_RDLCK;
}

void fc_channel_wait_until_followed(void)
{
    struct timespec delay = {0, 20000};
    for (int tries = 0; tries < 2000; tries++) /* some ten seconds */
    {
        if (fc_channel_is_signalled(FC_FOLLOWED) != 0 || !fc_channel_is_alive())
            return;
        fc_sys(SYS_nanosleep, &delay, NULL);
        delay.tv_nsec = delay.tv_nsec < 4000000 ? delay.tv_nsec * 2 : 5000000;
    }
}

static void fill_header(struct FcMessage *message, size_t bytes)
{
    message->magic = FC_MESSAGE_MAGIC;
    message->length = (uint32_t)bytes;
    message->process = fc_state_key;
}

/* Writes one message, or the queued ones, in one piece. */
static bool send_now(const struct FcMessage *message, size_t bytes)
{
    if (fc_state_is_off())
        return false;
    long result = -EAGAIN;
    /* relaxed: a thread that does not see another one wait finds no room, and then waits as well */
    if (__atomic_load_n(&channel.waiting, __ATOMIC_RELAXED) == 0)
    {
        const int fd = our_pipe();
        result = fd >= 0 ? fc_file_write(fd, message, bytes) : -EPIPE;
    }
    if (result == -EAGAIN)
    {
        bool is_pause = fc_switches_begin_inner_pause();
        result = write_in_turn(message, bytes);
        if (is_pause)
            fc_switches_end_pause();
    }
    if (result == 0)
        return true;
    if (!fc_state_is_off()) /* otherwise another thread is ending the process */
        fc_state_stop_alone();
    return false;
}

bool fc_channel_send_queued(void)
{
    if (fc_thread.queued_count == 0)
        return true;
    const uint64_t old = fc_block_signals();
    const uint32_t count = fc_thread.queued_count;
    fc_thread.queued_count = 0;
    /* a forked child does not send its parent's messages */
    const bool sent = count == 0 || fc_state_forked_unseen() ||
                      send_now(fc_thread.queued, count * sizeof *fc_thread.queued);
    fc_restore_signals(old);
    return sent;
}

bool fc_channel_send_whole(struct FcMessage *message, size_t bytes)
{
    fill_header(message, bytes);
    return fc_channel_send_queued() && send_now(message, bytes);
}

bool fc_channel_send_later(const struct FcMessage *message)
{
    struct FcMessage *queued = &fc_thread.queued[fc_thread.queued_count++];
    *queued = *message;
    fill_header(queued, sizeof *queued);
    return fc_thread.queued_count < FC_QUEUED_MAX || fc_channel_send_queued();
}

/* `whole` has room for the payload after it. */
static bool send_part(struct FcMessage *whole, const struct FcMessage *message, const char *from,
                      size_t bytes, bool is_last)
{
    *whole = *message;
    whole->flags = is_last ? 0 : FC_MESSAGE_MORE;
    memcpy(whole + 1, from, bytes);
    return fc_channel_send_whole(whole, sizeof *whole + bytes);
}

/* Messages about the thread itself need no lock.  Thousands of threads would wait for it while
 * its owner waits for room in the pipe. */
static bool send_small(const struct FcMessage *message, const void *payload, size_t bytes)
{
    struct
    {
        struct FcMessage message;
        char bytes[SMALL_BYTES];
    } small;
    return send_part(&small.message, message, payload, bytes, true);
}

bool fc_channel_send(struct FcMessage *message, const void *payload, size_t bytes)
{
    if (bytes == 0)
    {
        message->flags = 0;
        return fc_channel_send_whole(message, sizeof *message);
    }
    if (bytes <= SMALL_BYTES)
        return send_small(message, payload, bytes);
    uint64_t old = fc_block_signals();
    fc_lock(&channel.splitting);
    const char *from = payload;
    bool sent = true;
    while (sent && bytes > 0)
    {
        size_t part = sizeof piece - sizeof *message;
        if (part > bytes)
            part = bytes;
        sent = send_part(&piece.message, message, from, part, part == bytes);
        from += part;
        bytes -= part;
    }
    fc_unlock(&channel.splitting);
    fc_restore_signals(old);
    return sent;
}

void fc_channel_stop(const char *reason)
{
    struct FcMessage message = {.type = FC_MSG_STOPPED};
    if (!fc_state_is_off())
        fc_channel_send(&message, NULL, 0);
    fc_state_stop(reason);
}

void fc_channel_after_fork(void)
{
    channel.reopening = 0;
    channel.splitting = 0;
    channel.waiting = 0;
}

void fc_channel_close(void)
{
    const int fd = get_fd();
    if (is_our_pipe(fd))
        fc_sys(SYS_close, fd);
    set_fd(-1);
}
