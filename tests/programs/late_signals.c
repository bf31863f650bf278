/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: ends when it is told to, with a handler for a signal that comes behind its end.
 * Usage: late_signals FILE [_exit]: ends once FILE is there, with status 3
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void handler(int number)
{
    (void)number;
    ssize_t ignored = write(1, "handled\n", 8);
    (void)ignored;
    _exit(4);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    signal(SIGUSR1, handler);
    if (write(1, "ready\n", 6) != 6)
        return 2;
    while (access(argv[1], F_OK) != 0)
        usleep(1000);
    if (argc > 2)
        _exit(3);
    exit(3);
}
