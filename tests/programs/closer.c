/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: what a daemon does: closes every descriptor it finds and opens a file, also
 * where the standard ones were; the file must receive nothing but the program's own
 * bytes.  Works before and after.  Usage: closer FILE DESCRIPTORS: so many are taken.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int step(int value)
{
    return value + 1;
}

static int work(void)
{
    int value = 0;
    for (int i = 0; i < 100000; i++)
        value = step(value);
    return value;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    work();
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < limit && fd < 65536; fd++)
        close(fd);
    int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file != 0)
        return 3;
    for (int fd = 1; fd < atoi(argv[2]); fd++) /* wherever a runtime might write */
        if (dup2(file, fd) != fd)
            return 4;
    work();
    return write(file, "mine\n", 5) == 5 ? 0 : 5;
}
