/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: while it works, a forked child of it goes on and on writing the worst figures into the
 * header of the shared memory and of every chunk.  It ends well by itself.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define CHUNK_BYTES 65536
#define WORST 0x7ffffff0u
#define COUNT_AT 12      /* struct FcShared */
#define GENERATION_AT 28 /* struct FcChunk */

static volatile int sum;

static void leaf(void)
{
    sum++;
}

/* Where the shared memory is; false: there is none. */
PLAIN static int find_shared(char **start)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    int found = 0;
    while (!found && fgets(line, sizeof line, maps))
        found = strstr(line, "/memfd:functioncheck (deleted)") &&
                sscanf(line, "%p-", (void **)start) == 1;
    fclose(maps);
    return found;
}

/* The first chunks, which one thread takes in turn: the oftener each, the surer at the moment that
 * counts. */
PLAIN static void spoil(char *start)
{
    char *end = start + 18 * CHUNK_BYTES;
    for (;;)
    {
        *(volatile uint32_t *)(start + COUNT_AT) = WORST;
        for (char *chunk = start + CHUNK_BYTES; chunk < end; chunk += CHUNK_BYTES)
            *(volatile uint32_t *)(chunk + GENERATION_AT) = WORST;
    }
}

int main(void)
{
    char *start;
    if (!find_shared(&start))
        return 77;
    pid_t child = fork();
    if (child == 0)
        spoil(start);
    for (int i = 0; i < 20000000; i++)
        leaf();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 3;
}
