/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of files: see names.h.
 */
#include "fcmanager/session/names.h"

#include <string.h>
#include <time.h>

/* Leaves room for what may be appended: .old-1000, .fcd, .PID, .2 */
#define BASE_BYTES_MAX 223

/* Returns a file name for the program at `path`.  A program may have any name, but a descriptor has
 * one line for each file. */
static char *program_name(const char *path)
{
    if (!path || *path == '\0')
        return g_strdup("unknown");
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, " (deleted)")) /* as the kernel puts it */
        name[strlen(name) - strlen(" (deleted)")] = '\0';
    for (char *at = name; *at; at++)
        if (*at == '/' || g_ascii_iscntrl(*at))
            *at = '_';
    return name;
}

static void append_time(GString *into, gint64 seconds)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(seconds);
    g_autofree char *text = time ? g_date_time_format(time, "%Y%m%d-%H%M%S") : NULL;
    g_string_append(into, text ? text : "unknown");
}

/* Expands the pattern, using `program` without its last `cut` bytes. */
static char *expand(const char *pattern, const FcNameFacts *facts, const char *program, gsize cut)
{
    GString *name = g_string_new(NULL);
    for (const char *at = pattern; *at; at++)
    {
        switch (*at == '%' ? at[1] : '\0')
        {
        case 'p':
            g_string_append_printf(name, "%" G_GINT64_FORMAT, facts->id);
            break;
        case 'n':
            g_string_append_len(name, program, (gssize)(strlen(program) - cut));
            break;
        case 't':
            append_time(name, facts->started);
            break;
        case 'r':
            g_string_append(name, facts->rank ? facts->rank : "0");
            break;
        case 'j':
            g_string_append(name, facts->job ? facts->job : "0");
            break;
        case '%':
            g_string_append_c(name, '%');
            break;
        default:
            g_string_append_c(name, *at);
            continue;
        }
        at++;
    }
    return g_string_free(name, FALSE);
}

char *fc_names_expand(const char *pattern, const FcNameFacts *facts)
{
    g_autofree char *program = program_name(facts->program);
    char *name = expand(pattern, facts, program, 0);
    for (gsize cut = 1; strlen(name) > BASE_BYTES_MAX && cut <= strlen(program); cut++)
    {
        g_free(name);
        name = expand(pattern, facts, program, cut);
    }
    if (strlen(name) > BASE_BYTES_MAX)
        name[BASE_BYTES_MAX] = '\0';
    return name;
}

static gboolean has_pattern(const char *name, char pattern)
{
    for (const char *at = strchr(name, '%'); at && at[1] != '\0'; at = strchr(at + 2, '%'))
        if (at[1] == pattern)
            return TRUE;
    return FALSE;
}

gboolean fc_names_have_id(const char *pattern)
{
    return has_pattern(pattern, 'p');
}

gboolean fc_names_have_job(const char *pattern)
{
    return has_pattern(pattern, 'j');
}

char *fc_names_older(const char *name, guint age)
{
    const char *dot = strrchr(name, '.');
    gsize stem = dot ? (gsize)(dot - name) : strlen(name);
    return g_strdup_printf("%.*s.old-%u%s", (int)stem, name, age, name + stem);
}
