/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits of memory: see memory-limit.h.
 */
#include "fcmanager/base/memory-limit.h"

#include "fcmanager/base/notice.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Memory is short when less than this is left: RESERVE_BYTES, or 1 / RESERVE_PART of the limit if
 * that is less, and END_TIMES the growth since the start.  The latter is for writing the profile,
 * when tables double and contexts are copied. */
#define RESERVE_BYTES (12u << 20)
#define RESERVE_PART 16u
#define END_TIMES 4u
#define ASKED_BETWEEN 256u /* one call of so many reads the system's figures */

/* A control group that the manager is in, or one around that.  Its files are opened each time,
 * since there may be few descriptors and the profiles need them. */
typedef struct
{
    char *limit;        /* path: bytes that its processes may take */
    char *used;         /* path: bytes that they have taken */
    char *stat;         /* path: for what they have taken them */
    const char *cache;  /* key in `stat`: cached files, which count as free */
    const char *shared; /* key in `stat`: the part of them that is only in memory, so not free */
} Group;

static struct
{
    gboolean is_started;
    int notice_fd;
    guint64 address_space; /* G_MAXUINT64: not limited */
    GArray *groups;        /* Group */
    guint64 own_at_start;
    guint asked;
    const char *which; /* name of the limit that is near; NULL: none */
    guint64 limit;     /* its value */
} memory = {.notice_fd = -1};

/* Reads `path` into `text`, which has `room` bytes, with a NUL.  FALSE: nothing can be read. */
static gboolean read_text(const char *path, char *text, gsize room)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = fd >= 0 ? read(fd, text, room - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[MAX(bytes, 0)] = '\0';
    return bytes > 0;
}

/* Sets *number to the number behind `key` in the file, or at its beginning if `key` is NULL.
 * FALSE: there is none. */
static gboolean read_number(const char *path, const char *key, guint64 *number)
{
    char text[8192];
    if (!read_text(path, text, sizeof text))
        return FALSE;
    const char *at = key ? strstr(text, key) : text;
    if (!at)
        return FALSE;
    at += key ? strlen(key) : 0;
    char *end;
    *number = strtoull(at, &end, 10);
    return end != at;
}

static void add_group(const char *folder, gboolean is_first)
{
    const Group group = {
        g_build_filename(folder, is_first ? "memory.limit_in_bytes" : "memory.max", NULL),
        g_build_filename(folder, is_first ? "memory.usage_in_bytes" : "memory.current", NULL),
        g_build_filename(folder, "memory.stat", NULL), is_first ? "\ntotal_cache " : "\nfile ",
        is_first ? "\ntotal_shmem " : "\nshmem "};
    guint64 bytes;
    if (read_number(group.limit, NULL, &bytes) && read_number(group.used, NULL, &bytes))
    {
        g_array_append_val(memory.groups, group);
        return;
    }
    g_free(group.limit);
    g_free(group.used);
    g_free(group.stat);
}

/* Adds the group `path` below `root`, and all groups around it. */
static void add_groups(const char *root, const char *path, gboolean is_first)
{
    g_autofree char *folder = g_strconcat(root, path, NULL);
    while (strlen(folder) >= strlen(root))
    {
        add_group(folder, is_first);
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
}

/* A line is "0::/user.slice" for cgroups of version 2, "4:memory:/user.slice" for version 1. */
static void find_groups(void)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents("/proc/self/cgroup", &text, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++)
    {
        g_auto(GStrv) parts = g_strsplit(lines[i], ":", 3);
        if (g_strv_length(parts) != 3)
            continue;
        g_auto(GStrv) kinds = g_strsplit(parts[1], ",", -1);
        if (*parts[1] == '\0')
            add_groups("/sys/fs/cgroup", parts[2], FALSE);
        else if (g_strv_contains((const char *const *)kinds, "memory"))
            add_groups("/sys/fs/cgroup/memory", parts[2], TRUE);
    }
}

/* Reads the manager's address space, and its memory that is not shared.  libfc's chunks are
 * shared, so they are not in the latter. */
static void read_size(guint64 *address_space, guint64 *own)
{
    char text[128];
    guint64 pages[3] = {0};
    read_text("/proc/self/statm", text, sizeof text);
    const char *at = text;
    for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
        pages[i] = strtoull(at, (char **)&at, 10);
    const guint64 page_bytes = (guint64)sysconf(_SC_PAGESIZE);
    *address_space = pages[0] * page_bytes;
    *own = (pages[1] - MIN(pages[1], pages[2])) * page_bytes;
}

static void say_end(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
    if (level &
        G_LOG_LEVEL_ERROR) /* only a failed allocation logs this, so nothing is allocated here */
        fc_notice_print(memory.notice_fd,
                        "FCMng: no memory is left for the profile manager (ulimit -v, the control "
                        "group's limit or the machine's): the profile is lost\n");
    else
        g_log_default_handler(domain, level, message, data);
}

void fc_memory_limit_start(int notice_fd)
{
    struct rlimit limit;
    memory.notice_fd = notice_fd;
    memory.groups = g_array_new(FALSE, FALSE, sizeof(Group));
    memory.address_space = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
                               ? limit.rlim_cur
                               : G_MAXUINT64;
    guint64 size;
    read_size(&size, &memory.own_at_start);
    find_groups();
    g_log_set_default_handler(say_end, NULL);
    memory.is_started = TRUE;
}

static gboolean is_near(const char *which, guint64 limit, guint64 used, guint64 grown)
{
    const guint64 needed = MIN(RESERVE_BYTES, limit / RESERVE_PART) + END_TIMES * grown;
    if (used < limit && limit - used >= needed)
        return FALSE;
    memory.which = which;
    memory.limit = limit;
    return TRUE;
}

gboolean fc_memory_is_short(void)
{
    if (!memory.is_started || memory.which || memory.asked++ % ASKED_BETWEEN != 0)
        return memory.which != NULL;
    guint64 size;
    guint64 own;
    read_size(&size, &own);
    const guint64 grown = own - MIN(own, memory.own_at_start);
    if (is_near("address space (ulimit -v)", memory.address_space, size, grown))
        return TRUE;
    for (guint i = 0; i < memory.groups->len; i++)
    {
        const Group *group = &g_array_index(memory.groups, Group, i);
        guint64 limit = 0;
        guint64 used = 0;
        guint64 cache = 0;
        guint64 shared = 0;
        if (read_number(group->stat, group->cache, &cache) &&
            read_number(group->stat, group->shared, &shared))
            cache -= MIN(cache, shared);
        if (read_number(group->limit, NULL, &limit) && read_number(group->used, NULL, &used) &&
            is_near("memory (of the control group)", limit, used - MIN(used, cache), grown))
            return TRUE;
    }
    return FALSE;
}

char *fc_memory_limit_reason(void)
{
    return memory.which ? g_strdup_printf("%s is limited to %" G_GUINT64_FORMAT " MiB",
                                          memory.which, memory.limit >> 20)
                        : NULL;
}
