/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a function that is called all the time only behind a recursion deeper than libfc
 * remembers, and behind more functions than it remembers, each of them called a few times.  Prints
 * how often each of the named ones was called.
 */
#include <stdio.h>

#define DEPTH 40000
#define ROUNDS 3
#define CALLS 2000000

static volatile long sum;

/* Each level gives its functions a digit more of a number with the base 8. */
#define DEFINE(number)                                                                             \
    static __attribute__((noinline)) void some_##number(void)                                      \
    {                                                                                              \
        sum += 0##number;                                                                          \
    }
#define CALL(number) some_##number();

/* The formatter takes these for expressions. */
/* clang-format off */
#define EIGHT(what, n)                                                                             \
    what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7)
#define EIGHT_BY_EIGHT(what, n)                                                                    \
    EIGHT(what, n##0) EIGHT(what, n##1) EIGHT(what, n##2) EIGHT(what, n##3)                        \
    EIGHT(what, n##4) EIGHT(what, n##5) EIGHT(what, n##6) EIGHT(what, n##7)
#define MANY(what, n)                                                                              \
    EIGHT_BY_EIGHT(what, n##0) EIGHT_BY_EIGHT(what, n##1) EIGHT_BY_EIGHT(what, n##2)               \
    EIGHT_BY_EIGHT(what, n##3) EIGHT_BY_EIGHT(what, n##4) EIGHT_BY_EIGHT(what, n##5)               \
    EIGHT_BY_EIGHT(what, n##6)
#define ALL(what)                                                                                  \
    MANY(what, 0) MANY(what, 1) MANY(what, 2) MANY(what, 3)                                        \
    MANY(what, 4) MANY(what, 5) MANY(what, 6) MANY(what, 7)

ALL(DEFINE)

static __attribute__((noinline)) void call_all(void)
{
    ALL(CALL)
}
/* clang-format on */

static __attribute__((noinline)) long descend(long depth)
{
    return depth > 1 ? descend(depth - 1) + sum : sum;
}

static __attribute__((noinline)) void hot(long n)
{
    sum += n;
}

int main(void)
{
    sum += descend(DEPTH);
    for (int round = 0; round < ROUNDS; round++)
        call_all();
    for (long i = 0; i < CALLS; i++)
        hot(i);
    printf("descend %d\nsome_1234 %d\nsome_7667 %d\ncall_all %d\nhot %d\n", DEPTH, ROUNDS, ROUNDS,
           ROUNDS, CALLS);
    return 0;
}
