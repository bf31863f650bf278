/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: says "x" on standard output and waits for the end of standard input.
 */
#include <unistd.h>

static void wait_for_end(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
}

int main(void)
{
    if (write(STDOUT_FILENO, "x", 1) != 1)
        return 1;
    wait_for_end();
    return 0;
}
