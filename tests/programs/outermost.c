/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a function that calls itself at first, and later hardly ever.
 */
#define RECURSIONS 1000
#define DEPTH 9
#define SINGLE 200000

static volatile unsigned sum;

__attribute__((noinline)) static void descend(unsigned depth)
{
    if (depth > 0)
        descend(depth - 1);
    sum = sum + 1;
}

int main(void)
{
    for (int i = 0; i < RECURSIONS; i++)
        descend(DEPTH);
    for (int i = 0; i < SINGLE; i++)
        descend(i % 1000 == 0);
    return sum != RECURSIONS * (DEPTH + 1) + SINGLE + SINGLE / 1000;
}
