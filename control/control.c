/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See control.h.
 */
#include "control/control.h"

#include "control/find.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long to wait until the manager has read the question, and then for each piece of the
 * answer.  A busy manager may take long. */
#define BEGIN_MS 30000
#define ANSWER_MS 120000

G_GNUC_PRINTF(3, 4)
static void fail(GError **error, gint pid, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%d: %s", pid, text);
}

gint fc_control_pid(const char *word)
{
    char *end;
    const guint64 number = g_ascii_strtoull(word, &end, 10);
    const gboolean is_number = g_ascii_isdigit(*word) && *end == '\0';
    return is_number && number <= G_MAXINT ? (gint)number : 0;
}

/* ---- Asking ----------------------------------------------------------------------------- */

/* Waits until `fd` is ready for `what`.  FALSE and *error: the manager is dead, or takes too
 * long. */
static gboolean wait_for(const FcControlTarget *target, int fd, short what, int manager_fd,
                         int most_ms, GError **error)
{
    struct pollfd polled[] = {{fd, what, 0}, {manager_fd, POLLIN, 0}};
    int count;
    do
        count = poll(polled, G_N_ELEMENTS(polled), most_ms);
    while (count < 0 && errno == EINTR);
    if (count > 0 && polled[0].revents != 0)
        return TRUE;
    if (count > 0)
        fail(error, target->pid, "its profile manager (process %d) has ended", target->manager);
    else
        fail(error, target->pid, "its profile manager (process %d) does not answer within %d s",
             target->manager, most_ms / 1000);
    return FALSE;
}

static gboolean send_question(const FcControlTarget *target, int pipe_fd, int manager_fd,
                              enum FcControlWhat what, int answer_fd, GError **error)
{
    struct
    {
        struct FcMessage header;
        struct FcControl control;
    } message = {.header = {.magic = FC_MESSAGE_MAGIC,
                            .type = FC_MSG_CONTROL,
                            .length = sizeof message,
                            .value = FC_WIRE_VERSION},
                 .control = {.what = what, .pid = target->pid, .asker = getpid(), .fd = answer_fd}};
    struct stat status;
    if (fstat(answer_fd, &status) < 0)
        return FALSE;
    message.control.device = status.st_dev;
    message.control.inode = status.st_ino;
    gssize written;
    while ((written = write(pipe_fd, &message, sizeof message)) < 0)
    {
        if (errno == EAGAIN && !wait_for(target, pipe_fd, POLLOUT, manager_fd, BEGIN_MS, error))
            return FALSE;
        if (errno != EAGAIN && errno != EINTR)
            break;
    }
    if (written == sizeof message)
        return TRUE;
    fail(error, target->pid, "its profile manager (process %d) can't be asked: %s", target->manager,
         g_strerror(errno));
    return FALSE;
}

