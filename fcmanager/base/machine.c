/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See machine.h.
 */
#include "fcmanager/base/machine.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* us: a reading is used again for so long, as a tree may have a thousand processes a second, and
 * the kernel takes a millisecond on a large machine. */
#define READING_US 10000

typedef struct
{
    gint64 read_us;
    guint64 booted_s;
    GArray *used_ns; /* guint64, by processor */
} Reading;

/* Adds a line such as "cpu3 user nice system idle iowait irq softirq steal ...".  What a guest used
 * is in `user`.  What was stolen was used by another machine on the same hardware. */
static void add_processor(GArray *used_ns, const char *line, guint64 tick_ns)
{
    unsigned number;
    unsigned long ticks[8] = {0};
    if (sscanf(line, "cpu%u %lu %lu %lu %lu %lu %lu %lu %lu", &number, &ticks[0], &ticks[1],
               &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) < 5 ||
        number >= FC_AFFINITY_MOST)
        return;
    if (number >= used_ns->len)
        g_array_set_size(used_ns, number + 1);
    g_array_index(used_ns, guint64, number) =
        tick_ns * (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]);
}

static void read_stat(Reading *reading)
{
    static const char boot[] = "btime ";
    const guint64 tick_ns = (guint64)(1000000000 / sysconf(_SC_CLK_TCK));
    g_autofree char *text = NULL;
    if (!reading->used_ns)
        reading->used_ns = g_array_new(FALSE, TRUE, sizeof(guint64));
    g_array_set_size(reading->used_ns, 0);
    reading->booted_s = 0;
    reading->read_us = g_get_monotonic_time();
    if (!g_file_get_contents("/proc/stat", &text, NULL, NULL))
        return;
    for (const char *line = text; line; line = strchr(line, '\n'))
    {
        line += *line == '\n';
        if (g_str_has_prefix(line, "cpu") && g_ascii_isdigit(line[3]))
            add_processor(reading->used_ns, line, tick_ns);
        else if (g_str_has_prefix(line, boot))
            reading->booted_s = g_ascii_strtoull(line + strlen(boot), NULL, 10);
    }
}

/* Returns the CPU time of a process; 0: it is gone. */
static guint64 cpu_ns(gint pid)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
        return 0;
    return (guint64)time.tv_sec * 1000000000 + (guint64)time.tv_nsec;
}

FcMachine fc_machine_read(gint pid, FcAffinity *may_use)
{
    static Reading reading;
    static gint manager; /* a fork of it writes snapshots, and has used nothing */
    FcMachine machine = {.own_ns = cpu_ns(pid)};
    if (manager == 0)
        manager = getpid();
    if (!reading.used_ns || g_get_monotonic_time() - reading.read_us > READING_US)
        read_stat(&reading);
    FcAffinity now;
    if (fc_affinity_read(pid, &now))
        *may_use = now;
    for (guint i = 0; i < reading.used_ns->len; i++)
        if (fc_affinity_has(may_use, i))
        {
            machine.processors++;
            machine.used_ns += g_array_index(reading.used_ns, guint64, i);
        }
    machine.used_ns -= MIN(machine.used_ns, cpu_ns(manager));
    machine.booted_s = reading.booted_s;
    return machine;
}
