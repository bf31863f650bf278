/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a wild program: writes into everything of the profiler's that it can find.
 * Usage: scribble WAY SEED; "bytes" and "messages" go into each pipe that is not its own
 * (random bytes; random messages with a good beginning), "own" such messages in its own name,
 * "chunks" and "header" over the shared memory, "owners" over whose its chunks are, "choices" over
 * the answers to FC_FILTER, "all" does all but "own" and "owners". It always ends well by
 * itself.
 */
#include "truth.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))

static uint64_t random_state;
static uint64_t own_key; /* by which the manager knows this process; 0: not to be used */
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
    bytes[2] = (unsigned char)(next_random() % 24); /* more types than there are */
    bytes[3] &= 1;
    memcpy(bytes + 4, &length, sizeof length);
    if (own_key != 0)
    {
        uint32_t words[2] = {(uint32_t)(next_random() % 4), (uint32_t)(next_random() % 32)};
        process = own_key;
        memcpy(bytes + 16, words, sizeof words); /* thread and argument: a chunk's number */
    }
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

/* Memory that the manager has mapped as well, by its name; 0: there is none. */
QUIET static size_t find_memory(const char *name, unsigned char **at)
{
    char line[512];
    size_t bytes = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && bytes == 0 && fgets(line, sizeof line, maps) != NULL)
    {
        unsigned long start;
        unsigned long end;
        if (strstr(line, name) == NULL || strstr(line, " rw-s ") == NULL ||
            sscanf(line, "%lx-%lx", &start, &end) != 2)
            continue;
        memcpy(at, &start, sizeof start);
        bytes = end - start;
    }
    if (maps != NULL)
        fclose(maps);
    return bytes;
}

/* The first chunks are those in use. */
QUIET static void scribble_memory(int chunks, int header)
{
    unsigned char *start;
    size_t bytes = find_memory("memfd:functioncheck", &start);
    if (bytes > 0 && header)
        scribble_range(start, 64, 100);
    if (chunks && bytes > 65536)
    {
        size_t used = bytes - 65536 < 16 * 65536 ? bytes - 65536 : 16 * 65536;
        scribble_range(start + 65536, used, 200000);
        for (size_t at = 65536; at < used; at += 65536) /* the chunks' headers */
            scribble_range(start + at, 64, 8);
    }
}

/* A chunk begins with the key of whose it is. */
QUIET static void scribble_owners(void)
{
    unsigned char *start;
    size_t bytes = find_memory("memfd:functioncheck", &start);
    for (size_t at = 65536; at < bytes; at += 65536)
        if (start[at + 4] != 0 || start[at + 5] != 0) /* of the process number */
            scribble_range(start + at, 8, 20);
}

QUIET static void find_own_key(void)
{
    unsigned char *start;
    size_t bytes = find_memory("memfd:functioncheck", &start);
    for (size_t at = 65536; at < bytes && own_key == 0; at += 65536)
    {
        uint64_t owner;
        memcpy(&owner, start + at, sizeof owner);
        if (owner >> 32 == (uint64_t)(uint32_t)getpid())
            own_key = owner;
    }
}

/* The first page has what is asked for first, and the pages behind it the answers. */
QUIET static void scribble_choices(void)
{
    unsigned char *start;
    size_t bytes = find_memory("memfd:fc-choices", &start);
    if (bytes == 0)
        return;
    scribble_range(start + 8, 56, 100);
    scribble_range(start, bytes < 1 << 18 ? bytes : 1 << 18, 200000);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    signal(SIGPIPE, SIG_IGN); /* of its own writes, where it made the manager end */
    random_state = strtoull(argv[2], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    int all = strcmp(argv[1], "all") == 0;
    for (int i = 0; i < 5; i++)
    {
        work(20000);
        if (all || strcmp(argv[1], "bytes") == 0)
            scribble_pipes(0);
        if (all || strcmp(argv[1], "messages") == 0)
            scribble_pipes(1);
        if (strcmp(argv[1], "own") == 0)
        {
            find_own_key();
            scribble_pipes(1);
        }
        if (all || strcmp(argv[1], "choices") == 0)
            scribble_choices();
        if (strcmp(argv[1], "owners") == 0)
            scribble_owners();
        scribble_memory(all || strcmp(argv[1], "chunks") == 0,
                        all || strcmp(argv[1], "header") == 0);
        work(20000);
    }
    if (strcmp(argv[1], "owners") == 0) /* of that in which the last calls are, too */
        scribble_owners();
    printf("%d\n", sink);
    return 4;
}
