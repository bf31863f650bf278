/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a fixed piece of work whose length varies from run to run as on a busy machine, by the
 * seed in the first argument.  With a clock that counts records each tick() is two of them.
 * -DPERCENT=110 makes work() longer, -DMORE adds a function and moves the others.
 */
#include <stdint.h>
#include <stdlib.h>

#ifndef PERCENT
#define PERCENT 100
#endif
#define PLAIN __attribute__((no_instrument_function))

static uint64_t state;

static void tick(void)
{
}

#ifdef MORE
void added(void)
{
    tick();
}
#endif

/* `count`, or up to 2% more or less. */
PLAIN static int around(int count)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return count + (int)((state >> 33) % 401 - 200) * count / 10000;
}

void work(void)
{
    for (int i = around(5 * PERCENT); i > 0; i--)
        tick();
}

void rest(void)
{
    for (int i = around(700); i > 0; i--)
        tick();
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    for (int i = 0; i < 10; i++)
    {
        work();
        rest();
    }
#ifdef MORE
    added();
#endif
    return 0;
}
