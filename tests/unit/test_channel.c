/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages that wait for others: when libfc sends them, in which order, and what a fork leaves of
 * them.  The pipe is a real one; what else the process knows of itself is the test's.
 */
#include "libfc/base/signals.h"
#include "libfc/stream/channel.h"

#include "libfc/base/state.h"
#include "libfc/base/thread.h"
#include "libfc/stream/switches.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#define KEY UINT64_C(0x1234567890)

uint64_t fc_state_key = KEY;

static gboolean is_off;
static gboolean is_child;
static gboolean is_ended_in_wait; /* by another thread */
static guint stops;               /* as the manager is gone */

void fc_deferred_flush(void)
{
}

bool fc_state_is_off(void)
{
    return is_off;
}

bool fc_state_forked_unseen(void)
{
    return is_child;
}

void fc_state_stop(const char *reason)
{
    (void)reason;
    is_off = TRUE;
}

void fc_state_stop_alone(void)
{
    is_off = TRUE;
    stops++;
}

bool fc_switches_begin_inner_pause(void)
{
    is_off |= is_ended_in_wait;
    return false;
}

void fc_switches_end_pause(void)
{
}

/* ---- The pipe --------------------------------------------------------------------------- */

static int read_end;

static void start(void)
{
    int ends[2];
    g_assert_cmpint(pipe2(ends, O_NONBLOCK | O_CLOEXEC), ==, 0);
    read_end = ends[0];
    fc_channel_open(ends[1], getpid(), ends[1]);
    is_off = is_child = is_ended_in_wait = FALSE;
    stops = 0;
    fc_thread = (struct FcThread){.number = 1};
}

static void end(void)
{
    fc_channel_close();
    if (read_end >= 0)
        close(read_end);
}

/* The next one has that type and argument, and is whole. */
static void check_next(enum FcMessageType type, guint argument)
{
    struct FcMessage message;
    g_assert_cmpint(read(read_end, &message, sizeof message), ==, sizeof message);
    g_assert_cmpuint(message.magic, ==, FC_MESSAGE_MAGIC);
    g_assert_cmpuint(message.length, ==, sizeof message);
    g_assert_cmphex(message.process, ==, KEY);
    g_assert_cmpuint(message.type, ==, type);
    g_assert_cmpuint(message.argument, ==, argument);
}

static void check_empty(void)
{
    char byte;
    g_assert_cmpint(read(read_end, &byte, 1), ==, -1);
}

static void send_later(guint argument)
{
    const struct FcMessage message = {.type = FC_MSG_CHUNK, .argument = argument};
    g_assert_true(fc_channel_send_later(&message));
}

static bool send_at_once(guint argument)
{
    struct FcMessage message = {.type = FC_MSG_THREAD_END, .argument = argument};
    return fc_channel_send(&message, NULL, 0);
}

/* ---- Tests ------------------------------------------------------------------------------ */

static void test_wait_for_each_other(void)
{
    start();
    for (guint round = 0; round < 3; round++)
    {
        for (guint i = 1; i < FC_QUEUED_MAX; i++)
            send_later(10 * round + i);
        check_empty();
        send_later(10 * round + FC_QUEUED_MAX);
        for (guint i = 1; i <= FC_QUEUED_MAX; i++)
            check_next(FC_MSG_CHUNK, 10 * round + i);
        check_empty();
    }
    end();
}

static void test_go_before_others(void)
{
    start();
    send_later(1);
    send_later(2);
    g_assert_true(send_at_once(3));
    check_next(FC_MSG_CHUNK, 1);
    check_next(FC_MSG_CHUNK, 2);
    check_next(FC_MSG_THREAD_END, 3);
    send_later(4);
    check_empty();
    g_assert_true(fc_channel_send_queued());
    check_next(FC_MSG_CHUNK, 4);
    g_assert_true(fc_channel_send_queued()); /* none */
    check_empty();
    end();
}

/* The same with a payload in parts. */
static void test_go_before_parts(void)
{
    static const char payload[2 * FC_MESSAGE_MAX];
    char piece[FC_MESSAGE_MAX];
    start();
    send_later(1);
    struct FcMessage message = {.type = FC_MSG_TEXT};
    g_assert_true(fc_channel_send(&message, payload, sizeof payload));
    check_next(FC_MSG_CHUNK, 1);
    g_assert_cmpint(read(read_end, piece, sizeof piece), ==, sizeof piece);
    memcpy(&message, piece, sizeof message);
    g_assert_cmpuint(message.type, ==, FC_MSG_TEXT);
    g_assert_cmpuint(message.flags, ==, FC_MESSAGE_MORE);
    end();
}

/* What a thread has waiting when a child is made behind our back is sent by the parent alone. */
static void test_child(void)
{
    start();
    send_later(1);
    is_child = TRUE;
    g_assert_true(send_at_once(2));
    check_next(FC_MSG_THREAD_END, 2);
    check_empty();
    end();
}

static void test_reader_is_gone(void)
{
    start();
    close(read_end);
    read_end = -1;
    send_later(1);
    g_assert_false(send_at_once(2));
    g_assert_true(is_off);
    g_assert_false(send_at_once(3));
    g_assert_cmpuint(stops, ==, 1);
    end();
}

/* Another thread ends the process while this one waits for room: that is not the manager's end. */
static void test_end_in_wait(void)
{
    guint count = 0;
    start();
    is_ended_in_wait = TRUE;
    send_later(0);
    while (send_at_once(count + 1) && count < 1000000)
        count++;
    g_assert_true(is_off);
    g_assert_cmpuint(stops, ==, 0);
    check_next(FC_MSG_CHUNK, 0);
    for (guint i = 1; i <= count; i++)
        check_next(FC_MSG_THREAD_END, i);
    check_empty();
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/channel/wait-for-each-other", test_wait_for_each_other);
    g_test_add_func("/channel/go-before-others", test_go_before_others);
    g_test_add_func("/channel/go-before-parts", test_go_before_parts);
    g_test_add_func("/channel/child", test_child);
    g_test_add_func("/channel/reader-is-gone", test_reader_is_gone);
    g_test_add_func("/channel/end-in-wait", test_end_in_wait);
    return g_test_run();
}
