/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interposes the exec family and posix_spawn.  Each interposer adds the session's address to the
 * new image's environment and otherwise does what libc's function does.  exec may be called in the
 * child of a vfork or in a signal handler, so nothing here uses the heap.  A small environment is
 * copied to the stack, a large one to a new mapping.
 */
#include "libfc/process/exec.h"

#include "libfc/base/clock.h"
#include "libfc/base/libc.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/process/join.h"
#include "libfc/process/modules.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/switches.h"

#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

static struct
{
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    int (*execveat)(int, const char *, char *const[], char *const[], int);
    int (*spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                 const posix_spawnattr_t *, char *const[], char *const[]);
    int (*spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                  const posix_spawnattr_t *, char *const[], char *const[]);
} real;

void fc_exec_setup(void)
{
    if (real.execve)
        return;
    *(void **)&real.execvpe = fc_libc()->dlsym(RTLD_NEXT, "execvpe");
    *(void **)&real.fexecve = fc_libc()->dlsym(RTLD_NEXT, "fexecve");
    *(void **)&real.execveat = fc_libc()->dlsym(RTLD_NEXT, "execveat");
    *(void **)&real.spawn = fc_libc()->dlsym(RTLD_NEXT, "posix_spawn");
    *(void **)&real.spawnp = fc_libc()->dlsym(RTLD_NEXT, "posix_spawnp");
    *(void **)&real.execve = fc_libc()->dlsym(RTLD_NEXT, "execve");
}

/* ---- The environment ------------------------------------------------------------ */

/* So many entries fit on any stack, even a signal stack.  More are mapped. */
#define ENTRIES_MAX 256

struct Environment
{
    char *const *entries;
    size_t mapped_bytes; /* 0: the entries are in `room`, or the caller's */
    char *room[ENTRIES_MAX];
};

static void unmap(char *const *entries, size_t bytes)
{
    if (bytes > 0)
        fc_sys(SYS_munmap, entries, bytes);
}

/* The child of a vfork shares its parent's memory, and its mapping stays there after the child's
 * exec.  The parent's thread unmaps it at its next call. */
static void note_for_parent(const struct Environment *environment)
{
    unmap(fc_thread.environment, fc_thread.environment_bytes);
    fc_thread.environment = environment->entries;
    fc_thread.environment_bytes = fc_state_is_own_process() ? 0 : environment->mapped_bytes;
}

/* Returns the entries of `from`, followed by the session's address.  Returns `from` itself if
 * there is no address or no memory. */
static char *const *make(struct Environment *environment, char *const from[])
{
    const char *address = fc_join_address();
    size_t count = 0;
    char **into = environment->room;
    while (from && from[count])
        count++;
    environment->entries = from;
    environment->mapped_bytes = 0;
    if (!address)
        return from;
    if (count + 2 > ENTRIES_MAX)
    {
        size_t bytes = (count + 2) * sizeof *into;
        long at = fc_sys(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                         -1, 0L);
        if (at < 0 && at > -4096)
            return from; /* the image starts a session of its own if it is profiled */
        into = (char **)at;
        environment->mapped_bytes = bytes;
    }
    if (count > 0)
        memcpy(into, from, count * sizeof *into);
    into[count] = (char *)address;
    into[count + 1] = NULL;
    environment->entries = into;
    note_for_parent(environment);
    return into;
}

/* Frees the mapping, if any, after an exec that failed or after a posix_spawn, whose child has
 * its own memory.  Keeps errno. */
static void drop(const struct Environment *environment)
{
    if (environment->mapped_bytes == 0)
        return;
    int saved_errno = fc_errno;
    unmap(environment->entries, environment->mapped_bytes);
    if (fc_thread.environment == environment->entries)
        fc_thread.environment_bytes = 0;
    fc_errno = saved_errno;
}

/* ---- Telling fcmanager ------------------------------------------------------------ */

static void send(enum FcMessageType type)
{
    int saved_errno = fc_errno;
    if (!fc_state_is_off() && fc_state_is_own_process())
    {
        uint64_t old = fc_block_signals();
        struct FcMessage message = {.type = (uint8_t)type, .thread = fc_thread.number};
        if (type == FC_MSG_EXEC)
        {
            message.value = fc_switches_check_last();
            fc_modules_update(); /* the chunk may hold calls of new modules */
            fc_chunks_flush();
        }
        else
            message.value = fc_clock_peek();
        fc_channel_send(&message, NULL, 0);
        fc_restore_signals(old);
    }
    fc_errno = saved_errno;
}

