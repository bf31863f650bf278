/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See source.h.  Everything in the manager that blocks is here.
 */
#include "fcmanager/session/source.h"

#include "fcmanager/base/poll-interval.h"
#include "fcmanager/stream/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES 65536
#define EVENTS 64
/* How often gaps, and processes without a pidfd, are checked. */
#define ROUND_MS 100u
/* ns: after polling this long in vain, the manager sleeps in epoll_wait. */
#define IDLE_NS 1000000
/* Marks the pipe among the events; process keys are never 0. */
#define PIPE_EVENT 0

typedef struct
{
    guint64 key;
    guint64 order; /* position in the order of hellos */
    FcFollow follow;
    gboolean dead;
    gboolean is_noted;    /* it was dead before the pipe was last drained */
    gboolean is_followed; /* FC_FOLLOWED was sent */
    gboolean is_answered; /* FC_ANSWERED was sent */
} Followed;

struct FcSource
{
    int pipe_fd;
    int writer_fd; /* the manager's own write end, which prevents an end of file on the pipe; -1:
                      closed */
    int epoll_fd;
    enum FcProfileMode mode;
    gboolean at_end;      /* the last read found no writer */
    gboolean was_awaited; /* threads waited for chunks that the last read freed */
    gboolean had_process; /* some process said hello */
    guint asked;          /* how many processes have no pidfd */
    guint dead_count;     /* how many deaths the session does not know of yet */
    guint64 met;          /* how many processes said hello */
    FcFollow expected;    /* the process whose hello is expected; pid 0: none */
    GHashTable *followed; /* key -> Followed, owned */
    FcDecoder *decoder;
    guint64 malformed_reported;
    FcSession *session;
    guint8 buffer[READ_BYTES];
};

static void followed_free(Followed *followed)
{
    fc_follow_end(&followed->follow);
    g_free(followed);
}

static void report_malformed(FcSource *source)
{
    guint64 malformed = fc_decoder_malformed(source->decoder);
    if (malformed > source->malformed_reported)
        fc_session_malformed(source->session, malformed - source->malformed_reported);
    source->malformed_reported = malformed;
}

/* Malformed input is reported before the message that follows it, which may be the last one of a
 * profile. */
static void take_message(const FcWireMessage *message, gpointer data)
{
    FcSource *source = data;
    report_malformed(source);
    fc_session_message(source->session, message);
}

FcSource *fc_source_new(int pipe_fd, enum FcProfileMode mode)
{
    FcSource *source = g_new0(FcSource, 1);
    source->pipe_fd = pipe_fd;
    source->writer_fd = -1;
    source->mode = mode;
    source->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    source->followed =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, (GDestroyNotify)followed_free);
    source->decoder = fc_decoder_new(take_message, source);
    fcntl(pipe_fd, F_SETFL, fcntl(pipe_fd, F_GETFL) | O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = PIPE_EVENT};
    epoll_ctl(source->epoll_fd, EPOLL_CTL_ADD, pipe_fd, &event);
    return source;
}

void fc_source_free(FcSource *source)
{
    if (!source)
        return;
    g_hash_table_unref(source->followed);
    if (source->expected.pid != 0)
        fc_follow_end(&source->expected);
    fc_decoder_free(source->decoder);
    close(source->epoll_fd);
    close(source->pipe_fd);
    if (source->writer_fd >= 0)
        close(source->writer_fd);
    g_free(source);
}

/* ---- Processes -------------------------------------------------------------------- */

void fc_source_expect(FcSource *source, gint pid)
{
    struct pollfd pipe = {source->pipe_fd, POLLIN, 0};
    if (!fc_follow_begin(&source->expected, pid))
        source->expected.pid = 0;
    else if (poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLHUP) != 0)
    { /* it is dead: the pidfd may be that of a later process */
        fc_follow_end(&source->expected);
        source->expected.pid = 0;
    }
}

/* Returns the key of the image of the same process that executed this one; 0: none is known. */
static guint64 find_replaced(const FcSource *source, const Followed *by)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, source->followed);
    while (!by->dead && g_hash_table_iter_next(&iter, NULL, &value))
        if (fc_follow_is_same(&((Followed *)value)->follow, &by->follow))
            return ((Followed *)value)->key;
    return 0;
}

