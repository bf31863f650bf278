/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: a recursive descent over text, whose functions call one another in a circle; a walk over
 * what it made; and the same text read without a call.
 */
#include "phases.h"

static char text[4096];
static const char *at;
static struct Node
{
    char kind;
    int value;
    int left, right;
} nodes[4096];
static int count;

NOINLINE static int node(char kind, int value, int left, int right)
{
    nodes[count] = (struct Node){kind, value, left, right};
    return count++;
}

NOINLINE static char peek(void)
{
    while (*at == ' ')
        at++;
    return *at;
}

NOINLINE static int number(void)
{
    int value = 0;
    while (*at >= '0' && *at <= '9')
        value = value * 10 + (*at++ - '0');
    return node('n', value, 0, 0);
}

static int sum(void);

NOINLINE static int factor(void)
{
    if (peek() != '(')
        return number();
    at++;
    const int inner = sum();
    peek();
    at++;
    return inner;
}

NOINLINE static int product(void)
{
    int left = factor();
    while (peek() == '*')
    {
        at++;
        left = node('*', 0, left, factor());
    }
    return left;
}

NOINLINE static int sum(void)
{
    int left = product();
    while (peek() == '+')
    {
        at++;
        left = node('+', 0, left, product());
    }
    return left;
}

OUTSIDE void make_text(void)
{
    static const char piece[] = "(12 * (3 + 45) + 6*7 + ((8)) * 91) + ";
    if (text[0])
        return;
    size_t length = 0;
    while (length + 2 * sizeof piece < sizeof text)
        for (size_t i = 0; piece[i]; i++)
            text[length++] = piece[i];
    text[length++] = '1';
}

NOINLINE static uint32_t value_of(int index)
{
    const struct Node *own = &nodes[index];
    if (own->kind == 'n')
        return (uint32_t)own->value;
    const uint32_t left = value_of(own->left);
    const uint32_t right = value_of(own->right);
    return own->kind == '+' ? left + right : left * right;
}

PHASE(parse)
{
    make_text();
    for (int i = 0; i < 30; i++)
    {
        at = text;
        count = 0;
        sink += (uint64_t)sum();
    }
}

PHASE(evaluate)
{
    for (int i = 0; i < 100; i++)
        sink += value_of(count - 1);
}

PHASE(scan)
{
    uint32_t seen = 0;
    for (int i = 0; i < 140; i++)
        for (const char *letter = text; *letter; letter++)
            seen = *letter >= '0' && *letter <= '9' ? seen * 10 + (uint32_t)*letter : seen + 1;
    sink += seen;
}

PHASES_MAIN(PHASE_ROW(parse), PHASE_ROW(evaluate), PHASE_ROW(scan))
