/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: closes all descriptors and may open none: libfc has no way to the manager any more,
 * and the profile must tell.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile long steps;

static void step(void)
{
    steps++;
}

static void work(long times)
{
    for (long i = 0; i < times; i++)
        step();
}

int main(void)
{
    struct rlimit none = {0, 0};
    work(100);
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    if (setrlimit(RLIMIT_NOFILE, &none) != 0)
        return 1;
    work(400000); /* samples of which fill a chunk, too, where the calls are counted */
    printf("%ld\n", steps);
    return 0;
}
