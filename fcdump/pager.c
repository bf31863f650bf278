/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Standard output by way of a pager; see pager.h.
 */
#include "fcdump/pager.h"

#include "profile/plain.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LESS_OPTIONS                                                                               \
    "FRSX" /* quits if all fits a screen, shows colours, cuts lines, leaves the text */

#define PROGRAM_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"

static GPid pager; /* 0: there is none */

/* Whether the program that a simple command begins with exists.  TRUE for other commands, which the
 * shell judges. */
static gboolean is_there(const char *command)
{
    const gsize bytes = strspn(command, PROGRAM_CHARACTERS);
    if (bytes == 0 || (command[bytes] != '\0' && command[bytes] != ' '))
        return TRUE;
    g_autofree char *program = g_strndup(command, bytes);
    g_autofree char *path = g_find_program_in_path(program);
    return path != NULL;
}

static const char *choose_pager(void)
{
    static const char *const variables[] = {"FC_PAGER", "PAGER"};
    for (guint i = 0; i < G_N_ELEMENTS(variables); i++)
    {
        const char *command = g_getenv(variables[i]);
        if (!command)
            continue;
        if (is_there(command))
            return command;
        g_autofree char *shown = fc_plain_text(command);
        fprintf(stderr, "fcdump: %s: %s: no such program; shown without it\n", variables[i], shown);
        return "";
    }
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
    signal(SIGPIPE, SIG_IGN); /* the reader may quit early; fcdump waits for it all the same */
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
