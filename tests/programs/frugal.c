/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: uses what an ordinary program does of memory, files and descriptors, and says what it
 * got.  Usage: frugal FILE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_files(int count)
{
    int opened = 0;
    for (int i = 0; i < count; i++)
        opened += open("/dev/null", O_RDONLY) >= 0;
    return opened;
}

static int fill_memory(size_t bytes)
{
    char *block = malloc(bytes);
    if (block == NULL)
        return 0;
    memset(block, 1, bytes);
    free(block);
    return 1;
}

static long write_file(const char *path, int blocks)
{
    static char block[1024];
    long written = 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int i = 0; fd >= 0 && i < blocks; i++)
    {
        ssize_t bytes = write(fd, block, sizeof block);
        if (bytes < 0)
        {
            printf("write: %s\n", strerror(errno));
            break;
        }
        written += bytes;
    }
    return written;
}

int main(int argc, char **argv)
{
    int status = -1;
    if (argc < 2)
        return 2;
    printf("descriptors: %d of 6\n", open_files(6));
    printf("memory: %d\n", fill_memory(4 << 20));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(open_files(2) + 5);
    waitpid(child, &status, 0);
    printf("child: %d\n", child > 0 ? WEXITSTATUS(status) : -1);
    fflush(stdout);
    printf("file: %ld bytes\n", write_file(argv[1], 10));
    return 0;
}
