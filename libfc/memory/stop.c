/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See stop.h.  A process can't trace itself with ptrace.  So a helper process, which shares its
 * memory and which the program does not notice, traces the threads (spawn.c makes such a child,
 * too).  The kernel lets the threads go on when the helper ends.  The helper is killed when the
 * thread that made it ends.
 */
#include "libfc/memory/stop.h"

#include "libfc/base/clone.h"
#include "libfc/base/sys.h"
#include "libfc/base/text.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define STACK_BYTES 65536u
#define WAIT_S 10

#if !defined(__WALL)
#define __WALL 0x40000000
#endif
#if !defined(__WCLONE)
#define __WCLONE 0x80000000u
#endif

/* The values of FcStopped.state, in the order in which they are set. */
enum
{
    MADE,
    ALLOWED, /* the helper may trace */
    STOPPED, /* the threads are stopped, or `error` is set */
    RELEASED,
};

struct Entry /* the layout of getdents64 */
{
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

static void set_state(struct FcStopped *stopped, uint32_t state)
{
    __atomic_store_n(&stopped->state, state, __ATOMIC_RELEASE);
    fc_sys(SYS_futex, &stopped->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits until the state is no longer `state`.  False: it still is after WAIT_S seconds. */
static bool await(struct FcStopped *stopped, uint32_t state)
{
    const struct timespec delay = {1, 0};
    for (int i = 0; i < WAIT_S; i++)
    {
        if (__atomic_load_n(&stopped->state, __ATOMIC_ACQUIRE) != state)
            return true;
        fc_sys(SYS_futex, &stopped->state, FUTEX_WAIT, state, &delay, NULL, 0);
    }
    return __atomic_load_n(&stopped->state, __ATOMIC_ACQUIRE) != state;
}

/* ---- The helper ---------------------------------------------------------------------- */

/* Waits until the thread has stopped.  Signals that it gets before that are delivered, or they
 * would be lost.  False: the thread has ended. */
static bool wait_for_stop(int thread)
{
    int status = 0;
    for (;;)
    {
        const long found = fc_sys(SYS_wait4, thread, &status, __WALL, NULL);
        if (found == -EINTR)
            continue;
        if (found != thread || !WIFSTOPPED(status))
            return false; /* the thread has ended */
        if (status >> 16 == PTRACE_EVENT_STOP)
            return true;
        if (fc_sys(SYS_ptrace, PTRACE_CONT, thread, 0, WSTOPSIG(status)) < 0)
            return false;
    }
}

/* Stops a thread and reads its registers.  Returns 1: it is stopped, 0: it has ended; or -errno. */
static long stop(struct FcStopped *stopped, int thread)
{
    long result = fc_sys(SYS_ptrace, PTRACE_SEIZE, thread, 0, 0);
    if (result == 0)
        result = fc_sys(SYS_ptrace, PTRACE_INTERRUPT, thread, 0, 0);
    if (result < 0)
        return result == -ESRCH ? 0 : result;
    if (!wait_for_stop(thread))
        return 0;
    struct iovec into = {stopped->registers[stopped->count], sizeof *stopped->registers};
    result = fc_sys(SYS_ptrace, PTRACE_GETREGSET, thread, NT_PRSTATUS, &into);
    if (result == 0)
        stopped->count++;
    return result < 0 && result != -ESRCH ? result : result == 0;
}

static bool is_ended(const char *folder, const char *name)
{
    char path[64];
    char text[512];
    strcpy(path, folder);
    strcpy(path + strlen(path), name);
    strcpy(path + strlen(path), "/stat");
    const long fd = fc_sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    const long bytes = fd >= 0 ? fc_sys(SYS_read, fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        fc_sys(SYS_close, fd);
    text[bytes > 0 ? bytes : 0] = '\0';
    const char *end = strrchr(text, ')');
    return !end || end[1] == '\0' || end[2] == 'Z' || end[2] == 'X';
}

/* Stops the threads in `folder` that are not among the `*seen` ones in `known`, and adds them.
 * Returns how many were new, or -errno. */
static long stop_listed(struct FcStopped *stopped, const char *folder, int *known, uint32_t *seen)
{
    char list[4096] __attribute__((aligned(8)));
    const long fd = fc_sys(SYS_openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long got;
    long result = fd < 0 ? fd : 0;
    long fresh = 0;
    while (result >= 0 && (got = fc_sys(SYS_getdents64, fd, list, sizeof list)) > 0)
        for (long at = 0; at < got && result >= 0;)
        {
            const struct Entry *entry = (const struct Entry *)(const void *)(list + at);
            at += entry->bytes;
            int thread = 0;
            for (const char *c = entry->name; *c >= '0' && *c <= '9'; c++)
                thread = 10 * thread + (*c - '0');
            bool is_known = thread == 0 || thread == stopped->thread;
            for (uint32_t i = 0; i < *seen && !is_known; i++)
                is_known = known[i] == thread;
            if (is_known)
                continue;
            if (*seen == FC_STOP_THREADS_MAX)
                result = -E2BIG;
            else
                result = stop(stopped, thread);
            if (result == -EPERM && is_ended(folder, entry->name))
                result = 0; /* a main thread that has ended stays in the list */
            if (result >= 0)
                known[(*seen)++] = thread;
            fresh++;
        }
    if (fd >= 0)
        fc_sys(SYS_close, fd);
    return result < 0 ? result : fresh;
}

static int helper(void *data)
{
    struct FcStopped *stopped = data;
    static int known[FC_STOP_THREADS_MAX];
    char folder[48] = "/proc/";
    uint32_t seen = 0;
    long fresh = -ETIMEDOUT;
    fc_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    strcpy(fc_text_number(folder + strlen(folder), (uint64_t)stopped->process), "/task/");
    if (await(stopped, MADE))
        do /* until no running thread has made a new one */
            fresh = stop_listed(stopped, folder, known, &seen);
        while (fresh > 0);
    stopped->error = (int32_t)fresh;
    set_state(stopped, STOPPED);
    while (__atomic_load_n(&stopped->state, __ATOMIC_ACQUIRE) == STOPPED &&
           fc_sys(SYS_getppid) == stopped->process)
        await(stopped, STOPPED);
    fc_sys(SYS_exit, 0);
    return 0;
}

/* ---- The thread that goes on ------------------------------------------------------------ */

static void *map_shared(size_t bytes)
{
    long at = fc_sys(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

struct FcStopped *fc_stop_others(long *error)
{
    struct FcStopped *stopped = map_shared(sizeof *stopped);
    char *stack = map_shared(STACK_BYTES);
    *error = -ENOMEM;
    if (!stopped || !stack)
        return NULL;
    stopped->process = (int32_t)fc_sys(SYS_getpid);
    stopped->thread = (int32_t)fc_sys(SYS_gettid);
    stopped->helper = fc_clone(helper, stack + STACK_BYTES,
                               CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED, stopped);
    *error = stopped->helper;
    if (stopped->helper < 0)
        return NULL;
    fc_sys(SYS_prctl, PR_SET_PTRACER, stopped->helper, 0, 0, 0); /* otherwise Yama may forbid it */
    set_state(stopped, ALLOWED);
    *error = await(stopped, ALLOWED) ? stopped->error : -ETIMEDOUT;
    if (*error == 0)
        return stopped;
    fc_stop_end(stopped);
    return NULL;
}

void fc_stop_end(struct FcStopped *stopped)
{
    set_state(stopped, RELEASED);
    /* the helper may hang if a thread can't be stopped, such as one that waits for a device */
    fc_sys(SYS_kill, stopped->helper, SIGKILL);
    fc_sys(SYS_wait4, stopped->helper, NULL, __WCLONE, NULL);
    fc_sys(SYS_prctl, PR_SET_PTRACER, 0, 0, 0, 0);
}
