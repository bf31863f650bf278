/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a wild program: writes into everything of the profiler's that it can find.
 * Usage: scribble WAY SEED; "bytes" and "messages" go into each pipe that is not its own
 * (random bytes; random messages with a good beginning), "chunks" and "header" over the shared
 * memory, "all" does everything.  It always ends well by itself.
 */
#include "truth.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))

static uint64_t random_state;
static volatile int sink;

QUIET static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void step(void)
{
    sink++;
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
        step();
}

QUIET static int is_foreign_pipe(int fd)
{
    struct stat status;
    return fd > 2 && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

QUIET static void fill(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)next_random();
}

/* What a message begins with: magic, type, flags, length. */
QUIET static void dress_up(unsigned char *bytes, size_t count)
{
    uint16_t magic = 0x4346;
    uint32_t length = (uint32_t)count;
    uint64_t process = (uint64_t)(uint32_t)getpid() << 32 | (uint32_t)next_random();
    memcpy(bytes, &magic, sizeof magic);
    bytes[2] = (unsigned char)(next_random() % 18);
    bytes[3] &= 1;
    memcpy(bytes + 4, &length, sizeof length);
    memcpy(bytes + 8, &process, sizeof process);
}

QUIET static void scribble_pipes(int messages)
{
    for (int fd = 3; fd < 1024; fd++)
    {
        if (!is_foreign_pipe(fd))
            continue;
        for (int i = 0; i < 50; i++)
        {
            unsigned char bytes[4096];
            size_t count = 32 + next_random() % (sizeof bytes - 32);
            fill(bytes, count);
            if (messages)
                dress_up(bytes, count);
            if (write(fd, bytes, count) < 0 && errno == EAGAIN)
                usleep(1000);
        }
    }
}

QUIET static void scribble_range(unsigned char *from, size_t bytes, int times)
{
    for (int i = 0; i < times; i++)
        from[next_random() % bytes] = (unsigned char)next_random();
}

/* The first chunks are those in use. */
QUIET static void scribble_memory(int chunks, int header)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    {
        unsigned long start;
        unsigned long end;
        if (strstr(line, "memfd:functioncheck") == NULL || strstr(line, " rw-s ") == NULL ||
            sscanf(line, "%lx-%lx", &start, &end) != 2)
            continue;
        if (header)
            scribble_range((unsigned char *)start, 64, 100);
        if (chunks && end - start > 65536)
        {
            size_t used = end - start - 65536 < 16 * 65536 ? end - start - 65536 : 16 * 65536;
            scribble_range((unsigned char *)start + 65536, used, 200000);
            for (size_t at = 65536; at < used; at += 65536) /* the chunks' headers */
                scribble_range((unsigned char *)start + at, 64, 8);
        }
    }
    if (maps != NULL)
        fclose(maps);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    random_state = strtoull(argv[2], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    int all = strcmp(argv[1], "all") == 0;
    for (int i = 0; i < 5; i++)
    {
        work(20000);
        if (all || strcmp(argv[1], "bytes") == 0)
            scribble_pipes(0);
        if (all || strcmp(argv[1], "messages") == 0)
            scribble_pipes(1);
        scribble_memory(all || strcmp(argv[1], "chunks") == 0,
                        all || strcmp(argv[1], "header") == 0);
        work(20000);
    }
    printf("%d\n", sink);
    return 4;
}
