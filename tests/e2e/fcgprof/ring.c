/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: two functions in a cycle, entered by either, that call a third one outside of it.
 * Every call is one of exact.py.
 */
static void pong(int n);

static void leaf(void)
{
}

static void ping(int n)
{
    leaf();
    if (n > 0)
        pong(n - 1);
}

static void pong(int n)
{
    leaf();
    leaf();
    if (n > 0)
        ping(n - 1);
}

static void enter(void)
{
    pong(0);
}

int main(void)
{
    ping(2);
    enter();
    return 0;
}
