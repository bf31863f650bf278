/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See on-cpu.h.
 */
#include "fcmanager/counts/on-cpu.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* More than the text of status, unless the process has hundreds of groups. */
#define STATUS_BYTES 4096u
#define SCHEDSTAT_BYTES 64u

/* Two numbers of /proc/PID/task/TID/schedstat. */
typedef struct
{
    guint64 ran;   /* ns that the thread has run, until the kernel last updated it */
    guint64 given; /* how often it was given a CPU */
} Schedstat;

static int open_of(gint pid, gint64 tid, const char *name)
{
    g_autofree char *path =
        g_strdup_printf("/proc/%d/task/%" G_GINT64_FORMAT "/%s", pid, tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

gboolean fc_on_cpu_open(FcOnCpu *on_cpu, gint pid, gint64 tid)
{
    *on_cpu = (FcOnCpu){.status = open_of(pid, tid, "status"), .schedstat = -1};
    if (on_cpu->status < 0)
        return FALSE;
    on_cpu->schedstat = open_of(pid, tid, "schedstat");
    return TRUE;
}

void fc_on_cpu_close(FcOnCpu *on_cpu)
{
    close(on_cpu->status);
    if (on_cpu->schedstat >= 0)
        close(on_cpu->schedstat);
}

/* Reads the file from its beginning, with a NUL after it.  FALSE: nothing can be read. */
static gboolean read_text(int fd, char *text, size_t size)
{
    const ssize_t bytes = fd >= 0 ? pread(fd, text, size - 1, 0) : 0;
    text[MAX(bytes, 0)] = '\0';
    return bytes > 0;
}

static Schedstat read_schedstat(const FcOnCpu *on_cpu)
{
    char text[SCHEDSTAT_BYTES];
    char *end = text;
    Schedstat found = {0};
    if (!read_text(on_cpu->schedstat, text, sizeof text))
        return found;
    found.ran = g_ascii_strtoull(end, &end, 10);
    g_ascii_strtoull(end, &end, 10); /* ns that it waited for one */
    found.given = g_ascii_strtoull(end, &end, 10);
    return found;
}

/* The number behind `name`; 0: the text does not have that. */
static guint64 number_of(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    return line ? g_ascii_strtoull(line + strlen(name), NULL, 10) : 0;
}

double fc_on_cpu_us(FcOnCpu *on_cpu, double most)
{
    char text[STATUS_BYTES];
    const Schedstat before = read_schedstat(on_cpu);
    if (!read_text(on_cpu->status, text, sizeof text) || !strstr(text, "\nState:\tR"))
        return -1;
    const Schedstat now = read_schedstat(on_cpu);
    const guint64 ran = now.ran - MIN(now.ran, on_cpu->ran);
    const guint64 taken = number_of(text, "\nvoluntary_ctxt_switches:\t") +
                          number_of(text, "\nnonvoluntary_ctxt_switches:\t");
    on_cpu->ran = now.ran;
    /* `taken` is 0 if the text was too long; then it is not known whether the thread runs */
    if (taken == 0 || before.given != now.given || now.given != taken)
        return most;
    return MIN(most, (double)ran / 1000);
}
