/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: prints lines as long as somebody reads them, at most COUNT; with 0 until a signal comes,
 * a line at a time.  Usage: lines COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int line(long number)
{
    return printf("line %ld\n", number);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 10;
    for (long i = 0; count == 0 || i < count; i++)
    {
        if (line(i) < 0)
            return 3;
        if (count == 0)
        {
            fflush(stdout);
            usleep(20000);
        }
    }
    return fflush(stdout) == 0 ? 0 : 4;
}
