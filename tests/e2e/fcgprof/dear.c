/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a function that is cheap for one caller, which calls it often, and dear for
 * another, which calls it once.  Every call is one of exact.py.
 */
static void leaf(void)
{
}

static void work(int n)
{
    while (n-- > 0)
        leaf();
}

static void often(void)
{
    for (int i = 0; i < 4; i++)
        work(0);
}

static void once(void)
{
    work(20);
}

static void never(void)
{
    work(1);
    never();
}

int main(int argc, char **argv)
{
    (void)argv;
    often();
    once();
    if (argc > 100)
        never();
    return 0;
}
