/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helper, never profiled: announces a session that may not be its own, by a mapping of the name
 * that libfc looks for, and runs a program below it. Usage: false_mark ADDRESS PROGRAM ARGUMENTS
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char name[256];
    int status;
    if (argc < 3)
        return 125;
    snprintf(name, sizeof name, "functioncheck:%s", argv[1]);
    int fd = memfd_create(name, 0);
    if (fd < 0 || mmap(NULL, 1, PROT_NONE, MAP_SHARED, fd, 0) == MAP_FAILED)
        return 125;
    close(fd);
    pid_t child = fork();
    if (child == 0)
    {
        execv(argv[2], argv + 2);
        _exit(126);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
