/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reply pipe: see reply.h.
 */
#include "fcmanager/base/reply.h"

#include "libfc/fc-format.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

void fc_reply_send(int fd, uint64_t key, const char *text)
{
    char message[sizeof(struct FcReply) + FC_REPLY_TEXT_MAX];
    struct FcReply reply = {FC_REPLY_MAGIC, (uint32_t)MIN(strlen(text), FC_REPLY_TEXT_MAX), key};
    if (fd < 0)
        return;
    memcpy(message, &reply, sizeof reply);
    memcpy(message + sizeof reply, text, reply.bytes);
    while (write(fd, message, sizeof reply + reply.bytes) < 0 && errno == EINTR)
        continue;
}
