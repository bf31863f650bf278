/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exec family and posix_spawn.  Each stand-in adds the session's address to the
 * new image's environment, and nothing else: what libc's function does and returns
 * is what the program gets.  exec may be called in the child of a vfork or in a
 * signal handler, so nothing here allocates but on the stack.
 */
#include "libfc/exec.h"

#include "libfc/channel.h"
#include "libfc/clock.h"
#include "libfc/join.h"
#include "libfc/process.h"
#include "libfc/ring.h"
#include "libfc/sys.h"
#include "libfc/thread.h"

#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>

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
    if (real.execve != NULL)
        return;
    *(void **)&real.execvpe = dlsym(RTLD_NEXT, "execvpe");
    *(void **)&real.fexecve = dlsym(RTLD_NEXT, "fexecve");
    *(void **)&real.execveat = dlsym(RTLD_NEXT, "execveat");
    *(void **)&real.spawn = dlsym(RTLD_NEXT, "posix_spawn");
    *(void **)&real.spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
    *(void **)&real.execve = dlsym(RTLD_NEXT, "execve");
}

/* ---- The environment ------------------------------------------------------------ */

static size_t count(char *const list[])
{
    size_t entries = 0;
    while (list != NULL && list[entries] != NULL)
        entries++;
    return entries;
}

/* `into` has room for count(from) + 2. */
static char **add_address(char *const from[], char **into)
{
    const char *address = fc_join_address();
    size_t entries = count(from);
    if (entries > 0)
        memcpy(into, from, entries * sizeof *into);
    if (address != NULL)
        into[entries++] = (char *)address;
    into[entries] = NULL;
    return into;
}

/* On the caller's stack. */
#define WITH_ADDRESS(environment)                                                                  \
    add_address(environment, alloca((count(environment) + 2) * sizeof(char *)))

/* ---- Telling fcmanager ------------------------------------------------------------ */

/* The child of a vfork has its parent's memory but is no process of ours. */
static bool is_profiled_process(void)
{
    return !fc_process_is_off() && fc_sys(SYS_getpid) == (long)(fc_process_key >> 32);
}

static void send(enum FcMessageType type)
{
    int saved_errno = errno;
    if (is_profiled_process())
    {
        uint64_t old = fc_block_signals();
        if (type == FC_MSG_EXEC)
            fc_ring_flush();
        struct FcMessage message = {
            .type = (uint8_t)type, .thread = fc_thread.number, .value = fc_clock_peek()};
        fc_channel_send(&message, NULL, 0);
        fc_restore_signals(old);
    }
    errno = saved_errno;
}

#define EXECUTE(call)                                                                              \
    do                                                                                             \
    {                                                                                              \
        fc_exec_setup();                                                                           \
        send(FC_MSG_EXEC);                                                                         \
        int result = call;                                                                         \
        send(FC_MSG_EXEC_FAILED);                                                                  \
        return result;                                                                             \
    } while (0)

/* ---- The stand-ins ------------------------------------------------------------------ */

FC_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    EXECUTE(real.execve(path, arguments, WITH_ADDRESS(environment)));
}

FC_EXPORT int execv(const char *path, char *const arguments[])
{
    EXECUTE(real.execve(path, arguments, WITH_ADDRESS(environ)));
}

FC_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    EXECUTE(real.execvpe(file, arguments, WITH_ADDRESS(environment)));
}

FC_EXPORT int execvp(const char *file, char *const arguments[])
{
    EXECUTE(real.execvpe(file, arguments, WITH_ADDRESS(environ)));
}

FC_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    EXECUTE(real.fexecve(fd, arguments, WITH_ADDRESS(environment)));
}

FC_EXPORT int execveat(int fd, const char *path, char *const arguments[], char *const environment[],
                       int flags)
{
    EXECUTE(real.execveat(fd, path, arguments, WITH_ADDRESS(environment), flags));
}

/* For arguments that begin with parameter `first`: as an array on the caller's stack, with the
 * terminating NULL.  `environment` is evaluated after that, with `list` behind the NULL. */
#define EXECUTE_LIST(function, path, first, environment)                                           \
    do                                                                                             \
    {                                                                                              \
        va_list list, counting;                                                                    \
        size_t entries = 1;                                                                        \
        va_start(list, first);                                                                     \
        va_copy(counting, list);                                                                   \
        while (va_arg(counting, char *) != NULL)                                                   \
            entries++;                                                                             \
        va_end(counting);                                                                          \
        char **arguments = alloca((entries + 1) * sizeof *arguments);                              \
        arguments[0] = (char *)(first);                                                            \
        for (size_t i = 1; i <= entries; i++)                                                      \
            arguments[i] = va_arg(list, char *);                                                   \
        char *const *variables = environment;                                                      \
        va_end(list);                                                                              \
        EXECUTE(function(path, arguments, WITH_ADDRESS(variables)));                               \
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
    fc_exec_setup();
    return real.spawn(pid, path, actions, attributes, arguments, WITH_ADDRESS(environment));
}

FC_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[],
                           char *const environment[])
{
    fc_exec_setup();
    return real.spawnp(pid, file, actions, attributes, arguments, WITH_ADDRESS(environment));
}
