/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A forked child that makes no record of its own, or one late: waits in the frames that it inherits
 * and ends as the argument says.  Or a thread waits and ends within its function.  Who waits prints
 * how long it was on the CPU, in ns, with what was stolen from the machine.
 */
#define _GNU_SOURCE
#include "stolen.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline))
#define PLAIN __attribute__((no_instrument_function))

static volatile int sum;

PLAIN static void nap(unsigned milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

PLAIN static void tell(uint64_t stolen)
{
    printf("%llu\n", (unsigned long long)stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID) +
                         (unsigned long long)stolen);
    fflush(stdout);
}

ALONE void late(void)
{
    sum++;
}

PLAIN static void wait_and_end(const char *how)
{
    uint64_t stolen = 0;
    if (strcmp(how, "works") == 0)
        stolen = stolen_from_work(100000000u);
    nap(strcmp(how, "killed") == 0 || strcmp(how, "system call") == 0 ? 1000 : 300);
    if (strcmp(how, "late") == 0)
        late();
    tell(stolen);
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(how, "system call") == 0)
        syscall(SYS_exit_group, 0);
    _exit(0);
}

ALONE void waits(const char *how)
{
    pid_t child = fork();
    if (child == 0)
        wait_and_end(how);
    waitpid(child, NULL, 0);
}

ALONE void *ends_in_thread(void *unused)
{
    nap(300);
    tell(0);
    pthread_exit(unused);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "_exit";
    pthread_t thread;
    if (strcmp(how, "thread") != 0)
        waits(how);
    else if (pthread_create(&thread, NULL, ends_in_thread, NULL) != 0 ||
             pthread_join(thread, NULL) != 0)
        return 1;
    return 0;
}
