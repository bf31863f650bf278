/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For programs that play the part whose name they are given: of several names one after the
 * other, each in a process of its own, so that a tool such as memcheck begins but once.
 */
#pragma once

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The name to be played, in the process that is to play it; NULL: there is none.  With several it
 * returns in children only; their parent allocates nothing, and tells which of them plays what. */
static const char *in_turn(int argc, char **argv)
{
    for (int i = 1; argc > 2 && i < argc; i++)
    {
        char line[80];
        const pid_t child = fork();

        if (child == 0)
            return argv[i];
        /* what dprintf would have allocated would be the next child's, too */
        const int length = snprintf(line, sizeof line, "%d plays %s\n", (int)child, argv[i]);
        if (write(STDOUT_FILENO, line, (size_t)length) != length)
            _exit(1);
        waitpid(child, NULL, 0);
    }
    if (argc > 2)
        _exit(0);
    return argv[1];
}
