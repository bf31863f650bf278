/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waits, prints how long it was on the CPU so far, in ns, and ends: by exit, or, with the argument
 * "exec", as another program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) void ends(const char *how)
{
    struct timespec time = {0, 300000000};
    nanosleep(&time, NULL);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    printf("%llu\n",
           (unsigned long long)time.tv_sec * 1000000000u + (unsigned long long)time.tv_nsec);
    fflush(stdout);
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    exit(0);
}

int main(int argc, char **argv)
{
    ends(argc > 1 ? argv[1] : "exit");
    return 1;
}
