/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a function of .preinit_array, called before the C library knows the environment, makes
 * the first record.  Prints its environment, executes itself, and does so once more.
 */
#include <stdio.h>
#include <unistd.h>

static void early(void)
{
}

typedef void Initializer(void);
__attribute__((section(".preinit_array"), used)) static Initializer *const first = early;

int main(int argc, char **argv, char **variables)
{
    for (char **entry = environ; *entry; entry++)
        printf("%s\n", *entry);
    printf("%s\n", *variables);
    fflush(stdout);
    if (argc == 1)
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    return argc == 2 ? 0 : 1;
}
