/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: calls of different lengths: work calls leaf 0, 3 and 1 times.
 */
static void leaf(void)
{
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
        leaf();
}

int main(void)
{
    work(0);
    work(3);
    work(1);
    return 0;
}
