/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See user-filter.h.  fcfilter is asked about each file once, since the processes of a session
 * mostly map the same few files.
 */
#include "fcmanager/stack/user-filter.h"

#include "fcmanager/base/memfd.h"
#include "fcmanager/counts/modules.h"
#include "libfc/base/writers.h"
#include "libfc/fc-choices.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The longest time to wait for an answer.  The program may wait meanwhile, and so does each of its
 * threads that calls dlopen or has no free chunk. */
#define TIMEOUT_MS 10000
/* The same for the first answer, while the program waits for fcmanager to start. libfc gives up
 * after twice this time. */
#define START_TIMEOUT_MS 5000

/* The place of a file's ranges in the shared memory. */
typedef struct
{
    guint64 first;
    guint32 count;
} Answer;

struct FcManagerFilter
{
    struct FcUserFilter *shared; /* NULL: could not be mapped */
    int fd;                      /* stays open: executed images find the memory by it */
    guint64 used;                /* ranges in use; never read from the shared memory */
    GHashTable *answers;         /* path and build-id -> Answer, owned */
    GString *trouble;
    int timeout_ms;
    pid_t helper; /* 0: not running */
    int to_helper;
    int from_helper;
};

static void stop_helper(FcManagerFilter *filter)
{
    if (filter->helper == 0)
        return;
    close(filter->to_helper);
    close(filter->from_helper);
    kill(filter->helper, SIGKILL);
    while (waitpid(filter->helper, NULL, 0) < 0 && errno == EINTR)
        continue;
    filter->helper = 0;
}

static char *beside_us(const char *helper)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
    return folder && helper[0] != '\0' ? g_build_filename(folder, helper, NULL) : g_strdup("");
}

/* The path of fcfilter without links; the caller frees it.  NULL: there is no such file, or it is
 * not trusted because someone who can't change fcmanager can change it.  Then *reason says why. */
static char *find_helper(const char *path, char **reason)
{
    static char real[FC_WRITERS_PATH];
    static char fault[FC_WRITERS_PATH];
    struct FcWriters writers;
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    if (path[0] == '\0')
        return NULL;
    fc_writers_self(&writers);
    if (self)
        fc_writers_add(&writers, self);
    const long fd = fc_writers_open_path(&writers, path, O_PATH, real, fault);
    if (fd >= 0)
        close((int)fd);
    if (fd >= 0 || fd == -ENOSYS) /* without /proc */
        return g_strdup(fd >= 0 ? real : path);
    if (fd != -ENOENT)
    {
        g_free(*reason);
        *reason = fd != -EPERM
                      ? g_strdup_printf(": %s: %s", path, g_strerror((int)-fd))
                      : g_strdup_printf(": %s%s%s belongs to another user, or others can "
                                        "write to it",
                                        path, fault[0] != '\0' ? ": its folder " : "", fault);
    }
    return NULL;
}

/* fcmanager's own descriptors are all closed on exec. */
static gboolean start_helper(FcManagerFilter *filter, const FcUserFilterSetup *setup, char **reason)
{
    g_autofree char *near = beside_us(setup->near);
    g_autofree char *found = find_helper(near, reason);
    g_autofree char *installed = find_helper(setup->installed, reason);
    const char *const paths[] = {found, installed};
    char *arguments[] = {(char *)"fcfilter", (char *)setup->filter, NULL};
    int to[2] = {-1, -1};
    int from[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
        return FALSE;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    for (gsize i = 0; i < G_N_ELEMENTS(paths) && filter->helper == 0; i++)
        if (paths[i] &&
            posix_spawn(&filter->helper, paths[i], &actions, NULL, arguments, environ) != 0)
            filter->helper = 0;
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    filter->to_helper = to[1];
    filter->from_helper = from[0];
    if (filter->helper != 0)
        return TRUE;
    close(to[1]);
    close(from[0]);
    return FALSE;
}

/* ---- Talking to it ------------------------------------------------------------------- */

/* `deadline` is in the time of g_get_monotonic_time. */
static gboolean read_all(FcManagerFilter *filter, gint64 deadline, void *into, gsize bytes)
{
    for (gsize done = 0; done < bytes;)
    {
        struct pollfd poll_fd = {filter->from_helper, POLLIN, 0};
        gint64 left_ms = (deadline - g_get_monotonic_time()) / 1000;
        if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) <= 0)
            return FALSE;
        gssize part = read(filter->from_helper, (char *)into + done, bytes - done);
        if (part <= 0)
            return FALSE;
        done += (gsize)part;
    }
    return TRUE;
}

static gboolean write_all(FcManagerFilter *filter, const char *data, gsize bytes)
{
    for (gsize done = 0; done < bytes;)
    {
        gssize part = write(filter->to_helper, data + done, bytes - done);
        if (part <= 0)
            return FALSE;
        done += (gsize)part;
    }
    return TRUE;
}

/* Reads an answer, with its ranges directly into the shared memory.  FALSE: it did not come in time
 * or is malformed.  The caller frees *text in any case. */
