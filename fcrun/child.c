/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See child.h.
 */
#include "fcrun/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALL_SIGNALS 128 /* shells add this to the signal's number */

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

static volatile sig_atomic_t child_pid; /* 0: no child */

/* Handles a signal: passes it on to the program, unless the kernel sent it.  The terminal sends
 * its signals to the program as well. */
static void pass_on(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    const int saved = errno;
    if (child_pid > 0 && info->si_code <= 0)
        kill(child_pid, number);
    errno = saved;
}

/* Installs the handlers and saves the previous ones in `before`.  An ignored signal stays
 * ignored, also in the program. */
static void set_handlers(struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (guint i = 0; i < G_N_ELEMENTS(passed_on); i++)
    {
        sigaction(passed_on[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
    }
}

static void restore_handlers(const struct sigaction *before)
{
    for (guint i = 0; i < G_N_ELEMENTS(passed_on); i++)
        sigaction(passed_on[i], &before[i], NULL);
}

/* Runs in the new process: executes the program, or reports errno to `report_fd` and ends. */
G_NORETURN static void become(char **words, char **environment, const sigset_t *mask,
                              const struct sigaction *before, int report_fd)
{
    restore_handlers(before);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(words[0], words, environment);
    const int reason = errno;
    if (write(report_fd, &reason, sizeof reason) < 0)
        _exit(FC_CHILD_NOT_RUN);
    _exit(FC_CHILD_NOT_FOUND);
}

/* Returns the errno of the program's exec; 0: it was executed. */
static int read_report(int fd)
{
    int reason = 0;
    ssize_t bytes;
    do
        bytes = read(fd, &reason, sizeof reason);
    while (bytes < 0 && errno == EINTR);
    return bytes == (ssize_t)sizeof reason ? reason : 0;
}

static void wait_for(pid_t pid, FcChild *child)
{
    int status = 0;
    struct rusage usage = {0};
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    child_pid = 0;
    child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->status = child->signal != 0 ? ALL_SIGNALS + child->signal : WEXITSTATUS(status);
    child->cpu_us = ((gint64)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC +
                    usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* Forks and runs the program.  Signals are blocked until child_pid is set.  Returns the pid, or
 * -1 and errno. */
static pid_t start(char **words, char **environment, const struct sigaction *before, int report_fd)
{
    sigset_t all;
    sigset_t mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    const pid_t pid = fork();
    const int reason = errno;
    if (pid == 0)
        become(words, environment, &mask, before, report_fd);
    child_pid = MAX(pid, 0);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    errno = reason;
    return pid;
}

static void set_reason(GError **error, const char *program, int reason)
{
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(reason), "%s: %s", program,
                g_strerror(reason));
}

gboolean fc_child_run(char **words, char **environment, FcChild *child, GError **error)
{
    struct sigaction before[G_N_ELEMENTS(passed_on)];
    int report[2];
    *child = (FcChild){.status = FC_CHILD_NOT_RUN};
    if (pipe2(report, O_CLOEXEC) < 0)
    {
        set_reason(error, words[0], errno);
        return FALSE;
    }
    set_handlers(before);
    const gint64 begun_us = g_get_monotonic_time();
    const pid_t pid = start(words, environment, before, report[1]);
    int reason = pid < 0 ? errno : 0;
    close(report[1]);
    if (pid > 0)
    {
        reason = read_report(report[0]);
        wait_for(pid, child);
        child->elapsed_us = g_get_monotonic_time() - begun_us;
    }
    close(report[0]);
    restore_handlers(before);
    if (reason == 0)
        return TRUE;
    child->status = reason == ENOENT ? FC_CHILD_NOT_FOUND : FC_CHILD_NOT_RUN;
    set_reason(error, words[0], reason);
    return FALSE;
}
