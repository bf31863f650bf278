/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: runs the program that its arguments name, and ends with its status.
 */
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    pid_t child = argc > 1 ? fork() : -1;
    if (child < 0)
        return 125;
    if (child == 0)
    {
        execv(argv[1], argv + 1);
        _exit(126);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
