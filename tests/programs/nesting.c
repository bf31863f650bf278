/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: main calls a and b, a calls b and c.  Every call is one of tests/e2e/exact.
 */
static void c(void)
{
}

static void b(void)
{
}

static void a(void)
{
    b();
    c();
}

int main(void)
{
    a();
    b();
    return 0;
}
