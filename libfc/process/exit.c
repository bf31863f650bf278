/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a process, by exit and its variants.  libfc tells fcmanager at the last moment and
 * waits for its answer, so the profile is complete before the parent process learns of the end.
 */
#include "libfc/process/exit.h"

#include "libfc/base/libc.h"
#include "libfc/base/notice.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/memory/scan.h"
#include "libfc/process/entries.h"
#include "libfc/process/modules.h"
#include "libfc/process/mpi-figures.h"
#include "libfc/process/process.h"
#include "libfc/process/spawn.h"
#include "libfc/process/threads.h"
#include "libfc/stream/buffers.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/switches.h"

#include <dlfcn.h>
#include <stdlib.h>

/* SIGCANCEL and SIGSETXID of the C library.  Another thread may be waiting until this one has
 * handled them. */
#define INTERNAL_SIGNALS (UINT64_C(3) << (__SIGRTMIN - 1))

#define TRIES_WITHOUT_PIPE 1000 /* about 15 seconds */

/* Waits for the answer on the reply pipe.  Other processes read the same pipe, and their answers
 * are ignored.  Without the pipe (fc_channel_leave_open) only fc_channel_is_signalled tells.
 * False: no answer came, and none will. */
static bool wait_at_reply_pipe(void)
{
    const bool has_pipe = fc_session.reply_fd >= 0;
    int tries = 0;
    for (int delay_ms = 1;; delay_ms = delay_ms < 16 ? delay_ms * 2 : delay_ms)
    {
        /* checked before reading, since the text is written before the signal */
        int signalled = fc_channel_is_signalled(FC_ANSWERED);
        enum FcReplied replied =
            fc_spawn_read_reply(fc_session.reply_fd, signalled > 0 ? 0 : delay_ms);
        if (signalled > 0 || replied == FC_REPLIED_US ||
            (signalled < 0 && replied == FC_REPLIED_OTHERS))
            return true;
        if (!has_pipe && (signalled < 0 || ++tries == TRIES_WITHOUT_PIPE))
            return true;
        /* if fcmanager is alive, the program itself has closed this end */
        if (replied == FC_REPLIED_CLOSED || !fc_channel_is_alive())
            return fc_channel_is_alive();
    }
}

static void wait_for_answer(uint32_t index)
{
    size_t bytes = 0;
    const char *text = NULL;
    bool is_answered = true;
    if (index == 0)
        is_answered = wait_at_reply_pipe();
    else if (index != FC_NO_ANSWER)
    {
        text = fc_chunks_wait_for_answer(index, &bytes);
        is_answered = text != NULL;
    }
    if (bytes > 0)
        fc_notice_print(text, bytes);
    if (!is_answered)
        fc_notice_always("the profile manager is gone, the profile is not complete");
    fc_channel_close();
}

/* Discards signals that came during the wait.  Without profiling the process would have ended
 * before they came, so neither may a handler run nor may a signal kill it. */
static void discard_signals(uint64_t which)
{
    const struct timespec none = {0, 0};
    uint64_t pending = 0;
    /* bounded, since a timer may send signals without end */
    for (int i = 0; i < 1000; i++)
        if (fc_sys(SYS_rt_sigpending, &pending, sizeof pending) < 0 || (pending & which) == 0 ||
            fc_sys(SYS_rt_sigtimedwait, &which, NULL, &none, sizeof which) < 0)
            return;
}

/* Sends the rest of the records and the end, and waits for the answer.  Profiling is already off
 * for the other threads. */
static void send_quit(uint64_t old)
{
    const uint64_t end = fc_switches_check_last();
    fc_buffers_send_others();
    fc_scan_run(fc_session.manager_pid);
    uint32_t index = fc_chunks_take_for_answer();
    if (index == 0 && fc_session.reply_fd < 0 && fc_channel_is_signalled(FC_ANSWERED) < 0)
        index = FC_NO_ANSWER;
    struct FcMessage message = {
        .type = FC_MSG_QUIT, .thread = fc_thread.number, .argument = index, .value = end};
    fc_channel_send(&message, NULL, 0);
    if (!fc_state_is_off())
    {
        fc_state_ended();
        wait_for_answer(index);
        discard_signals(~old & ~INTERNAL_SIGNALS);
    }
}

static void quit(void)
{
    if (fc_state_is_off())
        return;
    uint64_t old = fc_block_signals();
    if (fc_state_forked_unseen())
        fc_process_after_fork(0);
    if (fc_thread.number == 0)
        fc_threads_start();
    fc_switches_begin_pause();
    fc_threads_send_name();
    fc_modules_scan_last();
    fc_entries_send_bound();
    fc_mpi_send_private();
    if (fc_state_ending())
        send_quit(old);
    fc_restore_signals(old);
}

/* exit() runs two functions of libfc, in an order that depends on how libfc was loaded: libc's
 * exit handler, which knows the status, and the loader's destructor, which runs after all those
 * of the program.  The later one is the end. */
static void finish_part(void)
{
    static uint64_t key; /* the process that `parts` belongs to; a forked child starts at 0 */
    static uint32_t parts;
    if (key != fc_state_key)
        parts = 0;
    key = fc_state_key;
    if (++parts == 2)
        quit();
}

void fc_exit_send_status(int status)
{
    struct FcMessage message = {.type = FC_MSG_EXIT_STATUS, .argument = (uint32_t)status};
    if (!fc_state_is_off())
        fc_channel_send(&message, NULL, 0);
}

static void exiting(int status, void *unused)
{
    (void)unused;
    fc_exit_send_status(status);
    finish_part();
}

static void quick_exiting(void *unused)
{
    (void)unused;
    quit();
}

typedef void QuickExitFunction(int);

static QuickExitFunction *real_quick_exit;

/* At start, since dlsym waits while another thread is in a library's constructor. */
__attribute__((constructor)) static void find_real(void)
{
    real_quick_exit = (QuickExitFunction *)fc_libc()->dlsym(RTLD_NEXT, "quick_exit");
}

/* Interposed only to learn the status, which libc does not pass to the handlers. */
FC_EXPORT void quick_exit(int status)
{
    if (!real_quick_exit)
        find_real();
    fc_exit_send_status(status);
    real_quick_exit(status);
    __builtin_unreachable();
}

/* The normal end of many programs, such as shells.  No handler runs: what was recorded and is
 * still in private buffers is sent from here. */
__attribute__((noreturn)) static void end(int status)
{
    /* not in the child of a vfork, which shares the memory of its parent, and the parent goes on */
    if (fc_state_is_own_process() || fc_state_forked_unseen())
    {
        fc_exit_send_status(status);
        quit();
    }
    for (;;)
        fc_sys(SYS_exit_group, status);
}

FC_EXPORT void _exit(int status)
{
    end(status);
}

FC_EXPORT void _Exit(int status)
{
    end(status);
}

__attribute__((destructor)) static void unloaded(void)
{
    finish_part();
}

/* libc knows by this which library a handler belongs to.  The compiler's start files define it. */
extern void *own_library __asm__("__dso_handle") __attribute__((visibility("hidden")));

void fc_exit_setup(void)
{
    fc_libc()->on_exit(exiting, NULL);
    fc_libc()->at_quick_exit(quick_exiting, &own_library);
}
