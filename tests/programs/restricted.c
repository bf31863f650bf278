/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: forbids itself to write files, by Landlock, and executes itself. Usage: restricted
 * exec|spawn; status 77: there is no Landlock.
 */
#include <linux/landlock.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static void leaf(void)
{
    sink++;
}

static int restrict_self(void)
{
    const struct landlock_ruleset_attr rules = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE};
    const int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    return fd >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, fd, 0) == 0 && close(fd) == 0;
}

int main(int argc, char **argv)
{
    const int is_again = argc > 2;
    for (int i = 0; i < (is_again ? 70 : 1000); i++)
        leaf();
    if (is_again)
        return 0;
    if (!restrict_self())
        return 77;
    char *const words[] = {argv[0], argv[1], "again", NULL};
    execl("/nonexistent", "nonexistent", NULL); /* which leaves nothing open */
    if (strcmp(argv[1], "exec") == 0)
        execv("/proc/self/exe", words);
    pid_t child;
    int status;
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) != 0)
        return 9;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
