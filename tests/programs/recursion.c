/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a function that calls itself three deep.
 */
static unsigned fact(unsigned n)
{
    return n <= 1 ? 1 : n * fact(n - 1);
}

int main(void)
{
    return fact(3) == 6 ? 0 : 1;
}
