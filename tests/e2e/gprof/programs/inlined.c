/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that the optimizer inlines, clones, splits into hot and cold parts and
 * specializes for constants; code that comes from a header and from #line.
 */
#include "include/inlined.h"
#include "burn.h"
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int specialized(int n, int kind, int scale)
{
    burn(3);
    if (kind == 1)
        return n * scale;
    for (int i = 0; i < kind; i++)
        n += scale * i;
    return n;
}

static __attribute__((noinline)) int partial(const int *p, int n)
{
    if (!p)
        return 0;
    for (int i = 0; i < n; i++)
    {
        burn(1);
        printf("%s", p[i] == 12345678 ? "never" : "");
    }
    return p[0] + from_header(n);
}

static inline int small(int n)
{
    int k = from_header(n);

    burn(2);
    return k + 1;
}

int checked(int n)
{
    if (__builtin_expect(n < 0, 0))
    {
        fprintf(stderr, "negative\n");
        abort();
    }
    return small(n) + small(n + 1);
}

#line 500 "generated/grammar.y"
int from_grammar(int n)
{
    burn(2);
    return n + 3;
}
#line 53 "inlined.c"

int main(void)
{
    int values[4] = {1, 2, 3, 4}, sum = 0;

    for (int i = 0; i < 800; i++)
    {
        sum += specialized(i, 1, 4);
        sum += specialized(i, 3, 4);
        sum += specialized(i, 3, 5);
        sum += partial(i % 2 ? values : NULL, 3);
        sum += checked(i);
        sum += from_grammar(i);
    }
    printf("%d\n", sum);
    return 0;
}
