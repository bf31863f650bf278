/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a process that works, forks, and works on in both; the child returns from main.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void before(void)
{
}

static void in_child(void)
{
}

static void after(void)
{
}

int main(void)
{
    before();
    pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0)
    {
        in_child();
        in_child();
        return 3;
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
        abort();
    after();
    return 0;
}
