/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See proc-thread.h.
 */
#include "fcmanager/session/proc-thread.h"

#include "fcmanager/session/wait-kind.h"

#include <string.h>
#include <time.h>

/* Sets *text to a file of the thread in /proc; NULL: it can't be read.  The caller frees it. */
static void read_text(gint pid, gint64 tid, const char *name, char **text)
{
    g_autofree char *path =
        g_strdup_printf("/proc/%d/task/%" G_GINT64_FORMAT "/%s", pid, tid, name);
    g_file_get_contents(path, text, NULL, NULL);
}

/* Returns the third number of schedstat, the number of times the thread got a CPU. */
static guint64 turns_of(const char *used)
{
    const char *space = used ? strrchr(used, ' ') : NULL;
    return space ? g_ascii_strtoull(space + 1, NULL, 10) : 0;
}

/* Returns the second number of schedstat, how long the thread was ready before it got a CPU. */
static guint64 delay_of(const char *used)
{
    const char *space = used ? strchr(used, ' ') : NULL;
    return space ? g_ascii_strtoull(space + 1, NULL, 10) : 0;
}

static void set_name(char **name, const char *stat, const char *end)
{
    const char *start = strchr(stat, '(');
    if (!start || start >= end)
        return;
    g_free(*name);
    *name = g_strndup(start + 1, (gsize)(end - start) - 1);
}

guint64 fc_proc_thread_turns(gint pid, gint64 tid)
{
    g_autofree char *used = NULL;
    read_text(pid, tid, "schedstat", &used);
    return turns_of(used);
}

/* Takes the last two numbers of a line of /proc/PID/syscall. */
static void set_registers(const char *call, FcProcThread *found)
{
    const char *last = call ? strrchr(call, ' ') : NULL;
    const char *before = last ? g_strrstr_len(call, last - call, " ") : NULL;
    if (!before)
        return;
    found->stack_pointer = g_ascii_strtoull(before + 1, NULL, 16);
    found->program_counter = g_ascii_strtoull(last + 1, NULL, 16);
}

/* Reads what the thread waits for.  It is right only if the thread is still in the wait that began
 * after its turn number found->turns. */
static void read_kind(gint pid, gint64 tid, char state, FcProcThread *found)
{
    g_autofree char *call = NULL;
    g_autofree char *where = NULL;
    read_text(pid, tid, "syscall", &call);
    if (!call)
        read_text(pid, tid, "wchan", &where);
    found->kind = fc_wait_kind_of(state, call, where);
    found->has_kind = (call || (where && strcmp(where, "0") != 0)) &&
                      fc_proc_thread_turns(pid, tid) == found->turns;
    set_registers(call, found);
}

/* The kernel adds up the CPU time of a running thread at least this often. */
#define LATE_NS 10000000

gboolean fc_proc_thread_read(gint pid, gint64 tid, char **name, FcProcThread *found)
{
    g_autofree char *stat = NULL;
    g_autofree char *used = NULL;
    *found = (FcProcThread){0};
    read_text(pid, tid, "stat", &stat);
    read_text(pid, tid, "schedstat", &used);
    found->delay_ns = delay_of(used);
    /* a thread's name may contain a parenthesis */
    const char *name_end = stat ? strrchr(stat, ')') : NULL;
    if (name_end)
        set_name(name, stat, name_end);
    if (!used || !name_end || name_end[1] != ' ' || !strchr("SDR", name_end[2]))
        return FALSE;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    /* the first number is the thread's CPU time; if it runs, some time ago */
    found->ahead_ns =
        (guint64)now.tv_sec * 1000000000u + (guint64)now.tv_nsec - g_ascii_strtoull(used, NULL, 10);
    found->turns = turns_of(used);
    found->is_ready = name_end[2] == 'R';
    if (found->is_ready)
    {
        found->ahead_ns -= LATE_NS;
        return FALSE;
    }
    read_kind(pid, tid, name_end[2], found);
    return TRUE;
}
