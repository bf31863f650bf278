/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: two functions that call each other, five activations in all.
 */
#include <stdbool.h>

static bool odd(unsigned n);

static bool even(unsigned n)
{
    return n == 0 ? true : odd(n - 1);
}

static bool odd(unsigned n)
{
    return n == 0 ? false : even(n - 1);
}

int main(void)
{
    return even(4) ? 0 : 1;
}
