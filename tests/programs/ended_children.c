/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: makes so many children, of which every other one becomes a program that is not profiled,
 * says "x" on standard output and waits for the end of standard input; then it kills them all,
 * waits for them and ends. Usage: ended_children CHILDREN
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN_MAX 200

static void begin_child(int number, int ready)
{
    char *const arguments[] = {"sleep", "1000", NULL};
    if (write(ready, "x", 1) != 1)
        _exit(1);
    if (number % 2 == 1)
        execvp("sleep", arguments);
    for (;;)
        pause();
}

static void wait_for_end(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
}

int main(int argc, char **argv)
{
    pid_t children[CHILDREN_MAX];
    int ready[2];
    int count = argc > 1 ? atoi(argv[1]) : 0;
    if (count < 1 || count > CHILDREN_MAX || pipe(ready) != 0)
        return 2;
    for (int i = 0; i < count; i++)
    {
        char byte;
        children[i] = fork();
        if (children[i] == 0)
            begin_child(i, ready[1]);
        if (children[i] < 0 || read(ready[0], &byte, 1) != 1)
            return 3;
    }
    if (write(STDOUT_FILENO, "x", 1) != 1)
        return 4;
    wait_for_end();
    for (int i = 0; i < count; i++)
        kill(children[i], SIGKILL);
    for (int i = 0; i < count; i++)
        if (waitpid(children[i], NULL, 0) != children[i])
            return 5;
    return 0;
}
