/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: loads a library by a descriptor and calls it (plugin.c's library_work, 700 times).
 * Usage: from_descriptor WAY LIBRARY: WAY is memory (a copy in memory), deleted (LIBRARY is deleted
 * behind it), or file; the name that is loaded is /dev/fd/N with file, a symbolic link to
 * /proc/self/fd/N in the working directory with deleted, and /proc/self/fd/N.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    char name[64];
    int fd = open(argv[2], O_RDONLY);
    if (strcmp(argv[1], "memory") == 0)
    {
        int copy = memfd_create("plug", 0);
        while (sendfile(copy, fd, NULL, 1 << 20) > 0)
            continue;
        close(fd);
        fd = copy;
    }
    const int is_file = strcmp(argv[1], "file") == 0;
    snprintf(name, sizeof name, is_file ? "/dev/fd/%d" : "/proc/self/fd/%d", fd);
    if (strcmp(argv[1], "deleted") == 0)
    {
        if (symlink(name, "link") != 0 || unlink(argv[2]) != 0)
            return 3;
        strcpy(name, "./link");
    }
    void *handle = dlopen(name, RTLD_NOW);
    close(fd);
    int (*work)(int) = handle ? (int (*)(int))dlsym(handle, "library_work") : NULL;
    if (!work)
        return 4;
    work(700);
    return 0;
}