static void watch(FcSource *source, Followed *followed)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = followed->key};
    source->dead_count += followed->dead;
    if (!followed->dead && (followed->follow.fd < 0 || epoll_ctl(source->epoll_fd, EPOLL_CTL_ADD,
                                                                 followed->follow.fd, &event) < 0))
    {
        fc_follow_end(&followed->follow);
        source->asked++;
    }
}

guint64 fc_source_follow(guint64 key, const struct FcHello *hello, gpointer data)
{
    FcSource *source = data;
    Followed *followed = g_new0(Followed, 1);
    followed->key = key;
    followed->order = source->met++;
    if (source->expected.pid != 0 && hello->pid == source->expected.pid)
    {
        followed->follow = source->expected;
        source->expected.pid = 0;
    }
    else
        followed->dead = !fc_follow_begin_hello(&followed->follow, source->pipe_fd, key, hello);
    source->had_process = TRUE;
    guint64 replaced = hello->flags & FC_HELLO_EXECED ? find_replaced(source, followed) : 0;
    watch(source, followed);
    g_hash_table_insert(source->followed, &followed->key, followed);
    /* If this fails, the process gives up waiting after some time. */
    followed->is_followed = (hello->flags & FC_HELLO_ELSEWHERE) != 0 &&
                            fc_follow_signal(source->pipe_fd, key, FC_FOLLOWED, TRUE);
    return replaced;
}

void fc_source_unfollow(guint64 key, gpointer data)
{
    FcSource *source = data;
    Followed *followed = g_hash_table_lookup(source->followed, &key);
    if (!followed)
        return;
    source->dead_count -= followed->dead;
    source->asked -= !followed->dead && followed->follow.fd < 0;
    if (followed->is_followed)
        fc_follow_signal(source->pipe_fd, key, FC_FOLLOWED, FALSE);
    if (followed->is_answered)
        fc_follow_signal(source->pipe_fd, key, FC_ANSWERED, FALSE);
    g_hash_table_remove(source->followed,
                        &key); /* closing the pidfd removes it from the epoll set */
}

gboolean fc_source_signal_answered(guint64 key, gboolean is_to_be_signalled, gpointer data)
{
    FcSource *source = data;
    Followed *followed = g_hash_table_lookup(source->followed, &key);
    if (!followed)
        return FALSE;
    if (!is_to_be_signalled)
        return fc_follow_can_signal(source->pipe_fd, key, FC_ANSWERED);
    followed->is_answered = fc_follow_signal(source->pipe_fd, key, FC_ANSWERED, TRUE);
    return followed->is_answered;
}

static void mark_dead(FcSource *source, Followed *followed)
{
    if (followed->dead)
        return;
    source->asked -= followed->follow.fd < 0;
    if (followed->follow.fd >= 0) /* its death is to be reported once only */
        epoll_ctl(source->epoll_fd, EPOLL_CTL_DEL, followed->follow.fd, NULL);
    followed->dead = TRUE;
    source->dead_count++;
}

static void ask_for_the_dead(FcSource *source)
{
    GHashTableIter iter;
    gpointer value;
    if (source->asked == 0)
        return;
    g_hash_table_iter_init(&iter, source->followed);
    while (g_hash_table_iter_next(&iter, NULL, &value))
    {
        Followed *followed = value;
        if (followed->follow.fd < 0 && !followed->dead && !fc_follow_is_alive(&followed->follow))
            mark_dead(source, followed);
    }
}

guint64 fc_source_find(gint pid, gpointer data)
{
    const FcSource *source = data;
    const Followed *found = NULL;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, source->followed);
    while (g_hash_table_iter_next(&iter, NULL, &value))
    {
        const Followed *followed = value;
        if (followed->follow.pid == pid && !followed->dead &&
            (!found || followed->order > found->order))
            found = followed;
    }
    return found ? found->key : 0;
}

void fc_source_forked(gpointer data)
{
    FcSource *source = data;
    close(source->epoll_fd);
    close(source->pipe_fd);
    if (source->writer_fd >= 0)
        close(source->writer_fd);
}

/* ---- The pipe --------------------------------------------------------------------- */

