/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See choices.h.  Each file is asked about once: the images of a tree are mostly the same few.
 */
#include "fcmanager/stack/choices.h"

#include "fcmanager/base/seal.h"
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

/* For a whole answer, which the program waits for: all of its threads, if they call dlopen or their
 * chunks are full. */
#define TIMEOUT_MS 10000
/* For the first one, while the program waits for us to start: libfc gives up after twice that. */
#define START_TIMEOUT_MS 5000

/* Where the steps of a file are in the memory. */
typedef struct
{
    guint64 first;
    guint32 count;
} Answer;

struct FcModuleChoices
{
    struct FcChoices *shared; /* NULL: there is none */
    int fd;                   /* stays open: executed images find it by this */
    guint64 used;             /* of the steps; never read from there */
    GHashTable *answers;      /* path and build-id -> Answer, owned */
    GString *trouble;
    int timeout_ms;
    pid_t helper; /* 0: not running */
    int to_helper;
    int from_helper;
};

static void stop_helper(FcModuleChoices *choices)
{
    if (choices->helper == 0)
        return;
    close(choices->to_helper);
    close(choices->from_helper);
    kill(choices->helper, SIGKILL);
    while (waitpid(choices->helper, NULL, 0) < 0 && errno == EINTR)
        continue;
    choices->helper = 0;
}

static char *beside_us(const char *helper)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
    return folder && helper[0] != '\0' ? g_build_filename(folder, helper, NULL) : g_strdup("");
}

/* fcfilter, where nobody can change it who can't change fcmanager; the path without links, or NULL
 * with *reason, where it is there. */
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

/* All our own descriptors are closed on exec. */
static gboolean start_helper(FcModuleChoices *choices, const FcChoicesSetup *setup, char **reason)
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
    for (gsize i = 0; i < G_N_ELEMENTS(paths) && choices->helper == 0; i++)
        if (paths[i] &&
            posix_spawn(&choices->helper, paths[i], &actions, NULL, arguments, environ) != 0)
            choices->helper = 0;
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    choices->to_helper = to[1];
    choices->from_helper = from[0];
    if (choices->helper != 0)
        return TRUE;
    close(to[1]);
    close(from[0]);
    return FALSE;
}

/* ---- Talking to it ------------------------------------------------------------------- */

/* `deadline`: by g_get_monotonic_time. */
static gboolean read_all(FcModuleChoices *choices, gint64 deadline, void *into, gsize bytes)
{
    for (gsize done = 0; done < bytes;)
    {
        struct pollfd poll_fd = {choices->from_helper, POLLIN, 0};
        gint64 left_ms = (deadline - g_get_monotonic_time()) / 1000;
        if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) <= 0)
            return FALSE;
        gssize part = read(choices->from_helper, (char *)into + done, bytes - done);
        if (part <= 0)
            return FALSE;
        done += (gsize)part;
    }
    return TRUE;
}

static gboolean write_all(FcModuleChoices *choices, const char *data, gsize bytes)
{
    for (gsize done = 0; done < bytes;)
    {
        gssize part = write(choices->to_helper, data + done, bytes - done);
        if (part <= 0)
            return FALSE;
        done += (gsize)part;
    }
    return TRUE;
}

/* The steps go to their place at once; `text` is to be freed. */
static gboolean read_reply(FcModuleChoices *choices, struct FcFilterReply *reply, Answer *answer,
                           char **text)
{
    const gint64 deadline = g_get_monotonic_time() + choices->timeout_ms * G_GINT64_CONSTANT(1000);
    *text = NULL;
    if (!read_all(choices, deadline, reply, sizeof *reply) || reply->magic != FC_FILTER_MAGIC ||
        reply->bytes > FC_FILTER_TEXT_MAX || reply->steps > FC_CHOICES_STEPS - choices->used ||
        !read_all(choices, deadline, &choices->shared->steps[choices->used],
                  reply->steps * sizeof(struct FcStep)))
        return FALSE;
    *answer = (Answer){choices->used, reply->steps};
    choices->used += reply->steps;
    *text = g_malloc0(reply->bytes + 1);
    return read_all(choices, deadline, *text, reply->bytes);
}

static void note(FcModuleChoices *choices, const char *text)
{
    if (text[0] != '\0')
        g_string_append_printf(choices->trouble, "%s%s",
                               choices->trouble->len > 0 ? "\nFCMng: " : "", text);
}

