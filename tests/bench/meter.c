/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands in for fcmanager by way of FC_MANAGER: runs the real one, $METER_MANAGER, on the
 * processors $METER_PROCESSORS (numbers, with commas), if set, with its own arguments and
 * descriptors, waits until it and all its descendants are gone, and writes what they used
 * into the file $METER_OUT:
 *
 *     CPU-SECONDS PEAK-RSS-KIB
 *
 * Used by bench.py only.  Must leave every descriptor as it was.
 */
#include "libfc/fc-format.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

FC_MANAGER_NOTE_MAKE; /* root executes nothing else by FC_MANAGER */

static int run_on(const char *processors)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const char *at = processors; *at != '\0';)
    {
        char *end;
        const unsigned long processor = strtoul(at, &end, 10);
        if (end == at || (*end != ',' && *end != '\0') || processor >= CPU_SETSIZE)
            return -1;
        CPU_SET(processor, &set);
        at = *end == ',' ? end + 1 : end;
    }
    return sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
    const char *manager = getenv("METER_MANAGER");
    const char *out = getenv("METER_OUT");
    const char *processors = getenv("METER_PROCESSORS");
    if (argc < 1 || manager == NULL || out == NULL)
        return 2;
    if (processors != NULL && run_on(processors) != 0)
        return 2;
    /* a manager that detaches itself is still ours to wait for */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0)
    {
        execv(manager, argv);
        _exit(127);
    }
    /* The session ends when its last writer closes the pipe, so none may stay here. */
    closefrom(0);
    int status = 0;
    int result = 1;
    pid_t gone;
    while ((gone = wait(&status)) > 0)
        if (gone == child && WIFEXITED(status))
            result = WEXITSTATUS(status);

    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    char partial[4096];
    snprintf(partial, sizeof partial, "%s.new", out);
    FILE *file = fopen(partial, "w");
    if (file == NULL)
        return 1;
    fprintf(file, "%.6f %ld\n",
            (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
            usage.ru_maxrss);
    if (fclose(file) != 0 || rename(partial, out) != 0)
        return 1;
    return result;
}
