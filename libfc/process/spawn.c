/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Starts fcmanager.  Called once by start.c, with all signals blocked.
 *
 * The program must never notice the manager: not as a child in wait(), not by SIGCHLD, not in its
 * process group or session.  So libfc makes a short-lived child without an exit signal.  That child
 * calls setsid, starts the manager as its own child and ends, so the manager is an orphan.  Both
 * share this process's memory until the manager's exec (CLONE_VM | CLONE_VFORK), so no memory is
 * copied or allocated.  An emulator may not support this; then both are made by a plain fork.
 *
 * If the program is the first process of a PID namespace (a container), it would become the
 * orphan's parent.  Then the first child is a forked copy of the program, the keeper, which lives
 * as long as the manager.
 */
#include "libfc/process/spawn.h"

#include "libfc/base/clone.h"
#include "libfc/base/config.h"
#include "libfc/base/job.h"
#include "libfc/base/libc.h"
#include "libfc/base/namespace.h"
#include "libfc/base/notice.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/count/user-filter.h"
#include "libfc/process/find.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/shared.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define STACK_BYTES 32768
#define ARGUMENTS_MAX 40
#define REPLY_TIMEOUT_MS 10000

struct Launch
{
    char *arguments[ARGUMENTS_MAX + 1];
    int argument_count;
    char **environment;
    struct FcFound found;
    int fds[4];       /* that the manager inherits; -1: none */
    char text[16384]; /* storage of the arguments */
    size_t text_used;
    char stack[2][STACK_BYTES] __attribute__((aligned(16)));
    uint32_t is_launched; /* atomic futex: the keeper has done its work */
    volatile int manager_pid;
    volatile int manager_in_proc; /* its pid in /proc; 0: not known */
    volatile bool failed;         /* the exec failed */
    bool is_forked;               /* made by plain forks: `failed` may be set later */
};

/* ---- The command line ------------------------------------------------------- */

static void add_text(struct Launch *launch, const char *text)
{
    size_t bytes = strlen(text);
    if (launch->text_used + bytes + 1 > sizeof launch->text)
        return;
    memcpy(launch->text + launch->text_used, text, bytes + 1);
    launch->text_used += bytes;
}

static void add_argument(struct Launch *launch, const char *option, const char *value)
{
    if (launch->argument_count == ARGUMENTS_MAX) /* the argument is dropped; a test would notice */
        return;
    launch->arguments[launch->argument_count++] = launch->text + launch->text_used;
    add_text(launch, option);
    if (value)
        add_text(launch, value);
    launch->text_used++; /* keep the NUL */
}

static void add_number(struct Launch *launch, const char *option, unsigned long number)
{
    struct FcLine digits = {0};
    fc_line_add_number(&digits, number);
    digits.text[digits.bytes] = '\0';
    add_argument(launch, option, digits.text);
}

static void add_job(struct Launch *launch)
{
    add_argument(launch, "--job=", fc_job.name);
    if (fc_job.launcher)
        add_argument(launch, "--launcher=", fc_job.launcher);
    if (fc_job.size > 0)
        add_number(launch, "--ranks=", fc_job.size);
    if (fc_job.local_rank != FC_JOB_UNKNOWN)
        add_number(launch, "--local-rank=", fc_job.local_rank);
    if (fc_config.is_unique)
        add_argument(launch, "--unique", NULL);
    if (fc_job.rank == 0 && !fc_config.quiet)
        add_argument(launch, "--first", NULL);
}

