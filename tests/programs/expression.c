/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that call one another in a circle, from several call sites each: an expression is made
 * of terms, these of factors, and those of numbers and expressions.  Beside that a function that is
 * called by code which is not profiled and lies behind it.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define UNPROFILED __attribute__((noinline, no_instrument_function))

static const char *at;
static uint64_t skipped;

NOINLINE static void skip(void)
{
    while (*at == ' ')
        at++;
    skipped++;
}

NOINLINE static uint64_t number(void)
{
    uint64_t value = 0;
    for (skip(); *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

NOINLINE static uint64_t expression(void);

NOINLINE static uint64_t factor(void)
{
    uint64_t value;
    skip();
    if (*at == '-')
    {
        at++;
        return -factor();
    }
    if (*at != '(')
        return number();
    at++;
    value = expression();
    at++;
    skip();
    return value;
}

NOINLINE static uint64_t term(void)
{
    uint64_t value = factor();
    for (skip(); *at == '*'; skip())
    {
        at++;
        value *= factor();
    }
    return value;
}

NOINLINE static uint64_t expression(void)
{
    uint64_t value = term();
    for (skip();; skip())
    {
        if (*at == '+')
        {
            at++;
            value += term();
        }
        else if (*at == '_')
        {
            at++;
            value -= term();
        }
        else
            return value;
    }
}

NOINLINE static uint64_t early(uint64_t value)
{
    return value * 3 + 1;
}

NOINLINE static uint64_t mix(uint64_t value)
{
    return value ^ value >> 7;
}

/* Behind mix, and so what calls from here looks as if mix had made it. */
UNPROFILED static uint64_t mix_all(uint64_t count)
{
    uint64_t value = count;
    for (uint64_t i = 0; i < count; i++)
        value += mix(value + i);
    return value;
}

int main(void)
{
    static const char text[] = "1 + 2 * (3 + (4 _ -5) * (6 + 7 * (8 + (9)))) _ (((1))) * 2 + "
                               "(2 * (3 + 4 * (5 _ (6 + 7) * 8)) + 1) * 10 + (1 + 2 + 3)";
    const struct timespec wait = {0, 200000};
    uint64_t sum = 0;
    for (unsigned i = 0; i < 20000; i++)
        sum += early(i);
    for (unsigned i = 0; i < 2000; i++)
    {
        at = text;
        sum += expression();
        if (i % 100 == 0)
            nanosleep(&wait, NULL);
    }
    for (unsigned i = 0; i < 100; i++)
        sum += mix_all(1000);
    printf("%d\n", sum + skipped != 0);
    return 0;
}
