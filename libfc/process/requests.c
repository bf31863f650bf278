/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program's requests through include/fc.h: write a snapshot, label a thread, pause and resume.
 * Called by the program, from any thread or signal handler.
 */
#include "libfc/process/requests.h"

#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/process/mpi-figures.h"
#include "libfc/process/threads.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/pool.h"
#include "libfc/stream/switches.h"

#include <linux/futex.h>
#include <string.h>

typedef void Request(const char *text);

/* What include/fc.h calls. */
FC_EXPORT Request fc_request_snapshot __asm__("__functioncheck_snapshot");
FC_EXPORT Request fc_request_label __asm__("__functioncheck_label");
FC_EXPORT void fc_request_pause(int is_pause) __asm__("__functioncheck_pause");

/* Longer texts are cut. */
#define TEXT_MAX 200u

static void send(enum FcMessageType type, uint32_t argument, const char *text)
{
    if (!text || fc_state_is_off() || !fc_state_is_own_process() || fc_thread.number == 0)
        return;
    struct FcMessage message = {.type = type, .thread = fc_thread.number, .argument = argument};
    const size_t length = strlen(text);
    const uint64_t old = fc_block_signals();
    fc_channel_send(&message, text, length < TEXT_MAX ? length : TEXT_MAX);
    fc_restore_signals(old);
}

void fc_request_snapshot(const char *text)
{
    send(FC_MSG_SNAPSHOT, 0, text);
}

void fc_request_label(const char *text)
{
    send(FC_MSG_THREAD_NAME, FC_NAME_LABEL, text);
}

/* ---- Pausing ----------------------------------------------------------------------------- */

#define WAIT_NS 100000000
#define WAITS_MAX 200 /* 20 s */

/* Returns a number for the answer; 0: there is no memory where it could come. */
static uint32_t choose_number(struct FcShared *shared)
{
    uint32_t number = 0;
    while (shared && number == 0)
        number = __atomic_add_fetch(&shared->pauses, 1, __ATOMIC_RELAXED);
    return number;
}

/* Returns when fcmanager has answered, and not much later when no answer will come.  The place may
 * have the answer of a later message already. */
static void wait_for_answer(struct FcShared *shared, uint32_t number)
{
    uint32_t *place = &shared->pause_answers[number % FC_PAUSE_ANSWERS];
    for (int i = 0; i < WAITS_MAX; i++)
    {
        const struct timespec wait = {0, WAIT_NS};
        /* acquire: pairs with the manager's release */
        const uint32_t seen = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if ((int32_t)(seen - number) >= 0)
            return;
        if (fc_sys(SYS_futex, place, FUTEX_WAIT, seen, &wait, NULL, 0) == -ETIMEDOUT &&
            !fc_channel_is_alive())
            return;
    }
}

/* With the transport `pipe` the calling thread's records go before the message, so nothing has to
 * be awaited for them. */
static void send_pause(bool is_pause)
{
    struct FcShared *shared = fc_pool_header();
    if (fc_thread.number == 0)
        fc_threads_start();
    fc_chunks_flush_private();
    fc_mpi_send_private();
    const uint32_t number = choose_number(shared);
    struct FcMessage message = {
        .type = FC_MSG_PAUSE, .thread = fc_thread.number, .argument = is_pause, .value = number};
    if (fc_channel_send(&message, NULL, 0) && number != 0)
        wait_for_answer(shared, number);
}

void fc_requests_pause(bool is_pause)
{
    if (fc_state_is_off() || !fc_state_is_own_process())
        return;
    const uint64_t old = fc_block_signals();
    const bool is_begun = fc_switches_begin_inner_pause();
    send_pause(is_pause);
    if (is_begun)
        fc_switches_end_pause();
    fc_restore_signals(old);
}

void fc_request_pause(int is_pause)
{
    fc_requests_pause(is_pause != 0);
}