static void build_arguments(struct Launch *launch)
{
    add_argument(launch, "fcmanager", NULL);
    add_number(launch, "--pipe=", (unsigned long)launch->fds[0]);
    add_number(launch, "--reply=", (unsigned long)launch->fds[1]);
    if (launch->fds[2] >= 0)
        add_number(launch, "--shared=", (unsigned long)launch->fds[2]);
    if (launch->fds[3] >= 0)
    {
        add_number(launch, "--choices=", (unsigned long)launch->fds[3]);
        add_argument(launch, "--filter=", fc_config.filter);
    }
    add_number(launch, "--pid=", (unsigned long)fc_sys(SYS_getpid));
    add_argument(launch, "--name=", fc_config.dump_name);
    add_argument(launch, "--rank=", fc_config.rank);
    add_argument(launch, "--directory=", fc_config.dump_path);
    if (fc_job.rank != FC_JOB_UNKNOWN)
        add_job(launch);
    add_number(launch, "--keep=", fc_config.keep);
    if (fc_config.every_ms > 0)
    {
        add_number(launch, "--every=", fc_config.every_ms);
        add_number(launch, "--every-keep=", fc_config.every_keep);
    }
    else if (!fc_config.no_snapshots)
        add_argument(launch, "--recovery", NULL);
    if (fc_config.children != FC_CHILDREN_AUTO)
        add_number(launch, "--children=", fc_config.children);
    if (fc_config.is_paused)
        add_argument(launch, "--paused", NULL);
    add_number(launch, "--time-mode=", fc_config.time_mode);
    add_number(launch, "--profile-mode=", fc_config.profile_mode);
    add_number(launch, "--functions=", fc_config.function_size);
    add_number(launch, "--stack=", fc_config.stack_size);
    add_number(launch, "--graph=", fc_config.graph_size);
    add_number(launch, "--contexts=", fc_config.contexts);
    add_number(launch, "--memory=", fc_config.memory_size);
    add_number(launch, "--memory-stack=", fc_config.memory_stack);
    if (fc_config.memory)
        add_argument(launch, "--memory-profiling", NULL);
    if (fc_config.latency)
        add_argument(launch, "--latency", NULL);
    if (fc_config.slowest > 0)
        add_number(launch, "--slowest=", fc_config.slowest);
    if (fc_config.depth > 0)
        add_number(launch, "--depth=", fc_config.depth);
    if (fc_config.trace > 0)
        add_number(launch, "--trace=", fc_config.trace);
    if (fc_config.use_pid)
        add_argument(launch, "--use-pid", NULL);
    if (!fc_notice_is_heard())
        add_argument(launch, "--quiet", NULL);
    if (fc_notice_log())
        add_argument(launch, "--log=", fc_notice_log());
    if (!fc_config.verbose)
        add_argument(launch, "--brief", NULL);
    if (fc_config.debug)
        add_argument(launch, "--debug", NULL);
}

/* Copies the environment without variables that are meant for the program.  The manager must not
 * get preloaded libraries or allocator settings, nor variables that make it load code or read
 * files.  The C library removes most of these for set-user-id programs, too. */
static void filter_environment(char **from, char **to)
{
    static const char *const left_out[] = {"LD_",         "MALLOC_",  "GLIBC_TUNABLES=", "FC_",
                                           "GCONV_PATH=", "LOCPATH=", "NLSPATH=",        "TZDIR=",
                                           "CHARSET=",    "G_"};
    for (; from && *from; from++) /* NULL after clearenv */
    {
        bool keep = true;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            if (strncmp(*from, left_out[i], strlen(left_out[i])) == 0)
                keep = false;
        if (keep)
            *to++ = *from;
    }
    *to = NULL;
}

/* ---- The two children: share our memory, must not return or leave anything changed - */

static int manager_child(void *data)
{
    struct Launch *launch = data;
    for (int i = 0; i < 4; i++)
        if (launch->fds[i] >= 0)
            fc_sys(SYS_fcntl, launch->fds[i], F_SETFD, 0);
    launch->manager_in_proc = fc_namespace_self_in_proc();
    fc_sys(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE); /* the program may have forbidden it to itself */
    if (fc_config.is_privileged)
        fc_sys(SYS_umask, 077); /* affects only this child: fc_clone does not share it */
    if (launch->found.is_there)
        fc_find_note_error(
            &launch->found, launch->found.path,
            fc_sys(SYS_execve, launch->found.path, launch->arguments, launch->environment));
    launch->failed = true;
    fc_sys(SYS_exit, 127);
    return 0;
}

