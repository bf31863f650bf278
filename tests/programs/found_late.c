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
#define EIGHT(what, n)                                                                             \
    what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7)
#define EIGHT_BY_EIGHT(what, n)                                                                    \
    EIGHT(what, n##0)                                                                              \
    EIGHT(what, n##1) EIGHT(what, n##2) EIGHT(what, n##3) EIGHT(what, n##4) EIGHT(what, n##5)      \
        EIGHT(what, n##6) EIGHT(what, n##7)
#define THOUSAND(what, n)                                                                          \
    EIGHT_BY_EIGHT(what, n##0)                                                                     \
    EIGHT_BY_EIGHT(what, n##1) EIGHT_BY_EIGHT(what, n##2) EIGHT_BY_EIGHT(what, n##3)               \
        EIGHT_BY_EIGHT(what, n##4) EIGHT_BY_EIGHT(what, n##5) EIGHT_BY_EIGHT(what, n##6)           \
            EIGHT_BY_EIGHT(what, n##7)

THOUSAND(DEFINE, 1)
THOUSAND(DEFINE, 2)
THOUSAND(DEFINE, 3)
THOUSAND(DEFINE, 4)
THOUSAND(DEFINE, 5)
THOUSAND(DEFINE, 6)
THOUSAND(DEFINE, 7)

static __attribute__((noinline)) void call_all(void)
{
    THOUSAND(CALL, 1)
    THOUSAND(CALL, 2)
    THOUSAND(CALL, 3)
    THOUSAND(CALL, 4)
    THOUSAND(CALL, 5)
    THOUSAND(CALL, 6)
    THOUSAND(CALL, 7)
}

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
    printf("descend %d\nsome_1234 %d\nsome_7777 %d\ncall_all %d\nhot %d\n", DEPTH, ROUNDS, ROUNDS,
           ROUNDS, CALLS);
    return 0;
}