/* `real_call` uses the variable `entries`.  If the environment is too large for the kernel, the
 * call is repeated without the session's address, so that it does not fail because of libfc. */
#define EXECUTE(given, real_call)                                                                  \
    do                                                                                             \
    {                                                                                              \
        struct Environment environment_made;                                                       \
        fc_exec_setup();                                                                           \
        char *const *entries = make(&environment_made, given);                                     \
        send(FC_MSG_EXEC);                                                                         \
        const bool is_left_open = fc_channel_leave_open();                                         \
        int result = real_call;                                                                    \
        if (result == -1 && fc_errno == E2BIG && entries != (given))                               \
        {                                                                                          \
            entries = given;                                                                       \
            result = real_call;                                                                    \
        }                                                                                          \
        if (is_left_open)                                                                          \
            fc_channel_close_on_exec();                                                            \
        send(FC_MSG_EXEC_FAILED);                                                                  \
        drop(&environment_made);                                                                   \
        return result;                                                                             \
    } while (0)

#define SPAWN(given, real_call)                                                                    \
    do                                                                                             \
    {                                                                                              \
        struct Environment environment_made;                                                       \
        fc_exec_setup();                                                                           \
        char *const *entries = make(&environment_made, given);                                     \
        const bool is_left_open = fc_channel_leave_open();                                         \
        int result = real_call;                                                                    \
        if (result == E2BIG && entries != (given))                                                 \
        {                                                                                          \
            entries = given;                                                                       \
            result = real_call;                                                                    \
        }                                                                                          \
        if (is_left_open)                                                                          \
            fc_channel_close_on_exec();                                                            \
        drop(&environment_made);                                                                   \
        return result;                                                                             \
    } while (0)

/* ---- The interposers ------------------------------------------------------------------ */

FC_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    EXECUTE(environment, real.execve(path, arguments, entries));
}

FC_EXPORT int execv(const char *path, char *const arguments[])
{
    EXECUTE(environ, real.execve(path, arguments, entries));
}

FC_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    EXECUTE(environment, real.execvpe(file, arguments, entries));
}

FC_EXPORT int execvp(const char *file, char *const arguments[])
{
    EXECUTE(environ, real.execvpe(file, arguments, entries));
}

FC_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    EXECUTE(environment, real.fexecve(fd, arguments, entries));
}

FC_EXPORT int execveat(int fd, const char *path, char *const arguments[], char *const environment[],
                       int flags)
{
    EXECUTE(environment, real.execveat(fd, path, arguments, entries, flags));
}

/* Copies the arguments, from parameter `first` to the terminating NULL, to an array on the
 * stack.  Then `environment` is evaluated, while `list` stands after the NULL. */
#define EXECUTE_LIST(function, path, first, environment)                                           \
    do                                                                                             \
    {                                                                                              \
        va_list list, counting;                                                                    \
        size_t words = 1;                                                                          \
        va_start(list, first);                                                                     \
        va_copy(counting, list);                                                                   \
        while (va_arg(counting, char *))                                                           \
            words++;                                                                               \
        va_end(counting);                                                                          \
        char **arguments = alloca((words + 1) * sizeof *arguments);                                \
        arguments[0] = (char *)(first);                                                            \
        for (size_t i = 1; i <= words; i++)                                                        \
            arguments[i] = va_arg(list, char *);                                                   \
        char *const *variables = environment;                                                      \
        va_end(list);                                                                              \
        EXECUTE(variables, function(path, arguments, entries));                                    \
    } while (0)

FC_EXPORT int execl(const char *path, const char *first, ...)
{
    EXECUTE_LIST(real.execve, path, first, environ);
}

FC_EXPORT int execlp(const char *file, const char *first, ...)
{
    EXECUTE_LIST(real.execvpe, file, first, environ);
}

FC_EXPORT int execle(const char *path, const char *first, ...)
{
    EXECUTE_LIST(real.execve, path, first, va_arg(list, char *const *));
}

FC_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[],
                          char *const environment[])
{
    SPAWN(environment, real.spawn(pid, path, actions, attributes, arguments, entries));
}

FC_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[],
                           char *const environment[])
{
    SPAWN(environment, real.spawnp(pid, file, actions, attributes, arguments, entries));
}
