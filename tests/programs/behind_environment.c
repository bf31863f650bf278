/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: executes itself anew, and looks for the auxiliary vector behind the end of the
 * environment, by main's third argument and by argv.  Prints what it found there, and its
 * environment.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned long page_size(char **entries)
{
    while (*entries)
        entries++;
    const Elf64_auxv_t *entry = (const Elf64_auxv_t *)(entries + 1);
    for (; entry->a_type != AT_NULL; entry++)
        if (entry->a_type == AT_PAGESZ)
            return entry->a_un.a_val;
    return 0;
}

int main(int argc, char **argv, char **environment)
{
    if (argc == 1)
        execl(argv[0], argv[0], "again", (char *)NULL);
    printf("%lu %lu\n", page_size(environment), page_size(argv + argc + 1));
    for (; *environment; environment++)
        if (strncmp(*environment, "FC_", 3) == 0 || strncmp(*environment, "HOME", 4) == 0)
            puts(*environment);
    return 0;
}
