/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: calls step() until a file exists, at least ten million times, and then says how
 * often it was.  Usage: longrun FILE
 */
#include <stdio.h>
#include <unistd.h>

static unsigned long steps;

static void step(void)
{
    steps++;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    printf("started\n");
    fflush(stdout);
    while (access(argv[1], F_OK) != 0)
        for (int i = 0; i < 100000; i++)
            step();
    for (int i = 0; i < 10000000; i++)
        step();
    printf("%s\n", steps >= 10000000 ? "done" : "?");
    return 5;
}
