/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program's requests through include/fc.h: write a snapshot, and label a thread.  Called by the
 * program, from any thread or signal handler.
 */
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/stream/channel.h"

#include <string.h>

typedef void Request(const char *text);

/* What include/fc.h calls. */
FC_EXPORT Request fc_request_snapshot __asm__("__functioncheck_snapshot");
FC_EXPORT Request fc_request_label __asm__("__functioncheck_label");

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
