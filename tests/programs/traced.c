/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: ends, or goes on, in the middle of nested calls.  Usage: traced HOW
 *   killed, crashed, exited   after 1,000 calls of leaf(), from inner(), from outer()
 *   forks                     the child makes two calls below outer(), the parent three
 *   executes                  calls leaf(), then executes itself as "exited"
 *   handler                   a signal handler on a stack of its own calls leaf()
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *how;
static const char *self;

__attribute__((noinline)) static void leaf(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void leaves(int count)
{
    while (count-- > 0)
        leaf();
}

static void on_signal(int signal)
{
    (void)signal;
    leaf();
}

static void handle_on_own_stack(void)
{
    const stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        abort();
    raise(SIGUSR1);
}

static void fork_below(void)
{
    const pid_t child = fork();
    leaves(child == 0 ? 2 : 3);
    if (child != 0 && waitpid(child, NULL, 0) != child)
        abort();
}

__attribute__((noinline)) static void inner(void)
{
    leaves(1000);
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(how, "crashed") == 0)
        *(volatile int *)NULL = 1;
    if (strcmp(how, "exited") == 0)
        exit(0);
}

__attribute__((noinline)) static void outer(void)
{
    if (strcmp(how, "forks") == 0)
        fork_below();
    else if (strcmp(how, "handler") == 0)
        handle_on_own_stack();
    else if (strcmp(how, "executes") == 0)
    {
        leaf();
        execl(self, self, "exited", (char *)NULL);
    }
    else
        inner();
}

int main(int argc, char **argv)
{
    self = argv[0];
    how = argc > 1 ? argv[1] : "";
    outer();
    return 0;
}
