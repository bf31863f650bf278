/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Standard output by way of a pager; see pager.h.
 */
#include "fcdump/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LESS_OPTIONS                                                                               \
    "FRSX" /* quits if all fits a screen, shows colours, cuts lines, leaves the text */

static GPid pager; /* 0: there is none */

static const char *choose_pager(void)
{
    static const char *const variables[] = {"FC_PAGER", "PAGER"};
    for (guint i = 0; i < G_N_ELEMENTS(variables); i++)
        if (g_getenv(variables[i]))
            return g_getenv(variables[i]);
    g_autofree char *less = g_find_program_in_path("less");
    return less ? "less" : "";
}

void fc_pager_start(void)
{
    const char *command = choose_pager();
    const char *words[] = {"/bin/sh", "-c", command, NULL};
    int input = -1;
    if (*command == '\0' || strcmp(command, "cat") == 0)
        return;
    g_auto(GStrv) environment = g_get_environ();
    environment = g_environ_setenv(environment, "LESS", LESS_OPTIONS, FALSE);
    if (!g_spawn_async_with_pipes(NULL, (char **)words, environment, G_SPAWN_DO_NOT_REAP_CHILD,
                                  NULL, NULL, &pager, &input, NULL, NULL, NULL))
    {
        pager = 0;
        return;
    }
    signal(SIGPIPE, SIG_IGN); /* it may be left early, and is waited for all the same */
    dup2(input, STDOUT_FILENO);
    close(input);
}

void fc_pager_finish(void)
{
    if (pager == 0)
        return;
    fclose(stdout);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
        continue;
    pager = 0;
}
