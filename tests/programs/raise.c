/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helper, never profiled; installed set-user-id: becomes its owner altogether, as sudo does, and
 * runs another program with a clean environment. Usage: raise exec|fork PROGRAM; `fork` waits for
 * it, and has its status.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *const clean[] = {"PATH=/usr/bin:/bin", NULL};
    uid_t user = geteuid();
    gid_t group = getegid();
    if (argc < 3 || setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
        return 125;
    pid_t child = strcmp(argv[1], "fork") == 0 ? fork() : 0;
    if (child == 0)
    {
        execve(argv[2], argv + 2, clean);
        return 126;
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