static int session_child(void *data)
{
    struct Launch *launch = data;
    fc_sys(SYS_setsid);
    launch->manager_pid =
        fc_clone(manager_child, launch->stack[1] + STACK_BYTES,
                 launch->is_forked ? SIGCHLD : CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, launch);
    if (launch->manager_pid < 0)
        launch->found.error = launch->manager_pid;
    fc_sys(SYS_exit, 0);
    return 0;
}

/* The keeper: the manager's parent if the program is the first process of a PID namespace.
 * Waits for the manager's end. */
static int keeper_child(void *data)
{
    struct Launch *launch = data;
    fc_sys(SYS_setsid);
    fc_sys(SYS_prctl, PR_SET_NAME, "fc-keeper", 0, 0, 0);
    launch->manager_pid = fc_clone(manager_child, launch->stack[1] + STACK_BYTES,
                                   CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, launch);
    if (launch->manager_pid < 0)
        launch->found.error = launch->manager_pid;
    __atomic_store_n(&launch->is_launched, 1, __ATOMIC_RELEASE);
    fc_sys(SYS_futex, &launch->is_launched, FUTEX_WAKE, 1, NULL, NULL, 0);
    fc_sys(SYS_close_range, 0, ~0u,
           0); /* above all the pipe, whose readers would never see its end */
    if (launch->manager_pid > 0)
        while (fc_sys(SYS_wait4, launch->manager_pid, NULL, __WALL, NULL) == -EINTR)
            continue;
    fc_sys(SYS_exit, 0);
    return 0;
}

/* Does what start_session does, by plain forks, for qemu's user mode.  The program does not
 * notice the child: it is waited for here, and its SIGCHLD is discarded unless one was pending
 * before. */
static int fork_session(struct Launch *launch, char *stack)
{
    const uint64_t child_signal = UINT64_C(1) << (SIGCHLD - 1);
    const struct timespec now = {0, 0};
    uint64_t pending = 0;
    launch->is_forked = true;
    fc_sys(SYS_rt_sigpending, &pending, sizeof pending);
    int child = fc_clone(session_child, stack, SIGCHLD, launch);
    if (child > 0)
        fc_sys(SYS_wait4, child, NULL, __WALL, NULL);
    if (child > 0 && !(pending & child_signal))
        fc_sys(SYS_rt_sigtimedwait, &child_signal, NULL, &now, sizeof child_signal);
    return child;
}

/* Starts the manager as an orphan.  If the program is a subreaper, that is switched off
 * meanwhile, so that the orphan does not become its child. */
