/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: changes its working directory and goes on working.  Usage: wander DIRECTORY
 */
#include <unistd.h>

static void before(void)
{
}

static void after(void)
{
}

int main(int argc, char **argv)
{
    before();
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    after();
    return 0;
}
