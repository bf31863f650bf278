/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See process.h.  Called by start.c, and after each fork by the function that notices it first.
 */
#include "libfc/process/process.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/base/file.h"
#include "libfc/base/namespace.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/count/counters.h"
#include "libfc/count/detail.h"
#include "libfc/process/entries.h"
#include "libfc/process/join.h"
#include "libfc/process/modules.h"
#include "libfc/process/threads.h"
#include "libfc/stream/call-sites.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/switches.h"

#include <fcntl.h>

#define KEYS_MAX 64 /* one in a microsecond */

struct FcSession fc_session;

static bool is_elsewhere; /* fcmanager may be in another PID namespace */

static void make_key(void)
{
    uint64_t microseconds = fc_clock_monotonic_ns() / 1000;
    fc_state_key =
        (uint64_t)(uint32_t)fc_sys(SYS_getpid) << 32 | (uint32_t)(microseconds | 1); /* never 0 */
}

static void note_start(struct FcHello *hello, uint64_t time)
{
    hello->start_time = time;
    hello->start_monotonic_ns = fc_clock_monotonic_ns();
    hello->start_realtime_ns = fc_clock_realtime_ns();
}

static void send_hello(struct FcHello *hello, int signing)
{
    hello->version = FC_WIRE_VERSION;
    hello->flags |= fc_config.memory ? 0 : FC_HELLO_NO_MEMORY;
    hello->flags |= signing == 0 ? FC_HELLO_SIGNED : 0;
    hello->flags |= is_elsewhere ? FC_HELLO_ELSEWHERE : 0;
    hello->pid = (int32_t)fc_sys(SYS_getpid);
    hello->ppid = (int32_t)fc_sys(SYS_getppid);
    hello->thread = 1;
    struct FcMessage message = {.type = FC_MSG_HELLO};
    fc_channel_send(&message, hello, sizeof *hello);
    /* once the program goes on, it may close the pipe, exec or end */
    if (is_elsewhere && signing == 0)
        fc_channel_wait_until_followed();
}

static void send_text(enum FcText which, const char *text, size_t bytes)
{
    struct FcMessage message = {.type = FC_MSG_TEXT, .argument = which};
    if (bytes > 0)
        fc_channel_send(&message, text, bytes);
}

void fc_process_introduce(struct FcHello *hello)
{
    uint64_t namespace = fc_session.namespace;
    is_elsewhere = (hello->flags & FC_HELLO_EXECED) != 0 &&
                   (namespace == 0 || namespace != fc_namespace_own());
    const int signing = fc_channel_sign();
    note_start(hello, fc_clock_peek());
    send_hello(hello, signing);
    static char text[65536];
    long bytes = fc_sys(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", text, sizeof text);
    if (bytes > 0)
        send_text(FC_TEXT_EXECUTABLE, text, (size_t)bytes);
    bytes = fc_sys(SYS_getcwd, text, sizeof text); /* includes the NUL */
    if (bytes > 1)
        send_text(FC_TEXT_DIRECTORY, text, (size_t)bytes - 1);
    send_text(FC_TEXT_COMMAND_LINE, text, fc_file_read("/proc/self/cmdline", text, sizeof text));
}

void fc_process_send_started(const struct FcOverhead *overhead)
{
    struct FcMessage message = {.type = FC_MSG_STARTED, .value = fc_clock_peek()};
    fc_channel_send(&message, overhead, overhead ? sizeof *overhead : 0);
}

void fc_process_setup(void)
{
    make_key();
    fc_state_make_fork_mark();
}

/* ---- Forks ------------------------------------------------------------------------ */

void fc_process_after_fork(uint64_t token)
{
    fc_state_fork_is_seen();
    fc_entries_leave();
    fc_channel_after_fork();
    fc_modules_after_fork();
    struct FcHello hello = {
        .flags = FC_HELLO_FORKED,
        .parent_process = fc_state_key,
        .parent_thread = fc_thread.number,
        .fork_token = token,
    };
    fc_counters_after_fork();
    fc_detail_after_fork(token != 0);
    fc_threads_after_fork();
    if (fc_state_is_off())
        return;
    if (fc_config.profile_mode != FC_MODE_FORK)
    {
        fc_state_stop(NULL);
        fc_channel_close(); /* otherwise this process would keep the session open */
        fc_join_announce(NULL);
        return;
    }
    is_elsewhere |= fc_sys(SYS_getppid) == 0; /* the parent is in another namespace */
    int signing = -EAGAIN;
    for (int tries = 0; signing == -EAGAIN && tries < KEYS_MAX; tries++)
    {
        make_key(); /* a process in another PID namespace may have the same pid */
        signing = fc_channel_sign();
    }
    fc_join_announce(&fc_session);
    struct FcClocks clocks;
    fc_switches_read(&clocks);
    note_start(&hello, clocks.time);
    send_hello(&hello, signing);
    fc_threads_start();
    fc_entries_after_fork();
    fc_call_sites_after_fork();
    fc_switches_begin_forked(&clocks);
}