static int start_session(struct Launch *launch, char *stack)
{
    int adopts = 0;
    fc_sys(SYS_prctl, PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0);
    if (adopts)
        fc_sys(SYS_prctl, PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    int child = fc_clone(session_child, stack, CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, launch);
    if (child > 0)
        fc_sys(SYS_wait4, child, NULL, __WCLONE, NULL);
    else if (child == -EINVAL)
        child = fork_session(launch, stack);
    if (adopts)
        fc_sys(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return child;
}

static int start_keeper(struct Launch *launch, char *stack)
{
    int child = fc_clone(keeper_child, stack, CLONE_UNTRACED, launch);
    /* acquire: pairs with the keeper's release.  The keeper may be killed before that. */
    while (child > 0 && __atomic_load_n(&launch->is_launched, __ATOMIC_ACQUIRE) == 0 &&
           fc_sys(SYS_wait4, child, NULL, __WCLONE | WNOHANG, NULL) == 0)
    {
        struct timespec wait = {0, 100000000};
        fc_sys(SYS_futex, &launch->is_launched, FUTEX_WAIT, 0, &wait, NULL, 0);
    }
    return child;
}

/* Starts the child that starts the manager.  The child has no exit signal, so neither SIGCHLD
 * nor a plain wait() reports it.  CLONE_UNTRACED keeps a debugger from following it.  False:
 * found.error has the reason. */
static bool start_child(struct Launch *launch)
{
    char *stack = launch->stack[0] + STACK_BYTES;
    int child =
        fc_sys(SYS_getpid) == 1 ? start_keeper(launch, stack) : start_session(launch, stack);
    if (child < 0)
        launch->found.error = child;
    return child >= 0;
}

static bool launch_manager(struct Launch *launch)
{
    char **variables = fc_libc_environ();
    size_t count = 0;
    while (variables && variables[count])
        count++;
    char *none[1] = {NULL};
    size_t bytes = (count + 1) * sizeof(char *);
    char **filtered = fc_map(bytes);
    launch->environment = none;
    if (filtered && !fc_config.is_privileged)
    {
        filter_environment(variables, filtered);
        launch->environment = filtered;
    }

    bool good = start_child(launch);
    if (filtered)
        fc_unmap(filtered, bytes);
    return good && launch->manager_pid > 0;
}

/* ---- Together --------------------------------------------------------------- */

/* Prints the answers that were read and says for whom they are.  There may be several if the
 * pipe has no packet mode. */
static enum FcReplied take_replies(const char *at, size_t bytes)
{
    enum FcReplied replied = FC_REPLIED_OTHERS;
    struct FcReply reply;
    while (bytes >= sizeof reply)
    {
        memcpy(&reply, at, sizeof reply);
        at += sizeof reply;
        bytes -= sizeof reply;
        if (reply.magic != FC_REPLY_MAGIC || reply.bytes > bytes)
            break;
        if (reply.bytes > 0)
            fc_notice_print(at, reply.bytes);
        if (reply.process == 0 || reply.process == fc_state_key)
            replied = FC_REPLIED_US;
        at += reply.bytes;
        bytes -= reply.bytes;
    }
    return replied;
}

enum FcReplied fc_spawn_read_reply(int fd, int timeout_ms)
{
    static char data[sizeof(struct FcReply) + FC_REPLY_TEXT_MAX];
    struct pollfd poll = {.fd = fd, .events = POLLIN};
    struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    long ready;
    do
        ready = fc_sys(SYS_ppoll, &poll, 1, &timeout, NULL, 8);
    while (ready == -EINTR);
    if (ready == 0)
        return FC_REPLIED_NOT;
    long bytes = ready < 0 ? ready : fc_sys(SYS_read, fd, data, sizeof data);
    if (bytes == -EAGAIN || bytes == -EINTR) /* another process has read it */
        return FC_REPLIED_NOT;
    return bytes <= 0 ? FC_REPLIED_CLOSED : take_replies(data, (size_t)bytes);
}

/* Makes the reply pipe.  In packet mode (O_DIRECT) one read returns one answer.  Reading from
 * the empty pipe does not block.  Returns 0 or -errno. */
static long make_reply_pipe(int fds[2])
{
    long result = fc_sys(SYS_pipe2, fds, O_CLOEXEC | O_NONBLOCK | O_DIRECT);
    return result == -EINVAL ? fc_sys(SYS_pipe2, fds, O_CLOEXEC | O_NONBLOCK) : result;
}

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        if (fds[i] >= 0)
            fc_sys(SYS_close, fds[i]);
}

/* Moves a descriptor of libfc's out of 0 to 2, which it may get if the program was started
 * without them.  The manager needs those numbers itself. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    long moved = fc_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    fc_sys(SYS_close, fd);
    return (int)moved;
}

/* Prints the reason why the program is not profiled. */
static void complain(const char *path, const char *reason)
{
    struct FcLine line;
    fc_line_start(&line, "FCheck: the profile manager could not be started (");
    if (path[0] != '\0')
    {
        /* A long path is cut at its beginning, which says less than its end. */
        size_t bytes = strlen(path);
        size_t room = sizeof line.text / 2;
        fc_line_add(&line, bytes > room ? "..." : "");
        fc_line_add(&line, path + (bytes > room ? bytes - room : 0));
        fc_line_add(&line, ": ");
    }
    fc_line_add(&line, reason ? reason : "?");
    fc_line_add(&line, "), the program is not profiled");
    fc_notice_unprofiled_line(&line);
}

static bool start_and_greet(struct Launch *launch, struct FcSession *session, int reply_write_fd)
{
    build_arguments(launch);
    fc_find_manager(&launch->found);
    bool started = launch_manager(launch) && !launch->failed;
    close_all((int[]){launch->fds[0], reply_write_fd, launch->fds[2], launch->fds[3]}, 4);
    if (started && fc_spawn_read_reply(session->reply_fd, REPLY_TIMEOUT_MS) == FC_REPLIED_US)
        return true;
    if (started && !launch->failed) /* a forked manager may have set `failed` since */
        complain(launch->found.path, "it did not answer");
    else
        complain(launch->found.tried, fc_libc()->strerrordesc((int)-launch->found.error));
    return false;
}

/* Shared memory, since the keeper, a forked copy, reports through it.  NULL: there is no memory. */
static struct Launch *map_launch(void)
{
    long at = fc_sys(SYS_mmap, NULL, sizeof(struct Launch), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1);
    return at < 0 && at > -4096 ? NULL : (struct Launch *)at;
}

bool fc_spawn_manager(struct FcSession *session)
{
    int data[2] = {-1, -1};
    int reply[2] = {-1, -1};
    /* A child would be the first process of another PID namespace, or be killed with that
     * process. */
    if (fc_namespace_changes())
    {
        fc_notice_unprofiled("children are in another PID namespace, the program is not profiled");
        return false;
    }
    if (fc_sys(SYS_pipe2, data, O_CLOEXEC) < 0 || make_reply_pipe(reply) < 0)
    {
        close_all(data, 2);
        fc_notice_unprofiled("no descriptors left, the program is not profiled");
        return false;
    }
    int shared_fd = -1;
    if (!fc_config.pipe_transport)
        shared_fd = fc_shared_make(&session->shared, &session->chunk_count);
    if (!session->shared)
        fc_sys(SYS_fcntl, data[1], F_SETPIPE_SZ, 1 << 20); /* faster; may be refused */

    session->pipe_fd = fc_channel_move_fd(data[1]);
    session->reply_fd = fc_channel_move_fd(reply[0]);
    data[0] = above_standard(data[0]);
    reply[1] = above_standard(reply[1]);
    shared_fd = above_standard(shared_fd);
    session->manager_pipe_fd = data[0];
    session->manager_shared_fd = shared_fd > 0 ? shared_fd : 0;
    session->manager_reply_fd = shared_fd > 0 ? 0 : reply[1];
    int filter_fd = above_standard(fc_user_filter_make());
    session->manager_filter_fd = filter_fd > 0 ? filter_fd : 0;
    fc_sys(SYS_fcntl, session->pipe_fd, F_SETFL, O_WRONLY | O_NONBLOCK);

    /* mapped only while the manager is started */
    struct Launch *launch = map_launch();
    bool good = false;
    if (launch)
    {
        launch->fds[0] = data[0];
        launch->fds[1] = reply[1];
        launch->fds[2] = shared_fd;
        launch->fds[3] = filter_fd;
        good = start_and_greet(launch, session, reply[1]);
        session->manager_pid =
            launch->manager_in_proc > 0 ? launch->manager_in_proc : launch->manager_pid;
        session->namespace = fc_namespace_own();
        fc_unmap(launch, sizeof *launch);
    }
    else
        close_all((int[]){data[0], reply[1], shared_fd, filter_fd}, 4);
    if (!good)
    {
        close_all((int[]){session->pipe_fd, session->reply_fd}, 2);
        if (session->shared)
            fc_shared_unmap(session->shared, session->chunk_count);
        fc_user_filter_unmap();
        return false;
    }
    if (session->shared)
    {
        fc_sys(SYS_close, session->reply_fd);
        session->reply_fd = -1;
    }
    return true;
}