/* Reads what is in the pipe now, but not what is written meanwhile, so it returns even if the
 * writers never pause.  Returns the number of bytes. */
static gsize drain(FcSource *source)
{
    int there = 0;
    if (ioctl(source->pipe_fd, FIONREAD, &there) < 0)
        there = G_MAXINT; /* FIONREAD is denied: read until the pipe is empty */
    gint64 left = there;
    gsize all = 0;
    do
    {
        gssize bytes = read(source->pipe_fd, source->buffer, sizeof source->buffer);
        source->at_end = bytes == 0;
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes <= 0)
            break;
        all += (gsize)bytes;
        left -= bytes;
        fc_decoder_push(source->decoder, source->buffer, (gsize)bytes);
        source->was_awaited |= fc_session_batch_done(source->session);
    } while (left > 0);
    report_malformed(source);
    return all;
}

/* The same with poll, where a sandbox of the program denies epoll.  If it denies poll as well,
 * deaths are noticed once the parent process asks for them. */
static void poll_instead(FcSource *source, int timeout_ms)
{
    g_autoptr(GArray) polled = g_array_new(FALSE, TRUE, sizeof(struct pollfd));
    g_autoptr(GList) all = g_hash_table_get_values(source->followed);
    for (const GList *at = all; at; at = at->next)
    {
        const Followed *followed = at->data;
        struct pollfd entry = {followed->dead ? -1 : followed->follow.fd, POLLIN, 0};
        g_array_append_val(polled, entry);
    }
    struct pollfd pipe = {source->pipe_fd, POLLIN, 0};
    g_array_append_val(polled, pipe);
    gboolean is_denied =
        poll((struct pollfd *)(gpointer)polled->data, polled->len, timeout_ms) < 0 &&
        errno != EINTR;
    if (is_denied)
        g_usleep((gulong)timeout_ms * 1000);
    guint i = 0;
    for (const GList *at = all; at; at = at->next, i++)
    {
        Followed *followed = at->data;
        if (is_denied ? !fc_follow_is_alive(&followed->follow)
                      : g_array_index(polled, struct pollfd, i).revents != 0)
            mark_dead(source, followed);
    }
}

/* Waits until something happens, for `timeout_ms` at most, and notes all processes that died. */
static void wait_for_events(FcSource *source, int timeout_ms)
{
    struct epoll_event events[EVENTS];
    int count;
    do
    {
        count = epoll_wait(source->epoll_fd, events, EVENTS, timeout_ms);
        if (count < 0 && errno != EINTR)
            poll_instead(source, timeout_ms);
        for (int i = 0; i < count; i++)
        {
            Followed *followed = events[i].data.u64 == PIPE_EVENT
                                     ? NULL
                                     : g_hash_table_lookup(source->followed, &events[i].data.u64);
            if (followed)
                mark_dead(source, followed);
        }
        timeout_ms = 0;
    } while (count == EVENTS || (count < 0 && errno == EINTR));
}

/* Notes all processes that are dead.  Returns the first one in the order of hellos of those that
 * were noted before; an image is first before the one that replaced it.  NULL: there is none. */
static Followed *note_dead(FcSource *source)
{
    Followed *found = NULL;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, source->followed);
    while (g_hash_table_iter_next(&iter, NULL, &value))
    {
        Followed *followed = value;
        if (followed->is_noted && (!found || followed->order < found->order))
            found = followed;
        followed->is_noted = followed->dead;
    }
    return found;
}

static void report_deaths(FcSource *source)
{
    while (source->dead_count > 0)
    {
        /* A process that is dead when its hello is read may have replaced an image that is dead
           as well, and was not checked since.  That image comes first. */
        wait_for_events(source, 0);
        /* Reads what they wrote before they died.  If a hello is read only now, and its process
           is dead, more may have come since the read began; the next turn handles that process. */
        note_dead(source);
        drain(source);
        Followed *followed = note_dead(source);
        if (!followed)
            continue;
        FcProfileEnd end = FC_END_UNKNOWN;
        gint result = 0;
        fc_follow_result(&followed->follow, &end, &result);
        guint64 key = followed->key;
        fc_source_unfollow(key, source);
        fc_decoder_forget(source->decoder, key);
        fc_session_died(source->session, key, end, result);
    }
}