/* Reads `bytes` bytes.  FALSE and *error: the answer ended before that, or took too long. */
static gboolean read_all(const FcControlTarget *target, int fd, int manager_fd, char *to,
                         gsize bytes, int most_ms, GError **error)
{
    while (bytes > 0)
    {
        if (!wait_for(target, fd, POLLIN, manager_fd, most_ms, error))
            return FALSE;
        const gssize count = read(fd, to, bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
        {
            fail(error, target->pid, "its profile manager (process %d) could not write the answer",
                 target->manager);
            return FALSE;
        }
        to += count;
        bytes -= (gsize)count;
    }
    return TRUE;
}

/* Returns the text of one answer, which the caller frees, and sets *state.  NULL and *error: it
 * failed, or the manager refused. */
static GString *read_answer(const FcControlTarget *target, int fd, int manager_fd, int most_ms,
                            guint32 *state, GError **error)
{
    struct FcControlAnswer answer;
    if (!read_all(target, fd, manager_fd, (char *)&answer, sizeof answer, most_ms, error))
        return NULL;
    if (answer.magic != FC_CONTROL_MAGIC || answer.bytes > G_MAXINT32)
    {
        fail(error, target->pid, "what its profile manager (process %d) answers is no answer",
             target->manager);
        return NULL;
    }
    g_autoptr(GString) text = g_string_sized_new(answer.bytes + 1);
    g_string_set_size(text, answer.bytes);
    if (!read_all(target, fd, manager_fd, text->str, text->len, most_ms, error))
        return NULL;
    *state = answer.state;
    if (answer.state == FC_CONTROL_REFUSED)
    {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%d: %s", target->pid, text->str);
        return NULL;
    }
    return g_steal_pointer(&text);
}

/* Reads both parts of the answer from the pipe `ends`.  Closes the pipe's write end after the
 * first part, so that the end of the second can be seen. */
static GString *read_answers(const FcControlTarget *target, int ends[2], int manager_fd,
                             GError **error)
{
    guint32 state = 0;
    GString *text = read_answer(target, ends[0], manager_fd, BEGIN_MS, &state, error);
    close(ends[1]);
    ends[1] = -1;
    if (text && state == FC_CONTROL_BEGUN)
    {
        g_string_free(text, TRUE);
        text = read_answer(target, ends[0], -1, ANSWER_MS, &state, error);
    }
    return text;
}

static GString *ask_as_user(gint pid, enum FcControlWhat what, GError **error)
{
    FcControlTarget target;
    int ends[2];
    if (!fc_control_find(pid, &target, error))
        return NULL;
    const int pipe_fd = fc_control_open(&target, error);
    if (pipe_fd < 0)
        return NULL;
    const int manager_fd = (int)syscall(SYS_pidfd_open, target.manager, 0);
    GString *text = NULL;
    if (pipe2(ends, O_CLOEXEC) < 0)
        fail(error, pid, "no descriptor is left: %s", g_strerror(errno));
    else
    {
        if (send_question(&target, pipe_fd, manager_fd, what, ends[1], error))
            text = read_answers(&target, ends, manager_fd, error);
        close(ends[0]);
        if (ends[1] >= 0)
            close(ends[1]);
    }
    close(pipe_fd);
    if (manager_fd >= 0)
        close(manager_fd);
    return text;
}

/* ---- Root's questions ------------------------------------------------------------------- */

/* Gives up root's rights for those of the program's user.  The manager could not open root's
 * /proc files, and root must not act on what the program's mark says. */
static gboolean become(const FcControlUser *user)
{
    return setgroups(user->groups->len, (const gid_t *)(gconstpointer)user->groups->data) == 0 &&
           setresgid(user->gid, user->gid, user->gid) == 0 &&
           setresuid(user->uid, user->uid, user->uid) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}

static void put_all(int fd, const char *at, gsize bytes)
{
    while (bytes > 0)
    {
        const gssize written = write(fd, at, bytes);
        if (written < 0 && errno != EINTR)
            return;
        at += MAX(written, 0);
        bytes -= (gsize)MAX(written, 0);
    }
}

/* Runs in the child: writes "1" and the answer to `fd`, or "0" and the error. */
static void answer_root(gint pid, enum FcControlWhat what, const FcControlUser *user, int fd)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = NULL;
    if (become(user))
        text = ask_as_user(pid, what, &error);
    else
        fail(&error, pid, "can't become its user: %s", g_strerror(errno));
    put_all(fd, text ? "1" : "0", 1);
    if (text)
        put_all(fd, text->str, text->len);
    else
        put_all(fd, error->message, strlen(error->message));
}

static GString *ask_as_root(gint pid, enum FcControlWhat what, const FcControlUser *user,
                            GError **error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
    {
        fail(error, pid, "no descriptor is left: %s", g_strerror(errno));
        return NULL;
    }
    const pid_t child = fork();
    if (child == 0)
    {
        close(ends[0]);
        answer_root(pid, what, user, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    g_autoptr(GString) text = g_string_new(NULL);
    char piece[65536];
    gssize bytes;
    while (child > 0 &&
           ((bytes = read(ends[0], piece, sizeof piece)) > 0 || (bytes < 0 && errno == EINTR)))
        g_string_append_len(text, piece, MAX(bytes, 0));
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (text->len == 0)
        fail(error, pid, "the process that asks in its user's name failed");
    else if (text->str[0] != '1')
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s", text->str + 1);
    if (text->len == 0 || text->str[0] != '1')
        return NULL;
    g_string_erase(text, 0, 1);
    return g_steal_pointer(&text);
}

GString *fc_control_ask(gint pid, enum FcControlWhat what, GError **error)
{
    FcControlUser user = {.groups = NULL};
    if (!fc_control_find_user(pid, &user, error))
        return NULL;
    GString *text = geteuid() == 0 && user.uid != 0 ? ask_as_root(pid, what, &user, error)
                                                    : ask_as_user(pid, what, error);
    g_clear_pointer(&user.groups, g_array_unref);
    return text;
}
