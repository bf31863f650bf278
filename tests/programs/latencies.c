/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: calls of very different lengths, from two callers.  With a clock that counts records a
 * call work(n) takes 2n + 1 of its ticks; the lengths are those that the test works out itself.
 */
#include <stdint.h>
#include <stdlib.h>

static uint64_t state;

static void tick(void)
{
}

static void work(int n)
{
    while (n-- > 0)
        tick();
}

/* From 0 on, small ones more often: the product of three numbers below 12. */
__attribute__((no_instrument_function)) static int next_length(void)
{
    int length = 1;
    for (int i = 0; i < 3; i++)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        length *= (int)((state >> 33) % 12);
    }
    return length;
}

static void often(int calls)
{
    while (calls-- > 0)
        work(next_length());
}

static void seldom(int calls)
{
    while (calls-- > 0)
        work(10 * next_length());
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    often(3000);
    seldom(200);
    return 0;
}