/* Where fcfilter fails, for good. */
static Answer ask(FcModuleChoices *choices, const char *path, const char *build_id)
{
    Answer answer = {0, 0};
    struct FcFilterReply reply = {0};
    g_autofree char *text = NULL;
    if (choices->helper == 0)
        return answer;
    if (!write_all(choices, path, strlen(path) + 1) ||
        !write_all(choices, build_id, strlen(build_id) + 1) ||
        !read_reply(choices, &reply, &answer, &text))
    {
        g_autofree char *failed =
            g_strdup_printf("FC_FILTER: no answer about %s, nothing more is filtered", path);
        stop_helper(choices);
        note(choices, failed);
        return (Answer){0, 0};
    }
    note(choices, text);
    return answer;
}

/* ---- The whole ----------------------------------------------------------------------- */

static struct FcChoices *map(int fd)
{
    if (fc_seal_size(fd) != FC_CHOICES_BYTES)
        return NULL;
    void *at = mmap(NULL, FC_CHOICES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

FcModuleChoices *fc_choices_new(const FcChoicesSetup *setup, char **trouble)
{
    FcModuleChoices *choices = g_new0(FcModuleChoices, 1);
    struct FcFilterReply reply = {0};
    Answer answer = {0, 0};
    g_autofree char *text = NULL;
    g_autofree char *reason = NULL;
    choices->fd = setup->fd;
    choices->shared = map(setup->fd);
    choices->timeout_ms = START_TIMEOUT_MS;
    choices->answers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    choices->trouble = g_string_new(NULL);
    *trouble = NULL;
    if (!setup->filter || setup->filter[0] == '\0')
        return choices;
    if (!choices->shared || !start_helper(choices, setup, &reason))
        *trouble = g_strdup_printf("FC_FILTER: fcfilter could not be started%s, all is profiled",
                                   reason ? reason : "");
    else if (!read_reply(choices, &reply, &answer, &text))
        *trouble = g_strdup("FC_FILTER: fcfilter did not answer, all is profiled");
    else if (text[0] != '\0')
        *trouble = g_strdup_printf("FC_FILTER: %s, all is profiled", text);
    if (*trouble || !choices->shared)
    {
        stop_helper(choices);
        return choices;
    }
    choices->timeout_ms = TIMEOUT_MS;
    choices->shared->is_on = 1;
    return choices;
}

void fc_choices_free(FcModuleChoices *choices)
{
    if (!choices)
        return;
    stop_helper(choices);
    if (choices->shared)
        munmap(choices->shared, FC_CHOICES_BYTES);
    close(choices->fd);
    g_hash_table_unref(choices->answers);
    g_string_free(choices->trouble, TRUE);
    g_free(choices);
}

static void answer_about(FcModuleChoices *choices, guint32 number, const char *path,
                         const char *build_id)
{
    Answer none = {0, 0};
    Answer *answer = &none;
    if (!choices->shared)
        return;
    if (path[0] == '/')
    {
        g_autofree char *key = g_strdup_printf("%s\n%s", build_id ? build_id : "", path);
        answer = g_hash_table_lookup(choices->answers, key);
        if (!answer)
        {
            const Answer asked = ask(choices, path, build_id ? build_id : "");
            answer = g_memdup2(&asked, sizeof asked);
            g_hash_table_insert(choices->answers, g_steal_pointer(&key), answer);
        }
    }
    guint32 at = number % FC_CHOICES_ANSWERS;
    choices->shared->answers[at].first = answer->first;
    choices->shared->answers[at].count = answer->count;
    /* pairs with libfc's acquire */
    __atomic_store_n(&choices->shared->answers[at].number, number, __ATOMIC_RELEASE);
}

void fc_choices_take_module(FcModuleChoices *choices, const FcWireMessage *message)
{
    struct FcModuleInfo info;
    const char *path;
    gsize bytes;
    if (message->argument == 0 || !fc_decode_module(message, &info, &path, &bytes))
        return;
    g_autofree char *name = g_strndup(path, bytes);
    g_autofree char *build_id =
        fc_modules_hex(info.build_id, MIN(info.build_id_bytes, FC_BUILD_ID_MAX));
    answer_about(choices, message->argument, name, build_id);
}

/* An empty path asks for the patterns that fitted nothing. */
char *fc_choices_trouble(FcModuleChoices *choices)
{
    ask(choices, "", "");
    char *text = choices->trouble->len > 0 ? g_strdup(choices->trouble->str) : NULL;
    g_string_truncate(choices->trouble, 0);
    return text;
}