/* Answers the processes that wait for it: their profiles are written.  So are those of all
 * processes that were dead when they asked, since a parent knows which children it has waited
 * for. */
static void answer_quits(FcSource *source)
{
    guint count;
    while ((count = fc_session_count_quits(source->session)) > 0)
    {
        wait_for_events(source, 0);
        ask_for_the_dead(source);
        report_deaths(source); /* more may quit meanwhile: they are checked for again */
        fc_session_answer_quits(source->session, count);
    }
}

/* Answers requests from outside, with what the processes have sent so far. */
static void answer_asked(FcSource *source)
{
    if (!fc_session_is_asked(source->session))
        return;
    drain(source);
    fc_session_answer_asked(source->session);
}

/* Polls as long as data keeps coming, but for one round at most.  Stops at a death, since open
 * frames are closed at the time at which it is seen. */
static void drain_while_busy(FcSource *source)
{
    const gint64 end_us = g_get_monotonic_time() + ROUND_MS * 1000;
    FcPollInterval interval;
    fc_poll_interval_begin(&interval, g_hash_table_size(source->followed) > 1);
    glong idle_ns = 0;
    gboolean is_waiting = TRUE;
    while (g_get_monotonic_time() < end_us && idle_ns < IDLE_NS && !source->at_end &&
           source->dead_count == 0)
    {
        const struct timespec delay = {0, interval.ns};
        if (is_waiting)
            clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
        source->was_awaited = FALSE;
        const gsize came = drain(source) / sizeof(struct FcMessage);
        idle_ns = came == 0 ? idle_ns + (is_waiting ? delay.tv_nsec : 0) : 0;
        const gboolean is_streamed = fc_session_is_streamed(source->session);
        if (is_waiting)
            fc_poll_interval_adapt(&interval, is_streamed, came);
        if (source->was_awaited)
            fc_poll_interval_shorten(&interval, is_streamed);
        is_waiting = came <= 1; /* otherwise there may be more by now */
        answer_quits(source);
        answer_asked(source);
        fc_session_sample_waits(source->session);
        wait_for_events(source, 0);
    }
}

/* The pipe has no writer, but a process lives: a daemon that closed its descriptors, or one that
 * executed another program.  The manager opens the pipe for writing itself; without any writer
 * epoll would report its end again and again. */
static void hold_open(FcSource *source)
{
    fc_session_pipe_closed(source->session);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", source->pipe_fd);
    source->writer_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    source->at_end = FALSE;
    if (source->writer_fd < 0) /* no /proc: watch the processes' ends only */
        epoll_ctl(source->epoll_fd, EPOLL_CTL_DEL, source->pipe_fd, NULL);
}

static void let_go(FcSource *source)
{
    if (source->writer_fd >= 0)
        close(source->writer_fd);
    source->writer_fd = -1;
    drain(source);
    answer_quits(source);
}

/* Gives up processes that can't be followed.  Without a writer none of them sends anything any
 * more. */
static void give_up_unknown(FcSource *source)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, source->followed);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        if (((Followed *)value)->follow.pid == 0)
            mark_dead(source, value);
}

static gboolean is_over(FcSource *source)
{
    if (g_hash_table_size(source->followed) > 0)
    {
        if (source->at_end)
            give_up_unknown(source);
        if (source->at_end && source->writer_fd < 0)
            hold_open(source);
        return FALSE;
    }
    /* Without the mode for forks no other writer of the pipe will ever send anything. */
    if (source->mode != FC_MODE_FORK && source->had_process)
        return TRUE;
    let_go(source);
    return source->at_end && g_hash_table_size(source->followed) == 0;
}

void fc_source_run(FcSource *source, FcSession *session)
{
    source->session = session;
    for (;;)
    {
        wait_for_events(source, (int)MIN(fc_session_sample_waits(session), ROUND_MS));
        ask_for_the_dead(source);
        gboolean is_busy = drain(source) > 0;
        answer_quits(source);
        if (is_busy)
            drain_while_busy(source);
        report_deaths(source);
        answer_quits(source); /* those that the last read brought */
        answer_asked(source);
        fc_session_round(session);
        fc_session_batch_done(session);
        if (is_over(source))
            return;
    }
}
