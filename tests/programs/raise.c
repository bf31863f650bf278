/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helper, never profiled; installed set-user-id or set-group-id: becomes its owner altogether, as
 * sudo does, and runs another program. Usage: raise exec|fork|keep|orphan PROGRAM; `fork` waits for
 * it, and has its status; the last two give it the environment that they got, and not a clean one,
 * `orphan` in a process whose parent has ended.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *const clean[] = {"PATH=/usr/bin:/bin", NULL};
    uid_t user = geteuid();
    gid_t group = getegid();
    pid_t self = getpid();
    if (argc < 3 || setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
        return 125;
    int is_orphan = strcmp(argv[1], "orphan") == 0;
    int keeps = is_orphan || strcmp(argv[1], "keep") == 0;
    pid_t child = is_orphan || strcmp(argv[1], "fork") == 0 ? fork() : 0;
    if (child == 0)
    {
        while (is_orphan && getppid() == self)
            usleep(1000);
        execve(argv[2], argv + 2, keeps ? environ : clean);
        return 126;
    }
    if (is_orphan)
        return 0;
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
