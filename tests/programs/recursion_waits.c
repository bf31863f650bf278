/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An interpreter that calls itself many times, and waits in one of its commands: calls within
 * others of the same function are counted with these in the tree of contexts.
 */
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define ROUNDS 60000

enum Word
{
    WORD_LOOP,
    WORD_NOTHING,
    WORD_CALLS,
    WORD_WAITS,
    WORD_EMPTY,
    WORD_WAITS_OFTEN,
};

static volatile int sink;

static void run(enum Word word);

NOINLINE static void leaf(void)
{
    sink++;
}

NOINLINE static void works(void)
{
    for (int i = 0; i < 5; i++)
        leaf();
}

NOINLINE static void waits(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
}

NOINLINE static void calls(void)
{
    run(WORD_EMPTY);
    run(WORD_NOTHING);
}

NOINLINE static void command(enum Word word)
{
    if (word == WORD_WAITS)
    {
        waits();
        return;
    }
    works();
    if (word == WORD_CALLS)
        calls();
}

NOINLINE static void loops(void)
{
    for (int i = 0; i < ROUNDS; i++)
        run(i % 2 ? WORD_CALLS : WORD_NOTHING);
}

NOINLINE static void waits_often(void)
{
    for (int i = 0; i < 3; i++)
        run(WORD_WAITS);
}

NOINLINE static void run(enum Word word)
{
    leaf();
    if (word == WORD_LOOP)
        loops();
    else if (word == WORD_WAITS_OFTEN)
        waits_often();
    else
        command(word);
}

int main(void)
{
    static const volatile enum Word words[] = {WORD_LOOP, WORD_WAITS_OFTEN};
    for (volatile int i = 0; i < 2; i++) /* by the same call */
        run(words[i]);
    return 0;
}
