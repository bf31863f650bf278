/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Six processes that work at the same time, more than there are processors mostly: each calls
 * short functions, from short ones and from long ones, and waits a little.
 */
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline))

enum
{
    CHILDREN = 5,
    ROUNDS = 20,
};

static volatile uint64_t sink;

ALONE void step(uint64_t i)
{
    sink += i * sink + 1;
}

ALONE void steps(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        step(i);
}

ALONE unsigned descends(unsigned depth)
{
    return depth == 0 ? 0 : descends(depth - 1) + 1;
}

ALONE void computes(void)
{
    for (uint64_t i = 0; i < 2000000; i++)
        sink += i * sink + 1;
}

ALONE void naps(void)
{
    const struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

ALONE void works(void)
{
    for (int i = 0; i < ROUNDS; i++)
    {
        steps(20000);
        sink += descends(5000);
        computes();
        naps();
    }
}

int main(void)
{
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0)
        {
            works();
            return 0;
        }
    works();
    while (wait(NULL) > 0)
        continue;
    return 0;
}
