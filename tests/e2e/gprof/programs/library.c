/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A shared library, to be given as the image; library_main.c calls it.
 */
#include "burn.h"

static int inner(int n)
{
    burn(2);
    return n + 1;
}

int library_work(int n)
{
    burn(1);
    return n % 2 ? inner(n) : n;
}

__attribute__((visibility("hidden"))) int hidden_work(int n)
{
    return inner(n) * 2;
}

int library_more(int n)
{
    return hidden_work(n) + library_work(n);
}