static gboolean read_reply(FcManagerFilter *filter, struct FcFilterReply *reply, Answer *answer,
                           char **text)
{
    const gint64 deadline = g_get_monotonic_time() + filter->timeout_ms * G_GINT64_CONSTANT(1000);
    *text = NULL;
    if (!read_all(filter, deadline, reply, sizeof *reply) || reply->magic != FC_FILTER_MAGIC ||
        reply->bytes > FC_FILTER_TEXT_MAX || reply->ranges > FC_USER_FILTER_RANGES - filter->used ||
        !read_all(filter, deadline, &filter->shared->ranges[filter->used],
                  reply->ranges * sizeof(struct FcFilterRange)))
        return FALSE;
    *answer = (Answer){filter->used, reply->ranges};
    filter->used += reply->ranges;
    *text = g_malloc0(reply->bytes + 1);
    return read_all(filter, deadline, *text, reply->bytes);
}

static void note(FcManagerFilter *filter, const char *text)
{
    if (text[0] != '\0')
        g_string_append_printf(filter->trouble, "%s%s", filter->trouble->len > 0 ? "\nFCMng: " : "",
                               text);
}

/* Asks fcfilter about a file.  After a failure it is not asked again. */
static Answer ask(FcManagerFilter *filter, const char *path, const char *build_id)
{
    Answer answer = {0, 0};
    struct FcFilterReply reply = {0};
    g_autofree char *text = NULL;
    if (filter->helper == 0)
        return answer;
    if (!write_all(filter, path, strlen(path) + 1) ||
        !write_all(filter, build_id, strlen(build_id) + 1) ||
        !read_reply(filter, &reply, &answer, &text))
    {
        g_autofree char *failed =
            g_strdup_printf("FC_FILTER: no answer about %s, nothing more is filtered", path);
        stop_helper(filter);
        note(filter, failed);
        return (Answer){0, 0};
    }
    note(filter, text);
    return answer;
}

/* ---- The whole ----------------------------------------------------------------------- */

static struct FcUserFilter *map(int fd)
{
    if (fc_memfd_seal_size(fd) != FC_USER_FILTER_BYTES)
        return NULL;
    void *at = mmap(NULL, FC_USER_FILTER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

FcManagerFilter *fc_manager_filter_new(const FcUserFilterSetup *setup, char **trouble)
{
    FcManagerFilter *filter = g_new0(FcManagerFilter, 1);
    struct FcFilterReply reply = {0};
    Answer answer = {0, 0};
    g_autofree char *text = NULL;
    g_autofree char *reason = NULL;
    filter->fd = setup->fd;
    filter->shared = map(setup->fd);
    filter->timeout_ms = START_TIMEOUT_MS;
    filter->answers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    filter->trouble = g_string_new(NULL);
    *trouble = NULL;
    if (!setup->filter || setup->filter[0] == '\0')
        return filter;
    if (!filter->shared || !start_helper(filter, setup, &reason))
        *trouble = g_strdup_printf("FC_FILTER: fcfilter could not be started%s, all is profiled",
                                   reason ? reason : "");
    else if (!read_reply(filter, &reply, &answer, &text))
        *trouble = g_strdup("FC_FILTER: fcfilter did not answer, all is profiled");
    else if (text[0] != '\0')
        *trouble = g_strdup_printf("FC_FILTER: %s, all is profiled", text);
    if (*trouble || !filter->shared)
    {
        stop_helper(filter);
        return filter;
    }
    filter->timeout_ms = TIMEOUT_MS;
    filter->shared->is_on = 1;
    return filter;
}

void fc_manager_filter_free(FcManagerFilter *filter)
{
    if (!filter)
        return;
    stop_helper(filter);
    if (filter->shared)
        munmap(filter->shared, FC_USER_FILTER_BYTES);
    close(filter->fd);
    g_hash_table_unref(filter->answers);
    g_string_free(filter->trouble, TRUE);
    g_free(filter);
}

static void answer_about(FcManagerFilter *filter, guint32 number, const char *path,
                         const char *build_id)
{
    Answer none = {0, 0};
    Answer *answer = &none;
    if (!filter->shared)
        return;
    if (path[0] == '/')
    {
        g_autofree char *key = g_strdup_printf("%s\n%s", build_id ? build_id : "", path);
        answer = g_hash_table_lookup(filter->answers, key);
        if (!answer)
        {
            const Answer asked = ask(filter, path, build_id ? build_id : "");
            answer = g_memdup2(&asked, sizeof asked);
            g_hash_table_insert(filter->answers, g_steal_pointer(&key), answer);
        }
    }
    guint32 at = number % FC_USER_FILTER_ANSWERS;
    filter->shared->answers[at].first = answer->first;
    filter->shared->answers[at].count = answer->count;
    /* pairs with libfc's acquire */
    __atomic_store_n(&filter->shared->answers[at].number, number, __ATOMIC_RELEASE);
}

void fc_manager_filter_take_module(FcManagerFilter *filter, const FcWireMessage *message)
{
    struct FcModuleInfo info;
    const char *path;
    gsize bytes;
    if (message->argument == 0 || !fc_decode_module(message, &info, &path, &bytes))
        return;
    g_autofree char *name = g_strndup(path, bytes);
    g_autofree char *build_id =
        fc_modules_hex(info.build_id, MIN(info.build_id_bytes, FC_BUILD_ID_MAX));
    answer_about(filter, message->argument, name, build_id);
}

/* An empty path asks fcfilter for the patterns that matched nothing. */
char *fc_manager_filter_trouble(FcManagerFilter *filter, gboolean *is_incomplete)
{
    *is_incomplete = filter->trouble->len > 0;
    ask(filter, "", "");
    char *text = filter->trouble->len > 0 ? g_strdup(filter->trouble->str) : NULL;
    g_string_truncate(filter->trouble, 0);
    return text;
}
